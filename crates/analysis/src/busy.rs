//! Busy intervals: the fixed points and bounds that the exact tests share.
//!
//! Every exact test asks for the first instant at which all the work requested so far is done:
//! the least t with t = w(t), for a staircase w. Iterating t ← w(t) from anywhere below climbs to
//! it (Joseph and Pandya 1986; Audsley et al. 1993).
//!
//! On a whole CPU, that is. Inside of a server w(t) is the time that the server takes to give as much
//! as the work (`Supply`), and nothing else changes.

use crate::utilisation::Load;
use crate::work::Meter;
use crate::{SporadicTask, Stop, Supply};
use core::cmp::Ordering;

/// The work of all jobs of `tasks` that are released in [0, t), when each task releases as much
/// as it can: the first job arrives a jitter before 0 and is released at 0, and so is every
/// later one that has arrived by then. Σ ⌈(t + J)/T⌉ C.
pub(crate) fn request(tasks: &[SporadicTask], t: u64) -> Result<u64, Stop> {
    let sum = tasks.iter().try_fold(0_u64, |sum, task| {
        let jobs = t.checked_add(task.j())?.div_ceil(task.t());
        sum.checked_add(jobs.checked_mul(task.c())?)
    });
    sum.ok_or(Stop::TimeRange)
}

/// The least t ≥ `from` in which `supply` gives `base` + request(t), or the first value above `enough`
/// on the way there.
pub(crate) fn settle(
    supply: Supply,
    base: u64,
    tasks: &[SporadicTask],
    from: u64,
    enough: u64,
    meter: &mut Meter,
) -> Result<u64, Stop> {
    let mut t = from;
    while t <= enough {
        meter.spend(tasks.len())?;
        let work = request(tasks, t)?;
        let next = supply.time_for(base.checked_add(work).ok_or(Stop::TimeRange)?)?;
        if next <= t {
            break;
        }
        t = next;
    }
    Ok(t)
}

/// The length of the longest interval in which there always is work, or the first value above
/// `enough` on the way there. Ends only if the tasks ask for less than `supply` gives, or for the whole
/// CPU without jitter.
pub(crate) fn busy_period(
    supply: Supply,
    tasks: &[SporadicTask],
    enough: u64,
    meter: &mut Meter,
) -> Result<u64, Stop> {
    // Just after 0 all tasks have released at least one job.
    let first = request(tasks, 1)?;
    settle(supply, 0, tasks, supply.time_for(first)?, enough, meter)
}

