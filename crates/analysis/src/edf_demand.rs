//! Earliest deadline first, exactly, by processor demand: any deadlines and release jitter.
//!
//! The jobs that are released and have their deadlines within an interval must fit into it. The
//! worst interval of length t begins with a release of every task, and then asks for
//!
//! ```text
//! dbf(t) = Σ (⌊(t − D'_i) / T_i⌋ + 1) C_i   over the tasks with D'_i ≤ t, where D' = D − J
//! ```
//!
//! A task's first job can be released at the start although it arrived J earlier, which leaves it
//! D − J; the next ones come a period after it, by arrival and so by deadline. EDF holds if and
//! only if dbf(t) ≤ t for all t (Baruah, Mok and Rosier, RTSS 1990; jitter as in Spuri 1996). Ties
//! between equal deadlines do not matter to that.
//!
//! dbf is a staircase that only steps at deadlines, and only a stretch of it can be in question
//! (see `busy`). *Quick processor-demand analysis* walks that stretch downwards and
//! leaps: as dbf(t') ≤ dbf(t) for t' < t, nothing in (dbf(t), t] can exceed its length.
//!
//! With blocking, an interval may in addition contain one section of a job with a later deadline.
//! Such a job arrived before the interval and has its deadline after it, so D > t for its task:
//!
//! ```text
//! dbf(t) + b(t) ≤ t    with b(t) = max B_i over D'_i ≤ t, for t < max D; 0 from there on
//! ```
//!
//! This suffices under the stack resource policy (Baker 1991; the form with b(t): Spuri 1996,
//! Zhang and Burns 2009). It is not certain that the blocking can happen just then, so it is not
//! necessary: a set that passes without it and not with it is [`Verdict::Unknown`].
//!
//! Source: Zhang and Burns, *Schedulability analysis for real-time systems with EDF scheduling*,
//! IEEE Transactions on Computers 58(9), 2009.
//! Complexity: pseudo-polynomial for U < 1, often a few dozen evaluations of dbf, O(n) each; with
//! U = 1 up to the number of deadlines in a hyperperiod.

use crate::busy::demand_horizon;
use crate::margin::Margin;
use crate::utilisation::{Load, overloaded};
use crate::work::Meter;
use crate::{Outcome, Reason, SporadicTask, Stop, Supply, Verdict, WorkLimit};
use core::ops::Range;
use flyball_trace::Duration;

/// Tests whether `tasks` meet all deadlines under EDF. Exact where no task has blocking.
///
/// If they do not, the reason names an interval and its demand ([`Reason::Demand`]); for U > 1 it
/// is [`Reason::Overload`], and long intervals of too much demand are easy to find.
pub fn test(tasks: &[SporadicTask], limit: WorkLimit) -> Outcome {
    test_on(Supply::CPU, tasks, limit)
}

/// Tests whether `tasks` meet all deadlines under EDF inside of a server that gives `supply` at
/// least: sbf(t) in place of t ([`supply`](crate::supply)). Sufficient, but on a whole CPU.
///
/// If it cannot tell, the reason names an interval whose demand exceeds the least supply in it, or
/// it is [`Reason::AboveBound`], where the tasks ask for more than the server gives in the long run.
pub fn test_on(supply: Supply, tasks: &[SporadicTask], limit: WorkLimit) -> Outcome {
    let verdict = judge(supply, tasks, &mut limit.meter())
        .unwrap_or_else(|stop| Verdict::Unknown(Reason::Stopped(stop)));
    supply.outcome(verdict, tasks)
}

/// The most that jobs can demand which are released and have their deadlines within an interval of
/// length `interval`: dbf above. Saturates at [`Duration::MAX`], which is longer than any interval,
/// too. O(n).
pub fn demand(tasks: &[SporadicTask], interval: Duration) -> Duration {
    let sum = dbf(tasks, interval.as_nanos());
    u64::try_from(sum).map_or(Duration::MAX, Duration::from_nanos)
}

