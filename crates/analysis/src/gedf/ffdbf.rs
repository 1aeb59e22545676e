//! FF-DBF: the forced-forward demand, on faster CPUs.
//!
//! A set is accepted if there is a speed σ ≥ max C_i/D_i for which, in all intervals,
//!
//! ```text
//!   Σ ffdbf_i(t, σ) ≤ (m − (m − 1) σ) t
//!
//!   ffdbf_i(t, σ) = ⌊t/T_i⌋ C_i  +  C_i                     if r ≥ D_i              r = t mod T_i
//!                                   (C_i − (D_i − r) σ)⁺    else
//! ```
//!
//! Source: Baruah, Bonifaci, Marchetti-Spaccamela and Stiller, "Implementation of a speedup-optimal
//! global EDF schedulability test", ECRTS 2009. As there, σ is searched for: max C_i/D_i, and the
//! multiples of 1/50 above it, up to min(1, (m − U)/(m − 1) − 1/10). There are none for m = 1, and
//! the test accepts nothing then.
//!
//! Complexity: O(n) if D = T: ffdbf_i(t, σ) ≤ u_i (t + T_i − D_i) = u_i t, so any σ within the
//! bounds will do, and GFB accepts the set, too. Else pseudo-polynomial, for up to fifty σ:
//!
//! * From Σ u_i (T_i − D_i) / (m − (m − 1) σ − U) on the demand is below the line for the same
//!   reason.
//! * The demand rises with a slope of 0 or σ for each task, and the slope falls only at t = D_i + j
//!   T_i. Between two such steps the demand is convex, so it is below a line if it is at both ends;
//!   only these are looked at.
//! * It never falls, so most of them can be skipped; see [`descent`].

use super::descent::{self, DemandAt};
use super::load::early;
use super::{Answer, Set, Task};
use crate::Stop;
use crate::fractions;
use crate::work::Meter;
use num_bigint::BigUint;

/// The steps of σ, and how far it stays away from its upper bound: 1/50 and 1/10.
const STEPS: u64 = 50;
const DISTANCE: u64 = 10;

pub(super) fn test(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Answer, Stop> {
    let Some(densest) = set.densest() else {
        return Ok(Answer::Accepts);
    };
    let first = (densest.wcet, densest.deadline);
    if cpus < 2 || !is_within(set, cpus, first) {
        return Ok(Answer::Rejects);
    }
    if set.is_implicit() {
        return Ok(Answer::Accepts);
    }
    // At most 50, as C ≤ D.
    let product = u128::from(first.0) * u128::from(STEPS) / u128::from(first.1);
    let next = u64::try_from(product).unwrap_or(STEPS) + 1;
    let later = (next..=STEPS).map(|step| (step, STEPS));
    let mut critical = Vec::new();
    for speed in core::iter::once(first).chain(later) {
        // The bounds are the same for all, and σ only grows.
        if !is_within(set, cpus, speed) {
            break;
        }
        let [p, q] = [speed.0, speed.1].map(u128::from);
        // σ ≤ 1. Both sides times q.
        let slope = u128::from(cpus) * q - u128::from(cpus - 1) * p;
        if stays_below(set, slope, speed, &mut critical, meter)? {
            return Ok(Answer::Accepts);
        }
    }
    Ok(Answer::Rejects)
}

/// Whether σ = p/q is at most (m − U)/(m − 1) − 1/10.
fn is_within(set: &Set, cpus: u32, (p, q): (u64, u64)) -> bool {
    let others = u128::from(cpus - 1);
    let more = [(others * u128::from(p), q), (others, DISTANCE)];
    let utilisations = set
        .tasks()
        .iter()
        .map(|task| (u128::from(task.wcet), task.period));
    let mut sum = *set.utilisation();
    for (numerator, denominator) in more {
        sum.add(numerator, denominator);
    }
    sum.compare(utilisations.chain(more), cpus.into()).is_le()
}

/// Whether no policy can hold the set: whether in some interval its jobs ask for more than all
/// CPUs, which have to have done of a job with a deadline behind the interval all but what can be
/// done after it. So it is the forced-forward demand with σ = 1, and the line rises with m.
///
/// Source: Baker and Cirinei, "A necessary and sometimes sufficient condition for the feasibility
/// of sets of sporadic hard-deadline tasks", RTSS 2006.
pub(super) fn is_infeasible(set: &Set, cpus: u32, meter: &mut Meter) -> Result<bool, Stop> {
    if set.is_implicit() || !set.leaves_something_of(cpus) {
        return Ok(set.demands_more_than(cpus));
    }
    let fits = stays_below(set, cpus.into(), (1, 1), &mut Vec::new(), meter)?;
    Ok(!fits)
}

/// Whether the demand with σ = p/q stays below a line that rises with `slope`/q. `critical` has
/// lengths where it did not with another σ, which are looked at first.
fn stays_below(
    set: &Set,
    slope: u128,
    (p, q): (u64, u64),
    critical: &mut Vec<u128>,
    meter: &mut Meter,
) -> Result<bool, Stop> {
    let tasks = set.tasks();
    let [wide_p, wide_q] = [p, q].map(u128::from);
    let mut look = |length: u128| -> Result<DemandAt, Stop> {
        meter.spend(tasks.len())?;
        let down_to = if let Some(sum) = demand(tasks, length, wide_p, wide_q) {
            sum.div_ceil(slope)
        } else {
            let sum = large_demand(tasks, length, wide_p, wide_q);
            let quotient = (sum + (slope - 1)) / slope;
            quotient.try_into().map_err(|_| Stop::TimeRange)?
        };
        let since = |task: &Task| {
            let after = length.checked_sub(task.deadline.into())?;
            Some(after % u128::from(task.period))
        };
        Ok(DemandAt {
            down_to: Some(down_to).filter(|&down_to| down_to <= length),
            last_step: tasks
                .iter()
                .filter_map(since)
                .min()
                .map(|since| length - since),
        })
    };
    for &length in critical.iter() {
        if look(length)?.down_to.is_none() {
            return Ok(false);
        }
    }
    let mut last = 0;
    // The room between the slopes is (m − 1)/10 at least, as σ is that far from its bound.
    let horizon = fractions::crossing(&early(tasks), set.utilisation(), (slope, q));
    let horizon = horizon.ok_or(Stop::TimeRange)?;
    let shortest = tasks.iter().map(|task| task.deadline).min();
    let fits = descent::fits(shortest.unwrap_or(1).into(), horizon, |length| {
        last = length;
        look(length)
    })?;
    if !fits {
        critical.push(last);
    }
    Ok(fits)
}

/// Σ ffdbf(t, p/q) · q; `None` if it does not fit.
fn demand(tasks: &[Task], length: u128, p: u128, q: u128) -> Option<u128> {
    tasks.iter().try_fold(0_u128, |sum, task| {
        let period = u128::from(task.period);
        let (jobs, rest) = (length / period, length % period);
        let job = u128::from(task.wcet) * q;
        let last = job.saturating_sub(u128::from(task.deadline).saturating_sub(rest) * p);
        sum.checked_add(jobs.checked_mul(job)?)?.checked_add(last)
    })
}

/// The same, however large.
fn large_demand(tasks: &[Task], length: u128, p: u128, q: u128) -> BigUint {
    let of = |task: &Task| {
        let period = u128::from(task.period);
        let (jobs, rest) = (length / period, length % period);
        // Two factors below 2⁶².
        let job = u128::from(task.wcet) * q;
        let last = job.saturating_sub(u128::from(task.deadline).saturating_sub(rest) * p);
        BigUint::from(jobs) * job + last
    };
    tasks.iter().map(of).sum()
}
