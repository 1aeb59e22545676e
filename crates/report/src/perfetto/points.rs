//! A schedule as beginnings, ends and instants on tracks, in order of time.

use super::counters::{budgets, levels, ready, reservations, speeds, urgency};
use super::flows::{Starts, effects};
use super::names::Names;
use super::track;
use crate::slices::{CpuLane, Migration, Schedule, TaskLane, What, object_name};
use flyball_trace::file::Trace;
use flyball_trace::{Cause, CpuId, Event, Object, TaskId, Time};
use std::collections::HashMap;

/// Something at an instant on a track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Point {
    pub(super) time: Time,
    pub(super) kind: Kind,
    pub(super) track: u64,
    /// The number of its name.
    pub(super) name: u64,
    pub(super) category: Category,
    pub(super) notes: [Option<(Key, u64)>; 2],
    /// The number of the arrow that begins here, and of the one that ends here.
    pub(super) leaves: Option<u64>,
    pub(super) comes: Option<u64>,
}

/// In the order in which they have to come at the same instant: a slice ends before the next one
/// on its track begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    End,
    Instant,
    Begin,
    Counter(i64),
    /// A counter of percent, whose new value this is in millionths.
    Millionths(u64),
}

/// Classes of events, which the UI can tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Category {
    Run = 1,
    Wait,
    Kernel,
    Job,
    Mutex,
    Thread,
}

/// Names of details.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Key {
    Job = 1,
    Cpu,
    Deadline,
    Length,
}

impl Category {
    pub(super) const ALL: [Category; 6] = [
        Category::Run,
        Category::Wait,
        Category::Kernel,
        Category::Job,
        Category::Mutex,
        Category::Thread,
    ];

    pub(super) fn iid(self) -> u64 {
        self as u64
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Category::Run => "run",
            Category::Wait => "wait",
            Category::Kernel => "kernel",
            Category::Job => "job",
            Category::Mutex => "mutex",
            Category::Thread => "thread",
        }
    }
}

impl Key {
    pub(super) const ALL: [Key; 4] = [Key::Job, Key::Cpu, Key::Deadline, Key::Length];

    pub(super) fn iid(self) -> u64 {
        self as u64
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Key::Job => "job",
            Key::Cpu => "cpu",
            Key::Deadline => "deadline_ns",
            Key::Length => "length_ns",
        }
    }
}

/// All points of a schedule, in order of time.
pub(super) fn points(trace: &Trace, schedule: &Schedule, names: &mut Names) -> Vec<Point> {
    let mut points = Vec::new();
    let tasks: Vec<u64> = trace
        .header
        .tasks
        .iter()
        .map(|task| names.number(&task.name))
        .collect();
    let deadlines = schedule.deadlines();
    let moves = Moves::of(schedule);
    let starts = Starts::of(schedule);
    for (CpuId(cpu), lane) in schedule.cpu_lanes() {
        let arrows = (&moves, &starts);
        runs(&mut points, cpu, lane, &tasks, &deadlines, arrows, names);
        kernel(&mut points, cpu, lane, names);
    }
    for (task, lane) in schedule.task_lanes() {
        waits(&mut points, trace, task, lane, names);
        marks(&mut points, schedule.end, (task, lane), &starts, names);
    }
    for event in trace
        .events
        .iter()
        .filter(|event| event.time <= schedule.end)
    {
        points.extend(remark(trace, event, names));
    }
    points.extend(effects(trace, schedule, names));
    points.extend(ready(schedule));
    points.extend(urgency(schedule, &deadlines));
    points.extend(budgets(schedule));
    points.extend(speeds(schedule));
    points.extend(levels(schedule));
    points.extend(reservations(schedule));
    points.sort_by_key(|point| (point.time, point.kind));
    points
}

pub(super) fn task_track(task: TaskId) -> u64 {
    track::FIRST_TASK + u64::from(task.0)
}

/// The beginning of a slice, and its end.
fn slice(begin: Point, end: Time) -> [Point; 2] {
    let end = Point {
        time: end,
        kind: Kind::End,
        notes: [None; 2],
        leaves: None,
        comes: None,
        ..begin
    };
    [begin, end]
}

/// The numbers of migrations, by the CPU that a job leaves and when, and by the one where it goes
/// on and from when on. At most one slice of a CPU ends at an instant, and one begins.
struct Moves {
    leaves: HashMap<(u8, Time), u64>,
    comes: HashMap<(u8, Time), u64>,
}

impl Moves {
    fn of(schedule: &Schedule) -> Moves {
        let moved = (1..).zip(schedule.migrations());
        let (leaves, comes) = moved
            .map(|(number, Migration { from, to, .. })| {
                (((from.0.0, from.1), number), ((to.0.0, to.1), number))
            })
            .unzip();
        Moves { leaves, comes }
    }
}

