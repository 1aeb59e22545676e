//! A policy that wants to know all that the kernel can tell.

use core::cmp::Ordering;
use flyball_policy::{
    CpuId, Dispatch, Policy, Ready, Refused, Resched, Stop, TaskId, Time, Usage, Wants,
};

/// `P`, and a list of what jobs said of themselves.
pub(super) struct Informed<P> {
    policy: P,
    pub(super) results: Vec<(TaskId, u8)>,
}

impl<P> Informed<P> {
    pub(super) fn new(policy: P) -> Self {
        Informed {
            policy,
            results: Vec::new(),
        }
    }
}

impl<P: Policy> Policy for Informed<P> {
    type Params = P::Params;
    type Settings = P::Settings;
    const WANTS: Wants = P::WANTS.and(Wants::RESULTS);

    fn capacity(&self) -> usize {
        self.policy.capacity()
    }

    fn admit(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<(), Refused> {
        self.policy.admit(task, params, now)
    }

    fn adjust(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<Resched, Refused> {
        self.policy.adjust(task, params, now)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        self.policy.retire(task, now);
    }

    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.policy.ready(here, task, why, now)
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        self.policy.stopped(cpu, task, used, why, now)
    }

    fn ended(&mut self, task: TaskId, result: u8, _now: Time) {
        self.results.push((task, result));
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        self.policy.pick(cpu, now)
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.policy.compare(a, b)
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        self.policy.inherit(to, from, now)
    }
}
