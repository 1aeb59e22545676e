//! A task that comes again, as the analyses know it.

use flyball_analysis::{InvalidTask, Reason, SporadicTask, Verdict, WorkLimit, edf_demand};
use flyball_model::behaviour::count;
use flyball_model::{Step, Task, TaskSet};
use flyball_trace::Duration;

/// A task with its longest execution time, shortest separation and release jitter; `None` if it
/// arrives once. For what is to hold; what is not to hold is [asked](asking) about less.
///
/// A job that sends may be preempted at that very instant by the one that it releases, though it
/// has nothing left to compute before its next call. So each call but the last counts as a
/// nanosecond, in which that one is in its way.
pub(crate) fn recurring(task: &Task) -> Option<Result<SporadicTask, InvalidTask>> {
    let steps = &task.behaviour;
    let sends = count(steps, &|step| {
        matches!(step, Step::Send(_) | Step::TrySend(_) | Step::Signal(_))
    });
    let calls = count(steps, &|step| {
        !matches!(
            step,
            Step::Compute(_) | Step::Overrun { .. } | Step::Stalling { .. } | Step::Result(_)
        )
    })
    .saturating_sub(1);
    let wcet = match task.wcet.as_nanos().checked_add(calls) {
        Some(longer) if sends > 0 => Duration::from_nanos(longer),
        _ => task.wcet,
    };
    with_wcet(task, wcet)
}

/// What the task asks for, and no more.
pub(crate) fn asking(task: &Task) -> Option<Result<SporadicTask, InvalidTask>> {
    with_wcet(task, task.wcet)
}

fn with_wcet(task: &Task, wcet: Duration) -> Option<Result<SporadicTask, InvalidTask>> {
    let period = task.arrival.period()?;
    let deadline = task.deadline.unwrap_or(period);
    let known = SporadicTask::new(wcet, period, deadline);
    Some(known.and_then(|known| known.with_jitter(task.jitter)))
}

/// The first of these tasks that has release jitter, by its number.
pub(crate) fn with_jitter(set: &TaskSet, tasks: &[usize]) -> Option<usize> {
    let jitter = |task: &usize| !set.tasks[*task].jitter.is_zero();
    tasks.iter().copied().find(jitter)
}

/// The first of these tasks that has less time left, when it is released as late as it may be, than
/// a job computes; and what the test of one CPU says of it. No number of CPUs is enough for that.
pub(crate) fn hopeless(tasks: &[SporadicTask]) -> Option<(usize, Reason)> {
    let is_hopeless = |task: &SporadicTask| {
        let left = task.deadline().saturating_sub(task.jitter());
        !task.jitter().is_zero() && task.wcet() > left
    };
    let task = tasks.iter().position(is_hopeless)?;
    match edf_demand::test(&tasks[task..=task], WorkLimit::default()).verdict {
        Verdict::Fails(says) => Some((task, says)),
        Verdict::Holds | Verdict::Unknown(_) => None,
    }
}
