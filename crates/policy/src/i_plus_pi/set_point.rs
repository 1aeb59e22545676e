//! Set points: how long a round should take, and how it is divided between the tasks (thesis, 2.3).

use flyball_trace::{Duration, Time};

/// A part of a CPU, from nothing to all of it, as a multiple of 2⁻²⁴.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Fraction(u32);

/// What a task needs, for [`IPlusPi`](super::IPlusPi).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// The CPU time that it needs on the average (α′ in the thesis). Zero: only as much as is left
    /// over if no task that counts needs anything.
    pub cpu: Fraction,
    /// Its *relative importance* (θ), which has a meaning in overload only. A task whose importance
    /// is zero gets nothing then.
    pub importance: u16,
    /// Its relative deadline; [`Duration::MAX`]: none. For [`Division::Demand`] and
    /// [`Sequence::Deadline`].
    pub deadline: Duration,
    /// How long a job of it computes at most. For [`Division::Demand`].
    pub wcet: Duration,
}

/// How the set point of the round is chosen (2.3.1).
#[derive(Clone, Copy, Debug)]
pub enum Round {
    /// So much for every task, ready or not: the thesis's choice, which keeps the rate of switches
    /// when tasks are added.
    PerTask(Duration),
    /// So much for every task that is ready.
    PerReady(Duration),
    /// Always the same.
    Constant(Duration),
    /// What a function says of the tasks that there are.
    Function(fn(&Load) -> Duration),
}

/// What a set point may depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Load {
    /// How many tasks there are.
    pub tasks: u32,
    /// How many of them are ready.
    pub ready: u32,
    /// The sum of the shares of those that count, in multiples of 2⁻²⁴.
    pub shares: u64,
}

/// How the round is divided between the tasks (2.3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Division {
    /// By the shares that they need, or in overload by share times importance: the thesis's choice.
    #[default]
    Shares,
    /// By what a job still has to compute over the time to its deadline, anew each round; the rest
    /// as above. Not in the thesis.
    Demand,
}

/// Which task comes first in a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sequence {
    /// The task that was admitted first: the thesis says "in some unspecified order".
    #[default]
    Admission,
    /// The task whose job has the nearest deadline. Not in the thesis.
    Deadline,
    /// The same, but late jobs come last, so that they make no other job late. Not in the thesis.
    Urgency,
}

/// What happens when a task becomes ready while another one runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Wake {
    /// It waits for its place in the round, this one if that is still to come and the task has a
    /// burst: the thesis's choice.
    #[default]
    Wait,
    /// It comes next, with the burst that it has; of several, the last one that woke comes first.
    /// Not in the thesis.
    Next,
    /// The round is over, and the next one, with a burst for it, begins at once. Not in the thesis.
    Round,
}

impl Fraction {
    /// The fraction bits.
    const BITS: u32 = 24;
    /// The whole CPU.
    pub const ONE: Fraction = Fraction(1 << Fraction::BITS);
    /// None of it.
    pub const ZERO: Fraction = Fraction(0);

    /// The fraction next to `numerator / denominator`, at most [`Fraction::ONE`], which it also is
    /// if the denominator is zero. A small part of something is not rounded to nothing.
    pub const fn ratio(numerator: u64, denominator: u64) -> Fraction {
        if denominator == 0 || numerator >= denominator {
            return Fraction::ONE;
        }
        if numerator == 0 {
            return Fraction::ZERO;
        }
        // Forty bits are enough of the denominator, and leave room.
        let excess = (u64::BITS - denominator.leading_zeros()).saturating_sub(40);
        let (numerator, denominator) = (numerator >> excess, denominator >> excess);
        let nearest = ((numerator << Fraction::BITS) + denominator / 2) / denominator;
        #[expect(clippy::cast_possible_truncation, reason = "at most 2^24")]
        Fraction(if nearest == 0 { 1 } else { nearest as u32 })
    }

    /// So many hundredths; at most all of the CPU.
    pub const fn percent(percent: u32) -> Fraction {
        Fraction::ratio(percent as u64, 100)
    }

