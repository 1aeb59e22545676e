//! The task set: its tasks, what they share, and the platform.
//!
//! A column in which no row says anything is left out.

use super::format::{Unit, cell, length, short};
use crate::words;
use flyball_model::{
    Arrival, Cost, End, Endpoint, Jitter, Length, OnMiss, Protocol, Queue, Step, Task, TaskSet,
    Trigger,
};
use flyball_study::results::Study;
use flyball_trace::Duration;
use flyball_trace::GaugeKind;
use maud::{Markup, html};

/// Rows of a table that are shown.
pub(super) const MOST_ROWS: usize = 1000;
/// Steps of a job that are written out.
const MOST_STEPS: usize = 24;

/// The whole section.
pub(super) fn section(study: &Study) -> Markup {
    html! {
        section #task-set aria-labelledby="task-set-title" {
            h2 #task-set-title { "Task set" }
            (tasks(&study.set))
            (resources(&study.set))
            (platform(study))
        }
    }
}

fn tasks(set: &TaskSet) -> Markup {
    let all = || set.tasks.iter();
    let times = all().flat_map(|task| [task.arrival.period(), task.deadline, Some(task.wcet)]);
    let unit = Unit::common(times);
    let places = |of: &dyn Fn(&Task) -> Option<Duration>| unit.places(all().map(of));
    let period = places(&|task| task.arrival.period());
    let deadline = places(&|task| task.deadline);
    let phase = places(&|task| Some(task.phase));
    let wcet = places(&|task| Some(task.wcet));
    let jitter = places(&|task| Some(task.jitter));
    let jitters = all().any(|task| !task.jitter.is_zero());
    let phases = all().any(|task| !task.phase.is_zero());
    let priorities = all().any(|task| task.priority.is_some());
    let cpus = all().any(|task| task.cpu.is_some());
    let on_miss = all().any(|task| task.on_miss != OnMiss::Continue);
    let behaviour = all().any(|task| !is_plain(task));
    html! {
        div.scroll.fit tabindex="0" role="region" aria-label="Tasks" {
            table {
                thead { tr {
                    th scope="col" { "Task" }
                    th scope="col" { "Arrival" }
                    th.num scope="col" { "Period, " (unit.name) }
                    th.num scope="col" { "Deadline, " (unit.name) }
                    @if phases { th.num scope="col" { "Phase, " (unit.name) } }
                    @if jitters { th.num scope="col" title="Release jitter: how long after its arrival a job may be released" { "Jitter, " (unit.name) } }
                    th.num scope="col" title="Worst-case execution time" { "WCET, " (unit.name) }
                    th.num scope="col" { "Utilisation of one CPU" }
                    @if priorities { th.num scope="col" { "Priority" } }
                    @if cpus { th.num scope="col" { "CPU" } }
                    @if on_miss { th scope="col" { "When late" } }
                    @if behaviour { th scope="col" { "A job’s steps" } }
                } }
                tbody {
                    @for task in all().take(MOST_ROWS) {
                        tr {
                            th scope="row" { bdi { (task.name) } }
                            td { (arrival(task, set)) }
                            (cell(task.arrival.period(), unit, period))
                            (cell(task.deadline, unit, deadline))
                            @if phases { (cell(Some(task.phase), unit, phase)) }
                            @if jitters { (cell(Some(task.jitter), unit, jitter)) }
                            (cell(Some(task.wcet), unit, wcet))
                            @match words::share(task) {
                                Some(share) => { td.num { (share) } }
                                None => { td.num.none { "–" } }
                            }
                            @if priorities { (small(task.priority)) }
                            @if cpus { (small(task.cpu)) }
                            @if on_miss { td { (late(task.on_miss)) } }
                            @if behaviour { td.steps { (steps_of(task, set)) } }
                        }
                    }
                }
            }
        }
        (left_out(set.tasks.len(), MOST_ROWS))
    }
}

/// What is said below a table that is cut after so many rows.
pub(super) fn left_out(tasks: usize, most: usize) -> Markup {
    html! {
        @if tasks > most {
            p.note { "Shown are " (most) " of " (tasks) " tasks. The CSV export has all." }
        }
    }
}

fn small(number: Option<u8>) -> Markup {
    html! {
        @if let Some(number) = number { td.num { (number) } } @else { td.num.none { "–" } }
    }
}

