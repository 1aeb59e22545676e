//! What theory can prove about a task set under a policy.
//!
//! The exact tests of [`flyball_analysis`] are about jobs that compute and do nothing else, on a
//! kernel whose work is free. What a task set has beyond that is an [`Obstacle`], and then only the
//! simulation can tell. One thing beyond it has a theory of its own: mutexes with priority
//! inheritance under fixed priorities lengthen response times by a bounded blocking time.
//!
//! With several CPUs each is a system of its own, and all of them have to hold.

mod overload;
mod several;

pub(crate) use overload::{Cluster, clusters, with_deadlines};
use overload::{overload, too_much};

use crate::semi::{Splitter, splitter};
use crate::{blocking, fixed_priority};
use flyball_analysis::{
    Answer, Level, Outcome, Reason, Response, SporadicTask, Verdict, WorkLimit, edf_demand,
    edf_response, sensitivity,
};
use flyball_catalogue::{Dm, Edf, Entry, Fp, Pd2, Pf, Placement, Rm, Rule, Scheduler};
use flyball_model::{Arrival, Step, Task, TaskSet};
use flyball_report::study::Breakdown;
use flyball_trace::Duration;
use std::fmt;

/// What is known about a policy.
#[derive(Clone, Copy, Default)]
pub enum Theory {
    /// Nothing: only simulation can tell.
    #[default]
    None,
    /// All CPUs serve one queue: they cannot be asked for more than there is of them, and whether less
    /// is enough only simulation can tell.
    Global,
    /// The same, and the earliest absolute deadlines are served first.
    GlobalDeadline,
    /// All CPUs serve one queue, and each task gets its share of every stretch of time, in slots of the
    /// policy's quantum: it holds whatever asks for no more than all CPUs, in whole slots.
    Fair,
    /// The same on each CPU, and tasks that no CPU has room for are split.
    Split(Splitter),
    /// It serves the earliest absolute deadline first.
    EarliestDeadline,
    /// Every task has a fixed rank: the smaller, the more urgent. Equal ranks are served first in,
    /// first out.
    FixedPriority(fn(&Task) -> u64),
}

impl Theory {
    /// What is known about a policy of the catalogue. A test lists those of which nothing is.
    pub fn of(entry: &Entry) -> Theory {
        let period = |task: &Task| task.arrival.period().map_or(u64::MAX, Duration::as_nanos);
        let deadline = |task: &Task| task.deadline.map_or(u64::MAX, Duration::as_nanos);
        let priority = |task: &Task| u64::MAX - u64::from(task.priority.unwrap_or(0));
        match (entry.placement, entry.scheduler) {
            (Placement::SemiPartitioned(split), _) => Theory::Split(splitter(split)),
            (Placement::Assigned | Placement::Partitioned, scheduler) => match scheduler {
                <Fp as Rule>::NAME => Theory::FixedPriority(priority),
                <Rm as Rule>::NAME => Theory::FixedPriority(period),
                <Dm as Rule>::NAME => Theory::FixedPriority(deadline),
                <Edf as Rule>::NAME => Theory::EarliestDeadline,
                _ => Theory::None,
            },
            (Placement::Clustered | Placement::Global, scheduler) => match scheduler {
                <Edf as Rule>::NAME => Theory::GlobalDeadline,
                <Pd2 as Scheduler>::NAME | <Pf as Scheduler>::NAME => Theory::Fair,
                _ => Theory::Global,
            },
        }
    }
}

/// Why theory has nothing to say, in a sentence without a full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle(pub String);

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What theory proves.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Whether all deadlines are met, whatever the jobs compute up to their WCET and however they
    /// arrive; `None`: the tests cannot tell.
    pub holds: Option<bool>,
    /// Whether a "no" is about this very set, and not about other phases or another order of
    /// arrival among equals.
    pub definite: bool,
    /// The name of the test.
    pub test: &'static str,
    /// Why, in a sentence.
    pub reason: String,
    /// Each task's longest response time, where it is bounded and known.
    pub bounds: Vec<Option<Duration>>,
    /// By how much each task's WCET may grow alone.
    pub slacks: Vec<Option<Duration>>,
    /// By how much all may grow together. Only for one CPU.
    pub breakdown: Option<Breakdown>,
}

