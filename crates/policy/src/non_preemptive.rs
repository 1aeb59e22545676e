//! Non-preemptive scheduling: a job that has the CPU keeps it until it is done, waits or yields.
//!
//! Any policy of one CPU decides which job is next; it is asked only when the CPU is free. So
//! `NonPreemptive<Ranked<EarliestDeadline, _>>` is non-preemptive EDF (Jeffay, Stanat and Martel,
//! *On non-preemptive scheduling of periodic and sporadic tasks*, RTSS 1991): without inserted idle
//! time, as it never leaves the CPU idle while a job is ready. A job that goes on after a wait has
//! the deadline that it had, and waits for the CPU as all others do.
//!
//! Complexity: that of the policy it is made of, and O(1) for what runs.

use crate::counts::Counts;
use crate::forward::forward;
use crate::group::Group;
use crate::grouping::Grouping;
use crate::policy::{Dispatch, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use flyball_trace::{CpuId, Slot, TaskId, Time};

/// `P` on one CPU without preemption. `P` may not want bursts: nothing ends them but the job.
#[repr(C)]
pub struct NonPreemptive<P> {
    /// What has the CPU, and has not given it up.
    running: Slot,
    policy: P,
}

impl<P: Policy> NonPreemptive<P> {
    /// The same policy without preemption.
    pub fn new(policy: P) -> NonPreemptive<P> {
        NonPreemptive {
            running: Slot::EMPTY,
            policy,
        }
    }

    /// What has to be decided anew: nothing, as long as the CPU is not free.
    fn when_free(&self, resched: Resched) -> Resched {
        match self.running.get() {
            Some(_) => Resched::None,
            None => resched,
        }
    }
}

impl<P: Policy> Policy for NonPreemptive<P> {
    type Params = P::Params;
    type Settings = P::Settings;
    const WANTS: Wants = {
        assert!(!P::WANTS.bursts, "a burst would end in a preemption");
        P::WANTS
    };

    fn admit(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<(), Refused> {
        self.policy.admit(task, params, now)
    }

    fn adjust(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<Resched, Refused> {
        let resched = self.policy.adjust(task, params, now)?;
        Ok(self.when_free(resched))
    }

    fn tune(&mut self, settings: P::Settings, now: Time) -> Result<Resched, Refused> {
        let resched = self.policy.tune(settings, now)?;
        Ok(self.when_free(resched))
    }

    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        let resched = self.policy.ready(here, task, why, now);
        self.when_free(resched)
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let gives_up = matches!(why, Stop::Blocked | Stop::Completed | Stop::Yielded);
        if gives_up && self.running.holds(task) {
            self.running = Slot::EMPTY;
        }
        self.policy.stopped(cpu, task, used, why, now)
    }

    fn counted(&mut self, cpu: CpuId, task: TaskId, counts: &Counts, now: Time) -> Resched {
        let resched = self.policy.counted(cpu, task, counts, now);
        self.when_free(resched)
    }

    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        let resched = self.policy.alarm(cpu, now);
        self.when_free(resched)
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        if let Some(task) = self.running.get() {
            return Some(Dispatch::of(task));
        }
        let next = self.policy.pick(cpu, now);
        self.running = next.map(|next| next.task).into();
        next
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        let resched = self.policy.inherit(to, from, now);
        self.when_free(resched)
    }

    fn waits(&mut self, task: TaskId, owner: Option<TaskId>, now: Time) -> Resched {
        let resched = self.policy.waits(task, owner, now);
        self.when_free(resched)
    }

    forward! { policy: capacity control control_runs retire ended takes_counts next_alarm compare takes_waits }
}

impl<P: Grouping> Grouping for NonPreemptive<P> {
    fn regroup(&mut self, task: TaskId, group: Group, now: Time) -> Resched {
        let resched = self.policy.regroup(task, group, now);
        self.when_free(resched)
    }

    fn group(&self, task: TaskId) -> Group {
        self.policy.group(task)
    }

    fn prefer(&mut self, cpu: CpuId, group: Group) {
        self.policy.prefer(cpu, group);
    }
}
