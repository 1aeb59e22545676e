//! A simulation from start to end.

use crate::called::Called;
use crate::energy::SpeedUse;
use crate::error::SimError;
use crate::machine::{Asked, Node, reason};
use crate::modes::Modes;
use crate::partition;
use flyball_catalogue::{Facts, Scheduler};
use flyball_model::{Task, TaskSet};
use flyball_policy::Boxed;
use flyball_policy::queue::Tournament;
use flyball_trace::{CpuId, Duration, Sink, TaskId, Time};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// How a simulation is to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// When it ends: what happens at that instant still counts, but for releases.
    pub until: Duration,
    /// Whether it ends at the first deadline that is missed.
    pub stop_at_miss: bool,
    /// What all random numbers come from.
    pub seed: u64,
}

impl Options {
    /// A simulation until `until`, come what may, with seed 0.
    pub fn until(until: Duration) -> Options {
        Options {
            until,
            stop_at_miss: false,
            seed: 0,
        }
    }
}

/// What came out of a simulation. A trace or metrics come out of the sink.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// When it ended.
    pub ended: Time,
    /// Why.
    pub why: Ended,
    /// Jobs that were completed.
    pub jobs: u64,
    /// Deadlines that were missed.
    pub misses: u64,
    /// How often a running job lost the CPU to another one.
    pub preemptions: u64,
    /// How often a CPU began to run another task than the one it had run last.
    pub context_switches: u64,
    /// Idle time of each CPU.
    pub idle: Vec<Duration>,
    /// Time that each CPU's kernel took.
    pub overhead: Vec<Duration>,
    /// The first task that closed a ring of mutexes, in which every task waits for ever.
    pub deadlock: Option<Deadlock>,
    /// The schedule is known to repeat itself without end, so that what did not happen never will.
    pub repeats: bool,
    /// How operating points were used, where the platform has some.
    pub speeds: Option<SpeedUse>,
}

/// A task waits for a mutex whose owner, directly or through others, waits for the task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadlock {
    /// The task, as the set numbers it.
    pub task: TaskId,
    /// The mutex, as the set numbers it.
    pub mutex: u16,
    /// Since when.
    pub at: Time,
}

/// Why a simulation ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// It came to the end that was asked for.
    Until,
    /// A deadline was missed, and the simulation was to end then.
    Miss,
    /// The caller, which watches the progress, has ended the simulation.
    Interrupted,
}

/// Simulates `set` under `scheduler` on the CPUs of its platform; events go to `sink`.
///
/// With several CPUs each cluster of them ([`Scheduler::cluster`]) has a kernel of its own, and
/// each task runs in the cluster of the CPU that it is assigned to. O(log tasks) a job for the
/// usual policies.
///
/// # Errors
/// [`SimError`]; the sink may have taken some events by then.
pub fn simulate<S: Scheduler, T: Sink>(
    set: &TaskSet,
    scheduler: &S,
    options: &Options,
    sink: &mut T,
) -> Result<Outcome, SimError> {
    simulate_with_progress(set, scheduler, options, sink, |_| ControlFlow::Continue(()))
}

/// As [`simulate`]; tells `progress` from time to time how far it has come, and ends if that says
/// so.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_with_progress<S: Scheduler, T: Sink>(
    set: &TaskSet,
    scheduler: &S,
    options: &Options,
    sink: &mut T,
    progress: impl FnMut(Time) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    simulate_modes(&set.clone().into(), scheduler, options, sink, progress)
}

/// As [`simulate_with_progress`], of a task set that changes while it runs. Tasks are numbered in
/// the order in which they begin.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_modes<'a, S: Scheduler + 'a, T: Sink>(
    modes: &Modes,
    scheduler: impl Into<Called<'a, S>>,
    options: &Options,
    sink: &mut T,
    mut progress: impl FnMut(Time) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    let facts = |number: usize| Facts::of(modes.all(), &modes.all().tasks[number]);
    let scheduler = (scheduler.into(), &facts as &dyn Fn(usize) -> Facts);
    let mut nodes = start(modes, scheduler, options, sink, None)?;
    drive(&mut nodes, options, &mut progress, &mut Nobody)
}

