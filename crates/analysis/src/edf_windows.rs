//! Earliest deadline first where the deadlines of a window of time are equal, and served in any order.
//!
//! Time is cut into windows of length *W*, and a deadline *d* counts as the beginning of its window: as some *d'*
//! with *d* − *W* < *d'* ≤ *d*. That is EDF by *d'*, with ties broken in any way, so all *d'* are met if no
//! interval demands more than its length by *d'*. As *d'* is no earlier than *d* − *W*, it is enough that EDF
//! holds the tasks with deadlines of *D* − *W*:
//!
//! ```text
//! dbf(t) + W ≤ t    for all t ≥ min D'      where D' = D − J
//! ```
//!
//! The test is sufficient: windows may begin where they do no harm, and ties be broken well. Where it does not
//! accept, but EDF holds, nothing is known. Where EDF does not hold, no policy does ([`edf_demand`]), and that is
//! what the test says.
//!
//! The largest window that it accepts is the least of t − dbf(t). Below it lies EDF with *W* = 0; a walk that
//! leaps as QPA does finds it: what is left at a deadline may make the window shorter, and nothing between
//! dbf(t) + *W* and t can do so. If a window *W* is too long, there is a witness below
//! the horizon of the tasks with deadlines of *D* − *W* (see `busy`), shifted by *W*. This is no further than
//! that of the longest *W* in question, from which the walk begins.
//!
//! Source: Flyball's own (`Windows` of `flyball_policy` has the proof in full, and says why a window
//! must not slide). The test is that of Baruah, Mok and Rosier (RTSS 1990), see [`edf_demand`].
//! Complexity: pseudo-polynomial for U < 1, with O(n) for each step.

use crate::busy::demand_horizon;
use crate::edf_demand::{self, dbf, last_deadline};
use crate::sensitivity::Margin;
use crate::utilisation::Load;
use crate::work::Meter;
use crate::{Outcome, Reason, SporadicTask, Stop, Supply, Verdict, WorkLimit};
use flyball_trace::Duration;

/// Tests whether `tasks` meet all deadlines under EDF with windows of length `window`. Exact where that
/// is zero, and where no policy holds them; else sufficient. Blocking is not covered.
///
/// If it cannot tell, the reason names an interval, its demand and the window ([`Reason::Window`]).
pub fn test(tasks: &[SporadicTask], window: Duration, limit: WorkLimit) -> Outcome {
    if let Some(task) = tasks.iter().position(|task| task.b() > 0) {
        let needs = "without blocking";
        return Outcome::sufficient(Verdict::Unknown(Reason::NotApplicable { task, needs }));
    }
    let by_deadline = edf_demand::test(tasks, limit);
    if window.is_zero() || !by_deadline.holds() {
        return by_deadline;
    }
    let too_long = |interval| {
        let demand = edf_demand::demand(tasks, interval);
        Verdict::Unknown(Reason::Window {
            interval,
            demand,
            window,
        })
    };
    // EDF holds, so a job has time to compute from its release to its deadline.
    let is_short = |task: &&SporadicTask| slack(task) < window.as_nanos();
    Outcome::sufficient(match tasks.iter().find(is_short) {
        Some(task) => too_long(task.deadline().saturating_sub(task.jitter())),
        None => match edf_demand::test(&shortened(tasks, window.as_nanos()), limit).verdict {
            Verdict::Fails(Reason::Demand { interval, .. }) => too_long(interval + window),
            Verdict::Fails(other) => Verdict::Unknown(other),
            holds_or_not => holds_or_not,
        },
    })
}

/// The longest window with which [`test()`] accepts `tasks`, in whole nanoseconds; nothing if not even EDF holds
/// them. Of no tasks it is [`Duration::MAX`].
pub fn largest(tasks: &[SporadicTask], limit: WorkLimit) -> Margin<Duration> {
    let half = limit.divided(2);
    match test(tasks, Duration::ZERO, half).verdict {
        Verdict::Holds => {}
        Verdict::Unknown(Reason::Stopped(stop)) => return Margin::NotKnown(stop),
        Verdict::Fails(_) | Verdict::Unknown(_) => return Margin::Nothing,
    }
    let Some(longest) = tasks.iter().map(slack).min() else {
        return Margin::Exactly(Duration::MAX);
    };
    match least_left(tasks, longest, &mut half.meter()) {
        Ok(window) => Margin::Exactly(Duration::from_nanos(window)),
        Err(stop) => Margin::AtLeast(Duration::ZERO, stop),
    }
}

/// How long a job may wait from its release on, alone.
fn slack(task: &SporadicTask) -> u64 {
    task.d().saturating_sub(task.j()).saturating_sub(task.c())
}

