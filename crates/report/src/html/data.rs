//! What the scripts draw: a schedule in a compact form.
//!
//! A page has one or two *views* of a schedule; see [`views`](super::views).
//!
//! All times in a view are counted from its start in its *unit*, the largest length of which they
//! all are multiples (a millisecond, often), and lists of times are written as differences. So the
//! numbers are small, and, as a view is never longer than 2^53 ns (104 days), exact in JavaScript
//! too. The start itself may be any 64-bit number and is written as text. Lists are written as
//! [`numbers`] has it.
//!
//! ```text
//! { "tasks": ["a", …], "servers": [{ "name": "s", "full": 2000000 }, …],
//!   "queues": [{ "name": "q", "full": 8 }, …], "reservations": [{ "name": "a", "full": 40000000 }, …],
//!   "objects": ["mutex \"m\"", …], "causes": ["tick", …], "views": [
//!     { "title": "…", "start": "0", "unit": 1000000, "length": 500, "initial": [0, 40],
//!       "cpus":  [ { "slices": "gap, length, task * 2 + late, job, …",
//!                    "kernel": "gap, length, cause, …",
//!                    "slower": "gap, length, frequency, …" }, … ],
//!       "tasks": [ { "marks": "later, what, job, …",
//!                    "waits": "gap, length, object + 1 or 0, job, …",
//!                    "holds": "gap, length, mutex's object, …" }, … ],
//!       "servers": ["gap, length, left at its beginning, at its end, …", …],
//!       "queues": [ { "levels": "gap, length, messages, …",
//!                     "glitches": "gap, 0, overrun 0 or underrun 1, messages, …" }, … ],
//!       "reservations": [ { "parts": "gap, length, share, period, …", "reductions": "gap, 0, …" }, … ] } ] }
//! ```
//!
//! What is left of a budget is in thousandths of the most that the server ever has, which is `full`, in
//! nanoseconds.
//!
//! A queue is full, for a picture, with the most messages that it ever holds.
//!
//! A task's share is in thousandths of a CPU and its period in nanoseconds; the longest period is `full`.
//!
//! A frequency is in thousandths of the highest one, and is there only where it is below that.
//!
//! A gap is the time since the end of the entry before; it may be negative for holds. A job is
//! counted from the task's job before it in the same list.

mod numbers;

use super::views::{Most, View, contains, views};
use crate::slices::{QueueLane, ReservationLane, Schedule, ServerLane, Slice, What, object_name};
use flyball_model::Speeds;
use flyball_trace::file::Trace;
use flyball_trace::{Cause, Duration, Kind, Object, Speed, TaskId, Time};
use numbers::{List, Numbers};
use serde::Serialize;
use std::collections::HashMap;
use std::ops::Range;

/// A schedule as the page shows it.
pub(super) struct Data<'a> {
    pub(super) trace: &'a Trace,
    schedule: &'a Schedule,
    /// The operating points of the CPUs, where they are known.
    speeds: Option<&'a Speeds>,
    pub(super) views: Vec<View>,
    /// Whether a miss is in one of the views.
    pub(super) has_miss: bool,
}

#[derive(Serialize)]
struct Written<'a> {
    tasks: Vec<&'a str>,
    servers: Vec<WrittenFull<'a>>,
    queues: Vec<WrittenFull<'a>>,
    reservations: Vec<WrittenFull<'a>>,
    objects: Vec<String>,
    causes: Vec<String>,
    views: Vec<WrittenView>,
}

#[derive(Serialize)]
struct WrittenView {
    title: &'static str,
    start: String,
    unit: u64,
    length: i64,
    initial: [i64; 2],
    cpus: Vec<WrittenCpu>,
    tasks: Vec<WrittenTask>,
    servers: Vec<String>,
    queues: Vec<WrittenQueue>,
    reservations: Vec<WrittenReservation>,
}

#[derive(Serialize)]
struct WrittenFull<'a> {
    name: &'a str,
    full: u64,
}

#[derive(Serialize)]
struct WrittenCpu {
    slices: String,
    kernel: String,
    slower: String,
}

#[derive(Serialize)]
struct WrittenQueue {
    levels: String,
    glitches: String,
}

#[derive(Serialize)]
struct WrittenReservation {
    parts: String,
    reductions: String,
}

#[derive(Serialize)]
struct WrittenTask {
    marks: String,
    waits: String,
    holds: String,
}

