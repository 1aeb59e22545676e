//! CPUs that share a queue.

use super::blocking;
use super::clusters::{Cluster, clusters, with_deadlines};
use super::cover::stays_behind;
use super::fixed_priority::FixedPriority;
use super::one_cpu::OneCpu;
use super::proof::{Effort, Findings};
use crate::reason::{Because, Obstacle, Uncovered};
use crate::recurring::with_jitter;
use flyball_analysis::{Stop, Strength, Verdict, fair as fairness, gedf, gfp};
use flyball_catalogue::{Facts, until_slot};
use flyball_model::{Arrival, TaskSet};
use flyball_trace::Duration;

/// The name of the tests for EDF.
const GLOBAL: &str = "global EDF's sufficient tests";
/// The name of the tests for fixed priorities.
const GLOBAL_FIXED: &str = "global fixed priorities' sufficient tests";
/// The name of the test for PF and PD².
pub(super) const FAIR: &str = "proportionate fairness";

/// Servers on all CPUs, by the tests for global EDF, if the set declares none.
///
/// As long as no job is late the schedule is that of global EDF: a job whose deadline is within the period comes when the
/// deadline of its server is over, or for Linux's rules the period is, so it has a whole budget, up to its own deadline, and its
/// task computes for no more than that. Where the deadline is beyond the period, the server's is at the
/// end of the period: the tests take that one. What has no server runs when none does, as what has no
/// deadline does under EDF.
pub(super) fn servers(set: &TaskSet, cluster: u8, effort: Effort) -> Result<Findings, Obstacle> {
    if !set.servers.is_empty() {
        return Err(Obstacle::NoTest);
    }
    if let Some(task) = with_jitter(set, &everyone(set)) {
        let name = set.tasks[task].name.clone();
        return Err(Obstacle::Does(name, Uncovered::Jitter));
    }
    by_deadlines(set, cluster, effort, |known| Some(known.within_periods()))
}

/// Global EDF in each cluster, by all tests of the literature.
pub(super) fn global(set: &TaskSet, cluster: u8, effort: Effort) -> Result<Findings, Obstacle> {
    by_deadlines(set, cluster, effort, |_| None)
}

/// The earliest deadlines first, which are those of the tasks, or of others that `instead` makes of them.
fn by_deadlines(
    set: &TaskSet,
    cluster: u8,
    effort: Effort,
    instead: impl Fn(&gedf::Set) -> Option<gedf::Set>,
) -> Result<Findings, Obstacle> {
    let limit = effort.verdict;
    // There may be a hundred clusters, and what is found out here is no part of the verdict.
    let for_bounds = limit.divided(clusters(set, cluster).count());
    let mut bounds = Vec::new();
    let by = each_accepted(
        set,
        cluster,
        |_, _| true,
        |numbers, known, cpus| {
            let others = instead(known);
            let known = others.as_ref().unwrap_or(known);
            let test = gedf::accepted_by(&gedf::Test::ALL, known, cpus, limit)?;
            if let Some(found) = gedf::response_times(known, cpus, for_bounds) {
                bounds.extend(numbers.iter().copied().zip(found));
            }
            Ok(test.map(gedf::Test::name))
        },
    )?;
    let mut findings = holds(set, GLOBAL, Because::AcceptedBy(by));
    for (number, bound) in bounds {
        findings.bounds[number] = Some(Duration::from_nanos(bound));
    }
    Ok(findings)
}

/// Fixed priorities in each cluster; equals are served in the order of their arrival.
pub(super) fn global_fixed(
    ranks: &FixedPriority,
    set: &TaskSet,
    cluster: u8,
    effort: Effort,
) -> Result<Findings, Obstacle> {
    let by = each_accepted(
        set,
        cluster,
        |thread, jobs| ranks.is_last(set, thread, jobs),
        |numbers, known, cpus| {
            let known = &known.within_periods();
            if !known.is_eligible(cpus) {
                return Ok(None);
            }
            let levels = ranks.levels(set, numbers);
            let mut stopped = Ok(None);
            for test in gfp::Test::ALL {
                match gfp::first_late_by_levels(test, known, cpus, &levels, effort.verdict) {
                    Ok(None) => return Ok(Some(test.name())),
                    Ok(Some(_)) => {}
                    Err(stop) => stopped = Err(stop),
                }
            }
            stopped
        },
    )?;
    Ok(holds(set, GLOBAL_FIXED, Because::AcceptedBy(by)))
}

/// The tests that accept the tasks of the clusters. `is_last` says whether a thread without a
/// period is behind all jobs.
///
/// # Errors
/// [`Obstacle::NoneAccepts`] where none accepts, and others where none covers the tasks.
fn each_accepted(
    set: &TaskSet,
    cluster: u8,
    is_last: impl Fn(usize, &[usize]) -> bool,
    mut accepted: impl FnMut(&[usize], &gedf::Set, u32) -> Result<Option<&'static str>, Stop>,
) -> Result<Vec<&'static str>, Obstacle> {
    blocking::none(set, &everyone(set))?;
    if set.limited().is_some() {
        return Err(Obstacle::GlobalOnSome);
    }
    let mut by = Vec::new();
    for Cluster { cpus, tasks } in clusters(set, cluster) {
        let is_once = |task: &usize| set.tasks[*task].arrival == Arrival::Once;
        let (once, jobs): (Vec<usize>, Vec<usize>) = tasks.iter().copied().partition(is_once);
        for thread in once {
            stays_behind(set, thread, is_last(thread, &jobs))?;
        }
        let (numbers, known): (Vec<_>, Vec<_>) = with_deadlines(set, &jobs).unzip();
        let cpus = u32::from(cpus.end - cpus.start);
        let known = gedf::Set::of(&known).map_err(Obstacle::GlobalInvalid)?;
        let test = match accepted(&numbers, &known, cpus) {
            Ok(Some(test)) => test,
            Ok(None) => return Err(Obstacle::NoneAccepts(None)),
            Err(stop) => return Err(Obstacle::NoneAccepts(Some(stop))),
        };
        if !by.contains(&test) {
            by.push(test);
        }
    }
    Ok(by)
}

/// PF and PD² on all CPUs, with slots of `quantum`. That the tasks ask for more than there is has
/// been found out before.
pub(super) fn fair(set: &TaskSet, quantum: Duration) -> Result<Findings, Obstacle> {
    blocking::none(set, &everyone(set))?;
    if let Some(task) = with_jitter(set, &everyone(set)) {
        return Err(Obstacle::Does(
            set.tasks[task].name.clone(),
            Uncovered::Jitter,
        ));
    }
    let mut known = Vec::with_capacity(set.tasks.len());
    for (number, task) in with_deadlines(set, &everyone(set)) {
        let waits = until_slot(&Facts::of(set, &set.tasks[number]), quantum);
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
