//! The share of the CPU that tasks ask for: the sum of WCET over period, exactly.
//!
//! Periods in nanoseconds seldom share a factor, so that the exact sum of a hundred fractions has
//! a denominator of thousands of bits. Yet nearly every question about it is *is it above one?*,
//! and that nearly always has an answer that a 64-bit fixed-point sum can prove. So the sum is
//! kept between two bounds (`Load`, 128-bit arithmetic); only where one lies between them, the
//! big fraction decides.
//!
//! Complexity: the bounds O(n); the exact fraction O(p²) word operations for p different periods,
//! about 1 ms for 1000.

use crate::SporadicTask;
use core::cmp::Ordering;
use core::fmt;
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// A utilisation: an exact fraction, 0 or more. 1 is the whole CPU.
///
/// [`Display`](fmt::Display) shows it as a decimal number with four places, or as many as asked
/// for, rounded to the nearest (halves up); the rounding is the display's alone.
#[derive(Clone)]
pub struct Utilisation {
    // Not in lowest terms: nothing here needs that, and finding them costs more than the sum.
    numerator: BigUint,
    denominator: BigUint,
}

impl Utilisation {
    /// The sum of WCET/period over `tasks`.
    pub fn of(tasks: &[SporadicTask]) -> Utilisation {
        let mut sum = Utilisation {
            numerator: BigUint::ZERO,
            denominator: BigUint::from(1_u8),
        };
        let mut work: BTreeMap<u64, u128> = BTreeMap::new();
        for task in tasks {
            *work.entry(task.t()).or_default() += u128::from(task.c());
        }
        for (period, wcets) in work {
            sum.numerator *= period;
            sum.numerator += &sum.denominator * wcets;
            sum.denominator *= period;
        }
        sum
    }

    /// How it compares with one whole CPU, exactly.
    pub fn cmp_one(&self) -> Ordering {
        self.numerator.cmp(&self.denominator)
    }

    /// How it compares with so many whole CPUs, exactly.
    pub fn cmp_cpus(&self, cpus: u32) -> Ordering {
        self.numerator.cmp(&(&self.denominator * cpus))
    }

    /// The same times `ppm` millionths, exactly.
    #[must_use]
    pub fn times_ppm(&self, ppm: u64) -> Utilisation {
        Utilisation {
            numerator: &self.numerator * ppm,
            denominator: &self.denominator * 1_000_000_u32,
        }
    }

    /// In millionths, rounded to the nearest (halves up). For reports: a verdict must not rest on
    /// it. Saturates at [`u64::MAX`], which is more than 10¹³ CPUs.
    pub fn parts_per_million(&self) -> u64 {
        u64::try_from(self.scaled(6)).unwrap_or(u64::MAX)
    }

    /// The utilisation times ten to the power of `places`, rounded to the nearest, halves up.
    fn scaled(&self, places: u32) -> BigUint {
        let twice = &self.numerator * BigUint::from(10_u8).pow(places) * 2_u8;
        (twice + &self.denominator) / (&self.denominator * 2_u8)
    }
}

impl Ord for Utilisation {
    fn cmp(&self, other: &Utilisation) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl PartialOrd for Utilisation {
    fn partial_cmp(&self, other: &Utilisation) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Utilisation {
    fn eq(&self, other: &Utilisation) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Utilisation {}

impl fmt::Display for Utilisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = f.precision().unwrap_or(4);
        let digits = self.scaled(u32::try_from(places).map_err(|_| fmt::Error)?);
        let digits = format!(
            "{digits:0>width$}",
            digits = digits.to_string(),
            width = places + 1
        );
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let point = if places > 0 { "." } else { "" };
        // Not `pad`: that would take the precision for a width to cut the text down to.
        f.pad_integral(true, "", &format!("{whole}{point}{fraction}"))
    }
}

impl fmt::Debug for Utilisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Whether the tasks ask for more than the whole CPU. Exact; O(n) unless it is a close call.
pub fn overloaded(tasks: &[SporadicTask]) -> bool {
    Load::of(tasks).cmp_one(tasks).is_gt()
}

/// A utilisation between two bounds, in units of 2⁻⁶⁴: `low` ≤ U ≤ `low` + `inexact`, and if
/// anything was cut off then U lies strictly between.
#[derive(Clone, Copy, Default)]
pub(crate) struct Load {
    low: u128,
    /// How many quotients were cut off, each by less than one unit.
    inexact: u128,
    /// A single task exceeds one by itself; then the rest does not matter.
    overload: bool,
}

impl Load {
    const ONE: u128 = 1 << 64;

    pub(crate) fn of(tasks: &[SporadicTask]) -> Load {
        let mut load = Load::default();
        for task in tasks {
            load.add(task);
        }
        load
    }

    pub(crate) fn add(&mut self, task: &SporadicTask) {
        if task.c() > task.t() {
            self.overload = true;
        } else {
            // At most 2⁶⁴ each, so that no slice of tasks is long enough to overflow the sum.
            let wcet = u128::from(task.c()) << 64;
            self.low += wcet / u128::from(task.t());
            self.inexact += u128::from(!wcet.is_multiple_of(u128::from(task.t())));
        }
    }

