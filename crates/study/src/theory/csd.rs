//! CSD on one CPU: demand for the tasks of the dynamic queue, response times for the others.
//!
//! The dynamic queue has the CPU whenever it has work, as if there were nothing else: EDF, of which processor
//! demand analysis is exact. For the static queue all jobs of the dynamic one are more urgent, in
//! whatever order they are served, so response-time analysis counts them as such.
//!
//! What is rejected is not known to be late: that is said of no set.

use super::blocking;
use super::fixed_priority::levels;
use super::one_cpu::{Analysed, OneCpu};
use super::proof::Effort;
use crate::reason::{Because, Obstacle};
use flyball_analysis::{
    Answer, Level, Outcome, Reason, Response, SporadicTask, Strength, Verdict, WorkLimit,
    edf_demand, edf_response, fixed_priority,
};
use flyball_catalogue::{Configured, Csd, Facts, Scheduler};
use flyball_model::TaskSet;
use flyball_schedulers::Values;
use flyball_trace::Duration;

/// EDF above rate monotonic priorities.
pub(super) struct Combined;

/// Which tasks are scheduled by deadline, and which by priority.
struct Split {
    /// Whether each task is in the dynamic queue.
    dynamic: Vec<bool>,
    /// The more urgent, the larger; all of the dynamic queue have one level.
    levels: Vec<Level>,
}

impl Split {
    fn of(set: &TaskSet, jobs: &[usize]) -> Split {
        let settings = set.policies.get(Csd::NAME);
        let values = Values::new("", Csd::NAME, Csd::SETTINGS, settings).unwrap_or_default();
        let facts: Vec<Facts> = set.tasks.iter().map(|task| Facts::of(set, task)).collect();
        // Settings have been checked before, and any go together.
        let longest = Csd::new(&values, &facts).map_or(Duration::ZERO, |csd| csd.longest);
        let periods = jobs.iter().map(|&job| facts[job].period_or_never());
        let rank = |period: Duration| {
            if period <= longest {
                0
            } else {
                period.as_nanos()
            }
        };
        let ranks: Vec<u64> = periods.map(rank).collect();
        Split {
            dynamic: ranks.iter().map(|&rank| rank == 0).collect(),
            levels: levels(&ranks),
        }
    }

    /// The tasks of the dynamic queue.
    fn first(&self, tasks: &[SporadicTask]) -> Vec<SporadicTask> {
        let both = self.dynamic.iter().zip(tasks);
        both.filter(|it| *it.0).map(|it| *it.1).collect()
    }

    /// How long jobs of these tasks take at most; of the dynamic queue and of the static one.
    fn responses(&self, tasks: &[SporadicTask], limit: WorkLimit) -> Vec<Response> {
        let mut first = edf_response::response_times(&self.first(tasks), limit).into_iter();
        let fixed = fixed_priority::response_times(tasks, &self.levels, limit);
        // There is a level for each task, so this is no error.
        let fixed = fixed.unwrap_or_else(|_| vec![Response::Unbounded; tasks.len()]);
        let both = self.dynamic.iter().zip(fixed);
        both.map(|(&dynamic, fixed)| {
            let response = if dynamic { first.next() } else { Some(fixed) };
            response.unwrap_or(Response::Unbounded)
        })
        .collect()
    }

    /// Up to when the response time of a task is what the analysis says: equals are served in the order of their
    /// releases only as long as none waits for an earlier job of its own.
    fn limit(&self, task: usize, tasks: &[SporadicTask]) -> Duration {
        let level = self.levels[task];
        let equals = self.levels.iter().filter(|it| **it == level);
        let deadline = tasks[task].deadline();
        if equals.count() > 1 {
            deadline.min(tasks[task].period())
        } else {
            deadline
        }
    }

    fn test(&self, tasks: &[SporadicTask], limit: WorkLimit) -> Outcome {
        let unknown = |reason| Outcome {
            verdict: Verdict::Unknown(reason),
            strength: Strength::Sufficient,
        };
        let demand = edf_demand::test(&self.first(tasks), limit).verdict;
        if let Verdict::Fails(reason) | Verdict::Unknown(reason) = demand {
            return unknown(reason);
        }
        let fixed = self.responses(tasks, limit);
        for (task, &response) in fixed.iter().enumerate() {
            let limit = self.limit(task, tasks);
            if !self.dynamic[task] && response.is_within(limit) != Some(true) {
                return unknown(Reason::Late {
                    task,
                    response,
                    deadline: tasks[task].deadline(),
                    blocking: tasks[task].blocking(),
                });
            }
        }
        Outcome {
            verdict: Verdict::Holds,
            strength: Strength::Sufficient,
        }
    }
}

impl OneCpu for Combined {
    fn name(&self) -> &'static str {
        "demand, then response times"
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
        Answer::from(&Split::of(set, jobs).test(tasks, limit))
    }

    fn analyse(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: Vec<SporadicTask>,
        effort: Effort,
    ) -> Result<Analysed, Obstacle> {
        blocking::none(set, jobs)?;
        let split = Split::of(set, jobs);
        let mut responses = split.responses(&tasks, effort.verdict);
        for (task, response) in responses.iter_mut().enumerate() {
            // Beyond that it may be longer.
            if !split.dynamic[task] && response.is_within(split.limit(task, &tasks)) != Some(true) {
                *response = Response::Unbounded;
            }
        }
        let test = |tasks: &[SporadicTask], limit| split.test(tasks, limit);
        let mut analysed = Analysed::by(test, &tasks, responses, effort);
        analysed.definite = false;
        Ok(analysed)
    }

    /// It is behind all that have a period.
    fn is_last(&self, _: &TaskSet, _: usize, _: &[usize]) -> bool {
        true
    }
}