fn arrival(task: &Task, set: &TaskSet) -> String {
    match &task.arrival {
        Arrival::Periodic { .. } => "periodic".into(),
        Arrival::Sporadic { separation, gap } if *gap == Length::Fixed(*separation) => {
            "sporadic".into()
        }
        Arrival::Sporadic { gap, .. } => format!("sporadic, really {}", duration(gap)),
        Arrival::Event { by, .. } => match by {
            Trigger::Queue(n) => format!("with messages to {}", queue(set, *n)),
            Trigger::Semaphore(n) => format!("with signals of {}", semaphore(set, *n)),
        },
        Arrival::Once => "once".into(),
    }
}

fn late(on_miss: OnMiss) -> &'static str {
    match on_miss {
        OnMiss::Continue => "goes on",
        OnMiss::Skip => "later releases are left out",
        OnMiss::Abort => "is given up",
        OnMiss::Latest => "goes on; then comes the newest",
    }
}

/// A job that does nothing but to compute, always for as long as it may.
fn is_plain(task: &Task) -> bool {
    matches!(&task.behaviour[..], [Step::Compute(Length::Fixed(time))] if *time == task.wcet)
}

fn steps_of(task: &Task, set: &TaskSet) -> String {
    if is_plain(task) {
        return "compute".into();
    }
    let mut left = MOST_STEPS;
    steps(&task.behaviour, set, &mut left)
}

/// The steps in words; `left` says how many more are to be written.
fn steps(list: &[Step], set: &TaskSet, left: &mut usize) -> String {
    let mut words = Vec::new();
    for step in list {
        if *left == 0 {
            words.push("…".to_owned());
            break;
        }
        *left -= 1;
        words.push(one(step, set, left));
    }
    words.join(", ")
}

fn one(step: &Step, set: &TaskSet, left: &mut usize) -> String {
    let mutex = |n: u16| name(set.mutexes.get(usize::from(n)).map(|mutex| &mutex.name), n);
    let semaphore = |n: u16| semaphore(set, n);
    let queue = |n: u16| queue(set, n);
    match step {
        Step::Compute(length) => format!("compute {}", duration(length)),
        Step::Overrun { declared, actual } => {
            format!(
                "compute {}, really {}",
                duration(declared),
                duration(actual)
            )
        }
        Step::Stalling { compute, stalls } => {
            format!("compute {}, {stalls} of it for memory", duration(compute))
        }
        Step::Suspend(length) => format!("suspend {}", duration(length)),
        Step::Yield => "yield".into(),
        Step::Control => "run the policy's controllers".into(),
        Step::Lock(n) => format!("lock {}", mutex(*n)),
        Step::Unlock(n) => format!("unlock {}", mutex(*n)),
        Step::Wait(n) => format!("wait for {}", semaphore(*n)),
        Step::Signal(n) => format!("signal {}", semaphore(*n)),
        Step::Send(n) => format!("send to {}", queue(*n)),
        Step::Receive(n) => format!("receive from {}", queue(*n)),
        Step::TrySend(n) => format!("send to {} if it has room", queue(*n)),
        Step::TryReceive(n) => format!("receive from {} if it is not empty", queue(*n)),
        Step::Raise { gauge, by } => format!("raise {} by {by}", queue(*gauge)),
        Step::Lower { gauge, by } => format!("lower {} by {by}", queue(*gauge)),
        Step::Result(results) => match results[..] {
            [result] => format!("result {result}"),
            _ => format!("result one of {results:?}"),
        },
        Step::Repeat { times, body } => {
            let body = steps(body, set, left);
            match times {
                Some(times) => format!("{times} times ({body})"),
                None => format!("for ever ({body})"),
            }
        }
    }
}

fn semaphore(set: &TaskSet, n: u16) -> String {
    name(set.semaphores.get(usize::from(n)).map(|one| &one.name), n)
}

fn queue(set: &TaskSet, n: u16) -> String {
    name(set.queues.get(usize::from(n)).map(|queue| &queue.name), n)
}

fn name(name: Option<&String>, number: u16) -> String {
    name.map_or_else(|| format!("no. {number}"), |name| format!("“{name}”"))
}