/// The name of the test for fixed priorities.
const RESPONSE_TIMES: &str = "response-time analysis";
/// The name of the test for EDF.
const DEMAND: &str = "processor demand analysis";
/// How much work a verdict may be: about a second.
pub(crate) const LIMIT: WorkLimit = WorkLimit::steps(200_000_000);
/// How much work one of the many probes of a search may be.
pub(crate) const PROBE: WorkLimit = WorkLimit::steps(5_000_000);
/// The name of the test that no policy passes.
const UTILISATION: &str = "utilisation";
/// Up to how many tasks slacks are searched for, each by a search of its own.
pub(crate) const MOST_SLACKS: usize = 300;

/// Applies `theory` to `set`, with one kernel for each CPU, or one for all of them where the theory is
/// about that; and what holds for every policy: nobody can serve tasks with deadlines that ask for more
/// than the whole CPU.
///
/// # Errors
/// [`Obstacle`] if the set has something that the theory does not cover.
pub fn analyse(theory: Theory, set: &TaskSet) -> Result<Findings, Obstacle> {
    let cluster = match theory {
        Theory::Global | Theory::GlobalDeadline | Theory::Fair | Theory::Split(_) => {
            set.platform.cpus
        }
        _ => 1,
    };
    analyse_clusters(theory, set, cluster, None)
}

/// The same with `cluster` CPUs to a kernel, and slots of `quantum` where the theory knows such.
///
/// # Errors
/// As [`analyse`].
pub fn analyse_clusters(
    theory: Theory,
    set: &TaskSet,
    cluster: u8,
    quantum: Option<Duration>,
) -> Result<Findings, Obstacle> {
    let findings = apply(theory, set, cluster, quantum);
    let overload = clusters(set, cluster).find_map(|cluster| overload(set, &cluster));
    let Some(reason) = overload else {
        return findings;
    };
    let mut findings = findings.unwrap_or_else(|_| Findings::nothing(set.tasks.len()));
    if !(findings.holds == Some(false) && findings.definite) {
        findings.test = UTILISATION;
    }
    findings.holds = Some(false);
    // The backlog grows for ever, whatever the phases are.
    findings.definite = true;
    findings.reason = reason;
    Ok(findings)
}

impl Findings {
    /// Nothing is known about any of so many tasks.
    pub(crate) fn nothing(tasks: usize) -> Findings {
        Findings {
            bounds: vec![None; tasks],
            slacks: vec![None; tasks],
            ..Findings::default()
        }
    }
}

fn apply(
    theory: Theory,
    set: &TaskSet,
    cluster: u8,
    quantum: Option<Duration>,
) -> Result<Findings, Obstacle> {
    if matches!(theory, Theory::None | Theory::Global) {
        return Err(Obstacle("There is no exact test for this policy".into()));
    }
    check_set(set)?;
    if matches!(theory, Theory::GlobalDeadline) {
        return several::global(set, cluster);
    }
    if matches!(theory, Theory::Fair) {
        return several::fair(set, quantum.unwrap_or(Duration::from_millis(1)));
    }
    if let Theory::Split(splitter) = theory {
        return crate::semi::analyse(set, splitter);
    }
    let mut findings = Findings {
        holds: Some(true),
        definite: true,
        ..Findings::nothing(set.tasks.len())
    };
    for cpu in clusters(set, 1) {
        analyse_cpu(theory, set, &cpu.tasks, &mut findings)?;
        if set.platform.cpus > 1 {
            findings.breakdown = None;
        }
    }
    // A set that fails may not fail at these phases: other offsets may never meet the worst case.
    let in_phase = set
        .tasks
        .iter()
        .all(|task| matches!(task.arrival, Arrival::Sporadic { .. }) || task.phase.is_zero());
    findings.definite &= in_phase;
    Ok(findings)
}

/// What no test here covers.
fn check_set(set: &TaskSet) -> Result<(), Obstacle> {
    if !set.platform.overheads.are_free() {
        return Err(Obstacle(
            "The tests do not count the overheads of the platform".into(),
        ));
    }
    if set.platform.tick.is_some() {
        return Err(Obstacle("The tests do not cover a periodic tick".into()));
    }
    check_steps(set)
}

/// What no test covers of what jobs do.
pub(crate) fn check_steps(set: &TaskSet) -> Result<(), Obstacle> {
    let is_covered = |step: &Step| matches!(step, Step::Lock(_) | Step::Unlock(_));
    match beyond_computing(set, is_covered) {
        Some(what) => Err(Obstacle(format!("The tests do not cover that {what}"))),
        None => Ok(()),
    }
}

