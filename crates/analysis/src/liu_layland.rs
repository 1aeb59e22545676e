//! Liu and Layland's bound: rate monotonic priorities hold if U ≤ n(2^(1/n) − 1).
//!
//! The bound is a root, hence irrational for n ≥ 2, but (1 + U/n)ⁿ ≤ 2 says the same. The power is
//! computed twice in fixed point, once rounded down and once up. As it is never exactly 2 for
//! n ≥ 2, some number of bits separates the two sides, and the bits are doubled until they do.
//!
//! Needs deadlines not below the periods, and neither jitter nor blocking. Sufficient only.
//!
//! Source: Liu and Layland, *Scheduling algorithms for multiprogramming in a hard-real-time
//! environment*, JACM 20(1), 1973, theorem 5.
//! Complexity: O(n + log n) operations on numbers of 128 bits, very rarely more.

use crate::utilisation::Load;
use crate::{Outcome, Reason, SporadicTask, Utilisation, Verdict};
use num_bigint::BigUint;

/// Tests whether `tasks` hold under rate monotonic priorities (ties either way).
///
/// [`Verdict::Fails`] if the utilisation exceeds 1; [`Verdict::Unknown`] if it is above the bound,
/// or if the bound makes no statement because of a deadline shorter than the period, jitter or
/// blocking.
pub fn test(tasks: &[SporadicTask]) -> Outcome {
    Outcome::sufficient(implicit(tasks).unwrap_or_else(|| {
        if is_within(tasks) {
            Verdict::Holds
        } else {
            Verdict::Unknown(Reason::AboveBound {
                bound: "Liu and Layland",
                utilisation: Utilisation::of(tasks),
            })
        }
    }))
}

/// The verdict on overload, and on sets to which bounds for implicit deadlines do not apply.
pub(crate) fn implicit(tasks: &[SporadicTask]) -> Option<Verdict> {
    if Load::of(tasks).cmp_one(tasks).is_gt() {
        return Some(Verdict::Fails(Reason::Overload {
            utilisation: Utilisation::of(tasks),
        }));
    }
    let needs = |task: &SporadicTask| {
        if task.deadline() < task.period() {
            Some("one with a deadline of at least its period")
        } else if !task.jitter().is_zero() {
            Some("free of release jitter")
        } else if !task.blocking().is_zero() {
            Some("free of blocking")
        } else {
            None
        }
    };
    let (task, needs) = (0..)
        .zip(tasks)
        .find_map(|(index, task)| Some((index, needs(task)?)))?;
    Some(Verdict::Unknown(Reason::NotApplicable { task, needs }))
}

/// Whether (1 + U/n)ⁿ ≤ 2, for U ≤ 1.
fn is_within(tasks: &[SporadicTask]) -> bool {
    if tasks.len() < 2 {
        return true; // The bound is 1 for a single task, and the caller has compared with that.
    }
    let mut bits = 128;
    loop {
        let (low, high) = power(tasks, bits);
        let two = BigUint::from(2_u8) << bits;
        if high <= two {
            return true;
        }
        if low > two {
            return false;
        }
        bits *= 2; // Ends: 2^(1/n) is irrational and U/n is not, so the two are apart.
    }
}

/// Bounds of (1 + U/n)ⁿ, in units of 2^−`bits`.
fn power(tasks: &[SporadicTask], bits: u64) -> (BigUint, BigUint) {
    let n = tasks.len();
    let one = BigUint::from(1_u8) << bits;
    let mut low = BigUint::ZERO;
    for task in tasks {
        low += (BigUint::from(task.c()) << bits) / task.t();
    }
    // Each quotient was cut off by less than one unit.
    let high = &low + n;
    let low = &one + low / n;
    let high = &one + (high + (n - 1)) / n;
    (
        raise(&low, n, |product| product >> bits),
        raise(&high, n, |product| (product + (&one - 1_u8)) >> bits),
    )
}

/// The power by squaring; `scale` brings each product back to units, rounding as it likes.
fn raise(base: &BigUint, exponent: usize, scale: impl Fn(BigUint) -> BigUint) -> BigUint {
    let mut power = base.clone();
    // From the bit below the leading one, downwards.
    for bit in (0..exponent.ilog2()).rev() {
        power = scale(&power * &power);
        if exponent >> bit & 1 == 1 {
            power = scale(power * base);
        }
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_trace::Duration;

    fn tasks(of: &[(u64, u64)]) -> Vec<SporadicTask> {
        let ns = Duration::from_nanos;
        of.iter()
            .map(|&(c, t)| SporadicTask::new(ns(c), ns(t), ns(t)).unwrap())
            .collect()
    }

    #[test]
    fn two_tasks_around_the_root() {
        // 2(√2 − 1) = 0.828427124746190097603…
        let t = 2_000_000_000_000_000_000;
        assert!(test(&tasks(&[(828_427_124_746_190_097, t); 2])).holds());
        assert!(!test(&tasks(&[(828_427_124_746_190_098, t); 2])).holds());
    }

    #[test]
    fn a_thousand_tasks_around_the_bound() {
        // 1000(2^(1/1000) − 1) = 0.693387462580…
        let t = 1_000_000_000_000_000;
        assert!(test(&tasks(&[(693_387_462_580, t); 1000])).holds());
        assert!(!test(&tasks(&[(693_387_462_581, t); 1000])).holds());
    }

    #[test]
    fn more_bits_decide_when_few_do_not() {
        // 16 bits cannot separate these from the root, 64 can.
        let t = 2_000_000_000_000;
        let near = tasks(&[(828_427_124_746, t); 2]);
        let two = |bits: u32| BigUint::from(2_u8) << bits;
        let (low, high) = power(&near, 16);
        assert!(low <= two(16) && high > two(16));
        let (_, high) = power(&near, 64);
        assert!(high <= two(64));
    }

    #[test]
    fn one_task_may_use_all_and_none_always_holds() {
        assert!(test(&tasks(&[(5, 5)])).holds());
        assert!(test(&[]).holds());
        let verdict = test(&tasks(&[(6, 5)])).verdict;
        assert_eq!(verdict.to_string(), "fails: utilisation 1.2000 exceeds 1");
    }

    #[test]
    fn makes_no_statement_about_other_models() {
        let ns = Duration::from_nanos;
        let plain = SporadicTask::new(ns(1), ns(9), ns(9)).unwrap();
        let short = SporadicTask::new(ns(1), ns(9), ns(8)).unwrap();
        let outcome = test(&[plain, short]);
        assert_eq!(
            outcome.to_string(),
            "unknown: not applicable: task 1 is not one with a deadline of at least its period \
             (sufficient test)"
        );
        assert!(!test(&[plain.with_jitter(ns(1)).unwrap()]).holds());
        assert!(!test(&[plain.with_blocking(ns(1)).unwrap()]).holds());
    }
}
