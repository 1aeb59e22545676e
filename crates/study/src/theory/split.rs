//! Semi-partitioned EDF: tasks that no CPU has room for are split between several.

use super::blocking;
use super::clusters::with_deadlines;
use super::cover::stays_behind;
use super::proof::{Effort, Findings};
use crate::reason::{Because, Obstacle, Uncovered};
use flyball_analysis::{NoRoom, Share, SporadicTask, WorkLimit, c_equals_d, edf_wm};
use flyball_catalogue::Split;
use flyball_model::{Arrival, TaskSet};
use flyball_sim::may_be_split;
use flyball_trace::Duration;

/// Splits tasks for so many CPUs; told which may be split.
pub type Splitter = fn(
    &[SporadicTask],
    usize,
    WorkLimit,
    &dyn Fn(usize) -> bool,
) -> Result<Vec<Vec<Share>>, NoRoom>;

/// The name of the test.
pub(super) const TEST: &str = "processor demand of all shares";

/// How a task is split.
pub(super) fn splitter(split: Split) -> Splitter {
    match split {
        Split::Windows => |tasks, cpus, limit, may| edf_wm::split(tasks, cpus, limit, may),
        Split::NoSlack => |tasks, cpus, limit, may| c_equals_d::split(tasks, cpus, limit, may),
    }
}

/// The shares of each task of `set`, whatever CPUs it assigns them to. Those that do not come again
/// go where the fewest are.
///
/// # Errors
/// [`NoRoom`] for the number of the first task that is not known to have a place.
pub(crate) fn plan(set: &TaskSet, splitter: Splitter) -> Result<Vec<Vec<Share>>, NoRoom> {
    let everyone: Vec<usize> = (0..set.tasks.len()).collect();
    let (numbers, known): (Vec<_>, Vec<_>) = with_deadlines(set, &everyone).unzip();
    let cpus = usize::from(set.platform.cpus.max(1));
    let may = |task: usize| may_be_split(&set.tasks[numbers[task]]);
    let shares = splitter(&known, cpus, Effort::FULL.verdict, &may).map_err(|none| NoRoom {
        task: numbers[none.task],
        ..none
    })?;
    let mut plan = vec![Vec::new(); set.tasks.len()];
    let mut tasks = vec![0; cpus];
    for (number, shares) in numbers.into_iter().zip(shares) {
        for share in &shares {
            tasks[share.cpu] += 1;
        }
        plan[number] = shares;
    }
    for (number, shares) in plan.iter_mut().enumerate() {
        let fewest = tasks
            .iter_mut()
            .enumerate()
            .min_by_key(|(_, tasks)| **tasks);
        if let Some((cpu, tasks)) = fewest.filter(|_| shares.is_empty()) {
            *tasks += 1;
            shares.push(Share {
                cpu,
                wcet: set.tasks[number].wcet,
                from: Duration::ZERO,
                until: set.tasks[number].deadline.unwrap_or(Duration::MAX),
            });
        }
    }
    Ok(plan)
}

/// Whether all shares hold.
pub(super) fn analyse(set: &TaskSet, splitter: Splitter) -> Result<Findings, Obstacle> {
    let everyone: Vec<usize> = (0..set.tasks.len()).collect();
    blocking::none(set, &everyone)?;
    for &task in &everyone {
        if set.tasks[task].arrival == Arrival::Once {
            stays_behind(set, task, true)?;
        }
    }
    if let Some(task) = set.tasks.iter().find(|task| task.trigger().is_some()) {
        return Err(Obstacle::Does(task.name.clone(), Uncovered::Event));
    }
    plan(set, splitter)
        .map_err(|none| Obstacle::NoPlace(set.tasks[none.task].name.clone(), none.stopped))?;
    Ok(Findings {
        holds: Some(true),
        test: TEST,
        because: Because::DemandOfParts,
        ..Findings::nothing(set.tasks.len())
    })
}
