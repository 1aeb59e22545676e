//! Will it hold on several CPUs, and how near the edge is it? What the analyses say of one task set.
//!
//! | question | answer |
//! |---|---|
//! | which tests accept it, and why do the others not? | [`Said`] |
//! | how long can a job take, and how much longer may it compute? | [`ForPolicy::bounds`], [`ForPolicy::slacks`] |
//! | by how much may all execution times grow together? | [`ForPolicy::scaling`] |
//! | how few CPUs would do? | [`ForPolicy::fewest`], [`Assessment::cheapest`] |
//! | what does the kernel's work cost of all that? | [`Effect`] |
//!
//! A policy holds a set if one of its tests accepts it. All tests are sufficient, so a policy may do better than is said here;
//! and tasks are taken as sporadic: phases, and where tasks are told to run, do not matter.

mod partition;
mod words;

use crate::blocking;
use crate::theory::{MOST_SLACKS, Obstacle, Theory, check_steps, stays_behind, with_deadlines};
use flyball_analysis::charged::{Accounting, Charged, Prices};
use flyball_analysis::criterion::{Payer, Policy};
use flyball_analysis::gedf::{self, Answer};
use flyball_analysis::overheads::Costs;
use flyball_analysis::sensitivity::{Breakdown, breakdown_on, slack_on};
use flyball_analysis::{Criterion, SporadicTask, Utilisation, WorkLimit, fair};
use flyball_model::{Arrival, Overheads, TaskSet};
use flyball_sweep::judge::{QUANTUM, costs_of};
use flyball_trace::Duration;
use rayon::prelude::*;

pub use partition::Division;

/// The tests count in nanoseconds.
const UNIT: Duration = Duration::from_nanos(1);

/// How many steps a test may take in a search, which asks hundreds of times: about a millisecond.
const SEARCH: WorkLimit = WorkLimit::steps(500_000);

/// The slots of PD².
const SLOT: Duration = Duration::from_millis(1);

/// Of which policies it is searched how much longer jobs may compute, and said how long they can take.
pub const IN_DETAIL: [Policy; 2] = [Policy::GlobalEdf, Policy::PartitionedEdf];

/// The most CPUs that are tried.
pub const MOST_CPUS: u32 = 128;

/// The kernel's work, as it is charged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Charge {
    /// How.
    pub accounting: Accounting,
    /// What it costs, in the order of [`Payer::ALL`]; `None`: it is not known, and nothing is said of policies that pay it.
    pub overheads: [Option<Overheads>; Payer::ALL.len()],
    /// The period of the tick, if there is one.
    pub tick: Option<Duration>,
}

/// What is known of a set.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// Of how many CPUs.
    pub cpus: u32,
    /// The tasks' numbers in the set: those that have deadlines and come again. All lists are in this order.
    pub tasks: Vec<usize>,
    /// What they ask for.
    pub utilisation: Utilisation,
    /// Why no policy holds it, if that is certain.
    pub infeasible: Option<String>,
    /// What is known of each policy.
    pub policies: Vec<ForPolicy>,
    /// Of which policies nothing is said, as it is not known what they are to be charged.
    pub uncharged: Vec<Policy>,
    /// Where tasks run under partitioned EDF, if there is a way.
    pub division: Option<Division>,
    /// The same on as few CPUs as were found to do.
    pub cheapest: Option<Division>,
    /// What the parts of the kernel's work do.
    pub effects: Vec<Effect>,
}

/// What is known of a set under one policy.
#[derive(Clone, Debug)]
pub struct ForPolicy {
    /// Which.
    pub policy: Policy,
    /// What each of its tests says.
    pub said: Vec<Said>,
    /// The fewest CPUs on which it is known to hold the set, up to [`MOST_CPUS`].
    pub fewest: Option<u32>,
    /// By how much all execution times may grow together.
    pub scaling: Option<Breakdown>,
    /// How long each task's jobs can take, where that is bounded and known.
    pub bounds: Vec<Option<Duration>>,
    /// How much longer each task's jobs may compute if no others do, where the set holds, of the policies [`IN_DETAIL`].
    pub slacks: Vec<Option<Duration>>,
}

impl ForPolicy {
    /// Whether one of the tests accepts the set.
    pub fn holds(&self) -> bool {
        self.said.iter().any(|said| said.answer.accepts())
    }
}

/// What a test says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Which.
    pub criterion: Criterion,
    /// What.
    pub answer: Answer,
    /// Why it does not accept, in words.
    pub why: Option<String>,
}

/// What the set is like with some of the kernel's work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    /// Which work is charged, in words: `nothing`, `all`, `all but release`.
    pub charged: String,
    /// By how much all execution times may grow together under each policy, in the order of [`Assessment::policies`].
    pub scaling: Vec<Option<Breakdown>>,
}

