//! Will it hold on several CPUs, and how near the edge is it? What the analyses say of one task
//! set.
//!
//! | question | answer |
//! |---|---|
//! | which tests accept it, and why do the others not? | [`Said`] |
//! | how long can a job take, and how much longer may it compute? | [`ForPolicy::bounds`], [`ForPolicy::slacks`] |
//! | by how much may all execution times grow together? | [`ForPolicy::scaling`] |
//! | how few CPUs would do? | [`ForPolicy::fewest`], [`Assessment::cheapest`] |
//! | what does the kernel's work cost of all that? | [`Effect`] |
//!
//! Searches ask tests with a small limit, and a test that stops has not said no: what is proven is
//! kept apart from what is not known ([`Margin`], [`Fewest`]).
//!
//! A policy holds a set if one of its tests accepts it. Most tests are sufficient only, so a policy
//! may do better than they say; and they take tasks as sporadic: phases, and where tasks are told
//! to run, do not matter (but for PD², where phases say how long jobs wait for a slot). Where the
//! tests do not know the [verdict](ForPolicy::verdict), a study is asked for it.

mod case;
mod effects;
mod partition;
mod rules;
mod verdicts;

use crate::charge::{QUANTUM, costs_of};
use crate::error::StudyError;
use crate::parallel;
use crate::reason::{ChargedWork, NoPolicy, Obstacle, Uncovered, WhyNot};
use crate::recurring::{hopeless, with_jitter};
use crate::registry::Registry;
use crate::results::Verdict;
use crate::theory::{check_steps, stays_behind, with_deadlines, without_mutexes};
use case::Case;
use flyball_analysis::charged::{Accounting, Prices};
use flyball_analysis::criterion::{Payer, Policy};
use flyball_analysis::overheads::Costs;
use flyball_analysis::sensitivity::{Breakdown, Margin};
use flyball_analysis::{
    Answer, Criterion, SporadicTask, Utilisation, Verdict as Outcome, WorkLimit, edf_demand, gedf,
};
use flyball_model::{Arrival, Overheads, TaskSet};
use flyball_trace::Duration;
use rules::Rules;
use verdicts::Judge;

pub use partition::Division;

/// The tests count in nanoseconds.
const UNIT: Duration = Duration::from_nanos(1);

/// How many steps a test may take in a search, which asks hundreds of times: about a millisecond.
const SEARCH: WorkLimit = WorkLimit::steps(500_000);

/// Of which policies it is searched how much longer jobs may compute, and said how long they can
/// take.
pub const IN_DETAIL: [Policy; 2] = [Policy::GlobalEdf, Policy::PartitionedEdf];

/// The most CPUs that are tried.
pub const MOST_CPUS: u32 = 128;

/// The kernel's work, as it is charged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Charge {
    /// How.
    pub accounting: Accounting,
    /// What it costs, in the order of [`Payer::ALL`]; `None`: it is not known, and nothing is said
    /// of policies that pay it.
    pub overheads: [Option<Overheads>; Payer::ALL.len()],
    /// The period of the tick, if there is one.
    pub tick: Option<Duration>,
}

/// What is known of a set.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// Of how many CPUs.
    pub cpus: u32,
    /// The tasks' numbers in the set: those that have deadlines and come again. All lists are in
    /// this order.
    pub tasks: Vec<usize>,
    /// What they ask for.
    pub utilisation: Utilisation,
    /// Why no policy holds it, if that is certain.
    pub infeasible: Option<NoPolicy>,
    /// Whether the kernel's work is charged.
    pub is_charged: bool,
    /// How late a job may be released, because there is a tick: taken off periods and deadlines.
    pub late: Duration,
    /// What is known of each policy.
    pub policies: Vec<ForPolicy>,
    /// Of which policies nothing is said, as it is not known what they are to be charged.
    pub uncharged: Vec<Policy>,
    /// Where tasks run under partitioned EDF, if there is a way.
    pub division: Option<Division>,
    /// The same on as few CPUs as are known to do.
    pub cheapest: Option<Division>,
    /// What the parts of the kernel's work do.
    pub effects: Vec<Effect>,
}

/// What is known of a set under one policy.
#[derive(Clone, Debug)]
pub struct ForPolicy {
    /// Which.
    pub policy: Policy,
    /// Whether it holds the set. Where its tests do not tell, and the kernel's work is free, a short
    /// [study](crate::study) is asked. Of clusters, about those of the size that the policy's
    /// setting says; and where tasks say on which CPU they run, about that.
    pub verdict: Verdict,
    /// What each of its tests says.
    pub said: Vec<Said>,
    /// Under global fixed priorities, those with which it is known to hold the set: the most urgent
    /// task first.
    pub priorities: Option<Vec<usize>>,
    /// The fewest CPUs on which it is known to hold the set.
    pub fewest: Fewest,
    /// By how much all execution times may grow together.
    pub scaling: Margin<Breakdown>,
    /// How long each task's jobs can take, where that is bounded and known.
    pub bounds: Vec<Option<Duration>>,
    /// How much longer each task's jobs may compute if no others do, where the set holds, of the
    /// policies [`IN_DETAIL`]; `None`: it was not asked.
    pub slacks: Vec<Option<Margin<Duration>>>,
}