/// The most that a job with a deadline beyond an interval of length `interval` can be in the way
/// of those within: b above. O(n).
pub fn blocking(tasks: &[SporadicTask], interval: Duration) -> Duration {
    let t = u128::from(interval.as_nanos());
    if tasks.iter().all(|task| task.deadline() <= interval) {
        return Duration::ZERO; // There are no jobs with such long deadlines.
    }
    let within = |task: &&SporadicTask| u128::from(task.d()) <= t + u128::from(task.j());
    let blockings = tasks.iter().filter(within).map(SporadicTask::blocking);
    blockings.max().unwrap_or(Duration::ZERO)
}

fn judge(supply: Supply, tasks: &[SporadicTask], meter: &mut Meter) -> Result<Verdict, Stop> {
    let load = supply.load_of(tasks);
    if supply.compare(&load, tasks).is_gt() {
        return Ok(Verdict::Fails(supply.overload(tasks)));
    }
    // A job that has less time from its release than it takes. This also makes D − J positive.
    let time = |work: u128| supply.time_for_demand(work);
    let hopeless = |task: &&SporadicTask| {
        u128::from(task.d().saturating_sub(task.j())) < time(task.c().into())
    };
    if let Some(task) = tasks.iter().find(hopeless) {
        let interval = task.deadline().saturating_sub(task.jitter());
        return Ok(Verdict::Fails(witness(tasks, interval, Duration::ZERO)));
    }
    if let Some(t) = too_much(supply, tasks, &load, meter)? {
        let interval = Duration::from_nanos(t);
        return Ok(Verdict::Fails(witness(tasks, interval, Duration::ZERO)));
    }
    if tasks.iter().all(|task| task.b() == 0) {
        return Ok(Verdict::Holds);
    }
    // Below the longest deadline, dbf + b still only grows with the length.
    let longest = tasks.iter().map(SporadicTask::d).max().unwrap_or(0);
    let b = |t| blocking(tasks, Duration::from_nanos(t));
    let both = |t| time(dbf(tasks, t) + u128::from(b(t).as_nanos()));
    Ok(match walk(tasks, 0..longest, meter, both)? {
        Some(t) => Verdict::Unknown(witness(tasks, Duration::from_nanos(t), b(t))),
        None => Verdict::Holds,
    })
}

/// An interval with more demand than its supply, if there is one, of tasks with this `load` on it, that
/// ask for no more than it gives.
fn too_much(
    supply: Supply,
    tasks: &[SporadicTask],
    load: &Load,
    meter: &mut Meter,
) -> Result<Option<u64>, Stop> {
    /// So many formulas are enough for nearly all sets.
    const FEW: u64 = 500;
    // With deadlines at the ends of periods or later, demand grows no faster than U.
    let is_easy = |task: &SporadicTask| task.d().saturating_sub(task.j()) >= task.t();
    if supply.is_whole() && tasks.iter().all(is_easy) {
        return Ok(None);
    }
    let time = |t| supply.time_for_demand(dbf(tasks, t));
    let few = FEW * (tasks.len() as u64 + 1);
    let exactly = |meter: &mut Meter| {
        let horizon = demand_horizon(supply, tasks, load, meter)?;
        walk(tasks, 0..horizon, meter, time)
    };
    // Where U is all but one, the stretch in question is long, and the walk through it slow; but it
    // leads to short intervals, and these are the likely ones.
    let first_deadlines = |meter: &mut Meter| {
        for task in tasks {
            meter.spend(tasks.len())?;
            let t = task.d() - task.j();
            if time(t) > u128::from(t) {
                return Ok(t);
            }
        }
        Err(Stop::WorkLimit)
    };
    if few > meter.left() / 4 {
        return exactly(meter);
    }
    let found = meter.within(few, exactly);
    found
        .or_else(|_| meter.within(few, first_deadlines).map(Some))
        .or_else(|_| exactly(meter))
}

