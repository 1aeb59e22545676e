//! The hyperbolic bound: rate monotonic priorities hold if ∏ (Uᵢ + 1) ≤ 2.
//!
//! It accepts whatever Liu and Layland's bound accepts, and more. Decided exactly as
//! ∏ (Cᵢ + Tᵢ) ≤ 2 ∏ Tᵢ in big integers.
//!
//! Needs deadlines not below the periods, and neither jitter nor blocking. Sufficient only.
//!
//! Source: Bini, Buttazzo and Buttazzo, *Rate monotonic analysis: the hyperbolic bound*, IEEE
//! Transactions on Computers 52(7), 2003. Complexity: O(n²) word operations, < 1 ms for 1000.

use crate::{Outcome, Reason, SporadicTask, Utilisation, Verdict, liu_layland};
use num_bigint::BigUint;

/// Tests whether `tasks` hold under rate monotonic priorities (ties either way).
///
/// [`Verdict::Fails`] if the utilisation exceeds 1; [`Verdict::Unknown`] if the product is above
/// the bound, or if the bound makes no statement because of a deadline shorter than the period,
/// jitter or blocking.
pub fn test(tasks: &[SporadicTask]) -> Outcome {
    Outcome::sufficient(liu_layland::implicit(tasks).unwrap_or_else(|| {
        if is_within(tasks) {
            Verdict::Holds
        } else {
            Verdict::Unknown(Reason::AboveBound {
                bound: "hyperbolic",
                utilisation: Utilisation::of(tasks),
            })
        }
    }))
}

fn is_within(tasks: &[SporadicTask]) -> bool {
    let mut left = BigUint::from(1_u8);
    let mut right = BigUint::from(2_u8);
    for task in tasks {
        left *= u128::from(task.c()) + u128::from(task.t());
        right *= task.t();
    }
    left <= right
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
    fn the_bound_itself_is_inside() {
        // (1/2 + 1)(1/3 + 1) = 2, where Liu and Layland's bound says no: 5/6 > 0.8284.
        let on = tasks(&[(1, 2), (1, 3)]);
        assert!(test(&on).holds());
        assert!(!liu_layland::test(&on).holds());
        let t = 3_000_000_000_000_000_000;
        assert!(test(&tasks(&[(1, 2), (1_000_000_000_000_000_000, t)])).holds());
        let above = test(&tasks(&[(1, 2), (1_000_000_000_000_000_001, t)]));
        assert_eq!(
            above.verdict.to_string(),
            "unknown: utilisation 0.8333 is above the hyperbolic bound"
        );
    }
}
