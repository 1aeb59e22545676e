//! Exact response times under fixed priorities: any deadlines, release jitter, blocking, and
//! equal priorities served first in, first out.
//!
//! The most urgent level runs first. Within a level, jobs run in the order of their release, and a
//! job that was preempted by a more urgent level keeps its place. That is a rule about *jobs*: if a
//! task's next job was released before the last one completed, its place in the order is that of
//! its release. A kernel that runs it at once, or puts it last only then, does not follow the rule,
//! and response times may differ for tasks that have several jobs pending.
//!
//! # The worst case
//! Look at a job of task i, released at s in a busy interval that began at 0: before 0 nothing of
//! its level or above was pending, and since then the CPU has never run out of such work. The job
//! completes when all that goes before it is done:
//!
//! ```text
//! F(s) = B_i                          less urgent work that was in the way at 0
//!      + (⌊s / T_i⌋ + 1) C_i          the job itself, and those of its task that came before it
//!      + Σ (⌊(s + J_j) / T_j⌋ + 1) C_j   tasks j of the same level: released in [0, s]
//!      + Σ ⌈(F(s) + J_h) / T_h⌉ C_h      tasks h of higher levels: released in [0, F(s))
//! ```
//!
//! Each count is the largest that there can be, and all can be that large at once: every other
//! task releases a job at 0 with full jitter, and then whatever it can as early as it can. Among
//! equals released at the same instant, the job looked at may be the last; hence [0, s] is closed.
//!
//! The job's own jitter works the other way round: given its arrival a, F only grows with the
//! release, so the worst release is the latest, s = a + J_i, and its response time is
//! F(s) − a = F(s) − s + J_i. Earlier jobs of its task arrived at a − k T_i and could not be
//! released before 0, so a − k T_i + J_i ≥ 0, that is k ≤ s / T_i.
//!
//! F(s) − s falls between the steps of F, so only these releases s need be looked at:
//!
//! * the multiples of T_i, where one more job of task i itself fits in (Lehoczky 1990);
//! * the releases m T_j − J_j of tasks of the same level. *These are easily forgotten*: the job
//!   may have its worst case when it comes just behind a burst of equals, even if that is not the
//!   earliest instant at which its task could release it.
//!
//! None of them beyond the longest busy interval of the level. If the level's load is exactly one
//! and something is late from the start (jitter, blocking), that never ends, but all repeats with
//! the hyperperiod. If the load is above one, response times grow without bound.
//!
//! No value of F(s) − s + J_i can be too large, whatever s: the arrivals described above are legal,
//! and the job looked at cannot complete before F(s) in them. So without blocking the result is
//! exact; with it, it is an upper bound, as it is not certain that the blocking can happen just
//! then.
//!
//! With distinct priorities this is Tindell, Burns and Wellings (*An extendible approach for
//! analyzing fixed priority hard real-time tasks*, Real-Time Systems 6, 1994), which builds on
//! Lehoczky (RTSS 1990) and Audsley, Burns, Richardson, Tindell and Wellings (Software Engineering
//! Journal 8(5), 1993). The rule for equal priorities is derived here; that in the literature is
//! usually the safe one, which counts all equals as more urgent.
//!
//! Most tasks' first job at s = 0 completes before anything else of the level is released, and then
//! it is the worst. Where it does not, the search goes through the releases s from the last one
//! down, and leaps, as QPA does for EDF: as F falls with s, an earlier s' can only be worse than
//! the worst so far, R (without J_i), if s' < F(s) − R.
//!
//! Complexity: pseudo-polynomial; the number of releases s in the longest busy interval, times the
//! steps to each fixed point, times n, for each task. With deadlines within the periods there is
//! one s for each task that holds.

use crate::ranking::{Ranking, Worst};
use crate::{
    Level, LevelMismatch, Outcome, Reason, Response, SporadicTask, Supply, Verdict, WorkLimit,
};
use flyball_trace::Duration;

/// Every task's worst-case response time, in the order of `tasks`, even where it is beyond the
/// deadline. The limit holds for all tasks together.
///
/// # Errors
/// If there are not as many levels as tasks.
pub fn response_times(
    tasks: &[SporadicTask],
    levels: &[Level],
    limit: WorkLimit,
) -> Result<Vec<Response>, LevelMismatch> {
    response_times_on(Supply::CPU, tasks, levels, limit)
}

