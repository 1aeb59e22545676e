//! The overheads of EPOS, measured again: every claim has what a claim has to have. How long
//! anything takes depends on what else is at work, so no verdict is asserted.
#![cfg(target_arch = "x86_64")]

use flyball_measure::BenchError;
use flyball_measure::bench::Simulator;
use flyball_report::reproduction::Verdict;
use flyball_reproduce::{Extent, epos, reproduce};
use flyball_study::{Registry, StudyError};
use std::ops::ControlFlow;

#[test]
fn context_switches_are_measured_beside_the_published_ones() {
    let registry = Registry::standard();
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let mut simulator = Simulator::new(&registry, &mut watch);
    let done = reproduce(
        &epos::WORK,
        &["context-switch"],
        &mut simulator,
        None,
        Extent::default(),
    )
    .unwrap();
    let [experiment] = &done.experiments[..] else {
        panic!("{done:?}");
    };
    assert_eq!(experiment.claims.len(), 6);
    for claim in &experiment.claims {
        for text in [&claim.text, &claim.place, &claim.published, &claim.ours] {
            assert!(!text.trim().is_empty(), "{claim:?}");
        }
        let compared = !matches!(claim.verdict, Verdict::NotComparable(_));
        assert_eq!(compared, !claim.criterion.is_empty(), "{claim:?}");
        if let Some(reason) = claim.verdict.reason() {
            assert!(reason.len() > 10, "{claim:?}");
        }
    }
    // What is an absolute time of another machine is not compared.
    let absolute = &experiment.claims[..3];
    assert!(
        absolute
            .iter()
            .all(|claim| matches!(claim.verdict, Verdict::NotComparable(_)))
    );
    let figure = &experiment.figures[0];
    for panel in &figure.panels {
        for series in &panel.series {
            assert_eq!(series.points.len(), 7, "{}: {series:?}", panel.title);
        }
    }
}

#[test]
fn the_watcher_may_end_it() {
    let registry = Registry::standard();
    // The first call asks whether to begin at all.
    let mut calls = 0;
    let mut watch = |_: flyball_study::Progress<'_>| {
        calls += 1;
        if calls > 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut simulator = Simulator::new(&registry, &mut watch);
    let ended = reproduce(
        &epos::WORK,
        &["scheduling"],
        &mut simulator,
        None,
        Extent::default(),
    );
    assert!(
        matches!(ended, Err(BenchError::Lab(StudyError::Interrupted))),
        "{ended:?}"
    );
}
