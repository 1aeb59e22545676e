//! RTALC: response times with limited carry-in.
//!
//! RTA lets a job of every task be under way when a job J of τ_k arrives; BAR goes back to where
//! fewer than m are, but bounds no response times. Both at once:
//!
//! J arrives at time A and has its deadline at A + D_k, and zero is the earliest instant such that
//! from there to A all CPUs are busy with jobs that matter, those of deadlines up to J's. If J is
//! not complete R units after its arrival, then there are X = A + R − C_k + 1 units of time up to
//! there in which all CPUs are busy with others that matter: those before A, and those after A in
//! which J does not compute, of which there are R − (C_k − 1) or more. No task has two jobs at
//! once, so that
//!
//! ```text
//!   Σ_i I_i ≥ m X          I_i ≤ min(work of τ_i up to A + R, X)          I_k ≤ min(work of τ_k before A, A)
//! ```
//!
//! In the unit of time before zero some CPU did nothing that matters. So at most m − 1 jobs that
//! matter were there, each of another task, and all of them computed: what they have left when the
//! window begins is at most C − 1. Hence J is complete after R units if
//!
//! ```text
//!   Σ_i NC_i + (the m − 1 largest (CI_i − NC_i)⁺) < m X                                                  (1)
//! ```
//!
//! with NC and CI, with no more than C − 1 left, of [`carry`](super::carry), cut off at X, or at A
//! for τ_k. Let R_A be the least R ≥ C_k for that, so that J's response time is at most max R_A. It
//! is also at most the least R ≥ C_k for which
//!
//! ```text
//!   Σ_{i≠k} min(CI_i, R − C_k + 1) < m (R − C_k + 1)                                                     (2)
//! ```
//!
//! in the window that begins with J's arrival (A = 0), where all may have a job with as much as C
//! left. R_k is the lesser of the two, and D_k − R_k is slack for all others and for τ_k, in rounds
//! as in [`rounds`](super::rounds).
//!
//! # Why slack may be used
//!
//! Let t be the first instant at which a job is late, if there is one. Then *a job of τ_i that
//! computes before t does so within R_i of its arrival*, for the R_i of each round. With R_i = D_i,
//! which is before the first round, that is what t says. And if a job of τ_k did not, with R_k from
//! the R_i of the round before, it would be incomplete R_k units after its arrival and before t;
//! then all in the window above is before t, where the R_i hold and no task has two jobs, and (1)
//! and (2) say that it is complete. If in the end all R_k ≤ D_k are found, then the job that is
//! late at t was complete at its deadline, so there is no such t.
//!
//! # Origin
//!
//! Sun and Lipari, "Response time analysis with limited carry-in for global earliest deadline first
//! scheduling", RTSS 2015, integrate Baruah's window with response times for global EDF. Their text
//! was not at hand: what is here was derived from Bertogna and Cirinei 2007 and Baruah 2007 and is
//! proved above, so it need not be their formula. C − 1 is from Guan, Stigge, Yi and Yu, "New
//! response time bounds for fixed priority multiprocessor scheduling", RTSS 2009. That both bounds
//! of a task's work hold at once, (2), and the search below are ours.
//!
//! # What it accepts
//!
//! * What RTA accepts: the terms of (2) are no larger than RTA's, so by induction over the rounds
//!   no slack is smaller.
//! * What a BAR accepts that looks at every L ≥ D_k, in the first round: with R = D_k and A = L −
//!   D_k there is NC_i ≤ dbf_i(L), CI_i ≤ dbf′_i(L) and X = L − C_k + 1, and the same without J for
//!   τ_k. BAR looks only at the steps of dbf. `tests/gedf` looks for sets where that makes a
//!   difference.
//!
//! # Which A
//!
//! The left side of (1), h(A), never falls as A grows, or R. So
//!
//! * from the A on at which m (A + R − C_k + 1) exceeds U (A + D_k) + Σ u_i (T_i − D_i) + the m − 1
//!   largest C − C_k, (1) holds, since NC ≤ dbf and CI − NC ≤ C. That takes U < m. For U = m there
//!   is (2) only.
//! * if (1) holds for an A, it does down to where m X is h(A), as in [`descent`](super::descent).
//! * NC leaps where a deadline of τ_i is J's, and all else grows no faster than A: CI does since at
//!   a leap of f(y) the value before it is f(y + 1) or more, but for one unit. So for A < A′ ≤ B
//!
//! ```text
//!   h(A′) ≤ h(A) + (m − 1) (A′ − A) + Σ NC(B) − Σ NC(A)
//! ```
//!
//!   and as m X grows by m (A′ − A), (1) holds from A to B if at A there is more room than Σ NC(B)
//!   − Σ NC(A). Between two leaps that is nothing, as a rule, so that only leaps have to be looked
//!   at.
//! * If not, there are the points where NC, CI or what cuts them off [bends down](Row::bend).
//!   Between these and leaps all are convex, and so is h, which is the largest of some of their
//!   sums. So if (1) holds at two such points it does between them, for the same R.
//!
//! R_A is found from below, as in [`rta`](super::rta). For most A, it is enough that (1) holds for
//! the R that another A has led to. If U is all but m, there are many A nevertheless.
//!
//! Complexity: pseudo-polynomial; O(n) for each A and R that is looked at. What (2) can show is
//! shown first. (1) is for the tasks that are late by (2), with R = D_k and no slack to begin with;
//! and for all tasks, with the least R, only if that does not help.

