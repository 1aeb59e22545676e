//! Whole numbers of two sizes, so that each test is written once.
//!
//! [`u64`] is for sets whose times are all short enough that nothing can overflow, and divides by
//! multiplying with a reciprocal that was computed once; [`u128`] is for all others. Both are
//! exact.

use core::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// A whole number that is large enough for a set.
pub(crate) trait Word:
    Copy + Ord + Add<Output = Self> + AddAssign + Sub<Output = Self> + SubAssign + Mul<Output = Self>
{
    /// What is kept of a number that others are divided by.
    type Divisor: Copy;

    const ZERO: Self;
    const ONE: Self;
    /// How many steps of a [`WorkLimit`](crate::WorkLimit) the work for one task in one formula is.
    const STEPS: usize;

    fn new(value: u64) -> Self;

    /// A number that is known to fit.
    fn narrow(value: u128) -> Self;

    fn wide(self) -> u128;

    fn divisor(value: u64) -> Self::Divisor;

    /// `self` / `divisor`, rounded down.
    fn over(self, divisor: Self::Divisor) -> Self;

    /// `self` / `other`, rounded down, for a divisor that is used once.
    fn divide(self, other: Self) -> Self;

    /// `self` − `other`, or zero.
    fn less(self, other: Self) -> Self {
        if self > other {
            self - other
        } else {
            Self::ZERO
        }
    }
}

/// The longest period for which interference, over intervals of up to two periods, can be computed
/// in 64 bits. See [`u64::over`](Word::over); the sum over fewer than 2³² tasks of less than 2³²
/// fits, too.
pub(crate) const SHORT: u64 = 1 << 31;

impl Word for u64 {
    type Divisor = u64;

    const ZERO: u64 = 0;
    const ONE: u64 = 1;
    const STEPS: usize = 1;

    #[inline]
    fn new(value: u64) -> u64 {
        value
    }

    fn narrow(value: u128) -> u64 {
        debug_assert!(value >> 64 == 0);
        #[expect(clippy::cast_possible_truncation, reason = "the caller knows")]
        let value = value as u64;
        value
    }

    fn wide(self) -> u128 {
        self.into()
    }

    /// ⌈2⁶⁴/T⌉, or 0 for one.
    fn divisor(value: u64) -> u64 {
        (u64::MAX / value).wrapping_add(1)
    }

    /// x · ⌈2⁶⁴/T⌉ / 2⁶⁴, which is ⌊x/T⌋ as long as x · T < 2⁶⁴: with ⌈2⁶⁴/T⌉ = (2⁶⁴ + e)/T and
    /// 0 ≤ e < T the product is x/T + x·e/(T·2⁶⁴), and what is added is less than 1/T.
    #[inline]
    fn over(self, divisor: u64) -> u64 {
        if divisor == 0 {
            return self;
        }
        // The upper half of a product of 64-bit numbers has 64 bits.
        ((u128::from(self) * u128::from(divisor)) >> 64) as u64
    }

    #[inline]
    fn divide(self, other: u64) -> u64 {
        self / other
    }
}

impl Word for u128 {
    type Divisor = u128;

    const ZERO: u128 = 0;
    const ONE: u128 = 1;
    const STEPS: usize = 10;

    fn new(value: u64) -> u128 {
        u128::from(value)
    }

    fn narrow(value: u128) -> u128 {
        value
    }

    fn wide(self) -> u128 {
        self
    }

    fn divisor(value: u64) -> u128 {
        u128::from(value)
    }

    fn over(self, divisor: u128) -> u128 {
        self / divisor
    }

    fn divide(self, other: u128) -> u128 {
        self / other
    }
}
