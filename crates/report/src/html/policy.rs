//! What became of the task set under one policy.

use super::anchor;
use super::chart::figure;
use super::data::Data;
use super::figures::{bar, histograms};
use super::format::{Unit, cell, count, counted, grouped, length, short};
use super::queues::{paths, queues};
use super::reservations::reservations;
use super::room::Room;
use super::speeds::speeds;
use super::summary::{badge, key, name, notes, verdict};
use super::taskset::left_out;
use crate::slices::{Mark, Schedule, What};
use crate::words;
use flyball_study::results::{PolicyReport, Study, TaskReport};
use flyball_trace::metrics::Spread;
use flyball_trace::{Duration, TaskId, Time};
use maud::{Markup, html};

/// Up to so many policies are shown in full at once; of more, those that the reader opens.
pub(super) const MOST_OPEN: usize = 4;
/// Misses that are listed one by one.
const MOST_MISSES: usize = 10;

/// The whole section.
pub(super) fn section(study: &Study, number: usize, report: &PolicyReport, room: Room) -> Markup {
    let schedule = Schedule::of(&report.trace);
    let id = anchor(number);
    let title = format!("{id}-title");
    let is_open = study.policies.len() <= MOST_OPEN;
    html! {
        section.policy id=(id) aria-labelledby=(title) data-policy=(words(report)) data-verdict=(key(&report.verdict)) {
            details open[is_open] {
                summary {
                    h2 id=(title) {
                        bdi { (name(report)) }
                        @if !report.title.is_empty() { " " code { bdi { (report.policy) } } }
                    }
                    (badge(&report.verdict))
                }
                p.verdict {
                    (verdict(&report.verdict))
                }
                p.facts {
                    span { "simulated " (length(report.simulated.until)) }
                    span { (counted(report.simulated.jobs, "job")) }
                    span { (counted(report.simulated.preemptions, "preemption")) }
                    span { (grouped(report.simulated.context_switches.into())) " context switches" }
                    @if let Some(changes) = report.simulated.group_changes {
                        span { (grouped(changes.into())) " changes of group" }
                    }
                    @if study.cpus > 1 {
                        span { (counted(report.summary.job_migrations(), "job migration")) }
                        span { (counted(report.summary.task_migrations(), "task migration")) }
                    }
                    @for (key, value) in &report.settings { span { bdi { (key) } " " bdi { (value) } } }
                }
                (notes(&report.notes))
                (table(study, report, room.rows))
                (chains(report, room.rows))
                (queues(&study.set, report, room.rows))
                (paths(&study.set, report, room.rows))
                (reservations(report, room.rows))
                (speeds(study.set.platform.speeds.as_ref(), report, room.rows))
                (misses(report, &schedule))
                (histograms(study, report, room.histograms))
                h3 { "Schedule" }
                (chart(study, number, &schedule, room))
                p.back { a href="#summary" { "Back to the summary" } }
            }
        }
    }
}

/// The chart of a policy's schedule.
pub(super) fn chart(study: &Study, number: usize, schedule: &Schedule, room: Room) -> Markup {
    let report = &study.policies[number];
    let data = Data::new(&report.trace, schedule, None, room.most)
        .with_speeds(study.set.platform.speeds.as_ref());
    let label = format!("Schedule under {}", name(report));
    figure(&chart_id(number), &label, &data, &shown(report, &data))
}

/// The id of a policy's chart.
pub(super) fn chart_id(number: usize) -> String {
    format!("{}-chart", anchor(number))
}

/// What a filter by name looks at.
pub(super) fn words(report: &PolicyReport) -> String {
    format!("{} {}", report.policy, report.title)
}

/// The columns with times, by group: each has its meaning and how to find it.
type Column = (
    &'static str,
    &'static str,
    fn(&TaskReport) -> Option<Duration>,
);

const RESPONSE: [Column; 5] = [
    (
        "Bound",
        "No job can take longer from release to completion, says the analysis",
        |task| task.response_bound,
    ),
    (
        "Max",
        "The longest response time in the simulation",
        |task| task.measured.response.max(),
    ),
    ("Mean", "The mean response time in the simulation", |task| {
        task.measured.response.mean()
    }),
    (
        "Min",
        "The shortest response time in the simulation",
        |task| task.measured.response.min(),
    ),
    (
        "Jitter",
        "The longest response time less the shortest",
        |task| task.measured.response.jitter(),
    ),
];

