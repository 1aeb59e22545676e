//! A study as one HTML page that needs nothing else: no network, no server, no other file.
//!
//! ```text
//!  title, source, which scheduler holds it      summary
//!  a bar that stays: links and a filter         bar
//!  what a machine did, if one was asked         measured
//!  the task set, its platform                   taskset
//!  two schedules on one axis of time            compare
//!  for each policy: the verdict,                policy
//!    its tasks in numbers and bars,             policy, figures
//!    histograms of response times,              figures
//!    a chart to zoom into                       chart, data, and the scripts
//! ```
//!
//! The page is made by [maud](https://maud.lambda.xyz), whose templates escape whatever is put into
//! them; text is marked as safe in two places only, this page's own style and scripts, and the data
//! for the charts, which `data` makes safe itself. A content security policy forbids the page to
//! load anything.
//!
//! # Why the figures are not made by a charting crate
//!
//! `plotters` writes SVG with fixed colours and fonts in the attributes of each shape (its colours
//! are RGB values, there is no way to name a class). Such figures cannot follow the reader's choice
//! of a light or dark page, nor turn to ink on white when printed. The small figures here are a
//! path and a few lines each, so they are written as such, coloured by the page's style. The
//! schedule itself has too many parts for SVG and is drawn on a canvas.

mod bar;
mod chart;
mod compare;
mod data;
mod figures;
mod format;
mod measured;
mod policy;
mod queues;
mod reservations;
mod room;
mod speeds;
mod summary;
mod taskset;
mod views;

use crate::slices::Schedule;
pub(crate) use data::split;
use flyball_study::results::Study;
use flyball_trace::Time;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use policy::MOST_OPEN;
use room::Room;
use std::ops::Range;
pub(crate) use views::contains;

pub(crate) const STYLE: &str = include_str!("html/report.css");

/// The scripts, in the order in which they build on each other.
const SCRIPTS: [&str; 12] = [
    include_str!("html/time.js"),
    include_str!("html/schedule.js"),
    include_str!("html/parts.js"),
    include_str!("html/theme.js"),
    include_str!("html/frame.js"),
    include_str!("html/draw.js"),
    include_str!("html/tips.js"),
    include_str!("html/chart.js"),
    include_str!("html/gantt.js"),
    include_str!("html/compare.js"),
    include_str!("html/bar.js"),
    include_str!("html/page.js"),
];

/// Forbids the page to load anything from anywhere.
const CONTENT_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// What every page begins with: it needs nothing from anywhere else.
pub(crate) fn head(title: &str, styles: &[&str]) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta http-equiv="Content-Security-Policy" content=(CONTENT_POLICY);
            meta name="generator" content="Flyball";
            title { (title) " – Flyball" }
            style { @for style in styles { (PreEscaped(style)) } }
        }
    }
}

/// The study as an HTML page.
///
/// The size of the page is limited: of each schedule only so many slices are in it, and of very
/// large task sets only so many rows. The page says what it leaves out. O(n log n) in the events.
pub fn html(study: &Study) -> String {
    let title = summary::title(study);
    let room = Room::of(study);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, &[STYLE]))
            body {
                a.skip href="#summary" { "Skip to the summary" }
                header #top { (summary::header(study)) }
                (bar::nav(study))
                main {
                    (summary::section(study))
                    @if let Some(measured) = &study.measured { (measured::section(measured, room)) }
                    (taskset::section(study))
                    (compare::section(study))
                    @if study.policies.len() > MOST_OPEN { (open_all()) }
                    @for (number, report) in study.policies.iter().enumerate() {
                        (policy::section(study, number, report, room))
                    }
                }
                footer {
                    p { "Made by Flyball. All times are exact to the nanosecond: point at a rounded one to see it in full." }
                }
                (script())
            }
        }
    };
    page.into_string()
}

/// The schedule under one policy of a study, by its place there, as a page that has the report's chart and nothing else: for a
/// frame in a notebook. Nothing if there is no such policy.
pub fn schedule(study: &Study, number: usize) -> String {
    let Some(report) = study.policies.get(number) else {
        return String::new();
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&report.policy, &[STYLE, "body{padding:.5rem}"]))
            body { main { (policy::chart(study, number, &Schedule::of(&report.trace), Room::of(study))) } (script()) }
        }
    };
    page.into_string()
}

/// What a chart shows at first.
pub(crate) fn at_first(schedule: &Schedule) -> Range<Time> {
    let most = views::Most {
        slices: usize::MAX,
        marks: usize::MAX,
    };
    let views = views::views(schedule, schedule.first_trouble(), most);
    let first = views.into_iter().next();
    first.map_or(schedule.start..schedule.end, |view| view.initial)
}

/// Buttons for all policies at once, where there are so many that they are closed at first.
fn open_all() -> Markup {
    html! {
        p.toolbar.all data-script hidden {
            button type="button" data-open="all" { "Open all policies" }
            button type="button" data-open="none" { "Close all" }
            span.note { "What is closed is not printed." }
        }
    }
}

fn script() -> Markup {
    let mut script = String::from("(() => {\n\"use strict\";\n");
    script.extend(SCRIPTS);
    script.push_str("})();\n");
    html! { script { (PreEscaped(script)) } }
}

/// A short name for a link within the page. The number keeps names apart.
fn anchor(number: usize) -> String {
    format!("policy-{}", number + 1)
}
