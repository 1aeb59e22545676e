//! Tasks inside of servers against schedulers that go from one unit of time to the next: with the
//! worst supply, and with whatever servers may do.

use super::machine::Machine;
use super::{RULES, ns, server};
use crate::common::{self, Job, Random, densest, int, latest, random, simulate_on};
use flyball_analysis::supply::{Inside, Rule, server_responses};
use flyball_analysis::{
    Level, SporadicTask, Supply, Utilisation, Verdict, WorkLimit, edf_demand, edf_response,
    fixed_priority,
};
use proptest::prelude::*;

/// A server whose period divides 24, of bandwidth ½ at least, by a rule that has a supply.
fn any_server() -> impl Strategy<Value = (Rule, SporadicTask)> {
    (0_usize..7, 0_usize..7, 0_u64..100, 0_u64..100).prop_map(|(rule, p, q, d)| {
        let p = [1, 2, 3, 4, 6, 8, 12][p];
        let q = p - q % (p / 2 + 1);
        (RULES[rule], server(q, p, p - d % (p - q + 1)))
    })
}

/// Tasks that ask for a half of what is drawn: every second period is twice as long.
fn light_set(jitter: bool) -> impl Strategy<Value = (Vec<SporadicTask>, Vec<Level>)> {
    common::small_set(jitter).prop_map(|(tasks, levels)| {
        let lighter = |(index, task): (usize, &SporadicTask)| {
            let [c, t, d, j] = [task.wcet(), task.period(), task.deadline(), task.jitter()]
                .map(flyball_trace::Duration::as_nanos);
            if index % 2 == 0 && 24 % (2 * t) == 0 {
                common::task(c, 2 * t, d, j)
            } else {
                *task
            }
        };
        (tasks.iter().enumerate().map(lighter).collect(), levels)
    })
}

/// Nothing during the blackout, then the budget at the start of every period.
fn worst(supply: Supply) -> impl Fn(i64, bool) -> bool {
    move |now, _| {
        let bound = |t: i64| supply.bound(ns(t.try_into().unwrap()));
        bound(now + 1) > bound(now)
    }
}

/// Longer than any interval in which there always is work, or long enough to see that it has no end.
fn busy(supply: Supply, tasks: &[SporadicTask]) -> i64 {
    let jobs = |task: &SporadicTask, t: u64| {
        (t + task.jitter().as_nanos()).div_ceil(task.period().as_nanos())
    };
    let work = |t: u64| -> u64 {
        let work = tasks
            .iter()
            .map(|task| jobs(task, t) * task.wcet().as_nanos());
        work.sum()
    };
    let end = (1..400).find(|&t| work(t) <= supply.bound(ns(t)).as_nanos());
    end.unwrap_or(400).try_into().unwrap()
}

/// The worst response of `this` over all its phases, with the worst supply, and all others released at 0
/// as fast as they can be.
fn observed<K: Ord>(
    supply: Supply,
    tasks: &[SporadicTask],
    this: usize,
    key: impl Fn(&Job) -> K,
) -> i64 {
    let until = busy(supply, tasks) + 150;
    let mut worst_of_all = 0;
    for phase in 0..int(tasks[this].period()) {
        let mut jobs: Vec<Job> = Vec::new();
        for (index, task) in tasks.iter().enumerate() {
            jobs.extend(if index == this {
                latest(index, task, phase, until)
            } else {
                densest(index, task, until)
            });
        }
        simulate_on(worst(supply), &mut jobs, until, &key);
        let own = jobs.iter().filter(|job| job.task == this);
        worst_of_all = worst_of_all.max(own.filter_map(Job::response).max().unwrap_or(0));
    }
    worst_of_all
}