impl<'a> Data<'a> {
    /// Decides what to show at first: what is around `focus`, or else around the first miss.
    pub(super) fn new(
        trace: &'a Trace,
        schedule: &'a Schedule,
        focus: Option<Time>,
        most: Most,
    ) -> Data<'a> {
        let miss = schedule.first_trouble();
        let views = views(schedule, focus.or(miss), most);
        let in_views = |miss| views.iter().any(|view| contains(&view.window, miss));
        Data {
            has_miss: miss.is_some_and(in_views),
            trace,
            schedule,
            speeds: None,
            views,
        }
    }

    /// The same, on CPUs with these operating points.
    pub(super) fn with_speeds(self, speeds: Option<&'a Speeds>) -> Data<'a> {
        Data { speeds, ..self }
    }

    /// Whether a CPU is ever slower than it can be, as far as that is known.
    pub(super) fn slows(&self) -> bool {
        let mut parts = self.schedule.cpus.iter().flat_map(|cpu| &cpu.speeds);
        parts.any(|part| self.frequency(part.speed) < 1000)
    }

    /// The frequency of an operating point in thousandths of the highest one; all where that is not known.
    fn frequency(&self, speed: Speed) -> i64 {
        let part = |speeds: &Speeds| {
            let of = |speed| u128::from(speeds.frequency(speed).as_hertz());
            i64::try_from(of(speed) * 1000 / of(speeds.fastest())).unwrap_or(1000)
        };
        self.speeds.map_or(1000, part)
    }

    /// Whether a task is ever blocked.
    pub(super) fn blocks(&self) -> bool {
        let mut waits = self.schedule.tasks.iter().flat_map(|task| &task.waits);
        waits.any(|wait| wait.on.is_some())
    }

    /// Whether a task ever owns a mutex.
    pub(super) fn holds(&self) -> bool {
        self.schedule
            .tasks
            .iter()
            .any(|task| !task.holds.is_empty())
    }

    /// Whether there are servers.
    pub(super) fn has_servers(&self) -> bool {
        self.schedule.server_lanes().next().is_some()
    }

    /// Whether levels of queues are known.
    pub(super) fn has_queues(&self) -> bool {
        self.schedule.queue_lanes().next().is_some()
    }

    /// Whether it is known what tasks are entitled to.
    pub(super) fn has_reservations(&self) -> bool {
        self.schedule.reservation_lanes().next().is_some()
    }

    /// Whether a share is ever reduced because the CPU is overloaded.
    pub(super) fn has_reductions(&self) -> bool {
        let mut lanes = self.schedule.reservation_lanes();
        lanes.any(|(_, lane)| !lane.reductions.is_empty())
    }

    /// Whether a source ever found a queue full, or a sink empty.
    pub(super) fn has_glitches(&self) -> bool {
        let mut queues = self.schedule.queues.iter();
        queues.any(|queue| !queue.glitches.is_empty())
    }

    /// Whether the kernel ever takes time.
    pub(super) fn kernel(&self) -> bool {
        self.schedule.cpus.iter().any(|cpu| !cpu.kernel.is_empty())
    }

    /// Whether a job ever goes on on another CPU than before.
    pub(super) fn moves(&self) -> bool {
        !self.schedule.migrations().is_empty()
    }

    /// The data as JSON that may stand in a script element: there, only `<` could end the element
    /// or begin a comment. Line separators are escaped for the sake of older JavaScript.
    pub(super) fn json(&self) -> String {
        let mut objects = Objects::default();
        let deadlines = self.schedule.deadlines();
        let views = self.views.iter();
        let views = views
            .map(|view| self.write(view, &mut objects, &deadlines))
            .collect();
        let written = Written {
            tasks: self
                .trace
                .header
                .tasks
                .iter()
                .map(|task| &*task.name)
                .collect(),
            servers: self
                .schedule
                .server_lanes()
                .map(|(server, lane)| WrittenFull {
                    name: named(&self.trace.header.servers, server.index()),
                    full: full(lane),
                })
                .collect(),
            queues: self
                .schedule
                .queue_lanes()
                .map(|(queue, lane)| WrittenFull {
                    name: named(&self.trace.header.queues, queue.into()),
                    full: highest(lane),
                })
                .collect(),
            reservations: self
                .schedule
                .reservation_lanes()
                .map(|(task, lane)| WrittenFull {
                    name: &self.trace.header.tasks[task.index()].name,
                    full: longest(lane),
                })
                .collect(),
            objects: objects.names(self.trace),
            causes: Cause::ALL.iter().map(Cause::to_string).collect(),
            views,
        };
        // A struct of numbers and strings always has a JSON form.
        let json = serde_json::to_string(&written).unwrap_or_default();
        let mut safe = String::with_capacity(json.len());
        for symbol in json.chars() {
            match symbol {
                '<' => safe.push_str("\\u003c"),
                '>' => safe.push_str("\\u003e"),
                '&' => safe.push_str("\\u0026"),
                '\u{2028}' => safe.push_str("\\u2028"),
                '\u{2029}' => safe.push_str("\\u2029"),
                symbol => safe.push(symbol),
            }
        }
        safe
    }

    /// What is left of each server's budget in a window.
    fn servers(&self, window: &Range<Time>, numbers: &mut Numbers) -> Vec<List> {
        let lanes = self.schedule.server_lanes().map(|(_, lane)| {
            let full = full(lane);
            let mut list = List::new();
            for part in within(&lane.parts, window, |part| (part.start, part.end)) {
                let (start, end) = (part.start.max(window.start), part.end.min(window.end));
                let levels = [part.left_at(start), part.left_at(end)];
                let levels = levels.map(|left| thousandths(left, full));
                list.entry(numbers, start, end, levels);
            }
            list
        });
        lanes.collect()
    }

    /// The levels of each queue in a window, and its over- and underruns.
    fn queues(&self, window: &Range<Time>, numbers: &mut Numbers) -> Vec<[List; 2]> {
        let lanes = self.schedule.queue_lanes().map(|(_, lane)| {
            let [mut levels, mut glitches] = [List::new(), List::new()];
            for part in within(&lane.levels, window, |part| (part.start, part.end)) {
                let (start, end) = (part.start.max(window.start), part.end.min(window.end));
                levels.entry(numbers, start, end, [i64::from(part.level)]);
            }
            for glitch in lane.glitches.iter().filter(|it| contains(window, it.time)) {
                let what = [i64::from(!glitch.is_overrun), i64::from(glitch.messages)];
                glitches.entry(numbers, glitch.time, glitch.time, what);
            }
            [levels, glitches]
        });
        lanes.collect()
    }

    /// What tasks are entitled to in a window, and where that was reduced.
    fn reservations(&self, window: &Range<Time>, numbers: &mut Numbers) -> Vec<[List; 2]> {
        let lanes = self.schedule.reservation_lanes().map(|(_, lane)| {
            let [mut parts, mut reductions] = [List::new(), List::new()];
            for part in within(&lane.parts, window, |part| (part.start, part.end)) {
                let (start, end) = (part.start.max(window.start), part.end.min(window.end));
                let share = (Kind::share_ppm(part.share) + 500) / 1000;
                let what = [share, part.period.as_nanos()];
                let what = what.map(|it| i64::try_from(it).unwrap_or(i64::MAX));
                parts.entry(numbers, start, end, what);
            }
            for &time in lane.reductions.iter().filter(|it| contains(window, **it)) {
                reductions.entry(numbers, time, time, []);
            }
            [parts, reductions]
        });
        lanes.collect()
    }

    fn write(
        &self,
        view: &View,
        objects: &mut Objects,
        deadlines: &HashMap<(TaskId, u32), Time>,
    ) -> WrittenView {
        let window = &view.window;
        let from = window.start;
        let mut numbers = Numbers::new(from);
        let mut cpus = Vec::new();
        for lane in &self.schedule.cpus {
            let mut slices = List::new();
            for slice in within(&lane.slices, window, |slice| (slice.start, slice.end)) {
                let deadline = deadlines.get(&(slice.task, slice.job)).copied();
                for (start, end, late) in split(slice, deadline, window) {
                    let who = i64::from(slice.task.0) * 2 + i64::from(late);
                    let job = slices.job(slice.task.0, slice.job);
                    slices.entry(&mut numbers, start, end, [who, job]);
                }
            }
            let mut kernel = List::new();
            for work in within(&lane.kernel, window, |work| (work.start, work.end)) {
                let cause = Cause::ALL.iter().position(|&cause| cause == work.cause);
                let cause = i64::try_from(cause.unwrap_or(0)).unwrap_or(0);
                let (start, end) = (work.start.max(from), work.end.min(window.end));
                kernel.entry(&mut numbers, start, end, [cause]);
            }
            let mut slower = List::new();
            for part in within(&lane.speeds, window, |part| (part.start, part.end)) {
                let frequency = self.frequency(part.speed);
                let (start, end) = (part.start.max(from), part.end.min(window.end));
                if frequency < 1000 {
                    slower.entry(&mut numbers, start, end, [frequency]);
                }
            }
            cpus.push([slices, kernel, slower]);
        }
        let mut tasks = Vec::new();
        for lane in &self.schedule.tasks {
            let mut marks = List::new();
            for mark in lane.marks.iter().filter(|mark| contains(window, mark.time)) {
                let what = [code(mark.what), marks.job(0, mark.job)];
                marks.instant(&mut numbers, mark.time, what);
            }
            let mut waits = List::new();
            for wait in within(&lane.waits, window, |wait| (wait.start, wait.end)) {
                let on = wait.on.map_or(0, |object| objects.number(object) + 1);
                let (start, end) = (wait.start.max(from), wait.end.min(window.end));
                let job = waits.job(0, wait.job);
                waits.entry(&mut numbers, start, end, [on, job]);
            }
            let mut holds = List::new();
            for hold in &lane.holds {
                let (start, end) = (hold.start.max(from), hold.end.min(window.end));
                if start < end {
                    let mutex = objects.number(Object::Mutex(hold.mutex));
                    holds.entry(&mut numbers, start, end, [mutex]);
                }
            }
            tasks.push([marks, waits, holds]);
        }
        let servers = self.servers(window, &mut numbers);
        let queues = self.queues(window, &mut numbers);
        let reservations = self.reservations(window, &mut numbers);
        let length = numbers.since(window.end);
        let initial = [
            numbers.since(view.initial.start),
            numbers.since(view.initial.end),
        ];
        let unit = numbers.unit();
        let units = |list: List| list.in_units(unit);
        let cpus = cpus.into_iter().map(|[slices, kernel, slower]| WrittenCpu {
            slices: units(slices),
            kernel: units(kernel),
            slower: units(slower),
        });
        let tasks = tasks.into_iter().map(|[marks, waits, holds]| WrittenTask {
            marks: units(marks),
            waits: units(waits),
            holds: units(holds),
        });
        WrittenView {
            title: view.title,
            start: from.as_nanos().to_string(),
            unit: unit.unsigned_abs(),
            length: length / unit,
            initial: initial.map(|time| time / unit),
            cpus: cpus.collect(),
            tasks: tasks.collect(),
            servers: servers.into_iter().map(units).collect(),
            queues: queues
                .into_iter()
                .map(|[levels, glitches]| WrittenQueue {
                    levels: units(levels),
                    glitches: units(glitches),
                })
                .collect(),
            reservations: reservations
                .into_iter()
                .map(|[parts, reductions]| WrittenReservation {
                    parts: units(parts),
                    reductions: units(reductions),
                })
                .collect(),
        }
    }
}

