//! A task that comes again, as the analyses know it.

use flyball_analysis::{InvalidTask, SporadicTask};
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
