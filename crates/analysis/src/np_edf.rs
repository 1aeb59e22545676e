//! Non-preemptive earliest deadline first, exactly, for sporadic tasks and any deadlines.
//!
//! A job that has the CPU keeps it to its end. So the worst for jobs that come together is that a
//! job with a later deadline has begun an instant before:
//!
//! ```text
//! dbf(t) + b(t) ≤ t    with b(t) = max (C_i − 1) over the tasks with D_i > t, and 0 where there is none
//! ```
//!
//! in whole units of time (here nanoseconds), and U ≤ 1. With that, no job of sporadic tasks is
//! late under non-preemptive EDF without inserted idle time; without it, some arrivals make one
//! late: a job with D_i > t that comes one unit before all tasks with deadlines of at most t, which
//! come again as soon as they may. (George, Rivierre and Spuri, *Preemptive and non-preemptive
//! real-time uni-processor scheduling*, INRIA RR-2966, 1996, theorem 6; for D = T it is that of
//! Jeffay, Stanat and Martel, RTSS 1991, theorem 4.2: for T_1 < L < T_i, L ≥ C_i + Σ_{j<i} ⌊(L − 1)
//! / T_j⌋ C_j, with L = t + 1.) So it is exact for tasks that are sporadic, and sufficient for
//! periodic ones, whose phases may keep them from coming so (to decide that is NP-hard in the
//! strong sense: Jeffay et al., theorem 5.2). Release jitter and blocking are not covered.
//!
//! b falls with t and dbf grows, so the sum does neither. Between two neighbouring deadlines b is
//! constant, and there the sum grows: each such stretch is walked downwards in leaps, as QPA does
//! ([`edf_demand`]). Beyond the longest deadline there is only dbf.
//!
//! Complexity: pseudo-polynomial for U < 1; up to n walks, with O(n) for each of their steps.

use crate::edf_demand::{self, dbf, walk};
use crate::work::Meter;
use crate::{Outcome, Reason, SporadicTask, Stop, Verdict, WorkLimit};
use flyball_trace::Duration;

/// Tests whether sporadic `tasks` meet all deadlines under non-preemptive EDF.
///
/// If they do not, the reason names an interval, its demand, and how long a job is in the way that
/// began before it ([`Reason::Demand`]).
pub fn test(tasks: &[SporadicTask], limit: WorkLimit) -> Outcome {
    let plain = |task: &SporadicTask| task.j() == 0 && task.b() == 0;
    if let Some(task) = tasks.iter().position(|task| !plain(task)) {
        let needs = "without release jitter and blocking";
        return Outcome::sufficient(Verdict::Unknown(Reason::NotApplicable { task, needs }));
    }
    let preemptive = edf_demand::test(tasks, limit);
    if preemptive.verdict != Verdict::Holds {
        // No schedule of any policy holds then, or that is not known.
        return preemptive;
    }
    let verdict = judge(tasks, &mut limit.meter())
        .unwrap_or_else(|stop| Verdict::Unknown(Reason::Stopped(stop)));
    Outcome::exact(verdict)
}

/// How long a job with a deadline beyond an interval of length `interval` can be in the way of
/// those within: b above. O(n).
pub fn blocking(tasks: &[SporadicTask], interval: Duration) -> Duration {
    let beyond = tasks.iter().filter(|task| task.deadline() > interval);
    let longest = beyond.map(SporadicTask::c).max();
    // No execution time is zero.
    Duration::from_nanos(longest.map_or(0, |longest| longest - 1))
}

