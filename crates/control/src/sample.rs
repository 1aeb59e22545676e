//! Sampling.

use crate::{BadParameter, Block, Fixed};

/// Sampling every n steps, and holding the sample until the next one: y\[k\] = x\[n·⌊k/n⌋\].
///
/// It is linear but not time-invariant: with the sampled sequence X_n(z) = Σ x\[n·k\]·z⁻ᵏ the
/// output is Y(z) = (1 − z⁻ⁿ) / (1 − z⁻¹) · X_n(zⁿ). The interval n is 1 or more.
///
/// Error: none, and an error of the input is not enlarged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SampleAndHold {
    interval: u32,
    /// Steps until the next sample.
    left: u32,
    held: Fixed,
}

impl SampleAndHold {
    /// Makes a block that samples in its first step, and every `interval` steps.
    ///
    /// # Errors
    ///
    /// [`BadParameter::Interval`] if `interval` is 0.
    pub fn new(interval: u32) -> Result<SampleAndHold, BadParameter> {
        if interval == 0 {
            return Err(BadParameter::Interval);
        }
        Ok(SampleAndHold {
            interval,
            left: 0,
            held: Fixed::ZERO,
        })
    }
}

impl Block for SampleAndHold {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        if self.left == 0 {
            self.left = self.interval;
            self.held = input;
        }
        self.left -= 1;
        self.held
    }

    fn reset(&mut self) {
        self.left = 0;
        self.held = Fixed::ZERO;
    }
}
