//! Bandwidth inheritance (Lamastra, Lipari and Abeni, *A bandwidth inheritance algorithm for real-time
//! task synchronization in open systems*, RTSS 2001).
//!
//! A task that waits for a mutex keeps its place in its server. When its turn comes the task runs in
//! that place that is at the end of the chain of owners, on the budget of that server:
//!
//! ```text
//!   H waits for --> mutex 1, owned by M, waits for --> mutex 2, owned by L
//!   L runs in the places of H, of M, and in its own, always on that of the server that is scheduled
//! ```
//!
//! Promises: a server with a small budget does not hold up one with a large one for longer than a
//! critical section takes; and a server is hurt by critical sections of tasks alone that share mutexes with its own, directly or
//! through others: what they take in its place is charged to it. To all other servers it
//! is as if each task computed for itself.
//! Does not promise: that a server's budget is enough. It has to hold the critical sections of others
//! that may be in its tasks' way.
//! Derived here: if the task at the end of a chain cannot run (it sleeps, or its job is over),
//! then those that wait for it leave their servers, and come back when it can. That is decided when
//! the CPU is, so what comes to the same within an instant changes nothing.

use super::chains::Chains;
use super::shared;
use crate::forward::forward;
use crate::policy::{
    Budget, Dispatch, ONLY_CPU, Policy, Ready, Refused, Resched, Stop, Usage, Wants,
};
use crate::storage::Storage;
use core::cmp::Ordering;
use flyball_trace::{CpuId, Duration, ServerId, TaskId, Time};

/// The policy `P` of one CPU, in which a task that waits for a mutex is not out of the way: the task
/// that it waits for runs in its place.
///
/// Complexity: that of `P`, and O(tasks) more when a task begins to wait for a mutex or ceases to.
#[repr(C)]
pub struct Inheriting<P, S: Storage> {
    chains: Chains<S>,
    policy: P,
}

impl<P: Policy, S: Storage> Inheriting<P, S> {
    /// The same policy, with inheritance.
    #[inline(never)]
    pub fn new(policy: P) -> Inheriting<P, S> {
        Inheriting {
            chains: Chains::new(policy.capacity()),
            policy,
        }
    }

    /// The policy in which tasks have their places.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// Takes tasks out of their places in which no task can run, and puts others into theirs.
    #[cold]
    #[inline(never)]
    fn settle(&mut self, cpu: CpuId, now: Time) {
        let mut from = 0;
        while let Some((task, enters)) = self.chains.settle(from) {
            // The CPU is about to be decided.
            let _ = if enters {
                shared::ready(&mut self.policy, cpu, task, Ready::Unblocked, now)
            } else {
                let none = Usage::default();
                shared::stopped(&mut self.policy, cpu, task, none, Stop::Blocked, now)
            };
            from = task.index() + 1;
        }
    }
}

impl<P: Policy, S: Storage> Policy for Inheriting<P, S> {
    type Params = P::Params;
    type Settings = P::Settings;
    const WANTS: Wants = {
        assert!(P::WANTS.preempted, "a place may go to another task");
        P::WANTS.and(Wants::WAITS)
    };

    fn capacity(&self) -> usize {
        self.policy.capacity()
    }

    fn admit(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<(), Refused> {
        self.policy.admit(task, params, now)
    }

    fn adjust(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<Resched, Refused> {
        self.policy.adjust(task, params, now)
    }

    fn tune(&mut self, settings: P::Settings, now: Time) -> Result<Resched, Refused> {
        self.policy.tune(settings, now)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        if self.chains.retire(task) {
            // The CPU is decided anyway.
            let none = Usage::default();
            let _ = shared::stopped(&mut self.policy, ONLY_CPU, task, none, Stop::Completed, now);
        }
        self.policy.retire(task, now);
    }

    #[inline(never)]
    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        let resched = if self.chains.ready(task) {
            shared::ready(&mut self.policy, here, task, why, now)
        } else {
            // It waited, and another task may run in its place.
            Resched::One(ONLY_CPU)
        };
        if self.chains.is_open() {
            return Resched::One(ONLY_CPU);
        }
        resched
    }

    #[inline(never)]
    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let stopped = self.chains.stopped(task, why);
        // The CPU is decided in any case.
        if let Some((place, why)) = stopped.place {
            let _ = shared::stopped(&mut self.policy, cpu, place, used, why, now);
        }
        if stopped.leaves {
            let _ = shared::stopped(&mut self.policy, cpu, task, Usage::default(), why, now);
        }
        Resched::One(ONLY_CPU)
    }

    fn ended(&mut self, task: TaskId, result: u8, now: Time) {
        self.policy.ended(task, result, now);
    }

    forward! { policy: control control_runs filled refilled takes_levels }

    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        self.policy.alarm(cpu, now)
    }

    fn next_alarm(&self, cpu: CpuId) -> Option<Time> {
        self.policy.next_alarm(cpu)
    }

    fn has_alarms(&self) -> bool {
        self.policy.has_alarms()
    }

    #[inline(never)]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        if self.chains.is_open() {
            self.settle(cpu, now);
        }
        let mut dispatch = shared::pick(&mut self.policy, cpu, now)?;
        dispatch.task = self.chains.picked(dispatch.task);
        Some(dispatch)
    }

    /// Of a task that runs in the place of another one: the server of that.
    fn server_of(&self, task: TaskId) -> Option<ServerId> {
        self.policy.server_of(self.chains.place_of(task))
    }

    fn budget(&self, server: ServerId, used: Duration, now: Time) -> Option<Budget> {
        self.policy.budget(server, used, now)
    }

    /// By their places.
    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.policy.compare(a, b)
    }

    fn waits(&mut self, task: TaskId, owner: Option<TaskId>, _now: Time) -> Resched {
        self.chains.wait(task, owner);
        Resched::One(ONLY_CPU)
    }
}
