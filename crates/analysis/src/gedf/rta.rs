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
//! # How R is found
//!
//! The right side never falls as R grows, so the least R is reached by putting in what comes out, from anywhere below.
//! That can take thousands of steps where the right side is nearly as steep as the left. Each term grows by at least
//! min(x, g_i) while R grows by x, as it is made of parts with a slope of one, for
//!
//! ```text
//!   v = min(W, E, R − C_k + 1)          g_i = min(E − v, W − v + (C_i − x mod T_i)⁺)
//! ```
//!
//! So there is no R to be found as long as Σ v + Σ min(x, g_i) ≥ m (R + x − C_k + 1). The left side of that is concave
//! in x, so it holds up to one x and no further, which Newton's method finds from above: the tangents of a concave
//! function lie above it.
//!
//! Complexity: pseudo-polynomial; O(n) for each step towards R. [`rounds`](super::rounds) tells how most rounds are
//! saved.

use super::interference::{Row, is_short};
use super::rounds::{Response, Rounds};
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
        Rounds::<u64, _>::new(set, ToFixedPoint::new(cpus)).decide(meter)?
    } else {
        Rounds::<u128, _>::new(set, ToFixedPoint::new(cpus)).decide(meter)?
    };
    Ok(Answer::accepts_if(accepts))
}

/// The least R.
struct ToFixedPoint<W: Word> {
    cpus: W,
    by_cpus: W::Divisor,
    /// The terms of a task that still grow with R, and E_i of each.
    growing: Vec<(Row<W>, W)>,
    /// By how much they grow for sure: g_i.
    surely: Vec<W>,
}

impl<W: Word> ToFixedPoint<W> {
    fn new(cpus: u32) -> ToFixedPoint<W> {
        ToFixedPoint {
            cpus: W::new(cpus.into()),
            by_cpus: W::divisor(cpus.into()),
            growing: Vec::new(),
            surely: Vec::new(),
        }
    }

    /// The last x with `above` + Σ min(x, g_i) ≥ m x.
    fn last_above(&self, above: W) -> W {
        let all = self.surely.iter().fold(above, |sum, &surely| sum + surely);
        let mut x = all.over(self.by_cpus);
        loop {
            let (mut flat, mut rising) = (above, W::ZERO);
            for &surely in &self.surely {
                let rises = surely >= x;
                flat += if rises { W::ZERO } else { surely };
                rising += if rises { W::ONE } else { W::ZERO };
            }
            // The tangent at x is flat + rising · x.
            if flat + rising * x >= self.cpus * x {
                return x;
            }
            // It is below m x there, and `flat` is not negative: so it rises by less than m.
            x = flat.divide(self.cpus - rising);
        }
    }
}

impl<W: Word> Response<W> for ToFixedPoint<W> {
    fn response(
        &mut self,
        rows: &[Row<W>],
        k: usize,
        least: W,
        meter: &mut Meter,
    ) -> Result<Option<W>, Stop> {
        let Row { c, d, .. } = rows[k];
        self.growing.clear();
        for row in rows[..k].iter().chain(&rows[k + 1..]) {
            self.growing.push((*row, row.before(d)));
        }
        // The terms that have reached E_i, where they stay.
        let mut full = W::ZERO;
        let mut response = least;
        loop {
            meter.spend(self.growing.len())?;
            let most = response - c + W::ONE;
            let mut sum = full;
            self.surely.clear();
            let surely = &mut self.surely;
            self.growing.retain(|(row, before)| {
                let (within, more) = row.within(response);
                let term = within.min(most).min(*before);
                sum += term;
                let grows = term < *before;
                if grows {
                    surely.push((*before - term).min(within - term + more));
                } else {
                    full += *before;
                }
                grows
            });
            let bound = self.cpus * most;
            if sum < bound {
                return Ok(Some(response));
            }
            response += self.last_above(sum - bound) + W::ONE;
            if response > d {
                return Ok(None);
            }
        }
    }
}
