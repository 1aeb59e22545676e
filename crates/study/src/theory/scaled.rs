//! EDF on a CPU that is scaled. Without operating points it is EDF.
//!
//! * Statically: the CPU is always at one point, so the test is that of EDF with the execution times there. It
//!   goes there before the first job, whichever that is, so each job is charged this change.
//! * Conserving cycles: no deadline is missed where the parts of all tasks come to at most a CPU, with what each job is
//!   charged; see [`flyball_policy::scaled`]. Of more nothing is known.
//!
//! The policy itself charges jobs, so that it chooses a point that is fast enough.

use super::blocking;
use super::edf::EarliestDeadline;
use super::one_cpu::{Analysed, OneCpu};
use super::proof::Effort;
use crate::reason::{Because, Obstacle, Uncovered};
use crate::recurring::{recurring, with_jitter};
use crate::slowest::own_clocks;
use flyball_analysis::{
    Answer, InvalidTask, Outcome, Reason, SporadicTask, Strength, Utilisation, Verdict, WorkLimit,
    edf_demand, edf_response,
};
use flyball_catalogue::settings::Defaults;
use flyball_catalogue::{Configured, Facts, ScaledEdf, Scheduler, Size};
use flyball_model::behaviour::count;
use flyball_model::{Speeds, Step, TaskSet};
use flyball_policy::{Boxed, Policy, Speed, TaskId, Time};
use flyball_schedulers::Values;
use flyball_trace::Duration;
use std::cmp::Ordering;

/// EDF on a CPU that is scaled by the sum of its tasks' parts.
pub(super) struct Scaled<const CONSERVES: bool>;

/// A platform of several points.
fn points(set: &TaskSet) -> Option<&Speeds> {
    set.platform
        .speeds
        .as_ref()
        .filter(|speeds| speeds.count() > 1)
}

/// The longest change from one point to another; for ever if it is longer than policies are told.
fn longest(speeds: &Speeds) -> Duration {
    let all = speeds.transitions().iter().flatten().copied();
    let longest = all.max().unwrap_or_default();
    match u32::try_from(longest.as_nanos()) {
        Ok(_) => longest,
        Err(_) => Duration::MAX,
    }
}

impl<const CONSERVES: bool> Scaled<CONSERVES> {
    /// Whether the parts of the tasks come to at most a CPU, with what each job is charged.
    fn test(set: &TaskSet, tasks: &[SporadicTask]) -> Outcome {
        let charge = points(set).map_or(Duration::ZERO, |speeds| {
            ScaledEdf::<CONSERVES>::charge(longest(speeds), speeds.count())
        });
        let part = |task: &SporadicTask| {
            let window = task.period().min(task.deadline());
            SporadicTask::new(task.wcet() + charge, window, window)
        };
        let outcome = |verdict| Outcome {
            verdict,
            strength: Strength::Sufficient,
        };
        let parts: Result<Vec<SporadicTask>, InvalidTask> = tasks.iter().map(part).collect();
        let Ok(parts) = parts else {
            return outcome(Verdict::Unknown(Reason::AboveBound {
                bound: BOUND,
                utilisation: Utilisation::of(tasks),
            }));
        };
        let utilisation = Utilisation::of(&parts);
        outcome(match utilisation.cmp_one() {
            Ordering::Greater => Verdict::Unknown(Reason::AboveBound {
                bound: BOUND,
                utilisation,
            }),
            _ => Verdict::Holds,
        })
    }

    /// The point at which the CPU of these tasks begins.
    fn point(set: &TaskSet, jobs: &[usize], speeds: &Speeds) -> Speed {
        let facts: Vec<Facts> = jobs
            .iter()
            .map(|&job| Facts::of(set, &set.tasks[job]))
            .collect();
        let values = Values::default().with_speeds(Some(speeds));
        // A task set has 1 to 8 points, whose frequencies rise.
        let Ok(scheduler) = ScaledEdf::<CONSERVES>::new(&values, &facts) else {
            return speeds.fastest();
        };
        let mut policy = scheduler.policy::<Boxed, Boxed>(Size::new(jobs.len(), 1));
        for (number, task) in (0..).map(TaskId).zip(&facts) {
            let Ok(params) = scheduler.params(task, &Defaults(&[])) else {
                return speeds.fastest();
            };
            if policy.admit(number, params, Time::ZERO).is_err() {
                // The set is not simulated at all.
                return speeds.fastest();
            }
        }
        policy.speed()
    }

