//! Semi-partitioned EDF: simulating tasks that are split, and placing them.

use crate::assigned::Assigned;
use crate::error::StudyError;
use crate::note::{AboutPolicy, SplitNote};
use crate::theory::{Splitter, plan};
use flyball_analysis::{Fit, NoRoom, Share};
use flyball_model::TaskSet;
use flyball_schedulers::{Recorder, Watch};
use flyball_sim::{Modes, Options, Outcome, SimError, Subtask, simulate_split};
use flyball_trace::CpuId;
use std::borrow::Cow;

/// Simulates a task set whose tasks `splitter` splits.
///
/// # Errors
/// [`SimError`]; [`SimError::Change`] for a set that changes while it runs.
pub fn simulate(
    splitter: Splitter,
    modes: &Modes,
    options: &Options,
    recorder: &mut Recorder,
    watch: &mut Watch<'_>,
) -> Result<Outcome, SimError> {
    let set = modes.unchanging().ok_or_else(|| SimError::Change {
        task: "all".to_owned(),
    })?;
    let subtasks = subtasks(set, splitter).map_err(|none| SimError::NoCpu {
        task: set.tasks[none.task].name.clone(),
    })?;
    simulate_split(set, &subtasks, options, recorder, watch)
}

/// The subtasks of each task, as theory splits it.
///
/// # Errors
/// [`NoRoom`] for the number of the first task that is not known to have a place.
pub fn subtasks(set: &TaskSet, splitter: Splitter) -> Result<Vec<Vec<Subtask>>, NoRoom> {
    let subtask = |share: &Share| Subtask {
        cpu: cpu(share),
        wcet: share.wcet,
        from: share.from,
        until: share.until,
    };
    let shares = plan(set, splitter)?;
    Ok(shares
        .iter()
        .map(|shares| shares.iter().map(subtask).collect())
        .collect())
}

fn cpu(share: &Share) -> CpuId {
    // There are 128 CPUs at most.
    CpuId(u8::try_from(share.cpu).unwrap_or(u8::MAX))
}

/// That a task of `set` has no place, for a user.
pub fn no_room(set: &TaskSet, none: NoRoom) -> StudyError {
    StudyError::NoRoom {
        tasks: vec![set.tasks[none.task].name.clone()],
        fit: Fit::First,
        cluster: 1,
        stopped: none.stopped,
    }
}

/// Assigns each task of `set` to the CPU of its first share; says how.
///
/// # Errors
/// [`StudyError::NoRoom`].
pub fn assigned(set: &TaskSet, splitter: Splitter) -> Result<Assigned<'_>, StudyError> {
    let shares = plan(set, splitter).map_err(|none| no_room(set, none))?;
    let mut set = set.clone();
    let mut split = Vec::new();
    for (task, shares) in set.tasks.iter_mut().zip(&shares) {
        task.cpu = shares.first().map(|share| cpu(share).0);
        if shares.len() > 1 {
            let subtask = |share: &Share| {
                let window = share.until.saturating_sub(share.from);
                (share.wcet, window, share.cpu)
            };
            split.push(SplitNote {
                task: task.name.clone(),
                subtasks: shares.iter().map(subtask).collect(),
            });
        }
    }
    Ok(Assigned {
        set: Cow::Owned(set),
        note: Some(AboutPolicy::Split(split)),
        never: false,
    })
}
