//! CPUs that share a queue.

use super::blocking;
use super::clusters::{Cluster, clusters, with_deadlines};
use super::cover::stays_behind;
use super::proof::{Findings, LIMIT, Obstacle};
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
        return Err(Obstacle(
            "The tests of global EDF are for tasks that may run on all CPUs".into(),
        ));
    }
    let mut findings = holds(set, GLOBAL, String::new());
    let mut by = Vec::new();
    for Cluster { cpus, tasks } in clusters(set, cluster) {
        for &task in &tasks {
            if set.tasks[task].arrival == Arrival::Once {
                stays_behind(set, task, true)?;
            }
        }
        let (numbers, known): (Vec<_>, Vec<_>) = with_deadlines(set, &tasks).unzip();
        let cpus = u32::from(cpus.end - cpus.start);
        let known = gedf::Set::of(&known).map_err(|error| {
            Obstacle(format!(
                "The tests of global EDF do not take the tasks: {error}"
            ))
        })?;
        let test = match gedf::accepted_by(&gedf::Test::ALL, &known, cpus, LIMIT) {
            Ok(Some(test)) => test,
            Ok(None) => {
                return Err(Obstacle(
                    "None of the tests of global EDF accepts the tasks".into(),
                ));
            }
            Err(stop) => {
                return Err(Obstacle(format!(
                    "No test of global EDF accepts the tasks, and one of them {stop}"
                )));
            }
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
    findings.reason = match &by[..] {
        [] => "There is no task that has a deadline".into(),
        by => format!(
            "Accepted by {}, so no deadline is ever missed",
            by.join(", ")
        ),
    };
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