/// The largest WCET up to `most` for which EDF holds `part` of it on a CPU beside the tasks `here`,
/// which it holds, as far as is known after so many steps. Nothing has blocking. A shorter WCET has
/// to make a part that is easier; `None` of a part is one that cannot be.
///
/// Quick processor-demand analysis that shortens the part wherever it meets too much demand, and
/// goes on from there (Burns, Davis, Wang and Zhang, Real-Time Systems 48(1), 2012, section 4).
/// Each step takes no more than it must, so that nothing longer holds; and the walk is made again
/// until nothing has to be shortened. Where it stops, shorter parts are tried.
pub(crate) fn largest_beside(
    here: &[SporadicTask],
    most: u64,
    part: impl Fn(u64) -> Option<SporadicTask>,
    limit: WorkLimit,
) -> Margin<u64> {
    /// How often a stop is met with a shorter part.
    const TRIES: usize = 8;
    let half = limit.divided(2);
    let mut high = most;
    let stop = match shorten(here, &mut high, &part, &mut half.meter()) {
        Ok(()) => return Margin::Exactly(high),
        Err(stop) => stop,
    };
    let mut low = 0;
    for _ in 0..TRIES {
        if low == high {
            return Margin::Exactly(low);
        }
        let middle = low + (high - low) / 2;
        let mut found = middle;
        match shorten(here, &mut found, &part, &mut half.divided(TRIES).meter()) {
            Ok(()) if found < middle => return Margin::Exactly(found),
            Ok(()) => low = middle,
            Err(_) => high = found,
        }
    }
    Margin::AtLeast(low, stop)
}

