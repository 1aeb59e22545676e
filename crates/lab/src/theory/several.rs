//! CPUs that share a queue.

use super::{Cluster, Findings, Obstacle, Theory, clusters, stays_behind, with_deadlines};
use crate::blocking;
use flyball_analysis::{Strength, Verdict, density, fair as fairness};
use flyball_model::{Arrival, TaskSet};
use flyball_sim::schedulers::until_slot;
use flyball_trace::Duration;

/// The name of the test for EDF.
const DENSITY: &str = "density bound";
/// The name of the test for PF and PD².
const FAIR: &str = "proportionate fairness";

/// Global EDF in each cluster, by the sum of the densities.
pub(super) fn density(set: &TaskSet, cluster: u8) -> Result<Findings, Obstacle> {
    blocking::none(set, &everyone(set))?;
    if set.limited().is_some() {
        return Err(Obstacle(
            "The density bound is for tasks that may run on all CPUs".into(),
        ));
    }
    for Cluster { cpus, tasks } in clusters(set, cluster) {
        for &task in &tasks {
            if set.tasks[task].arrival == Arrival::Once {
                stays_behind(Theory::GlobalDeadline, set, task, &[])?;
            }
        }
        let known: Vec<_> = with_deadlines(set, &tasks).map(|(_, task)| task).collect();
        let cpus = u32::try_from(cpus.len()).unwrap_or(u32::MAX);
        if !density::test(&known, cpus).holds() {
            return Err(Obstacle(
                "The densities are above the bound up to which global EDF is known to hold".into(),
            ));
        }
    }
    Ok(holds(
        set,
        DENSITY,
        "The densities are within the bound up to which global EDF holds".into(),
    ))
}

/// PF and PD² on all CPUs, with slots of `quantum`. That the tasks ask for more than there is has been
/// found out by whoever asks.
pub(super) fn fair(set: &TaskSet, quantum: Duration) -> Result<Findings, Obstacle> {
    blocking::none(set, &everyone(set))?;
    let mut known = Vec::with_capacity(set.tasks.len());
    for (number, task) in with_deadlines(set, &everyone(set)) {
        let waits = until_slot(&set.tasks[number], quantum);
        // It is shorter than a quantum, so it is not without end.
        known.push(task.with_jitter(waits).unwrap_or(task));
    }
    if known.len() < set.tasks.len() {
        return Err(Obstacle("Fairness is for tasks that come again".into()));
    }
    let cpus = set.platform.cpus.max(1);
    let outcome = fairness::test(&known, quantum, cpus.into());
    match (outcome.verdict, outcome.strength) {
        (Verdict::Holds, Strength::Exact) => Ok(holds(
            set,
            FAIR,
            format!(
                "In whole slots of {quantum} the tasks ask for no more than {}",
                all(cpus)
            ),
        )),
        (Verdict::Holds, Strength::Sufficient) => Ok(holds(
            set,
            FAIR,
            format!(
                "The tasks ask for no more than {} even with execution times rounded up, and the time \
                 for each job down, to whole slots of {quantum}",
                all(cpus)
            ),
        )),
        _ => Err(Obstacle(format!(
            "Rounded to whole slots of {quantum}, execution times up and the time for each job down, the \
             tasks ask for more than {}, and fairness is proved for whole slots only",
            all(cpus)
        ))),
    }
}

fn all(cpus: u8) -> String {
    match cpus {
        1 => "the CPU".to_owned(),
        _ => format!("{cpus} CPUs"),
    }
}

fn everyone(set: &TaskSet) -> Vec<usize> {
    (0..set.tasks.len()).collect()
}

fn holds(set: &TaskSet, test: &'static str, reason: String) -> Findings {
    Findings {
        holds: Some(true),
        test,
        reason,
        ..Findings::nothing(set.tasks.len())
    }
}
