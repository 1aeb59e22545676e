//! Figures as PNG: every letter of the published works' figures is in the font, and a legend tells
//! curves apart. (`reproduce.rs`, `sweep.rs` and `overheads.rs` ask the command for pictures.)

use flyball::Registry;
use flyball::measure::bench::Simulator;
use flyball::report::reproduction::{Figure, Role, Series};
use flyball::reproduce::{Extent, Size, Work, epos, epos_study, reproduce};
use flyball_raster::{Renderer, Scale};
use std::ops::ControlFlow;

fn figures(work: &Work, only: &[&str]) -> Vec<Figure> {
    let registry = Registry::standard();
    let mut watch = |_: flyball::study::Progress<'_>| ControlFlow::Continue(());
    let mut simulator = Simulator::new(&registry, &mut watch);
    let extent = Extent {
        size: Size::Sample,
        each_test: true,
        ..Extent::default()
    };
    let done = reproduce(work, only, &mut simulator, None, extent).unwrap();
    let figures = done.experiments.into_iter().map(|one| one.figures);
    figures.flatten().collect()
}

/// No letter is a box, and what looks the same is the same.
fn can_be_drawn(figures: &[Figure]) {
    assert!(!figures.is_empty());
    let renderer = Renderer::new();
    for figure in figures {
        let picture = renderer.draw(figure, Scale::LEAST).unwrap();
        assert!(
            picture.missing.is_empty(),
            "{}: {:?}",
            figure.name,
            picture.missing
        );
        let mut looks: Vec<(_, &str)> = Vec::new();
        for series in figure.panels.iter().flat_map(|panel| &panel.series) {
            // What is published is in ink.
            if series.role == Role::Ours {
                looks.push((
                    (series.colour % Series::COLOURS, series.shape),
                    &series.name,
                ));
            }
        }
        for (look, name) in &looks {
            let same = looks.iter().find(|(other, _)| other == look);
            assert_eq!(same.map(|(_, name)| name), Some(name), "{}", figure.name);
        }
    }
}

#[test]
fn the_study_of_epos_has_letters_that_the_font_has() {
    can_be_drawn(&figures(&epos_study::WORK, &[]));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_overheads_of_epos_have_letters_that_the_font_has() {
    can_be_drawn(&figures(&epos::WORK, &[]));
}
