//! BCL: what the others can do to a job from its release to its deadline.
//!
//! With E_i as in [`interference`](super::interference) (without slack), a set is accepted if for
//! every task τ_k
//!
//! ```text
//!   Σ_{i≠k} min(E_i, D_k − C_k) < m (D_k − C_k)
//! ```
//!
//! or if both sides are equal and some 0 < E_i ≤ D_k − C_k: of a job that misses its deadline, m
//! others are in the way for more than D_k − C_k in all, and none counts for more than that.
//!
//! Source: Bertogna, Cirinei and Lipari, "Improved schedulability analysis of EDF on multiprocessor
//! platforms", ECRTS 2005, theorem 7 (there with ⌊(D_k − D_i)/T_i⌋ + 1 jobs, which for D_i ≤ T_i
//! makes the same E_i: if the window is D_i or more longer than some number of periods, the job
//! more is all there is of the next one).
//!
//! Complexity: O(n²).

use super::interference::{Row, is_short, rows};
use super::word::Word;
use super::{Answer, Set};

pub(super) fn test(set: &Set, cpus: u32) -> Answer {
    let accepts = if is_short(set) {
        all::<u64>(set, cpus)
    } else {
        all::<u128>(set, cpus)
    };
    Answer::accepts_if(accepts)
}

fn all<W: Word>(set: &Set, cpus: u32) -> bool {
    let rows = rows::<W>(set);
    (0..rows.len()).all(|k| one(&rows, k, W::new(cpus.into())))
}

fn one<W: Word>(rows: &[Row<W>], k: usize, cpus: W) -> bool {
    let deadline = rows[k].d;
    let room = deadline - rows[k].c;
    let bound = cpus * room;
    let (mut sum, mut small) = (W::ZERO, false);
    for row in rows[..k].iter().chain(&rows[k + 1..]) {
        let work = row.before(deadline);
        sum += work.min(room);
        small |= work > W::ZERO && work <= room;
        if sum > bound {
            return false;
        }
    }
    sum < bound || (sum == bound && small)
}
