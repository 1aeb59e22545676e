//! Blocks that keep values, or their changes, in limits.

use crate::{BadParameter, Block, Fixed};

/// A limit of values: the nearest number of \[low, high\]. It has no state, so other blocks have
/// one as a parameter.
///
/// Error: none, and an error of the input is not enlarged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    low: Fixed,
    high: Fixed,
}

impl Limit {
    /// All numbers.
    pub const NONE: Limit = Limit {
        low: Fixed::MIN,
        high: Fixed::MAX,
    };

    /// Makes a limit of these bounds, which both are allowed values.
    ///
    /// # Errors
    ///
    /// [`BadParameter::Limits`] if `low` is above `high`.
    pub fn new(low: Fixed, high: Fixed) -> Result<Limit, BadParameter> {
        if low > high {
            return Err(BadParameter::Limits);
        }
        Ok(Limit { low, high })
    }

    /// Returns the number of \[low, high\] that is nearest to `value`.
    #[inline]
    pub fn clamp(self, value: Fixed) -> Fixed {
        value.min(self.high).max(self.low)
    }

    /// Returns the same of multiples of 2⁻³².
    #[inline]
    pub(crate) const fn clamp_wide(self, value: i64) -> i64 {
        if value > self.high.wide() {
            self.high.wide()
        } else if value < self.low.wide() {
            self.low.wide()
        } else {
            value
        }
    }
}

impl Block for Limit {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        self.clamp(input)
    }

    fn reset(&mut self) {}
}

/// A limit of changes: the output goes to the input, by at most `rise` up or `fall` down a step. It
/// begins at 0. Both rates are above 0.
///
/// While the input changes more slowly, the output is the input.
///
/// Error: none, and an error of the input is not enlarged: the output is the median of x\[n\], y\[n
/// − 1\] + rise and y\[n − 1\] − fall, and a median moves by no more than the number among the
/// three that moves most.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RateLimit {
    rise: Fixed,
    fall: Fixed,
    output: Fixed,
}

impl RateLimit {
    /// Makes a limit of these changes a step, at rest at 0.
    ///
    /// # Errors
    ///
    /// [`BadParameter::Rate`] unless both rates are above 0.
    pub fn new(rise: Fixed, fall: Fixed) -> Result<RateLimit, BadParameter> {
        if rise.min(fall) <= Fixed::ZERO {
            return Err(BadParameter::Rate);
        }
        Ok(RateLimit {
            rise,
            fall,
            output: Fixed::ZERO,
        })
    }
}

impl Block for RateLimit {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        // A bound that saturates is beyond every input.
        let (least, most) = (self.output - self.fall, self.output + self.rise);
        self.output = input.min(most).max(least);
        self.output
    }

    fn reset(&mut self) {
        self.output = Fixed::ZERO;
    }
}
