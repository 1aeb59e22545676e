//! Overheads that were measured, as they are charged.

use crate::assess::Charge;
use crate::error::StudyError;
use flyball_analysis::charged::Accounting;
use flyball_analysis::criterion::Payer;
use flyball_model::measured::Entry;
use flyball_model::{Cost, OverheadFile, Overheads, Statistic};
use flyball_trace::Duration;
use std::fmt;

/// Overheads that were measured, and what of them is charged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Charges {
    /// The overheads.
    pub file: OverheadFile,
    /// Which of the measured numbers.
    pub statistic: Statistic,
    /// By how much a preempted job is delayed.
    pub cache: Duration,
}

/// A file of overheads has no delay of so large a working set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoDelay(pub usize);

impl NoDelay {
    /// What the user can do about it.
    pub const REMEDY: &str =
        "choose a smaller --working-set, or measure it with `flyball overheads`";
}

impl fmt::Display for NoDelay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoDelay(bytes) = self;
        write!(f, "has no delay of a working set of {bytes} bytes or more")
    }
}

impl std::error::Error for NoDelay {}

impl Charges {
    /// What is charged of a file: the largest of 99.9 % (p999), or the worst if the file has no such number, unless
    /// `statistic` says which; and the delay of a working set of so many bytes.
    ///
    /// # Errors
    /// If the file has no such delay.
    pub fn new(
        file: OverheadFile,
        statistic: Option<Statistic>,
        working_set: Option<usize>,
    ) -> Result<Charges, NoDelay> {
        let statistic = statistic.unwrap_or_else(|| {
            let has_quantiles = |entry: &Entry| entry.statistic == Statistic::P999;
            if file.entries.iter().any(has_quantiles) {
                Statistic::P999
            } else {
                Statistic::Worst
            }
        });
        let cache = match working_set {
            None => Duration::ZERO,
            Some(bytes) => {
                let delay = u32::try_from(bytes).ok();
                let delay = delay.and_then(|bytes| file.delay(bytes, statistic));
                delay.ok_or(NoDelay(bytes))?
            }
        };
        Ok(Charges {
            file,
            statistic,
            cache,
        })
    }

    /// What is charged under a policy.
    ///
    /// # Errors
    /// [`StudyError::NotMeasured`].
    pub(crate) fn of(&self, policy: &str) -> Result<Overheads, StudyError> {
        let overheads = self.file.overheads(policy, self.statistic);
        let overheads = overheads.ok_or_else(|| StudyError::NotMeasured {
            policy: policy.to_owned(),
            measured: self
                .file
                .policies()
                .into_iter()
                .map(str::to_owned)
                .collect(),
        })?;
        let mut overheads = overheads.clone();
        if !self.cache.is_zero() {
            overheads.cache = Cost::fixed(self.cache);
        }
        Ok(overheads)
    }

    /// What is charged to each payer, on a machine without a tick.
    pub fn charge(&self, accounting: Accounting) -> Charge {
        let overheads = Payer::ALL.map(|payer| {
            let overheads = self.file.overheads(payer.name(), self.statistic)?;
            Some(Overheads {
                cache: Cost::fixed(self.cache),
                ..overheads.clone()
            })
        });
        Charge {
            accounting,
            overheads,
            tick: None,
        }
    }
}