/// The most that a server has, in nanoseconds; at least one.
fn full(lane: &ServerLane) -> u64 {
    let most = lane.parts.iter().map(|part| part.from.max(part.to)).max();
    most.unwrap_or_default().as_nanos().max(1)
}

/// The most messages that a queue holds; at least one.
fn highest(lane: &QueueLane) -> u64 {
    let highest = lane.levels.iter().map(|part| part.level).max();
    u64::from(highest.unwrap_or_default()).max(1)
}

/// The longest period in nanoseconds; at least one.
fn longest(lane: &ReservationLane) -> u64 {
    let longest = lane.parts.iter().map(|part| part.period).max();
    longest.unwrap_or_default().as_nanos().max(1)
}

/// The name of that number; empty if there is none.
fn named(names: &[String], number: usize) -> &str {
    names.get(number).map_or("", |name| name)
}

fn thousandths(left: Duration, full: u64) -> i64 {
    let level = u128::from(left.as_nanos()) * 1000 / u128::from(full);
    // What is left is at most what is full.
    i64::try_from(level).unwrap_or(1000)
}

/// The numbers that stand for what happens to jobs.
fn code(what: What) -> i64 {
    match what {
        What::Release => 0,
        What::Deadline => 1,
        What::Complete => 2,
        What::Miss => 3,
        What::Abort => 4,
        What::Skip => 5,
    }
}

