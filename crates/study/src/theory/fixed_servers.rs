//! Servers by fixed priorities on one CPU, one for each task, whose budget is the task's declared
//! execution time.
//!
//! A job finds a whole budget when it arrives: under polling and deferrable servers if it is that of
//! a periodic task, as their periods begin with its first arrival, and under sporadic servers always.
//! So as long as no job computes for more than its task declares, the schedule is that of deadline
//! monotonic priorities, with deadlines at the end of the period at the latest.
//!
//! A task that computes for more is to all others a periodic task whose execution time is the budget.
//! (Under deferrable servers, too: its jobs arrive where a period begins, so there is never a budget
//! left for the end of a period that the begin had no work for.) So their response times hold
//! whatever it does.

use super::blocking;
use super::cover::overruns;
use super::declared_servers::Declared;
use super::fixed_priority::FixedPriority;
use super::guarantee::Guarantee;
use super::one_cpu::{Analysed, OneCpu};
use super::proof::Effort;
use super::servers::{has_other_budgets, within_periods};
use crate::reason::{Because, Obstacle, Uncovered};
use crate::recurring::with_jitter;
use flyball_analysis::{Answer, Response, SporadicTask, WorkLimit};
use flyball_model::{Arrival, TaskSet};
use flyball_trace::Duration;

/// Servers by fixed priorities, one for each task.
pub(super) struct OfFixedPriority {
    /// The name of the policy.
    pub(super) policy: &'static str,
    /// Whether a job finds a whole budget whenever a period has gone by since the one before.
    pub(super) is_sporadic: bool,
    /// What is known of servers that the task set declares.
    pub(super) declared: Declared,
}

/// By the deadlines of servers.
const RANKS: FixedPriority = FixedPriority(|task| {
    let length = |length: Option<Duration>| length.map_or(u64::MAX, Duration::as_nanos);
    length(task.deadline).min(length(task.arrival.period()))
});

impl OfFixedPriority {
    /// A task whose jobs may arrive while its server has no budget.
    fn unserved(&self, set: &TaskSet, jobs: &[usize]) -> Option<usize> {
        let is_periodic =
            |&task: &usize| matches!(set.tasks[task].arrival, Arrival::Periodic { .. });
        let not_periodic = jobs.iter().copied().find(|task| !is_periodic(task));
        not_periodic.filter(|_| !self.is_sporadic)
    }
}

fn is_within_period(set: &TaskSet, job: usize) -> bool {
    set.tasks[job].deadline <= set.tasks[job].arrival.period()
}

impl OneCpu for OfFixedPriority {
    fn name(&self) -> &'static str {
        RANKS.name()
    }

    fn because(&self) -> Because {
        RANKS.because()
    }

    fn of(&self, set: &TaskSet) -> Option<&dyn OneCpu> {
        (!set.servers.is_empty()).then_some(&self.declared)
    }

    fn accepts(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: &[SporadicTask],
        limit: WorkLimit,
    ) -> Answer {
        if let Some(declared) = self.of(set) {
            return declared.accepts(set, jobs, tasks, limit);
        }
        if self.unserved(set, jobs).is_some() {
            return Answer::Rejects;
        }
        RANKS.accepts(set, jobs, &within_periods(tasks), limit)
    }

    fn is_exact(&self, set: &TaskSet, jobs: &[usize]) -> bool {
        let is_covered = |&job: &usize| is_within_period(set, job) && !overruns(&set.tasks[job]);
        jobs.iter().all(is_covered)
            && self.unserved(set, jobs).is_none()
            && RANKS.is_exact(set, jobs)
    }

    fn knows_overruns(&self) -> bool {
        true
    }

    fn guarantee(&self) -> Guarantee {
        self.declared.guarantee
    }

    fn analyse(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: Vec<SporadicTask>,
        effort: Effort,
    ) -> Result<Analysed, Obstacle> {
        let does = |task: usize, what| Err(Obstacle::Does(set.tasks[task].name.clone(), what));
        if let Some(task) = with_jitter(set, jobs) {
            return does(task, Uncovered::Jitter);
        }
        if let Some(task) = self.unserved(set, jobs) {
            return does(task, Uncovered::Between);
        }
        blocking::none(set, jobs)?;
        let mut analysed = RANKS.analyse(set, jobs, within_periods(&tasks), effort)?;
        let is_hog = |job: &usize| overruns(&set.tasks[*job]);
        if let Some(&hog) = jobs.iter().find(|job| is_hog(job)) {
            if has_other_budgets(set, self.policy) || !analysed.outcome.holds() {
                return does(hog, Uncovered::Overruns);
            }
            let hogs = jobs.iter().filter(|job| is_hog(job));
            let names = hogs.map(|&job| set.tasks[job].name.clone());
            analysed.about_some = Some(Because::Isolated(names.collect()));
            for (job, response) in jobs.iter().zip(&mut analysed.responses) {
                if is_hog(job) {
                    *response = Response::Unbounded;
                }
            }
        } else if !analysed.outcome.holds() {
            // Where a job is late, the next one begins with what is left of the budget before.
            analysed.responses.clear();
        }
        if !jobs
            .iter()
            .all(|&job| is_within_period(set, job) && !is_hog(&job))
        {
            // The test is not about the tasks as they are, so slacks would be lower bounds.
            analysed.definite = false;
            analysed.slacks.fill(None);
            analysed.breakdown = None;
        }
        Ok(analysed)
    }

    /// It has no server, and runs when none does.
    fn is_last(&self, _: &TaskSet, _: usize, _: &[usize]) -> bool {
        true
    }
}