/// The first thing that some job does beyond computing, in words that begin with its task, if it is
/// none that `is_fine`. O(steps).
pub(crate) fn beyond_computing(set: &TaskSet, is_fine: impl Fn(&Step) -> bool) -> Option<String> {
    for task in &set.tasks {
        let mut steps: Vec<&Step> = task.behaviour.iter().collect();
        while let Some(step) = steps.pop() {
            let what = match step {
                Step::Repeat { body, .. } => {
                    steps.extend(body);
                    continue;
                }
                Step::Compute(_) => continue,
                step if is_fine(step) => continue,
                Step::Lock(_) | Step::Unlock(_) => "uses a mutex",
                Step::Suspend(_) => "suspends itself",
                Step::Wait(_) | Step::Signal(_) => "uses a semaphore",
                Step::Send(_) | Step::Receive(_) => "uses a queue",
                Step::Yield => "yields",
            };
            return Some(format!("\"{}\" {what}", task.name));
        }
    }
    None
}

/// Analyses the tasks of one CPU, whose numbers are `here`.
fn analyse_cpu(
    theory: Theory,
    set: &TaskSet,
    here: &[usize],
    findings: &mut Findings,
) -> Result<(), Obstacle> {
    let background = |&task: &usize| set.tasks[task].arrival == Arrival::Once;
    let (once, jobs): (Vec<usize>, Vec<usize>) = here.iter().partition(|task| background(task));
    for &task in &once {
        stays_behind(theory, set, task, &jobs)?;
    }
    let mut tasks = Vec::with_capacity(jobs.len());
    for &task in &jobs {
        let Task {
            name,
            arrival,
            deadline,
            wcet,
            ..
        } = &set.tasks[task];
        let period = arrival.period().unwrap_or(Duration::MAX);
        let deadline = deadline.unwrap_or(period);
        tasks.push(
            SporadicTask::new(*wcet, period, deadline)
                .map_err(|error| Obstacle(format!("The tests do not take \"{name}\": {error}")))?,
        );
    }
    let names: Vec<&str> = jobs
        .iter()
        .map(|&task| set.tasks[task].name.as_str())
        .collect();
    let (outcome, responses, slacks, breakdown) = match theory {
        Theory::None
        | Theory::Global
        | Theory::GlobalDeadline
        | Theory::Fair
        | Theory::Split(_) => return Ok(()),
        Theory::EarliestDeadline => {
            blocking::none(set, here)?;
            findings.test = DEMAND;
            let outcome = edf_demand::test(&tasks, LIMIT);
            // Of the tasks as they are it is known already, with a larger limit.
            let holds = |longer: &[SporadicTask]| {
                if longer == tasks {
                    Answer::from(&outcome)
                } else {
                    Answer::from(&edf_demand::test(longer, PROBE))
                }
            };
            let slacks: Vec<_> = if tasks.len() <= MOST_SLACKS && outcome.holds() {
                (0..tasks.len())
                    .map(|task| sensitivity::slack(&tasks, task, holds).proven().copied())
                    .collect()
            } else {
                vec![None; tasks.len()]
            };
            let breakdown = sensitivity::breakdown(&tasks, holds);
            (
                outcome,
                edf_response::response_times(&tasks, LIMIT),
                slacks,
                Some(breakdown),
            )
        }
        Theory::FixedPriority(rank) => {
            findings.test = RESPONSE_TIMES;
            let levels = levels(set, &jobs, rank);
            blocking::add(set, &jobs, &levels, &mut tasks)?;
            let found = fixed_priority::analyse(&tasks, &levels)
                .map_err(|error| Obstacle(error.to_string()))?;
            // Who comes first among equals is open only where some arrive as they like.
            let sporadic =
                |&task: &usize| matches!(set.tasks[task].arrival, Arrival::Sporadic { .. });
            findings.definite &= !fixed_priority::has_ties(&levels)
                || jobs.iter().all(sporadic) && is_clearly_late(&found.0);
            found
        }
    };
    for (&task, (response, slack)) in jobs.iter().zip(responses.into_iter().zip(slacks)) {
        findings.bounds[task] = response.bound();
        findings.slacks[task] = slack;
    }
    findings.breakdown = breakdown.and_then(|breakdown| {
        let proven = breakdown.proven()?;
        Some(Breakdown {
            factor_ppm: proven.factor.ppm(),
            utilisation_ppm: proven.utilisation.parts_per_million(),
            at_least: breakdown.stopped().is_some(),
        })
    });
    join(findings, &outcome, &names);
    Ok(())
}