/// The same inside of a server that gives `supply` at least: F(s) is the time in which it gives as
/// much as the sum above ([`supply`](crate::supply)). Not exact, but never too short;
/// [`Response::Unbounded`] if the tasks ask for more than the server gives in the long run.
///
/// # Errors
/// If there are not as many levels as tasks.
pub fn response_times_on(
    supply: Supply,
    tasks: &[SporadicTask],
    levels: &[Level],
    limit: WorkLimit,
) -> Result<Vec<Response>, LevelMismatch> {
    let ranking = Ranking::new(supply, tasks, levels)?;
    let mut meter = limit.meter();
    let mut responses = vec![Response::Unbounded; tasks.len()];
    let mut from = 0;
    for rank in ranking.feasible_ranks() {
        let mut below = from;
        for this in rank.members.clone() {
            let mut worst = Worst::default();
            let end = rank.search(this, from, u64::MAX, &mut worst, &mut meter);
            responses[ranking.places[this]] = match end {
                Ok(()) => Response::Bounded(Duration::from_nanos(worst.response)),
                Err(why) => Response::Stopped {
                    at_least: Duration::from_nanos(worst.response.max(rank.least(this))),
                    why,
                },
            };
            below = below.max(rank.warm_start(this, worst.first));
        }
        from = below;
    }
    Ok(responses)
}

/// Tests whether all deadlines are met.
///
/// Exact where no task has blocking. With blocking: [`Verdict::Holds`] counts it in,
/// [`Verdict::Fails`] does without it, and in between the verdict is [`Verdict::Unknown`].
///
/// # Errors
/// If there are not as many levels as tasks.
pub fn test(
    tasks: &[SporadicTask],
    levels: &[Level],
    limit: WorkLimit,
) -> Result<Outcome, LevelMismatch> {
    test_on(Supply::CPU, tasks, levels, limit)
}

/// Tests whether all deadlines are met inside of a server that gives `supply` at least. Sufficient, but
/// on a whole CPU.
///
/// # Errors
/// If there are not as many levels as tasks.
pub fn test_on(
    supply: Supply,
    tasks: &[SporadicTask],
    levels: &[Level],
    limit: WorkLimit,
) -> Result<Outcome, LevelMismatch> {
    let mut verdict = judge(tasks, &response_times_on(supply, tasks, levels, limit)?);
    if supply.is_whole() && matches!(verdict, Verdict::Unknown(Reason::Late { .. })) {
        // Late, but perhaps only because of blocking that never happens.
        let bare: Vec<_> = tasks.iter().map(|task| task.unblocked()).collect();
        let proof = judge(&bare, &response_times(&bare, levels, limit)?);
        if matches!(proof, Verdict::Fails(_)) {
            verdict = proof;
        }
    }
    Ok(supply.outcome(verdict, tasks))
}

