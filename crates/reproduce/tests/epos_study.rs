//! The study of EPOS: a sample of each experiment; that it can be stopped, and goes on where it
//! was.

use flyball_measure::BenchError;
use flyball_measure::bench::Simulator;
use flyball_report::reproduction::{Reproduction, Role, Verdict};
use flyball_reproduce::{Extent, Size, epos_study, reproduce};
use flyball_study::{Registry, StudyError};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// Every claim found what it asks for.
fn complete(done: &Reproduction) {
    for (_, claim) in done.claims() {
        assert!(
            !claim.ours.contains("NaN") && !claim.ours.contains("inf"),
            "{claim:?}"
        );
    }
}

fn sample(only: &[&str], keep: Option<&Path>) -> Result<Reproduction, BenchError> {
    let registry = Registry::standard();
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let mut simulator = Simulator::new(&registry, &mut watch);
    let extent = Extent {
        size: Size::Sample,
        keep,
        ..Extent::default()
    };
    reproduce(&epos_study::WORK, only, &mut simulator, None, extent)
}

/// What does not depend on chance holds in a sample, too.
#[test]
fn eight_cpus_say_what_the_paper_says() {
    let done = sample(&["eight-cpus"], None).unwrap();
    complete(&done);
    let [experiment] = &done.experiments[..] else {
        panic!("one experiment")
    };
    assert_eq!(experiment.claims.len(), 28);
    let verdict = |text: &str| {
        let mut claims = experiment.claims.iter();
        let claim = claims.find(|claim| claim.text.contains(text));
        &claim.unwrap_or_else(|| panic!("{text}")).verdict
    };
    for text in [
        "P-EDF is better than G-EDF for all distributions",
        "Uniform heavy: G-EDF and P-EDF have the same",
        "G-EDF with EPOS is better than P-EDF with LITMUS^RT",
        "P-EDF with LITMUS^RT is worse than G-EDF",
        "Bimodal light has the biggest difference",
    ] {
        assert_eq!(*verdict(text), Verdict::Holds, "{text}");
    }
    for text in [
        "drops from 4.6",
        "drops from 3.8",
        "79 %",
        "about 25 %",
        "Baruah's test",
    ] {
        assert_eq!(verdict(text).name(), "not comparable", "{text}");
    }
    // Three periods, uniform and bimodal; and the other reading of the bimodal ones.
    assert_eq!(experiment.figures.len(), 7);
    assert!(
        experiment.figures[..6]
            .iter()
            .all(|figure| figure.panels.len() == 3)
    );
}

#[test]
fn cache_delays_are_weighted() {
    let done = sample(&["weighted"], None).unwrap();
    complete(&done);
    let experiment = &done.experiments[0];
    assert_eq!(experiment.claims.len(), 6);
    let names: Vec<_> = experiment
        .figures
        .iter()
        .map(|figure| figure.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "weighted-long-uniform",
            "weighted-short-uniform",
            "weighted-short-bimodal"
        ]
    );
    // More delay never makes more sets hold under partitioned EDF, nearly. Around each line is a
    // band, whose ends are the bounds of its first point.
    for series in experiment.figures[1]
        .panels
        .iter()
        .flat_map(|panel| &panel.series)
    {
        let [first, .., last] = &series.points[..] else {
            continue;
        };
        if series.role == flyball_report::reproduction::Role::Interval {
            assert!(first[1] < last[1], "{}", series.name);
            continue;
        }
        assert!(series.name == "G-EDF" || series.name == "P-EDF" || first[1] >= last[1]);
    }
}

#[test]
fn a_hundred_cpus_are_not_used_up() {
    let done = sample(&["hundred-cpus"], None).unwrap();
    let experiment = &done.experiments[0];
    assert_eq!(experiment.claims.len(), 4);
    assert_eq!(experiment.claims[1].verdict, Verdict::Holds);
    // What the paper left out accepts every set of light tasks.
    let both = &experiment.claims[3].ours;
    assert!(both.contains("1.000, 1.000, 1.000 with it"), "{both}");
    assert_eq!(experiment.figures.len(), 6);
}

/// Each test by itself, too: whatever one of a union accepts, the union does.
#[test]
fn each_test_has_a_curve_if_asked() {
    let registry = Registry::standard();
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let mut simulator = Simulator::new(&registry, &mut watch);
    let extent = Extent {
        size: Size::Sample,
        each_test: true,
        ..Extent::default()
    };
    let only = &["hundred-cpus"];
    let done = reproduce(&epos_study::WORK, only, &mut simulator, None, extent).unwrap();
    let figures = &done.experiments[0].figures;
    let panel = &figures[0].panels[1];
    let curve = |name: &str| {
        let mut all = panel.series.iter();
        let found = all.find(|series| series.name == name);
        let found = found.unwrap_or_else(|| panic!("there is no curve of {name}"));
        found.points.iter().map(|point| point[1]).sum::<f64>()
    };
    for test in ["GFB", "BAK", "BAK05", "BCL", "LOAD", "RTA", "FFDBF"] {
        assert!(curve(test) <= curve("G-EDF"), "{test}");
    }
    assert!(curve("FFD") <= curve("P-EDF"));
}

/// Some panels of a figure have curves that others have not. The legend is one for all.
#[test]
fn a_name_has_one_look_in_all_panels() {
    let done = sample(&["weighted", "hundred-cpus"], None).unwrap();
    let figures = done.experiments.iter().flat_map(|one| &one.figures);
    let mut shared = 0;
    for figure in figures {
        let mut looks = BTreeMap::new();
        for series in figure.panels.iter().flat_map(|panel| &panel.series) {
            if series.role == Role::Interval {
                continue;
            }
            let look = (series.colour, series.shape);
            let before = *looks.entry(&series.name).or_insert(look);
            assert_eq!(before, look, "{}: {}", figure.name, series.name);
            shared += 1;
        }
        let mut colours: Vec<_> = looks.values().map(|look| look.0).collect();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), looks.len(), "{}: {looks:?}", figure.name);
        // A shade has its line's colour.
        for series in figure.panels.iter().flat_map(|panel| &panel.series) {
            assert_eq!(series.colour, looks[&series.name].0);
        }
    }
    assert!(shared > 50, "{shared}");
}

#[test]
fn it_can_be_stopped() {
    let registry = Registry::standard();
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Break(());
    let mut simulator = Simulator::new(&registry, &mut watch);
    let ended = reproduce(
        &epos_study::WORK,
        &[],
        &mut simulator,
        None,
        Extent::default(),
    );
    assert!(matches!(
        ended,
        Err(BenchError::Lab(StudyError::Interrupted))
    ));
}

/// Results that are kept are those that are used.
#[test]
fn what_was_found_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let first = sample(&["weighted"], Some(folder.path())).unwrap();
    assert!(folder.path().join("weighted-light/study.toml").exists());
    let again = sample(&["weighted"], Some(folder.path())).unwrap();
    assert_eq!(first, again);
    assert_eq!(first, sample(&["weighted"], None).unwrap());
}