/// Whether `set` can be simulated under `scheduler`: it says all that the policy has to know, and
/// on which CPUs tasks run.
///
/// # Errors
/// [`SimError`].
pub fn fits<'a, S: Scheduler + 'a>(
    set: &TaskSet,
    scheduler: impl Into<Called<'a, S>>,
) -> Result<(), SimError> {
    let called = scheduler.into();
    for task in &set.tasks {
        called.params(task, &Facts::of(set, task))?;
    }
    let (clusters, size) = clusters(set, called.scheduler)?;
    let all = usize::from(set.platform.cpus.max(1));
    for (cluster, numbers) in clusters.iter().enumerate() {
        let tasks: Vec<&Task> = numbers.iter().map(|&task| &set.tasks[task]).collect();
        let facts: Vec<Facts> = tasks.iter().map(|task| Facts::of(set, task)).collect();
        // The last one may be smaller.
        let cpus = size.min(all - cluster * size);
        if let Some((position, why)) = called.scheduler.unserved(&facts, cpus) {
            let task = tasks[position];
            let (what, location) = match set.server_of(task) {
                Some((_, server)) => (format!("server \"{}\"", server.name), server.location),
                None => (format!("task \"{}\"", task.name), task.location),
            };
            return Err(SimError::Unserved {
                what,
                location,
                why,
            });
        }
    }
    Ok(())
}

/// The numbers of the tasks of each cluster, and how many CPUs a cluster has.
fn clusters<S: Scheduler>(
    set: &TaskSet,
    scheduler: &S,
) -> Result<(Vec<Vec<usize>>, usize), SimError> {
    let cpus = set.platform.cpus;
    let size = scheduler.cluster().clamp(1, usize::from(cpus.max(1)));
    Ok((partition::by_cluster(set, cpus, size)?, size))
}