use super::columns::{self, Columns};
use super::growth::last_above;
use super::horizon::{Horizon, horizon};
use super::interference::{Row, by_deadline};
use super::rounds::{self, Outcome, Response, Rounds};
use super::word::Word;
use super::{Answer, Set};
use crate::Stop;
use crate::work::Meter;

pub(super) fn test(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Answer, Stop> {
    // (2) holds for R = C.
    if set.tasks().len() <= cpus as usize {
        return Ok(Answer::Accepts);
    }
    let horizon = horizon(set, cpus);
    let accepts = if is_short(set, cpus, horizon) {
        // BCLI has no larger slacks.
        let mut rows = by_deadline(set);
        if let Some(mut columns) = Columns::new(set) {
            if columns::bcli::decide(&mut columns, cpus, meter)? {
                return Ok(Answer::Accepts);
            }
            for (row, slack) in rows.iter_mut().zip(columns.slacks()) {
                row.slack = slack;
            }
        }
        Rounds::new(rows, Limited::<u64>::new(cpus, horizon)).decide_quickly_first(meter)?
    } else {
        let limited = Limited::<u128>::new(cpus, horizon);
        Rounds::new(by_deadline(set), limited).decide_quickly_first(meter)?
    };
    Ok(Answer::accepts_if(accepts))
}

/// What the rounds come to.
pub(super) fn outcome(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Outcome, Stop> {
    let horizon = horizon(set, cpus);
    if is_short(set, cpus, horizon) {
        rounds::outcome(set, Limited::<u64>::new(cpus, horizon), meter)
    } else {
        rounds::outcome(set, Limited::<u128>::new(cpus, horizon), meter)
    }
}

/// Whether 64 bits are enough: for products of the longest window and the longest period (see
/// [`Word`]), and for m X and the sums of so many X.
fn is_short(set: &Set, cpus: u32, horizon: Horizon) -> bool {
    let longest = u128::from(set.longest());
    let farthest = match horizon {
        Horizon::UpTo(line) => line.farthest(),
        Horizon::Endless | Horizon::TooFar => 0,
    };
    let factor = longest
        .max(2 * u128::from(cpus))
        .max(set.tasks().len() as u128);
    farthest
        .checked_add(4 * longest)
        .and_then(|window| window.checked_mul(factor))
        .is_some_and(|product| product < 1 << 63)
}

struct Limited<W: Word> {
    cpus: W,
    by_cpus: W::Divisor,
    carriers: usize,
    horizon: Horizon,
    /// What a task that carries in does more, and for a sum that has to grow: by how much NC grows,
    /// and CI.
    more: Vec<(W, W, W)>,
    growth: Vec<W>,
}

/// The task that is looked at.
struct Job<'a, W: Word> {
    rows: &'a [Row<W>],
    k: usize,
    /// The response time that need not be exceeded.
    limit: W,
}

impl<W: Word> Job<'_, W> {
    fn own(&self) -> &Row<W> {
        &self.rows[self.k]
    }

    fn others(&self) -> impl Iterator<Item = &Row<W>> {
        self.rows[..self.k].iter().chain(&self.rows[self.k + 1..])
    }
}

