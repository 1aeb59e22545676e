//! Numbers in fixed point.

use core::ops::{Add, Mul, Neg, Sub};

/// A number in fixed point: a multiple of 2⁻¹⁶ from −2¹⁵ to just below 2¹⁵.
///
/// Arithmetic saturates at [`Fixed::MIN`] and [`Fixed::MAX`], and never wraps. A sum or a
/// difference that does not saturate is exact. A product or ratio is rounded to the nearest number,
/// and half-way towards +∞.
///
/// The format is that of the gains of I+PI. 32 bits are a register of a microcontroller, whose
/// instruction for a product of two registers has all 64 bits of the result. Of these 32 bits 16
/// are fraction: parts of a CPU have a resolution of 15 millionths, and queue lengths and periods
/// in milliseconds have a range of 32 thousand. States of blocks that add up have 32 bits of
/// fraction, in 64 bits, so they lose nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Fixed(i32);

impl Fixed {
    /// The least number, −2¹⁵.
    pub const MIN: Fixed = Fixed(i32::MIN);
    /// The largest number, 2¹⁵ − 2⁻¹⁶.
    pub const MAX: Fixed = Fixed(i32::MAX);
    /// 0.
    pub const ZERO: Fixed = Fixed(0);
    /// The least number above 0, 2⁻¹⁶.
    pub const UNIT: Fixed = Fixed(1);
    /// 1.
    pub const ONE: Fixed = Fixed(1 << Fixed::FRACTION);

    /// Bits of the fraction.
    const FRACTION: u32 = 16;

    /// Returns `bits` times 2⁻¹⁶, exactly.
    #[inline]
    pub const fn from_bits(bits: i32) -> Fixed {
        Fixed(bits)
    }

    /// Returns this number in multiples of 2⁻¹⁶, exactly.
    #[inline]
    pub const fn bits(self) -> i32 {
        self.0
    }

    /// Returns `numerator / denominator`, rounded to the nearest number and saturated. A
    /// denominator of 0 gives [`Fixed::MAX`] for a positive numerator, [`Fixed::MIN`] for a
    /// negative one, and 0 for 0.
    ///
    /// O(1), with a division of 64 bits: for parameters, or where one division in a period does no
    /// harm.
    ///
    /// ```
    /// use flyball_control::Fixed;
    ///
    /// assert_eq!(Fixed::ratio(-3, 4), Fixed::from_bits(-3 << 14));
    /// assert_eq!(Fixed::ratio(40_000, 1), Fixed::MAX);
    /// assert_eq!(Fixed::ratio(-1, 0), Fixed::MIN);
    /// ```
    pub const fn ratio(numerator: i32, denominator: i32) -> Fixed {
        if denominator == 0 {
            return match numerator {
                ..0 => Fixed::MIN,
                0 => Fixed::ZERO,
                1.. => Fixed::MAX,
            };
        }
        let sign = if denominator < 0 { -1 } else { 1 };
        let (numerator, denominator) = (sign * numerator as i64, sign * denominator as i64);
        // The floor of the quotient and a half; both sides are doubled.
        let doubled = (numerator << (Fixed::FRACTION + 1)) + denominator;
        Fixed::saturated(doubled.div_euclid(2 * denominator))
    }

    /// Returns the product, exactly, in multiples of 2⁻³². Its magnitude is at most 2⁶².
    #[inline]
    pub(crate) const fn times(self, other: Fixed) -> i64 {
        self.0 as i64 * other.0 as i64
    }

    /// Returns this number in multiples of 2⁻³². Its magnitude is at most 2⁴⁷.
    #[inline]
    pub(crate) const fn wide(self) -> i64 {
        (self.0 as i64) << Fixed::FRACTION
    }

    /// Returns the number nearest to `wide` multiples of 2⁻³², half-way the larger one. It has to
    /// be a number: `wide` is in the range from half a unit below [`Fixed::MIN`] to less than half
    /// a unit above [`Fixed::MAX`].
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the caller's promise")]
    pub(crate) const fn nearest(wide: i64) -> Fixed {
        Fixed(Fixed::nearest_bits(wide) as i32)
    }

    /// Returns the number of units nearest to `wide` multiples of 2⁻³², half-way the larger one.
    /// `wide` is at most 2⁶².
    #[inline]
    const fn nearest_bits(wide: i64) -> i64 {
        (wide + (1 << (Fixed::FRACTION - 1))) >> Fixed::FRACTION
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "compared before")]
    const fn saturated(bits: i64) -> Fixed {
        if bits > i32::MAX as i64 {
            Fixed::MAX
        } else if bits < i32::MIN as i64 {
            Fixed::MIN
        } else {
            Fixed(bits as i32)
        }
    }
}

impl Add for Fixed {
    type Output = Fixed;

    #[inline]
    fn add(self, other: Fixed) -> Fixed {
        Fixed(self.0.saturating_add(other.0))
    }
}

impl Sub for Fixed {
    type Output = Fixed;

    #[inline]
    fn sub(self, other: Fixed) -> Fixed {
        Fixed(self.0.saturating_sub(other.0))
    }
}

impl Neg for Fixed {
    type Output = Fixed;

    #[inline]
    fn neg(self) -> Fixed {
        Fixed(self.0.saturating_neg())
    }
}

impl Mul for Fixed {
    type Output = Fixed;

    #[inline]
    fn mul(self, other: Fixed) -> Fixed {
        Fixed::saturated(Fixed::nearest_bits(self.times(other)))
    }
}