    /// Compares with one, exactly; `tasks` are those whose load this is.
    pub(crate) fn cmp_one(&self, tasks: &[SporadicTask]) -> Ordering {
        self.cmp_one_as(|| Utilisation::of(tasks))
    }

    /// The same, where `exactly` is the utilisation. It is asked if the bounds do not tell.
    pub(crate) fn cmp_one_as(&self, exactly: impl FnOnce() -> Utilisation) -> Ordering {
        if self.overload || self.low > Load::ONE {
            Ordering::Greater
        } else if self.inexact == 0 {
            self.low.cmp(&Load::ONE)
        } else if self.low + self.inexact <= Load::ONE {
            Ordering::Less
        } else if self.low == Load::ONE {
            Ordering::Greater
        } else {
            exactly().cmp_one()
        }
    }

    /// `amount` / (1 − U), rounded down or anything below that: U is taken too small here.
    /// `None` if it does not fit into 64 bits, or if U might be one.
    pub(crate) fn stretched_at_least(&self, amount: u64) -> Option<u64> {
        let idle = Load::ONE.checked_sub(self.low).filter(|&idle| idle > 0)?;
        u64::try_from((u128::from(amount) << 64) / idle).ok()
    }

    /// `amount` / (1 − U), rounded up or anything above that: U is taken too large here. `None`
    /// if it does not fit into 64 bits, or if U might be one.
    pub(crate) fn stretched_at_most(&self, amount: u64) -> Option<u64> {
        let high = self.low + self.inexact;
        let idle = Load::ONE.checked_sub(high).filter(|&idle| idle > 0)?;
        u64::try_from((u128::from(amount) << 64).div_ceil(idle)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_trace::Duration;
    use proptest::prelude::*;

    fn task(c: u64, t: u64) -> SporadicTask {
        let ns = Duration::from_nanos;
        SporadicTask::new(ns(c), ns(t), ns(t)).unwrap()
    }

    #[test]
    fn shown_rounded_but_compared_exactly() {
        let third = Utilisation::of(&[task(1, 3)]);
        assert_eq!(third.to_string(), "0.3333");
        assert_eq!(
            format!("{third:.0} {third:.1}|{third:8.2}|"),
            "0 0.3|    0.33|"
        );
        let two_thirds = Utilisation::of(&[task(1, 3), task(1, 3)]);
        assert_eq!(two_thirds.to_string(), "0.6667");
        assert_eq!(two_thirds.parts_per_million(), 666_667);
        assert_eq!(Utilisation::of(&[task(1, 8)]).scaled(2), 13_u8.into());
        assert_eq!(Utilisation::of(&[]).to_string(), "0.0000");
        assert_eq!(Utilisation::of(&[task(7, 2)]).to_string(), "3.5000");
        assert_eq!(Utilisation::of(&[task(2, 6)]), third);
        assert!(two_thirds > third);
    }

    #[test]
    fn closer_to_one_than_any_float_could_tell() {
        // (p − 1)/2p + (q + 1)/2q = 1 + (p − q)/2pq, some 10⁻³⁶ above 1.
        let (p, q) = (9_223_372_036_854_775_783, 9_223_372_036_854_775_643);
        let half = |t: u64, more: u64| task(t / 2 + more, t);
        for (tasks, expected) in [
            ([half(p, 0), half(q, 1)], Ordering::Greater),
            ([half(p, 1), half(q, 0)], Ordering::Less),
        ] {
            assert_eq!(Load::of(&tasks).cmp_one(&tasks), expected);
            assert_eq!(Utilisation::of(&tasks).to_string(), "1.0000");
        }
    }

    #[test]
    fn exactly_one() {
        for tasks in [
            vec![task(1, 1)],
            vec![task(1, 2), task(1, 4), task(1, 4)],
            vec![task(1, 2), task(1, 3), task(1, 6)],
            vec![task(u64::MAX - 1, u64::MAX - 1)],
        ] {
            assert_eq!(Load::of(&tasks).cmp_one(&tasks), Ordering::Equal);
        }
    }

    proptest! {
        #[test]
        fn bounds_agree_with_the_fraction(
            tasks in prop::collection::vec((1_u64..60, 1_u64..60), 0..6),
        ) {
            let tasks: Vec<_> = tasks.into_iter().map(|(c, t)| task(c, t)).collect();
            let (load, exact) = (Load::of(&tasks), Utilisation::of(&tasks));
            prop_assert_eq!(load.cmp_one(&tasks), exact.cmp_one());
            if exact.cmp_one().is_lt() {
                // 1000/(1−U) as an exact fraction.
                let thousand = &exact.denominator * 1000_u32;
                let idle = &exact.denominator - &exact.numerator;
                let low = load.stretched_at_least(1000).unwrap();
                let high = load.stretched_at_most(1000).unwrap();
                prop_assert!(&idle * low <= thousand);
                prop_assert!(&idle * high >= thousand);
                prop_assert!(high - low <= 2);
            }
        }
    }
}
