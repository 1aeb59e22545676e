//! Semi-partitioned scheduling: tasks whose jobs go from CPU to CPU at instants of their own.
//!
//! Each CPU has a kernel of its own under EDF, as in partitioned scheduling. Where the jobs of a
//! split task are to be, its [`SplitTask`] says. To move it is to take it out of one kernel
//! ([`Core::emigrate`](flyball_kernel::Core::emigrate)), and to put it into the other one
//! ([`Core::immigrate`](flyball_kernel::Core::immigrate)).
//!
//! While some kernel is at work a task that would move waits for it. What moves costs what the
//! kernels' decisions and context switches cost, and its caches are cold; on its way it is as long
//! as an interprocessor interrupt.

use crate::error::SimError;
use crate::machine::{Migrating, Node};
use crate::run::{Options, Outcome, Supervise, drive, start};
use crate::supervised::is_independent;
use core::ops::ControlFlow;
use flyball_catalogue::{Edf, Facts};
use flyball_kernel::Error;
use flyball_model::{Arrival, Task, TaskSet};
use flyball_policy::{Deadline, Duration, SplitTask, TaskId, Time};
use flyball_trace::{CpuId, Sink};

pub use flyball_policy::Subtask;

/// Whether the jobs of a task can go from CPU to CPU: they come with the clock, since arrivals are
/// interrupts of some CPU, and use nothing that others might use.
pub fn may_be_split(task: &Task) -> bool {
    let is_periodic = matches!(task.arrival, Arrival::Periodic { .. });
    is_periodic && task.comes_with_the_clock() && is_independent(&task.behaviour)
}

/// Simulates `set` under EDF on each CPU, with each task in its `subtasks`; the CPUs that the set
/// assigns tasks to do not matter. Nothing is proved by a schedule that repeats itself here
/// ([`Outcome::repeats`]).
///
/// # Errors
/// [`SimError`]; [`SimError::Refused`] for a task with several subtasks that [`may_be_split`] says
/// no to, [`SimError::NoCpu`] for one without any, [`SimError::NoSuchCpu`].
pub fn simulate_split<T: Sink>(
    set: &TaskSet,
    subtasks: &[Vec<Subtask>],
    options: &Options,
    sink: &mut T,
    mut progress: impl FnMut(Time) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    let mut set = set.clone();
    let cpus = set.platform.cpus.max(1);
    let mut rows = vec![0; cpus.into()];
    let mut split = Vec::new();
    for (number, task) in set.tasks.iter_mut().enumerate() {
        let subtasks = subtasks.get(number).map_or(&[][..], Vec::as_slice);
        let Some(first) = subtasks.first() else {
            let task = task.name.clone();
            return Err(SimError::NoCpu { task });
        };
        if let Some(subtask) = subtasks.iter().find(|subtask| subtask.cpu.0 >= cpus) {
            return Err(SimError::NoSuchCpu {
                task: task.name.clone(),
                cpu: subtask.cpu.0,
                cpus,
            });
        }
        task.cpu = Some(first.cpu.0);
        let row = rows[first.cpu.index()];
        rows[first.cpu.index()] += 1;
        if subtasks.len() > 1 {
            let period = task.arrival.period().filter(|_| may_be_split(task));
            let period = period.ok_or_else(|| refused(&task.name, Error::Bound))?;
            split.push(Split {
                name: task.name.clone(),
                task: TaskId::from_index(number),
                way: SplitTask::new(subtasks.to_vec(), period, Time::ZERO + task.phase),
                at: Place::In(first.cpu, row),
            });
        }
    }
    let modes = set.clone().into();
    // A split task begins with the deadline of its first subtask.
    let facts = |number: usize| {
        let mut facts = Facts::of(&set, &set.tasks[number]);
        let until = subtasks[number].first().map(|subtask| subtask.until);
        facts.deadline = until.filter(|&until| until < Duration::MAX);
        facts
    };
    let mut nodes = start(
        &modes,
        ((&Edf).into(), &facts),
        options,
        sink,
        Some(set.tasks.len()),
    )?;
    let outcome = drive(&mut nodes, options, &mut progress, &mut Splits(split))?;
    Ok(Outcome {
        repeats: false,
        ..outcome
    })
}

