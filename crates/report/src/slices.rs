//! What charts show of a trace: which task ran from when to when, which waited, and what happened
//! to jobs.
//!
//! A trace tells of changes, a chart draws what lies between them. [`Schedule::of`] makes one from
//! the other in a single pass: it follows the state of each CPU and each task, and whenever a state
//! ends it writes down how long it had lasted.
//!
//! ```text
//!               release    dispatch   block      wake  dispatch     complete
//!  events          |           |        |          |       |           |
//!  task            |---ready---|#### run|~~blocked~|-ready-|#### run ###|
//! ```
//!
//! A trace may begin in the middle, when a ring has dropped its oldest events: what a task did
//! before the first event about it is not known, and nothing is shown. It may also end anywhere:
//! what lasts until then ends there. Times are counted as [`flyball_trace::metrics`] counts them,
//! so that a task's slices add up to its CPU time.
//!
//! O(events), but for the marks, which have to be sorted because deadlines lie ahead; they are
//! nearly sorted already.

mod budgets;
mod follow;
mod queues;
mod reservations;

use flyball_trace::file::{Header, Trace};
use flyball_trace::{Cause, CpuId, Duration, Object, ServerId, Speed, TaskId, Time};
use follow::Follower;
use std::collections::HashMap;

/// A trace as charts show it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// When it begins: with the first event that was not dropped.
    pub start: Time,
    /// When it ends.
    pub end: Time,
    /// The CPUs, by number.
    pub cpus: Vec<CpuLane>,
    /// The tasks, by number.
    pub tasks: Vec<TaskLane>,
    /// The servers, by number. One whose budget is never told has no parts.
    pub servers: Vec<ServerLane>,
    /// The queues, by number.
    pub queues: Vec<QueueLane>,
    /// The reservations, by task. One that is never told has no parts.
    pub reservations: Vec<ReservationLane>,
}

/// What one CPU did, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CpuLane {
    /// The tasks that ran. Slices overlap neither each other nor the kernel's work.
    pub slices: Vec<Slice>,
    /// What the kernel did. Only [`Cause::Cache`] lies within a slice, as it is part of the job.
    pub kernel: Vec<Work>,
    /// At which operating points it was, from the first change that is told to the end.
    pub speeds: Vec<AtSpeed>,
}

/// A CPU was at an operating point for some time, which is never zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AtSpeed {
    /// The point.
    pub speed: Speed,
    /// From when.
    pub start: Time,
    /// Until when.
    pub end: Time,
}

/// A task had a CPU for some time, which is never zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slice {
    /// The task that ran.
    pub task: TaskId,
    /// The job that it worked on.
    pub job: u32,
    /// From when.
    pub start: Time,
    /// Until when.
    pub end: Time,
}

/// A job went on on another CPU than the one where it had run last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Migration {
    /// The task whose job it is.
    pub task: TaskId,
    /// Which.
    pub job: u32,
    /// Where it had run, and until when.
    pub from: (CpuId, Time),
    /// Where it went on, and from when on.
    pub to: (CpuId, Time),
}

/// The kernel worked for some time, which is never zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Work {
    /// On what.
    pub cause: Cause,
    /// From when.
    pub start: Time,
    /// Until when.
    pub end: Time,
}

/// What became of one task, apart from its running.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskLane {
    /// What happened at an instant, in order. Deadlines after the end are among them.
    pub marks: Vec<Mark>,
    /// When it waited, in order and without overlap.
    pub waits: Vec<Wait>,
    /// When it owned which mutex, in the order of their ends.
    pub holds: Vec<Hold>,
}

/// What one server had of its budget, in order and without overlap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ServerLane {
    /// From the first budget that is told to the end.
    pub parts: Vec<BudgetPart>,
}

/// What one queue held, in order and without overlap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QueueLane {
    /// From the first level that is told to the end.
    pub levels: Vec<Level>,
    /// Over- and underruns.
    pub glitches: Vec<Glitch>,
}