/// On how few CPUs a policy holds a set, as far as is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fewest {
    /// The fewest on which it is known to hold it, up to [`MOST_CPUS`].
    pub proven: Option<u32>,
    /// Those fewer ones, or of all if none is proven, of which it is not known: from the first at
    /// which the search stopped, in rising order.
    pub open: Vec<u32>,
}

impl ForPolicy {
    /// Whether one of the tests accepts the set.
    pub fn holds(&self) -> bool {
        self.said.iter().any(|said| said.answer.accepts())
    }
}

/// What a test says.
#[derive(Clone, PartialEq, Debug)]
pub struct Said {
    /// Which.
    pub criterion: Criterion,
    /// What.
    pub answer: Answer,
    /// Why it does not accept.
    pub why: Option<WhyNot>,
}

/// What the set is like with some of the kernel's work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    /// Which work is charged.
    pub charged: ChargedWork,
    /// By how much all execution times may grow together under each policy, in the order of
    /// [`Assessment::policies`].
    pub scaling: Vec<Margin<Breakdown>>,
}

/// Why nothing is said of a set.
#[derive(Debug)]
pub enum Refused {
    /// It has something that the tests do not cover.
    NotCovered(Obstacle),
    /// A simulation contradicts a test: a fault in Flyball.
    Contradiction(StudyError),
}

impl From<Obstacle> for Refused {
    fn from(obstacle: Obstacle) -> Refused {
        Refused::NotCovered(obstacle)
    }
}

/// What the analyses say of `set` on so many CPUs, with the kernel's work charged; the short studies are of the
/// policies of `registry`. `limit` is for each test; searches ask many times, and have a smaller one. `watch` is told often which policy
/// is looked at.
///
/// # Errors
/// [`Refused`].
pub fn assess(
    registry: &Registry,
    set: &TaskSet,
    cpus: u32,
    charge: Option<&Charge>,
    limit: WorkLimit,
    watch: &(dyn Fn(Policy) + Sync),
) -> Result<Assessment, Refused> {
    let everyone: Vec<usize> = (0..set.tasks.len()).collect();
    check(set, &everyone)?;
    let (numbers, tasks): (Vec<usize>, Vec<SporadicTask>) = with_deadlines(set, &everyone).unzip();
    let names: Vec<&str> = numbers
        .iter()
        .map(|&task| set.tasks[task].name.as_str())
        .collect();
    // Other phases may never bring them together.
    let in_phase = set.may_coincide(&numbers);
    if let (Some(_), Some(task)) = (charge, with_jitter(set, &numbers)) {
        let name = set.tasks[task].name.clone();
        return Err(Obstacle::Does(name, Uncovered::Jitter).into());
    }
    // A message does not leave its CPU, and what a call that releases a job costs is not charged.
    let mut events = set.tasks.iter().filter(|task| task.trigger().is_some());
    if let Some(task) = events.next()
        && (charge.is_some() || cpus > 1)
    {
        return Err(Obstacle::Does(task.name.clone(), Uncovered::Event).into());
    }
    let late = set.platform.tick.unwrap_or(Duration::ZERO);
    let (asked, rules) = (
        released_late(&tasks, late, &names)?,
        Rules::of(set, &numbers),
    );
    let case = Case {
        tasks: &asked,
        cpus,
        charge: charge.map(|charge| (charge.accounting, prices(charge, tasks.len()))),
        rules: &rules,
        watch,
        is_infeasible: false,
        has_events: set.has_events(),
    };
    let after_arrival = |bounds: &mut Vec<Option<Duration>>| {
        for bound in bounds.iter_mut().flatten() {
            *bound += late;
        }
    };
    let infeasible = never(&tasks, cpus, in_phase.then_some(limit)).filter(|_| !set.has_events());
    // Then it is known already what the tests would find out.
    let limit = infeasible.as_ref().map_or(limit, |_| limit.min(SEARCH));
    let case = Case {
        is_infeasible: infeasible.is_some(),
        ..case
    };
    let known = Policy::ALL
        .into_iter()
        .filter(|&policy| case.is_known(policy) && case.criteria(policy).next().is_some());
    let mut policies: Vec<ForPolicy> =
        parallel::each(known.collect(), |policy| case.under(policy, limit));
    let judge = Judge {
        registry,
        set,
        cpus,
        tasks: &tasks,
        rules: &rules,
        infeasible: infeasible.as_ref(),
        is_charged: charge.is_some(),
        limit,
        is_plain: charge.is_none() && late.is_zero() && in_phase,
    };
    let verdicts = parallel::each(policies.iter().collect(), |it| judge.verdict(it));
    let partitioned = |it: &&mut ForPolicy| it.policy == Policy::PartitionedEdf;
    let (mut division, mut cheapest) = (None, None);
    if let Some(it) = policies.iter_mut().find(partitioned) {
        division = it.holds().then(|| case.division(limit)).flatten();
        if let Some(found) = &division {
            (it.bounds, it.slacks) = (found.bounds.clone(), found.slacks.clone());
        }
        cheapest = match it.fewest.proven {
            Some(fewest) if fewest == cpus && division.is_some() => division.clone(),
            fewest => fewest.and_then(|cpus| case.on(cpus).division(limit)),
        };
    }
    for (policy, verdict) in policies.iter_mut().zip(verdicts) {
        after_arrival(&mut policy.bounds);
        policy.verdict = verdict.map_err(Refused::Contradiction)?;
    }
    Ok(Assessment {
        cpus,
        utilisation: Utilisation::of(&tasks),
        infeasible,
        is_charged: charge.is_some(),
        late,
        division,
        cheapest,
        effects: case.effects(&policies),
        uncharged: Policy::ALL
            .into_iter()
            .filter(|&policy| !case.is_known(policy))
            .collect(),
        tasks: numbers,
        policies,
    })
}