/// Makes `wcet` the largest up to itself. Where it stops, nothing longer than what it is then holds.
fn shorten(
    here: &[SporadicTask],
    wcet: &mut u64,
    part: &impl Fn(u64) -> Option<SporadicTask>,
    meter: &mut Meter,
) -> Result<(), Stop> {
    let with = |wcet: u64| -> Option<Vec<SporadicTask>> {
        let part = part(wcet)?;
        Some(here.iter().copied().chain([part]).collect())
    };
    let fits = |wcet: u64| {
        let is_possible = |it: &SporadicTask| it.d().saturating_sub(it.j()) >= it.c();
        with(wcet).is_some_and(|all| all.last().is_some_and(is_possible) && !overloaded(&all))
    };
    // No more than is left of the CPU, and than there is time for.
    if !fits(*wcet) {
        let (mut low, mut high) = (0, *wcet);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if fits(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        *wcet = low;
    }
    loop {
        let whole = *wcet;
        let Some(mut all) = with(*wcet) else {
            *wcet = 0;
            return Ok(());
        };
        let horizon = demand_horizon(Supply::CPU, &all, &Load::of(&all), meter)?;
        let mut next = last_deadline(&all, horizon);
        while let Some(t) = next {
            meter.spend(2 * all.len())?;
            let demand = u64::try_from(dbf(&all, t)).ok();
            let Some(demand) = demand.filter(|&demand| demand <= t) else {
                // The jobs of the part have what the others leave.
                let left = u128::from(t).saturating_sub(dbf(here, t));
                let jobs = dbf(&all[here.len()..], t) / u128::from((*wcet).max(1));
                let less = left.checked_div(jobs);
                let less = less.and_then(|less| u64::try_from(less).ok());
                *wcet = less.unwrap_or(0).min(wcet.saturating_sub(1));
                match with(*wcet).filter(|_| *wcet > 0) {
                    Some(shorter) => all = shorter,
                    None => return Ok(()),
                }
                continue;
            };
            next = if demand < t {
                (demand > 0).then_some(demand)
            } else {
                last_deadline(&all, t)
            };
        }
        if *wcet == whole {
            return Ok(());
        }
    }
}

fn witness(tasks: &[SporadicTask], interval: Duration, blocking: Duration) -> Reason {
    Reason::Demand {
        interval,
        demand: demand(tasks, interval),
        blocking,
    }
}

/// QPA: an interval among these `lengths` whose `work` takes longer than its length, if there is one. It
/// grows with the length, and steps only at deadlines.
pub(crate) fn walk(
    tasks: &[SporadicTask],
    lengths: Range<u64>,
    meter: &mut Meter,
    work: impl Fn(u64) -> u128,
) -> Result<Option<u64>, Stop> {
    let mut next = last_deadline(tasks, lengths.end);
    while let Some(t) = next.filter(|t| lengths.contains(t)) {
        meter.spend(2 * tasks.len())?;
        // What exceeds t need not fit into 64 bits, and is a witness all the same.
        let Some(less) = u64::try_from(work(t)).ok().filter(|&work| work <= t) else {
            return Ok(Some(t));
        };
        next = if less < t {
            (less > 0).then_some(less)
        } else {
            last_deadline(tasks, t)
        };
    }
    Ok(None)
}

/// Σ (⌊(t − D') / T⌋ + 1) C over the tasks with D' ≤ t. Fits as long as U ≤ 1: each task adds at
/// most t + J + C.
pub(crate) fn dbf(tasks: &[SporadicTask], t: u64) -> u128 {
    let term = |task: &SporadicTask| {
        let jobs = match t.checked_add(task.j()) {
            Some(end) if end < task.d() => return 0,
            Some(end) => u128::from((end - task.d()) / task.t()) + 1,
            None => {
                let end = u128::from(t) + u128::from(task.j());
                (end - u128::from(task.d())) / u128::from(task.t()) + 1
            }
        };
        jobs.saturating_mul(u128::from(task.c()))
    };
    tasks.iter().map(term).fold(0, u128::saturating_add)
}

/// The last step of dbf before `t`.
pub(crate) fn last_deadline(tasks: &[SporadicTask], t: u64) -> Option<u64> {
    let last = t.checked_sub(1)?;
    let step = |task: &SporadicTask| {
        let first = task.d() - task.j();
        let since = last.checked_sub(first)?;
        Some(last - since % task.t())
    };
    tasks.iter().filter_map(step).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn task(c: u64, t: u64, d: u64) -> SporadicTask {
        let ns = Duration::from_nanos;
        SporadicTask::new(ns(c), ns(t), ns(d)).unwrap()
    }

    fn verdict(tasks: &[SporadicTask]) -> Verdict {
        test(tasks, WorkLimit::default()).verdict
    }

    #[test]
    fn buttazzos_example() {
        // Hard Real-Time Computing Systems, section 4.6: demand at each deadline up to L* = 25.
        let tasks = [task(2, 6, 4), task(2, 8, 5), task(3, 9, 7)];
        let steps = [
            (4, 2),
            (5, 4),
            (7, 7),
            (10, 9),
            (13, 11),
            (16, 16),
            (21, 18),
            (22, 20),
        ];
        let mut t = 25;
        for (deadline, expected) in steps.into_iter().rev() {
            t = last_deadline(&tasks, t).unwrap();
            assert_eq!((t, dbf(&tasks, t)), (deadline, expected));
        }
        assert_eq!(last_deadline(&tasks, t), None);
        assert_eq!(verdict(&tasks), Verdict::Holds);
        // One more in the first: 3 + 2 = 5 by 5, but 3 + 2 + 3 = 8 by 7.
        let more = [task(3, 6, 4), task(2, 8, 5), task(3, 9, 7)];
        assert!(matches!(verdict(&more), Verdict::Fails(_)));
    }

    #[test]
    fn implicit_deadlines_hold_up_to_one() {
        assert_eq!(verdict(&[task(1, 2, 2), task(2, 4, 4)]), Verdict::Holds);
        let full = [task(2, 5, 5), task(4, 7, 7), task(1, 35, 35)];
        assert_eq!(verdict(&full), Verdict::Holds);
        let above = [task(2, 5, 5), task(4, 7, 7), task(2, 35, 35)];
        assert_eq!(
            verdict(&above).to_string(),
            "fails: utilisation 1.0286 exceeds 1"
        );
        assert_eq!(verdict(&[]), Verdict::Holds);
    }

    #[test]
    fn jitter_takes_from_the_deadline() {
        let ns = Duration::from_nanos;
        let jitter = |j| task(3, 9, 7).with_jitter(ns(j)).unwrap();
        assert_eq!(verdict(&[jitter(4)]), Verdict::Holds);
        assert_eq!(
            verdict(&[jitter(5)]).to_string(),
            "fails: demand 3ns in an interval of 2ns"
        );
        assert_eq!(
            verdict(&[jitter(8)]).to_string(),
            "fails: demand 3ns in an interval of 0"
        );
        // A full CPU, where the backlog from jitter never goes away: 3 + 3 by 6 is still in time.
        let full = [jitter(1), task(6, 9, 9)];
        assert_eq!(verdict(&full), Verdict::Holds);
        let late = [jitter(2), task(6, 9, 8).with_jitter(ns(1)).unwrap()];
        assert!(matches!(
            verdict(&late),
            Verdict::Fails(Reason::Demand { .. })
        ));
    }

    #[test]
    fn blocking_makes_doubt_not_failure() {
        let ns = Duration::from_nanos;
        let blocked = |b| [task(3, 9, 5).with_blocking(ns(b)).unwrap(), task(2, 9, 8)];
        assert_eq!(verdict(&blocked(2)), Verdict::Holds);
        let outcome = test(&blocked(3), WorkLimit::default());
        assert_eq!(
            outcome.to_string(),
            "unknown: demand 3ns and blocking 3ns in an interval of 5ns (sufficient test)"
        );
        // No job has a deadline beyond 8, so nothing is left to block by then.
        assert_eq!(blocking(&blocked(3), ns(7)), ns(3));
        assert_eq!(blocking(&blocked(3), ns(8)), ns(0));
    }

    #[test]
    fn huge_times_neither_wrap_nor_hang() {
        let huge = u64::MAX - 1;
        assert_eq!(verdict(&[task(huge, huge, huge)]), Verdict::Holds);
        let late = task(huge, huge, huge - 1);
        assert!(matches!(verdict(&[late]), Verdict::Fails(_)));
        let jitter = task(1, huge, huge)
            .with_jitter(Duration::from_nanos(huge - 1))
            .unwrap();
        assert_eq!(verdict(&[jitter]), Verdict::Holds);
        // U = 1 and jitter, and no hyperperiod within 64 bits.
        let t = u64::MAX - 3;
        let full = [
            task(4, 8, 8).with_jitter(Duration::from_nanos(1)).unwrap(),
            task(t / 2, t, t),
        ];
        assert_eq!(
            verdict(&full),
            Verdict::Unknown(Reason::Stopped(Stop::TimeRange))
        );
    }

    /// Tasks whose times are up to some tens of nanoseconds.
    fn small() -> impl Strategy<Value = SporadicTask> {
        (2..40_u64, 1..40_u64, 1..12_u64).prop_map(|(t, d, c)| task(c.min(t), t, d.max(c)))
    }

    proptest! {
        #[test]
        fn the_largest_beside_is_the_first_that_holds_from_above(
            drawn in prop::collection::vec(small(), 0..5),
            period in 2..40_u64,
            window in 1..40_u64,
            most in 1..30_u64,
            has_zero_laxity: bool,
        ) {
            let mut here = Vec::new();
            for task in drawn {
                here.push(task);
                if verdict(&here) != Verdict::Holds {
                    here.pop();
                }
            }
            let part = |wcet: u64| {
                let ns = Duration::from_nanos;
                let window = if has_zero_laxity { wcet } else { window };
                SporadicTask::new(ns(wcet), ns(period), ns(window)).ok()
            };
            let holds = |wcet: &u64| {
                let all = part(*wcet).map(|part| [&here[..], &[part]].concat());
                all.is_some_and(|all| verdict(&all) == Verdict::Holds)
            };
            let largest = (1..=most).rev().find(holds).unwrap_or(0);
            let found = largest_beside(&here, most, part, WorkLimit::default());
            prop_assert_eq!(&found, &Margin::Exactly(largest));
            // With less work no more is said to hold, and nothing else is exact.
            for steps in [1, 10, 30, 100, 300] {
                let found = largest_beside(&here, most, part, WorkLimit::steps(steps));
                prop_assert!(found.proven().is_some_and(|&found| found <= largest));
                if let Margin::Exactly(found) = found {
                    prop_assert_eq!(found, largest);
                }
            }
        }
    }
}
