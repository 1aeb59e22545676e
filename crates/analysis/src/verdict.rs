//! What a test says, and what that is worth.

use crate::{Response, SporadicTask, Stop, Utilisation};
use core::fmt;
use flyball_trace::Duration;

/// What a test says about a task set, and how strong the test is for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// What it says.
    pub verdict: Verdict,
    /// Whether it could have said anything else.
    pub strength: Strength,
}

/// Whether a task set meets all deadlines. Both answers are proofs; a test that fails to prove
/// either is [`Verdict::Unknown`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No job ever misses its deadline.
    Holds,
    /// Some arrivals that the parameters allow make a job miss its deadline.
    Fails(Reason),
    /// The test cannot tell. The reason says what stands in the way.
    Unknown(Reason),
}

/// How strong a test is for a certain task set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    /// Given time enough, the test says that the set holds or that it fails.
    Exact,
    /// The test accepts only sets that hold, but not all of them.
    Sufficient,
}

/// Why a set fails, or why a test cannot tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The tasks ask for more than the whole CPU.
    Overload {
        /// What they ask for, above 1.
        utilisation: Utilisation,
    },
    /// A task's worst-case response time exceeds its deadline.
    Late {
        /// The task, by its position in the slice.
        task: usize,
        /// Its worst-case response time.
        response: Response,
        /// Its relative deadline.
        deadline: Duration,
        /// How much of the response time is blocking. If any is, this is a bound that may not be
        /// reached.
        blocking: Duration,
    },
    /// More work must be done in an interval than fits: the jobs that arrive and have their
    /// deadlines in it.
    Demand {
        /// The length of the interval.
        interval: Duration,
        /// What these jobs compute.
        demand: Duration,
        /// How long less urgent work may be in their way. If any may, this is a bound that may
        /// not be reached.
        blocking: Duration,
    },
    /// The jobs that arrive and have their deadlines in an interval leave less of it than a window is long within
    /// which deadlines are equal.
    Window {
        /// The length of the interval.
        interval: Duration,
        /// What these jobs compute.
        demand: Duration,
        /// The length of the window.
        window: Duration,
    },
    /// The utilisation (or what is computed from it) is above the bound of a sufficient test.
    AboveBound {
        /// The name of the bound.
        bound: &'static str,
        /// The utilisation of the set.
        utilisation: Utilisation,
    },
    /// The test makes no statement about such sets.
    NotApplicable {
        /// The first task that is outside, by its position in the slice.
        task: usize,
        /// What it would have to be like.
        needs: &'static str,
    },
    /// The analysis stopped before it knew.
    Stopped(Stop),
}

impl Outcome {
    /// Whether the set is proven to hold.
    pub fn holds(&self) -> bool {
        self.verdict == Verdict::Holds
    }

    pub(crate) const fn exact(verdict: Verdict) -> Outcome {
        Outcome {
            verdict,
            strength: Strength::Exact,
        }
    }

    pub(crate) const fn sufficient(verdict: Verdict) -> Outcome {
        Outcome {
            verdict,
            strength: Strength::Sufficient,
        }
    }

    /// The outcome of an analysis that is exact but for blocking, which need not happen.
    pub(crate) fn exact_unless_blocked(verdict: Verdict, tasks: &[SporadicTask]) -> Outcome {
        if tasks.iter().all(|task| task.blocking().is_zero()) {
            Outcome::exact(verdict)
        } else {
            Outcome::sufficient(verdict)
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} test)", self.verdict, self.strength)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Holds => f.pad("holds"),
            Verdict::Fails(reason) => write!(f, "fails: {reason}"),
            Verdict::Unknown(reason) => write!(f, "unknown: {reason}"),
        }
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Strength::Exact => "exact",
            Strength::Sufficient => "sufficient",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Overload { utilisation } => {
                write!(f, "utilisation {utilisation} exceeds 1")?;
                // 1.0000 exceeds 1 only for a reader who knows that it is rounded.
                if utilisation.to_string() == "1.0000" {
                    f.write_str(" by less than shown")?;
                }
                Ok(())
            }
            Reason::Late {
                task,
                response,
                deadline,
                blocking,
            } => {
                if *response == Response::Unbounded {
                    return write!(f, "task {task}: response time grows without bound");
                }
                write!(f, "task {task}: response time {response}")?;
                if !blocking.is_zero() {
                    write!(f, ", of which {blocking} blocking,")?;
                }
                write!(f, " exceeds the deadline {deadline}")
            }
            Reason::Demand {
                interval,
                demand,
                blocking,
            } => {
                write!(f, "demand {demand}")?;
                if !blocking.is_zero() {
                    write!(f, " and blocking {blocking}")?;
                }
                write!(f, " in an interval of {interval}")
            }
            Reason::Window {
                interval,
                demand,
                window,
            } => write!(
                f,
                "demand {demand} in an interval of {interval} leaves less than a window of {window}"
            ),
            Reason::AboveBound { bound, utilisation } => {
                write!(f, "utilisation {utilisation} is above the {bound} bound")
            }
            Reason::NotApplicable { task, needs } => {
                write!(f, "not applicable: task {task} is not {needs}")
            }
            Reason::Stopped(stop) => stop.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_readable() {
        let ms = Duration::from_millis;
        let late = |response, blocking| Reason::Late {
            task: 3,
            response,
            deadline: ms(5),
            blocking,
        };
        let fails = Verdict::Fails(late(Response::Bounded(ms(51)), ms(0)));
        assert_eq!(
            Outcome::exact(fails).to_string(),
            "fails: task 3: response time 51ms exceeds the deadline 5ms (exact test)"
        );
        assert_eq!(
            late(Response::Bounded(ms(6)), ms(2)).to_string(),
            "task 3: response time 6ms, of which 2ms blocking, exceeds the deadline 5ms"
        );
        let stopped = Response::Stopped {
            at_least: ms(7),
            why: Stop::WorkLimit,
        };
        assert_eq!(
            late(stopped, ms(0)).to_string(),
            "task 3: response time 7ms or more exceeds the deadline 5ms"
        );
        assert_eq!(
            late(Response::Unbounded, ms(0)).to_string(),
            "task 3: response time grows without bound"
        );
        let demand = |blocking| Reason::Demand {
            interval: ms(10),
            demand: ms(12),
            blocking,
        };
        assert_eq!(
            demand(ms(0)).to_string(),
            "demand 12ms in an interval of 10ms"
        );
        assert_eq!(
            Verdict::Unknown(demand(ms(1))).to_string(),
            "unknown: demand 12ms and blocking 1ms in an interval of 10ms"
        );
        assert_eq!(
            Verdict::Unknown(Reason::Stopped(Stop::WorkLimit)).to_string(),
            "unknown: stopped at the work limit"
        );
    }
}