/// What there is to know about an A for which (1) holds with some R.
struct FixedPoint<W> {
    /// The R.
    response: W,
    /// m X − h(A), which is not zero.
    room: W,
    /// (1) holds for all A down to this one.
    down_to: W,
    /// Σ NC.
    plain: W,
    /// The last A up to this one at which NC leaps, or zero.
    leap: W,
}

/// The R for the A that were looked at.
struct Responses<W> {
    /// The largest of them.
    most: W,
    /// The one that was right for the last of them, or else for all.
    last: W,
}

/// Both sides of (1).
struct Sides<W> {
    left: W,
    right: W,
    plain: W,
    leap: W,
}

impl<W: Word> Sides<W> {
    /// Whether (1) does not hold.
    fn is_late(&self) -> bool {
        self.left >= self.right
    }
}

impl<W: Word> Limited<W> {
    fn new(cpus: u32, horizon: Horizon) -> Limited<W> {
        Limited {
            cpus: W::new(cpus.into()),
            by_cpus: W::divisor(cpus.into()),
            carriers: cpus as usize - 1,
            horizon,
            more: Vec::new(),
            growth: Vec::new(),
        }
    }

    /// The least R from `least` on for which (2) holds.
    fn everyone(
        &mut self,
        job: &Job<'_, W>,
        least: W,
        meter: &mut Meter,
    ) -> Result<Option<W>, Stop> {
        let Row { c, d, .. } = *job.own();
        let mut response = least;
        while response <= job.limit {
            meter.spend(W::STEPS * job.rows.len())?;
            let most = response - c + W::ONE;
            let mut sum = W::ZERO;
            self.growth.clear();
            for row in job.others() {
                let work = row.with(row.c, d, response).at_most(most);
                sum += work.most;
                self.growth.push(work.grows);
            }
            let bound = self.cpus * most;
            if sum < bound {
                return Ok(Some(response));
            }
            let cpus = (self.cpus, self.by_cpus);
            response += last_above(sum - bound, &self.growth, cpus) + W::ONE;
        }
        Ok(None)
    }

    /// max R_A, or `least` if that is more; `None` if it is beyond the limit.
    fn limited(
        &mut self,
        job: &Job<'_, W>,
        least: W,
        meter: &mut Meter,
    ) -> Result<Option<W>, Stop> {
        let horizon = match self.horizon {
            Horizon::UpTo(line) => line,
            Horizon::Endless => return Ok(None),
            Horizon::TooFar => return Err(Stop::TimeRange),
        };
        let Row { c, d, .. } = *job.own();
        let cpus = self.cpus;
        let last = |response: W| {
            let ahead = cpus * (response - c + W::ONE);
            let last = horizon.last(d.wide(), c.wide(), ahead.wide());
            last.map(W::narrow).ok_or(Stop::TimeRange)
        };
        let mut responses = Responses {
            most: least,
            last: least,
        };
        // A task that is late is late with A = 0, as a rule.
        if self.look(job, W::ZERO, &mut responses, meter)?.is_none() {
            return Ok(None);
        }
        let mut a = last(responses.most)?;
        loop {
            let mut sides = self.sides(job, a, responses.last, meter)?;
            if sides.is_late() && sides.leap < a {
                // Below is where R has to be larger, as a rule.
                if self.look(job, sides.leap, &mut responses, meter)?.is_none() {
                    return Ok(None);
                }
                a = a.min(last(responses.most)?);
                sides = self.sides(job, a, responses.last, meter)?;
            }
            let Some(look) = self.look_on(job, a, sides, &mut responses, meter)? else {
                return Ok(None);
            };
            let mut next = look.down_to.less(W::ONE);
            if look.leap < next {
                let Some(low) = self.look(job, look.leap, &mut responses, meter)? else {
                    return Ok(None);
                };
                let flat = low.response == look.response && low.room > look.plain - low.plain;
                if !flat && !self.between(job, look.leap, next, &mut responses, meter)? {
                    return Ok(None);
                }
                next = low.down_to.less(W::ONE);
            }
            if next == W::ZERO {
                return Ok(Some(responses.most));
            }
            a = next.min(last(responses.most)?);
        }
    }