    /// So many 2⁻²⁴; at most [`Fraction::ONE`].
    pub const fn from_bits(bits: u32) -> Fraction {
        if bits > Fraction::ONE.0 {
            Fraction::ONE
        } else {
            Fraction(bits)
        }
    }

    /// The number of 2⁻²⁴ that it is.
    pub const fn bits(self) -> u32 {
        self.0
    }
}

impl Share {
    /// A task that needs this much of the CPU, as important as others are by default, and without a
    /// deadline.
    pub const fn new(cpu: Fraction) -> Share {
        Share {
            cpu,
            importance: 1,
            deadline: Duration::MAX,
            wcet: Duration::MAX,
        }
    }

    /// A task that computes for `wcet` every `period`, with a deadline at the end of it.
    pub const fn periodic(wcet: Duration, period: Duration) -> Share {
        Share {
            cpu: Fraction::ratio(wcet.as_nanos(), period.as_nanos()),
            importance: 1,
            deadline: period,
            wcet,
        }
    }

    /// The same, with this importance.
    #[must_use]
    pub const fn with_importance(mut self, importance: u16) -> Share {
        self.importance = importance;
        self
    }

    /// The share that a job needs at `now`, which is due at `due` and has been served for `used`:
    /// what it still has to compute over the time that it has.
    pub(super) fn demand(&self, due: Time, used: Duration, now: Time) -> Fraction {
        if due.is_never() || self.wcet == Duration::MAX {
            return self.cpu;
        }
        let left = self.wcet.saturating_sub(used).as_nanos();
        Fraction::ratio(left, due.since(now).as_nanos())
    }
}

impl Round {
    /// No round is shorter than this.
    pub const SHORTEST: Duration = Duration::from_micros(1);

    /// The set point, in nanoseconds.
    pub(super) fn set_point(self, load: &Load) -> u64 {
        let times = |burst: Duration, tasks: u32| burst.as_nanos().saturating_mul(tasks.into());
        let round = match self {
            Round::PerTask(burst) => times(burst, load.tasks),
            Round::PerReady(burst) => times(burst, load.ready),
            Round::Constant(round) => round.as_nanos(),
            Round::Function(round) => round(load).as_nanos(),
        };
        round.clamp(Round::SHORTEST.as_nanos(), super::LONGEST_ROUND)
    }
}

impl Load {
    /// Whether the tasks need more than the CPU has (2.3.2). Each share is rounded by half a 2⁻²⁴ at
    /// most, so that much more for each task is none: shares of all of the CPU may be.
    pub const fn is_overload(&self) -> bool {
        let rounded = (self.tasks as u64).div_ceil(2);
        self.shares > (1 << Fraction::BITS) + rounded
    }
}

/// Divides a round in proportion to weights: returns the α of each, whose sum is one.
///
/// α is rounded by the sum of the weights up to there, so that no rounding is lost: each is wrong
/// by at most 2⁻²⁸.
pub(super) struct Divider {
    whole: u64,
    /// So many bits of the weights are too many.
    excess: u32,
    sum: u64,
    given: u32,
}

impl Divider {
    /// The fraction bits of α.
    pub(super) const BITS: u32 = 28;

    /// Divides between weights whose sum is `whole`, which is not zero.
    pub(super) fn new(whole: u64) -> Divider {
        let excess = (u64::BITS - whole.leading_zeros()).saturating_sub(u64::BITS - Divider::BITS);
        Divider {
            whole: whole >> excess,
            excess,
            sum: 0,
            given: 0,
        }
    }

    /// The α of the next one.
    pub(super) fn next(&mut self, weight: u64) -> u32 {
        self.sum += weight;
        let up_to_here = ((self.sum >> self.excess) << Divider::BITS) / self.whole;
        #[expect(clippy::cast_possible_truncation, reason = "at most 2^28")]
        let up_to_here = up_to_here as u32;
        let alpha = up_to_here - self.given;
        self.given = up_to_here;
        alpha
    }
}