const REST: [Column; 4] = [
    (
        "Slack",
        "By how much the task’s worst-case execution time alone may grow",
        |task| task.slack,
    ),
    ("Tardiness", "The longest delay after a deadline", |task| {
        (task.measured.misses > 0).then_some(task.measured.tardiness_max)
    }),
    (
        "Start",
        "The longest time from release to first dispatch",
        |task| task.measured.start_latency.max(),
    ),
    (
        "CPU time",
        "CPU time used in the whole simulation",
        |task| Some(task.measured.cpu_time),
    ),
];

fn table(study: &Study, report: &PolicyReport, most: usize) -> Markup {
    let deadline = |number: usize| study.set.tasks.get(number).and_then(|task| task.deadline);
    let deadlines = (0..report.tasks.len()).map(deadline);
    let mut times: Vec<_> = deadlines.clone().collect();
    for task in &report.tasks {
        // Means and CPU time are sums over many jobs; they do not decide about the unit.
        times.extend([task.response_bound, task.measured.response.max()]);
    }
    let unit = Unit::common(times);
    let deadline_places = unit.places(deadlines);
    let places = |of: fn(&TaskReport) -> Option<Duration>| unit.places(report.tasks.iter().map(of));
    let known = |column: &&Column| report.tasks.iter().any(|task| column.2(task).is_some());
    let columns = |list: &[Column]| -> Vec<_> {
        let known = list.iter().filter(known);
        known
            .map(|&(title, help, of)| (title, help, of, places(of)))
            .collect()
    };
    let (response, rest) = (columns(&RESPONSE), columns(&REST));
    let label = format!("Tasks under {}", name(report));
    // What a task asks for that goes on without end is what it gets.
    let has_endless = study.set.tasks.iter().any(words::is_endless);
    let until = report.simulated.until;
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table.tasks {
                thead {
                    tr {
                        th scope="col" rowspan="2" { "Task" }
                        th.num scope="col" rowspan="2" { "Deadline, " (unit.name) }
                        th scope="col" rowspan="2" { "Response against deadline" }
                        @if !response.is_empty() { th.group scope="colgroup" colspan=(response.len()) { "Response time, " (unit.name) } }
                        th.num scope="col" rowspan="2" title="Deadlines missed" { "Misses" }
                        @for (title, help, ..) in &rest {
                            th.num scope="col" rowspan="2" title=(help) { (title) ", " (unit.name) }
                        }
                        @if has_endless {
                            th.num scope="col" rowspan="2" title="The part of one CPU that it used in the whole simulation" { "CPU" }
                        }
                        th.num scope="col" rowspan="2" title="How often a job lost the CPU to another one" { "Preemptions" }
                        @if study.cpus > 1 {
                            th.num scope="col" rowspan="2" title="How often a job went on on another CPU than the one where it had run last; and how often a job began on another CPU than the job before it" { "Migrations of jobs; of the task" }
                        }
                        th.num scope="col" rowspan="2" title="Jobs completed" { "Jobs" }
                    }
                    tr { @for (title, help, ..) in &response { th.num scope="col" title=(help) { (title) } } }
                }
                tbody {
                    @for (number, task) in rows(report, most) {
                        tr.missed[task.measured.misses > 0] {
                            th scope="row" { bdi { (task.name) } }
                            (cell(deadline(number), unit, deadline_places))
                            td.bar { (bar(task, deadline(number))) }
                            @for (_, _, of, places) in &response { (cell(of(task), unit, *places)) }
                            @if task.measured.misses > 0 {
                                td.num.bad { (grouped(task.measured.misses.into())) }
                            } @else { (count(0)) }
                            @for (_, _, of, places) in &rest { (cell(of(task), unit, *places)) }
                            @if has_endless {
                                @if until.is_zero() { td.num.none { "–" } } @else {
                                    td.num { (words::tenths(words::part_ppm(task.measured.cpu_time, until))) }
                                }
                            }
                            (count(task.measured.preemptions))
                            @if study.cpus > 1 {
                                td.num {
                                    (grouped(task.measured.job_migrations.into())) "; "
                                    (grouped(task.measured.task_migrations.into()))
                                }
                            }
                            (count(task.measured.completed))
                        }
                    }
                }
            }
        }
        p.legend {
            span { i.key.max {} "longest response" }
            @if report.simulated.misses > 0 { span { i.key.late {} "beyond the deadline" } }
            span { i.key.mean {} "mean" }
            @if report.tasks.iter().any(|task| task.response_bound.is_some()) {
                span { i.key.bound {} "bound by analysis" }
            }
            span { i.key.deadline {} "deadline" }
        }
        (left_out(report.tasks.len(), most))
    }
}

/// What a column shows of a length of time.
type Of = fn(&Spread) -> Option<Duration>;

