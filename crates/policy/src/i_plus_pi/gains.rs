//! The gains of the two regulators, and which of them are stable.

use core::fmt;

/// A gain, as a multiple of 2⁻¹⁶. The controller works with exactly this number, not with the
/// decimal fraction that it may have been written as.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Gain(i32);

/// The gains of an I+PI scheduler: of the bank of integral regulators, and of the outer PI
/// regulator together with its zero.
///
/// # Which are stable
///
/// With no disturbance, a round takes as long as its bursts, so the loop from the set point of the
/// round to its length has (eq. 2.7 of the thesis, with *K* = *kpi*·*krr*) the poles
///
/// ```text
///     P(z) = z³ − 2z² + (1 + K)z − K·zrr = 0
/// ```
///
/// whatever the shares are. All of them are inside of the unit circle if and only if Jury's
/// conditions hold, which for a cubic z³ + a₂z² + a₁z + a₀ are
///
/// ```text
///     P(1) > 0:            K(1 − zrr) > 0               K > 0 and zrr < 1
///     −P(−1) > 0:          4 + K(1 + zrr) > 0           always, then
///     1 − a₀² > |a₀a₂ − a₁|:   1 − K²zrr² > |2K·zrr − 1 − K|
/// ```
///
/// The last one, taken for the negative argument, is K(K·zrr² − 2zrr + 1) < 0, so zrr > ½ and
///
/// ```text
///     K < (2zrr − 1) / zrr²
/// ```
///
/// and taken for the positive one it is weaker than that. An inner regulator alone has the poles of
/// z² − z + kpi (eq. 2.4), which are inside for 0 < kpi < 1. The defaults (½, 0.9, 0.88) have K =
/// 0.45 where 0.981 is allowed, and poles at 0.822 and 0.589 ± 0.367i.
///
/// The thesis's model has one round of delay more than there is, here and in its implementation:
/// the bursts of a round are computed from the round that has just ended, so eq. 2.5 loses its
/// factor z, and the loop has the poles of (z − 1)² + K(z − zrr) = z² − (2 − K)z + 1 − K·zrr, and 1
/// − kpi for what only moves between tasks. These are stable whenever those of eq. 2.7 are, and the
/// defaults' are at 0.775 ± 0.058i and 0.5: an error of the round fades by 0.777 a round. The
/// stricter condition is kept, as one for machines that measure late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gains {
    pub(super) kpi: i64,
    pub(super) krr: i64,
    zrr: i64,
}

/// Gains that no controller should have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unstable {
    /// The bank of integral regulators: kpi is not between 0 and 1.
    Inner,
    /// The zero of the outer regulator is not between ½ and 1.
    Zero,
    /// kpi·krr is not between 0 and (2zrr − 1)/zrr².
    Outer,
}

impl Gain {
    /// The fraction bits.
    pub(super) const BITS: u32 = 16;
    const ONE: i64 = 1 << Gain::BITS;

    /// The gain next to `numerator / denominator`; the largest there is, some 32,768, if that is
    /// smaller or the denominator is zero.
    pub const fn ratio(numerator: u32, denominator: u32) -> Gain {
        if denominator == 0 {
            return Gain(i32::MAX);
        }
        let scaled = ((numerator as u64) << Gain::BITS) + denominator as u64 / 2;
        let nearest = scaled / denominator as u64;
        if nearest > i32::MAX as u64 {
            Gain(i32::MAX)
        } else {
            #[expect(clippy::cast_possible_truncation, reason = "just compared")]
            Gain(nearest as i32)
        }
    }

    /// So many 2⁻¹⁶, if it is not negative.
    pub const fn from_bits(bits: i32) -> Option<Gain> {
        if bits < 0 { None } else { Some(Gain(bits)) }
    }

    /// The number of 2⁻¹⁶ that it is, not negative.
    pub const fn bits(self) -> i32 {
        self.0
    }
}

impl Gains {
    /// The gains of the thesis's implementation: kpi ½, krr 0.9, zrr 0.88.
    pub const DEFAULT: Gains = {
        let (kpi, krr, zrr) = (Gain::ratio(1, 2), Gain::ratio(9, 10), Gain::ratio(22, 25));
        match Gains::new(kpi, krr, zrr) {
            Ok(gains) => gains,
            Err(_) => unreachable!(),
        }
    };

    /// These gains.
    ///
    /// # Errors
    /// [`Unstable`] if a pole of the controller would lie on the unit circle or outside of it.
    pub const fn new(kpi: Gain, krr: Gain, zrr: Gain) -> Result<Gains, Unstable> {
        let (kpi, krr, zrr) = (kpi.0 as i128, krr.0 as i128, zrr.0 as i128);
        let one = Gain::ONE as i128;
        if kpi <= 0 || kpi >= one {
            return Err(Unstable::Inner);
        }
        if 2 * zrr <= one || zrr >= one {
            return Err(Unstable::Zero);
        }
        // K·zrr² < 2zrr − 1, with four factors on the left and one on the right.
        if krr <= 0 || kpi * krr * zrr * zrr >= (2 * zrr - one) * one * one * one {
            return Err(Unstable::Outer);
        }
        #[expect(clippy::cast_possible_truncation, reason = "31 bits each, and zrr < 1")]
        Ok(Gains {
            kpi: kpi as i64,
            krr: krr as i64,
            zrr: zrr as i64,
        })
    }

