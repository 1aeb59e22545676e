//! A policy around a policy that watches the kernel keep its side of the contract.

use core::cmp::Ordering;
use flyball_policy::{
    CpuId, Dispatch, Policy, Ready, Refused, Resched, Stop, TaskId, Time, Usage, Wants,
};
use std::collections::{HashMap, HashSet};

pub(super) struct Watched<P: Policy> {
    pub(super) policy: P,
    members: HashSet<TaskId>,
    pub(super) queued: HashSet<TaskId>,
    running: HashMap<CpuId, TaskId>,
    now: Time,
    /// The task whose job is about to stop, completed.
    ending: Option<TaskId>,
    /// The tasks of the jobs that were completed so far.
    pub(super) ended: Vec<TaskId>,
}

impl<P: Policy> Watched<P> {
    pub(super) fn new(policy: P) -> Self {
        Watched {
            policy,
            members: HashSet::new(),
            queued: HashSet::new(),
            running: HashMap::new(),
            now: Time::ZERO,
            ending: None,
            ended: Vec::new(),
        }
    }

    fn check(&mut self, task: TaskId, now: Time) {
        assert!(self.members.contains(&task), "{task:?} is no member");
        self.tick(now);
    }

    fn tick(&mut self, now: Time) {
        assert!(now >= self.now, "time went backwards");
        assert_eq!(self.ending, None, "it has ended, and goes on");
        self.now = now;
    }
}

impl<P: Policy> Policy for Watched<P> {
    type Params = P::Params;
    type Settings = P::Settings;
    const WANTS: Wants = P::WANTS;

    fn capacity(&self) -> usize {
        self.policy.capacity()
    }

    fn admit(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<(), Refused> {
        self.tick(now);
        self.policy.admit(task, params, now)?;
        assert!(self.members.insert(task));
        Ok(())
    }

    fn adjust(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<Resched, Refused> {
        self.check(task, now);
        self.policy.adjust(task, params, now)
    }

    fn tune(&mut self, settings: P::Settings, now: Time) -> Result<Resched, Refused> {
        self.tick(now);
        self.policy.tune(settings, now)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        self.check(task, now);
        assert!(
            !self.queued.contains(&task),
            "{task:?} retires from the queue"
        );
        self.members.remove(&task);
        self.policy.retire(task, now);
    }

    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.check(task, now);
        assert!(self.queued.insert(task), "{task:?} is ready twice");
        self.policy.ready(here, task, why, now)
    }

    fn ended(&mut self, task: TaskId, result: u8, now: Time) {
        assert!(Self::WANTS.results, "nobody asked for it");
        self.check(task, now);
        assert!(
            self.running.values().any(|&runs| runs == task),
            "{task:?} has ended without running"
        );
        self.ending = Some(task);
        self.ended.push(task);
        self.policy.ended(task, result, now);
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        if let Some(ending) = self.ending.take() {
            assert_eq!((task, why), (ending, Stop::Completed));
        }
        self.check(task, now);
        assert!(
            self.queued.contains(&task),
            "{task:?} stops, but is not queued"
        );
        if self.running.get(&cpu) == Some(&task) {
            self.running.remove(&cpu);
        } else {
            assert_eq!(used, Usage::default(), "{task:?} does not run");
        }
        if matches!(why, Stop::Blocked | Stop::Completed) {
            self.queued.remove(&task);
        }
        self.policy.stopped(cpu, task, used, why, now)
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        self.tick(now);
        assert!(
            !Self::WANTS.preempted || !self.running.contains_key(&cpu),
            "picked before the running task was stopped"
        );
        let choice = self.policy.pick(cpu, now)?;
        assert!(self.queued.contains(&choice.task));
        self.running.insert(cpu, choice.task);
        Some(choice)
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        assert!(self.members.contains(&a) && self.members.contains(&b));
        self.policy.compare(a, b)
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        self.check(to, now);
        if let Some(from) = from {
            assert!(self.members.contains(&from) && !self.queued.contains(&from));
        }
        self.policy.inherit(to, from, now)
    }
}