/// A queue held as many messages for some time, which is never zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Level {
    /// From when.
    pub start: Time,
    /// Until when.
    pub end: Time,
    /// How many.
    pub level: u16,
}

/// A source found no room for its messages, or a sink too few of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Glitch {
    /// When.
    pub time: Time,
    /// Whether it was a source.
    pub is_overrun: bool,
    /// How many messages were lost or missing.
    pub messages: u16,
}

/// What one task was entitled to, in order and without overlap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReservationLane {
    /// From the first reservation that is told to the end.
    pub parts: Vec<ReservationPart>,
    /// When the share was reduced because the CPU was overloaded.
    pub reductions: Vec<Time>,
}

/// A task was entitled to the same share for some time, which is never zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReservationPart {
    /// From when.
    pub start: Time,
    /// Until when.
    pub end: Time,
    /// The share, in parts of [`Kind::WHOLE_CPU`](flyball_trace::Kind::WHOLE_CPU).
    pub share: u32,
    /// The period.
    pub period: Duration,
}

/// What was left of a budget for some time, which is never zero: the same all the time, or less and
/// less while a task of the server ran.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BudgetPart {
    /// From when.
    pub start: Time,
    /// Until when.
    pub end: Time,
    /// What was left at the beginning.
    pub from: Duration,
    /// What was left at the end.
    pub to: Duration,
}

impl BudgetPart {
    /// What was left at an instant within the part.
    pub fn left_at(&self, time: Time) -> Duration {
        let lengths = [time.since(self.start), self.end.since(self.start)];
        let [gone, all] = lengths.map(|it| u128::from(it.as_nanos()));
        let used = u128::from(self.from.saturating_sub(self.to).as_nanos()) * gone / all.max(1);
        // No more than what was there at the beginning.
        self.from.saturating_sub(Duration::from_nanos(
            u64::try_from(used).unwrap_or(u64::MAX),
        ))
    }
}

/// Something happened to a job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mark {
    /// When.
    pub time: Time,
    /// To which job.
    pub job: u32,
    /// What.
    pub what: What,
}

/// What happens to jobs. At the same instant what is over comes before what begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum What {
    /// It came to its end.
    Complete,
    /// Its absolute deadline.
    Deadline,
    /// It was not complete at its deadline, or was completed after it.
    Miss,
    /// It was given up.
    Abort,
    /// It was left out.
    Skip,
    /// The instant that its response time counts from, which may be earlier than the event that
    /// tells of it.
    Release,
}

/// A task waited for some time, which is never zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wait {
    /// The job that waited.
    pub job: u32,
    /// For what; `None`: only for a CPU.
    pub on: Option<Object>,
    /// From when.
    pub start: Time,
    /// Until when.
    pub end: Time,
}

/// A task owned a mutex for some time, which is never zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Hold {
    /// Which mutex.
    pub mutex: u16,
    /// From when.
    pub start: Time,
    /// Until when.
    pub end: Time,
}

/// What a trace's header calls an object, with its kind: `mutex "bus"`, or `mutex 3` where it has
/// no name there.
pub fn object_name(header: &Header, object: Object) -> String {
    let task = |number: u16| header.tasks.get(usize::from(number));
    let name = match object {
        Object::Mutex(n) => ("mutex", header.mutexes.get(usize::from(n))),
        Object::Semaphore(n) => ("semaphore", header.semaphores.get(usize::from(n))),
        Object::Queue(n) => ("queue", header.queues.get(usize::from(n))),
        Object::Task(n) => ("task", task(n).map(|task| &task.name)),
        Object::Condition(_) | Object::Clock | Object::Token => ("", None),
    };
    match name {
        (kind, Some(name)) => format!("{kind} \"{name}\""),
        (_, None) => object.to_string(),
    }
}

