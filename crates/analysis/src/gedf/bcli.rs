//! BCLI: BCL with slack, in rounds.
//!
//! With E_i as in [`interference`](super::interference), τ_k is in time if
//!
//! ```text
//!   C_k + ⌊ Σ_{i≠k} min(E_i, D_k − C_k + 1) / m ⌋ ≤ D_k
//! ```
//!
//! and what is left is slack s_k, which lessens E_k for all others. So it goes round until all tasks are in
//! time, or until nothing gets any better.
//!
//! Source: Bertogna, Cirinei and Lipari, "Schedulability analysis of global scheduling algorithms on
//! multiprocessor platforms", IEEE Transactions on Parallel and Distributed Systems 20(4), 2009. The "+ 1" is
//! one unit.
//!
//! The order of the updates does not matter; [`rta`](super::rta) says why.
//!
//! Complexity: O(n²) a round; slacks only grow, by whole units, so the rounds end.

use super::interference::{Row, is_short, rows};
use super::word::Word;
use super::{Answer, Set};
use crate::Stop;
use crate::work::Meter;

pub(super) fn test(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Answer, Stop> {
    let accepts = if is_short(set) {
        all_in_time::<u64>(set, cpus, meter)?
    } else {
        all_in_time::<u128>(set, cpus, meter)?
    };
    Ok(Answer::accepts_if(accepts))
}

fn all_in_time<W: Word>(set: &Set, cpus: u32, meter: &mut Meter) -> Result<bool, Stop> {
    let mut rows = rows::<W>(set);
    let by_cpus = W::divisor(cpus.into());
    loop {
        let (mut late, mut better) = (false, false);
        for k in 0..rows.len() {
            meter.spend(rows.len())?;
            match slack(&rows, k, by_cpus) {
                Some(slack) => {
                    better |= slack > rows[k].slack;
                    rows[k].slack = slack;
                }
                None => late = true,
            }
        }
        if !late || !better {
            return Ok(!late);
        }
    }
}

/// What τ_k has left before its deadline, if it is in time.
pub(super) fn slack<W: Word>(rows: &[Row<W>], k: usize, by_cpus: W::Divisor) -> Option<W> {
    let Row { c, d, .. } = rows[k];
    let most = d - c + W::ONE;
    let mut sum = W::ZERO;
    for row in rows[..k].iter().chain(&rows[k + 1..]) {
        sum += row.before(d).min(most);
    }
    let response = c + sum.over(by_cpus);
    (response <= d).then(|| d - response)
}
