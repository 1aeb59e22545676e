//! What servers promise, checked from the trace alone, in overload and with locks.

mod faulty;
mod ledger;
mod observer;
mod script;

use faulty::{Fault, Faulty};
use flyball_catalogue::{Allowance, Deferrable, Linux, OwnServers, Polling, Reclaim, ServerRule};
use flyball_model::ServerMode;
use flyball_policy::servers::{ConstantBandwidth, Iris, Sporadic};
use flyball_sim::{Options, simulate};
use flyball_trace::Event;
use ledger::Ledger;
use observer::{Observer, Promise};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use script::{Admission, Reserved, Script, script, units};
use std::cell::Cell;

/// In units.
const UNTIL: u64 = 1_000;

/// What rules promise.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Soft,
    Hard,
    Polling,
    Deferrable,
}

impl Kind {
    fn admission(self) -> Admission {
        match self {
            Kind::Soft | Kind::Hard => Admission::Density,
            Kind::Polling | Kind::Deferrable => Admission::ResponseTimes,
        }
    }

    fn promise(self, server: &Reserved) -> Promise {
        let [budget, deadline, period] = [server.budget, server.deadline, server.period].map(units);
        let rest = period.saturating_sub(budget);
        Promise {
            budget,
            most_every: match self {
                Kind::Soft => None,
                Kind::Hard => Some(deadline),
                Kind::Polling | Kind::Deferrable => Some(period),
            },
            least_every: period,
            // The end of one period without a budget, and the next one up to where it has to begin.
            delay: match self {
                // What comes when there is nothing to do is lost, and so is a whole period.
                Kind::Polling => period + rest,
                _ => rest + rest,
            },
            at_first_only: matches!(self, Kind::Soft),
        }
    }
}

/// What happens.
fn simulated<R: ServerRule>(script: &Script, kind: Kind, rule: R) -> Vec<Event> {
    let scheduler = OwnServers {
        rule,
        allowance: Allowance::default(),
        quantum: units(1_000),
    };
    let mode = match kind {
        Kind::Soft => Some(ServerMode::Soft),
        _ => None,
    };
    let mut events: Vec<Event> = Vec::new();
    let options = Options::until(units(UNTIL));
    simulate(&script.set(mode), &scheduler, &options, &mut events).unwrap();
    events
}

/// What the observer has seen of a simulation, and of how many events.
fn observed<R: ServerRule>(script: &Script, kind: Kind, rule: R) -> (Observer, usize) {
    let events = simulated(script, kind, rule);
    let promises: Vec<_> = script.servers.iter().map(|it| kind.promise(it)).collect();
    let mut observer = Observer::new(&promises, &script.seats(), &script.lends);
    for event in &events {
        observer.see(event);
    }
    (observer, events.len())
}

/// Checks all that is promised. Returns the number of events.
fn keeps_its_promises<R: ServerRule>(script: &Script, kind: Kind, rule: R) -> usize {
    let script = script.admitted(kind.admission());
    let (observer, count) = observed(&script, kind, rule);
    let name = R::NAME;
    assert_eq!(observer.too_much, None, "too much under {name}, {kind:?}");
    assert_eq!(
        observer.too_little, None,
        "too little under {name}, {kind:?}"
    );
    if script.seats()[0] == Some(0) {
        assert_eq!(observer.misses[0], 0, "late under {name}, {kind:?}");
    }
    count
}

/// More than a million events, `SOAK` times as many if told so.
#[test]
fn no_server_has_too_much_or_too_little_and_none_is_late() {
    let soak = std::env::var("SOAK")
        .ok()
        .and_then(|it| it.parse::<u32>().ok());
    let soak = soak.unwrap_or(1);
    let events = Cell::new(0);
    let config = ProptestConfig {
        cases: 500 * soak,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let all = TestRunner::new(config).run(&script(), |script| {
        let more = keeps_its_promises(&script, Kind::Soft, ConstantBandwidth::SOFT)
            + keeps_its_promises(&script, Kind::Hard, ConstantBandwidth::HARD)
            + keeps_its_promises(&script, Kind::Hard, Linux::UNLIMITED)
            + keeps_its_promises(&script, Kind::Polling, Polling)
            + keeps_its_promises(&script, Kind::Deferrable, Deferrable);
        events.set(events.get() + more);
        Ok(())
    });
    all.unwrap();
    eprintln!("{} events", events.get());
    assert!(events.get() > 1_000_000 * soak as usize);
}

/// How many of some scripts show that a rule has this fault: by too much, too little, and too late.
fn found(fault: Fault, change: impl Fn(&mut Script)) -> [usize; 3] {
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let found_now = Cell::new([0; 3]);
    let all = TestRunner::new(config).run(&script(), |mut script| {
        change(&mut script);
        let script = script.admitted(Admission::Density);
        let (observer, _) = observed(&script, Kind::Hard, Faulty(fault));
        let is_late = script.seats()[0] == Some(0) && observer.misses[0] > 0;
        let now = [
            observer.too_much.is_some(),
            observer.too_little.is_some(),
            is_late,
        ];
        let mut sum = found_now.get();
        for (sum, now) in sum.iter_mut().zip(now) {
            *sum += usize::from(now);
        }
        found_now.set(sum);
        Ok(())
    });
    all.unwrap();
    let found = found_now.get();
    eprintln!("{fault:?}: {found:?}");
    found
}

/// The observer can fail.
#[test]
fn faults_are_seen() {
    let as_it_is = |_: &mut Script| ();
    assert_eq!(found(Fault::None, as_it_is), [0; 3]);
    assert!(found(Fault::ForgetsToCharge, as_it_is)[0] > 0);
    assert!(found(Fault::LeavesOutPeriods, as_it_is)[1] > 0);
    let without_inheritance = |script: &mut Script| script.lends.fill(false);
    assert!(found(Fault::None, without_inheritance)[2] > 0);
}

/// The budgets of a trace, compared with what has run.
fn kept<R: ServerRule>(script: &Script, kind: Kind, rule: R) -> Ledger {
    let mut script = script.admitted(kind.admission());
    script.lends.fill(false);
    let budgets = script.servers.iter().map(|it| units(it.budget)).collect();
    let in_pieces = R::NAME == Sporadic::NAME;
    let mut ledger = Ledger::new(budgets, script.seats(), in_pieces);
    for event in &simulated(&script, kind, rule) {
        ledger.see(event);
    }
    ledger
}

#[test]
fn budgets_in_a_trace_are_what_has_not_been_used() {
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let (compared, found) = (Cell::new(0), Cell::new(0));
    let all = TestRunner::new(config).run(&script(), |script| {
        let ledgers = [
            kept(&script, Kind::Soft, ConstantBandwidth::SOFT),
            kept(&script, Kind::Hard, ConstantBandwidth::HARD),
            kept(&script, Kind::Deferrable, Reclaim::Published),
            kept(&script, Kind::Hard, Iris::default()),
            kept(&script, Kind::Deferrable, Deferrable),
            kept(&script, Kind::Deferrable, Sporadic),
        ];
        for ledger in &ledgers {
            prop_assert_eq!(&ledger.difference, &None);
            compared.set(compared.get() + ledger.compared);
        }
        let faulty = kept(&script, Kind::Hard, Faulty(Fault::ForgetsToCharge));
        found.set(found.get() + usize::from(faulty.difference.is_some()));
        Ok(())
    });
    all.unwrap();
    eprintln!("{} budgets, {} faults", compared.get(), found.get());
    assert!(compared.get() > 50_000 && found.get() > 50);
}