/// How long chains of jobs took that release each other.
fn chains(report: &PolicyReport, most: usize) -> Markup {
    let chains = &report.summary.chains;
    let ends = |of: Of| chains.iter().map(move |it| of(&it.latency));
    let unit = Unit::common(ends(Spread::max).collect::<Vec<_>>());
    let columns = [
        ("Max", Spread::max as Of),
        ("Mean", Spread::mean),
        ("Min", Spread::min),
    ];
    let columns = columns.map(|(title, of)| (title, of, unit.places(ends(of))));
    let task = |task: &TaskId| report.tasks.get(task.index()).map_or("", |task| &task.name);
    html! {
        @if !chains.is_empty() {
            h3 { "End-to-end latency" }
            p.note { "From the release of a job to the completion of one that it released by a message or a signal, directly or through others." }
            div.scroll tabindex="0" role="region" aria-label=(format!("End-to-end latency under {}", name(report))) {
                table {
                    thead { tr {
                        th scope="col" { "Chain" }
                        @for (title, ..) in &columns { th.num scope="col" { (title) ", " (unit.name) } }
                        th.num scope="col" title="How often it was complete" { "Times" }
                    } }
                    tbody {
                        @for chain in chains.iter().take(most) {
                            tr {
                                th scope="row" {
                                    @for (number, it) in chain.tasks.iter().enumerate() {
                                        @if number > 0 { " → " }
                                        bdi { (task(it)) }
                                    }
                                }
                                @for (_, of, places) in &columns { (cell(of(&chain.latency), unit, *places)) }
                                (count(chain.latency.count()))
                            }
                        }
                    }
                }
            }
            @if chains.len() > most {
                p.note { "Shown are " (most) " of " (chains.len()) " chains." }
            }
        }
    }
}

/// Up to so many of the tasks, in their order, with their numbers: first of all those that missed a
/// deadline.
fn rows(report: &PolicyReport, most: usize) -> Vec<(usize, &TaskReport)> {
    let mut rows: Vec<_> = report.tasks.iter().enumerate().collect();
    if rows.len() > most {
        rows.sort_by_key(|(_, task)| task.measured.misses == 0);
        rows.truncate(most);
        rows.sort_by_key(|(number, _)| *number);
    }
    rows
}

/// The first misses in words, for those who cannot see the chart.
fn misses(report: &PolicyReport, schedule: &Schedule) -> Markup {
    let all = schedule.task_lanes().flat_map(|(task, lane)| {
        let misses = lane.marks.iter().filter(|mark| mark.what == What::Miss);
        misses.map(move |mark| (task, *mark))
    });
    let mut all: Vec<(TaskId, Mark)> = all.collect();
    all.sort_by_key(|(_, mark)| mark.time);
    let name = |task: TaskId| {
        report
            .trace
            .header
            .tasks
            .get(task.index())
            .map(|task| &task.name)
    };
    html! {
        @if !all.is_empty() {
            p.note {
                @if report.simulated.misses > MOST_MISSES as u64 {
                    "The first of " (grouped(report.simulated.misses.into())) " misses: "
                } @else { "Misses: " }
                @for (number, (task, mark)) in all.iter().take(MOST_MISSES).enumerate() {
                    @if number > 0 { "; " }
                    bdi { (name(*task).map_or("", String::as_str)) } " job " (mark.job) " at "
                    (length(mark.time.since(Time::ZERO)))
                }
                "."
            }
        }
    }
}

/// What the chart shows of what was simulated.
fn shown(report: &PolicyReport, data: &Data<'_>) -> Markup {
    let simulated = report.simulated.until;
    let kept = report.trace.end();
    let Some(view) = data.views.first() else {
        return html! { "Nothing of the schedule was kept." };
    };
    let from = view.window.start.since(Time::ZERO);
    let length = view.window.end.since(view.window.start);
    html! {
        @if !from.is_zero() {
            "Shown: " (short(length)) " from " (short(from)) " on; what came before was not kept. "
        } @else if length == simulated {
            "Shown: all of the " (short(simulated)) " that were simulated. "
        } @else {
            "Shown: the first " (short(length)) " of " (short(simulated)) ". "
        }
        @if kept.since(Time::ZERO) < simulated {
            "Of the schedule only the first " (short(kept.since(Time::ZERO))) " were kept. "
        }
        @if let Some(miss) = data.views.get(1) {
            "A second view shows "
            (short(miss.window.start.since(Time::ZERO))) " to " (short(miss.window.end.since(Time::ZERO)))
            ", around the first miss. "
        } @else if report.simulated.misses > 0 && !data.has_miss {
            "The first miss comes later than what was kept."
        }
    }
}
