//! Response-time analysis, with a bridge between its rule for equals and the kernel's.
//!
//! The analysis serves the *jobs* of equally urgent tasks in the order of their release. In the
//! kernel *threads* are queued, so a job that waits for an earlier one of its own task is queued
//! when that is done, behind equals that were released after it. As long as no response time
//! exceeds its period no job ever waits so, and the two rules are the same. The first time that one
//! does it is late already, if its deadline is within its period. So there is a difference only
//! where a task with equals has a deadline beyond its period and may need that long. Then all
//! equals are counted as more urgent: that bounds the response time whatever order they are served
//! in, but it rejects too much, so such a test is sufficient only.
//!
//! With critical sections a "no" is certain only if the CPU is overloaded: an owner that inherits
//! runs ahead of work that the analysis counts as more urgent, and may be done earlier than the
//! analysis without blocking says.

use super::blocking;
use super::one_cpu::{Analysed, OneCpu};
use super::proof::Effort;
use crate::reason::{Because, Obstacle};
use flyball_analysis::{
    Answer, Level, LevelMismatch, Outcome, Reason, Response, SporadicTask, Stop, Strength, Verdict,
    WorkLimit, fixed_priority, sensitivity,
};
use flyball_model::{Arrival, Task, TaskSet};
use flyball_trace::Duration;
use std::collections::{HashMap, HashSet};

/// Every task has a fixed rank: the smaller, the more urgent. Equal ranks are served first in,
/// first out.
pub(super) struct FixedPriority(pub(super) fn(&Task) -> u64);

impl FixedPriority {
    pub(super) const BY_PRIORITY: FixedPriority =
        FixedPriority(|task| u64::MAX - u64::from(task.priority.unwrap_or(0)));
    pub(super) const BY_PERIOD: FixedPriority =
        FixedPriority(|task| task.arrival.period().map_or(u64::MAX, Duration::as_nanos));
    pub(super) const BY_DEADLINE: FixedPriority =
        FixedPriority(|task| task.deadline.map_or(u64::MAX, Duration::as_nanos));

    pub(super) fn levels(&self, set: &TaskSet, jobs: &[usize]) -> Vec<Level> {
        let ranks: Vec<u64> = jobs.iter().map(|&task| self.0(&set.tasks[task])).collect();
        levels(&ranks)
    }
}

impl OneCpu for FixedPriority {
    fn name(&self) -> &'static str {
        "response-time analysis"
    }

    fn because(&self) -> Because {
        Because::InTime
    }

    fn accepts(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: &[SporadicTask],
        limit: WorkLimit,
    ) -> Answer {
        // There are as many levels as tasks, so this is no error.
        fixed_priority::test(tasks, &self.levels(set, jobs), limit)
            .map_or(Answer::Rejects, |outcome| Answer::from(&outcome))
    }

    /// Which of equals comes first may be open.
    fn is_exact(&self, set: &TaskSet, jobs: &[usize]) -> bool {
        !has_ties(&self.levels(set, jobs))
    }

    fn analyse(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        mut tasks: Vec<SporadicTask>,
        effort: Effort,
    ) -> Result<Analysed, Obstacle> {
        let levels = self.levels(set, jobs);
        blocking::add(set, jobs, &levels, &mut tasks)?;
        let mut analysed = analyse(&tasks, &levels, effort).map_err(Obstacle::Levels)?;
        // Which of equals comes first is open only where some arrive as they like.
        let sporadic = |&task: &usize| matches!(set.tasks[task].arrival, Arrival::Sporadic { .. });
        analysed.definite =
            !has_ties(&levels) || jobs.iter().all(sporadic) && is_clearly_late(&analysed.outcome);
        Ok(analysed)
    }

    fn is_last(&self, set: &TaskSet, thread: usize, jobs: &[usize]) -> bool {
        let last = self.0(&set.tasks[thread]);
        jobs.iter().all(|&task| self.0(&set.tasks[task]) < last)
    }
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

/// Levels of tasks with these ranks, of which the smaller is the more urgent: the larger the level,
/// the more urgent, without gaps.
pub(crate) fn levels(ranks: &[u64]) -> Vec<Level> {
    let mut order = ranks.to_vec();
    order.sort_unstable_by(|a, b| b.cmp(a));
    order.dedup();
    let level = |rank: &u64| order.partition_point(|other| other > rank);
    // There are no more levels than tasks, and far fewer than 2³² of these.
    ranks
        .iter()
        .map(|rank| Level(u32::try_from(level(rank)).unwrap_or(u32::MAX)))
        .collect()
}

/// Up to how many tasks are looked at again where equals may be behind themselves.
const MOST_REPETITIONS: usize = 100_000;

/// Whether two tasks are equally urgent.
fn has_ties(levels: &[Level]) -> bool {
    levels.iter().collect::<HashSet<_>>().len() < levels.len()
}