fn refused(task: &str, error: Error) -> SimError {
    SimError::Refused {
        what: task.to_owned(),
        error,
    }
}

/// The split tasks.
struct Splits(Vec<Split>);

/// A split task.
struct Split {
    name: String,
    task: TaskId,
    way: SplitTask<Vec<Subtask>>,
    at: Place,
}

/// Where a task is.
enum Place {
    /// On this CPU, in this row of its kernel.
    In(CpuId, usize),
    UnderWay(Box<Away>),
}

/// A task that is on no CPU.
struct Away {
    migrating: Migrating,
    /// Whether it goes on with a job, and the CPU time that it has used.
    has_job: bool,
    used: Duration,
    /// Where it goes, and when it comes there at the earliest.
    to: CpuId,
    at: Time,
}

impl Split {
    /// When it is to move next, as far as that is known.
    fn due<T: Sink>(&self, nodes: &[Node<Edf, T>]) -> Time {
        match &self.at {
            Place::UnderWay(away) => away.at.min(self.way.next()),
            Place::In(cpu, row) => {
                let node = &nodes[cpu.index()];
                if *cpu != self.way.home() && !node.has_job(*row) {
                    return Time::ZERO;
                }
                let limit = self.way.limit().filter(|_| node.has_job(*row));
                let used_up = limit.map_or(Time::NEVER, |limit| node.uses_up(*row, limit));
                self.way.next().min(used_up)
            }
        }
    }

    /// The kernels are not at work, and the tasks that ran have run until `now`.
    fn act<T: Sink>(&mut self, nodes: &mut [Node<Edf, T>], now: Time) -> Result<(), SimError> {
        if let Place::In(cpu, row) = self.at {
            let node = &mut nodes[cpu.index()];
            let (has_job, used) = (node.has_job(row), node.used(row, now));
            let (to, from) = self.way.look(now, has_job, used);
            if to == cpu && from <= now {
                return Ok(());
            }
            let migrating = node.take(row, now);
            self.at = Place::UnderWay(Box::new(Away {
                migrating: migrating.map_err(|error| refused(&self.name, error))?,
                has_job,
                used,
                to,
                at: from.max(now + node.message()),
            }));
        }
        let Place::UnderWay(away) = &mut self.at else {
            return Ok(());
        };
        let (to, from) = self.way.look(now, away.has_job, away.used);
        if to != away.to {
            // It comes too late, and is sent on.
            away.at = from.max(now + nodes[to.index()].message());
            away.to = to;
        }
        if away.at > now {
            return Ok(());
        }
        let until = self.way.subtasks()[if away.has_job { self.way.subtask() } else { 0 }].until;
        if let Place::UnderWay(away) = std::mem::replace(&mut self.at, Place::In(to, 0)) {
            let node = &mut nodes[to.index()];
            let row = node
                .put(away.migrating, Deadline(until), now)
                .map_err(|(_, error)| refused(&self.name, error))?;
            self.at = Place::In(to, row);
            debug_assert!(node.handle(row, self.task).is_some());
        }
        Ok(())
    }
}

impl<T: Sink> Supervise<Edf, T> for Splits {
    fn due(&self, nodes: &[Node<Edf, T>]) -> Time {
        let due = self.0.iter().map(|split| split.due(nodes)).min();
        let Some(due) = due else {
            return Time::NEVER;
        };
        let busy = nodes.iter().map(Node::busy_until).max();
        busy.map_or(due, |busy| busy.max(due))
    }

    fn act(&mut self, nodes: &mut [Node<Edf, T>], now: Time) -> Result<(), SimError> {
        for node in nodes.iter_mut() {
            node.open(now)?;
        }
        for split in &mut self.0 {
            split.act(nodes, now)?;
        }
        for node in nodes.iter_mut() {
            node.close()?;
        }
        Ok(())
    }
}