/// What the analyses say of `set` on so many CPUs, with the kernel's work charged. `limit` is for each test; searches ask
/// many times, and have a smaller one.
///
/// # Errors
/// [`Obstacle`] if the set has something that the tests do not cover.
pub fn assess(
    set: &TaskSet,
    cpus: u32,
    charge: Option<&Charge>,
    limit: WorkLimit,
) -> Result<Assessment, Obstacle> {
    let everyone: Vec<usize> = (0..set.tasks.len()).collect();
    check(set, &everyone)?;
    let (numbers, tasks): (Vec<usize>, Vec<SporadicTask>) = with_deadlines(set, &everyone).unzip();
    let names: Vec<&str> = numbers
        .iter()
        .map(|&task| set.tasks[task].name.as_str())
        .collect();
    let case = Case {
        tasks: &tasks,
        cpus,
        charge: charge.map(|charge| (charge.accounting, prices(charge, tasks.len()))),
    };
    let policies: Vec<ForPolicy> = Policy::ALL
        .into_iter()
        .filter(|&policy| case.is_known(policy) && case.criteria(policy).next().is_some())
        .map(|policy| case.under(policy, &names, limit))
        .collect();
    let fewest = |policy: Policy| {
        let mut all = policies.iter();
        all.find(|it| it.policy == policy).and_then(|it| it.fewest)
    };
    let cheapest = fewest(Policy::PartitionedEdf).and_then(|cpus| case.on(cpus).division(limit));
    Ok(Assessment {
        cpus,
        utilisation: Utilisation::of(&tasks),
        infeasible: infeasible(&tasks, cpus, &names),
        division: case.division(limit),
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

/// Whether the tests are about such sets.
fn check(set: &TaskSet, everyone: &[usize]) -> Result<(), Obstacle> {
    check_steps(set)?;
    blocking::none(set, everyone)?;
    for &task in everyone {
        if set.tasks[task].arrival == Arrival::Once {
            stays_behind(Theory::GlobalDeadline, set, task, &[])?;
        }
    }
    match set.limited() {
        Some(task) => Err(Obstacle(format!(
            "The tests do not cover that \"{}\" may run on some CPUs only",
            task.name
        ))),
        None => Ok(()),
    }
}

/// Why no policy can hold the set, if that is certain.
fn infeasible(tasks: &[SporadicTask], cpus: u32, names: &[&str]) -> Option<String> {
    let long = |task: &SporadicTask| task.wcet() > task.deadline().min(task.period());
    if let Some(which) = tasks.iter().position(long) {
        return Some(format!("\"{}\" cannot be in time even alone", names[which]));
    }
    let utilisation = Utilisation::of(tasks);
    let is_too_much = utilisation.cmp_cpus(cpus).is_gt();
    is_too_much.then(|| format!("The tasks ask for {utilisation} of {}", words::cpus(cpus)))
}

/// The costs of so many tasks.
fn prices(charge: &Charge, tasks: usize) -> Prices {
    Payer::ALL.map(|payer| {
        let overheads = charge.overheads[payer as usize].as_ref()?;
        let quantum = charge.tick.unwrap_or(QUANTUM);
        Some(costs_of(overheads, quantum, payer, tasks))
    })
}

/// A set on so many CPUs, with the kernel's work.
#[derive(Clone)]
struct Case<'t> {
    tasks: &'t [SporadicTask],
    cpus: u32,
    charge: Option<(Accounting, Prices)>,
}

impl<'t> Case<'t> {
    fn on(&self, cpus: u32) -> Case<'t> {
        Case {
            cpus,
            ..self.clone()
        }
    }

    fn with<'u>(&self, tasks: &'u [SporadicTask]) -> Charged<'u> {
        Charged::new(tasks, self.cpus, UNIT, self.charge)
    }

    /// The tests of a policy. A cluster of all CPUs is none.
    fn criteria(&self, policy: Policy) -> impl Iterator<Item = Criterion> + use<> {
        let cpus = self.cpus as usize;
        policy
            .criteria()
            .filter(move |criterion| !matches!(criterion, Criterion::Clustered(size) if size.cpus() >= cpus))
    }

    /// Whether it is known what a policy is to be charged.
    fn is_known(&self, policy: Policy) -> bool {
        match (&self.charge, policy.payer()) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some((_, prices)), Some(payer)) => prices[payer as usize].is_some(),
        }
    }

    /// What a test says.
    fn ask(
        &self,
        criterion: Criterion,
        charged: &mut Charged<'_>,
        tasks: &[SporadicTask],
        limit: WorkLimit,
    ) -> Answer {
        if criterion == Criterion::Fair {
            // Its slots are no part of a set.
            let holds = fair::test(tasks, SLOT, self.cpus).holds();
            return if holds {
                Answer::Accepts
            } else {
                Answer::Rejects
            };
        }
        // Only policies that are known are asked.
        charged.ask(criterion, limit).unwrap_or(Answer::Rejects)
    }

    /// Whether a policy is known to hold these tasks instead.
    fn holds(&self, policy: Policy, tasks: &[SporadicTask]) -> bool {
        let mut charged = self.with(tasks);
        if policy == Policy::GlobalEdf {
            return matches!(charged.accepted_by(&gedf::Test::ALL, SEARCH), Ok(Some(_)));
        }
        let mut tests = self.criteria(policy);
        tests.any(|criterion| self.ask(criterion, &mut charged, tasks, SEARCH).accepts())
    }

    fn under(&self, policy: Policy, names: &[&str], limit: WorkLimit) -> ForPolicy {
        let mut charged = self.with(self.tasks);
        let said: Vec<Said> = self
            .criteria(policy)
            .map(|criterion| {
                let answer = self.ask(criterion, &mut charged, self.tasks, limit);
                let why = match answer {
                    Answer::Accepts => None,
                    Answer::Stopped(stop) => Some(words::sentence(&stop.to_string())),
                    Answer::Rejects => Some(self.why(criterion, &mut charged, names, limit)),
                };
                Said {
                    criterion,
                    answer,
                    why,
                }
            })
            .collect();
        let holds = said.iter().any(|said| said.answer.accepts());
        let room = 0..self.tasks.len();
        let slack = |task| {
            slack_on(self.cpus, self.tasks, task, |tasks| {
                self.holds(policy, tasks)
            })
        };
        let slacks = if holds && IN_DETAIL.contains(&policy) && self.tasks.len() <= MOST_SLACKS {
            room.into_par_iter().map(slack).collect()
        } else {
            vec![None; self.tasks.len()]
        };
        let fewest = |cpus: &u32| self.on(*cpus).holds(policy, self.tasks);
        ForPolicy {
            policy,
            fewest: (1..=MOST_CPUS).find(fewest),
            scaling: self.scaling(policy),
            bounds: self.bounds(policy, &mut charged, limit),
            slacks,
            said,
        }
    }

    fn scaling(&self, policy: Policy) -> Option<Breakdown> {
        breakdown_on(self.cpus, self.tasks, |tasks| self.holds(policy, tasks))
    }

    /// Why a test rejects the set, in words.
    fn why(
        &self,
        criterion: Criterion,
        charged: &mut Charged<'_>,
        names: &[&str],
        limit: WorkLimit,
    ) -> String {
        match criterion {
            Criterion::Global(test) => {
                let Some(set) = charged.set(Payer::Global) else {
                    return words::NOTHING_LEFT.into();
                };
                let reason = gedf::explain(test, set, self.cpus, limit);
                reason.map_or_else(String::new, |reason| words::why(&reason, names, self.cpus))
            }
            Criterion::Partitioned(fit) => match charged.divide(fit, limit) {
                Ok(_) => String::new(),
                Err(task) => format!(
                    "No CPU has room for \"{}\" (utilisation {}) when its turn comes",
                    names[task],
                    Utilisation::of(&self.tasks[task..=task])
                ),
            },
            other => words::why_not(other).into(),
        }
    }

    /// How long jobs can take.
    fn bounds(
        &self,
        policy: Policy,
        charged: &mut Charged<'_>,
        limit: WorkLimit,
    ) -> Vec<Option<Duration>> {
        let found = match policy {
            Policy::GlobalEdf => {
                let cpus = self.cpus;
                let set = charged.set(Payer::Global);
                let bounds = set.and_then(|set| gedf::response_times(set, cpus, limit));
                bounds.map(|bounds| {
                    let bound = |units| Some(UNIT * units);
                    bounds.into_iter().map(bound).collect()
                })
            }
            Policy::PartitionedEdf => self.division(limit).map(|division| division.bounds),
            _ => None,
        };
        found.unwrap_or_else(|| vec![None; self.tasks.len()])
    }

    /// How much all may grow without overheads, with all, and without each.
    fn effects(&self, policies: &[ForPolicy]) -> Vec<Effect> {
        let Some((accounting, prices)) = self.charge else {
            return Vec::new();
        };
        let with = |charge| Case {
            charge,
            ..self.clone()
        };
        let effect = |charged: String, case: Case<'_>| Effect {
            charged,
            scaling: policies.iter().map(|it| case.scaling(it.policy)).collect(),
        };
        let mut effects = vec![
            effect("nothing".into(), with(None)),
            effect("all".into(), self.clone()),
        ];
        for (name, part) in PARTS {
            let mut fewer = prices;
            let mut is_charged = false;
            for costs in fewer.iter_mut().flatten() {
                let part = part(costs);
                is_charged |= !part.is_zero();
                *part = Duration::ZERO;
            }
            if is_charged {
                let case = with(Some((accounting, fewer)));
                effects.push(effect(format!("all but {name}"), case));
            }
        }
        effects
    }
}

/// A part of the kernel's work, by its place among the costs.
type Part = fn(&mut Costs) -> &mut Duration;

/// The parts of the kernel's work.
const PARTS: [(&str, Part); 6] = [
    ("tick", |costs| &mut costs.tick),
    ("release", |costs| &mut costs.release),
    ("scheduling", |costs| &mut costs.scheduling),
    ("context switch", |costs| &mut costs.context_switch),
    ("IPI", |costs| &mut costs.ipi),
    ("cache", |costs| &mut costs.cache),
];

#[cfg(test)]
mod tests;