/// Whether a task is late by more than the nanosecond that equals have to come before it to be
/// served before it: at the same instant the kernel takes tasks in their order.
fn is_clearly_late(outcome: &Outcome) -> bool {
    match &outcome.verdict {
        Verdict::Fails(Reason::Late {
            response, deadline, ..
        }) => response.is_within(*deadline + Duration::from_nanos(1)) == Some(false),
        _ => true,
    }
}

/// Adds the outcome for one CPU to what was found for the others.
fn join(findings: &mut Findings, outcome: &Outcome, names: &[&str]) {
    let (holds, reason) = match &outcome.verdict {
        Verdict::Holds => (Some(true), None),
        Verdict::Fails(reason) => (Some(false), Some(reason)),
        Verdict::Unknown(reason) => (None, Some(reason)),
    };
    let worse = match (findings.holds, holds) {
        (_, Some(false)) => findings.holds != Some(false),
        (Some(true), None) => true,
        _ => false,
    };
    if worse {
        findings.holds = holds;
        findings.reason = reason.map_or(String::new(), |reason| explain(reason, names));
    } else if findings.holds == Some(true) {
        findings.reason = match findings.test {
            DEMAND => "In no interval do jobs ask for more than its length".into(),
            _ => "Every task's longest response time is within its deadline".into(),
        };
    }
}

/// A test's reason in a sentence, with the names of the tasks.
fn explain(reason: &Reason, names: &[&str]) -> String {
    let name = |task: usize| names.get(task).copied().unwrap_or("?");
    match reason {
        Reason::Late {
            task,
            response,
            deadline,
            blocking,
        } => {
            let name = name(*task);
            match response {
                Response::Unbounded => {
                    format!("The response time of \"{name}\" grows without bound")
                }
                response => {
                    let blocked = if blocking.is_zero() {
                        String::new()
                    } else {
                        format!(" (of which {blocking} blocking)")
                    };
                    format!(
                        "\"{name}\" can take {response}{blocked}, beyond its deadline of {deadline}"
                    )
                }
            }
        }
        Reason::Demand {
            interval, demand, ..
        } => {
            format!("Jobs can ask for {demand} in an interval of {interval}")
        }
        Reason::Overload { utilisation } => too_much(utilisation),
        other => {
            let mut text = other.to_string();
            if let Some(first) = text.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            text
        }
    }
}

/// A thread without a period must run behind all tasks, or else theory does not know how often it
/// is in their way.
pub(crate) fn stays_behind(
    theory: Theory,
    set: &TaskSet,
    thread: usize,
    jobs: &[usize],
) -> Result<(), Obstacle> {
    let Task {
        name,
        deadline,
        behaviour,
        ..
    } = &set.tasks[thread];
    let is_last = match theory {
        Theory::EarliestDeadline | Theory::GlobalDeadline | Theory::Split(_) => deadline.is_none(),
        Theory::FixedPriority(rank) => jobs
            .iter()
            .all(|&task| rank(&set.tasks[task]) < rank(&set.tasks[thread])),
        Theory::None | Theory::Global | Theory::Fair => true,
    };
    if deadline.is_some() {
        return Err(Obstacle(format!(
            "The tests do not cover the single job of \"{name}\""
        )));
    }
    if !is_last {
        return Err(Obstacle(format!(
            "The tests do not cover \"{name}\", which has no period and is as urgent as tasks \
             that have one"
        )));
    }
    if behaviour
        .iter()
        .any(|step| matches!(step, Step::Lock(_) | Step::Repeat { .. }))
        && !set.mutexes.is_empty()
    {
        return Err(Obstacle(format!(
            "The tests do not cover mutexes beside \"{name}\", which has no period"
        )));
    }
    Ok(())
}

/// Levels from ranks: the larger, the more urgent, without gaps.
fn levels(set: &TaskSet, jobs: &[usize], rank: fn(&Task) -> u64) -> Vec<Level> {
    let ranks: Vec<u64> = jobs.iter().map(|&task| rank(&set.tasks[task])).collect();
    crate::partition::levels(&ranks)
}
