//! Policies that order equals by a second key.

use crate::group::Group;
use crate::policy::{Policy, Resched};
use flyball_trace::{CpuId, TaskId, Time};

/// A policy that may take notice of the [`Group`] of each task. By default it takes none.
///
/// The policy knows by itself which group a CPU is ready for, once it has picked a task.
pub trait Grouping: Policy {
    /// From now on the member `task` belongs to `group`. All belong to group 0 when they are
    /// admitted for the first time.
    fn regroup(&mut self, _task: TaskId, _group: Group, _now: Time) -> Resched {
        Resched::None
    }

    /// The group of a member, as the policy knows it.
    fn group(&self, _task: TaskId) -> Group {
        Group(0)
    }

    /// `cpu`, which idles, is ready for tasks of `group`. No notice is taken while it is busy.
    fn prefer(&mut self, _cpu: CpuId, _group: Group) {}
}
