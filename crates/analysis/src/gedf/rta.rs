//! RTA: response times, and the slack they leave.
//!
//! With E_i and W_i as in [`interference`](super::interference), the response time of τ_k is at most the
//! least R with
//!
//! ```text
//!   R = C_k + ⌊ Σ_{i≠k} min(W_i(R), E_i, R − C_k + 1) / m ⌋
//! ```
//!
//! and s_k = D_k − R is slack, which lessens E_k and W_k for all others. So it goes round until all tasks
//! are in time, or until nothing gets any better.
//!
//! Source: Bertogna and Cirinei, "Response-time analysis for globally scheduled symmetric multiprocessor
//! platforms", RTSS 2007. The "+ 1" is one unit.
//!
//! The order of the rounds does not matter. The right side grows with R and falls with every slack, so
//! what the slacks allow is a monotone function of themselves, and any fair order of updates from zero
//! reaches its least fixed point (chaotic iteration; Cousot and Cousot 1977). It follows that a task that
//! is in time once stays so, that slacks need not be as large as they can be at each step, and that a
//! smaller R never has to be looked for.
//!
//! Complexity: pseudo-polynomial; O(n²) for each round of each step towards R.

use super::interference::{Row, is_short, rows};
use super::word::Word;
use super::{Answer, Set};
use crate::Stop;
use crate::work::Meter;

pub(super) fn test(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Answer, Stop> {
    // On so few tasks there is always a CPU for each: R = C fulfils the equation.
    if set.tasks().len() <= cpus as usize {
        return Ok(Answer::Accepts);
    }
    let accepts = if is_short(set) {
        Rounds::<u64>::new(set, cpus).all_in_time(meter)?
    } else {
        Rounds::<u128>::new(set, cpus).all_in_time(meter)?
    };
    Ok(Answer::accepts_if(accepts))
}

struct Rounds<W: Word> {
    rows: Vec<Row<W>>,
    by_cpus: W::Divisor,
    /// The terms of a task that still grow with R.
    growing: Vec<(Row<W>, W)>,
}

impl<W: Word> Rounds<W> {
    fn new(set: &Set, cpus: u32) -> Rounds<W> {
        let rows = rows(set);
        Rounds {
            growing: Vec::with_capacity(rows.len()),
            rows,
            by_cpus: W::divisor(cpus.into()),
        }
    }

    fn all_in_time(&mut self, meter: &mut Meter) -> Result<bool, Stop> {
        let mut late: Vec<usize> = (0..self.rows.len()).collect();
        loop {
            let mut better = false;
            for k in 0..self.rows.len() {
                if let Some(response) = self.response(k, meter)? {
                    let slack = self.rows[k].d - response;
                    better |= slack > self.rows[k].slack;
                    self.rows[k].slack = slack;
                    late.retain(|&other| other != k);
                }
            }
            if late.is_empty() || !better {
                return Ok(late.is_empty());
            }
        }
    }

    /// The least R that fulfils the equation of τ_k, unless it is beyond the deadline.
    fn response(&mut self, k: usize, meter: &mut Meter) -> Result<Option<W>, Stop> {
        let Row { c, d, .. } = self.rows[k];
        self.growing.clear();
        for row in self.rows[..k].iter().chain(&self.rows[k + 1..]) {
            self.growing.push((*row, row.before(d)));
        }
        let mut response = c;
        loop {
            meter.spend(self.growing.len())?;
            let most = response - c + W::ONE;
            let mut sum = W::ZERO;
            for (row, before) in &self.growing {
                sum += row.within(response).0.min(*before).min(most);
            }
            let next = c + sum.over(self.by_cpus);
            if next <= response {
                return Ok(Some(response));
            }
            if next > d {
                return Ok(None);
            }
            response = next;
        }
    }
}
