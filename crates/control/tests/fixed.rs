//! Arithmetic beside that of 128 bits.

use crate::support::{CASES, number};
use flyball_control::Fixed;
use proptest::prelude::*;

/// The nearest number to `numerator / denominator` multiples of 2⁻¹⁶, half-way the larger one.
fn nearest(numerator: i128, denominator: i128) -> Fixed {
    let sign = denominator.signum();
    let (numerator, denominator) = (sign * numerator, sign * denominator);
    let below = numerator.div_euclid(denominator);
    let is_half = 2 * numerator.rem_euclid(denominator) >= denominator;
    saturated(below + i128::from(is_half))
}

fn saturated(bits: i128) -> Fixed {
    let bits = bits.clamp(i32::MIN.into(), i32::MAX.into());
    Fixed::from_bits(i32::try_from(bits).unwrap())
}

fn bits(value: Fixed) -> i128 {
    value.bits().into()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10 * CASES))]

    #[test]
    fn arithmetic_saturates_and_rounds(a in number(), b in number()) {
        prop_assert_eq!(a + b, saturated(bits(a) + bits(b)));
        prop_assert_eq!(a - b, saturated(bits(a) - bits(b)));
        prop_assert_eq!(-a, saturated(-bits(a)));
        prop_assert_eq!(a * b, nearest(bits(a) * bits(b), 1 << 16));
        prop_assert_eq!(a * Fixed::ONE, a);
    }

    #[test]
    fn ratios_round(
        numerator in prop_oneof![-100..100_i32, any::<i32>()],
        denominator in prop_oneof![-100..0_i32, 1..100_i32, 1..=i32::MAX, i32::MIN..0, Just(i32::MIN)],
    ) {
        let exact = nearest(i128::from(numerator) << 16, denominator.into());
        prop_assert_eq!(Fixed::ratio(numerator, denominator), exact);
    }
}

#[test]
fn by_hand() {
    assert_eq!(Fixed::ONE.bits(), 65_536);
    assert_eq!(Fixed::ratio(1, 2), Fixed::from_bits(32_768));
    assert_eq!(Fixed::ratio(7, 0), Fixed::MAX);
    assert_eq!(Fixed::ratio(-7, 0), Fixed::MIN);
    assert_eq!(Fixed::ratio(0, 0), Fixed::ZERO);
    // Half a unit is rounded up, a half below 0 to 0.
    assert_eq!(Fixed::ratio(1, 131_072), Fixed::UNIT);
    assert_eq!(Fixed::ratio(-1, 131_072), Fixed::ZERO);
    assert_eq!(Fixed::ratio(1, 2) * -Fixed::UNIT, Fixed::ZERO);
}