/// The least common multiple of the periods, and of that of the supply; `None` if it does not fit into
/// 64 bits.
pub(crate) fn hyperperiod(supply: Supply, tasks: &[SporadicTask]) -> Option<u64> {
    tasks.iter().try_fold(supply.period(), |lcm, task| {
        (lcm / gcd(lcm, task.t())).checked_mul(task.t())
    })
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A bound for intervals of too much demand: if there is any interval whose demand exceeds its
/// supply, then there is one shorter than this. For tasks that ask for no more than `supply` gives;
/// `load` is theirs on it.
///
/// * The busy period is such a bound. Let L be its length, and t ≥ L the shortest interval with
///   dbf(t) > t. What is released within the first L is done by then, and the jobs released after
///   that can demand no more than dbf(t − L). So dbf(t) ≤ L + dbf(t − L), and t − L would be
///   shorter. (Spuri 1996; Ripoll, Crespo and Mok 1996.)
/// * For U < 1, the line that lies above the staircase meets t at the latest at
///   max(D − T, Σ (T − D) U / (1 − U)) (Zhang and Burns 2009; here D is D − J).
/// * For U = 1, the hyperperiod H is: dbf(t) ≤ dbf(t − H) + H for t ≥ H, so t − H would be shorter.
///
/// Inside of a server, sbf(t) takes the place of t:
///
/// * The busy period L is such a bound, as dbf(t) ≤ sbf(L) + dbf(t − L), and sbf(t) ≥ sbf(L) + sbf(t − L).
/// * The line below sbf rises by the bandwidth α of the server, not by 1, and later by the blackout.
/// * For U = α, let H also be a multiple of the server's period. Beyond H and the blackout,
///   sbf(t) = sbf(t − H) + α H.
pub(crate) fn demand_horizon(
    supply: Supply,
    tasks: &[SporadicTask],
    load: &Load,
    meter: &mut Meter,
) -> Result<u64, Stop> {
    let jitter = tasks.iter().any(|task| task.j() > 0);
    let load_is = supply.compare(load, tasks);
    let bound = match load_is {
        Ordering::Equal => {
            hyperperiod(supply, tasks).and_then(|h| h.checked_add(supply.blackout().as_nanos()))
        }
        _ => linear_bound(supply, tasks, load),
    };
    if (jitter || !supply.is_whole()) && load_is.is_eq() {
        return bound.ok_or(Stop::TimeRange); // The busy period never ends.
    }
    match bound {
        Some(bound) => Ok(busy_period(supply, tasks, bound, meter)?.min(bound)),
        // Beyond 64 bits. The busy period is a bound by itself.
        None => busy_period(supply, tasks, u64::MAX, meter),
    }
}

/// max(D − T, (Σ (T − D) U + α B) / (α − U)) with D − J for D, rounded up; `None` if out of range. α is
/// the bandwidth of the supply and B its blackout: 1 and 0 of a CPU.
fn linear_bound(supply: Supply, tasks: &[SporadicTask], load: &Load) -> Option<u64> {
    let mut sum = i128::try_from(supply.lost()).ok()?;
    for task in tasks {
        let earlier = i128::from(task.t()) + i128::from(task.j()) - i128::from(task.d());
        let product = earlier.checked_mul(i128::from(task.c()))?;
        // Rounded up, as the bound may only be too large.
        let share = -(-product).div_euclid(i128::from(task.t()));
        sum = sum.checked_add(share)?;
    }
    let sum = u64::try_from(sum.max(0)).ok()?;
    let beyond = |task: &SporadicTask| {
        let less = task.j().saturating_add(task.t());
        task.d().saturating_sub(less)
    };
    let settled = tasks.iter().map(beyond).max().unwrap_or(0);
    Some(load.stretched_at_most(sum)?.max(settled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkLimit;
    use flyball_trace::Duration;

    fn task(c: u64, t: u64, d: u64, j: u64) -> SporadicTask {
        let ns = Duration::from_nanos;
        let task = SporadicTask::new(ns(c), ns(t), ns(d)).unwrap();
        task.with_jitter(ns(j)).unwrap()
    }

    fn meter() -> Meter {
        WorkLimit::default().meter()
    }

    #[test]
    fn busy_periods_by_hand() {
        // 2 + 3 + 3 = 8 with releases of the first at 4: 10; of all but the third at 8: 12.
        // 12: 3·2 + 2·3 + 3 = 15 → 4·2 + 2·3 + 2·3 = 20 → 5·2 + 3·3 + 2·3 = 25 → …
        let plain = [task(1, 4, 4, 0), task(2, 6, 6, 0)];
        assert_eq!(
            busy_period(Supply::CPU, &plain, u64::MAX, &mut meter()),
            Ok(3)
        );
        let full = [task(2, 4, 4, 0), task(3, 6, 6, 0)];
        assert_eq!(
            busy_period(Supply::CPU, &full, u64::MAX, &mut meter()),
            Ok(12)
        );
        // With jitter, two jobs of the first are released within the first 3: at 0 and at 1.
        let jitter = [task(1, 4, 4, 3), task(2, 6, 6, 0)];
        assert_eq!(
            busy_period(Supply::CPU, &jitter, u64::MAX, &mut meter()),
            Ok(4)
        );
    }

    #[test]
    fn buttazzos_bound() {
        // Buttazzo, Hard Real-Time Computing Systems, section 4.6: L* = 25, U = 11/12.
        let tasks = [task(2, 6, 4, 0), task(2, 8, 5, 0), task(3, 9, 7, 0)];
        let bound = linear_bound(Supply::CPU, &tasks, &Load::of(&tasks)).unwrap();
        // Rounding each share up adds less than 1/(1 − U) = 12 each.
        assert!((25..25 + 36).contains(&bound), "{bound}");
        assert_eq!(hyperperiod(Supply::CPU, &tasks), Some(72));
    }

    #[test]
    fn out_of_range_is_said() {
        let huge = u64::MAX - 2;
        let long = task(huge - 1, huge, huge, huge);
        let result = busy_period(Supply::CPU, &[long], u64::MAX, &mut meter());
        assert_eq!(result, Err(Stop::TimeRange));
        assert_eq!(
            hyperperiod(Supply::CPU, &[long, task(1, huge - 1, 5, 0)]),
            None
        );
        let busy = [task(1, 2, 2, 1), task(1, 2, 2, 1)];
        let mut few = WorkLimit::steps(100).meter();
        assert_eq!(
            busy_period(Supply::CPU, &busy, u64::MAX, &mut few),
            Err(Stop::WorkLimit)
        );
    }
}
