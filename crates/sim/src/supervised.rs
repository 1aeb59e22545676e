//! Several CPUs, and a controller that looks after all of them from time to time.
//!
//! Each CPU has a kernel of its own, as in [`simulate`](crate::simulate). Before anything else
//! happens at the instant that it asked for, a [`Controller`] reads how much CPU time tasks have
//! used, and gives tasks new parameters or moves them to another CPU; all of it by calls to the
//! kernels ([`CorePlant`]). While some kernel is at work the controller waits for it.
//!
//! A move costs what the kernels' decisions and context switches cost, and the task's caches are
//! cold. The messages between CPUs themselves take no time.

use crate::error::SimError;
use crate::machine::{Node, PolicyOf, Simulated};
use crate::run::{Options, Outcome, Supervise, drive, start};
use core::ops::ControlFlow;
use flyball_catalogue::{Facts, Scheduler};
use flyball_kernel::{Core, CorePlant, Cores, Error, ThreadId};
use flyball_model::{Step, TaskSet};
use flyball_policy::{Controller, Duration, TaskId, Time};
use flyball_trace::{CpuId, Sink};

/// Simulates `set` as [`simulate`](crate::simulate) does, under `controller`. Tasks start on the
/// CPUs that they are bound to, and have the numbers of the task set for the controller.
///
/// # Errors
/// [`SimError`].
pub fn simulate_controlled<S: Scheduler, T: Sink>(
    set: &TaskSet,
    scheduler: &S,
    options: &Options,
    sink: &mut T,
    controller: &mut impl Controller<PolicyOf<S>>,
) -> Result<Outcome, SimError> {
    let modes = set.clone().into();
    let facts = |number: usize| Facts::of(set, &set.tasks[number]);
    let mut nodes = start(
        &modes,
        (scheduler.into(), &facts),
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
    let mut controlled = Controlled {
        places: places.collect(),
        after: Time::ZERO,
        controller,
    };
    let mut progress = |_| ControlFlow::Continue(());
    drive(&mut nodes, options, &mut progress, &mut controlled)
}

/// Whether a task uses nothing that others might use, so that it need not stay with them.
pub(crate) fn is_independent(steps: &[Step]) -> bool {
    steps.iter().all(|step| match step {
        Step::Compute(_)
        | Step::Overrun { .. }
        | Step::Stalling { .. }
        | Step::Suspend(_)
        | Step::Yield
        | Step::Control
        | Step::Result(_) => true,
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

/// A controller, and where its tasks are.
struct Controlled<'a, K> {
    places: Vec<Place>,
    /// Before this instant it does not run again, whatever it asks for.
    after: Time,
    controller: &'a mut K,
}

impl<S: Scheduler, T: Sink, K: Controller<PolicyOf<S>>> Supervise<S, T> for Controlled<'_, K> {
    fn due(&self, nodes: &[Node<S, T>]) -> Time {
        let next = self.controller.next().max(self.after);
        let busy = nodes.iter().map(Node::busy_until).max();
        busy.map_or(next, |busy| busy.max(next))
    }

    fn act(&mut self, nodes: &mut [Node<S, T>], now: Time) -> Result<(), SimError> {
        for node in nodes.iter_mut() {
            node.open(now)?;
        }
        let places = &mut self.places;
        let mut machine = Machine { nodes, places, now };
        self.controller.run(&mut CorePlant(&mut machine), now);
        for node in nodes.iter_mut() {
            node.close()?;
        }
        self.after = now + Duration::from_nanos(1);
        Ok(())
    }
}

/// The machine at one instant, with all kernels entered.
struct Machine<'a, S: Scheduler, T: Sink> {
    nodes: &'a mut [Node<S, T>],
    places: &'a mut [Place],
    now: Time,
}

impl<S: Scheduler, T: Sink> Cores for Machine<'_, S, T> {
    type Config = Simulated<PolicyOf<S>, T>;

    fn cpu(&mut self, task: TaskId) -> Option<CpuId> {
        let place = self.places.get(task.index())?;
        // CPUs have numbers of a byte.
        let cpu = u8::try_from(place.node).ok().map(CpuId)?;
        self.nodes[place.node].handle(place.row, task).map(|_| cpu)
    }

    fn with_core<R>(
        &mut self,
        cpu: CpuId,
        f: impl FnOnce(&mut Core<Self::Config>, CpuId, Time) -> R,
    ) -> Option<R> {
        let now = self.now;
        let node = self.nodes.get_mut(cpu.index())?;
        Some(node.with_core(|core, cpu| f(core, cpu, now)))
    }

    fn with_thread<R>(
        &mut self,
        task: TaskId,
        f: impl FnOnce(&mut Core<Self::Config>, CpuId, ThreadId, Time) -> R,
    ) -> Option<R> {
        let place = *self.places.get(task.index())?;
        let thread = self.nodes[place.node].handle(place.row, task)?;
        let cpu = self.cpu(task)?;
        self.with_core(cpu, |core, cpu, now| f(core, cpu, thread, now))
    }

    fn carry(&mut self, task: TaskId, to: CpuId, params: S::Params) -> Result<(), Error> {
        let place = *self.places.get(task.index()).ok_or(Error::Dead)?;
        if !place.may_move {
            return Err(Error::Bound);
        }
        let migrating = self.nodes[place.node].take(place.row, self.now)?;
        let (node, row, moved) = match self.nodes[to.index()].put(migrating, params, self.now) {
            Ok(row) => (to.index(), row, Ok(())),
            Err((migrating, error)) => {
                // It has just left, so there is room, and its parameters were good enough; and if
                // they are not, it has ended for all that the simulation knows.
                let back = self.nodes[place.node].put(migrating, params, self.now);
                (place.node, back.unwrap_or(place.row), Err(error))
            }
        };
        self.places[task.index()] = Place { node, row, ..place };
        moved
    }
}
