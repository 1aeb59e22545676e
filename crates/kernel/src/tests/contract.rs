//! A policy around a policy that watches the kernel keep its side of the contract.

use core::cmp::Ordering;
use flyball_policy::{
    Budget, Counts, CpuId, Dispatch, Policy, Ready, Refused, Resched, Stop, TaskId, Time, Usage,
    Wants,
};
use flyball_trace::{Duration, ServerId};
use std::collections::{HashMap, HashSet};

pub(super) struct Watched<P: Policy> {
    pub(super) policy: P,
    members: HashSet<TaskId>,
    pub(super) queued: HashSet<TaskId>,
    running: HashMap<CpuId, TaskId>,
    now: Time,
    /// Whether more urgent tasks run before less urgent ones.
    pub(super) ranks: bool,
    /// The task that has to stop next, and why.
    ending: Option<(TaskId, Stop)>,
    /// The tasks of the jobs that were completed so far.
    pub(super) ended: Vec<TaskId>,
    /// The task that has to stop next, as what it was counted for has been told.
    counted: Option<TaskId>,
    /// The cycles that were counted for all tasks so far.
    pub(super) cycles: u64,
    /// The owners that tasks wait for, as the policy has been told.
    pub(super) waiting: HashMap<TaskId, TaskId>,
}

impl<P: Policy> Watched<P> {
    pub(super) fn new(policy: P) -> Self {
        Watched {
            policy,
            members: HashSet::new(),
            queued: HashSet::new(),
            running: HashMap::new(),
            now: Time::ZERO,
            ranks: true,
            ending: None,
            ended: Vec::new(),
            counted: None,
            cycles: 0,
            waiting: HashMap::new(),
        }
    }

    fn check(&mut self, task: TaskId, now: Time) {
        assert!(self.members.contains(&task), "{task:?} is no member");
        self.tick(now);
    }

    fn tick(&mut self, now: Time) {
        assert!(now >= self.now, "time went backwards");
        assert_eq!(self.ending, None, "it has ended, and goes on");
        assert_eq!(self.counted, None, "it was counted, and goes on");
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

    fn control(&mut self, cpu: CpuId, now: Time) -> Resched {
        self.tick(now);
        self.policy.control(cpu, now)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        self.check(task, now);
        assert!(
            !self.queued.contains(&task),
            "{task:?} retires from the queue"
        );
        self.members.remove(&task);
        let mut waits = self.waiting.iter();
        assert!(
            waits.all(|(&waiter, &owner)| waiter != task && owner != task),
            "{task:?} retires from a chain"
        );
        self.policy.retire(task, now);
    }

    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.check(task, now);
        assert!(self.queued.insert(task), "{task:?} is ready twice");
        assert!(!self.waiting.contains_key(&task), "{task:?} still waits");
        self.policy.ready(here, task, why, now)
    }

    fn ended(&mut self, task: TaskId, result: u8, now: Time) {
        assert!(Self::WANTS.results, "nobody asked for it");
        self.check(task, now);
        assert!(
            self.running.values().any(|&runs| runs == task),
            "{task:?} has ended without running"
        );
        self.ending = Some((task, Stop::Completed));
        self.ended.push(task);
        self.policy.ended(task, result, now);
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        if let Some(ending) = self.ending.take() {
            assert_eq!((task, why), ending);
        }
        if let Some(counted) = self.counted.take() {
            assert_eq!(task, counted);
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

    fn counted(&mut self, cpu: CpuId, task: TaskId, counts: &Counts, now: Time) -> Resched {
        assert!(Self::WANTS.counts, "nobody asked for it");
        assert!(now >= self.now && self.members.contains(&task));
        assert_eq!(self.running.get(&cpu), Some(&task), "it does not run");
        self.counted = Some(task);
        self.cycles += u64::from(counts.cycles);
        self.policy.counted(cpu, task, counts, now)
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

    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        assert!(Self::WANTS.alarms, "no policy asked");
        assert!(self.next_alarm(cpu).is_some_and(|at| at <= now));
        self.policy.alarm(cpu, now)
    }

    fn next_alarm(&self, cpu: CpuId) -> Option<Time> {
        self.policy.next_alarm(cpu)
    }

    fn server_of(&self, task: TaskId) -> Option<ServerId> {
        self.policy.server_of(task)
    }

    fn budget(&self, server: ServerId, used: Duration, now: Time) -> Option<Budget> {
        self.policy.budget(server, used, now)
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        assert!(self.members.contains(&a) && self.members.contains(&b));
        self.policy.compare(a, b)
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        assert!(!self.takes_waits(), "it has the graph");
        self.check(to, now);
        if let Some(from) = from {
            assert!(self.members.contains(&from) && !self.queued.contains(&from));
        }
        self.policy.inherit(to, from, now)
    }

    fn raise(
        &mut self,
        task: TaskId,
        ceiling: P::Params,
        since: Time,
        now: Time,
    ) -> Result<Resched, Refused> {
        self.check(task, now);
        self.policy.raise(task, ceiling, since, now)
    }

    fn waits(&mut self, task: TaskId, owner: Option<TaskId>, now: Time) -> Resched {
        assert!(Self::WANTS.waits && self.takes_waits(), "nobody asked");
        self.check(task, now);
        if self.queued.contains(&task) {
            assert!(self.running.values().any(|&runs| runs == task) && owner.is_some());
            self.ending = Some((task, Stop::Blocked));
        }
        let before = match owner {
            Some(owner) => self.waiting.insert(task, owner),
            None => self.waiting.remove(&task),
        };
        assert_ne!(before, owner, "nothing new of {task:?}");
        if let Some(owner) = owner {
            assert!(self.members.contains(&owner) && owner != task);
        }
        self.policy.waits(task, owner, now)
    }

    fn takes_waits(&self) -> bool {
        self.policy.takes_waits()
    }
}
