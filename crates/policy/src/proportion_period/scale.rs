//! Products and quotients of large numbers on processors that divide 32 bits only.

/// A positive number as 32 binary digits, of which the first is 1, times a power of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scale {
    digits: u32,
    power: i32,
}

impl Scale {
    /// A number, rounded down to 32 digits; zero counts as 1.
    #[inline]
    pub(super) fn of(number: u64) -> Scale {
        let zeros = (number | 1).leading_zeros();
        let digits = ((number | 1) << zeros) >> 32;
        Scale {
            // It has been shifted by 32.
            digits: digits as u32,
            power: 32 - zeros.cast_signed(),
        }
    }

    /// The same of a number that is not zero.
    #[inline]
    pub(super) fn of_32(number: u32) -> Scale {
        let zeros = number.leading_zeros() & 31;
        Scale {
            digits: number << zeros,
            power: -zeros.cast_signed(),
        }
    }

    /// The product, rounded down to 31 digits.
    #[inline]
    pub(super) fn times(self, other: Scale) -> Scale {
        let product = u64::from(self.digits) * u64::from(other.digits);
        let is_short = product >> 63 == 0;
        Scale {
            // Shifted by 31 or 32, and the first digit of 63 or 64 is 1.
            #[expect(clippy::cast_possible_truncation)]
            digits: (product >> (32 - u32::from(is_short))) as u32,
            power: self.power + other.power + 32 - i32::from(is_short),
        }
    }

    /// The quotient; it is off by at most 2⁻¹⁴ of itself.
    #[inline]
    pub(super) fn over(self, other: Scale) -> Scale {
        // Of 15 to 17 digits.
        let quotient = self.digits / (other.digits >> 16);
        let zeros = quotient.leading_zeros();
        Scale {
            digits: quotient << zeros,
            power: self.power - other.power - 16 - zeros.cast_signed(),
        }
    }

    /// The number times 2^`power`, rounded down; what is more than 32 bits is their largest number.
    #[inline]
    pub(super) fn shifted(self, power: i32) -> u32 {
        match self.power + power {
            1.. => u32::MAX,
            0 => self.digits,
            // Negative.
            down => self.digits.checked_shr(down.unsigned_abs()).unwrap_or(0),
        }
    }
}