impl Schedule {
    /// Follows a trace from its first event to its last. O(events), and a sort of the marks.
    ///
    /// Events about tasks and CPUs that the header lacks are left out.
    pub fn of(trace: &Trace) -> Schedule {
        let mut follower = Follower::new(trace);
        for &event in &trace.events {
            follower.take(event);
        }
        let start = match trace.events.first() {
            Some(first) if trace.header.dropped > 0 => first.time.min(trace.end()),
            _ => Time::ZERO,
        };
        follower.finish(start)
    }

    /// The first deadline that was missed, and whose.
    pub fn first_miss(&self) -> Option<(TaskId, Mark)> {
        let first = |lane: &TaskLane| {
            let mut marks = lane.marks.iter();
            marks.find(|mark| mark.what == What::Miss).copied()
        };
        self.task_lanes()
            .filter_map(|(task, lane)| Some((task, first(lane)?)))
            .min_by_key(|(_, mark)| mark.time)
    }

    /// When the first deadline was missed, or the first over- or underrun was.
    pub fn first_trouble(&self) -> Option<Time> {
        let miss = self.first_miss().map(|(_, mark)| mark.time);
        let glitches = self.queues.iter().filter_map(|it| it.glitches.first());
        glitches.map(|it| it.time).chain(miss).min()
    }

    /// The queues whose levels are told, with their numbers.
    pub fn queue_lanes(&self) -> impl Iterator<Item = (u16, &QueueLane)> {
        let all = (0..=u16::MAX).zip(&self.queues);
        all.filter(|(_, lane)| !lane.levels.is_empty() || !lane.glitches.is_empty())
    }

    /// The migrations of jobs, by task and then by time. O(n log n) in the number of slices.
    pub fn migrations(&self) -> Vec<Migration> {
        let mut slices: Vec<(CpuId, Slice)> = self
            .cpu_lanes()
            .flat_map(|(cpu, lane)| lane.slices.iter().map(move |slice| (cpu, *slice)))
            .collect();
        slices.sort_by_key(|(_, slice)| (slice.task, slice.start));
        let moved = slices.windows(2).filter_map(|pair| {
            let [(from, a), (to, b)] = pair else {
                return None;
            };
            let is_one = (a.task, a.job) == (b.task, b.job);
            (is_one && from != to).then_some(Migration {
                task: a.task,
                job: a.job,
                from: (*from, a.end),
                to: (*to, b.start),
            })
        });
        moved.collect()
    }

    /// The tasks with their names. (A header may name more than events can speak of.)
    pub fn task_lanes(&self) -> impl Iterator<Item = (TaskId, &TaskLane)> {
        // Not an open range: that would count one further than there are numbers.
        let numbers = (0..=u16::MAX).map(TaskId);
        numbers.zip(&self.tasks)
    }

    /// The servers that have budgets, with their names.
    pub fn server_lanes(&self) -> impl Iterator<Item = (ServerId, &ServerLane)> {
        let all = (0..=u16::MAX).map(ServerId).zip(&self.servers);
        all.filter(|(_, lane)| !lane.parts.is_empty())
    }

    /// The tasks whose reservations are told.
    pub fn reservation_lanes(&self) -> impl Iterator<Item = (TaskId, &ReservationLane)> {
        let all = (0..=u16::MAX).map(TaskId).zip(&self.reservations);
        all.filter(|(_, lane)| !lane.parts.is_empty())
    }

    /// The CPUs with their names.
    pub fn cpu_lanes(&self) -> impl Iterator<Item = (CpuId, &CpuLane)> {
        (0..=u8::MAX).map(CpuId).zip(&self.cpus)
    }

    /// The absolute deadlines of all jobs.
    pub(crate) fn deadlines(&self) -> HashMap<(TaskId, u32), Time> {
        let all = self.task_lanes().flat_map(|(task, lane)| {
            let deadlines = lane.marks.iter().filter(|mark| mark.what == What::Deadline);
            deadlines.map(move |mark| ((task, mark.job), mark.time))
        });
        all.collect()
    }
}

#[cfg(test)]
mod tests;