/// The verdict on response times: the first proof of a miss, else the first that is in doubt.
fn judge(tasks: &[SporadicTask], responses: &[Response]) -> Verdict {
    let mut verdict = Verdict::Holds;
    for (index, (task, &response)) in tasks.iter().zip(responses).enumerate() {
        let late = Reason::Late {
            task: index,
            response,
            deadline: task.deadline(),
            blocking: task.blocking(),
        };
        let doubt = match (response.is_within(task.deadline()), response) {
            (Some(true), _) => continue,
            (Some(false), Response::Unbounded) => return Verdict::Fails(late),
            (Some(false), _) if task.blocking().is_zero() => return Verdict::Fails(late),
            (None, Response::Stopped { why, .. }) => Reason::Stopped(why),
            (Some(false) | None, _) => late,
        };
        if verdict == Verdict::Holds {
            verdict = Verdict::Unknown(doubt);
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;
    use crate::priority::{deadline_monotonic, distinct, rate_monotonic};

    fn task(c: u64, t: u64, d: u64) -> SporadicTask {
        let ns = Duration::from_nanos;
        SporadicTask::new(ns(c), ns(t), ns(d)).unwrap()
    }

    fn bounds(tasks: &[SporadicTask], levels: &[Level]) -> Vec<u64> {
        response_times(tasks, levels, WorkLimit::default())
            .unwrap()
            .into_iter()
            .map(|response| response.bound().unwrap().as_nanos())
            .collect()
    }

    #[test]
    fn burns_and_wellings() {
        // Real-Time Systems and Programming Languages, chapter on scheduling: R = 3, 6, 20.
        let tasks = [task(3, 7, 7), task(3, 12, 12), task(5, 20, 20)];
        assert_eq!(bounds(&tasks, &rate_monotonic(&tasks)), [3, 6, 20]);
        // The same book: U = 1 and yet it holds, as the periods are harmonic.
        let tasks = [task(40, 80, 80), task(10, 40, 40), task(5, 20, 20)];
        assert_eq!(bounds(&tasks, &rate_monotonic(&tasks)), [80, 15, 5]);
    }

    #[test]
    fn lehoczkys_later_job_is_the_worst() {
        // RTSS 1990: the jobs take 114, 102, 116, 104, 118, 106, 94; the fifth is the worst.
        let tasks = [task(26, 70, 70), task(62, 100, 118)];
        let levels = rate_monotonic(&tasks);
        assert_eq!(bounds(&tasks, &levels), [26, 118]);
        let outcome = test(&tasks, &levels, WorkLimit::default()).unwrap();
        assert_eq!(outcome, Outcome::exact(Verdict::Holds));
    }

    #[test]
    fn a_burst_of_equals_away_from_the_own_grid() {
        // By hand. One level: 1 every 10 and 2 every 4; above them 2 every 5. At its own
        // releases 0 and 10, the first waits for F(0) = 1 + 2 + 2 = 5 and
        // F(10) = 2·1 + 3·2 + 3·2 = 14, that is for 5 and 4. But released at 12, behind the
        // fourth job of its equal: F(12) = 2·1 + 4·2 + 4·2 = 18, which is 6.
        let tasks = [task(2, 5, 5), task(1, 10, 10), task(2, 4, 9)];
        let levels = [Level(2), Level(1), Level(1)];
        assert_eq!(bounds(&tasks, &levels), [2, 6, 6]);
    }

    #[test]
    fn ties_are_kinder_than_being_below() {
        // Equal: each waits for one job of the other. Distinct: the lower waits for two.
        let tasks = [task(2, 4, 4), task(3, 9, 9)];
        let levels = rate_monotonic(&tasks);
        assert_eq!(bounds(&tasks, &levels), [2, 7]);
        assert_eq!(bounds(&tasks, &[Level(0); 2]), [5, 5]);
        assert_eq!(distinct(&[Level(0); 2]), levels);
        let tasks = [task(2, 9, 4), task(3, 9, 5)];
        assert_eq!(bounds(&tasks, &deadline_monotonic(&tasks)), [2, 5]);
    }

    #[test]
    fn blocking_makes_doubt_not_failure() {
        let ns = Duration::from_nanos;
        let limit = WorkLimit::default();
        let level = [Level(0)];
        let blocked = task(3, 9, 4).with_blocking(ns(2)).unwrap();
        let outcome = test(&[blocked], &level, limit).unwrap();
        assert_eq!(
            outcome.to_string(),
            "unknown: task 0: response time 5ns, of which 2ns blocking, exceeds the deadline 4ns \
             (sufficient test)"
        );
        let hopeless = task(5, 9, 4).with_blocking(ns(2)).unwrap();
        let outcome = test(&[hopeless], &level, limit).unwrap();
        assert_eq!(
            outcome.verdict.to_string(),
            "fails: task 0: response time 5ns exceeds the deadline 4ns"
        );
    }

    #[test]
    fn overload_and_limits_end_quickly() {
        let tasks = [task(1, 2, 2), task(2, 4, 4), task(1, 1_000_000_007, 9)];
        let levels = rate_monotonic(&tasks);
        let responses = response_times(&tasks, &levels, WorkLimit::steps(1000)).unwrap();
        assert_eq!(responses[1].bound(), Some(Duration::from_nanos(4)));
        assert_eq!(responses[2], Response::Unbounded);
        // U = 1 − 10⁻¹⁸ with a backlog from the start: the interval ends after a long time.
        let t = 1_000_000_000;
        let ns = Duration::from_nanos;
        let slow = [
            task(1, 2, 9).with_jitter(ns(2)).unwrap(),
            task(t / 2 - 1, t - 1, 2 * t),
        ];
        let levels = rate_monotonic(&slow);
        let response = response_times(&slow, &levels, WorkLimit::steps(9)).unwrap()[1];
        assert!(matches!(
            response,
            Response::Stopped {
                why: Stop::WorkLimit,
                ..
            }
        ));
        let outcome = test(&slow, &levels, WorkLimit::steps(9)).unwrap();
        assert_eq!(
            outcome.verdict,
            Verdict::Unknown(Reason::Stopped(Stop::WorkLimit))
        );
        assert!(test(&slow, &levels[..1], WorkLimit::default()).is_err());
    }
}
