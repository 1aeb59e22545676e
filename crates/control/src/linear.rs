//! Linear blocks of one parameter: gain, difference, integral, low-pass filter.

use crate::{BadParameter, Block, Fixed, Limit};

/// A gain: y = k·x.
///
/// Transfer function: k. The gain may be any number.
///
/// Error: at most ½ unit, as the exact product is rounded to the nearest number once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proportional(pub Fixed);

impl Block for Proportional {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        self.0 * input
    }

    fn reset(&mut self) {}
}

/// A first difference: y\[n\] = x\[n\] − x\[n − 1\], where x\[−1\] = 0.
///
/// Transfer function: 1 − z⁻¹.
///
/// Error: none. A difference that is no [`Fixed`] saturates.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FirstDifference {
    last: Fixed,
}

impl FirstDifference {
    /// Makes a difference whose last input was 0.
    pub const fn new() -> FirstDifference {
        FirstDifference { last: Fixed::ZERO }
    }
}

impl Block for FirstDifference {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        let difference = input - self.last;
        self.last = input;
        difference
    }

    fn reset(&mut self) {
        *self = FirstDifference::new();
    }
}

/// An integral that stays in limits: y\[n\] = clamp(y\[n − 1\] + k·x\[n\]).
///
/// It begins at 0, or at the limit nearest to 0.
///
/// Transfer function: k / (1 − z⁻¹), while no limit is reached. The gain may be any number.
///
/// Error: at most ½ unit after any number of steps. The sum has 32 bits of fraction, so each k·x is
/// added and each limit is applied exactly. Only the output is rounded, and rounding is monotone,
/// so it stays in the limits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Integral {
    gain: Fixed,
    limit: Limit,
    /// In multiples of 2⁻³².
    sum: i64,
}

impl Integral {
    /// Makes an integral that begins at 0, or at the limit nearest to it.
    pub const fn new(gain: Fixed, limit: Limit) -> Integral {
        Integral {
            gain,
            limit,
            sum: limit.clamp_wide(0),
        }
    }

    /// Steps, and returns the output in multiples of 2⁻³². Its magnitude is at most 2⁴⁷.
    #[inline]
    pub(crate) fn step_wide(&mut self, input: Fixed) -> i64 {
        // At most 2⁴⁷ + 2⁶².
        self.sum = self.limit.clamp_wide(self.sum + self.gain.times(input));
        self.sum
    }
}

impl Block for Integral {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        Fixed::nearest(self.step_wide(input))
    }

    fn reset(&mut self) {
        *self = Integral::new(self.gain, self.limit);
    }
}

/// A low-pass filter of the first order, the exponential moving average: y\[n\] = y\[n − 1\] +
/// α·(x\[n\] − y\[n − 1\]), where y\[−1\] = 0.
///
/// Transfer function: α / (1 − (1 − α)·z⁻¹). The smoothing factor α is in (0, 1]. For a time
/// constant of τ steps it is 1 − exp(−1/τ), which is nearly 1/τ for long ones.
///
/// Error: at most 1 unit, for any α and after any number of steps. The state y has 32 bits of
/// fraction. A step adds α·(x − q) exactly, where q is y rounded to the nearest [`Fixed`], so q is
/// at most ½ unit from y. The error of the state therefore follows e' = (1 − α)·e − α·(q − y) and
/// stays within ½ unit. The output q adds another ½.
///
/// The output stays in the range \[m, M\] of the inputs and 0. If q = M, the state does not rise.
/// If q is less, the state y is below M − ½, and the next one is at most y + α·(M − y + ½) < M + ½,
/// which is not rounded above M. The same holds of m.
///
/// The output reaches a constant input x, and stays there: unless q = x, the state moves towards x
/// by α units or more. (A filter whose state is a [`Fixed`] stops up to ½/α units before.)
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LowPass {
    smoothing: Fixed,
    /// In multiples of 2⁻³².
    state: i64,
    /// The state, rounded.
    output: Fixed,
}

impl LowPass {
    /// Makes a filter at rest at 0.
    ///
    /// # Errors
    ///
    /// [`BadParameter::Smoothing`] unless `smoothing` is above 0 and at most 1.
    pub fn new(smoothing: Fixed) -> Result<LowPass, BadParameter> {
        if smoothing <= Fixed::ZERO || smoothing > Fixed::ONE {
            return Err(BadParameter::Smoothing);
        }
        Ok(LowPass {
            smoothing,
            state: 0,
            output: Fixed::ZERO,
        })
    }
}

impl Block for LowPass {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        self.state += self.smoothing.times(input) - self.smoothing.times(self.output);
        self.output = Fixed::nearest(self.state);
        self.output
    }

    fn reset(&mut self) {
        self.state = 0;
        self.output = Fixed::ZERO;
    }
}