/// Analyses the tasks of one CPU.
fn analyse(
    tasks: &[SporadicTask],
    levels: &[Level],
    effort: Effort,
) -> Result<Analysed, LevelMismatch> {
    let limit = effort.verdict;
    let mut outcome = fixed_priority::test(tasks, levels, limit)?;
    let known = Answer::from(&outcome);
    let mut responses = fixed_priority::response_times(tasks, levels, limit)?;
    if tasks.iter().any(|task| !task.blocking().is_zero())
        && let Verdict::Fails(reason) = &outcome.verdict
        && !is_overload(reason)
    {
        outcome.verdict = Verdict::Unknown(reason.clone());
    }
    let behind = behind_themselves(tasks, levels, &responses);
    for (number, &this) in behind.iter().enumerate() {
        // Each takes an analysis of the whole set.
        if number * tasks.len() > MOST_REPETITIONS {
            responses[this] = Response::Stopped {
                at_least: tasks[this].wcet(),
                why: Stop::WorkLimit,
            };
            continue;
        }
        // A level for each of its equals, and one below it for the task itself.
        let below = |task: usize| Level(levels[task].0 * 2 + u32::from(task != this));
        let levels: Vec<Level> = (0..tasks.len()).map(below).collect();
        responses[this] = fixed_priority::response_times(tasks, &levels, limit)?[this];
    }
    let may_wait = |task: &usize| tasks[*task].deadline() > tasks[*task].period();
    if behind.iter().any(may_wait) {
        outcome.strength = Strength::Sufficient;
        outcome.verdict = judge(tasks, &responses, |this, response| {
            // More than the whole CPU is too much in any order; and where no task has an equal, the
            // order is the same.
            response == Response::Unbounded || !behind.contains(&this)
        });
    }
    // How far execution times may grow is asked of the same test, so it must be right about that.
    let equals = equals(levels);
    if (0..tasks.len()).any(|task| may_wait(&task) && equals[&levels[task]].len() > 1) {
        let slacks = vec![None; tasks.len()];
        return Ok(Analysed {
            outcome,
            definite: true,
            about_some: None,
            responses,
            slacks,
            breakdown: None,
        });
    }
    let slacks = if tasks.len() <= effort.slacks {
        let slacks = sensitivity::fixed_priority_slacks(tasks, levels, effort.probe)?;
        slacks.iter().map(|it| it.exactly().copied()).collect()
    } else {
        vec![None; tasks.len()]
    };
    let holds = |longer: &[SporadicTask]| {
        // Of the tasks as they are it is known already, with a larger limit.
        if longer == tasks {
            return known;
        }
        // There are as many levels as tasks, so this is no error.
        fixed_priority::test(longer, levels, effort.probe)
            .map_or(Answer::Rejects, |outcome| Answer::from(&outcome))
    };
    let breakdown = (effort.slacks > 0).then(|| sensitivity::breakdown(tasks, holds));
    Ok(Analysed {
        outcome,
        definite: true,
        about_some: None,
        responses,
        slacks,
        breakdown,
    })
}

fn is_overload(reason: &Reason) -> bool {
    let grows = matches!(
        reason,
        Reason::Late {
            response: Response::Unbounded,
            ..
        }
    );
    grows || matches!(reason, Reason::Overload { .. })
}

/// The tasks of each level.
fn equals(levels: &[Level]) -> HashMap<Level, Vec<usize>> {
    let mut equals: HashMap<Level, Vec<usize>> = HashMap::new();
    for (task, &level) in levels.iter().enumerate() {
        equals.entry(level).or_default().push(task);
    }
    equals
}

/// The tasks with equals, of which one may still work on a job when its next one is released.
fn behind_themselves(
    tasks: &[SporadicTask],
    levels: &[Level],
    responses: &[Response],
) -> Vec<usize> {
    let in_period = |&task: &usize| responses[task].is_within(tasks[task].period()) == Some(true);
    let mut behind: Vec<usize> = equals(levels)
        .into_values()
        .filter(|equals| equals.len() > 1 && !equals.iter().all(in_period))
        .flatten()
        .collect();
    behind.sort_unstable();
    behind
}

/// The verdict on these response times. `certain` tells whether a task is late for sure if its
/// response time says so.
fn judge(
    tasks: &[SporadicTask],
    responses: &[Response],
    certain: impl Fn(usize, Response) -> bool,
) -> Verdict {
    let mut verdict = Verdict::Holds;
    for (number, (task, &response)) in tasks.iter().zip(responses).enumerate() {
        let within = response.is_within(task.deadline());
        if within == Some(true) {
            continue;
        }
        let (deadline, blocking) = (task.deadline(), task.blocking());
        let reason = Reason::Late {
            task: number,
            response,
            deadline,
            blocking,
        };
        if within == Some(false) && certain(number, response) && blocking.is_zero() {
            return Verdict::Fails(reason);
        }
        if verdict == Verdict::Holds {
            verdict = Verdict::Unknown(reason);
        }
    }
    verdict
}
