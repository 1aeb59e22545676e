//! The task model of every analysis in this crate.
//!
//! ```text
//!   arrival          release                    completion      deadline
//!      |--- ≤ jitter ---|--- waits and computes -----|              |
//!      |---------------- response time --------------|              |
//!      |------------------------- deadline -------------------------|
//!      |------------------- at least one period ---------------- … next arrival
//! ```
//!
//! A job *arrives*, is *released* (can run) at most the jitter later, computes for at most the
//! WCET, and is to complete within the deadline. Deadline and response time count from the
//! arrival. Arrivals of a task are at least one period apart; deadlines may exceed the period, so
//! several jobs of one task may be pending, and they are served in the order of their arrival.
//!
//! A periodic task whose phase is not controlled is the same thing: the analyses look at the worst
//! phase. For a set with fixed phases they are on the safe side.

use core::fmt;
use flyball_trace::Duration;

/// A task whose jobs arrive at least a period apart. Its times are all shorter than
/// [`Duration::MAX`]; WCET, period and deadline are not zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SporadicTask {
    wcet: Duration,
    period: Duration,
    deadline: Duration,
    jitter: Duration,
    blocking: Duration,
}

impl SporadicTask {
    /// A task that computes for at most `wcet` in each job, whose jobs arrive at least `period`
    /// apart and are to complete within `deadline`. It has neither release jitter nor blocking.
    ///
    /// The WCET may exceed the deadline or the period: such a task is well described, it just
    /// cannot hold.
    ///
    /// # Errors
    /// If any of the three is zero or without end.
    pub fn new(
        wcet: Duration,
        period: Duration,
        deadline: Duration,
    ) -> Result<SporadicTask, InvalidTask> {
        for (length, name) in [(wcet, "WCET"), (period, "period"), (deadline, "deadline")] {
            if length.is_zero() {
                return Err(InvalidTask::Zero(name));
            }
            finite(length, name)?;
        }
        Ok(SporadicTask {
            wcet,
            period,
            deadline,
            jitter: Duration::ZERO,
            blocking: Duration::ZERO,
        })
    }

    /// Returns a task with these times in nanoseconds, which the caller knows to be neither zero
    /// nor without end.
    pub(crate) const fn plain([wcet, period, deadline]: [u64; 3]) -> SporadicTask {
        debug_assert!(wcet > 0 && period > 0 && deadline > 0);
        debug_assert!(wcet < u64::MAX && period < u64::MAX && deadline < u64::MAX);
        SporadicTask {
            wcet: Duration::from_nanos(wcet),
            period: Duration::from_nanos(period),
            deadline: Duration::from_nanos(deadline),
            jitter: Duration::ZERO,
            blocking: Duration::ZERO,
        }
    }

    /// The same task with release jitter: a job is released at most so long after its arrival.
    /// It may exceed the period.
    ///
    /// # Errors
    /// If `jitter` is without end.
    pub fn with_jitter(self, jitter: Duration) -> Result<SporadicTask, InvalidTask> {
        finite(jitter, "jitter")?;
        Ok(SporadicTask { jitter, ..self })
    }

    /// The same task with blocking: the longest time for which less urgent work (a task of lower
    /// priority, or a job with a later absolute deadline) can hold the CPU although a job of this
    /// task is pending, because it holds a resource or cannot be preempted. It counts once: in a
    /// busy interval, only one such section can be in the way, as under the priority ceiling
    /// protocol and the stack resource policy.
    ///
    /// # Errors
    /// If `blocking` is without end.
    pub fn with_blocking(self, blocking: Duration) -> Result<SporadicTask, InvalidTask> {
        finite(blocking, "blocking")?;
        Ok(SporadicTask { blocking, ..self })
    }

    /// The same task with another WCET.
    ///
    /// # Errors
    /// If `wcet` is zero or without end.
    pub fn with_wcet(self, wcet: Duration) -> Result<SporadicTask, InvalidTask> {
        if wcet.is_zero() {
            return Err(InvalidTask::Zero("WCET"));
        }
        finite(wcet, "WCET")?;
        Ok(SporadicTask { wcet, ..self })
    }

