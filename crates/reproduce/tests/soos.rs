//! SOOS, done again in simulation.

use flyball_measure::bench::Simulator;
use flyball_report::reproduction::{Reproduction, Verdict};
use flyball_reproduce::{Extent, Size, reproduce, soos};
use flyball_study::{Progress, Registry};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

fn done(names: &[&str], size: Size) -> Reproduction {
    let registry = Registry::standard();
    let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
    let mut simulator = Simulator::new(&registry, &mut watch);
    let extent = Extent {
        size,
        ..Extent::default()
    };
    reproduce(&soos::WORK, names, &mut simulator, None, extent).unwrap()
}

/// What is concluded, and that every claim says what it should.
#[test]
fn claims_hold_as_far_as_they_can_be_compared() {
    let done = done(&[], Size::Short);
    let mut texts = BTreeSet::new();
    for (_, claim) in done.claims() {
        assert!(texts.insert(&claim.text), "{claim:?}");
        let compared = !matches!(claim.verdict, Verdict::NotComparable(_));
        assert_eq!(compared, !claim.criterion.is_empty(), "{claim:?}");
    }
    let differ = |name: &str| {
        let claims = done
            .claims()
            .filter(|(experiment, _)| experiment.name == name);
        let differ = claims.filter(|(_, claim)| matches!(claim.verdict, Verdict::Differs(_)));
        differ.count()
    };
    let of = soos::WORK
        .plans
        .iter()
        .map(|plan| (plan.name, differ(plan.name)));
    // The list is no better than what may have been before it, but for flags; the worst slot depends
    // on the set; jobs longer than hard budgets wait; and the control kernel reactivates one server more at once.
    let expected = [
        ("complexity", 0),
        ("improvements", 5),
        ("overhead", 1),
        ("slack", 0),
        ("isolation", 0),
        ("soft", 2),
        ("limit", 1),
    ];
    assert_eq!(of.collect::<Vec<_>>(), expected);
}

/// All is counted or simulated, so it is the same each time.
#[test]
fn the_same_comes_out_again() {
    let again = || done(&[], Size::Sample);
    assert_eq!(again(), again());
}
