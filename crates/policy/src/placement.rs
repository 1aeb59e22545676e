//! Placements: how many CPUs share one queue, and which of them has to look when a task comes.

use crate::policy::Resched;
use flyball_trace::{CpuId, Slot, TaskId, Time};

/// Who runs where, and who has to give way.
pub trait Placement {
    /// Whether `task` runs.
    fn runs(&self, task: TaskId) -> bool;

    /// From now on `task` runs on `cpu`; `None`: the CPU idles. `since` is the present instant, or
    /// `None` if nobody is going to ask for it.
    fn place(&mut self, cpu: CpuId, task: Option<TaskId>, since: Option<Time>);

    /// Which CPU a task with `key`, just queued, should get: one that idles, or one whose task is
    /// *less* urgent. `key_of` tells the key that a running task
    /// has now, from the instant since which it runs.
    fn preempts<K: Ord>(&self, key: K, key_of: impl Fn(TaskId, Time) -> K) -> Resched;

    /// The same where the queue knows the keys of running tasks, too: `first` tells whether the task
    /// is the first of all.
    fn preempts_first<K: Ord>(&self, key: K, first: bool, key_of: impl Fn(TaskId) -> K) -> Resched;
}

/// One CPU.
#[derive(Clone, Copy, Default, Debug)]
pub struct Uniprocessor {
    running: Slot,
    since: Time,
}

impl Uniprocessor {
    /// The only CPU.
    pub(crate) const CPU: CpuId = CpuId(0);
}

impl Placement for Uniprocessor {
    fn runs(&self, task: TaskId) -> bool {
        self.running.holds(task)
    }

    fn place(&mut self, _: CpuId, task: Option<TaskId>, since: Option<Time>) {
        self.running = task.into();
        if let Some(since) = since {
            self.since = since;
        }
    }

    fn preempts<K: Ord>(&self, key: K, key_of: impl Fn(TaskId, Time) -> K) -> Resched {
        match self.running.get() {
            Some(task) if key >= key_of(task, self.since) => Resched::None,
            _ => Resched::One(Uniprocessor::CPU),
        }
    }

    /// The CPU has to look if the task has come before all others; if it comes second to a task that
    /// does not run yet, the CPU has been told to look already.
    #[inline]
    fn preempts_first<K: Ord>(&self, _: K, first: bool, _: impl Fn(TaskId) -> K) -> Resched {
        if first {
            Resched::One(Uniprocessor::CPU)
        } else {
            Resched::None
        }
    }
}