fn fits(supply: Supply, tasks: &[SporadicTask]) -> bool {
    Utilisation::of(tasks) <= supply.bandwidth()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Exact for the worst supply.
    #[test]
    fn demand_is_that_of_the_scheduler(
        (tasks, _) in light_set(true),
        (rule, server) in any_server(),
    ) {
        let supply = rule.supply(&server).or(rule.supply_in_order(&server)).unwrap();
        let verdict = edf_demand::test_on(supply, &tasks, WorkLimit::default()).verdict;
        // All repeats with 24 after the blackout.
        let until = 24 + int(supply.blackout());
        let mut jobs: Vec<Job> = Vec::new();
        for (index, task) in tasks.iter().enumerate() {
            jobs.extend(densest(index, task, until));
        }
        jobs.retain(|job| job.deadline <= until);
        simulate_on(worst(supply), &mut jobs, until, common::edf(0));
        let is_late = |job: &Job| job.finish.is_none_or(|finish| finish > job.deadline);
        let holds = fits(supply, &tasks) && !jobs.iter().any(is_late);
        prop_assert_eq!(verdict == Verdict::Holds, holds, "{}", verdict);
        // A server may be better than its bound.
        let is_failure = matches!(verdict, Verdict::Fails(_));
        prop_assert!(!is_failure || supply == Supply::CPU);
    }

    /// Exact for the worst supply, first come, first served included.
    #[test]
    fn response_times_are_those_of_the_scheduler(
        (tasks, levels) in light_set(true),
        (rule, server) in any_server(),
        is_in_order: bool,
    ) {
        let levels = if is_in_order { vec![Level(0); tasks.len()] } else { levels };
        let supply = rule.supply(&server).or(rule.supply_in_order(&server)).unwrap();
        let limit = WorkLimit::default();
        let responses = fixed_priority::response_times_on(supply, &tasks, &levels, limit).unwrap();
        for (this, response) in responses.into_iter().enumerate() {
            let concerned = tasks.iter().zip(&levels).filter(|it| *it.1 >= levels[this]);
            let concerned: Vec<_> = concerned.map(|it| *it.0).collect();
            prop_assert_eq!(response.bound().is_some(), fits(supply, &concerned));
            if let Some(bound) = response.bound() {
                let key = common::fixed_priority(&levels, this);
                prop_assert_eq!(int(bound), observed(supply, &tasks, this, key), "task {}", this);

            }
        }
    }

    /// The same under EDF, where a job is the last among all with its deadline.
    #[test]
    fn response_times_under_edf_are_those_of_the_scheduler(
        (tasks, _) in light_set(true),
        (rule, server) in any_server(),
    ) {
        let supply = rule.supply(&server).or(rule.supply_in_order(&server)).unwrap();
        let limit = WorkLimit::default();
        let responses = edf_response::response_times_on(supply, &tasks, limit);
        for (this, response) in responses.into_iter().enumerate() {
            prop_assert_eq!(response.bound().is_some(), fits(supply, &tasks));
            if let Some(bound) = response.bound() {
                let observed = observed(supply, &tasks, this, common::edf(this));
                prop_assert_eq!(int(bound), observed, "task {}", this);
            }
        }
    }

    #[test]
    fn blocking_takes_supply(
        (tasks, levels) in light_set(false),
        (rule, server) in any_server(),
        blockings in prop::collection::vec(0_u64..6, 8),
    ) {
        let supply = rule.supply(&server).or(rule.supply_in_order(&server)).unwrap();
        let block = |(task, b): (&SporadicTask, u64)| task.with_blocking(ns(b)).unwrap();
        let tasks: Vec<_> = tasks.iter().zip(blockings).map(block).collect();
        let bound = |t: i64| int(supply.bound(ns(t.try_into().unwrap())));
        let longest = tasks.iter().map(SporadicTask::deadline).max();
        let fits_in = |t: i64| {
            let interval = ns(t.try_into().unwrap());
            let blocking = edf_demand::blocking(&tasks, interval);
            let blocking = if Some(interval) < longest { blocking } else { ns(0) };
            let demand = edf_demand::demand(&tasks, interval);
            demand == ns(0) || int(demand) + int(blocking) <= bound(t)
        };
        let holds = fits(supply, &tasks) && (0..150).all(fits_in);
        let limit = WorkLimit::default();
        let verdict = edf_demand::test_on(supply, &tasks, limit).verdict;
        prop_assert_eq!(verdict == Verdict::Holds, holds, "{}", verdict);
        // Less urgent work of this length as the first that is done.
        let responses = fixed_priority::response_times_on(supply, &tasks, &levels, limit).unwrap();
        for (task, response) in tasks.iter().zip(responses) {
            let least = task.wcet() + task.blocking();
            let least = supply.inverse(least).unwrap();
            prop_assert!(response.bound().is_none_or(|it| it >= least));
        }
    }

    /// Whatever a server may do, and whenever jobs come.
    #[test]
    fn no_behaviour_breaks_what_holds(
        (tasks, levels) in light_set(true),
        (rule, server) in any_server(),
        seed in any::<u64>(),
    ) {
        const UNTIL: i64 = 200;
        let limit = WorkLimit::default();
        let mut seed = Random(seed);
        let machine = Machine::new(rule, &server);
        let same = vec![Level(0); tasks.len()];
        for inside in [
            Inside::EarliestDeadline,
            Inside::FixedPriorities(&levels),
            Inside::InOrder,
        ] {
            let Ok(outcome) = inside.test(&tasks, rule, &server, limit) else {
                prop_assert_eq!(rule, Rule::SoftConstantBandwidth);
                continue;
            };
            let mut jobs: Vec<Job> = Vec::new();
            for (index, task) in tasks.iter().enumerate() {
                jobs.extend(random(index, task, &mut seed, UNTIL));
            }
            let mut state = machine.first();
            let mut is_kind = true;
            let mut gives = |_: i64, work: bool| {
                if seed.below(int(server.period()) + 1) == 0 {
                    is_kind = !is_kind;
                }
                let units = machine.units(&state, work);
                let unit = if is_kind { units.last() } else { units.first() };
                let (next, served) = unit.unwrap().clone();
                state = next;
                served
            };
            let order = match inside {
                Inside::FixedPriorities(levels) => levels,
                Inside::EarliestDeadline | Inside::InOrder => &same,
            };
            let levels = common::fixed_priority(order, 0);
            let earliest = common::edf(0);
            let is_edf = inside == Inside::EarliestDeadline;
            let key = |job: &Job| (is_edf.then(|| earliest(job)), levels(job));
            simulate_on(&mut gives, &mut jobs, UNTIL, key);
            let is_late = |job: &Job| {
                job.deadline <= UNTIL && job.finish.is_none_or(|finish| finish > job.deadline)
            };
            prop_assert!(!outcome.holds() || !jobs.iter().any(is_late), "{:?}", inside);
            let bounds = inside.response_times(&tasks, rule, &server, limit).unwrap();
            for job in &jobs {
                let Some(bound) = bounds[job.task].bound().map(int) else {
                    continue;
                };
                let end = job.finish.unwrap_or(UNTIL);
                prop_assert!(end - job.arrival <= bound, "{:?}", inside);
            }
        }
    }

    /// Servers under fixed priorities with tasks of their own, all at once: what is proven of each from
    /// its response time among the servers, and from its tasks alone, is not contradicted.
    #[test]
    fn what_is_proven_of_each_server_holds_in_the_system(
        drawn in prop::collection::vec((0..3_usize, 1_u64..6, 1_u64..4, light_set(true)), 1..4),
        seed in any::<u64>(),
    ) {
        const UNTIL: usize = 300;
        let limit = WorkLimit::default();
        let rules = [Rule::Polling, Rule::Deferrable, Rule::Sporadic];
        let servers: Vec<_> = drawn
            .iter()
            .map(|(rule, q, more, _)| (rules[*rule], server(*q, q * more + more, q * more + more)))
            .collect();
        let levels: Vec<_> = (0..3).rev().map(Level).take(servers.len()).collect();
        let responses = server_responses(&servers, &levels, limit).unwrap();
        let mut seed = Random(seed);
        let mut is_taken = vec![false; UNTIL];
        for (((rule, it), response), (.., (tasks, levels))) in
            servers.iter().zip(responses).zip(&drawn)
        {
            let Some(response) = response.bound().filter(|&response| response <= it.period()) else {
                break;
            };
            let it = it.with_times(it.period(), response).unwrap();
            let inside = Inside::FixedPriorities(levels);
            let bounds = inside.response_times(tasks, *rule, &it, limit).unwrap();
            let until = i64::try_from(UNTIL).unwrap();
            let mut jobs: Vec<Job> = Vec::new();
            for (index, task) in tasks.iter().enumerate() {
                jobs.extend(random(index, task, &mut seed, until));
            }
            let machine = Machine::new(*rule, &it);
            let mut state = machine.first();
            let mut taken = is_taken.iter_mut();
            let mut gives = |_: i64, work: bool| {
                let taken = taken.next().unwrap();
                let (next, served) = machine.unit(&state, work, !*taken).unwrap();
                state = next;
                *taken |= served;
                served
            };
            simulate_on(&mut gives, &mut jobs, until, common::fixed_priority(levels, 0));
            for job in &jobs {
                let Some(bound) = bounds[job.task].bound().map(int) else {
                    continue;
                };
                let end = job.finish.unwrap_or(until);
                prop_assert!(end - job.arrival <= bound, "{:?} {:?}", rule, it);
            }
        }
    }
}
