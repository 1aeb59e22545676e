//! Where texts are.

use super::*;
use flyball_report::reproduction::{Axis, Panel, Series, Shape};
use resvg::usvg::{Rect, TextChunk};

fn rising(name: &str, shape: Shape, colour: u8) -> Series {
    let points = [[0.0, 0.1], [1.0, 0.4], [2.0, 0.9]];
    Series::ours(name, shape, colour, points.to_vec())
}

fn panel(title: &str, series: Vec<Series>) -> Panel {
    Panel {
        title: title.into(),
        y: Axis::numbers("accepted"),
        series,
    }
}

/// Where the texts in a picture are, at the SVG's size.
fn texts(figure: &Figure) -> Vec<(String, Rect)> {
    fn look(group: &Group, found: &mut Vec<(String, Rect)>) {
        for node in group.children() {
            match node {
                Node::Group(group) => look(group, found),
                Node::Text(text) => {
                    let text_of = text.chunks().iter().map(TextChunk::text);
                    found.push((text_of.collect(), text.flattened().abs_bounding_box()));
                }
                _ => {}
            }
        }
    }
    let tree = Renderer::new().tree(figure).unwrap();
    let mut found = Vec::new();
    look(tree.root(), &mut found);
    found
}

/// Texts are beside each other, in capitals as in small letters, and none is cut off.
#[test]
fn no_text_is_on_another() {
    let names = [
        "RTA-LC + BRANDENBURG",
        "G-EDF WITH BAR + LITMUS",
        "illicit, little",
        "MAXIMUM MMMM WWWW",
        "P-EDF + 0.5 MB (100 %)",
        "≤ β × Σ, µs",
    ];
    let series = names.iter().cycle().take(13).zip(0..);
    let series = series.map(|(name, n)| rising(&format!("{name} {n}"), Shape::Line, n));
    let mut bars = rising("bars", Shape::Bars, 2);
    bars.points = vec![[0.0, 100_000.0], [1.0, 12_345.0], [2.0, 0.001]];
    let crowded = Figure {
        name: "a-figure".into(),
        title: "A figure".into(),
        caption: String::new(),
        x: Axis::categories("cap (CPUs)", ["a", "few", "CPUs"]),
        panels: vec![
            panel("THE FIRST OF TWO PANELS", series.collect()),
            panel("the second", vec![bars]),
        ],
    };
    let found = texts(&crowded);
    let is_there = |text: &str| found.iter().any(|(other, _)| other == text);
    assert!(is_there(
        "illicit, little 2, same as RTA-LC + BRANDENBURG 0"
    ));
    assert!(is_there("1.5e5") && is_there("cap (CPUs)"));
    let height = Renderer::new().tree(&crowded).unwrap().size().height();
    for (n, (text, place)) in found.iter().enumerate() {
        assert!(
            place.left() >= 0.0 && place.top() >= 0.0,
            "{text}: {place:?}"
        );
        assert!(
            place.right() <= 880.0 && place.bottom() <= height,
            "{text}: {place:?}"
        );
        for (other, there) in &found[n + 1..] {
            let apart = place.right() <= there.left()
                || there.right() <= place.left()
                || place.bottom() <= there.top()
                || there.bottom() <= place.top();
            assert!(apart, "{text} and {other}: {place:?}, {there:?}");
        }
    }
}
