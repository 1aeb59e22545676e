//! Message queues: how full they were, how long messages and tasks waited, and what sources and sinks lost.

use super::format::{Unit, cell, count};
use super::summary::name;
use flyball_model::{End, TaskSet};
use flyball_study::results::PolicyReport;
use flyball_trace::Duration;
use flyball_trace::metrics::{QueueSummary, Spread};
use maud::{Markup, html};

/// What a column shows of a length of time.
type Of = fn(&Spread) -> Option<Duration>;

/// The whole part of a policy's section; nothing where no queue was used.
pub(super) fn queues(set: &TaskSet, report: &PolicyReport, most: usize) -> Markup {
    let queues = &report.summary.queues;
    if queues.iter().all(QueueSummary::is_unused) {
        return html! {};
    }
    let delays = [
        ("mean delay", Spread::mean as Of),
        ("longest delay", Spread::max),
    ];
    let lengths = queues
        .iter()
        .flat_map(|it| [it.delay.mean(), it.delay.max(), Some(it.stalled)]);
    let unit = Unit::common(lengths.collect::<Vec<_>>());
    let columns = delays.map(|(title, of)| {
        let values = queues.iter().map(|it| of(&it.delay));
        (title, of, unit.places(values))
    });
    let stalled = unit.places(queues.iter().map(|it| Some(it.stalled)));
    let has = |end| set.endpoints.iter().any(|it| it.end == end);
    let (has_sources, has_sinks) = (has(End::Source), has(End::Sink));
    let row = |number: usize, it: &QueueSummary| {
        let queue = set.queues.get(number);
        html! {
            tr {
                th scope="row" { bdi { (queue.map_or("", |it| &it.name)) } }
                (count(queue.map_or(0, |it| it.capacity.into())))
                (count(it.highest.into()))
                (count(it.put))
                @if has_sources { (count(it.lost)) }
                @if has_sinks { (count(it.missing)) }
                @for (_, of, places) in &columns { (cell(of(&it.delay), unit, *places)) }
                (count(it.stalls))
                (cell(Some(it.stalled), unit, stalled))
            }
        }
    };
    html! {
        h3 { "Queues" }
        div.scroll tabindex="0" role="region" aria-label=(format!("Queues under {}", name(report))) {
            table {
                thead { tr {
                    th scope="col" { "Queue" }
                    th.num scope="col" title="How many messages it can hold" { "Capacity" }
                    th.num scope="col" title="The most messages that it held" { "Most" }
                    th.num scope="col" title="How many messages were put in" { "Messages" }
                    @if has_sources { th.num scope="col" title="Messages that a source had no room for" { "Lost" } }
                    @if has_sinks { th.num scope="col" title="Messages that a sink did not find" { "Missing" } }
                    @for (title, ..) in &columns {
                        th.num scope="col" title={ "The " (title) " of a message in the queue" } { (upper(title)) ", " (unit.name) }
                    }
                    th.num scope="col" title="How often a task waited for a message, or for room for one" { "Stalls" }
                    th.num scope="col" title="For how long tasks waited so, all together" { "Stalled, " (unit.name) }
                } }
                tbody {
                    @for (number, it) in queues.iter().enumerate().take(most) { (row(number, it)) }
                }
            }
        }
        @if queues.len() > most {
            p.note { "Shown are " (most) " of " (queues.len()) " queues." }
        }
    }
}

/// A title with a capital at its beginning.
fn upper(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
