//! What theory can say of a task set, and how much work it may be.

use crate::reason::{Because, Obstacle, Statement};
use crate::results::Breakdown;
use flyball_analysis::WorkLimit;
use flyball_trace::Duration;

/// How much work a verdict may be: about a second.
pub(crate) const LIMIT: WorkLimit = WorkLimit::steps(200_000_000);
/// How much work one of the many probes of a search may be.
pub(crate) const PROBE: WorkLimit = WorkLimit::steps(5_000_000);
/// Up to how many tasks slacks are searched for, each by a search of its own.
pub(crate) const MOST_SLACKS: usize = 300;

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