    /// The same task with another period and deadline.
    ///
    /// # Errors
    /// If one of them is zero or without end.
    pub fn with_times(
        self,
        period: Duration,
        deadline: Duration,
    ) -> Result<SporadicTask, InvalidTask> {
        let SporadicTask {
            period, deadline, ..
        } = SporadicTask::new(self.wcet, period, deadline)?;
        Ok(SporadicTask {
            period,
            deadline,
            ..self
        })
    }

    /// The same task, due by the end of its period at the latest.
    #[must_use]
    pub fn within_period(self) -> SporadicTask {
        SporadicTask {
            deadline: self.deadline.min(self.period),
            ..self
        }
    }

    /// The most that one job computes.
    pub const fn wcet(&self) -> Duration {
        self.wcet
    }

    /// The least time between two arrivals.
    pub const fn period(&self) -> Duration {
        self.period
    }

    /// The relative deadline, counted from the arrival.
    pub const fn deadline(&self) -> Duration {
        self.deadline
    }

    /// The longest time from arrival to release.
    pub const fn jitter(&self) -> Duration {
        self.jitter
    }

    /// The longest time for which less urgent work is in the way.
    pub const fn blocking(&self) -> Duration {
        self.blocking
    }

    // The papers' symbols, in nanoseconds, for the formulas of this crate.

    pub(crate) const fn c(&self) -> u64 {
        self.wcet.as_nanos()
    }

    pub(crate) const fn t(&self) -> u64 {
        self.period.as_nanos()
    }

    pub(crate) const fn d(&self) -> u64 {
        self.deadline.as_nanos()
    }

    pub(crate) const fn j(&self) -> u64 {
        self.jitter.as_nanos()
    }

    pub(crate) const fn b(&self) -> u64 {
        self.blocking.as_nanos()
    }

    /// The same task without its blocking.
    pub(crate) const fn unblocked(mut self) -> SporadicTask {
        self.blocking = Duration::ZERO;
        self
    }
}

fn finite(length: Duration, name: &'static str) -> Result<(), InvalidTask> {
    if length == Duration::MAX {
        Err(InvalidTask::Endless(name))
    } else {
        Ok(())
    }
}

/// Why something is no task: the named time is out of range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvalidTask {
    /// It is zero, and must not be.
    Zero(&'static str),
    /// It is [`Duration::MAX`], that is, without end.
    Endless(&'static str),
    /// It is beyond what the tests of several CPUs count:
    /// [`Set::LONGEST`](crate::gedf::Set::LONGEST) or longer.
    TooLong(&'static str),
    /// It is not zero, and the tests of several CPUs know nothing of it.
    NotCovered(&'static str),
}

impl fmt::Display for InvalidTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidTask::Zero(name) => write!(f, "the {name} is zero"),
            InvalidTask::Endless(name) => write!(f, "the {name} is without end"),
            InvalidTask::TooLong(name) => write!(f, "the {name} is too long to count"),
            InvalidTask::NotCovered(name) => write!(f, "the {name} is not covered"),
        }
    }
}

impl core::error::Error for InvalidTask {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_what_is_no_task() {
        let ns = Duration::from_nanos;
        let zero = SporadicTask::new(ns(0), ns(5), ns(5));
        assert_eq!(zero, Err(InvalidTask::Zero("WCET")));
        let endless = SporadicTask::new(ns(1), ns(5), Duration::MAX).unwrap_err();
        assert_eq!(endless.to_string(), "the deadline is without end");
        let task = SporadicTask::new(ns(1), ns(5), ns(4)).unwrap();
        assert!(task.with_jitter(Duration::MAX).is_err());
        assert!(task.with_blocking(Duration::MAX).is_err());
        assert!(task.with_wcet(ns(0)).is_err());
        assert_eq!(task.with_jitter(ns(9)).unwrap().jitter(), ns(9));
    }
}
