//! What a machine did with the task set, beside the simulation of just that.

use super::chart::figure;
use super::data::Data;
use super::format::{Unit, cell, count, grouped, length, percent, short};
use super::room::Room;
use super::summary::notes;
use super::taskset::{MOST_ROWS, left_out};
use super::views::Most;
use crate::slices::Schedule;
use crate::words::parting;
use flyball_model::Cost;
use flyball_study::compare::{Difference, SideBySide};
use flyball_study::results::Measured;
use flyball_trace::file::Trace;
use flyball_trace::metrics::TaskSummary;
use flyball_trace::{Duration, Event, Time};
use maud::{Markup, html};

/// The whole section.
pub(super) fn section(measured: &Measured, room: Room) -> Markup {
    let names = |is: &dyn Fn(&SideBySide) -> bool| {
        let policies = measured.policies.iter();
        let policies = policies.filter(|(_, beside)| is(beside));
        let names: Vec<&str> = policies.map(|(policy, _)| policy.as_str()).collect();
        names.join(", ")
    };
    let is_same = SideBySide::is_same_order;
    let (same, others) = (names(&is_same), names(&|beside| !beside.agrees()));
    let hairs = names(&|beside| beside.agrees() && !is_same(beside));
    html! {
        section #measured aria-labelledby="measured-title" {
            h2 #measured-title { "Measured beside simulated" }
            p.answer {
                @if measured.policies.is_empty() {
                    "Nothing was measured."
                } @else if others.is_empty() && hairs.is_empty() {
                    strong { "The machine did what the simulation says." }
                    " Every event that was compared is the same, in the same order."
                } @else {
                    @if !others.is_empty() {
                        strong { "The machine took another way under " (others) "." }
                    }
                    @if !hairs.is_empty() {
                        " " strong { "Why it took another way under " (hairs) " is known: see below." }
                    }
                    @if !same.is_empty() { " The order of events is the same under " (same) "." }
                }
            }
            @if !others.is_empty() || !hairs.is_empty() {
                p.note {
                    "Where two things with different causes happen within some microseconds of each other, \
                     as at the very end of a turn, either may come first."
                }
            }
            p.note {
                "The kernel ran the task set on an " (measured.title) ". Then the same was simulated, with \
                 the overheads that the kernel was seen to spend there, and the two schedules were \
                 compared event by event: releases, dispatches, blocking, mutexes, misses, completions."
            }
            @if !measured.policies.is_empty() { (summary(measured)) }
            (notes(&measured.notes))
            @for (number, (policy, beside)) in measured.policies.iter().enumerate() {
                (details(number, policy, beside, room.most))
            }
        }
    }
}

fn summary(measured: &Measured) -> Markup {
    let mut policies = measured.policies.iter();
    let has_controllers = policies.any(|(_, beside)| !beside.overheads.control.is_free());
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby="measured-title" {
            table {
                thead { tr {
                    th scope="col" { "Policy" }
                    th scope="col" { "Order of events" }
                    th.num scope="col" title="Events that are the same, up to the first difference" { "Events" }
                    th.num scope="col" title="How long the machine ran" { "Ran" }
                    th.num scope="col" title="The largest difference between the instants at which a job was complete" { "Largest difference" }
                    th.num scope="col" title="Jobs for which that is more than 20 µs and more than 1 % of the response time" { "Notable" }
                    th.num scope="col" title="What the kernel was seen to spend on each release" { "Release" }
                    th.num scope="col" title="… on each call" { "Call" }
                    th.num scope="col" title="… on each decision" { "Scheduling" }
                    th.num scope="col" title="… on each change to another task" { "Switch" }
                    @if has_controllers {
                        th.num scope="col" title="… on each run of the policy's controllers" { "Controllers" }
                    }
                } }
                tbody {
                    @for (policy, beside) in &measured.policies {
                        @let comparison = &beside.comparison;
                        tr {
                            th scope="row" { bdi { (policy) } }
                            td { (same(beside)) }
                            (count(beside.agree() as u64))
                            td.num { (length(beside.measured.end().since(Time::ZERO))) }
                            td.num { (length(comparison.largest())) }
                            (count(comparison.notable()))
                            @for cost in costs(beside) { td.num { (length(cost)) } }
                            @if has_controllers { td.num { (length(control(beside))) } }
                        }
                    }
                }
            }
        }
    }
}

fn control(beside: &SideBySide) -> Duration {
    let tasks = beside.simulated.header.tasks.len();
    beside.overheads.control.at(tasks)
}

fn costs(beside: &SideBySide) -> [Duration; 4] {
    let overheads = &beside.overheads;
    let cost = |cost: &Cost| cost.at(beside.simulated.header.tasks.len());
    [
        cost(&overheads.release),
        cost(&overheads.call),
        cost(&overheads.scheduling),
        cost(&overheads.context_switch),
    ]
}

/// In a word and a symbol; the colour says the same once more.
fn same(beside: &SideBySide) -> Markup {
    let (class, path, text) = if beside.is_same_order() {
        ("yes", "M3.5 8.5l3 3 6-7", "The same")
    } else if beside.reason.is_some() {
        (
            "open",
            "M3 6.5q2.5-3 5 0t5 0M3 11q2.5-3 5 0t5 0",
            "By a hair",
        )
    } else {
        ("no", "M4 4l8 8M12 4l-8 8", "Differs")
    };
    html! {
        span.badge.(class) {
            svg viewBox="0 0 16 16" aria-hidden="true" { path d=(path) {} }
            (text)
        }
    }
}