    /// Whether the R_A above `from` and up to `to` are within the limit, where there is no leap.
    fn between(
        &mut self,
        job: &Job<'_, W>,
        from: W,
        to: W,
        responses: &mut Responses<W>,
        meter: &mut Meter,
    ) -> Result<bool, Stop> {
        let mut a = to;
        let mut again = true;
        while a > from {
            let Some(high) = self.look(job, a, responses, meter)? else {
                return Ok(false);
            };
            let mut bend = next_bend(job, a, high.response, meter)?.min(a - from);
            let Some(low) = self.look(job, a - bend, responses, meter)? else {
                return Ok(false);
            };
            if low.response == high.response {
                a = low.down_to.less(W::ONE);
                again = true;
                continue;
            }
            if again {
                // The R that is right for the lower one may be so for the upper one, too.
                again = false;
                continue;
            }
            // Down to where the upper one's is right.
            while bend > W::ONE {
                bend = bend.divide(W::ONE + W::ONE);
                let sides = self.sides(job, a - bend, high.response, meter)?;
                if !sides.is_late() {
                    break;
                }
            }
            a = (a - bend).min(high.down_to.less(W::ONE));
            again = true;
        }
        Ok(true)
    }

    /// Looks at one A; `None` if R_A is beyond the limit.
    fn look(
        &mut self,
        job: &Job<'_, W>,
        a: W,
        responses: &mut Responses<W>,
        meter: &mut Meter,
    ) -> Result<Option<FixedPoint<W>>, Stop> {
        let sides = self.sides(job, a, responses.last, meter)?;
        self.look_on(job, a, sides, responses, meter)
    }

    /// The same, where both sides of (1) are known already, for the R that was right for the last
    /// A.
    fn look_on(
        &mut self,
        job: &Job<'_, W>,
        a: W,
        mut sides: Sides<W>,
        responses: &mut Responses<W>,
        meter: &mut Meter,
    ) -> Result<Option<FixedPoint<W>>, Stop> {
        let c = job.own().c;
        let mut response = responses.last;
        if sides.is_late() && response < responses.most {
            response = responses.most;
            sides = self.sides(job, a, response, meter)?;
        }
        if sides.is_late() {
            // Some smaller R may do nevertheless.
            response = c;
            loop {
                sides = self.sides(job, a, response, meter)?;
                if !sides.is_late() {
                    break;
                }
                response += self.step(sides.left - sides.right) + W::ONE;
                if response > job.limit {
                    return Ok(None);
                }
            }
        }
        responses.last = response;
        responses.most = responses.most.max(response);
        Ok(Some(FixedPoint {
            response,
            room: sides.right - sides.left,
            // h(A) < m (A′ + R − C + 1) for that A′ and all that follow.
            down_to: (sides.left.over(self.by_cpus) + c).less(response),
            plain: sides.plain,
            leap: sides.leap,
        }))
    }

