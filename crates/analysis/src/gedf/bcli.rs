//! BCLI: BCL with slack, in rounds.
//!
//! With E_i as in [`interference`](super::interference), τ_k is in time if
//!
//! ```text
//!   C_k + ⌊ Σ_{i≠k} min(E_i, D_k − C_k + 1) / m ⌋ ≤ D_k
//! ```
//!
//! and what is left is slack s_k, which lessens E_k for all others. So it goes round until all
//! tasks are in time, or until nothing gets any better.
//!
//! Source: Bertogna, Cirinei and Lipari, "Schedulability analysis of global scheduling algorithms
//! on multiprocessor platforms", IEEE Transactions on Parallel and Distributed Systems 20(4), 2009.
//! The "+ 1" is one unit.
//!
//! Complexity: O(n²) a round; slacks only grow, by whole units, so the rounds end.
//! [`rounds`](super::rounds) tells how most of them are saved.

use super::columns::{self, Columns};
use super::interference::{Row, by_deadline, is_short};
use super::rounds::{self, Outcome, Response, Rounds};
use super::word::Word;
use super::{Answer, Set};
use crate::Stop;
use crate::work::Meter;

pub(super) fn test(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Answer, Stop> {
    let accepts = if let Some(mut columns) = Columns::new(set) {
        columns::bcli::decide(&mut columns, cpus, meter)?
    } else if is_short(set) {
        Rounds::new(by_deadline(set), ToDeadline::<u64>::new(cpus)).decide(meter)?
    } else {
        Rounds::new(by_deadline(set), ToDeadline::<u128>::new(cpus)).decide(meter)?
    };
    Ok(Answer::accepts_if(accepts))
}

/// What the rounds come to.
pub(super) fn outcome(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Outcome, Stop> {
    if is_short(set) {
        rounds::outcome(set, ToDeadline::<u64>::new(cpus), meter)
    } else {
        rounds::outcome(set, ToDeadline::<u128>::new(cpus), meter)
    }
}

/// What the others do up to the deadline, and no later.
pub(super) struct ToDeadline<W: Word> {
    by_cpus: W::Divisor,
}

impl<W: Word> ToDeadline<W> {
    pub(super) fn new(cpus: u32) -> ToDeadline<W> {
        ToDeadline {
            by_cpus: W::divisor(cpus.into()),
        }
    }
}

impl<W: Word> Response for ToDeadline<W> {
    type Tasks = Vec<Row<W>>;

    fn response(
        &mut self,
        rows: &Vec<Row<W>>,
        k: usize,
        _: W,
        meter: &mut Meter,
    ) -> Result<Option<W>, Stop> {
        meter.spend(W::STEPS * rows.len())?;
        let Row { c, d, .. } = rows[k];
        let most = d - c + W::ONE;
        let mut sum = W::ZERO;
        for row in rows[..k].iter().chain(&rows[k + 1..]) {
            sum += row.before(d).min(most);
        }
        let response = c + sum.over(self.by_cpus);
        Ok(Some(response).filter(|&response| response <= d))
    }
}
