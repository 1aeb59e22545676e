//! What no test covers: work of the kernel, and what jobs do beyond computing.

use crate::reason::{Obstacle, Uncovered};
use flyball_model::behaviour::count;
use flyball_model::{Step, Task, TaskSet, Trigger};

/// What no test here covers; `overruns`: the test is about jobs that compute for more than they
/// declare, too.
pub(crate) fn check_set(set: &TaskSet, overruns: bool) -> Result<(), Obstacle> {
    if !set.platform.overheads.are_free() {
        return Err(Obstacle::Overheads);
    }
    if set.platform.tick.is_some() {
        return Err(Obstacle::Tick);
    }
    check_jobs(set, overruns)
}

/// What no test covers of what jobs do.
pub(crate) fn check_steps(set: &TaskSet) -> Result<(), Obstacle> {
    check_jobs(set, false)
}

/// Whether jobs compute for another time than the task declares.
pub(crate) fn overruns(task: &Task) -> bool {
    count(&task.behaviour, &|step| {
        matches!(step, Step::Overrun { .. })
    }) > 0
}

fn check_jobs(set: &TaskSet, overruns: bool) -> Result<(), Obstacle> {
    if !set.endpoints.is_empty() {
        return Err(Obstacle::Endpoints);
    }
    let is_covered = |step: &Step| match *step {
        Step::Lock(_) | Step::Unlock(_) => true,
        Step::Overrun { .. } => overruns,
        // No task waits for these, and what they release comes no more often than it says.
        Step::Signal(n) => owner(set, Trigger::Semaphore(n)).is_some(),
        Step::TrySend(n) => owner(set, Trigger::Queue(n)).is_some(),
        Step::Send(n) => owner(set, Trigger::Queue(n)).is_some_and(|owner| has_room(set, n, owner)),
        _ => false,
    };
    match beyond_computing(set, is_covered) {
        Some((task, what)) => Err(Obstacle::Does(task, what)),
        None => Ok(()),
    }
}

/// The task whose jobs a trigger releases. O(tasks).
fn owner(set: &TaskSet, trigger: Trigger) -> Option<&Task> {
    let mut tasks = set.tasks.iter();
    tasks.find(|task| task.trigger() == Some(trigger))
}

/// Whether the queue that releases jobs of `owner` is never full, so that its sender never waits,
/// as long as no deadline is missed. O(steps of the set).
///
/// That is so if one task sends to it, each of whose jobs, arriving at aₖ, sends at most one
/// message by aₖ + D ≤ aₖ₊₁, and if the owner's jobs may come as early and as often and are done
/// before the next one. For then its job k is released by aₖ + D, too: that is after its separation from the one
/// before, which was released by aₖ₋₁ + D and is done by its own deadline. So at most one message
/// is in the queue when the next one comes.
fn has_room(set: &TaskSet, queue: u16, owner: &Task) -> bool {
    let capacity = set
        .queues
        .get(usize::from(queue))
        .map_or(0, |it| it.capacity);
    let mut senders = set.tasks.iter().filter_map(|task| {
        let messages = count(&task.behaviour, &|step| {
            [Step::Send(queue), Step::TrySend(queue)].contains(step)
        });
        (messages > 0).then_some((task, messages))
    });
    let (Some((sender, 1)), None) = (senders.next(), senders.next()) else {
        return false;
    };
    let in_turn = |task: &Task| task.deadline <= task.arrival.period();
    let often = owner.arrival.period() <= sender.arrival.period();
    let ready = owner.phase <= sender.phase && capacity > 1;
    ready && sender.deadline.is_some() && often && in_turn(sender) && in_turn(owner)
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
                Step::Compute(_) | Step::Stalling { .. } | Step::Result(_) | Step::Control => {
                    continue;
                }
                step if is_fine(step) => continue,
                Step::Lock(_) | Step::Unlock(_) => Uncovered::Mutex,
                Step::Overrun { .. } => Uncovered::Overruns,
                Step::Suspend(_) => Uncovered::Suspends,
                Step::Wait(_) | Step::Signal(_) => Uncovered::Semaphore,
                Step::Send(_) | Step::TrySend(_) | Step::Receive(_) | Step::TryReceive(_) => {
                    Uncovered::Queue
                }
                Step::Raise { .. } | Step::Lower { .. } => Uncovered::Queue,
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
