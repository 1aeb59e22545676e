//! Semi-partitioned EDF: tasks that no CPU has room for are split between several.

use crate::blocking;
use crate::error::LabError;
use crate::recorder::Recorder;
use crate::registry::Watch;
use crate::theory::{Findings, Obstacle, PROBE, Theory, stays_behind, with_deadlines};
use flyball_analysis::{Fit, NoRoom, Share, SporadicTask, WorkLimit, c_equals_d, edf_wm};
use flyball_catalogue::Split;
use flyball_model::{Arrival, TaskSet};
use flyball_sim::{Modes, Options, Outcome, Part, SimError, may_be_split, simulate_split};
use flyball_trace::{CpuId, Duration};
use std::borrow::Cow;

/// Splits tasks for so many CPUs; told which may be split.
pub type Splitter = fn(
    &[SporadicTask],
    usize,
    WorkLimit,
    &dyn Fn(usize) -> bool,
) -> Result<Vec<Vec<Share>>, NoRoom>;

/// The name of the test.
const TEST: &str = "processor demand of all shares";

/// How a task is split.
pub(crate) fn splitter(split: Split) -> Splitter {
    match split {
        Split::Windows => |tasks, cpus, limit, may| edf_wm::split(tasks, cpus, limit, may),
        Split::NoSlack => |tasks, cpus, limit, may| c_equals_d::split(tasks, cpus, limit, may),
    }
}

/// Simulates a task set whose tasks `splitter` splits.
///
/// # Errors
/// [`SimError`]; [`SimError::Change`] for a set that changes while it runs.
pub(crate) fn simulate(
    splitter: Splitter,
    modes: &Modes,
    options: &Options,
    recorder: &mut Recorder,
    watch: &mut Watch<'_>,
) -> Result<Outcome, SimError> {
    let set = modes.unchanging().ok_or_else(|| SimError::Change {
        task: "all".to_owned(),
    })?;
    let parts = parts(set, splitter).map_err(|none| SimError::NoCpu {
        task: set.tasks[none.task].name.clone(),
    })?;
    simulate_split(set, &parts, options, recorder, watch)
}

/// The parts of each task, as [`plan`] has them.
///
/// # Errors
/// [`NoRoom`] for the number of the first task that is not known to have a place.
pub(crate) fn parts(set: &TaskSet, splitter: Splitter) -> Result<Vec<Vec<Part>>, NoRoom> {
    let part = |share: &Share| Part {
        cpu: cpu(share),
        wcet: share.wcet,
        from: share.from,
        until: share.until,
    };
    let shares = plan(set, splitter)?;
    Ok(shares
        .iter()
        .map(|shares| shares.iter().map(part).collect())
        .collect())
}

fn cpu(share: &Share) -> CpuId {
    // There are 128 CPUs at most.
    CpuId(u8::try_from(share.cpu).unwrap_or(u8::MAX))
}

/// The shares of each task of `set`, whatever CPUs it assigns them to. Those that do not come again go
/// where the fewest are.
///
/// # Errors
/// [`NoRoom`] for the number of the first task that is not known to have a place.
fn plan(set: &TaskSet, splitter: Splitter) -> Result<Vec<Vec<Share>>, NoRoom> {
    let everyone: Vec<usize> = (0..set.tasks.len()).collect();
    let (numbers, known): (Vec<_>, Vec<_>) = with_deadlines(set, &everyone).unzip();
    let cpus = usize::from(set.platform.cpus.max(1));
    let may = |task: usize| may_be_split(&set.tasks[numbers[task]]);
    let shares = splitter(&known, cpus, PROBE, &may).map_err(|none| NoRoom {
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

/// That a task of `set` has no place, for a user.
pub(crate) fn no_room(set: &TaskSet, none: NoRoom) -> LabError {
    LabError::NoRoom {
        task: set.tasks[none.task].name.clone(),
        fit: Fit::First,
        cluster: 1,
        stopped: none.stopped,
    }
}

/// Assigns each task of `set` to the CPU of its first share; says how, in words behind a policy's name and
/// a colon.
///
/// # Errors
/// [`LabError::NoRoom`].
pub(crate) fn assigned(
    set: &TaskSet,
    splitter: Splitter,
) -> Result<(Cow<'_, TaskSet>, Option<String>), LabError> {
    let shares = plan(set, splitter).map_err(|none| no_room(set, none))?;
    let mut set = set.clone();
    let mut split = Vec::new();
    for (task, shares) in set.tasks.iter_mut().zip(&shares) {
        task.cpu = shares.first().map(|share| cpu(share).0);
        if shares.len() > 1 {
            let part = |share: &Share| {
                let window = share.until.saturating_sub(share.from);
                format!("{} within {window} on CPU {}", share.wcet, share.cpu)
            };
            let parts: Vec<_> = shares.iter().map(part).collect();
            split.push(format!("{} has {}", task.name, parts.join(", then ")));
        }
    }
    let note = if split.is_empty() {
        "no task had to be split.".to_owned()
    } else {
        format!("split tasks: {}.", split.join("; "))
    };
    Ok((Cow::Owned(set), Some(note)))
}

/// Whether all shares hold.
pub(crate) fn analyse(set: &TaskSet, splitter: Splitter) -> Result<Findings, Obstacle> {
    let everyone: Vec<usize> = (0..set.tasks.len()).collect();
    blocking::none(set, &everyone)?;
    for &task in &everyone {
        if set.tasks[task].arrival == Arrival::Once {
            stays_behind(Theory::Split(splitter), set, task, &[])?;
        }
    }
    plan(set, splitter).map_err(|none| {
        let name = &set.tasks[none.task].name;
        Obstacle(match none.stopped {
            None => format!("\"{name}\" could not be placed, whole or in parts"),
            Some(stop) => format!("No place is known for \"{name}\": a test of a CPU {stop}"),
        })
    })?;
    Ok(Findings {
        holds: Some(true),
        test: TEST,
        reason: "On no CPU do jobs and their parts ask for more than any interval has".into(),
        ..Findings::nothing(set.tasks.len())
    })
}
