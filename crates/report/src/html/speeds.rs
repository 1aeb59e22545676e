//! Frequency and energy: at which operating points CPUs ran, and what energy that took.

use super::format::{Unit, cell, count, percent};
use super::summary::name;
use crate::words;
use flyball_model::Speeds;
use flyball_study::results::{CpuSpeeds, Energy, PolicyReport, SpeedUse};
use flyball_trace::{Duration, TaskId};
use maud::{Markup, html};

/// The whole part of a policy's section; nothing where there are no operating points.
pub(super) fn speeds(speeds: Option<&Speeds>, report: &PolicyReport, most: usize) -> Markup {
    let (Some(speeds), Some(used)) = (speeds, &report.speeds) else {
        return html! {};
    };
    html! {
        h3 { "Frequency and energy" }
        p.note { (words::speeds(used, &report.simulated)) "." }
        (points(speeds, used, report))
        @if used.energy().is_some() { (energies(used, report, most)) }
    }
}

/// How long each CPU was at each point.
fn points(speeds: &Speeds, used: &SpeedUse, report: &PolicyReport) -> Markup {
    let times = used.cpus.iter().flat_map(|cpu| &cpu.at).copied().map(Some);
    let unit = Unit::common(times.clone());
    let places = unit.places(times);
    let share = |time: Duration, cpu: &CpuSpeeds| {
        let all: Duration = cpu.at.iter().copied().sum();
        words::part_ppm(time, all)
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("Time at each operating point under {}", name(report))) {
            table {
                thead { tr {
                    th scope="col" { "CPU" }
                    @for frequency in speeds.frequencies() {
                        th.num scope="col" { (frequency.to_string()) ", " (unit.name) }
                        th.num scope="col" title="Part of the time at this frequency" { "Part" }
                    }
                    th.num scope="col" title="How often it went over to another frequency" { "Changes" }
                } }
                tbody {
                    @for (number, cpu) in used.cpus.iter().enumerate() {
                        tr {
                            th scope="row" { (number) }
                            @for &at in &cpu.at {
                                (cell(Some(at), unit, places))
                                td.num { (percent(share(at, cpu))) }
                            }
                            (count(cpu.adjustments))
                        }
                    }
                }
            }
        }
    }
}

/// What energy each task took, the kernel and idling.
fn energies(used: &SpeedUse, report: &PolicyReport, most: usize) -> Markup {
    let of = |part: fn(&CpuSpeeds) -> Option<Energy>| used.cpus.iter().filter_map(part).sum();
    let (kernel, idle): (Energy, Energy) = (of(|cpu| cpu.kernel), of(|cpu| cpu.idle));
    let all = used.energy().map_or(Energy::default(), |(_, all)| all);
    let row = |title: Markup, energy: Energy| {
        html! {
            tr {
                th scope="row" { (title) }
                td.num { (energy.to_string()) }
                td.num { (percent(energy.part_ppm(all))) }
            }
        }
    };
    let task = |number: usize| used.of_task(TaskId::from_index(number));
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("Energy under {}", name(report))) {
            table {
                thead { tr {
                    th scope="col" { "Energy of" }
                    th.num scope="col" { "Energy" }
                    th.num scope="col" title="Part of all energy" { "Part" }
                } }
                tbody {
                    @for (number, it) in report.tasks.iter().enumerate().take(most) {
                        (row(html! { bdi { (it.name) } }, task(number)))
                    }
                    (row(html! { "the kernel" }, kernel))
                    (row(html! { "idling" }, idle))
                    (row(html! { b { "all" } }, all))
                }
            }
        }
        @if report.tasks.len() > most {
            p.note { "Shown are " (most) " of " (report.tasks.len()) " tasks." }
        }
    }
}
