//! Servers on one CPU, one for each task as the set declares none, whose budget is the task's declared execution time.
//!
//! A job of a task whose deadline is within its period has a whole budget when it arrives, and the
//! deadline of its server is its own. So as long as no job computes for more than its task declares,
//! the schedule is that of EDF. Where the deadline is beyond the period, the server's is at the end
//! of the period: the test takes that one, which is safe.
//!
//! A task that computes for more is in the way of others as its server allows: in no interval does
//! the server ask for more than its budget ÷ deadline of the CPU (Abeni and Buttazzo 1998; a
//! staircase as of a sporadic task is no bound, since a later budget may be used early). So for
//! the others the CPU is slower by that: they are tested with longer execution times instead. Under
//! IRIS a budget that comes early begins where the CPU would idle, so nothing that was asked for before
//! is left then, and the same holds from there on.
//!
//! Under GRUB a server may use the bandwidth of others, which is theirs again when they have work. That
//! is safe if all ask for no more than the CPU by budget ÷ deadline (Lipari and Baruah 2000), which is
//! tested, too. The total bandwidth server enforces nothing.

use super::blocking;
use super::cover::overruns;
use super::declared_servers::Declared;
use super::edf::EarliestDeadline;
use super::guarantee::Guarantee;
use super::one_cpu::{Analysed, OneCpu};
use super::proof::Effort;
use crate::about_tasks::has_results;
use crate::reason::{Because, Obstacle, Uncovered};
use crate::recurring::with_jitter;
use flyball_analysis::{Answer, Outcome, Response, SporadicTask, WorkLimit, edf_demand};
use flyball_model::{Task, TaskSet};
use flyball_trace::Duration;

/// Servers by deadlines, one for each task.
pub(super) struct OfTheirOwn {
    /// The name of the policy.
    pub(super) policy: &'static str,
    /// What is known of the others where a task overruns.
    pub(super) isolation: Isolation,
    /// Whether a server comes later or earlier after a job that has a result.
    pub(super) heeds_results: bool,
    /// What is known of servers that the task set declares.
    pub(super) declared: Declared,
}

/// How servers keep a task that overruns from others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Isolation {
    /// A server asks for no more than budget ÷ deadline of the CPU.
    OfEach,
    /// So do all of them together, if that is no more than the CPU.
    OfAll,
    /// They do not.
    Nothing,
}

/// Whether budgets may be more than what tasks declare, or servers use less than the CPU together.
pub(super) fn has_other_budgets(set: &TaskSet, policy: &str) -> bool {
    let settings = set.policies.get(policy);
    let has = |name| settings.is_some_and(|settings| settings.values.contains_key(name));
    ["allowance", "interrupts", "variant"].into_iter().any(has)
}

/// With deadlines within the periods: those of the servers.
pub(super) fn within_periods(tasks: &[SporadicTask]) -> Vec<SporadicTask> {
    tasks.iter().map(|task| task.within_period()).collect()
}

/// Parts of a CPU.
const ALL: u128 = 1 << 40;

/// Budget ÷ deadline of all of them, each rounded up.
fn density(servers: &[SporadicTask]) -> u128 {
    let part = |server: &SporadicTask| {
        let [budget, deadline] = [server.wcet(), server.deadline()].map(Duration::as_nanos);
        (u128::from(budget) * ALL).div_ceil(u128::from(deadline))
    };
    servers.iter().map(part).fold(0, u128::saturating_add)
}

/// The tasks on a CPU of which `servers` may take budget ÷ deadline at any time, with as much longer
/// execution times, rounded up; `None`: nothing is left of the CPU.
fn beside(servers: &[SporadicTask], tasks: &[SporadicTask]) -> Option<Vec<SporadicTask>> {
    let left = ALL.checked_sub(density(servers)).filter(|&left| left > 0)?;
    let longer = |task: &SporadicTask| {
        let wcet = (u128::from(task.wcet().as_nanos()) * ALL).div_ceil(left);
        let wcet = Duration::from_nanos(u64::try_from(wcet).ok()?);
        task.with_wcet(wcet).ok()
    };
    tasks.iter().map(longer).collect()
}

/// What is known of the tasks that compute for no more than they declare, beside `hog` and others
/// that do.
fn isolated(
    isolation: Isolation,
    set: &TaskSet,
    jobs: &[usize],
    tasks: &[SporadicTask],
    hog: &Task,
    effort: Effort,
) -> Result<Analysed, Obstacle> {
    let is_hog = |job: &usize| overruns(&set.tasks[*job]);
    let all = || jobs.iter().zip(tasks);
    let hogs: Vec<_> = all().filter(|it| is_hog(it.0)).map(|it| *it.1).collect();
    let others: Vec<_> = all().filter(|it| !is_hog(it.0)).map(|it| *it.1).collect();
    let is_isolated = match isolation {
        Isolation::OfEach => true,
        Isolation::OfAll => density(tasks) <= ALL,
        Isolation::Nothing => false,
    };
    let slower = beside(&hogs, &others).filter(|_| is_isolated);
    let outcome = slower.map(|slower| edf_demand::test(&slower, effort.verdict));
    let Some(outcome) = outcome.filter(Outcome::holds) else {
        return Err(Obstacle::Does(hog.name.clone(), Uncovered::Overruns));
    };
    let names = jobs.iter().filter(|job| is_hog(job));
    let names = names.map(|&job| set.tasks[job].name.clone());
    let response = |(job, task): (&usize, &SporadicTask)| {
        if is_hog(job) {
            Response::Unbounded
        } else {
            Response::Bounded(task.deadline())
        }
    };
    Ok(Analysed {
        outcome,
        definite: false,
        about_some: Some(Because::Isolated(names.collect())),
        responses: all().map(response).collect(),
        slacks: vec![None; jobs.len()],
        breakdown: None,
    })
}

impl OneCpu for OfTheirOwn {
    fn name(&self) -> &'static str {
        EarliestDeadline::PREEMPTIVE.name()
    }

    fn because(&self) -> Because {
        Because::Demand
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
        Answer::from(&edf_demand::test(&within_periods(tasks), limit))
    }

    fn is_exact(&self, set: &TaskSet, jobs: &[usize]) -> bool {
        jobs.iter().all(|&job| {
            let task = &set.tasks[job];
            let does_more = overruns(task) || self.heeds_results && has_results(task);
            task.deadline <= task.arrival.period() && !does_more
        })
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
        if let Some(task) = with_jitter(set, jobs) {
            let name = set.tasks[task].name.clone();
            return Err(Obstacle::Does(name, Uncovered::Jitter));
        }
        blocking::none(set, jobs)?;
        if self.heeds_results
            && let Some(&task) = jobs.iter().find(|&&job| has_results(&set.tasks[job]))
        {
            let name = set.tasks[task].name.clone();
            return Err(Obstacle::Does(name, Uncovered::Results));
        }
        let tasks = within_periods(&tasks);
        if let Some(&hog) = jobs.iter().find(|&&job| overruns(&set.tasks[job])) {
            if has_other_budgets(set, self.policy) {
                let name = set.tasks[hog].name.clone();
                return Err(Obstacle::Does(name, Uncovered::Overruns));
            }
            return isolated(self.isolation, set, jobs, &tasks, &set.tasks[hog], effort);
        }
        let mut analysed = EarliestDeadline::PREEMPTIVE.analyse(set, jobs, tasks, effort)?;
        if !analysed.outcome.holds() {
            // Where a job is late, the next one begins with what is left of the budget before.
            analysed.responses.clear();
        }
        if !self.is_exact(set, jobs) {
            // Deadlines beyond periods were cut, so slacks would be lower bounds.
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
