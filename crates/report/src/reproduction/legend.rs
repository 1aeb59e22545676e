//! What explains the series of a figure: a row or more above its panels.

use super::curves::{Curves, Look};
use super::figure::{Figure, Series, Shape};
use super::scale;
use super::svg::{LEFT, ROW, WIDTH, class, line, px, shape};
use maud::{Markup, html};

/// How wide a sample is, with the space after it.
const SWATCH: f64 = 28.0;

/// One thing that the legend explains.
pub(super) struct Entry<'a> {
    series: &'a Series,
    look: Option<Look>,
    text: String,
    x: f64,
    pub(super) row: f64,
}

impl Entry<'_> {
    pub(super) fn draw(&self) -> Markup {
        let (x, y) = (self.x, self.row * ROW + 17.0);
        let class = class(self.series);
        html! {
            @match shape(self.series) {
                Shape::Line | Shape::Dashes | Shape::Dots | Shape::Steps => {
                    @let dashes = self.look.map_or("", Look::dashes);
                    path class={ (line(self.series.shape)) (dashes) " " (class) } d={ "M" (px(x)) " " (px(y - 4.0)) "h22" } {}
                    @if let Some(look) = self.look {
                        path class={ (look.class()) " " (class) } d=(look.signs([(x + 11.0, y - 4.0)])) {}
                    }
                }
                Shape::Points => {
                    g class={ "marks " (class) } { circle cx=(px(x + 9.0)) cy=(px(y - 4.0)) r="3" {} }
                }
                Shape::Area => {
                    path class={ "area " (class) } d={ "M" (px(x)) " " (px(y - 9.0)) "h18v9h-18Z" } {}
                }
                Shape::Bars => {
                    g class={ "bars " (class) } { rect x=(px(x + 3.0)) y=(px(y - 10.0)) width="12" height="11" {} }
                }
            }
            text.entry x=(px(x + SWATCH)) y=(px(y)) { (self.text) }
        }
    }
}

/// Every name once.
pub(super) fn legend<'a>(figure: &'a Figure, curves: &Curves<'a>) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let (mut x, mut row) = (LEFT, 0.0);
    for series in figure.panels.iter().flat_map(|panel| &panel.series) {
        let is_there = entries.iter().any(|entry| entry.series.name == series.name);
        let has_a_line = |other: &Series| other.name == series.name && other.shape != Shape::Area;
        let mut all = figure.panels.iter().flat_map(|panel| &panel.series);
        if is_there || series.shape == Shape::Area && all.any(has_a_line) {
            continue;
        }
        let text = match curves.same_as(series) {
            Some(other) => format!("{}, same as {other}", series.name),
            None => series.name.clone(),
        };
        let width = SWATCH + scale::width_of(&text) + 18.0;
        if x + width > WIDTH && x > LEFT {
            (x, row) = (LEFT, row + 1.0);
        }
        let look = curves.look(series);
        entries.push(Entry {
            series,
            look,
            text,
            x,
            row,
        });
        x += width;
    }
    entries
}