    /// How much further up (1) does not hold for sure, after [`Limited::sides`] with a left side
    /// that is larger by `above`: those that carry in now may do so then.
    fn step(&mut self, above: W) -> W {
        self.growth.clear();
        for (place, &(_, plain, carried)) in self.more.iter().enumerate() {
            let carries = place < self.carriers;
            self.growth.push(if carries { carried } else { plain });
        }
        last_above(above, &self.growth, (self.cpus, self.by_cpus))
    }

    /// Both sides of (1). Leaves the tasks that carry in at the beginning of `more`.
    fn sides(
        &mut self,
        job: &Job<'_, W>,
        a: W,
        response: W,
        meter: &mut Meter,
    ) -> Result<Sides<W>, Stop> {
        meter.spend(6 * W::STEPS * job.rows.len())?;
        let own = job.own();
        let (reach, length) = (a + own.d, a + response);
        let most = length - own.c + W::ONE;
        let mut plain = own.own_without(a);
        let carried = own.own_with(own.c - W::ONE, a).min(a);
        let jobs = a.over(own.by_t);
        let mut leap = jobs * own.t;
        self.more.clear();
        self.more.push((carried.less(plain), W::ZERO, W::ZERO));
        for row in job.others() {
            let without = row.without(reach, length).at_most(most);
            let with = row.with(row.c - W::ONE, reach, length).at_most(most);
            plain += without.most;
            let more = with.most.less(without.most);
            let with = if with.most > without.most {
                with
            } else {
                without
            };
            self.more.push((more, without.grows, with.grows));
            if reach >= row.d {
                // The last of its deadlines that can be J's, if that is for an A.
                let after = reach - row.d;
                let rest = after - after.over(row.by_t) * row.t;
                if rest <= a {
                    leap = leap.max(a - rest);
                }
            }
        }
        let carriers = self.carriers.min(self.more.len());
        if carriers > 0 && carriers < self.more.len() {
            self.more
                .select_nth_unstable_by(carriers - 1, |one, other| other.0.cmp(&one.0));
        }
        let more = self.more[..carriers].iter();
        Ok(Sides {
            left: more.fold(plain, |sum, &(more, ..)| sum + more),
            right: self.cpus * most,
            plain,
            leap,
        })
    }
}

/// How far below `a` the next bend is, or less than that.
fn next_bend<W: Word>(job: &Job<'_, W>, a: W, response: W, meter: &mut Meter) -> Result<W, Stop> {
    meter.spend(6 * W::STEPS * job.rows.len())?;
    let own = job.own();
    let (reach, length) = (a + own.d, a + response);
    let most = length - own.c + W::ONE;
    let left = own.c - W::ONE;
    let mut bend = own.own_bend(left, a);
    for row in job.others() {
        let next = row.bend(row.c - W::ONE, reach, length, most);
        bend = next.map_or(bend, |next| next.min(bend));
    }
    Ok(bend)
}

impl<W: Word> Response for Limited<W> {
    type Tasks = Vec<Row<W>>;

    fn response(
        &mut self,
        rows: &Vec<Row<W>>,
        k: usize,
        least: W,
        meter: &mut Meter,
    ) -> Result<Option<W>, Stop> {
        let limit = rows[k].d;
        let mut job = Job { rows, k, limit };
        let everyone = self.everyone(&job, least, meter)?;
        if let Some(everyone) = everyone {
            if everyone == least {
                return Ok(Some(least));
            }
            job.limit = everyone - W::ONE;
        }
        Ok(self.limited(&job, least, meter)?.or(everyone))
    }

    fn quick(
        &mut self,
        rows: &Vec<Row<W>>,
        k: usize,
        least: W,
        meter: &mut Meter,
    ) -> Result<Option<W>, Stop> {
        let limit = rows[k].d;
        let job = Job { rows, k, limit };
        let everyone = self.everyone(&job, least, meter)?;
        if everyone.is_some() {
            return Ok(everyone);
        }
        // R = D_k leaves no slack, but the most room in (1), so that few A have to be looked at.
        self.limited(&job, limit, meter)
    }
}
