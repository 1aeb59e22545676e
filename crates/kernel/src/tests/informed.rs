//! A policy that wants to know all that the kernel can tell.

use core::cmp::Ordering;
use flyball_policy::{
    Budget, CpuId, Dispatch, Policy, Ready, Refused, Resched, Stop, TaskId, Time, Usage, Wants,
};
use flyball_trace::{Duration, ServerId};
use std::collections::{BTreeMap, BTreeSet};

/// `P`, with a list of what jobs said of themselves, and the graph of tasks that wait for others, from
/// which it finds out itself what `P` is to inherit.
pub(super) struct Informed<P> {
    policy: P,
    pub(super) results: Vec<(TaskId, u8)>,
    owners: BTreeMap<u16, TaskId>,
    queued: BTreeSet<u16>,
}

impl<P> Informed<P> {
    pub(super) fn new(policy: P) -> Self {
        Informed {
            policy,
            results: Vec::new(),
            owners: BTreeMap::new(),
            queued: BTreeSet::new(),
        }
    }
}

impl<P: Policy> Informed<P> {
    /// Finds out anew what `task` inherits, and those that it waits for.
    fn follow(&mut self, task: TaskId, now: Time) -> Resched {
        let mut resched = Resched::None;
        let mut at = Some(task);
        for _ in 0..self.policy.capacity() {
            let Some(task) = at else { break };
            resched = resched.and(self.policy.inherit(task, None, now));
            // One that has not stopped yet does not lend its urgency.
            let waits = |(waiter, owner): &(&u16, &TaskId)| {
                **owner == task && !self.queued.contains(*waiter)
            };
            let waiters = self.owners.iter().filter(waits);
            let most_urgent = waiters
                .map(|(&waiter, _)| TaskId(waiter))
                .min_by(|&a, &b| self.policy.compare(a, b));
            let urges = |&waiter: &TaskId| self.policy.compare(waiter, task) == Ordering::Less;
            if let Some(waiter) = most_urgent.filter(urges) {
                resched = resched.and(self.policy.inherit(task, Some(waiter), now));
            }
            at = self.owners.get(&task.0).copied();
        }
        resched
    }
}

impl<P: Policy> Policy for Informed<P> {
    type Params = P::Params;
    type Settings = P::Settings;
    const WANTS: Wants = P::WANTS
        .and(Wants::RESULTS)
        .and(Wants::WAITS)
        .and(Wants::COUNTS);

    fn capacity(&self) -> usize {
        self.policy.capacity()
    }

    fn admit(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<(), Refused> {
        self.policy.admit(task, params, now)
    }

    fn adjust(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<Resched, Refused> {
        let resched = self.policy.adjust(task, params, now)?;
        Ok(resched.and(self.follow(task, now)))
    }

    fn control(&mut self, cpu: CpuId, now: Time) -> Resched {
        self.policy.control(cpu, now)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        self.policy.retire(task, now);
    }

    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.queued.insert(task.0);
        let resched = self.policy.ready(here, task, why, now);
        // A new job may be less urgent than the last one.
        resched.and(self.follow(task, now))
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let resched = self.policy.stopped(cpu, task, used, why, now);
        if matches!(why, Stop::Blocked | Stop::Completed) {
            self.queued.remove(&task.0);
        }
        match self.owners.get(&task.0) {
            Some(&owner) => resched.and(self.follow(owner, now)),
            None => resched,
        }
    }

    fn ended(&mut self, task: TaskId, result: u8, _now: Time) {
        self.results.push((task, result));
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        self.policy.pick(cpu, now)
    }

    fn server_of(&self, task: TaskId) -> Option<ServerId> {
        self.policy.server_of(task)
    }

    fn budget(&self, server: ServerId, used: Duration, now: Time) -> Option<Budget> {
        self.policy.budget(server, used, now)
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.policy.compare(a, b)
    }

    fn waits(&mut self, task: TaskId, owner: Option<TaskId>, now: Time) -> Resched {
        let before = match owner {
            Some(owner) => self.owners.insert(task.0, owner),
            None => self.owners.remove(&task.0),
        };
        let ends = [before, owner].into_iter().flatten();
        ends.fold(Resched::None, |resched, end| {
            resched.and(self.follow(end, now))
        })
    }
}
