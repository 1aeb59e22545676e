//! A task that comes again, as the analyses know it.

use flyball_analysis::{InvalidTask, Reason, SporadicTask, Verdict, WorkLimit, edf_demand};
use flyball_model::{Task, TaskSet};

/// A task with its longest execution time, shortest separation and release jitter; `None` if it
/// arrives once.
pub(crate) fn recurring(task: &Task) -> Option<Result<SporadicTask, InvalidTask>> {
    let period = task.arrival.period()?;
    let deadline = task.deadline.unwrap_or(period);
    let known = SporadicTask::new(task.wcet, period, deadline);
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
