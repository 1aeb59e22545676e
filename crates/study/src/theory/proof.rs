//! What theory can say of a task set, and how much work it may be.

use crate::reason::{Because, Obstacle, Statement};
use crate::results::Breakdown;
use flyball_analysis::WorkLimit;
use flyball_trace::Duration;

/// How much work the tests of a policy may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Of a test of the tasks as they are.
    pub verdict: WorkLimit,
    /// Of one of the many probes of a search.
    pub probe: WorkLimit,
    /// Up to how many tasks slacks are searched for, each by a search of its own; 0: nothing is
    /// searched for.
    pub slacks: usize,
}

impl Effort {
    /// Of those who want to know: a verdict about a tenth of a second, a probe a fiftieth of that.
    pub const FULL: Effort = Effort {
        verdict: WorkLimit::steps(50_000_000),
        probe: WorkLimit::steps(1_000_000),
        slacks: 300,
    };
    /// Of those who want to see what happens: a verdict about a millisecond.
    pub const SMALL: Effort = Effort {
        verdict: WorkLimit::steps(500_000),
        probe: WorkLimit::steps(20_000),
        slacks: 20,
    };
}

/// What theory proves.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Whether all deadlines are met, whatever the jobs compute up to their WCET and however they
    /// arrive; `None`: the tests cannot tell.
    pub holds: Option<bool>,
    /// Whether a "no" is about this very set, and not about other phases or another order of
    /// arrival among equals.
    pub definite: bool,
    /// The name of the test.
    pub test: &'static str,
    /// Why.
    pub because: Because,
    /// Each task's longest response time, where it is bounded and known.
    pub bounds: Vec<Option<Duration>>,
    /// By how much each task's WCET may grow alone.
    pub slacks: Vec<Option<Duration>>,
    /// By how much all may grow together. Only for one CPU.
    pub breakdown: Option<Breakdown>,
}

impl Findings {
    /// Nothing is known about any of so many tasks.
    pub fn nothing(tasks: usize) -> Findings {
        Findings {
            bounds: vec![None; tasks],
            slacks: vec![None; tasks],
            ..Findings::default()
        }
    }

    /// That no CPU for each task is one that holds, and what was found of those that they have.
    pub(crate) fn no_partition(found: Result<Findings, Obstacle>, tasks: usize) -> Findings {
        Findings {
            holds: Some(false),
            definite: true,
            test: "all partitions",
            because: Because::NoPartition,
            ..found.unwrap_or_else(|_| Findings::nothing(tasks))
        }
    }

    /// Whether the verdict is known, so that nothing that is seen need prove one.
    pub fn is_decided(&self) -> bool {
        self.holds == Some(true) || self.holds == Some(false) && self.definite
    }

    /// Whether the set holds, and why.
    pub(crate) fn statement(&self) -> Statement {
        Statement {
            holds: self.holds,
            because: self.because.clone(),
        }
    }
}
