//! CPUs that share a queue.

use super::blocking;
use super::clusters::{Cluster, clusters, with_deadlines};
use super::cover::stays_behind;
use super::proof::{Findings, LIMIT};
use crate::reason::{Because, Obstacle};
use flyball_analysis::{Strength, Verdict, fair as fairness, gedf};
use flyball_catalogue::until_slot;
use flyball_model::{Arrival, TaskSet};
use flyball_trace::Duration;

/// The name of the tests for EDF.
const GLOBAL: &str = "global EDF's sufficient tests";
/// The name of the test for PF and PD².
const FAIR: &str = "proportionate fairness";

/// Global EDF in each cluster, by all tests of the literature.
pub(super) fn global(set: &TaskSet, cluster: u8) -> Result<Findings, Obstacle> {
    blocking::none(set, &everyone(set))?;
    if set.limited().is_some() {
        return Err(Obstacle::GlobalOnSome);
    }
    let mut findings = holds(set, GLOBAL, Because::Nothing);
    let mut by = Vec::new();
    for Cluster { cpus, tasks } in clusters(set, cluster) {
        for &task in &tasks {
            if set.tasks[task].arrival == Arrival::Once {
                stays_behind(set, task, true)?;
            }
        }
        let (numbers, known): (Vec<_>, Vec<_>) = with_deadlines(set, &tasks).unzip();
        let cpus = u32::from(cpus.end - cpus.start);
        let known = gedf::Set::of(&known).map_err(Obstacle::GlobalInvalid)?;
        let test = match gedf::accepted_by(&gedf::Test::ALL, &known, cpus, LIMIT) {
            Ok(Some(test)) => test,
            Ok(None) => return Err(Obstacle::NoneAccepts(None)),
            Err(stop) => return Err(Obstacle::NoneAccepts(Some(stop))),
        };
        if !by.contains(&test.name()) {
            by.push(test.name());
        }
        if let Some(bounds) = gedf::response_times(&known, cpus, LIMIT) {
            for (number, bound) in numbers.into_iter().zip(bounds) {
                findings.bounds[number] = Some(Duration::from_nanos(bound));
            }
        }
    }
    findings.because = Because::AcceptedBy(by);
    Ok(findings)
}

/// PF and PD² on all CPUs, with slots of `quantum`. That the tasks ask for more than there is has
/// been found out before.
pub(super) fn fair(set: &TaskSet, quantum: Duration) -> Result<Findings, Obstacle> {
    blocking::none(set, &everyone(set))?;
    let mut known = Vec::with_capacity(set.tasks.len());
    for (number, task) in with_deadlines(set, &everyone(set)) {
        let waits = until_slot(&(&set.tasks[number]).into(), quantum);
        // It is shorter than a quantum, so it is not without end.
        known.push(task.with_jitter(waits).unwrap_or(task));
    }
    if known.len() < set.tasks.len() {
        return Err(Obstacle::FairOnce);
    }
    let cpus = set.platform.cpus.max(1);
    let outcome = fairness::test(&known, quantum, cpus.into());
    if outcome.verdict != Verdict::Holds {
        return Err(Obstacle::Slots { quantum, cpus });
    }
    let because = Because::Slots {
        quantum,
        cpus,
        rounded: outcome.strength == Strength::Sufficient,
    };
    Ok(holds(set, FAIR, because))
}

fn everyone(set: &TaskSet) -> Vec<usize> {
    (0..set.tasks.len()).collect()
}

fn holds(set: &TaskSet, test: &'static str, because: Because) -> Findings {
    Findings {
        holds: Some(true),
        test,
        because,
        ..Findings::nothing(set.tasks.len())
    }
}
