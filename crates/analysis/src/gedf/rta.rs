//! RTA: response times, and the slack they leave.
//!
//! With E_i and W_i as in [`interference`](super::interference), the response time of τ_k is at
//! most the least R with
//!
//! ```text
//!   R = C_k + ⌊ Σ_{i≠k} min(W_i(R), E_i, R − C_k + 1) / m ⌋
//! ```
//!
//! and s_k = D_k − R is slack, which lessens E_k and W_k for all others. So it goes round until all
//! tasks are in time, or until nothing gets any better.
//!
//! Source: Bertogna and Cirinei, "Response-time analysis for globally scheduled symmetric
//! multiprocessor platforms", RTSS 2007. The "+ 1" is one unit.
//!
//! # How R is found
//!
//! The right side never falls as R grows, so the least R is reached by putting in what comes out,
//! from anywhere below. That can take thousands of steps where the right side is nearly as steep as
//! the left. Each term grows by at least min(x, g_i) while R grows by x, as it is made of parts
//! with a slope of one, for
//!
//! ```text
//!   v = min(W, E, R − C_k + 1)          g_i = min(E − v, W − v + (C_i − x mod T_i)⁺)
//! ```
//!
//! So there is no R to be found as long as Σ v + Σ min(x, g_i) ≥ m (R + x − C_k + 1);
//! [`growth`](super::growth) finds how long that is.
//!
//! With R = D_k the right side is no more than what [`bcli`](super::bcli) has there, so BCLI finds
//! no larger slacks (by induction over the rounds).
//!
//! Complexity: pseudo-polynomial; O(n) for each step towards R. [`rounds`](super::rounds) tells how
//! most rounds are saved.

use super::columns::{self, Columns};
use super::growth::last_above;
use super::interference::{Row, by_deadline, is_short};
use super::rounds::{self, Outcome, Response, Rounds};
use super::word::Word;
use super::{Answer, Set};
use crate::Stop;
use crate::work::Meter;

pub(super) fn test(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Answer, Stop> {
    // On so few tasks there is always a CPU for each: R = C fulfils the equation.
    if set.tasks().len() <= cpus as usize {
        return Ok(Answer::Accepts);
    }
    let accepts = if let Some(mut columns) = Columns::new(set).filter(|_| columns::rta::fit(set)) {
        // BCLI has no larger slacks, and is much cheaper: if it accepts, then that is all, and if
        // not, it is a start.
        columns::bcli::decide(&mut columns, cpus, meter)?
            || Rounds::new(columns, columns::rta::ToFixedPoint::new(cpus)).decide(meter)?
    } else if is_short(set) {
        Rounds::new(by_deadline(set), ToFixedPoint::<u64>::new(cpus)).decide(meter)?
    } else {
        Rounds::new(by_deadline(set), ToFixedPoint::<u128>::new(cpus)).decide(meter)?
    };
    Ok(Answer::accepts_if(accepts))
}

/// What the rounds come to.
pub(super) fn outcome(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Outcome, Stop> {
    if is_short(set) {
        rounds::outcome(set, ToFixedPoint::<u64>::new(cpus), meter)
    } else {
        rounds::outcome(set, ToFixedPoint::<u128>::new(cpus), meter)
    }
}

/// The least R.
pub(super) struct ToFixedPoint<W: Word> {
    cpus: W,
    by_cpus: W::Divisor,
    /// The terms of a task that still grow with R.
    growing: Vec<Term<W>>,
    /// By how much they grow for sure: g_i.
    surely: Vec<W>,
}

/// min(W_i, E_i).
#[derive(Clone, Copy)]
struct Term<W: Word> {
    c: W,
    t: W,
    by_t: W::Divisor,
    /// D_i − C_i − s_i: x is R and that.
    ahead: W,
    /// E_i.
    before: W,
}

impl<W: Word> Term<W> {
    /// W_i, and by how much R may grow while it grows as fast.
    #[inline]
    fn within(&self, length: W) -> (W, W) {
        let reach = length + self.ahead;
        let jobs = reach.over(self.by_t);
        let last = (reach - jobs * self.t).min(self.c);
        (jobs * self.c + last, self.c - last)
    }
}

impl<W: Word> ToFixedPoint<W> {
    pub(super) fn new(cpus: u32) -> ToFixedPoint<W> {
        ToFixedPoint {
            cpus: W::new(cpus.into()),
            by_cpus: W::divisor(cpus.into()),
            growing: Vec::new(),
            surely: Vec::new(),
        }
    }
}

impl<W: Word> Response for ToFixedPoint<W> {
    type Tasks = Vec<Row<W>>;

    fn response(
        &mut self,
        rows: &Vec<Row<W>>,
        k: usize,
        least: W,
        meter: &mut Meter,
    ) -> Result<Option<W>, Stop> {
        let Row { c, d, .. } = rows[k];
        self.growing.clear();
        let terms = rows[..k].iter().chain(&rows[k + 1..]).map(|row| Term {
            c: row.c,
            t: row.t,
            by_t: row.by_t,
            ahead: row.d - row.c - row.slack,
            before: row.before(d),
        });
        self.growing.extend(terms);
        self.surely.resize(rows.len(), W::ZERO);
        // The terms that have reached E_i, where they stay.
        let mut full = W::ZERO;
        let mut response = least;
        loop {
            meter.spend(W::STEPS * self.growing.len())?;
            let most = response - c + W::ONE;
            let (mut sum, mut count) = (full, 0);
            // Whether a term grows cannot be predicted, not by the processor either: so there is no
            // branch on it, and terms that do not are written over.
            for position in 0..self.growing.len() {
                let term = self.growing[position];
                let (within, more) = term.within(response);
                let value = within.min(most).min(term.before);
                sum += value;
                let grows = value < term.before;
                self.growing[count] = term;
                self.surely[count] = (term.before - value).min(within - value + more);
                count += usize::from(grows);
                full += if grows { W::ZERO } else { value };
            }
            self.growing.truncate(count);
            let bound = self.cpus * most;
            if sum < bound {
                return Ok(Some(response));
            }
            let cpus = (self.cpus, self.by_cpus);
            response += last_above(sum - bound, &self.surely[..count], cpus) + W::ONE;
            if response > d {
                return Ok(None);
            }
        }
    }
}