/// The entries of a lane, which is in order, that are at least partly in the window.
fn within<'a, T>(
    lane: &'a [T],
    window: &Range<Time>,
    times: impl Fn(&T) -> (Time, Time),
) -> &'a [T] {
    let first = lane.partition_point(|entry| times(entry).1 <= window.start);
    let rest = &lane[first..];
    &rest[..rest.partition_point(|entry| times(entry).0 < window.end)]
}

/// The part of a slice that is in the window, in two where its job's deadline is in between.
pub(crate) fn split(
    slice: &Slice,
    deadline: Option<Time>,
    window: &Range<Time>,
) -> impl Iterator<Item = (Time, Time, bool)> {
    let (start, end) = (slice.start.max(window.start), slice.end.min(window.end));
    let late = deadline.unwrap_or(Time::NEVER).clamp(start, end.max(start));
    let parts = [(start, late, false), (late, end, true)];
    parts.into_iter().filter(|(start, end, _)| start < end)
}

/// Objects that some task waits for or owns, numbered as they occur.
#[derive(Default)]
struct Objects {
    numbers: HashMap<Object, i64>,
    objects: Vec<Object>,
}

impl Objects {
    fn number(&mut self, object: Object) -> i64 {
        let next = i64::try_from(self.objects.len()).unwrap_or(i64::MAX);
        *self.numbers.entry(object).or_insert_with(|| {
            self.objects.push(object);
            next
        })
    }

    fn names(&self, trace: &Trace) -> Vec<String> {
        let objects = self.objects.iter();
        objects
            .map(|&object| object_name(&trace.header, object))
            .collect()
    }
}

#[cfg(test)]
mod tests;
