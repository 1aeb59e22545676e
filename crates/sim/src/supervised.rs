//! Several CPUs, and somebody who looks after all of them from time to time.
//!
//! Each CPU has a kernel of its own, as in [`simulate`](crate::simulate). Every period, before
//! anything else happens at that instant, a *supervisor* reads how much CPU time tasks have used, and
//! gives tasks new parameters or moves them to another CPU ([`Cores`]); all of it by calls to the
//! kernels. While some kernel is at work the supervisor waits for it.
//!
//! A move costs what the kernels' decisions and context switches cost, and the task's caches are
//! cold. The messages between CPUs themselves take no time.

use crate::error::SimError;
use crate::machine::Node;
use crate::run::{Options, Outcome, Supervise, drive, start};
use core::ops::ControlFlow;
use flyball_catalogue::{Facts, Scheduler};
use flyball_kernel::{Error, ThreadId};
use flyball_model::{Step, TaskSet};
use flyball_policy::{Duration, TaskId, Time};
use flyball_trace::{CpuId, Sink};

/// What a supervisor sees and does. Tasks and CPUs are numbered as in the task set; `P` is what the
/// policy is told of a task.
pub trait Cores<P> {
    /// The instant.
    fn now(&self) -> Time;

    /// Where a task is; `None` if it has ended.
    fn place(&mut self, task: TaskId) -> Option<CpuId>;

    /// The CPU time that a task has used so far, wherever; `None` if it has ended.
    fn cpu_time(&mut self, task: TaskId) -> Option<Duration>;

    /// The time that a CPU's kernel took so far.
    fn kernel_time(&mut self, cpu: CpuId) -> Duration;

    /// Gives a task new parameters, where it is.
    ///
    /// # Errors
    /// [`Error::Dead`] if it has ended; [`Error::Refused`].
    fn adjust(&mut self, task: TaskId, params: P) -> Result<(), Error>;

    /// Moves a task to another CPU, with new parameters. It stays where it is if it cannot move.
    ///
    /// # Errors
    /// [`Error::Dead`] if it has ended; [`Error::Unknown`] if there is no such CPU; [`Error::Bound`]
    /// if it is sporadic, uses resources that it may share, or waits; [`Error::Refused`].
    fn migrate(&mut self, task: TaskId, to: CpuId, params: P) -> Result<(), Error>;
}

/// Simulates `set` as [`simulate`](crate::simulate) does, and calls `supervise` every `period`, the
/// first time after one. Tasks start on the CPUs that they are bound to.
///
/// # Errors
/// [`SimError`].
pub fn simulate_supervised<S: Scheduler, T: Sink>(
    set: &TaskSet,
    scheduler: &S,
    options: &Options,
    sink: &mut T,
    period: Duration,
    supervise: impl FnMut(&mut dyn Cores<S::Params>),
) -> Result<Outcome, SimError> {
    let modes = set.clone().into();
    let facts = |number: usize| Facts::from(&set.tasks[number]);
    let mut nodes = start(
        &modes,
        (scheduler, &facts),
        options,
        sink,
        Some(set.tasks.len()),
    )?;
    let mut rows = vec![0; nodes.len()];
    let places = set.tasks.iter().map(|task| {
        let node = usize::from(task.cpu.unwrap_or(0));
        let row = rows[node];
        rows[node] += 1;
        Place {
            node,
            row,
            may_move: is_independent(&task.behaviour),
        }
    });
    let mut supervisor = Supervisor {
        places: places.collect(),
        period: period.max(Duration::from_nanos(1)),
        next: Time::ZERO + period,
        supervise,
    };
    let mut progress = |_| ControlFlow::Continue(());
    drive(&mut nodes, options, &mut progress, &mut supervisor)
}

/// Whether a task uses nothing that others might use, so that it need not stay with them.
pub(crate) fn is_independent(steps: &[Step]) -> bool {
    steps.iter().all(|step| match step {
        Step::Compute(_) | Step::Suspend(_) | Step::Yield => true,
        Step::Repeat { body, .. } => is_independent(body),
        _ => false,
    })
}

/// Where a task is.
#[derive(Clone, Copy)]
struct Place {
    node: usize,
    row: usize,
    may_move: bool,
}

struct Supervisor<F> {
    places: Vec<Place>,
    period: Duration,
    next: Time,
    supervise: F,
}

impl<S: Scheduler, T: Sink, F> Supervise<S, T> for Supervisor<F>
where
    F: FnMut(&mut dyn Cores<S::Params>),
{
    fn due(&self, nodes: &[Node<S, T>]) -> Time {
        let busy = nodes.iter().map(Node::busy_until).max();
        busy.map_or(self.next, |busy| busy.max(self.next))
    }

    fn act(&mut self, nodes: &mut [Node<S, T>], now: Time) -> Result<(), SimError> {
        for node in nodes.iter_mut() {
            node.open(now)?;
        }
        let places = &mut self.places;
        (self.supervise)(&mut View { nodes, places, now });
        for node in nodes.iter_mut() {
            node.close()?;
        }
        while self.next <= now {
            self.next += self.period;
        }
        Ok(())
    }
}

/// The machine at one instant.
struct View<'a, S: Scheduler, T: Sink> {
    nodes: &'a mut [Node<S, T>],
    places: &'a mut [Place],
    now: Time,
}

impl<S: Scheduler, T: Sink> View<'_, S, T> {
    fn find(&self, task: TaskId) -> Result<(Place, ThreadId), Error> {
        let place = *self.places.get(task.index()).ok_or(Error::Unknown)?;
        let thread = self.nodes[place.node].handle(place.row, task);
        Ok((place, thread.ok_or(Error::Dead)?))
    }
}

impl<S: Scheduler, T: Sink> Cores<S::Params> for View<'_, S, T> {
    fn now(&self) -> Time {
        self.now
    }

    fn place(&mut self, task: TaskId) -> Option<CpuId> {
        self.cpu_time(task)?;
        let (place, _) = self.find(task).ok()?;
        u8::try_from(place.node).ok().map(CpuId)
    }

    fn cpu_time(&mut self, task: TaskId) -> Option<Duration> {
        let (place, thread) = self.find(task).ok()?;
        self.nodes[place.node].cpu_time(thread, self.now)
    }

    fn kernel_time(&mut self, cpu: CpuId) -> Duration {
        let node = self.nodes.get_mut(cpu.index());
        node.map_or(Duration::ZERO, |node| node.overhead().sum())
    }

    fn adjust(&mut self, task: TaskId, params: S::Params) -> Result<(), Error> {
        let (place, thread) = self.find(task)?;
        self.nodes[place.node].adjust(thread, params, self.now)
    }

    fn migrate(&mut self, task: TaskId, to: CpuId, params: S::Params) -> Result<(), Error> {
        let (place, _) = self.find(task)?;
        if to.index() >= self.nodes.len() {
            return Err(Error::Unknown);
        }
        if to.index() == place.node {
            return self.adjust(task, params);
        }
        if !place.may_move {
            return Err(Error::Bound);
        }
        let traveller = self.nodes[place.node].take(place.row, self.now)?;
        let (node, row, moved) = match self.nodes[to.index()].put(traveller, params, self.now) {
            Ok(row) => (to.index(), row, Ok(())),
            Err((traveller, error)) => {
                // It has just left, so there is room, and its parameters were good enough; and if
                // they are not, it has ended for all that the simulation knows.
                let back = self.nodes[place.node].put(traveller, params, self.now);
                (place.node, back.unwrap_or(place.row), Err(error))
            }
        };
        self.places[task.index()] = Place { node, row, ..place };
        moved
    }
}
