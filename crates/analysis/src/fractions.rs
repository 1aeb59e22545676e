//! Sums of fractions, compared exactly.
//!
//! Periods seldom share a factor, so that the exact sum of a thousand fractions has a denominator
//! of ten thousands of bits. Yet the question is always *which side of a whole number?*, and that
//! nearly always has an answer that a sum with 64 bits behind the point can prove. So a sum is kept
//! between two bounds, and only where the number lies between them the big fraction decides.

use core::cmp::Ordering;
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// A numerator and a denominator, which is not zero.
pub(crate) type Fraction = (u128, u64);

/// A sum of fractions between two bounds: `whole` + `low`·2⁻⁶⁴ ≤ sum ≤ `whole` + (`low` +
/// `cut`)·2⁻⁶⁴, and if anything was cut off then the sum lies strictly between.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Bracket {
    whole: u128,
    low: u128,
    cut: u64,
    /// The whole part does not fit, so nothing is known but that it is huge.
    overflow: bool,
}

impl Bracket {
    pub(crate) fn of(terms: impl Iterator<Item = Fraction>) -> Bracket {
        let mut sum = Bracket::default();
        for (numerator, denominator) in terms {
            sum.add(numerator, denominator);
        }
        sum
    }

    /// Adds a fraction. The denominator is not zero.
    pub(crate) fn add(&mut self, numerator: u128, denominator: u64) {
        let wide = u128::from(denominator);
        // Most numerators are WCETs, below the denominator.
        let rest = if numerator < wide {
            numerator
        } else {
            let (whole, overflow) = self.whole.overflowing_add(numerator / wide);
            self.whole = whole;
            self.overflow |= overflow;
            numerator % wide
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is below the denominator, so it has at most 64 bits"
        )]
        let (quotient, exact) = binary(rest as u64, denominator);
        self.low += u128::from(quotient);
        self.cut += u64::from(!exact);
    }

    /// Both sums together.
    #[inline]
    pub(crate) fn plus(&self, other: &Bracket) -> Bracket {
        let (whole, overflow) = self.whole.overflowing_add(other.whole);
        Bracket {
            whole,
            low: self.low + other.low,
            cut: self.cut + other.cut,
            overflow: overflow || self.overflow || other.overflow,
        }
    }

    /// How the sum compares with `bound`, exactly; `terms` are those that were added.
    pub(crate) fn compare(&self, terms: impl Iterator<Item = Fraction>, bound: u128) -> Ordering {
        self.estimate(bound)
            .unwrap_or_else(|| exactly(terms, bound))
    }

    /// How the sum compares with another one, if that is sure.
    pub(crate) fn compare_estimate(&self, other: &Bracket) -> Option<Ordering> {
        if self.overflow || other.overflow {
            return None;
        }
        // Where the whole parts are the same, which they are where it matters.
        let [mine, theirs] = [self, other].map(|sum| sum.low + u128::from(sum.cut));
        if self.whole != other.whole {
            None
        } else if self.cut == 0 && other.cut == 0 {
            Some(self.low.cmp(&other.low))
        } else if self.low >= theirs {
            Some(Ordering::Greater)
        } else if mine <= other.low {
            Some(Ordering::Less)
        } else {
            None
        }
    }

    /// Something that the sum does not exceed, in units of 2⁻⁶⁴.
    pub(crate) fn at_most(&self) -> Option<BigUint> {
        let low = self.low + u128::from(self.cut);
        (!self.overflow).then(|| (BigUint::from(self.whole) << 64_u8) + low)
    }

    /// A whole number that the sum does not exceed.
    pub(crate) fn at_most_whole(&self) -> Option<u128> {
        let low = self.low + u128::from(self.cut);
        let whole = self.whole.checked_add(low.div_ceil(1 << 64))?;
        Some(whole).filter(|_| !self.overflow)
    }

    /// A whole number that does not exceed the sum.
    pub(crate) fn at_least_whole(&self) -> Option<u128> {
        let whole = self.whole.checked_add(self.low >> 64)?;
        Some(whole).filter(|_| !self.overflow)
    }

    /// The same as [`Bracket::at_most`], if it fits into 128 bits.
    pub(crate) fn at_most_short(&self) -> Option<u128> {
        let low = self.low + u128::from(self.cut);
        let whole = self.whole.checked_mul(1 << 64)?;
        whole.checked_add(low).filter(|_| !self.overflow)
    }

    /// How the sum compares with `bound`, if that is sure.
    fn estimate(&self, bound: u128) -> Option<Ordering> {
        if self.overflow {
            return None;
        }
        let Some(left) = bound.checked_sub(self.whole) else {
            return Some(Ordering::Greater);
        };
        // 64 bits for each of fewer than 2⁶⁴ terms, so neither wraps.
        let (low, high) = (self.low, self.low + u128::from(self.cut));
        let Some(left) = left.checked_mul(1 << 64) else {
            return Some(Ordering::Less);
        };
        match (self.cut == 0, high <= left, low >= left) {
            (true, ..) => Some(low.cmp(&left)),
            (false, true, _) => Some(Ordering::Less),
            (false, _, true) => Some(Ordering::Greater),
            (false, false, false) => None,
        }
    }
}