/// Each slice is on the CPU's track and on the task's.
fn runs(
    points: &mut Vec<Point>,
    cpu: u8,
    lane: &CpuLane,
    tasks: &[u64],
    deadlines: &HashMap<(TaskId, u32), Time>,
    (moves, starts): (&Moves, &Starts),
    names: &mut Names,
) {
    let running = names.number("running");
    for run in &lane.slices {
        let Some(&name) = tasks.get(run.task.index()) else {
            continue;
        };
        let deadline = deadlines.get(&(run.task, run.job));
        let job = Some((Key::Job, u64::from(run.job)));
        let on_cpu = Point {
            time: run.start,
            kind: Kind::Begin,
            track: track::FIRST_CPU + u64::from(cpu),
            name,
            category: Category::Run,
            notes: [job, deadline.map(|time| (Key::Deadline, time.as_nanos()))],
            leaves: moves.leaves.get(&(cpu, run.end)).copied(),
            comes: moves.comes.get(&(cpu, run.start)).copied(),
        };
        let of_task = Point {
            track: task_track(run.task),
            name: running,
            notes: [job, Some((Key::Cpu, u64::from(cpu)))],
            leaves: None,
            comes: starts.of_slice(run.task, run.job, run.start),
            ..on_cpu
        };
        points.extend(slice(on_cpu, run.end));
        points.extend(slice(of_task, run.end));
    }
}

fn kernel(points: &mut Vec<Point>, cpu: u8, lane: &CpuLane, names: &mut Names) {
    let causes = Cause::ALL.map(|cause| (cause, names.number(&format!("kernel: {cause}"))));
    for work in &lane.kernel {
        let name = causes.iter().find(|(cause, _)| *cause == work.cause);
        let begin = Point {
            time: work.start,
            kind: Kind::Begin,
            track: track::FIRST_CPU + u64::from(cpu),
            name: name.map_or(0, |&(_, name)| name),
            category: Category::Kernel,
            notes: [None; 2],
            leaves: None,
            comes: None,
        };
        if work.cause == Cause::Cache {
            // This is within the job's own time, and perhaps in several parts.
            let length = work.end.since(work.start).as_nanos();
            points.push(Point {
                kind: Kind::Instant,
                notes: [Some((Key::Length, length)), None],
                ..begin
            });
        } else {
            points.extend(slice(begin, work.end));
        }
    }
}

fn waits(points: &mut Vec<Point>, trace: &Trace, task: TaskId, lane: &TaskLane, names: &mut Names) {
    let ready = names.number("ready");
    let mut blocked: HashMap<Object, u64> = HashMap::new();
    for wait in &lane.waits {
        let name = match wait.on {
            None => ready,
            Some(object) => *blocked.entry(object).or_insert_with(|| {
                names.number(&format!("blocked: {}", object_name(&trace.header, object)))
            }),
        };
        let begin = Point {
            time: wait.start,
            kind: Kind::Begin,
            track: task_track(task),
            name,
            category: Category::Wait,
            notes: [Some((Key::Job, u64::from(wait.job))), None],
            leaves: None,
            comes: None,
        };
        points.extend(slice(begin, wait.end));
    }
}

fn marks(
    points: &mut Vec<Point>,
    end: Time,
    (task, lane): (TaskId, &TaskLane),
    starts: &Starts,
    names: &mut Names,
) {
    for mark in lane.marks.iter().take_while(|mark| mark.time <= end) {
        let name = match mark.what {
            What::Release => "release",
            What::Deadline => "deadline",
            What::Complete => "complete",
            What::Miss => "deadline missed",
            What::Abort => "abort",
            What::Skip => "skip",
        };
        points.push(Point {
            time: mark.time,
            kind: Kind::Instant,
            track: task_track(task),
            name: names.number(name),
            category: Category::Job,
            notes: [Some((Key::Job, u64::from(mark.job))), None],
            leaves: match mark.what {
                What::Release => starts.of_release(task, mark.job),
                _ => None,
            },
            comes: None,
        });
    }
}

/// What a schedule does not keep, but a reader may want to know.
fn remark(trace: &Trace, event: &Event, names: &mut Names) -> Option<Point> {
    use flyball_trace::Kind as K;
    let mutex = |number| object_name(&trace.header, Object::Mutex(number));
    let task = event.kind.task()?;
    trace.header.tasks.get(task.index())?;
    let (category, name) = match event.kind {
        K::Lock { mutex: number, .. } => (Category::Mutex, format!("lock {}", mutex(number))),
        K::Unlock { mutex: number, .. } => (Category::Mutex, format!("unlock {}", mutex(number))),
        K::Inherit { from, .. } => {
            let from = from.map(|from| object_name(&trace.header, Object::Task(from.0)));
            let name = from.map_or("inherits no more".into(), |from| {
                format!("inherits from {from}")
            });
            (Category::Mutex, name)
        }
        K::BurstEnd { .. } | K::Yield { .. } | K::Start { .. } | K::Exit { .. } => {
            (Category::Thread, event.kind.name().to_owned())
        }
        K::Quality { .. } => (Category::Job, "gets less than it asks for".to_owned()),
        _ => return None,
    };
    Some(Point {
        time: event.time,
        kind: Kind::Instant,
        track: task_track(task),
        name: names.number(&name),
        category,
        notes: [Some((Key::Cpu, u64::from(event.cpu.0))), None],
        leaves: None,
        comes: None,
    })
}
