//! Small figures: a bar for each task, and the distribution of its response times.
//!
//! They are SVG in the page itself, so that its style colours them. All coordinates are computed in
//! whole tenths of a pixel.

use super::format::{Unit, counted, short};
use crate::axis::round_step;
use flyball_study::results::{PolicyReport, Study, TaskReport};
use flyball_trace::Duration;
use maud::{Markup, html};
use std::fmt::Write;

/// Bars of a histogram.
const BINS: usize = 44;

/// A part of a stretch of the screen, `width` tenths of a pixel wide, that stands for `whole`.
fn tenths(part: Duration, whole: Duration, width: u64) -> u64 {
    let whole = u128::from(whole.as_nanos()).max(1);
    let tenths = u128::from(part.as_nanos()) * u128::from(width) / whole;
    u64::try_from(tenths).unwrap_or(u64::MAX).min(width)
}

/// Tenths of a pixel as SVG writes them.
fn px(tenths: u64) -> String {
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    }
}

/// Longest and mean response time and the bound, against the deadline.
pub(super) fn bar(task: &TaskReport, deadline: Option<Duration>) -> Markup {
    const WIDTH: u64 = 1480;
    let response = &task.measured.response;
    let max = response.max().unwrap_or_default();
    let bound = task.response_bound.filter(|&bound| bound < Duration::MAX);
    // What is beyond twice the deadline leaves the picture: the rest would be too small otherwise.
    let most = max.max(bound.unwrap_or_default());
    let whole = match deadline {
        Some(deadline) => most.min(deadline * 2).max(deadline),
        None => most,
    };
    let whole = Duration::from_nanos(
        whole
            .as_nanos()
            .saturating_add(whole.as_nanos() / 12)
            .max(1),
    );
    let at = |length| tenths(length, whole, WIDTH);
    let in_time = deadline.map_or(max, |deadline| max.min(deadline));
    let label = match deadline {
        Some(deadline) => format!("longest response {} of {}", short(max), short(deadline)),
        None => format!("longest response {}", short(max)),
    };
    html! {
        svg.bar viewBox="0 0 148 16" width="148" height="16" role="img" aria-label=(label) {
            @if let Some(deadline) = deadline { rect.track y="3" height="10" width=(px(at(deadline))) {} }
            rect.max y="3" height="10" width=(px(at(in_time))) {}
            @if max > in_time {
                rect.late y="3" height="10" x=(px(at(in_time))) width=(px(at(max) - at(in_time))) {}
            }
            @if let Some(mean) = response.mean() {
                rect.mean x=(px(at(mean).saturating_sub(7))) y="5" height="6" width="1.5" {}
            }
            @if let Some(bound) = bound {
                path.bound d={ "M" (px(at(max.min(bound)))) " 8H" (px(at(bound))) "M" (px(at(bound))) " 4v8" } {}
            }
            @if let Some(deadline) = deadline {
                path.deadline d={ "M" (px(at(deadline))) " 0v16" } {}
            }
        }
    }
}

/// The distributions of tasks' response times, side by side: of all of them, or of so many that come
/// closest to their deadlines.
pub(super) fn histograms(study: &Study, report: &PolicyReport, most: usize) -> Markup {
    let deadline = |number: usize| study.set.tasks.get(number).and_then(|task| task.deadline);
    let with_jobs = |(_, task): &(usize, &TaskReport)| task.measured.response.count() > 0;
    let mut tasks: Vec<_> = report.tasks.iter().enumerate().filter(with_jobs).collect();
    let all = tasks.len();
    if all > most {
        let closeness = |&(number, task): &(usize, &TaskReport)| {
            let max = task.measured.response.max().unwrap_or_default();
            deadline(number).map_or(0, |deadline| tenths(max, deadline * 2, 1 << 20))
        };
        tasks.sort_by_key(|task| std::cmp::Reverse(closeness(task)));
        tasks.truncate(most);
    }
    html! {
        @if all > 0 {
            details.histograms open[all <= 24] {
                summary { h3 { "Distribution of response times" } }
                div.multiples {
                    @for (number, task) in tasks { (histogram(task, deadline(number))) }
                }
                p.legend {
                    span { i.key.deadline {} "D deadline" }
                    @if report.tasks.iter().any(|task| task.response_bound.is_some()) {
                        span { i.key.bound {} "B bound by analysis" }
                    }
                    @if all > most {
                        span { "the " (most) " of " (all) " tasks that come closest to their deadlines" }
                    }
                }
            }
        }
    }
}

