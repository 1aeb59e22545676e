//! Blocks that ignore small changes.

use crate::{BadParameter, Block, Fixed, Limit};

/// A dead band around 0: 0 for inputs in \[−w, w\], and otherwise the input's distance from there,
/// with its sign. The width w is 0 or more.
///
/// The output is a continuous function of the input, so a controller behind it does not jump.
///
/// Error: none, and an error of the input is not enlarged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadBand(Limit);

impl DeadBand {
    /// Makes a dead band of `width` on each side of 0.
    ///
    /// # Errors
    ///
    /// [`BadParameter::Width`] if `width` is below 0.
    pub fn new(width: Fixed) -> Result<DeadBand, BadParameter> {
        let band = Limit::new(-width, width);
        band.map(DeadBand).map_err(|_| BadParameter::Width)
    }
}

impl Block for DeadBand {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        input - self.0.clamp(input)
    }

    fn reset(&mut self) {}
}

/// A switch with two thresholds (a Schmitt trigger). The output becomes 1 at an input of `upper` or
/// more, becomes 0 at an input of `lower` or less, and stays between them. It is 0 at first. The
/// lower threshold is below the upper one.
///
/// A noise whose range is less than the distance of the thresholds does not switch it to and fro.
/// For other levels than 0 and 1 put a [`crate::Proportional`] behind it.
///
/// Error: none, but an input's error at a threshold may switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hysteresis {
    lower: Fixed,
    upper: Fixed,
    output: Fixed,
}

impl Hysteresis {
    /// Makes a switch that is off.
    ///
    /// # Errors
    ///
    /// [`BadParameter::Thresholds`] unless `lower` is below `upper`.
    pub fn new(lower: Fixed, upper: Fixed) -> Result<Hysteresis, BadParameter> {
        if lower >= upper {
            return Err(BadParameter::Thresholds);
        }
        Ok(Hysteresis {
            lower,
            upper,
            output: Fixed::ZERO,
        })
    }
}

impl Block for Hysteresis {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        if input >= self.upper {
            self.output = Fixed::ONE;
        } else if input <= self.lower {
            self.output = Fixed::ZERO;
        }
        self.output
    }

    fn reset(&mut self) {
        self.output = Fixed::ZERO;
    }
}
