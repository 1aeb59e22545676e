//! RTA in columns: the search of [`rta`](super::super::rta), which explains it, for several terms
//! at once.

use super::{Block, Columns, LANES, Lanes};
use crate::Stop;
use crate::gedf::Set;
use crate::gedf::rounds::{Response, Slacks};
use crate::work::Meter;
use fearless_simd::{
    Select, Simd, SimdBase, SimdCvtFloat, SimdCvtTruncate, dispatch, f32x16, i32x16,
};

/// Times must be below this, so that a quotient by reciprocal is right but for one; see [`divide`].
const EXACT: u64 = 1 << 21;

/// Whether the times of a set are short enough.
pub(in super::super) fn fit(set: &Set) -> bool {
    set.longest() < EXACT
}

/// The least R.
pub(in super::super) struct ToFixedPoint {
    cpus: i64,
    terms: Vec<Terms>,
}

/// What is in τ_k's way.
#[derive(Clone)]
#[repr(C, align(64))]
struct Terms {
    /// E_i.
    before: Lanes,
    /// D_i − C_i − s_i: x is R and that.
    ahead: Lanes,
    /// g_i.
    surely: Lanes,
}

const NONE: Terms = Terms {
    before: [0; LANES],
    ahead: [0; LANES],
    surely: [0; LANES],
};

impl ToFixedPoint {
    pub(in super::super) fn new(cpus: u32) -> ToFixedPoint {
        ToFixedPoint {
            cpus: cpus.into(),
            terms: Vec::new(),
        }
    }

    #[inline(always)]
    fn search<S: Simd>(
        &mut self,
        simd: S,
        tasks: &Columns,
        k: usize,
        least: i32,
        meter: &mut Meter,
    ) -> Result<Option<i32>, Stop> {
        let (c, d) = (tasks.wcet(k), tasks.deadline(k));
        for (block, terms) in tasks.blocks.iter().zip(&mut self.terms) {
            terms.prepare(simd, block, d);
        }
        // τ_k is not in its own way.
        self.terms[k / LANES].before[k % LANES] = 0;
        let mut response = least;
        loop {
            meter.spend(tasks.tasks)?;
            let most = response - c + 1;
            let mut sum = i32x16::splat(simd, 0);
            for (block, terms) in tasks.blocks.iter().zip(&mut self.terms) {
                sum += terms.work(simd, block, response, most);
            }
            let above = i64::from(sum.reduce_sum()) - self.cpus * i64::from(most);
            if above < 0 {
                return Ok(Some(response));
            }
            response += self.last_above(simd, above) + 1;
            if response > d {
                return Ok(None);
            }
        }
    }

    /// As [`growth::last_above`](crate::gedf::growth::last_above), which explains it.
    #[inline(always)]
    fn last_above<S: Simd>(&self, simd: S, above: i64) -> i32 {
        let growth = || {
            let terms = self.terms.iter();
            terms.map(|terms| i32x16::load_array_ref(simd, &terms.surely))
        };
        let none = i32x16::splat(simd, 0);
        let all = growth().fold(none, |sum, surely| sum + surely);
        let mut x = (above + i64::from(all.reduce_sum())) / self.cpus;
        loop {
            // Below 2³¹, as the sum is.
            let here = i32::try_from(x).unwrap_or(i32::MAX);
            let (mut flat, mut rising) = (none, none);
            for surely in growth() {
                let rises = surely.simd_ge(here);
                flat += rises.select(none, surely);
                rising += rises.select(i32x16::splat(simd, 1), none);
            }
            let flat = above + i64::from(flat.reduce_sum());
            let rising = i64::from(rising.reduce_sum());
            if flat + rising * x >= self.cpus * x {
                return here;
            }
            x = flat / (self.cpus - rising);
        }
    }
}

impl Terms {
    /// Finds E_i for a deadline.
    #[inline(always)]
    fn prepare<S: Simd>(&mut self, simd: S, block: &Block, deadline: i32) {
        let load = |lanes: &Lanes| i32x16::load_array_ref(simd, lanes);
        let (c, slack) = (load(&block.c), load(&block.slack));
        let (jobs, rest) = divide(simd, i32x16::splat(simd, deadline), block);
        let before = jobs * c + (rest - slack).max(0).min(c);
        before.store_array(&mut self.before);
        (load(&block.d) - c - slack).store_array(&mut self.ahead);
    }

    /// All v, and finds g_i.
    #[inline(always)]
    fn work<S: Simd>(&mut self, simd: S, block: &Block, response: i32, most: i32) -> i32x16<S> {
        let load = |lanes: &Lanes| i32x16::load_array_ref(simd, lanes);
        let (c, before) = (load(&block.c), load(&self.before));
        let (jobs, rest) = divide(simd, load(&self.ahead) + response, block);
        let last = rest.min(c);
        let within = jobs * c + last;
        let value = within.min(most).min(before);
        let surely = (before - value).min(within - value + c - last);
        surely.store_array(&mut self.surely);
        value
    }
}

/// ⌊x/T⌋ and x mod T, for 0 ≤ x < 2²² and 1 ≤ T < 2²¹.
///
/// Both are exact as floating point numbers, and 1/T and the product are right but for 2⁻²⁴ each,
/// relatively. x/T is below the next whole number by 1/T or more, which is more than 2⁻²²·⁶ of it,
/// as (⌊x/T⌋ + 1) T < 2²² + 2²¹. So the product is below that number, too, and less than one below
/// x/T: rounded down it is the quotient, or one less.
#[inline(always)]
pub(super) fn divide<S: Simd>(simd: S, x: i32x16<S>, block: &Block) -> (i32x16<S>, i32x16<S>) {
    let t = i32x16::load_array_ref(simd, &block.t);
    let per_t = f32x16::load_array_ref(simd, &block.per_t);
    let quotient = i32x16::truncate_from(f32x16::float_from(x) * per_t);
    let rest = x - quotient * t;
    let less = rest.simd_ge(t);
    (
        less.select(quotient + 1, quotient),
        less.select(rest - t, rest),
    )
}

impl Response for ToFixedPoint {
    type Tasks = Columns;

    fn response(
        &mut self,
        tasks: &Columns,
        k: usize,
        least: i32,
        meter: &mut Meter,
    ) -> Result<Option<i32>, Stop> {
        self.terms.resize(tasks.blocks.len(), NONE);
        dispatch!(tasks.level, simd => self.search(simd, tasks, k, least, meter))
    }
}
