//! A cluster with its kernel, made from a task set.

use super::devices::Devices;
use super::follow::{Follow, MOMENT};
use super::{Asked, CPU, Clocks, Costs, Counts, Cycle, Details, Lane, Node, Thread, change};
use crate::called::Called;
use crate::error::SimError;
use crate::modes::Modes;
use crate::program::Program;
use crate::tap::Tap;
use flyball_catalogue::{Facts, Scheduler, Size};
use flyball_kernel::{
    Attributes, Core, OnMiss, Protocol, QueueId, Release, Sizes, Timing, Trigger,
};
use flyball_model::arrivals::{Arrivals, Lateness};
use flyball_model::{Arrival, Task, TaskSet};
use flyball_policy::queue::Tournament;
use flyball_policy::{CpuId, CpuSet, Duration, TaskId, Time};
use flyball_trace::Sink;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::rc::Rc;

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// The cluster of `cpus` CPUs from number `cpu` on, with the tasks that `numbers` names, in
    /// rising order, and room for `capacity` tasks. The scheduler reads of each task what `facts`
    /// says. The first mode starts at time zero. All clusters share the sink, and perhaps clocks.
    pub(crate) fn new(
        modes: &Modes,
        numbers: &[usize],
        capacity: usize,
        (cpu, cpus): (CpuId, usize),
        (called, facts): (Called<'_, S>, &dyn Fn(usize) -> Facts),
        seed: u64,
        (sink, asked): (Rc<RefCell<T>>, Option<&Rc<Asked>>),
    ) -> Result<Self, SimError> {
        let set = &modes.set;
        let mut all = modes.all().tasks.iter();
        // A table for those that wait takes longer to make than a short simulation.
        let may_wait = !all.all(Task::comes_with_the_clock);
        let sizes = Sizes {
            cpus,
            threads: capacity,
            mutexes: set.mutexes.len(),
            semaphores: set.semaphores.len(),
            conditions: 0,
            queues: set.queues.len(),
            messages: set
                .queues
                .iter()
                .filter(|queue| queue.gauge.is_none())
                .map(|queue| usize::from(queue.capacity))
                .sum(),
            arrivals: if may_wait { u16::MAX.into() } else { 0 },
        };
        let tap = Tap {
            sink: Rc::clone(&sink),
            cpu,
            tasks: numbers.iter().copied().map(TaskId::from_index).collect(),
            asks: asked.is_some(),
        };
        let timing = set.platform.tick.map_or(Timing::Tickless, Timing::Tick);
        let speeds = set.platform.speeds.as_ref();
        let seen = modes.seen.as_ref().filter(|_| cpus == 1);
        let follow = seen.map(|seen| Box::new(Follow::new(seen, cpu, capacity)));
        let mut node = Node {
            core: Core::new(
                called.scheduler.policy(Size::new(capacity, cpus)),
                tap,
                timing,
                &sizes,
            ),
            sink,
            cpu,
            threads: Vec::with_capacity(numbers.len()),
            details: Vec::with_capacity(numbers.len()),
            mutexes: Vec::new(),
            semaphores: Vec::new(),
            queues: Vec::new(),
            gauges: Vec::new(),
            triggers: HashSet::new(),
            changes: change::of(modes, numbers, called)?,
            beginning: change::Beginning::new(),
            seed,
            arrivals: BinaryHeap::new(),
            lateness: Lateness::of(set),
            devices: Devices::of(set, numbers, cpu == CPU, seed),
            costs: Costs::new(&set.platform, capacity, follow.is_some()),
            follow,
            control_runs: 0,
            clocks: speeds.map(|speeds| Box::new(Clocks::new(speeds, cpus, asked.cloned()))),
            lanes: (0..cpus).map(|_| Lane::default()).collect(),
            nexts: Tournament::new(cpus),
            inside: CpuSet::EMPTY,
            plain: false,
            calls: (Time::ZERO, 0),
            counts: Counts::default(),
            deadlock: None,
            cycle: Cycle::new::<S>(modes, cpus),
        };
        if let Some(speeds) = speeds {
            for cpu in node.cpus() {
                node.core.starts_at(cpu, speeds.fastest());
            }
        }
        node.make_objects(set)?;
        for &number in numbers.iter().filter(|&&number| number < modes.first) {
            let task = &set.tasks[number];
            let params = called.params(task, &facts(number))?;
            let from = Time::ZERO + node.follow.as_ref().map_or(Duration::ZERO, |_| MOMENT);
            node.spawn(task, number, params, from, Time::ZERO)?;
        }
        Ok(node)
    }

    fn make_objects(&mut self, set: &TaskSet) -> Result<(), SimError> {
        let refused = |what: &str| {
            let what = what.to_owned();
            move |error| SimError::Refused { what, error }
        };
        for mutex in &set.mutexes {
            let protocol = match mutex.protocol {
                flyball_model::Protocol::None => Protocol::None,
                flyball_model::Protocol::Inherit => Protocol::Inherit,
            };
            self.mutexes
                .push(self.core.mutex(protocol).map_err(refused(&mutex.name))?);
        }
        for semaphore in &set.semaphores {
            let made = self.core.semaphore(semaphore.initial);
            self.semaphores
                .push(made.map_err(refused(&semaphore.name))?);
        }
        for queue in &set.queues {
            let name = &queue.name;
            let (queue, gauge) = match queue.gauge {
                None => (self.core.queue(queue.capacity), None),
                Some(kind) => {
                    let made = self.core.gauge(queue.capacity, kind);
                    // Its number among queues, which no call of a queue names.
                    let number = made.map(|gauge| QueueId::from_number(gauge.number()));
                    (number, made.ok())
                }
            };
            self.queues.push(queue.map_err(refused(name))?);
            self.gauges.push(gauge);
        }
        Ok(())
    }

    /// What releases jobs, as the kernel knows it.
    fn trigger(&self, trigger: flyball_model::Trigger) -> Trigger {
        match trigger {
            flyball_model::Trigger::Queue(n) => Trigger::Queue(self.queues[usize::from(n)]),
            flyball_model::Trigger::Semaphore(n) => {
                Trigger::Semaphore(self.semaphores[usize::from(n)])
            }
        }
    }

    /// A thread for the task of that number. It starts its phase after `from`.
    pub(super) fn spawn(
        &mut self,
        task: &Task,
        number: usize,
        params: S::Params,
        from: Time,
        now: Time,
    ) -> Result<(), SimError> {
        let seed = self.seed;
        let release = match task.arrival {
            Arrival::Periodic { period } if task.jitter.is_zero() => Release::Periodic { period },
            Arrival::Periodic { period: separation }
            | Arrival::Sporadic { separation, .. }
            | Arrival::Event { separation, .. } => Release::Sporadic { separation },
            Arrival::Once => Release::Once,
        };
        let start = from + task.phase;
        let on_miss = match task.on_miss {
            flyball_model::OnMiss::Continue => OnMiss::Continue,
            flyball_model::OnMiss::Skip => OnMiss::Skip,
            flyball_model::OnMiss::Abort => OnMiss::Abort,
            flyball_model::OnMiss::Latest => OnMiss::Latest,
        };
        let attributes = Attributes {
            release,
            start,
            deadline: task.deadline,
            on_miss,
            alert: None,
        };
        let handle = self
            .core
            .spawn(CPU, attributes, params, now)
            .map_err(|error| self.refused(&task.name, error))?;
        if let Some(trigger) = task.trigger() {
            let trigger = self.trigger(trigger);
            let bound = self.core.release_by(handle, trigger);
            bound.map_err(|error| self.refused(&task.name, error))?;
            self.triggers.insert(trigger);
        }
        let arrivals = Arrivals::of(task, number, start, self.lateness, seed);
        if let Some(arrivals) = &arrivals {
            let row = self.threads.len();
            self.arrivals.push(Reverse((arrivals.peek().release, row)));
        }
        self.threads.push(Thread {
            program: Program::new(task, number, seed),
            handle,
            once: task.arrival == Arrival::Once,
            cold: false,
        });
        let name = task.name.clone();
        let number = TaskId::from_index(number);
        self.details.push(Details {
            name,
            number,
            arrivals,
            next: None,
        });
        Ok(())
    }
}

impl Default for Lane {
    fn default() -> Lane {
        Lane {
            entry: None,
            running: None,
            resumed: Time::ZERO,
            busy_until: Time::ZERO,
            interrupt: Time::NEVER,
            unpaid: 0,
            released: 0,
        }
    }
}