/// Why no policy can hold `set` on its CPUs, if that is found out with little work, and the numbers
/// of the tasks that count: those of [`Assessment::tasks`].
pub fn infeasible(set: &TaskSet) -> Option<(NoPolicy, Vec<usize>)> {
    let everyone: Vec<usize> = (0..set.tasks.len()).collect();
    let (numbers, tasks): (Vec<usize>, Vec<SporadicTask>) = with_deadlines(set, &everyone).unzip();
    let in_phase = set.may_coincide(&numbers);
    let cpus = set.platform.cpus.max(1).into();
    let why = never(&tasks, cpus, in_phase.then_some(SEARCH)).filter(|_| !set.has_events())?;
    Some((why, numbers))
}

/// The same; `together`: all tasks may arrive at once, and how much work it may take to look for an
/// interval then.
fn never(tasks: &[SporadicTask], cpus: u32, together: Option<WorkLimit>) -> Option<NoPolicy> {
    overload(tasks, cpus).or_else(|| too_dense(tasks, cpus, together?))
}

/// Whether the tests are about such sets.
fn check(set: &TaskSet, everyone: &[usize]) -> Result<(), Obstacle> {
    check_steps(set)?;
    without_mutexes(set, everyone)?;
    for &task in everyone {
        if set.tasks[task].arrival == Arrival::Once {
            stays_behind(set, task, true)?;
        }
    }
    match set.limited() {
        Some(task) => Err(Obstacle::Does(task.name.clone(), Uncovered::SomeCpus)),
        None => Ok(()),
    }
}

/// The tasks, where each job may be released so much after its arrival: what is sure is so much
/// more time between releases, and so much less for a job (Brandenburg 2011, section 3.3, on event
/// latency).
fn released_late(
    tasks: &[SporadicTask],
    late: Duration,
    names: &[&str],
) -> Result<Vec<SporadicTask>, Obstacle> {
    let shorter = |(task, name): (&SporadicTask, &&str)| {
        let [period, deadline] =
            [task.period(), task.deadline()].map(|time| time.saturating_sub(late));
        task.with_times(period, deadline)
            .map_err(|_| Obstacle::LateByTick((*name).to_owned(), late))
    };
    tasks.iter().zip(names).map(shorter).collect()
}

/// Why no policy can hold the set, whatever its phases are.
fn overload(tasks: &[SporadicTask], cpus: u32) -> Option<NoPolicy> {
    if let Some((_, says)) = hopeless(tasks) {
        return Some(NoPolicy::Interval(Some(says)));
    }
    let long = |task: &SporadicTask| task.wcet() > task.deadline().min(task.period());
    if let Some(which) = tasks.iter().position(long) {
        return Some(NoPolicy::Alone(which));
    }
    let is_too_much = Utilisation::of(tasks).cmp_cpus(cpus).is_gt();
    is_too_much.then_some(NoPolicy::Overload)
}

/// Why no policy can hold the set if all tasks may arrive together.
fn too_dense(tasks: &[SporadicTask], cpus: u32, limit: WorkLimit) -> Option<NoPolicy> {
    if cpus == 1 {
        return match edf_demand::test(tasks, limit).verdict {
            Outcome::Fails(says) => Some(NoPolicy::Interval(Some(says))),
            Outcome::Holds | Outcome::Unknown(_) => None,
        };
    }
    let set = gedf::Set::of(tasks).ok()?;
    gedf::is_infeasible(&set, cpus, limit).then_some(NoPolicy::Interval(None))
}

/// The costs of so many tasks.
fn prices(charge: &Charge, tasks: usize) -> Prices {
    Payer::ALL.map(|payer| {
        let overheads = charge.overheads[payer as usize].as_ref()?;
        let costs = costs_of(overheads, charge.tick.unwrap_or(QUANTUM), payer, tasks);
        // A platform without a tick has none to pay for, though one was measured.
        Some(match charge.tick {
            Some(_) => costs,
            None => Costs {
                tick: Duration::ZERO,
                quantum: None,
                ..costs
            },
        })
    })
}

#[cfg(test)]
mod tests;
