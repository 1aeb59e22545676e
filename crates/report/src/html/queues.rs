//! Message queues: how full they were, how long messages and tasks waited, what sources and sinks lost, and how long
//! messages took through several queues.

use super::format::{Unit, cell, count};
use super::summary::name;
use crate::words;
use flyball_model::{End, TaskSet};
use flyball_study::results::PolicyReport;
use flyball_trace::Duration;
use flyball_trace::metrics::{QueueSummary, Spread};
use maud::{Markup, html};

/// A column of times: its title, what it tells, and of which times it is.
type Column = (
    &'static str,
    &'static str,
    fn(&QueueSummary) -> Option<Duration>,
);

/// Times of messages.
const TIMES: [Column; 5] = [
    (
        "Mean interval",
        "The mean time between two messages that were put in one after the other",
        |it| it.intervals.mean(),
    ),
    (
        "Interval’s deviation",
        "The standard deviation of the time between two messages that were put in one after the other",
        |it| it.intervals.deviation(),
    ),
    (
        "Mean delay",
        "The mean time that a message was in the queue",
        |it| it.delay.mean(),
    ),
    (
        "Delay’s deviation",
        "The standard deviation of the time that a message was in the queue",
        |it| it.delay.deviation(),
    ),
    (
        "Longest delay",
        "The longest time that a message was in the queue",
        |it| it.delay.max(),
    ),
];

/// The whole part of a policy's section; nothing where no queue was used.
pub(super) fn queues(set: &TaskSet, report: &PolicyReport, most: usize) -> Markup {
    let queues = &report.summary.queues;
    if queues.iter().all(QueueSummary::is_unused) {
        return html! {};
    }
    let lengths = queues.iter().flat_map(|it| {
        [
            it.intervals.mean(),
            it.delay.mean(),
            it.delay.max(),
            Some(it.stalled),
        ]
    });
    let unit = Unit::common(lengths.collect::<Vec<_>>());
    let columns =
        TIMES.map(|(title, help, of)| (title, help, of, unit.places(queues.iter().map(of))));
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
                @for (_, _, of, places) in &columns { (cell(of(it), unit, *places)) }
                (count(it.full_stalls))
                (count(it.empty_stalls()))
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
                    @for (title, help, ..) in &columns {
                        th.num scope="col" title=(help) { (title) ", " (unit.name) }
                    }
                    th.num scope="col" title="How often a task waited for room, as the queue was full" { "Stalls, full" }
                    th.num scope="col" title="How often a task waited for a message, as the queue was empty" { "Stalls, empty" }
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

/// What a column shows of a length of time.
type Of = fn(&Spread) -> Option<Duration>;

/// How long messages took through several queues; nothing where that is not known.
pub(super) fn paths(set: &TaskSet, report: &PolicyReport, most: usize) -> Markup {
    let paths = &report.summary.paths;
    let ends = |of: Of| paths.iter().map(move |it| of(&it.latency));
    let unit = Unit::common(ends(Spread::max).collect::<Vec<_>>());
    let columns = [
        ("Max", Spread::max as Of),
        ("Mean", Spread::mean),
        ("Deviation", Spread::deviation),
        ("Min", Spread::min),
    ];
    let columns = columns.map(|(title, of)| (title, of, unit.places(ends(of))));
    html! {
        @if !paths.is_empty() {
            h3 { "Latency of messages" }
            p.note { "From the entry of a message into the first queue until it leaves the last one. What a task makes of several messages counts from the first of these." }
            div.scroll tabindex="0" role="region" aria-label=(format!("Latency of messages under {}", name(report))) {
                table {
                    thead { tr {
                        th scope="col" { "Path" }
                        @for (title, ..) in &columns { th.num scope="col" { (title) ", " (unit.name) } }
                        th.num scope="col" title="How many messages left the last queue" { "Messages" }
                    } }
                    tbody {
                        @for path in paths.iter().take(most) {
                            tr {
                                th scope="row" {
                                    @for (number, queue) in words::queues(path, set).enumerate() {
                                        @if number > 0 { " → " }
                                        bdi { (queue) }
                                    }
                                }
                                @for (_, of, places) in &columns { (cell(of(&path.latency), unit, *places)) }
                                (count(path.latency.count()))
                            }
                        }
                    }
                }
            }
            @if paths.len() > most {
                p.note { "Shown are " (most) " of " (paths.len()) " paths." }
            }
        }
    }
}
