//! LOAD: the sum of all demand, relative to time.
//!
//! ```text
//!   max_t dbf(t)/t ≤ max( μ − (⌈μ⌉ − 1) δ,  (⌈μ⌉ − 1) − (⌈μ⌉ − 2) δ )
//!
//!   dbf(t) = Σ (⌊(t − D_i)/T_i⌋ + 1)⁺ C_i        δ = max C_i/D_i        μ = m − (m − 1) δ
//! ```
//!
//! Source: Baker and Baruah, "An analysis of global EDF schedulability for arbitrary-deadline
//! sporadic task systems", Real-Time Systems 43(1), 2009, corollary 2. The load is exact here,
//! where others approximate it from above (Fisher, Baker and Baruah, "Algorithms for determining
//! the demand-based load of a sporadic task system", RTCSA 2006) and so reject more.
//!
//! Complexity: O(n) if D = T, since the load is U then; or if the sum of the densities is below the
//! bound. Else pseudo-polynomial. With the bound B > U, intervals of Σ u_i (T_i − D_i) / (B − U) or
//! longer need not be looked at, since dbf(t) ≤ U t + Σ u_i (T_i − D_i); of the others, few (see
//! [`descent`]). If U = B, intervals up to the hyperperiod H: dbf(t + H) = dbf(t) + U H.

use super::descent::{self, DemandAt};
use super::{Answer, Set, Task};
use crate::Stop;
use crate::fractions::{self, Bracket};
use crate::work::Meter;

pub(super) fn test(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Answer, Stop> {
    let Some(densest) = set.densest() else {
        return Ok(Answer::Accepts);
    };
    let Some(bound) = bound(densest, cpus) else {
        return Ok(Answer::Rejects);
    };
    let tasks = set.tasks();
    let utilisation = compare_with(tasks, |task| task.period, bound);
    let below = if utilisation.is_gt() {
        false
    } else if set.is_implicit() || compare_with(tasks, |task| task.deadline, bound).is_le() {
        true
    } else {
        let horizon = if utilisation.is_lt() {
            // From where on dbf(t) ≤ U t + Σ u_i (T_i − D_i) ≤ B t.
            fractions::crossing(&early(tasks), set.utilisation(), bound)
        } else {
            hyperperiod(tasks)
        };
        let shortest = tasks.iter().map(|task| task.deadline).min();
        descent::fits(
            shortest.unwrap_or(1).into(),
            horizon.ok_or(Stop::TimeRange)?,
            |length| look(tasks, length, bound, meter),
        )?
    };
    Ok(Answer::accepts_if(below))
}

/// The bound, as a fraction; `None` if it is not positive.
fn bound(densest: &Task, cpus: u32) -> Option<(u128, u64)> {
    let [c, d] = [densest.wcet, densest.deadline].map(i128::from);
    // All times D: at most 2³² times 2⁶².
    let mu = i128::from(cpus) * d - i128::from(cpus - 1) * c;
    let ceiling = (mu + d - 1).div_euclid(d);
    let bound = (mu - (ceiling - 1) * c).max((ceiling - 1) * d - (ceiling - 2) * c);
    let bound = u128::try_from(bound).ok().filter(|&bound| bound > 0)?;
    Some((bound, densest.deadline))
}

/// How Σ C_i / `of`(i) compares with the bound.
fn compare_with(
    tasks: &[Task],
    of: impl Fn(&Task) -> u64 + Copy,
    bound: (u128, u64),
) -> core::cmp::Ordering {
    let times = u128::from(bound.1);
    let terms = tasks
        .iter()
        .map(|task| (u128::from(task.wcet) * times, of(task)));
    fractions::compare(terms, bound.0)
}

/// Σ u_i (T_i − D_i).
pub(super) fn early(tasks: &[Task]) -> Bracket {
    Bracket::of(tasks.iter().map(|task| {
        let earlier = u128::from(task.period - task.deadline);
        (u128::from(task.wcet) * earlier, task.period)
    }))
}

/// The least common multiple of the periods.
fn hyperperiod(tasks: &[Task]) -> Option<u128> {
    tasks.iter().try_fold(1_u128, |lcm, task| {
        let period = u128::from(task.period);
        (lcm / gcd(lcm, period)).checked_mul(period)
    })
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn look(
    tasks: &[Task],
    length: u128,
    (bound, times): (u128, u64),
    meter: &mut Meter,
) -> Result<DemandAt, Stop> {
    meter.spend(tasks.len())?;
    let mut sum = 0_u128;
    let mut last_step = None;
    for task in tasks {
        if let Some(after) = length.checked_sub(task.deadline.into()) {
            let period = u128::from(task.period);
            let work = (after / period + 1).checked_mul(task.wcet.into());
            let all = work.and_then(|work| sum.checked_add(work));
            sum = all.ok_or(Stop::TimeRange)?;
            last_step = last_step.max(Some(length - after % period));
        }
    }
    // dbf(t) ≤ B t if and only if dbf(t)/B ≤ t.
    let down_to = fractions::scaled(sum, times.into(), bound).ok_or(Stop::TimeRange)?;
    Ok(DemandAt {
        down_to: Some(down_to).filter(|&down_to| down_to <= length),
        last_step,
    })
}
