//! GFB: the sum of the densities.
//!
//! ```text
//!   Σ δ_i ≤ m − (m − 1) · max δ_i        δ = C / D
//! ```
//!
//! Source: Goossens, Funk and Baruah, "Priority-driven scheduling of periodic task systems on
//! multiprocessors", Real-Time Systems 25(2–3), 2003, for D = T; Bertogna, Cirinei and Lipari, "Improved
//! schedulability analysis of EDF on multiprocessor platforms", ECRTS 2005, for D ≤ T.
//!
//! Complexity: O(n); where the sum is too close to the bound for 64 binary places, that of a sum of big
//! fractions.

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