/// One policy: its tasks, and both schedules.
fn details(number: usize, policy: &str, beside: &SideBySide, most: Most) -> Markup {
    let difference = beside.comparison.difference;
    html! {
        details open[difference.is_some()] {
            summary { bdi { (policy) } ": tasks and both schedules" }
            @if let Some(difference @ Difference { simulated, measured }) = difference {
                p.note {
                    "The schedules part here. Simulated: " (event(&simulated, &beside.simulated))
                    ". Measured: " (event(&measured, &beside.measured)) "."
                    @if let Some(reason) = beside.reason { " " (parting(reason)) }
                    @if let Some(hair) = beside.comparison.hair {
                        " In the simulation " (event(&hair.simulated[0], &beside.simulated)) " comes before "
                        (event(&hair.simulated[1], &beside.simulated)) ", and after it, "
                        (event(&hair.measured[1], &beside.measured)) ", on the machine."
                    } @else if let Some(apart) = difference.near().filter(|_| beside.reason.is_none()) {
                        " That is " (apart) " apart: so near to each other, things that do not cause each other "
                        "may come in any order."
                    }
                }
            }
            (tasks(policy, beside))
            (both(number, policy, beside, most))
        }
    }
}

/// An event in words, with the name of its task.
fn event(event: &Event, trace: &Trace) -> Markup {
    html! {
        (event.kind.name())
        @if let Some(name) = trace.header.name_of(event.kind) { " of " bdi { (name) } }
        " at " (event.time)
    }
}

fn tasks(policy: &str, beside: &SideBySide) -> Markup {
    let simulated = &beside.simulated_summary.tasks;
    let measured = &beside.measured_summary.tasks;
    let completions = &beside.comparison.completions;
    let slowest = |task: &TaskSummary| task.response.max();
    let slowest_of_all = || simulated.iter().chain(measured).map(slowest);
    let unit = Unit::common(slowest_of_all());
    let places = unit.places(slowest_of_all());
    let names = &beside.simulated.header.tasks;
    let rows = names
        .iter()
        .zip(completions)
        .zip(simulated.iter().zip(measured));
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Tasks on the machine under " (policy) } {
            table.tasks {
                thead {
                    tr {
                        th scope="col" rowspan="2" { "Task" }
                        th.num scope="col" rowspan="2" title="Jobs that were completed in both" { "Jobs" }
                        th.group scope="colgroup" colspan="2" { "Longest response, " (unit.name) }
                        th.group scope="colgroup" colspan="2" { "Misses" }
                        th.group scope="colgroup" colspan="2" { "Largest difference of completion" }
                    }
                    tr {
                        th.num scope="col" { "simulated" } th.num scope="col" { "measured" }
                        th.num scope="col" { "simulated" } th.num scope="col" { "measured" }
                        th.num scope="col" { "time" }
                        th.num scope="col" title="Of the measured response time" { "share" }
                    }
                }
                tbody {
                    @for ((info, sums), (simulated, measured)) in rows.take(MOST_ROWS) {
                        tr {
                            th scope="row" { bdi { (info.name) } }
                            (count(sums.jobs))
                            (cell(slowest(simulated), unit, places))
                            (cell(slowest(measured), unit, places))
                            (count(simulated.misses))
                            @if measured.misses > 0 {
                                td.num.bad { (grouped(measured.misses.into())) }
                            } @else { (count(0)) }
                            td.num.bad[sums.notable > 0] { (length(sums.largest)) }
                            td.num { (percent(sums.largest_ppm)) }
                        }
                    }
                }
            }
        }
        (left_out(names.len(), MOST_ROWS))
    }
}

/// Both schedules, around the first difference or from the start.
fn both(number: usize, policy: &str, beside: &SideBySide, most: Most) -> Markup {
    let focus = beside.comparison.difference;
    let focus = focus.map(|part| part.simulated.time.min(part.measured.time));
    let schedules = [&beside.simulated, &beside.measured].map(Schedule::of);
    let simulated = Data::new(&beside.simulated, &schedules[0], focus, most);
    let mut measured = Data::new(&beside.measured, &schedules[1], focus, most);
    // Both begin with the same stretch of time, to be compared at a glance.
    if let ([here, ..], [there, ..]) = (&mut measured.views[..], &simulated.views[..]) {
        let from = there.initial.start.max(here.window.start);
        let to = there.initial.end.min(here.window.end);
        if from < to {
            here.initial = from..to;
        }
    }
    let chart = |title: &str, word: &str, data: &Data<'_>| {
        let id = format!("measured-{}-{word}", number + 1);
        let label = format!("{title} schedule under {policy}");
        html! {
            h3 { (title) }
            (figure(&id, &label, data, &shown(data)))
        }
    };
    html! {
        (chart("Simulated", "simulated", &simulated))
        (chart("Measured", "measured", &measured))
    }
}

fn shown(data: &Data<'_>) -> Markup {
    let view = data.views.first();
    let length = view.map_or(Duration::ZERO, |view| {
        view.window.end.since(view.window.start)
    });
    html! { "Shown: the first " (short(length)) " of " (short(data.trace.end().since(Time::ZERO))) "." }
}
