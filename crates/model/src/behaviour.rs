//! What the steps of a job add up to.

use crate::taskset::{Length, Step, Task};
use flyball_trace::Duration;

/// What one job asks for at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Demand {
    /// Time on the CPU, if every step takes as long as it can; [`Duration::MAX`] if the job
    /// computes without end.
    pub compute: Duration,
    /// Steps, every repetition counted; a repetition without end counts once.
    pub steps: u64,
}

/// The sum does not fit into 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl core::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the steps add up to more than 64 bits hold")
    }
}

impl std::error::Error for TooLarge {}

/// Adds up what the steps ask for. Takes time linear in the steps as written.
///
/// # Errors
/// If the sum does not fit.
pub fn demand(steps: &[Step]) -> Result<Demand, TooLarge> {
    steps
        .iter()
        .try_fold(Demand::default(), |sum, step| sum.plus(one(step)?))
}

/// How many of the steps that a job takes at most are such as `counts` says, every repetition
/// counted; [`u64::MAX`] stands for all larger numbers, and for repetitions without end. O(steps).
pub fn count(steps: &[Step], counts: &impl Fn(&Step) -> bool) -> u64 {
    let of = |step: &Step| match step {
        Step::Repeat { times, body } => {
            let times = times.map_or(u64::MAX, u64::from);
            count(body, counts).saturating_mul(times)
        }
        step => u64::from(counts(step)),
    };
    steps.iter().map(of).fold(0, u64::saturating_add)
}

/// Asks `see` about every step, those in repetitions after the repetition. O(steps).
pub(crate) fn each_step<'s>(steps: &'s [Step], see: &mut impl FnMut(&'s Step)) {
    for step in steps {
        see(step);
        if let Step::Repeat { body, .. } = step {
            each_step(body, see);
        }
    }
}

/// The shortest that a job computes, of a task whose jobs do nothing else, any time from there to
/// the WCET being as likely; `None` for other tasks.
pub(crate) fn best_case(task: &Task) -> Option<Duration> {
    match task.behaviour[..] {
        [Step::Compute(Length::Uniform { min, max })] if max == task.wcet && min < max => Some(min),
        _ => None,
    }
}

/// Whether time passes for certain in each round of the steps: something in them computes or
/// suspends for longer than zero, however short it turns out.
pub fn takes_time(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Compute(length)
        | Step::Suspend(length)
        | Step::Overrun { actual: length, .. }
        | Step::Stalling {
            compute: length, ..
        } => !length.shortest().is_zero(),
        Step::Repeat { body, .. } => takes_time(body),
        _ => false,
    })
}

/// Asks `see` about the length of every computation and suspension. O(steps).
pub fn each_length<'s>(steps: &'s [Step], see: &mut impl FnMut(&'s Length)) {
    each_step(steps, &mut |step| match step {
        Step::Compute(length)
        | Step::Suspend(length)
        | Step::Stalling {
            compute: length, ..
        } => see(length),
        Step::Overrun { declared, actual } => {
            see(declared);
            see(actual);
        }
        _ => {}
    });
}

/// Whether a computation or suspension is longer or shorter according to the clock. O(steps).
pub fn follows_clock(steps: &[Step]) -> bool {
    let mut follows = false;
    each_length(steps, &mut |length| {
        follows |= matches!(length, Length::Cycle { .. });
    });
    follows
}

fn one(step: &Step) -> Result<Demand, TooLarge> {
    match step {
        Step::Compute(declared)
        | Step::Overrun { declared, .. }
        | Step::Stalling {
            compute: declared, ..
        } => Ok(Demand {
            compute: declared.longest(),
            steps: 1,
        }),
        Step::Repeat {
            times: Some(times),
            body,
        } => demand(body)?.times(*times),
        Step::Repeat { times: None, body } => {
            let round = demand(body)?;
            let compute = match round.compute {
                Duration::ZERO => Duration::ZERO,
                _ => Duration::MAX,
            };
            Ok(Demand { compute, ..round })
        }
        _ => Ok(Demand {
            compute: Duration::ZERO,
            steps: 1,
        }),
    }
}

impl Demand {
    fn plus(self, other: Demand) -> Result<Demand, TooLarge> {
        let steps = self.steps.checked_add(other.steps).ok_or(TooLarge)?;
        let compute = match (self.compute, other.compute) {
            (Duration::MAX, _) | (_, Duration::MAX) => Duration::MAX,
            (a, b) => finite(a.as_nanos().checked_add(b.as_nanos()))?,
        };
        Ok(Demand { compute, steps })
    }

    fn times(self, times: u32) -> Result<Demand, TooLarge> {
        let times = u64::from(times);
        let compute = match self.compute {
            Duration::MAX => Duration::MAX,
            once => finite(once.as_nanos().checked_mul(times))?,
        };
        Ok(Demand {
            compute,
            steps: self.steps.checked_mul(times).ok_or(TooLarge)?,
        })
    }
}

/// A sum that does not mean *without end* by accident.
fn finite(nanos: Option<u64>) -> Result<Duration, TooLarge> {
    nanos
        .filter(|&nanos| nanos < u64::MAX)
        .map(Duration::from_nanos)
        .ok_or(TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compute(ns: u64) -> Step {
        Step::Compute(Length::Fixed(Duration::from_nanos(ns)))
    }

    fn repeat(times: impl Into<Option<u32>>, body: Vec<Step>) -> Step {
        Step::Repeat {
            times: times.into(),
            body,
        }
    }

    #[test]
    fn repetitions_multiply_and_the_longest_counts() {
        let range = Length::Uniform {
            min: Duration::ZERO,
            max: Duration::from_nanos(7),
        };
        let steps = [
            compute(1),
            repeat(3, vec![Step::Yield, repeat(2, vec![Step::Compute(range)])]),
        ];
        let expected = Demand {
            compute: Duration::from_nanos(1 + 3 * 2 * 7),
            steps: 1 + 3 * (1 + 2),
        };
        assert_eq!(demand(&steps), Ok(expected));
    }

    #[test]
    fn without_end_is_no_overflow() {
        let forever = repeat(None, vec![compute(1), Step::Yield]);
        let expected = Demand {
            compute: Duration::MAX,
            steps: 3,
        };
        assert_eq!(demand(&[compute(u64::MAX - 1), forever]), Ok(expected));
        let pause = Step::Suspend(Length::Fixed(Duration::from_nanos(1)));
        assert_eq!(
            demand(&[repeat(None, vec![pause])]),
            Ok(Demand {
                compute: Duration::ZERO,
                steps: 1
            })
        );
    }

    #[test]
    fn sums_that_do_not_fit_are_refused() {
        assert!(demand(&[compute(u64::MAX - 1)]).is_ok());
        assert_eq!(demand(&[compute(u64::MAX - 1), compute(1)]), Err(TooLarge));
        assert_eq!(demand(&[repeat(2, vec![compute(1 << 63)])]), Err(TooLarge));
        let many = |body| repeat(u32::MAX, vec![body]);
        assert_eq!(demand(&[many(many(many(Step::Yield)))]), Err(TooLarge));
    }

    #[test]
    fn only_the_shortest_is_certain() {
        let range = |min| Length::Uniform {
            min: Duration::from_nanos(min),
            max: Duration::from_nanos(9),
        };
        assert!(!takes_time(&[Step::Yield, Step::Compute(range(0))]));
        assert!(takes_time(&[repeat(2, vec![Step::Suspend(range(1))])]));
    }
}
