//! GFB: the sum of the densities.
//!
//! ```text
//!   Σ δ_i ≤ m − (m − 1) · max δ_i        δ = C / D
//! ```
//!
//! Source: Goossens, Funk and Baruah, "Priority-driven scheduling of periodic task systems on
//! multiprocessors", Real-Time Systems 25(2–3), 2003, for D = T; Bertogna, Cirinei and Lipari,
//! "Improved schedulability analysis of EDF on multiprocessor platforms", ECRTS 2005, for D ≤ T.
//!
//! Complexity: O(n); where the sum is too close to the bound for 64 binary places, that of a sum of
//! big fractions.

use super::{Answer, Set, Task};
use crate::fractions;

pub(super) fn test(set: &Set, cpus: u32) -> Answer {
    let Some(densest) = set.densest() else {
        return Answer::Accepts;
    };
    let term = |task: &Task| (u128::from(task.wcet), task.deadline);
    // m − 1 times the largest density goes over to the left. Two 32- and 64-bit factors fit.
    let (wcet, deadline) = term(densest);
    let again = (wcet * u128::from(cpus - 1), deadline);
    let terms = set.tasks().iter().map(term).chain([again]);
    let bound = u128::from(cpus);
    let order = if set.is_implicit() {
        // Densities are utilisations, which have been added up already.
        let mut sum = *set.utilisation();
        sum.add(again.0, again.1);
        sum.compare(terms, bound)
    } else {
        fractions::compare(terms, bound)
    };
    Answer::accepts_if(order.is_le())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(tasks: &[Task], cpus: u32) -> bool {
        let set = Set::new(tasks.to_vec()).unwrap();
        test(&set, cpus).accepts()
    }

    /// By hand: on two CPUs the sum may be 2 less the largest density.
    #[test]
    fn the_bound_is_met_exactly() {
        let third = Task::implicit(1, 3);
        assert!(accepts(&[third; 5], 2));
        assert!(!accepts(&[third; 6], 2));
        // 5/3 + 1/3 = 2, and one in 10⁹ is too much.
        let more = Task::implicit(333_333_334, 1_000_000_000);
        assert!(!accepts(&[third, third, third, third, more], 2));
        // A deadline before the period makes it denser.
        let dense = Task {
            deadline: 2,
            ..third
        };
        assert!(!accepts(&[third, third, third, third, dense], 2));
        assert!(accepts(&[third; 3], 1));
        assert!(!accepts(&[dense, third, third], 1));
        // Dhall's effect: next to nothing beside one whole CPU, for any number of CPUs.
        let dhall = [Task::implicit(2, 100), Task::implicit(101, 101)];
        assert!(!accepts(&dhall, 2) && !accepts(&dhall, 128));
    }
}