fn duration(length: &Length) -> String {
    match length {
        Length::Fixed(length) => short(*length),
        Length::Uniform { min, max } => format!("{} to {}", short(*min), short(*max)),
        Length::OneOf(lengths) => {
            let all: Vec<_> = lengths.iter().map(|&length| short(length)).collect();
            all.join(" or ")
        }
        Length::Cycle { lengths, every } => {
            let all: Vec<_> = lengths.iter().map(|&length| short(length)).collect();
            format!("{}, each for {}", all.join(", "), short(*every))
        }
        Length::Empirical(seen) => {
            let all = seen
                .iter()
                .map(|(length, times)| format!("{} ({times}×)", short(*length)));
            all.collect::<Vec<_>>().join(" or ")
        }
        Length::Normal {
            mean,
            deviation,
            min,
            max,
        } => format!(
            "{} ± {} (normal, {} to {})",
            short(*mean),
            short(*deviation),
            short(*min),
            short(*max)
        ),
    }
}

fn resources(set: &TaskSet) -> Markup {
    if set.mutexes.is_empty() && set.semaphores.is_empty() && set.queues.is_empty() {
        return html! {};
    }
    html! {
        h3 { "Shared resources" }
        dl {
            @for mutex in &set.mutexes {
                div { dt { bdi { (mutex.name) } } dd { "mutex, " (match mutex.protocol {
                    Protocol::Inherit => "with priority inheritance",
                    Protocol::None => "without a protocol",
                }) } }
            }
            @for semaphore in &set.semaphores {
                div { dt { bdi { (semaphore.name) } } dd { "semaphore, " (semaphore.initial) " at the start" } }
            }
            @for queue in &set.queues {
                div { dt { bdi { (queue.name) } } dd { (kind_of(queue)) (queue.capacity) } }
            }
            @for endpoint in &set.endpoints {
                div { dt { (endpoint.end.key()) } dd { (endpoint_of(endpoint, set)) } }
            }
        }
    }
}

/// What a queue or a gauge is, in words that its capacity follows.
fn kind_of(queue: &Queue) -> &'static str {
    match queue.gauge {
        None => "queue with room for ",
        Some(GaugeKind::Backlog) => "gauge, a backlog of up to ",
        Some(GaugeKind::Stock) => "gauge, a stock of up to ",
    }
}

/// What a source or a sink does, in words.
fn endpoint_of(endpoint: &Endpoint, set: &TaskSet) -> String {
    let messages = match endpoint.count {
        1 => "a message".to_owned(),
        count => format!("{count} messages"),
    };
    let (queue, every) = (queue(set, endpoint.queue), duration(&endpoint.every));
    let does = match endpoint.end {
        End::Source => format!("puts {messages} into {queue} every {every}"),
        End::Sink => format!("takes {messages} from {queue} every {every}"),
    };
    if endpoint.phase.is_zero() {
        return does;
    }
    format!("{does}, from {} on", short(endpoint.phase))
}

fn platform(study: &Study) -> Markup {
    let platform = &study.set.platform;
    let overheads = &platform.overheads;
    let costs = [
        ("releasing a job", &overheads.release),
        ("a call of a task", &overheads.call),
        ("choosing who runs", &overheads.scheduling),
        ("context switch", &overheads.context_switch),
        ("a tick", &overheads.tick),
        ("a run of controllers", &overheads.control),
        ("interrupt to another CPU", &overheads.ipi),
        ("cache refill after a preemption", &overheads.cache),
    ];
    html! {
        h3 { "Platform" }
        dl {
            div { dt { "CPUs" } dd { (study.cpus) } }
            div { dt { "Timer" } dd {
                @match platform.tick {
                    Some(tick) => { "a tick every " (length(tick)) }
                    None => "one-shot, without a tick"
                }
            } }
            @if study.set.tasks.iter().any(|task| !task.jitter.is_zero()) {
                div { dt { "Release jitter" } dd { (match platform.jitter {
                    Jitter::Random => "random, up to the jitter of each task",
                    Jitter::Worst => "all of it until the first jobs of all tasks are there, then none",
                }) } }
            }
            @if overheads.are_free() {
                div { dt { "The kernel’s work" } dd { "takes no time" } }
            } @else {
                @for (what, cost) in costs {
                    @if !cost.is_free() { div { dt { (what) } dd { (points(cost)) } } }
                }
            }
        }
    }
}

fn points(cost: &Cost) -> Markup {
    html! {
        @match cost.points() {
            [(_, only)] => (length(*only)),
            points => {
                @for (number, &(tasks, cost)) in points.iter().enumerate() {
                    @if number > 0 { ", " }
                    (length(cost)) " from " (tasks) " tasks on"
                }
            }
        }
    }
}
