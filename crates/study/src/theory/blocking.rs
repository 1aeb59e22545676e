//! How long mutexes with priority inheritance can keep a task waiting for less urgent ones.
//!
//! While jobs of at least some urgency are under way, a less urgent task runs only inside a
//! critical section that it had entered before, and whose mutex a task of at least that urgency
//! uses. So each less urgent task is in the way with at most one section:
//!
//! ```text
//! B_i = Σ over less urgent tasks j of the longest section of j
//! ```
//!
//! over the mutexes that some task at least as urgent as i uses (Sha, Rajkumar and Lehoczky 1990;
//! Buttazzo, section 7.6.3). Their other bound, one section for each mutex, does not hold here: a
//! mutex that is unlocked belongs to its most urgent waiter at once, even if that is a task less
//! urgent than i, so i can find the same mutex taken by one task after the other. The bound is for
//! sections that are not nested, and where no two tasks are equally urgent. It is an upper bound,
//! so a test that counts it in is sufficient only.

use super::sections::{self, Section};
use crate::reason::Obstacle;
use flyball_analysis::{Level, SporadicTask};
use flyball_model::{Protocol, TaskSet};
use flyball_trace::Duration;
use std::collections::{BTreeMap, HashSet};

/// Makes sure that no task locks anything.
///
/// # Errors
/// [`Obstacle`] if one does.
pub fn none(set: &TaskSet, here: &[usize]) -> Result<(), Obstacle> {
    for &task in here {
        if !sections(set, task)?.is_empty() {
            return Err(Obstacle::MutexUnderEdf);
        }
    }
    Ok(())
}

/// Adds to each of `tasks` (numbers `jobs` in the set) how long it can be blocked.
///
/// # Errors
/// [`Obstacle`] where no bound is known, as for nested sections.
pub fn add(
    set: &TaskSet,
    jobs: &[usize],
    levels: &[Level],
    tasks: &mut [SporadicTask],
) -> Result<(), Obstacle> {
    let sections: Vec<BTreeMap<u16, Duration>> = jobs
        .iter()
        .map(|&task| sections(set, task))
        .collect::<Result<_, _>>()?;
    if sections.iter().all(BTreeMap::is_empty) {
        return Ok(());
    }
    for number in sections.iter().flat_map(BTreeMap::keys) {
        let mutex = &set.mutexes[usize::from(*number)];
        if mutex.protocol == Protocol::None {
            return Err(Obstacle::NoProtocol(mutex.name.clone()));
        }
    }
    if levels.iter().collect::<HashSet<_>>().len() < levels.len() {
        return Err(Obstacle::MutexAmongEquals);
    }
    for this in 0..tasks.len() {
        let mut blocking = Duration::ZERO;
        let matters = |mutex: &u16| {
            (0..tasks.len())
                .any(|task| levels[task] >= levels[this] && sections[task].contains_key(mutex))
        };
        for lower in (0..tasks.len()).filter(|&task| levels[task] < levels[this]) {
            let in_the_way = sections[lower].iter().filter(|(mutex, _)| matters(mutex));
            blocking += in_the_way
                .map(|(_, &section)| section)
                .max()
                .unwrap_or_default();
        }
        tasks[this] = tasks[this]
            .with_blocking(blocking)
            .map_err(Obstacle::Blocking)?;
    }
    Ok(())
}

/// The longest critical section of each mutex that a task uses.
///
/// # Errors
/// [`Obstacle::Nested`] if a section is inside of another one.
fn sections(set: &TaskSet, task: usize) -> Result<BTreeMap<u16, Duration>, Obstacle> {
    let task = &set.tasks[task];
    let found = sections::of(task);
    if found.values().any(|section| !section.inner.is_empty()) {
        return Err(Obstacle::Nested(task.name.clone()));
    }
    let longest = |(&mutex, section): (&u16, &Section)| (mutex, section.longest);
    Ok(found.iter().map(longest).collect())
}