/// From where on a line that begins at `start` and rises by `rise` is below one that begins at zero
/// and rises by `slope`, or from later on; `None` if they never cross, or beyond 128 bits.
pub(crate) fn crossing(start: &Bracket, rise: &Bracket, slope: Fraction) -> Option<u128> {
    let (numerator, denominator) = slope;
    // All in units of 2⁻⁶⁴.
    let slope = BigUint::from(numerator) << 64_u8;
    let rise = rise.at_most()? * denominator;
    if slope <= rise {
        return None;
    }
    let crossing = (start.at_most()? * denominator) / (slope - rise) + 1_u8;
    crossing.try_into().ok()
}

/// a · b / c, rounded up; `None` if that is beyond 128 bits.
pub(crate) fn scaled(a: u128, b: u128, c: u128) -> Option<u128> {
    if let Some(product) = a.checked_mul(b) {
        return Some(product.div_ceil(c));
    }
    let product = BigUint::from(a) * b;
    ((product + (c - 1)) / c).try_into().ok()
}

/// How the sum of `terms` compares with `bound`, exactly.
pub(crate) fn compare(terms: impl Iterator<Item = Fraction> + Clone, bound: u128) -> Ordering {
    Bracket::of(terms.clone()).compare(terms, bound)
}

/// min(a + b, most), where `b` and `most` have the same denominator.
pub(crate) fn least(a: Fraction, b: Fraction, most: Fraction) -> [Fraction; 2] {
    let room = most.0.checked_sub(b.0).map(|room| (room, most.1));
    if room.is_some_and(|room| compare_two(a, room).is_lt()) {
        [a, b]
    } else {
        [most, (0, 1)]
    }
}

/// How two fractions compare, exactly.
fn compare_two(a: Fraction, b: Fraction) -> Ordering {
    let [(whole_a, rest_a), (whole_b, rest_b)] = [a, b].map(|(numerator, denominator)| {
        let denominator = u128::from(denominator);
        (numerator / denominator, numerator % denominator)
    });
    // The rests are below the denominators, so that their products fit.
    let rests = || (rest_a * u128::from(b.1)).cmp(&(rest_b * u128::from(a.1)));
    whole_a.cmp(&whole_b).then_with(rests)
}

/// The first 64 binary places of `rest` / `denominator` < 1, and whether that is all.
fn binary(rest: u64, denominator: u64) -> (u64, bool) {
    if denominator >> 32 == 0 {
        // Two divisions of 64 bits are faster than one of 128.
        let high = (rest << 32) / denominator;
        let rest = (rest << 32) % denominator;
        let low = (rest << 32) / denominator;
        (high << 32 | low, (rest << 32).is_multiple_of(denominator))
    } else {
        let rest = u128::from(rest) << 64;
        let denominator = u128::from(denominator);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is below 2⁶⁴, since the fraction is below one"
        )]
        let quotient = (rest / denominator) as u64;
        (quotient, rest.is_multiple_of(denominator))
    }
}

/// How two sums compare, exactly.
pub(crate) fn compare_sums(
    left: impl Iterator<Item = Fraction>,
    right: impl Iterator<Item = Fraction>,
) -> Ordering {
    let ((left, over_left), (right, over_right)) = (sum(left), sum(right));
    (left * over_right).cmp(&(right * over_left))
}

/// How the sum compares with `bound`, exactly.
fn exactly(terms: impl Iterator<Item = Fraction>, bound: u128) -> Ordering {
    let (numerator, denominator) = sum(terms);
    numerator.cmp(&(denominator * bound))
}

/// The sum as one fraction: O(p²) word operations for p different denominators.
fn sum(terms: impl Iterator<Item = Fraction>) -> (BigUint, BigUint) {
    let mut numerators: BTreeMap<u64, BigUint> = BTreeMap::new();
    for (numerator, denominator) in terms {
        *numerators.entry(denominator).or_default() += numerator;
    }
    let (mut sum, mut common) = (BigUint::ZERO, BigUint::from(1_u8));
    for (denominator, numerator) in numerators {
        sum = sum * denominator + &common * numerator;
        common *= denominator;
    }
    (sum, common)
}
