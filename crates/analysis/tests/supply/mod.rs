//! What servers give at least, against all that they can do; and what holds inside of them, against
//! schedulers that go from one unit of time to the next.

use crate::common;
mod inside;
mod machine;
mod sizing;

use flyball_analysis::supply::{NotCovered, Rule, server_responses};
use flyball_analysis::{Level, SporadicTask, Supply, Utilisation, WorkLimit};
use flyball_trace::Duration;
use machine::{Machine, State};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const RULES: [Rule; 7] = [
    Rule::Periodic,
    Rule::Polling,
    Rule::Deferrable,
    Rule::Sporadic,
    Rule::SoftConstantBandwidth,
    Rule::HardConstantBandwidth,
    Rule::SchedDeadline,
];

fn ns(length: u64) -> Duration {
    Duration::from_nanos(length)
}

/// Budget, period and deadline.
fn server(q: u64, p: u64, d: u64) -> SporadicTask {
    common::task(q, p, d, 0)
}

/// All servers up to this period.
fn servers(longest: u64) -> impl Iterator<Item = SporadicTask> {
    let deadlines = move |p| (1..=p).flat_map(move |d| (1..=d).map(move |q| server(q, p, d)));
    (1..=longest).flat_map(deadlines)
}

/// The states that can be reached within so many units, whatever work comes and whatever the
/// others do.
fn reachable(machine: &Machine, units: u64) -> BTreeSet<State> {
    let mut all = BTreeSet::from([machine.first()]);
    let mut last = all.clone();
    for _ in 0..units {
        let next = last.iter().flat_map(|state| {
            let both = [false, true].into_iter();
            both.flat_map(|work| machine.units(state, work))
        });
        last = next.map(|it| it.0).filter(|it| !all.contains(it)).collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn keep_least(least: &mut BTreeMap<State, u64>, state: State, given: u64) {
    let known = least.entry(state).or_insert(given);
    *known = given.min(*known);
}

/// The least that is given in the first units from one of these states on, with work throughout.
fn least_given(machine: &Machine, from: BTreeSet<State>, units: u64) -> Vec<u64> {
    let mut least: BTreeMap<State, u64> = from.into_iter().map(|state| (state, 0)).collect();
    let mut given = vec![0];
    for _ in 0..units {
        let mut next = BTreeMap::new();
        for (state, before) in &least {
            for (state, served) in machine.units(state, true) {
                keep_least(&mut next, state, before + u64::from(served));
            }
        }
        least = next;
        given.extend(least.values().min());
    }
    given
}

fn bounds(supply: Supply, units: u64) -> Vec<u64> {
    let bound = |t| supply.bound(ns(t)).as_nanos();
    (0..=units).map(bound).collect()
}

/// Over all behaviours, the least is what the supply bound function says: never less, and no more.
#[test]
fn the_bound_is_the_least_that_is_given() {
    for rule in RULES {
        for server in servers(if rule == Rule::Sporadic { 5 } else { 6 }) {
            let p = server.period().as_nanos();
            let machine = Machine::new(rule, &server);
            let least = least_given(&machine, reachable(&machine, 4 * p), 4 * p);
            match rule.supply(&server) {
                Ok(supply) => assert_eq!(bounds(supply, 4 * p), least, "{rule:?} {server:?}"),
                Err(reason) => {
                    assert_eq!(
                        (rule, reason),
                        (Rule::SoftConstantBandwidth, NotCovered::Early)
                    );
                    // Longer than that of any other rule, as budgets were used before they were due.
                    let gap = p - server.wcet().as_nanos();
                    let blackout = least.iter().take_while(|&&given| given == 0).count() as u64 - 1;
                    assert!(gap == 0 || blackout > 2 * gap);
                }
            }
        }
    }
}

/// The least that has been given since a budget was renewed, at each instant with work, whenever there
/// was work before.
fn least_since_renewal(machine: &Machine, units: u64) -> Vec<Option<u64>> {
    let mut least = BTreeMap::new();
    for before in reachable(machine, units).iter().filter(|it| !it.busy) {
        let arrived = machine.begin(before, true);
        if arrived.renewed {
            keep_least(&mut least, before.clone(), 0);
        }
    }
    let mut given = vec![Some(0)];
    for unit in 0..units {
        let mut next = BTreeMap::new();
        for (state, before) in &least {
            for work in [false, true] {
                // Another renewal ends it, and the first unit begins with one.
                let arrives = work && !state.busy;
                if unit == 0 && !work {
                    continue;
                }
                for (mut state, served) in machine.units(state, work) {
                    let is_other = arrives && state.renewed && unit > 0;
                    state.renewed = false;
                    if !is_other {
                        keep_least(&mut next, state, before + u64::from(served));
                    }
                }
            }
        }
        least = next;
        given.push(least.iter().filter(|it| it.0.busy).map(|it| *it.1).min());
    }
    given
}

#[test]
fn in_order_it_counts_from_the_last_renewal() {
    for rule in [
        Rule::SoftConstantBandwidth,
        Rule::HardConstantBandwidth,
        Rule::SchedDeadline,
    ] {
        for server in servers(4) {
            let is_implicit = server.deadline() == server.period();
            if rule == Rule::SchedDeadline && !is_implicit {
                assert_eq!(rule.supply_in_order(&server), rule.supply(&server));
                continue;
            }
            let units = 3 * server.period().as_nanos();
            let least = least_since_renewal(&Machine::new(rule, &server), units);
            let bounds = bounds(rule.supply_in_order(&server).unwrap(), units);
            for (least, bound) in least.into_iter().zip(bounds) {
                let least = least.unwrap();
                assert!(least >= bound, "{rule:?} {server:?}");
                assert!(!is_implicit || least == bound, "{rule:?} {server:?}");
            }
        }
    }
}

/// Shape, line, inverse, and what the analyses rest on.
#[test]
fn the_bound_is_what_its_formula_says() {
    for server in servers(6) {
        let [q, p, d] = [server.wcet(), server.period(), server.deadline()].map(Duration::as_nanos);
        // Easwaran, Anand and Lee 2007, equation of sbf for EDP resources.
        let published = |t: u64| match t.checked_sub(d - q) {
            Some(since) => {
                let y = since / p;
                y * q + (t + 2 * q).saturating_sub(p + d + y * p)
            }
            None => 0,
        };
        let supply = Rule::Periodic.supply(&server).unwrap();
        assert_eq!(supply.blackout(), ns(p + d - 2 * q));
        assert_eq!(supply.bandwidth(), Utilisation::of(&[server]));
        let bound = |t| supply.bound(ns(t)).as_nanos();
        for t in 0..8 * p {
            assert_eq!(bound(t), published(t));
            let line = supply.linear_bound(ns(t)).as_nanos();
            assert!(line <= bound(t) && bound(t) * p <= q * t);
            let kinks = (t + 2 * q).checked_sub(p + d).is_some_and(|x| x % p == 0);
            assert!(!kinks || line == bound(t));
            for u in 0..4 * p {
                assert!(bound(t + u) >= bound(t) + bound(u));
            }
            let first = (0..20 * p * p).find(|&u| bound(u) >= t).map(ns);
            assert_eq!(supply.inverse(ns(t)), first);
        }
    }
}

#[test]
fn a_whole_cpu_and_long_times() {
    let long = ns(u64::MAX - 1);
    assert_eq!(Supply::CPU.bound(long), long);
    assert_eq!(Supply::CPU.inverse(long), Some(long));
    assert_eq!(Supply::CPU.blackout(), ns(0));
    let rare = server(1, u64::MAX - 1, u64::MAX - 1);
    let supply = Rule::Periodic.supply(&rare).unwrap();
    assert_eq!(supply.blackout(), Duration::MAX);
    assert_eq!(supply.bound(Duration::MAX), ns(0));
    assert_eq!(supply.linear_bound(Duration::MAX), ns(0));
    assert_eq!(
        (supply.inverse(ns(0)), supply.inverse(ns(1))),
        (Some(ns(0)), None)
    );
    let half = Rule::Polling
        .supply(&server(1 << 62, 1 << 63, 1 << 63))
        .unwrap();
    assert_eq!(half.blackout(), ns(3 << 62));
    assert_eq!(half.bound(Duration::MAX), ns((1 << 62) - 1));
    assert_eq!(half.linear_bound(Duration::MAX), ns((1 << 61) - 1));
    assert_eq!(half.inverse(ns(1 << 62)), None);
}

#[test]
fn what_is_no_server_is_said() {
    for rule in RULES {
        for supply in [Rule::supply, Rule::supply_in_order] {
            assert_eq!(supply(rule, &server(5, 9, 4)), Err(NotCovered::Budget));
            assert_eq!(supply(rule, &server(5, 9, 10)), Err(NotCovered::Deadline));
        }
    }
    let early = Rule::SoftConstantBandwidth.supply(&server(2, 9, 9));
    assert_eq!(
        early.unwrap_err().to_string(),
        "the server may use its budgets early, so its tasks have to be served first come, first served"
    );
}

/// Servers among each other, by hand.
#[test]
fn a_deferrable_server_uses_two_budgets_back_to_back() {
    let limit = WorkLimit::default();
    let responses = |rule| {
        let servers = [(rule, server(2, 5, 5)), (Rule::Polling, server(2, 9, 9))];
        let responses = server_responses(&servers, &[Level(1), Level(0)], limit).unwrap();
        let bounds = responses
            .into_iter()
            .map(|it| it.bound().unwrap().as_nanos());
        bounds.collect::<Vec<_>>()
    };
    // The first uses [3, 5] and [5, 7], and the second's budget of 3 is used in [7, 9].
    assert_eq!(responses(Rule::Deferrable), [2, 6]);
    for rule in [Rule::Periodic, Rule::Polling, Rule::Sporadic] {
        assert_eq!(responses(rule), [2, 4]);
    }
    let soft = [(Rule::SoftConstantBandwidth, server(2, 5, 5))];
    let error = server_responses(&soft, &[Level(0)], limit).unwrap_err();
    assert_eq!(
        error.to_string(),
        "servers by this rule are scheduled by their deadlines"
    );
    let one = [(Rule::Polling, server(2, 5, 5))];
    let error = server_responses(&one, &[], limit).unwrap_err();
    assert_eq!(error.to_string(), "0 levels for 1 tasks");
}

proptest! {
    /// More urgent servers leave each of them its budget within its response time, from any instant on.
    #[test]
    fn budgets_are_had_within_their_response_times(
        drawn in prop::collection::vec((1_u64..4, 0_u64..12, 0_usize..3), 1..5),
        seed in any::<u64>(),
    ) {
        let rules = [Rule::Polling, Rule::Deferrable, Rule::Sporadic];
        let rule = |it: &(u64, u64, usize)| (rules[it.2], server(it.0, it.0 + it.1, it.0 + it.1));
        let servers: Vec<_> = drawn.iter().map(rule).collect();
        let levels: Vec<_> = (0..4).rev().map(Level).take(servers.len()).collect();
        let responses = server_responses(&servers, &levels, WorkLimit::default()).unwrap();
        let mut seed = common::Random(seed);
        let mut all = Vec::new();
        for ((rule, it), response) in servers.iter().zip(responses) {
            // What has less in a period has no budget in it.
            let Some(response) = response.bound().filter(|&response| response <= it.period()) else {
                break;
            };
            let it = server(it.wcet().as_nanos(), it.period().as_nanos(), response.as_nanos());
            let machine = Machine::new(*rule, &it);
            all.push((machine, machine.first(), false));
        }
        for _ in 0..400 {
            let mut is_left = true;
            for (machine, state, work) in &mut all {
                if seed.below(6) == 0 {
                    *work = !*work;
                }
                let (next, served) = machine.unit(state, *work, is_left).unwrap();
                *state = next;
                is_left &= !served;
            }
        }
    }
}
