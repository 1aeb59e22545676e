//! Placements: how many CPUs share one queue, and which of them has to look when a task comes.

use crate::policy::Attention;
use flyball_trace::{CpuId, TaskId, Time};

/// Who runs where, and who has to give way.
pub trait Placement {
    /// Whether `task` runs.
    fn runs(&self, task: TaskId) -> bool;

    /// From `now` on `task` runs on `cpu`; `None`: the CPU idles.
    fn place(&mut self, cpu: CpuId, task: Option<TaskId>, now: Time);

    /// Which CPU a task with `key`, just queued, should get: one that idles, or one whose task is
    /// *less* urgent. `key_of` tells the key that a running task has now.
    fn challenge<K: Ord>(&self, key: K, key_of: impl Fn(TaskId, Time) -> K) -> Attention;
}

/// One CPU.
#[derive(Clone, Copy, Default, Debug)]
pub struct Uniprocessor {
    running: Option<(TaskId, Time)>,
}

impl Uniprocessor {
    /// The only CPU.
    const CPU: CpuId = CpuId(0);
}

impl Placement for Uniprocessor {
    fn runs(&self, task: TaskId) -> bool {
        self.running.is_some_and(|(running, _)| running == task)
    }

    fn place(&mut self, _: CpuId, task: Option<TaskId>, now: Time) {
        self.running = task.map(|task| (task, now));
    }

    fn challenge<K: Ord>(&self, key: K, key_of: impl Fn(TaskId, Time) -> K) -> Attention {
        match self.running {
            Some((task, since)) if key >= key_of(task, since) => Attention::None,
            _ => Attention::One(Uniprocessor::CPU),
        }
    }
}
