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
//!
//! With critical sections a "no" is certain only if the CPU is overloaded: an owner that inherits
//! runs ahead of work that the analysis counts as more urgent, and may be done earlier than the
//! analysis without blocking says.

use crate::theory::{LIMIT, MOST_SLACKS, PROBE};
use flyball_analysis::sensitivity::Margin;
use flyball_analysis::{
    Answer, Level, LevelMismatch, Outcome, Reason, Response, SporadicTask, Stop, Strength, Verdict,
    fixed_priority, sensitivity,
};
use flyball_trace::Duration;
use std::collections::{HashMap, HashSet};

/// The outcome, response times, slacks, and the breakdown, if it was asked.
pub(crate) type Found = (
    Outcome,
    Vec<Response>,
    Vec<Option<Duration>>,
    Option<Margin<sensitivity::Breakdown>>,
);

/// Up to how many tasks are looked at again where equals may be behind themselves.
const MOST_REPETITIONS: usize = 100_000;

/// Whether two tasks are equally urgent.
pub(crate) fn has_ties(levels: &[Level]) -> bool {
    levels.iter().collect::<HashSet<_>>().len() < levels.len()
}

/// Analyses the tasks of one CPU.
pub(crate) fn analyse(tasks: &[SporadicTask], levels: &[Level]) -> Result<Found, LevelMismatch> {
    let mut outcome = fixed_priority::test(tasks, levels, LIMIT)?;
    let known = Answer::from(&outcome);
    let mut responses = fixed_priority::response_times(tasks, levels, LIMIT)?;
    if tasks.iter().any(|task| !task.blocking().is_zero())
        && let Verdict::Fails(reason) = &outcome.verdict
        && !is_overload(reason)
    {
        outcome.verdict = Verdict::Unknown(reason.clone());
    }
    let behind = behind_themselves(tasks, levels, &responses);
    for (number, &this) in behind.iter().enumerate() {
        // Each takes an analysis of the whole set.
        if number * tasks.len() > MOST_REPETITIONS {
            responses[this] = Response::Stopped {
                at_least: tasks[this].wcet(),
                why: Stop::WorkLimit,
            };
            continue;
        }
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
    let equals = equals(levels);
    if (0..tasks.len()).any(|task| may_wait(&task) && equals[&levels[task]].len() > 1) {
        return Ok((outcome, responses, vec![None; tasks.len()], None));
    }
    let slacks = if tasks.len() <= MOST_SLACKS {
        let slacks = sensitivity::fixed_priority_slacks(tasks, levels, PROBE)?;
        slacks.iter().map(|it| it.proven().copied()).collect()
    } else {
        vec![None; tasks.len()]
    };
    let breakdown = sensitivity::breakdown(tasks, |longer| {
        // Of the tasks as they are it is known already, with a larger limit.
        if longer == tasks {
            return known;
        }
        // There are as many levels as tasks, so this is no error.
        fixed_priority::test(longer, levels, PROBE)
            .map_or(Answer::Rejects, |outcome| Answer::from(&outcome))
    });
    Ok((outcome, responses, slacks, Some(breakdown)))
}

fn is_overload(reason: &Reason) -> bool {
    let grows = matches!(
        reason,
        Reason::Late {
            response: Response::Unbounded,
            ..
        }
    );
    grows || matches!(reason, Reason::Overload { .. })
}

/// The tasks of each level.
fn equals(levels: &[Level]) -> HashMap<Level, Vec<usize>> {
    let mut equals: HashMap<Level, Vec<usize>> = HashMap::new();
    for (task, &level) in levels.iter().enumerate() {
        equals.entry(level).or_default().push(task);
    }
    equals
}

/// The tasks with equals, of which one may still work on a job when its next one is released.
fn behind_themselves(
    tasks: &[SporadicTask],
    levels: &[Level],
    responses: &[Response],
) -> Vec<usize> {
    let in_period = |&task: &usize| responses[task].is_within(tasks[task].period()) == Some(true);
    let mut behind: Vec<usize> = equals(levels)
        .into_values()
        .filter(|equals| equals.len() > 1 && !equals.iter().all(in_period))
        .flatten()
        .collect();
    behind.sort_unstable();
    behind
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