fn judge(tasks: &[SporadicTask], meter: &mut Meter) -> Result<Verdict, Stop> {
    let mut deadlines: Vec<u64> = tasks.iter().map(SporadicTask::d).collect();
    deadlines.sort_unstable();
    deadlines.dedup();
    for stretch in deadlines.windows(2) {
        let (from, to) = (stretch[0], stretch[1]);
        // Constant from the one deadline to just before the other.
        let b = blocking(tasks, Duration::from_nanos(from));
        let work = |t| dbf(tasks, t) + u128::from(b.as_nanos());
        if let Some(t) = walk(tasks, from..to, meter, work)? {
            let interval = Duration::from_nanos(t);
            return Ok(Verdict::Fails(Reason::Demand {
                interval,
                demand: edf_demand::demand(tasks, interval),
                blocking: b,
            }));
        }
    }
    Ok(Verdict::Holds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Utilisation;
    use proptest::prelude::*;

    fn task(c: u64, t: u64, d: u64) -> SporadicTask {
        let ns = Duration::from_nanos;
        SporadicTask::new(ns(c), ns(t), ns(d)).unwrap()
    }

    fn holds(tasks: &[SporadicTask]) -> bool {
        match test(tasks, WorkLimit::default()).verdict {
            Verdict::Holds => true,
            Verdict::Fails(_) => false,
            Verdict::Unknown(reason) => panic!("{reason}"),
        }
    }

    /// The formula at every instant of a hyperperiod and the longest deadline behind it.
    fn formula(tasks: &[(u64, u64, u64)]) -> bool {
        let hyperperiod = tasks
            .iter()
            .fold(1, |all, &(_, t, _)| num_integer::lcm(all, t));
        let longest = tasks.iter().map(|&(_, _, d)| d).max().unwrap_or(0);
        let fits = |time: u64| {
            let demand = |&(c, t, d): &(u64, u64, u64)| match time.checked_sub(d) {
                Some(rest) => (rest / t + 1) * c,
                None => 0,
            };
            let beyond = tasks.iter().filter(|&&(_, _, d)| d > time);
            let b = beyond.map(|&(c, _, _)| c - 1).max().unwrap_or(0);
            let h: u64 = tasks.iter().map(demand).sum();
            h == 0 || h + b <= time
        };
        let used: u64 = tasks.iter().map(|&(c, t, _)| hyperperiod / t * c).sum();
        used <= hyperperiod && (0..=hyperperiod + longest).all(fits)
    }

    /// Theorem 4.2 of Jeffay, Stanat and Martel, word by word, for D = T.
    fn jeffay(tasks: &[(u64, u64)]) -> bool {
        let mut tasks = tasks.to_vec();
        tasks.sort_unstable_by_key(|&(_, t)| t);
        let hyperperiod = tasks
            .iter()
            .fold(1, |all, &(_, t)| num_integer::lcm(all, t));
        let used: u64 = tasks.iter().map(|&(c, t)| hyperperiod / t * c).sum();
        let fits = |i: usize, l: u64| {
            let before = tasks[..i].iter().map(|&(c, t)| (l - 1) / t * c);
            l >= tasks[i].0 + before.sum::<u64>()
        };
        used <= hyperperiod
            && (1..tasks.len()).all(|i| (tasks[0].1 + 1..tasks[i].1).all(|l| fits(i, l)))
    }

    /// A schedule of non-preemptive EDF, unit by unit; whether no job is late. Task `first` comes
    /// at 0, the others at 1, all as soon as they may.
    fn worst_schedule(tasks: &[(u64, u64, u64)], first: usize, until: u64) -> bool {
        let mut next: Vec<u64> = (0..tasks.len())
            .map(|task| u64::from(task != first))
            .collect();
        let mut ready: Vec<(u64, u64)> = Vec::new();
        let mut now = 0;
        while now < until {
            for (&(c, t, d), next) in tasks.iter().zip(&mut next) {
                while *next <= now {
                    ready.push((*next + d, c));
                    *next += t;
                }
            }
            let earliest = (0..ready.len()).min_by_key(|&job| ready[job].0);
            let Some(job) = earliest else {
                now += 1;
                continue;
            };
            let (deadline, c) = ready.swap_remove(job);
            now += c;
            if now > deadline {
                return false;
            }
        }
        true
    }

    fn sets() -> impl Strategy<Value = Vec<(u64, u64, u64)>> {
        let task = (1..6_u64, 0..8_u64, 0..16_u64).prop_map(|(c, t, d)| (c, c + t, c + d));
        proptest::collection::vec(task, 1..5)
    }

    #[test]
    fn an_example_by_hand() {
        // Preemptive EDF holds with U = 1; a job of 5 that begins just before is 4 in the way of 2
        // by 5.
        assert!(!holds(&[task(2, 5, 5), task(5, 20, 20), task(1, 20, 20)]));
        let outcome = test(&[task(2, 5, 5), task(5, 20, 20)], WorkLimit::default());
        assert_eq!(
            outcome.to_string(),
            "fails: demand 2ns and blocking 4ns in an interval of 5ns (exact test)"
        );
        assert!(holds(&[task(2, 5, 5), task(4, 20, 20)]));
        // Deadlines beyond periods, and a single task, which nothing is in the way of.
        assert!(holds(&[task(5, 5, 9)]));
        assert!(holds(&[]));
    }

    #[test]
    fn jitter_is_not_covered() {
        let late = task(1, 5, 5).with_jitter(Duration::from_nanos(1)).unwrap();
        let outcome = test(&[late], WorkLimit::default());
        assert!(matches!(outcome.verdict, Verdict::Unknown(_)), "{outcome}");
    }

    proptest! {
        #[test]
        fn it_is_the_formula(set in sets()) {
            let tasks: Vec<_> = set.iter().map(|&(c, t, d)| task(c, t, d)).collect();
            prop_assert_eq!(holds(&tasks), formula(&set));
        }

        #[test]
        fn with_deadlines_of_periods_it_is_theirs(set in sets()) {
            let set: Vec<_> = set.iter().map(|&(c, t, _)| (c, t)).collect();
            let tasks: Vec<_> = set.iter().map(|&(c, t)| task(c, t, t)).collect();
            prop_assert_eq!(holds(&tasks), jeffay(&set));
        }

        /// A "no" has a schedule in which a job is late; a "yes" has none of these.
        #[test]
        fn it_is_exact(set in sets()) {
            let tasks: Vec<_> = set.iter().map(|&(c, t, d)| task(c, t, d)).collect();
            // With U ≤ 1 a job is late within the first busy period, or none ever is.
            prop_assume!(Utilisation::of(&tasks).cmp_cpus(1).is_le());
            let until = 2 * set.iter().fold(1, |all, &(_, t, _)| num_integer::lcm(all, t));
            let is_late = |first| !worst_schedule(&set, first, until);
            prop_assert_eq!(holds(&tasks), !(0..=set.len()).any(is_late));
        }
    }
}
