//! Semi-partitioned scheduling: tasks whose jobs go from CPU to CPU at instants of their own.
//!
//! Each CPU has a kernel of its own under EDF, as in partitioned scheduling. Most tasks stay where they
//! are; a *split* one has several parts, and each of its jobs works on the first one with that part's
//! deadline. When it has had its part it leaves the CPU, and comes to the next one when that part begins:
//! it is taken out of one kernel ([`Core::emigrate`](flyball_kernel::Core::emigrate)), is a message on its
//! way, and is put into the other one ([`Core::immigrate`](flyball_kernel::Core::immigrate)). A job that is
//! done before that stays, and goes home with the next release.
//!
//! ```text
//!   CPU 0   ▇▇▇____▇▇ = its part                    ▇▇
//!           |          ~~~ under way ~~~|           |
//!   CPU 1                               __▇▇▇ done  |
//!           release                     next part   next release
//! ```
//!
//! While some kernel is at work whoever would move waits for it. What moves costs what the kernels'
//! decisions and context switches cost, and its caches are cold; messages take no time beyond that.

use crate::error::SimError;
use crate::machine::{Node, Traveller};
use crate::run::{Options, Outcome, Supervise, drive, start};
use crate::scheduler::{Missing, Scheduler};
use crate::schedulers::Edf;
use crate::supervised::is_independent;
use core::ops::ControlFlow;
use flyball_kernel::Error;
use flyball_model::{Arrival, Task, TaskSet};
use flyball_policy::{Deadline, Duration, TaskId, Time};
use flyball_trace::{CpuId, Sink};
use std::collections::HashMap;

/// What one CPU does of each job of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Which CPU.
    pub cpu: CpuId,
    /// For how long at most, unless it is the last part.
    pub wcet: Duration,
    /// From when on, counted from the job's release; rising from part to part, and zero for the first.
    pub from: Duration,
    /// The part's deadline, counted from the job's release.
    pub until: Duration,
}

/// Whether the jobs of a task can go from CPU to CPU: they come with the clock, since arrivals are
/// interrupts of some CPU, and use nothing that others might use.
pub fn may_be_split(task: &Task) -> bool {
    matches!(task.arrival, Arrival::Periodic { .. }) && is_independent(&task.behaviour)
}

