//! How large a picture is.

use std::fmt;
use std::str::FromStr;

/// How many pixels one pixel of the SVG becomes, in each direction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale(f32);

/// A scale that is none, or out of range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScaleError;

impl Scale {
    /// Half of the SVG's size: letters can just be read.
    pub const LEAST: Scale = Scale(0.5);
    /// Eight times the SVG's size: a figure across a poster.
    pub const MOST: Scale = Scale(8.0);

    /// A scale between [`LEAST`](Scale::LEAST) and [`MOST`](Scale::MOST).
    ///
    /// # Errors
    ///
    /// If it is not between these, or no number.
    pub fn new(factor: f32) -> Result<Scale, ScaleError> {
        // NaN is in no range.
        let is_fine = (Scale::LEAST.0..=Scale::MOST.0).contains(&factor);
        is_fine.then_some(Scale(factor)).ok_or(ScaleError)
    }

    /// The number.
    pub const fn factor(self) -> f32 {
        self.0
    }

    /// How many pixels something is that has this size in the SVG; at least one.
    pub(crate) fn of(self, width: f32, height: f32) -> (u32, u32) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast of a float saturates, and there is no memory for as many"
        )]
        let whole = |length: f32| (length * self.0).ceil().max(1.0) as u32;
        (whole(width), whole(height))
    }

    /// Pixels a metre if the picture is to be as large as the SVG, whose pixels are 1/96 inch (CSS
    /// Values and Units, section 6.2).
    pub(crate) fn per_metre(self) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most 8 times 3780"
        )]
        let per_metre = (self.0 * 96.0 / 0.0254).round() as u32;
        per_metre
    }
}

impl Default for Scale {
    /// Twice the SVG's size: sharp on a slide, and 300 pixels an inch where a paper's figure is 15
    /// cm wide.
    fn default() -> Scale {
        Scale(2.0)
    }
}

impl FromStr for Scale {
    type Err = ScaleError;

    fn from_str(text: &str) -> Result<Scale, ScaleError> {
        Scale::new(text.parse().map_err(|_| ScaleError)?)
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ScaleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (Scale::LEAST, Scale::MOST);
        write!(f, "expected a number from {least} to {most}, such as 2")
    }
}

impl std::error::Error for ScaleError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_have_a_range() {
        for text in ["0.5", "1", "2.25", "8", "8.0"] {
            let scale: Scale = text.parse().unwrap();
            assert_eq!(Ok(scale.factor()), text.parse());
        }
        for text in [
            "", "0", "0.49", "8.01", "-2", "NaN", "inf", "1e9", "2x", "2,5",
        ] {
            assert_eq!(text.parse::<Scale>(), Err(ScaleError), "{text}");
        }
        assert_eq!(
            ScaleError.to_string(),
            "expected a number from 0.5 to 8, such as 2"
        );
    }

    #[test]
    fn sizes_are_whole_pixels() {
        let scale = Scale::default();
        assert_eq!(scale.of(880.0, 391.0), (1760, 782));
        assert_eq!(Scale::new(1.1).unwrap().of(880.0, 391.0), (968, 431));
        // 192 pixels an inch.
        assert_eq!(scale.per_metre(), 7559);
    }
}
