//! What no test covers: work of the kernel, and what jobs do beyond computing.

use crate::reason::{Obstacle, Uncovered};
use flyball_model::{Step, Task, TaskSet};

/// What no test here covers.
pub(crate) fn check_set(set: &TaskSet) -> Result<(), Obstacle> {
    if !set.platform.overheads.are_free() {
        return Err(Obstacle::Overheads);
    }
    if set.platform.tick.is_some() {
        return Err(Obstacle::Tick);
    }
    check_steps(set)
}

/// What no test covers of what jobs do.
pub(crate) fn check_steps(set: &TaskSet) -> Result<(), Obstacle> {
    let is_covered = |step: &Step| matches!(step, Step::Lock(_) | Step::Unlock(_));
    match beyond_computing(set, is_covered) {
        Some((task, what)) => Err(Obstacle::Does(task, what)),
        None => Ok(()),
    }
}

/// The first thing that some job does beyond computing, with its task, if it is none that
/// `is_fine`. O(steps).
pub(crate) fn beyond_computing(
    set: &TaskSet,
    is_fine: impl Fn(&Step) -> bool,
) -> Option<(String, Uncovered)> {
    for task in &set.tasks {
        let mut steps: Vec<&Step> = task.behaviour.iter().collect();
        while let Some(step) = steps.pop() {
            let what = match step {
                Step::Repeat { body, .. } => {
                    steps.extend(body);
                    continue;
                }
                Step::Compute(_) => continue,
                step if is_fine(step) => continue,
                Step::Lock(_) | Step::Unlock(_) => Uncovered::Mutex,
                Step::Suspend(_) => Uncovered::Suspends,
                Step::Wait(_) | Step::Signal(_) => Uncovered::Semaphore,
                Step::Send(_) | Step::Receive(_) => Uncovered::Queue,
                Step::Yield => Uncovered::Yields,
            };
            return Some((task.name.clone(), what));
        }
    }
    None
}

/// A thread without a period must run behind all tasks (`is_last`), or else theory does not know
/// how often it is in their way.
pub(crate) fn stays_behind(set: &TaskSet, thread: usize, is_last: bool) -> Result<(), Obstacle> {
    let Task {
        name,
        deadline,
        behaviour,
        ..
    } = &set.tasks[thread];
    if deadline.is_some() {
        return Err(Obstacle::SingleJob(name.clone()));
    }
    if !is_last {
        return Err(Obstacle::Background(name.clone()));
    }
    if behaviour
        .iter()
        .any(|step| matches!(step, Step::Lock(_) | Step::Repeat { .. }))
        && !set.mutexes.is_empty()
    {
        return Err(Obstacle::MutexBeside(name.clone()));
    }
    Ok(())
}