    /// Statically, at the point where the CPU stays.
    fn at_its_point(
        set: &TaskSet,
        jobs: &[usize],
        speeds: &Speeds,
        effort: Effort,
    ) -> Result<Analysed, Obstacle> {
        let point = Self::point(set, jobs, speeds);
        let change = speeds.transition(speeds.fastest(), point);
        let slowed = set.slowed(speeds, |_| point);
        let task = |&job: &usize| {
            let task = &slowed.tasks[job];
            let charged = |task: SporadicTask| task.with_wcet(task.wcet() + change);
            let known = recurring(task)?.and_then(charged);
            Some(known.map_err(|error| Obstacle::Invalid(task.name.clone(), error)))
        };
        let tasks: Vec<SporadicTask> = jobs.iter().filter_map(task).collect::<Result<_, _>>()?;
        let responses = edf_response::response_times(&tasks, effort.verdict);
        let test = |tasks: &[SporadicTask], limit| {
            let outcome = edf_demand::test(tasks, limit);
            match outcome.verdict {
                // It may hold without some of the charges.
                Verdict::Fails(reason) if !change.is_zero() => Outcome {
                    verdict: Verdict::Unknown(reason),
                    strength: Strength::Sufficient,
                },
                _ => outcome,
            }
        };
        Ok(Analysed::by(test, &tasks, responses, effort))
    }
}

/// The name of the bound, for a reader.
const BOUND: &str = "whole CPU (changes of the operating point charged)";

impl<const CONSERVES: bool> OneCpu for Scaled<CONSERVES> {
    fn name(&self) -> &'static str {
        if CONSERVES {
            "sum of the parts"
        } else {
            "processor demand analysis"
        }
    }

    fn because(&self) -> Because {
        if CONSERVES {
            Because::Own(
                "Tasks need at most the whole CPU, even with what is charged for changes of the operating point",
            )
        } else {
            Because::Demand
        }
    }

    fn of(&self, set: &TaskSet) -> Option<&dyn OneCpu> {
        match points(set) {
            Some(_) => None,
            None => Some(&EarliestDeadline::PREEMPTIVE),
        }
    }

    fn accepts(&self, set: &TaskSet, _: &[usize], tasks: &[SporadicTask], _: WorkLimit) -> Answer {
        match points(set).map_or(Ok(()), own_clocks) {
            Ok(()) => Answer::from(&Self::test(set, tasks)),
            Err(_) => Answer::Rejects,
        }
    }

    fn analyse(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: Vec<SporadicTask>,
        effort: Effort,
    ) -> Result<Analysed, Obstacle> {
        blocking::none(set, jobs)?;
        points(set).map_or(Ok(()), own_clocks)?;
        // A task that computes for longer may have the CPU go to another point.
        let effort = Effort {
            slacks: 0,
            ..effort
        };
        if let Some(speeds) = points(set).filter(|_| !CONSERVES) {
            return Self::at_its_point(set, jobs, speeds, effort);
        }
        if let Some(task) = with_jitter(set, jobs) {
            let name = set.tasks[task].name.clone();
            return Err(Obstacle::Does(name, Uncovered::Jitter));
        }
        for &job in jobs {
            let task = &set.tasks[job];
            let computes = |step: &Step| matches!(step, Step::Compute(_) | Step::Stalling { .. });
            if count(&task.behaviour, &computes) > 1 {
                return Err(Obstacle::Own(format!(
                    "no test covers what task \"{}\" does: it computes in several steps, each of which ends at \
                     a whole nanosecond",
                    task.name
                )));
            }
            if task.trigger().is_some() {
                return Err(Obstacle::Does(task.name.clone(), Uncovered::Event));
            }
        }
        let test = |tasks: &[SporadicTask], _| Self::test(set, tasks);
        Ok(Analysed::by(test, &tasks, Vec::new(), effort))
    }

    /// What has neither deadline nor period comes last.
    fn is_last(&self, _: &TaskSet, _: usize, _: &[usize]) -> bool {
        true
    }
}