    /// krr·zrr, to the nearest: both are positive, and have 31 bits at most.
    pub(super) const fn krr_zrr(self) -> i64 {
        (self.krr * self.zrr + Gain::ONE / 2) >> Gain::BITS
    }

    /// kpi, krr and zrr.
    pub fn parts(self) -> [Gain; 3] {
        // They were gains.
        [self.kpi, self.krr, self.zrr].map(|gain| Gain(i32::try_from(gain).unwrap_or(i32::MAX)))
    }
}

impl Default for Gains {
    fn default() -> Gains {
        Gains::DEFAULT
    }
}

impl Unstable {
    /// Which range a gain left, in words.
    pub const fn text(self) -> &'static str {
        match self {
            Unstable::Inner => "kpi has to be between 0 and 1",
            Unstable::Zero => "zrr has to be between 0.5 and 1",
            Unstable::Outer => "kpi * krr has to be between 0 and (2 zrr - 1) / zrr^2",
        }
    }
}

impl fmt::Display for Unstable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl core::error::Error for Unstable {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The largest absolute value of a root of z³ − 2z² + (1 + K)z − K·zrr, by Durand and Kerner's
    /// iteration.
    fn radius(k: f64, zrr: f64) -> f64 {
        type Complex = (f64, f64);
        let mul = |a: Complex, b: Complex| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
        let sub = |a: Complex, b: Complex| (a.0 - b.0, a.1 - b.1);
        let div = |a: Complex, b: Complex| {
            let square = b.0 * b.0 + b.1 * b.1;
            let product = mul(a, (b.0, -b.1));
            (product.0 / square, product.1 / square)
        };
        let value = |z: Complex| {
            let horner = |sum: Complex, c: f64| (mul(sum, z).0 + c, mul(sum, z).1);
            [-2.0, 1.0 + k, -k * zrr]
                .into_iter()
                .fold((1.0, 0.0), horner)
        };
        let mut roots = [(1.0, 0.0), (0.4, 0.9), (-0.65, 0.72)];
        for _ in 0..2_000 {
            for i in 0..3 {
                let [a, b] = [(i + 1) % 3, (i + 2) % 3].map(|j| sub(roots[i], roots[j]));
                roots[i] = sub(roots[i], div(value(roots[i]), mul(a, b)));
            }
        }
        roots.iter().map(|z| z.0.hypot(z.1)).fold(0.0, f64::max)
    }

    fn gains(kpi: f64, krr: f64, zrr: f64) -> Result<Gains, Unstable> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small"
        )]
        let gain = |value: f64| Gain::ratio((value * 1e6).round() as u32, 1_000_000);
        Gains::new(gain(kpi), gain(krr), gain(zrr))
    }

    #[test]
    fn the_shipped_gains_have_the_known_poles() {
        assert!((radius(0.45, 0.88) - 0.822).abs() < 1e-3);
        assert!((radius(0.70, 0.88) - 0.854).abs() < 1e-3);
        assert_eq!(Gains::DEFAULT, gains(0.5, 0.9, 0.88).unwrap());
        assert!(gains(0.5, 1.4, 0.88).is_ok());
    }

    #[test]
    fn what_cannot_work_is_refused() {
        assert_eq!(gains(0.0, 0.9, 0.88), Err(Unstable::Inner));
        assert_eq!(gains(1.0, 0.5, 0.88), Err(Unstable::Inner));
        assert_eq!(gains(0.5, 0.9, 0.5), Err(Unstable::Zero));
        assert_eq!(gains(0.5, 0.9, 1.0), Err(Unstable::Zero));
        assert_eq!(gains(0.5, 0.0, 0.88), Err(Unstable::Outer));
        assert_eq!(gains(0.5, 2.0, 0.88), Err(Unstable::Outer));
        assert_eq!(Gain::ratio(1, 0).bits(), i32::MAX);
    }

    proptest! {
        /// Jury's conditions say what the roots say.
        #[test]
        fn exactly_the_stable_ones_are_taken(
            kpi in 0.01_f64..0.99, krr in 0.01_f64..4.0, zrr in 0.501_f64..0.999,
        ) {
            let radius = radius(kpi * krr, zrr);
            // So close to the border it is for the rounding to say.
            prop_assume!((radius - 1.0).abs() > 1e-4);
            prop_assert_eq!(gains(kpi, krr, zrr).is_ok(), radius < 1.0, "{}", radius);
        }
    }
}
