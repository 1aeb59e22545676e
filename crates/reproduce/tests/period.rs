//! Period adaptation, done again in simulation: all of it, with fewer units where it takes long.

use flyball_measure::bench::Simulator;
use flyball_report::reproduction::{Reproduction, Verdict};
use flyball_reproduce::{Extent, Size, period, reproduce};
use flyball_study::{Progress, Registry};
use std::ops::ControlFlow;

fn done(names: &[&str]) -> Reproduction {
    let registry = Registry::standard();
    let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
    let mut simulator = Simulator::new(&registry, &mut watch);
    let extent = Extent {
        size: Size::Sample,
        ..Extent::default()
    };
    reproduce(&period::WORK, names, &mut simulator, None, extent).unwrap()
}

fn each_holds(names: &[&str]) {
    let done = done(names);
    assert_eq!(done.experiments.len(), names.len());
    for (_, claim) in done.claims() {
        let holds = matches!(claim.verdict, Verdict::Holds);
        assert!(holds, "{}: {}, {:?}", claim.text, claim.ours, claim.verdict);
    }
}

/// Jitter rises with the period and run times fall; the controller finds the period that a search finds, and the one
/// that follows from buffers and rate.
#[test]
fn the_best_period_is_found() {
    each_holds(&["trade-off", "optimum"]);
}

/// Periods follow what messages take, down faster than up, and settle where half of the queue moves.
#[test]
fn periods_settle_and_follow() {
    each_holds(&["steady", "adaptation"]);
}

/// With 20 buffers no producer waits here, and with 30 it does under Linux 2.0.
#[test]
fn fewer_buffers_are_enough() {
    each_holds(&["buffers"]);
}

/// What disturbs a pipeline loses no message; a task that says nothing does not starve; a server keeps up.
#[test]
fn others_do_not_matter() {
    each_holds(&["missed", "best-effort", "server"]);
}

/// What is typed in elsewhere is not needed, and what that costs is said.
#[test]
fn nothing_has_to_be_typed_in() {
    each_holds(&["beside"]);
}

/// Shares that are exact, priorities, caches, and what the kernel takes.
#[test]
fn short_periods_cost() {
    each_holds(&["secondary", "overhead", "controllers"]);
}

/// A rate monotonic order misses more allocations than earliest deadlines. Neither loses a message, and the two have about
/// the same switches and periods. What theory says of other tasks need not hold.
#[test]
fn a_rate_monotonic_order_is_enough() {
    let done = done(&["dispatch"]);
    let claims: Vec<_> = done.claims().map(|(_, claim)| claim).collect();
    assert_eq!(claims.len(), 7);
    for claim in [0, 3, 4, 5, 6].map(|number| claims[number]) {
        let holds = matches!(claim.verdict, Verdict::Holds);
        assert!(holds, "{}: {}, {:?}", claim.text, claim.ours, claim.verdict);
    }
}

/// It measures this computer, so nothing is known of its numbers: they are there, or it is said why not.
#[test]
fn the_appendix_has_no_verdict() {
    let done = done(&["linux"]);
    let [experiment] = &done.experiments[..] else {
        panic!("{done:?}");
    };
    assert!(experiment.on_host && experiment.claims.is_empty());
    let stalls = experiment.settings.iter();
    let stalls: Vec<_> = stalls
        .filter(|(name, _)| name.starts_with("stalls"))
        .collect();
    assert_eq!(stalls.len(), 3);
    for (name, said) in stalls {
        let is_told = said.contains(" at 1") || said.contains("not measured: ");
        assert!(is_told, "{name}: {said}");
    }
    assert_eq!(
        experiment.figures.is_empty(),
        !cfg!(target_os = "linux"),
        "SCHED_OTHER is always permitted"
    );
}