fn histogram(task: &TaskReport, deadline: Option<Duration>) -> Markup {
    const LEFT: u64 = 60;
    const WIDTH: u64 = 2200;
    const TOP: u64 = 220;
    const HEIGHT: u64 = 600;
    let response = &task.measured.response;
    let (Some(min), Some(max)) = (response.min(), response.max()) else {
        return html! {};
    };
    // A deadline or a bound far to the right would squeeze the distribution into a corner; it is
    // then named at the edge.
    let near = |length: &Duration| *length <= max * 3;
    let bound = task.response_bound.filter(|&bound| bound < Duration::MAX);
    let shown = [Some(max), bound.filter(near), deadline.filter(near)];
    let end = shown.into_iter().flatten().max().unwrap_or(max).as_nanos();
    let end = Duration::from_nanos(end.saturating_add(end / 16).max(1));
    let at = |length| LEFT + tenths(length, end, WIDTH);
    let counts = response.bins(BINS, end);
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let mut bars = String::new();
    for (bin, &count) in (0_u64..).zip(&counts).filter(|(_, count)| **count > 0) {
        // The style makes the line as wide as a bar.
        let x = LEFT + (2 * bin + 1) * WIDTH / (2 * BINS as u64);
        let height = u128::from(count) * u128::from(HEIGHT) / u128::from(most);
        let height = u64::try_from(height).unwrap_or(HEIGHT).max(10);
        // Writing to a string cannot fail.
        let _ = write!(
            bars,
            "M{} {}v{}",
            px(x),
            px(TOP + HEIGHT - height),
            px(height)
        );
    }
    let base = px(TOP + HEIGHT);
    let ticks = ticks(end);
    let jobs = counted(response.count(), "job");
    let label = format!("{jobs}, from {} to {}", short(min), short(max));
    html! {
        figure.histogram {
            figcaption { bdi title=(task.name) { (task.name) } span { (jobs) } }
            svg viewBox="0 0 240 102" role="img" aria-label=(label) {
                path.bars d=(bars) {}
                path.axis d={ "M" (px(LEFT)) " " (base) "h" (px(WIDTH)) } {}
                @for (time, text) in &ticks {
                    path.axis d={ "M" (px(at(*time))) " " (base) "v3" } {}
                    text x=(px(at(*time))) y="95" text-anchor="middle" { (text) }
                }
                (line("bound", "B", bound, near, &at))
                (line("deadline", "D", deadline, near, &at))
            }
        }
    }
}

/// A vertical line with its letter, or a hint at the edge that it lies beyond.
fn line(
    class: &str,
    letter: &str,
    time: Option<Duration>,
    near: impl Fn(&Duration) -> bool,
    at: &impl Fn(Duration) -> u64,
) -> Markup {
    // Two letters beside each other, should the lines be at the same place.
    let y = if class == "bound" { "8" } else { "18" };
    html! {
        @match time {
            Some(time) if near(&time) => {
                path.(class) d={ "M" (px(at(time))) " 2V82" } {}
                text.(class) x=(px(at(time).saturating_sub(20))) y=(y) text-anchor="end" { (letter) }
            }
            Some(time) => {
                text.(class) x="6" y=(y) { (class) " " (short(time)) " →" }
            }
            None => {}
        }
    }
}

/// A few round times and what to write below them; the last one has the unit.
fn ticks(end: Duration) -> Vec<(Duration, String)> {
    let step = round_step(end, 5);
    let times: Vec<_> = (0..=end / step).map(|number| step * number).collect();
    let unit = Unit::within(end);
    let places = unit.places([Some(step)]);
    let last = times.len().saturating_sub(1);
    let text = |(number, time): (usize, Duration)| {
        let text = match time {
            Duration::ZERO => "0".to_owned(),
            time => unit.number(time, places),
        };
        let name = if number == last { unit.name } else { "" };
        (time, format!("{text} {name}").trim_end().to_owned())
    };
    times.into_iter().enumerate().map(text).collect()
}
