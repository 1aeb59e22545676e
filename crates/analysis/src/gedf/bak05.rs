//! BAK05: Baker's second test, with more than one λ to choose from.
//!
//! A set is accepted if for every k there is a λ among C_k/D_k and the utilisations u_i ≥ C_k/D_k
//! with
//!
//! ```text
//!   Σ_i min(β_i, 1 − λ) < m (1 − λ)
//!
//!   β_i = u_i (1 + (T_i − D_i)/D_k)          if u_i ≤ λ
//!         u_i + (C_i − λ D_i)/D_k            if u_i > λ
//! ```
//!
//! Source: Baker, "An analysis of EDF schedulability on a multiprocessor", IEEE Transactions on
//! Parallel and Distributed Systems 16(8), 2005, for D ≤ T (he has a third case for D > T), as it
//! is given by Bertogna and Baruah, "Tests for global EDF schedulability analysis", Journal of
//! Systems Architecture 57(5), 2011. We had no copy of either at hand; that nothing it accepts
//! misses a deadline is tested.
//!
//! Complexity: O(n) if all deadlines are those of the periods; else O(n³), but most λ are ruled out
//! for all k at once: β_i is at least u_i, so Σ min(u_i, 1 − λ) < m (1 − λ) is necessary.
//!
//! If D = T, it comes to that with λ = max u: it is the only choice for the task that has it, and
//! every other task has it for a choice, too, with β_i = u_i.

use super::{Answer, Set, Task};
use crate::fractions::{self, least};

pub(super) fn test(set: &Set, cpus: u32) -> Answer {
    let tasks = set.tasks();
    let Some(densest) = set.densest() else {
        return Answer::Accepts;
    };
    if set.is_implicit() {
        return Answer::accepts_if(possible(tasks, (densest.wcet, densest.period), cpus));
    }
    let choices: Vec<Lambda> = tasks
        .iter()
        .map(|task| (task.wcet, task.period))
        .filter(|&lambda| possible(tasks, lambda, cpus))
        .collect();
    let passes = |k: &Task| {
        let own = (k.wcet, k.deadline);
        let larger = choices.iter().filter(|&&lambda| at_most(own, lambda));
        (possible(tasks, own, cpus) && one(tasks, k, own, cpus))
            || larger
                .into_iter()
                .any(|&lambda| one(tasks, k, lambda, cpus))
    };
    Answer::accepts_if(passes(densest) && tasks.iter().all(passes))
}

/// λ as a fraction.
type Lambda = (u64, u64);

fn at_most((a, b): Lambda, (c, d): Lambda) -> bool {
    u128::from(a) * u128::from(d) <= u128::from(c) * u128::from(b)
}

/// Whether Σ min(u_i, 1 − λ) < m (1 − λ).
fn possible(tasks: &[Task], (p, q): Lambda, cpus: u32) -> bool {
    // Both sides times q, so that the bound is whole.
    let terms = tasks.iter().map(|task| {
        let utilisation = (task.wcet, task.period);
        if at_most(utilisation, (q - p, q)) {
            (u128::from(task.wcet) * u128::from(q), task.period)
        } else {
            (u128::from(q - p), 1)
        }
    });
    fractions::compare(terms, u128::from(cpus) * u128::from(q - p)).is_lt()
}

/// Whether τ_k passes with λ = p/q.
fn one(tasks: &[Task], k: &Task, (p, q): Lambda, cpus: u32) -> bool {
    let [wide_p, wide_q, window] = [p, q, k.deadline].map(u128::from);
    // Both sides times D_k, and so a β_i counts for (1 − λ) D_k at most.
    let most = ((wide_q - wide_p) * window, q);
    let terms = tasks.iter().flat_map(|task| {
        let [wcet, deadline] = [task.wcet, task.deadline].map(u128::from);
        let (share, rest) = if at_most((task.wcet, task.period), (p, q)) {
            let earlier = u128::from(task.period - task.deadline);
            (wcet * (window + earlier), 0)
        } else {
            // C/D ≥ u > λ, so the difference is not negative.
            (wcet * window, wcet * wide_q - wide_p * deadline)
        };
        least((share, task.period), (rest, q), most)
    });
    // The bound need not be whole: so the left side gets what is missing to the next whole number.
    let bound = u128::from(cpus) * most.0;
    let missing = (wide_q - bound % wide_q, q);
    fractions::compare(terms.chain([missing]), bound / wide_q + 1).is_lt()
}
