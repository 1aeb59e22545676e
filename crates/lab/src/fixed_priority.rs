//! Response-time analysis, with a bridge between its rule for equals and the kernel's.
//!
//! The analysis serves the *jobs* of equally urgent tasks in the order of their release. In the
//! kernel *threads* are queued, so a job that waits for an earlier one of its own task is queued when
//! that is done, behind equals that were released after it. As long as no response time exceeds its
//! period no job ever waits so, and the two rules are the same. The first time that one does it is
//! late already, if its deadline is within its period. So there is a difference only where a task
//! with equals has a deadline beyond its period and may need that long. Then all equals are counted
//! as more urgent: that bounds the response time whatever order they are served in, but it rejects
//! too much, so such a test is sufficient only.

use crate::theory::{LIMIT, PROBE};
use flyball_analysis::{
    Level, LevelMismatch, Outcome, Reason, Response, SporadicTask, Strength, Verdict,
    fixed_priority, sensitivity,
};
use flyball_trace::Duration;
use std::collections::HashSet;

/// The outcome, response times, slacks, and the breakdown.
pub(crate) type Found = (
    Outcome,
    Vec<Response>,
    Vec<Option<Duration>>,
    Option<sensitivity::Breakdown>,
);

/// Whether two tasks are equally urgent.
pub(crate) fn has_ties(levels: &[Level]) -> bool {
    levels.iter().collect::<HashSet<_>>().len() < levels.len()
}

/// Analyses the tasks of one CPU.
pub(crate) fn analyse(tasks: &[SporadicTask], levels: &[Level]) -> Result<Found, LevelMismatch> {
    let mut outcome = fixed_priority::test(tasks, levels, LIMIT)?;
    let mut responses = fixed_priority::response_times(tasks, levels, LIMIT)?;
    let behind = behind_themselves(tasks, levels, &responses);
    for &this in &behind {
        // A level for each of its equals, and one below it for the task itself.
        let below = |task: usize| Level(levels[task].0 * 2 + u32::from(task != this));
        let levels: Vec<Level> = (0..tasks.len()).map(below).collect();
        responses[this] = fixed_priority::response_times(tasks, &levels, LIMIT)?[this];
    }
    let may_wait = |task: &usize| tasks[*task].deadline() > tasks[*task].period();
    if behind.iter().any(may_wait) {
        outcome.strength = Strength::Sufficient;
        outcome.verdict = judge(tasks, &responses, |this, response| {
            // More than the whole CPU is too much in any order; and where nobody is equal, the
            // order is the same.
            response == Response::Unbounded || !behind.contains(&this)
        });
    }
    // How far execution times may grow is asked of the same test, so it must be right about that.
    if (0..tasks.len()).any(|task| may_wait(&task) && equals(levels, task).count() > 1) {
        return Ok((outcome, responses, vec![None; tasks.len()], None));
    }
    let slacks = sensitivity::fixed_priority_slacks(tasks, levels, PROBE)?
        .map_or(vec![None; tasks.len()], |slacks| {
            slacks.into_iter().map(Some).collect()
        });
    let breakdown = sensitivity::breakdown(tasks, |tasks| {
        fixed_priority::test(tasks, levels, PROBE).is_ok_and(|outcome| outcome.holds())
    });
    Ok((outcome, responses, slacks, breakdown))
}

/// The tasks as urgent as `this`, itself included.
fn equals(levels: &[Level], this: usize) -> impl Iterator<Item = usize> + '_ {
    (0..levels.len()).filter(move |&task| levels[task] == levels[this])
}

/// The tasks with equals, of which one may still work on a job when its next one is released.
fn behind_themselves(
    tasks: &[SporadicTask],
    levels: &[Level],
    responses: &[Response],
) -> Vec<usize> {
    let in_period = |task: usize| responses[task].is_within(tasks[task].period()) == Some(true);
    (0..tasks.len())
        .filter(|&this| equals(levels, this).count() > 1 && !equals(levels, this).all(in_period))
        .collect()
}

/// The verdict on these response times. `certain` tells whether a task is late for sure if its
/// response time says so.
fn judge(
    tasks: &[SporadicTask],
    responses: &[Response],
    certain: impl Fn(usize, Response) -> bool,
) -> Verdict {
    let mut verdict = Verdict::Holds;
    for (number, (task, &response)) in tasks.iter().zip(responses).enumerate() {
        let within = response.is_within(task.deadline());
        if within == Some(true) {
            continue;
        }
        let (deadline, blocking) = (task.deadline(), task.blocking());
        let reason = Reason::Late {
            task: number,
            response,
            deadline,
            blocking,
        };
        if within == Some(false) && certain(number, response) && blocking.is_zero() {
            return Verdict::Fails(reason);
        }
        if verdict == Verdict::Holds {
            verdict = Verdict::Unknown(reason);
        }
    }
    verdict
}
