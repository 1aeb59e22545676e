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

    /// What a schedule without a miss says about jobs that ask for less than in it. Only with
    /// [`Sustainable::execution`] does a schedule that repeats itself prove anything about jobs that
    /// compute for less than their worst-case execution time.
    const SUSTAINABLE: Sustainable = Sustainable::NO;

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

/// Whether all deadlines are still met when jobs ask for less: *sustainability* (Baruah and Burns,
/// "Sustainable scheduling analysis", RTSS 2006; Burns and Baruah, "Sustainability in real-time
/// scheduling", JCSE 2(1), 2008).
///
/// A policy promises it for jobs that compute and do nothing else, on a kernel whose work takes no
/// time, and where each job is due by the release of the next one of its task. Nothing of it remains
/// for other sets:
///
/// * A job that suspends itself earlier also comes back earlier, and may then be in the way of a job
///   that it was not in the way of before. The same is true of one that gets a mutex, a semaphore or
///   a message earlier (Buttazzo, "Hard real-time computing systems", section 2.4; Graham 1969).
/// * A job that ends earlier may save the kernel a preemption, or cost it one.
/// * A job that waits for the one before it of its task is queued when that ends, and so may come
///   before or behind its equals.
///
/// A periodic tick takes nothing away: it delays each release by a time that depends on the release
/// alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sustainable {
    /// In execution times: what meets all deadlines does so with the same releases where jobs compute
    /// for less.
    pub execution: bool,
    /// In arrivals: sporadic tasks that meet all deadlines when they begin all at once and come as
    /// often as they may do so when they come later.
    pub arrivals: bool,
}

impl Sustainable {
    /// Nothing is known.
    pub const NO: Sustainable = Sustainable {
        execution: false,
        arrivals: false,
    };

    /// In execution times only.
    pub const EXECUTION: Sustainable = Sustainable {
        execution: true,
        arrivals: false,
    };
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
