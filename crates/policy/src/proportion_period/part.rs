//! Parts of a CPU.

use crate::encode::Encode;
use flyball_trace::Duration;

/// A part of a CPU, as a multiple of 2⁻²⁸.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Part(pub u32);

impl Part {
    const BITS: u32 = 28;

    /// Nothing.
    pub const NOTHING: Part = Part(0);
    /// All of a CPU.
    pub const ALL: Part = Part(1 << Part::BITS);

    /// So many millionths of a CPU, rounded down; at most all of it.
    pub const fn millionths(millionths: u32) -> Part {
        let millionths = if millionths < 1_000_000 {
            millionths
        } else {
            1_000_000
        };
        #[expect(clippy::cast_possible_truncation, reason = "at most 2^28")]
        Part((((millionths as u64) << Part::BITS) / 1_000_000) as u32)
    }

    /// `budget` in every `period`, rounded up; at most all of a CPU.
    pub fn of(budget: Duration, period: Duration) -> Part {
        let budget = u128::from(budget.as_nanos()) << Part::BITS;
        let part = budget.div_ceil(u128::from(period.as_nanos().max(1)));
        u32::try_from(part).map_or(Part::ALL, Part).min(Part::ALL)
    }

    /// How much CPU time it is in `period`, rounded down, but not less than a nanosecond.
    pub fn in_period(self, period: Duration) -> Duration {
        let nanos = period.as_nanos();
        let part = |nanos: u128| (nanos * u128::from(self.0)) >> Part::BITS;
        let part = if let Ok(nanos) = u32::try_from(nanos) {
            (u64::from(nanos) * u64::from(self.0)) >> Part::BITS
        } else {
            // Not more than the period.
            u64::try_from(part(nanos.into())).unwrap_or(nanos)
        };
        Duration::from_nanos(part.max(1))
    }

    /// What is left of it when so much is taken.
    #[must_use]
    pub const fn without(self, taken: Part) -> Part {
        Part(self.0.saturating_sub(taken.0))
    }

    /// The sum of both, which may be more than a CPU.
    #[must_use]
    pub const fn and(self, more: Part) -> Part {
        Part(self.0.saturating_add(more.0))
    }
}

/// What parts come to together. On one CPU it is a [`Part`] itself, so that nothing is longer there.
pub trait Sum: Copy + Ord + Default + Into<u64> {
    /// One part alone.
    fn of(part: Part) -> Self;

    /// As many as there are CPUs.
    fn times(part: Part, cpus: usize) -> Self;

    /// With another part.
    #[must_use]
    fn and(self, more: Part) -> Self;

    /// What is left of it when so much is taken.
    #[must_use]
    fn without(self, taken: Self) -> Self;
}

impl From<Part> for u64 {
    fn from(part: Part) -> u64 {
        part.0.into()
    }
}

/// Of one CPU.
impl Sum for Part {
    #[inline]
    fn of(part: Part) -> Part {
        part
    }

    #[inline]
    fn times(part: Part, _: usize) -> Part {
        part
    }

    #[inline]
    fn and(self, more: Part) -> Part {
        Part::and(self, more)
    }

    #[inline]
    fn without(self, taken: Part) -> Part {
        Part::without(self, taken)
    }
}

/// Of several CPUs, in 2⁻²⁸ of one: of 128 CPUs and 32,768 tasks it is below 2⁶⁴ by far.
impl Sum for u64 {
    fn of(part: Part) -> u64 {
        part.into()
    }

    fn times(part: Part, cpus: usize) -> u64 {
        // CPUs have numbers of a byte.
        u64::from(part).saturating_mul(u64::try_from(cpus).unwrap_or(u64::MAX))
    }

    fn and(self, more: Part) -> u64 {
        self.saturating_add(more.into())
    }

    fn without(self, taken: u64) -> u64 {
        self.saturating_sub(taken)
    }
}

impl Encode for Part {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.0.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Part> {
        u32::parse(bytes)
            .map(Part)
            .filter(|&part| part <= Part::ALL)
    }
}