/// Each cluster of the sets' platform with the tasks that are assigned to it, at time zero, and
/// room for `capacity` tasks; `None`: for those. The scheduler reads of each task what `facts`
/// says.
pub(crate) fn start<S: Scheduler, T: Sink>(
    modes: &Modes,
    (called, facts): (Called<'_, S>, &dyn Fn(usize) -> Facts),
    options: &Options,
    sink: T,
    capacity: Option<usize>,
) -> Result<Vec<Node<S, T>>, SimError> {
    if let Some(task) = modes.impossible() {
        let task = task.name.clone();
        return Err(SimError::Change { task });
    }
    let sink = Rc::new(RefCell::new(sink));
    let set = modes.all();
    let all = usize::from(set.platform.cpus.max(1));
    let (clusters, size) = clusters(set, called.scheduler)?;
    let speeds = set.platform.speeds.as_ref();
    let asked = speeds
        .and_then(|speeds| Asked::new(speeds, all))
        .map(Rc::new);
    let mut nodes = Vec::with_capacity(clusters.len());
    for (cpu, tasks) in (0..=u8::MAX).step_by(size).zip(&clusters) {
        // The last one may be smaller.
        let cpus = size.min(all - usize::from(cpu));
        nodes.push(Node::new(
            modes,
            tasks,
            capacity.unwrap_or(tasks.len()),
            (CpuId(cpu), cpus),
            (called, facts),
            options.seed,
            (Rc::clone(&sink), asked.as_ref()),
        )?);
    }
    for node in &mut nodes {
        node.start()?;
    }
    Ok(nodes)
}

/// Code that looks after all CPUs from time to time.
pub(crate) trait Supervise<S: Scheduler, T: Sink> {
    /// When the next time is; [`Time::NEVER`]: there is none.
    fn due(&self, nodes: &[Node<S, T>]) -> Time;

    /// It has come, before anything else happens at that instant.
    fn act(&mut self, nodes: &mut [Node<S, T>], now: Time) -> Result<(), SimError>;
}

/// CPUs are left alone.
struct Nobody;

impl<S: Scheduler, T: Sink> Supervise<S, T> for Nobody {
    fn due(&self, _: &[Node<S, T>]) -> Time {
        Time::NEVER
    }

    fn act(&mut self, _: &mut [Node<S, T>], _: Time) -> Result<(), SimError> {
        Ok(())
    }
}

/// CPUs follow the clocks that they share.
fn follow_clocks<S: Scheduler, T: Sink>(nodes: &mut [Node<S, T>], now: Time) {
    for node in nodes.iter_mut().filter(|node| node.shares_clocks()) {
        node.follow_clocks(now);
    }
}

/// When something happens next in each cluster.
fn ask_all<S: Scheduler, T: Sink>(nexts: &mut Tournament<Boxed>, nodes: &[Node<S, T>]) {
    for (number, node) in nodes.iter().enumerate() {
        nexts.set(number, node.next_event());
    }
}

/// Lets time pass, from event to event.
pub(crate) fn drive<S: Scheduler, T: Sink>(
    nodes: &mut [Node<S, T>],
    options: &Options,
    progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    supervisor: &mut impl Supervise<S, T>,
) -> Result<Outcome, SimError> {
    /// Steps between two looks at the progress: some milliseconds.
    const STEPS: u32 = 1 << 15;
    let until = Time::ZERO + options.until;
    let mut ended = until;
    let mut interrupted = false;
    let mut steps = 0;
    // Clusters share nothing but clocks, so only the one where something happened has another next event.
    let shares = nodes.iter().any(Node::shares_clocks);
    follow_clocks(nodes, Time::ZERO);
    let mut nexts = Tournament::new(nodes.len());
    ask_all(&mut nexts, nodes);
    loop {
        let now = nexts.first();
        let due = supervisor.due(nodes);
        if due < until && due <= now {
            supervisor.act(nodes, due)?;
            follow_clocks(nodes, due);
            ask_all(&mut nexts, nodes);
            continue;
        }
        // The first of several CPUs with something at the same instant: their order is fixed.
        let Some(cpu) = nexts.due(0, now).filter(|_| now < until) else {
            break;
        };
        let node = &mut nodes[cpu];
        node.step(now)?;
        nexts.set(cpu, node.next_event());
        let missed = options.stop_at_miss && node.misses() > 0;
        if shares {
            follow_clocks(nodes, now);
            ask_all(&mut nexts, nodes);
        }
        if missed {
            ended = now;
            break;
        }
        steps += 1;
        if steps == STEPS {
            steps = 0;
            if progress(now).is_break() {
                interrupted = true;
                ended = now;
                break;
            }
        }
    }
    for node in nodes.iter_mut() {
        node.finish(ended)?;
    }
    Ok(Outcome {
        ended,
        why: if interrupted {
            Ended::Interrupted
        } else {
            reason(nodes, options.stop_at_miss)
        },
        jobs: nodes.iter().map(|node| node.counts.jobs).sum(),
        misses: nodes.iter().map(Node::misses).sum(),
        preemptions: nodes.iter().map(|node| node.counts.preemptions).sum(),
        context_switches: nodes.iter().map(|node| node.counts.switches).sum(),
        idle: nodes.iter().flat_map(Node::idle).collect(),
        overhead: nodes.iter().flat_map(Node::overhead).collect(),
        deadlock: nodes
            .iter()
            .filter_map(|node| node.deadlock)
            .min_by_key(|deadlock| deadlock.at),
        repeats: nodes.iter().all(|node| node.cycle.proved),
        speeds: nodes
            .iter_mut()
            .filter_map(|node| node.speed_use(ended))
            .reduce(SpeedUse::join),
    })
}
