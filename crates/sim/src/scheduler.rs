//! How a policy is made from a task set.

use flyball_model::Task;
use flyball_policy::Policy;
use std::fmt;

/// A policy together with what it has to know: how many tasks there are, and what each task tells
/// it. This is all that it takes to simulate a policy.
pub trait Scheduler {
    /// The policy.
    type Policy: Policy;

    /// Whether the policy forgets everything at an instant when no job is waiting or running. Only
    /// then does a simulation over a hyperperiod prove anything about the time after it. (A policy
    /// that learns from the past is not memoryless.)
    const MEMORYLESS: bool = false;

    /// How many CPUs share one kernel and one policy, a *cluster*: 1 is partitioned scheduling, as many
    /// as there are or more is global scheduling, and what lies between is clustered.
    fn cluster(&self) -> usize {
        1
    }

    /// The policy of a cluster of `cpus` CPUs, for tasks with ids below `capacity`.
    fn policy(&self, capacity: usize, cpus: usize) -> Self::Policy;

    /// What `task` tells the policy.
    ///
    /// # Errors
    /// [`Missing`] if the task set does not say what the policy has to know.
    fn params(&self, task: &Task) -> Result<<Self::Policy as Policy>::Params, Missing>;
}

/// What a policy has to know about a task, and does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// The task has no `priority`.
    Priority,
    /// The task has neither a period nor a separation.
    Period,
    /// Something else, in words that go on after "task "x"", for a user's own policy.
    Other(&'static str),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Missing::Priority => "has no `priority`",
            Missing::Period => "has no `period`",
            Missing::Other(other) => other,
        })
    }
}