/// The same tasks with deadlines that are earlier by `window`, which is no longer than the slack of any.
fn shortened(tasks: &[SporadicTask], window: u64) -> Vec<SporadicTask> {
    let earlier = |task: &SporadicTask| {
        let deadline = Duration::from_nanos(task.d() - window);
        // It is no shorter than a job computes, and no longer than it was.
        task.with_times(task.period(), deadline).unwrap_or(*task)
    };
    tasks.iter().map(earlier).collect()
}

/// The least of t − dbf(t) over all t from the first deadline on, of tasks that EDF holds; `window` is the least
/// slack.
fn least_left(tasks: &[SporadicTask], mut window: u64, meter: &mut Meter) -> Result<u64, Stop> {
    let first = tasks
        .iter()
        .map(|task| task.d() - task.j())
        .min()
        .unwrap_or(0);
    let earlier = shortened(tasks, window);
    let horizon = demand_horizon(Supply::CPU, &earlier, &Load::of(&earlier), meter)?;
    let horizon = horizon.checked_add(window).ok_or(Stop::TimeRange)?;
    let mut next = last_deadline(tasks, horizon);
    while let Some(t) = next.filter(|&t| t >= first && window > 0) {
        meter.spend(2 * tasks.len())?;
        let demand = u64::try_from(dbf(tasks, t)).map_err(|_| Stop::TimeRange)?;
        let left = t.saturating_sub(demand);
        next = if left > window {
            Some(demand + window)
        } else {
            window = left;
            last_deadline(tasks, t)
        };
    }
    Ok(window)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(nanos: u64) -> Duration {
        Duration::from_nanos(nanos)
    }

    fn task(c: u64, t: u64, d: u64) -> SporadicTask {
        SporadicTask::new(ns(c), ns(t), ns(d)).unwrap()
    }

    fn limit() -> WorkLimit {
        WorkLimit::default()
    }

    #[test]
    fn an_example_by_hand() {
        // Jobs of 10, 20 and 10 that come seldom: 20 − 10, 40 − 30 and 50 − 40 are all 10.
        let tasks = [
            task(10, 1_000, 50),
            task(20, 1_000, 40),
            task(10, 1_000, 20),
        ];
        assert_eq!(largest(&tasks, limit()), Margin::Exactly(ns(10)));
        assert_eq!(test(&tasks, ns(10), limit()).verdict, Verdict::Holds);
        assert_eq!(
            test(&tasks, ns(11), limit()).to_string(),
            "unknown: demand 10ns in an interval of 20ns leaves less than a window of 11ns (sufficient test)"
        );
        // Of one task, the slack of a job. It is the same each time.
        assert_eq!(
            largest(&[task(10, 10, 30)], limit()),
            Margin::Exactly(ns(20))
        );
        // The deadlines of 2 in 5 and 4 in 7 leave 3 and 3; at 10: 4 + 4, at 14: 4 + 8, at 15: 6 + 8.
        let tasks = [task(2, 5, 5), task(4, 7, 7)];
        assert_eq!(largest(&tasks, limit()), Margin::Exactly(ns(1)));
        assert!(!test(&tasks, ns(2), limit()).holds());
        // Jitter is taken off.
        let late = task(3, 9, 7).with_jitter(ns(2)).unwrap();
        assert_eq!(largest(&[late], limit()), Margin::Exactly(ns(2)));
    }

    #[test]
    fn what_no_policy_holds_fails_with_any_window() {
        let tasks = [task(3, 6, 4), task(2, 8, 5), task(3, 9, 7)];
        assert_eq!(largest(&tasks, limit()), Margin::Nothing);
        for window in [0, 1, 100] {
            let verdict = test(&tasks, ns(window), limit()).verdict;
            assert!(matches!(verdict, Verdict::Fails(_)), "{verdict}");
        }
        // A full CPU leaves nothing, and no task leaves all.
        let full = [task(2, 5, 5), task(4, 7, 7), task(1, 35, 35)];
        assert_eq!(largest(&full, limit()), Margin::Exactly(ns(0)));
        assert_eq!(largest(&[], limit()), Margin::Exactly(Duration::MAX));
        let blocked = task(1, 9, 9).with_blocking(ns(1)).unwrap();
        assert_eq!(largest(&[blocked], limit()), Margin::Nothing);
    }

    #[test]
    fn long_times_and_little_work_are_said() {
        let huge = u64::MAX - 1;
        assert_eq!(
            largest(&[task(1, huge, huge)], limit()),
            Margin::Exactly(ns(huge - 1))
        );
        assert!(test(&[task(1, huge, huge)], ns(huge - 1), limit()).holds());
        let tasks = [task(2, 5, 5), task(4, 7, 7)];
        assert_eq!(
            largest(&tasks, WorkLimit::steps(1)),
            Margin::AtLeast(ns(0), Stop::WorkLimit)
        );
        let tasks = [task(2, 5, 4), task(4, 7, 7)];
        assert_eq!(
            largest(&tasks, WorkLimit::steps(1)),
            Margin::NotKnown(Stop::WorkLimit)
        );
    }
}
