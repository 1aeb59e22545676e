//! Double-sorted scheduling, done again in simulation: what is quick enough.

use flyball_measure::bench::Simulator;
use flyball_report::reproduction::{Reproduction, Verdict};
use flyball_reproduce::{Extent, Size, dss, reproduce};
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
    reproduce(&dss::WORK, names, &mut simulator, None, extent).unwrap()
}

fn differ(done: &Reproduction) -> Vec<&str> {
    let differ = done
        .claims()
        .filter(|(_, claim)| matches!(claim.verdict, Verdict::Differs(_)));
    differ.map(|(_, claim)| &claim.text[..]).collect()
}

/// Of all bounds only that of the O(n) design is not reached, and sums of the table are those by hand.
#[test]
fn bounds_and_costs_are_as_published() {
    let walk = "A sorted queue has one adjustment less than there are domains: the design in O(n), which was measured";
    assert_eq!(differ(&done(&["bounds"])), [walk]);
    assert_eq!(differ(&done(&["cost-array"])), [""; 0]);
}

/// Sorted, two adjustments an epoch are a sixth of the switches of twelve tasks, whatever their order is.
#[test]
fn a_sorted_share_is_constant() {
    let done = done(&["share"]);
    let series = &done.experiments[0].figures[0].panels[0].series;
    let sorted = series
        .iter()
        .find(|it| it.name == "sorted (strict-walk)")
        .unwrap();
    for [high, part] in &sorted.points[1..12] {
        assert!((part - 100.0 / 6.0).abs() < 1.0, "{high} %: {part}");
    }
}
