//! Why a block cannot be made.

use core::fmt;

/// Why a block cannot be made: a parameter that is outside of its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BadParameter {
    /// A smoothing factor that is not in (0, 1].
    Smoothing,
    /// A lower limit above the upper one.
    Limits,
    /// A rate that is not above 0.
    Rate,
    /// A width below 0.
    Width,
    /// A lower threshold that is not below the upper one.
    Thresholds,
    /// A sampling interval of no steps.
    Interval,
}

impl fmt::Display for BadParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadParameter::Smoothing => "the smoothing factor is not above 0 and at most 1",
            BadParameter::Limits => "the lower limit is above the upper one",
            BadParameter::Rate => "the rate is not above 0",
            BadParameter::Width => "the width is below 0",
            BadParameter::Thresholds => "the lower threshold is not below the upper one",
            BadParameter::Interval => "the sampling interval has no steps",
        })
    }
}

impl core::error::Error for BadParameter {}
