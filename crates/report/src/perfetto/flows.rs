//! Arrows from a cause to its effect: a release to the job's first dispatch, and what a running task
//! does for another one: it unlocks a mutex, signals, sends, or releases a job.

use super::names::Names;
use super::points::{Category, Key, Kind, Point, task_track};
use crate::slices::{Schedule, object_name};
use flyball_trace::file::Trace;
use flyball_trace::{Event, Object, TaskId, Time};
use std::collections::HashMap;

/// The numbers of the arrows from releases, which begin behind those of migrations: half of them
/// are enough for each sort.
const FIRST_RELEASE: u64 = 1 << 62;
/// And those between tasks.
const FIRST_EFFECT: u64 = 1 << 63;

/// From the release of each job to the slice that it runs first.
pub(super) struct Starts(HashMap<(TaskId, u32), (Time, u64)>);

impl Starts {
    pub(super) fn of(schedule: &Schedule) -> Starts {
        let mut starts: HashMap<(TaskId, u32), (Time, u64)> = HashMap::new();
        let slices = schedule.cpus.iter().flat_map(|lane| &lane.slices);
        for (number, slice) in (FIRST_RELEASE..).zip(slices) {
            let start = (slice.start, number);
            let known = starts.entry((slice.task, slice.job)).or_insert(start);
            *known = start.min(*known);
        }
        Starts(starts)
    }

    /// The arrow from the release of this job, if it ever ran.
    pub(super) fn of_release(&self, task: TaskId, job: u32) -> Option<u64> {
        Some(self.0.get(&(task, job))?.1)
    }

    /// The arrow to the slice of this job that begins at `start`, if it is the first.
    pub(super) fn of_slice(&self, task: TaskId, job: u32, start: Time) -> Option<u64> {
        let &(first, number) = self.0.get(&(task, job))?;
        (first == start).then_some(number)
    }
}

/// What running tasks do for others, as an instant on the track of each. (A wait that times out
/// while a task runs looks the same as one that this task ends.)
pub(super) fn effects(trace: &Trace, schedule: &Schedule, names: &mut Names) -> Vec<Point> {
    use flyball_trace::Kind as K;
    let mut points = Vec::new();
    let mut numbers = FIRST_EFFECT..;
    let mut running: HashMap<u8, TaskId> = HashMap::new();
    let mut waiting: HashMap<TaskId, Object> = HashMap::new();
    for event in trace
        .events
        .iter()
        .take_while(|event| event.time <= schedule.end)
    {
        let (task, by, does, happens) = match event.kind {
            K::Dispatch { task, .. } => {
                running.insert(event.cpu.0, task);
                continue;
            }
            K::Idle => {
                running.remove(&event.cpu.0);
                continue;
            }
            K::Block { task, on, .. } => {
                waiting.insert(task, on);
                continue;
            }
            K::Wake { task, .. } => match (waiting.remove(&task), running.get(&event.cpu.0)) {
                (Some(on), Some(&by)) if on != Object::Clock => (task, by, "wakes", "woken by"),
                _ => continue,
            },
            K::Arrive {
                task, by: Some(by), ..
            } => (task, by, "releases a job of", "a job arrives from"),
            _ => continue,
        };
        let number = numbers.next();
        let cause = format!("{does} {}", name(trace, task));
        let effect = format!("{happens} {}", name(trace, by));
        points.extend(instant(trace, event, by, &cause, names).map(|point| Point {
            leaves: number,
            ..point
        }));
        points.extend(
            instant(trace, event, task, &effect, names).map(|point| Point {
                comes: number,
                ..point
            }),
        );
    }
    points
}

fn name(trace: &Trace, task: TaskId) -> String {
    object_name(&trace.header, Object::Task(task.0))
}

/// An instant on the track of a task, if there is one.
fn instant(
    trace: &Trace,
    event: &Event,
    task: TaskId,
    name: &str,
    names: &mut Names,
) -> Option<Point> {
    trace.header.tasks.get(task.index())?;
    Some(Point {
        time: event.time,
        kind: Kind::Instant,
        track: task_track(task),
        name: names.number(name),
        category: Category::Thread,
        notes: [Some((Key::Cpu, u64::from(event.cpu.0))), None],
        leaves: None,
        comes: None,
    })
}