/// Simulates `set` under EDF on each CPU, with each task in its `parts`; the CPUs that the set assigns
/// tasks to do not matter. Nothing is proved by a schedule that repeats itself here
/// ([`Outcome::repeats`]).
///
/// # Errors
/// [`SimError`]; [`SimError::Refused`] for a task with several parts that [`may_be_split`] says no to,
/// [`SimError::NoCpu`] for one without any, [`SimError::NoSuchCpu`].
pub fn simulate_split<T: Sink>(
    set: &TaskSet,
    parts: &[Vec<Part>],
    options: &Options,
    sink: &mut T,
    mut progress: impl FnMut(Time) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    let mut set = set.clone();
    let cpus = set.platform.cpus.max(1);
    let mut rows = vec![0; cpus.into()];
    let mut split = Vec::new();
    let mut parted = Parted::default();
    for (number, task) in set.tasks.iter_mut().enumerate() {
        let parts = parts.get(number).map_or(&[][..], Vec::as_slice);
        let Some(first) = parts.first() else {
            let task = task.name.clone();
            return Err(SimError::NoCpu { task });
        };
        if let Some(part) = parts.iter().find(|part| part.cpu.0 >= cpus) {
            return Err(SimError::NoSuchCpu {
                task: task.name.clone(),
                cpu: part.cpu.0,
                cpus,
            });
        }
        task.cpu = Some(first.cpu.0);
        let row = rows[first.cpu.index()];
        rows[first.cpu.index()] += 1;
        parted.first.insert(task.name.clone(), first.until);
        if parts.len() > 1 {
            let period = task.arrival.period().filter(|_| may_be_split(task));
            split.push(Split {
                name: task.name.clone(),
                task: TaskId(u16::try_from(number).unwrap_or(u16::MAX)),
                period: period.ok_or_else(|| refused(&task.name, Error::Bound))?,
                release: Time::ZERO + task.phase,
                at: Place::In(first.cpu.index(), row),
                part: 0,
                had: Duration::ZERO,
                parts: parts.to_vec(),
            });
        }
    }
    let modes = set.clone().into();
    let mut nodes = start(&modes, &parted, options, sink, Some(set.tasks.len()))?;
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

/// EDF by the deadlines of first parts.
#[derive(Default)]
struct Parted {
    /// By the name of the task.
    first: HashMap<String, Duration>,
}

impl Scheduler for Parted {
    type Policy = <Edf as Scheduler>::Policy;

    fn policy(&self, capacity: usize, cpus: usize) -> Self::Policy {
        Scheduler::policy(&Edf, capacity, cpus)
    }

    fn params(&self, task: &Task) -> Result<Deadline, Missing> {
        match self.first.get(&task.name) {
            Some(&until) => Ok(Deadline(until)),
            None => Scheduler::params(&Edf, task),
        }
    }
}

/// The split tasks.
struct Splits(Vec<Split>);

/// A split task.
struct Split {
    name: String,
    task: TaskId,
    parts: Vec<Part>,
    period: Duration,
    /// When its present job was released, or the first is going to be.
    release: Time,
    at: Place,
    /// The part whose time it is.
    part: usize,
    /// The CPU time that it had used when that part began.
    had: Duration,
}

/// Where a task is.
enum Place {
    /// In this node, in this row.
    In(usize, usize),
    UnderWay(Box<Traveller>),
}

impl Split {
    /// When the next part begins, or the next job is released.
    fn next(&self) -> Time {
        match self.parts.get(self.part + 1) {
            Some(part) => self.release + part.from,
            None => self.release + self.period,
        }
    }

    /// The CPU time that it will have used when it has had its part; nothing limits the last one.
    fn limit(&self) -> Option<Duration> {
        let is_last = self.part + 1 == self.parts.len();
        (!is_last).then(|| self.had + self.parts[self.part].wcet)
    }

    /// When it is to move next, as far as that is known.
    fn due<T: Sink>(&self, nodes: &[Node<Parted, T>]) -> Time {
        let mut due = self.next();
        if let (Place::In(node, row), Some(limit)) = (&self.at, self.limit()) {
            due = due.min(nodes[*node].uses_up(*row, limit));
        }
        due
    }

    /// The kernels are not at work, and whoever ran has run until `now`.
    fn act<T: Sink>(&mut self, nodes: &mut [Node<Parted, T>], now: Time) -> Result<(), SimError> {
        while self.next() <= now {
            let next = self.next();
            self.part = (self.part + 1) % self.parts.len();
            if self.part == 0 {
                self.release = next;
            }
            self.go(nodes, now)?;
        }
        if let (Place::In(node, row), Some(limit)) = (&self.at, self.limit())
            && nodes[*node].has_job(*row)
            && nodes[*node].used(*row, now) >= limit
        {
            let traveller = nodes[*node].take(*row, now);
            let traveller = traveller.map_err(|error| refused(&self.name, error))?;
            self.at = Place::UnderWay(Box::new(traveller));
        }
        Ok(())
    }

    /// To the CPU of its part. Who has no job need not go anywhere but home.
    fn go<T: Sink>(&mut self, nodes: &mut [Node<Parted, T>], now: Time) -> Result<(), SimError> {
        let Part { cpu, until, .. } = self.parts[self.part];
        let to = cpu.index();
        if let Place::In(node, row) = self.at {
            if node == to || self.part > 0 && !nodes[node].has_job(row) {
                self.had = nodes[node].used(row, now);
                return Ok(());
            }
            let traveller = nodes[node].take(row, now);
            let traveller = traveller.map_err(|error| refused(&self.name, error))?;
            self.at = Place::UnderWay(Box::new(traveller));
        }
        if let Place::UnderWay(traveller) = std::mem::replace(&mut self.at, Place::In(to, 0)) {
            let row = nodes[to]
                .put(*traveller, Deadline(until), now)
                .map_err(|(_, error)| refused(&self.name, error))?;
            self.at = Place::In(to, row);
            debug_assert!(nodes[to].handle(row, self.task).is_some());
            self.had = nodes[to].used(row, now);
        }
        Ok(())
    }
}

impl<T: Sink> Supervise<Parted, T> for Splits {
    fn due(&self, nodes: &[Node<Parted, T>]) -> Time {
        let due = self.0.iter().map(|split| split.due(nodes)).min();
        let Some(due) = due else {
            return Time::NEVER;
        };
        let busy = nodes.iter().map(Node::busy_until).max();
        busy.map_or(due, |busy| busy.max(due))
    }

    fn act(&mut self, nodes: &mut [Node<Parted, T>], now: Time) -> Result<(), SimError> {
        for node in nodes.iter_mut() {
            node.open(now)?;
        }
        for split in &mut self.0 {
            split.act(nodes, now)?;
        }
        for node in nodes.iter_mut() {
            node.close(now)?;
        }
        Ok(())
    }
}
