//! How much work an analysis may do.
//!
//! The exact tests are pseudo-polynomial, and a set that is loaded to the last nanosecond, with
//! periods that share no factor, can keep one of them busy for years. So each counts its steps.

use core::fmt;

/// The most steps that one call of an analysis takes. A step is the work for one task in one
/// formula, some two nanoseconds; the default of 200 million is about half a second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WorkLimit(u64);

impl WorkLimit {
    /// At most `steps` steps.
    pub const fn steps(steps: u64) -> WorkLimit {
        WorkLimit(steps)
    }

    /// An equal part of it for each of so many calls.
    #[must_use]
    pub fn divided(self, calls: usize) -> WorkLimit {
        WorkLimit(self.0 / calls.max(1) as u64)
    }

    pub(crate) const fn meter(self) -> Meter {
        Meter { left: self.0 }
    }
}

impl Default for WorkLimit {
    fn default() -> WorkLimit {
        WorkLimit(200_000_000)
    }
}

/// Why an analysis stopped before it knew the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The [`WorkLimit`] was reached.
    WorkLimit,
    /// The answer depends on instants beyond the 584 years that 64 bits of nanoseconds hold, or on
    /// times that the test does not count in.
    TimeRange,
    /// The answer depends on what the kernel's work costs, which is not known.
    Unpriced,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::WorkLimit => "stopped at the work limit",
            Stop::TimeRange => "depends on times that are too long to count",
            Stop::Unpriced => "depends on costs of the kernel's work that are not known",
        })
    }
}

/// Counts the steps of one call.
pub(crate) struct Meter {
    left: u64,
}

impl Meter {
    /// Takes the steps for a formula over `tasks` tasks.
    pub(crate) fn spend(&mut self, tasks: usize) -> Result<(), Stop> {
        let left = self.left.checked_sub(tasks as u64 + 1);
        self.left = left.unwrap_or(0);
        left.map(|_| ()).ok_or(Stop::WorkLimit)
    }

    /// How many steps there are still.
    pub(crate) const fn left(&self) -> u64 {
        self.left
    }

    /// Does `work` with so many of the steps at most.
    pub(crate) fn within<T>(
        &mut self,
        steps: u64,
        work: impl FnOnce(&mut Meter) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let kept = self.left.saturating_sub(steps);
        self.left -= kept;
        let done = work(self);
        self.left += kept;
        done
    }
}
