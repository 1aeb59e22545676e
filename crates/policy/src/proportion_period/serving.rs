//! What the controllers need of servers, on one CPU and on several.

use super::part::{Part, Sum};
use super::{Reserves, Share};
use crate::policy::{ONLY_CPU, Policy, Ready, Resched, Stop, Usage};
use crate::servers::{Account, Seat, Servers};
use crate::storage::{Inline, Storage};
use flyball_trace::{Duration, Slot, TaskId, Time};

/// Serves reservations whose shares and periods change while they are used.
pub trait Serving: Policy<Params = Seat<Self::Background>> {
    /// What a task without a reservation says.
    type Background: Default;

    /// Where a row for each CPU is.
    type Cpus: Storage;

    /// What shares come to together.
    type Sum: Sum;

    /// Whether there may be several CPUs.
    const SEVERAL: bool;

    /// How many CPUs there are, at least 1.
    fn cpus(&self) -> usize;

    /// What the reservation of `task` has; `None`: the task has none.
    fn account(&self, task: TaskId) -> Option<&Account<Share>>;

    /// What is kept of the reservation of `task` besides; `None`: the task has none.
    fn state(&mut self, task: TaskId) -> Option<&mut Share>;

    /// The reservation of `task`, if it has one, has another share and period from now on.
    fn promise(&mut self, task: TaskId, share: Share, period: Duration, now: Time) -> Resched;

    /// `task` goes from the background to a reservation or the other way. `is_queued`: it is ready or runs.
    fn reseat(
        &mut self,
        task: TaskId,
        seat: Seat<Self::Background>,
        is_queued: bool,
        now: Time,
    ) -> Resched;

    /// The reservation of `task`, if it has one, is of this class, where some are served before others.
    fn classify(&mut self, _task: TaskId, _class: Class, _now: Time) -> Resched {
        Resched::None
    }
}

/// On several CPUs reservations of a class are served before all of those that follow it here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Tasks that say both their share and their period.
    RealTime,
    /// Tasks that say one of these, and tasks that use queues.
    Adapted,
    /// Tasks that say no share, and use no queue.
    BestEffort,
}

/// What runs on a CPU.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(super) struct OnCpu {
    pub running: Slot,
    /// Since when.
    pub since: Time,
    /// How much of that has been counted for the controllers.
    pub counted: Duration,
}

impl<B: Policy<Params: Default>, S: Storage> Serving for Servers<Reserves, B, S> {
    type Background = B::Params;
    type Cpus = Inline<1>;
    type Sum = Part;

    const SEVERAL: bool = false;

    #[inline]
    fn cpus(&self) -> usize {
        1
    }

    #[inline]
    fn account(&self, task: TaskId) -> Option<&Account<Share>> {
        Servers::account(self, task)
    }

    #[inline]
    fn state(&mut self, task: TaskId) -> Option<&mut Share> {
        Servers::state(self, task)
    }

    #[inline]
    fn promise(&mut self, task: TaskId, share: Share, period: Duration, now: Time) -> Resched {
        self.change(task, now, |rule, account| {
            rule.change(account, share, period, now);
        })
    }

    /// The CPU is decided after this.
    fn reseat(
        &mut self,
        task: TaskId,
        seat: Seat<B::Params>,
        is_queued: bool,
        now: Time,
    ) -> Resched {
        let cpu = ONLY_CPU;
        if is_queued {
            let _ = self.stopped(cpu, task, Usage::default(), Stop::Blocked, now);
        }
        self.retire(task, now);
        // There is room for as many servers, and in the background, as for tasks.
        let _ = self.admit(task, seat, now);
        if is_queued {
            let _ = self.ready(cpu, task, Ready::Unblocked, now);
        }
        Resched::None
    }
}
