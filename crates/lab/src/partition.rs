//! Task sets for several CPUs that do not say where tasks run.

use crate::error::LabError;
use crate::registry::Entry;
use crate::theory::{LIMIT, Theory};
use flyball_analysis::{
    Fit, Level, Sequence, SporadicTask, edf_demand, fixed_priority, overloaded, partition,
};
use flyball_model::TaskSet;
use std::borrow::Cow;

/// Gives each task of `set` a CPU if the policy is partitioned and no task has one: by `fit`, the tasks
/// that ask for most first, and with the policy's own test of one CPU. Tasks that do not come again go
/// where the fewest tasks are. Says what it did, in words behind a policy's name and a colon.
///
/// # Errors
/// [`LabError::NoRoom`].
pub(crate) fn assigned<'a>(
    set: &'a TaskSet,
    entry: &Entry,
    fit: Fit,
) -> Result<(Cow<'a, TaskSet>, Option<String>), LabError> {
    let cpus = set.platform.cpus;
    if cpus <= 1 || entry.global || set.tasks.iter().any(|task| task.cpu.is_some()) {
        return Ok((Cow::Borrowed(set), None));
    }
    let (mut numbers, mut tasks) = (Vec::new(), Vec::new());
    for (number, task) in set.tasks.iter().enumerate() {
        let period = task.arrival.period();
        let known = period
            .map(|period| SporadicTask::new(task.wcet, period, task.deadline.unwrap_or(period)));
        if let Some(Ok(known)) = known {
            numbers.push(number);
            tasks.push(known);
        }
    }
    let holds = |here: &[usize]| {
        let known: Vec<_> = here.iter().map(|&task| tasks[task]).collect();
        match entry.theory {
            Theory::EarliestDeadline => edf_demand::test(&known, LIMIT).holds(),
            Theory::FixedPriority(rank) => {
                let ranks = here.iter().map(|&task| rank(&set.tasks[numbers[task]]));
                let levels = levels(&ranks.collect::<Vec<_>>());
                fixed_priority::test(&known, &levels, LIMIT).is_ok_and(|outcome| outcome.holds())
            }
            Theory::None | Theory::Global => !overloaded(&known),
        }
    };
    let places = partition(&tasks, cpus.into(), fit, Sequence::Utilisation, holds);
    let places = places.map_err(|task| LabError::NoRoom {
        task: set.tasks[numbers[task]].name.clone(),
        fit,
    })?;
    let mut set = set.clone();
    let mut here = vec![Vec::new(); cpus.into()];
    for (number, place) in numbers.into_iter().zip(places) {
        here[place].push(number);
    }
    for number in 0..set.tasks.len() {
        if !here.iter().flatten().any(|&other| other == number)
            && let Some(fewest) = here.iter_mut().min_by_key(|tasks| tasks.len())
        {
            fewest.push(number);
        }
    }
    let mut shown = Vec::new();
    for (cpu, numbers) in (0..cpus).zip(&here) {
        let mut names: Vec<_> = numbers
            .iter()
            .map(|&number| set.tasks[number].name.clone())
            .collect();
        if names.is_empty() {
            names.push("none".to_owned());
        }
        shown.push(format!("CPU {cpu}: {}", names.join(", ")));
        for &number in numbers {
            set.tasks[number].cpu = Some(cpu);
        }
    }
    let note = format!(
        "tasks were assigned to CPUs, {} decreasing: {}.",
        fit.name(),
        shown.join("; ")
    );
    Ok((Cow::Owned(set), Some(note)))
}

/// Levels of tasks with these ranks, of which the smaller is the more urgent.
pub(crate) fn levels(ranks: &[u64]) -> Vec<Level> {
    let mut order = ranks.to_vec();
    order.sort_unstable_by(|a, b| b.cmp(a));
    order.dedup();
    let level = |rank: &u64| order.partition_point(|other| other > rank);
    ranks
        .iter()
        .map(|rank| Level(u32::try_from(level(rank)).unwrap_or(u32::MAX)))
        .collect()
}
