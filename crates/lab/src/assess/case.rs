//! What tests say of a set on so many CPUs, with the kernel's work charged.

use super::rules::Rules;
use super::{ForPolicy, MOST_CPUS, SEARCH, Said, UNIT, words};
use crate::theory::MOST_SLACKS;
use flyball_analysis::charged::{Accounting, Charged, Prices};
use flyball_analysis::criterion::{Payer, Policy};
use flyball_analysis::gedf::{self, Answer};
use flyball_analysis::sensitivity::{Breakdown, breakdown_on, slack_on};
use flyball_analysis::{Criterion, SporadicTask, Utilisation, WorkLimit, fair, gfp, partitioned};
use flyball_trace::Duration;
use rayon::prelude::*;

/// A set on so many CPUs, with the kernel's work.
#[derive(Clone)]
pub(super) struct Case<'t> {
    pub(super) tasks: &'t [SporadicTask],
    pub(super) cpus: u32,
    pub(super) charge: Option<(Accounting, Prices)>,
    pub(super) rules: &'t Rules,
    pub(super) watch: &'t (dyn Fn(Policy) + Sync),
}

impl<'t> Case<'t> {
    pub(super) fn on(&self, cpus: u32) -> Case<'t> {
        Case {
            cpus,
            ..self.clone()
        }
    }

    pub(super) fn with<'u>(&self, tasks: &'u [SporadicTask]) -> Charged<'u> {
        Charged::new(tasks, self.cpus, UNIT, self.charge)
    }

    /// The tests of a policy. A cluster of all CPUs is none.
    pub(super) fn criteria(&self, policy: Policy) -> impl Iterator<Item = Criterion> + use<> {
        let cpus = self.cpus as usize;
        policy
            .criteria()
            .filter(move |criterion| !matches!(criterion, Criterion::Clustered(size) if size.cpus() >= cpus))
    }

    /// Whether it is known what a policy is to be charged.
    pub(super) fn is_known(&self, policy: Policy) -> bool {
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
        (self.watch)(criterion.policy());
        let Rules { levels, order, .. } = self.rules;
        match (criterion, levels, order) {
            // Its slots are no part of a set.
            (Criterion::Fair, ..) => Answer::accepts_if(self.is_fair(tasks)),
            (Criterion::PartitionedFixed(fit), Some(levels), _) => {
                let inflated = charged.inflated(tasks, Payer::Partitioned);
                let room = inflated
                    .map(|it| partitioned::by_levels(&it, levels, self.cpus as usize, fit, limit));
                Answer::accepts_if(matches!(room, Some(Ok(_))))
            }
            (Criterion::GlobalFixed(test), _, Some(order)) => {
                let set = charged.set(Payer::Global);
                set.map_or(Answer::Rejects, |set| {
                    gfp::test(test, set, self.cpus, order, limit)
                })
            }
            // Only policies that are known are asked.
            _ => charged.ask(criterion, limit).unwrap_or(Answer::Rejects),
        }
    }

    /// Whether PD² is known to hold the tasks, where a job waits for the next slot.
    fn is_fair(&self, tasks: &[SporadicTask]) -> bool {
        if self.rules.ticks {
            return false;
        }
        let waits = tasks.iter().zip(&self.rules.waits);
        let waiting: Result<Vec<_>, _> =
            waits.map(|(task, &wait)| task.with_jitter(wait)).collect();
        waiting.is_ok_and(|tasks| fair::test(&tasks, self.rules.slot, self.cpus).holds())
    }

    /// Whether a policy is known to hold these tasks instead.
    fn holds(&self, policy: Policy, tasks: &[SporadicTask]) -> bool {
        let mut charged = self.with(tasks);
        if policy == Policy::GlobalEdf {
            (self.watch)(policy);
            return matches!(charged.accepted_by(&gedf::Test::ALL, SEARCH), Ok(Some(_)));
        }
        let mut tests = self.criteria(policy);
        tests.any(|criterion| self.ask(criterion, &mut charged, tasks, SEARCH).accepts())
    }

    pub(super) fn under(&self, policy: Policy, names: &[&str], limit: WorkLimit) -> ForPolicy {
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
        let none = || vec![None; self.tasks.len()];
        let (bounds, slacks) = match policy {
            Policy::GlobalEdf if holds => (
                self.global_bounds(&mut charged, limit),
                self.global_slacks(),
            ),
            Policy::PartitionedEdf => self
                .division(limit)
                .map_or_else(|| (none(), none()), |it| (it.bounds, it.slacks)),
            _ => (none(), none()),
        };
        let utilisation = Utilisation::of(self.tasks);
        let fewest = |&cpus: &u32| {
            utilisation.cmp_cpus(cpus).is_le() && self.on(cpus).holds(policy, self.tasks)
        };
        ForPolicy {
            policy,
            priorities: self.priorities(&said, &mut charged, limit),
            fewest: (1..=MOST_CPUS).find(fewest),
            scaling: self.scaling(policy),
            bounds,
            slacks,
            said,
        }
    }

    pub(super) fn scaling(&self, policy: Policy) -> Option<Breakdown> {
        breakdown_on(self.cpus, self.tasks, |tasks| self.holds(policy, tasks))
    }

    /// How much longer each task's jobs may compute under global EDF.
    fn global_slacks(&self) -> Vec<Option<Duration>> {
        let tasks = 0..self.tasks.len();
        if tasks.len() > MOST_SLACKS {
            return vec![None; tasks.len()];
        }
        let slack = |task| {
            slack_on(self.cpus, self.tasks, task, |tasks| {
                self.holds(Policy::GlobalEdf, tasks)
            })
        };
        tasks.into_par_iter().map(slack).collect()
    }

    /// How long jobs can take under global EDF, which holds the set: no longer than to their deadlines.
    fn global_bounds(&self, charged: &mut Charged<'_>, limit: WorkLimit) -> Vec<Option<Duration>> {
        let cpus = self.cpus;
        let set = charged.set(Payer::Global);
        let found = set.and_then(|set| gedf::response_times(set, cpus, limit));
        if let Some(bounds) = found {
            return bounds.into_iter().map(|units| Some(UNIT * units)).collect();
        }
        let last = |task: &SporadicTask| Some(task.deadline().min(task.period()));
        self.tasks.iter().map(last).collect()
    }

    /// The priorities with which global fixed priorities hold the set, if a test said so: the most urgent task first.
    fn priorities(
        &self,
        said: &[Said],
        charged: &mut Charged<'_>,
        limit: WorkLimit,
    ) -> Option<Vec<usize>> {
        let accepting = said.iter().find(|said| said.answer.accepts())?;
        let Criterion::GlobalFixed(test) = accepting.criterion else {
            return None;
        };
        if let Some(order) = &self.rules.order {
            return Some(order.clone());
        }
        let cpus = self.cpus;
        gfp::best(test, charged.set(Payer::Global)?, cpus, limit).ok()?
    }

    /// Why a test rejects the set, in words.
    fn why(
        &self,
        criterion: Criterion,
        charged: &mut Charged<'_>,
        names: &[&str],
        limit: WorkLimit,
    ) -> String {
        let nothing_left = || words::NOTHING_LEFT.to_owned();
        let is_charged = self.charge.is_some();
        match criterion {
            Criterion::Global(test) => {
                let Some(set) = charged.set(Payer::Global) else {
                    return nothing_left();
                };
                let reason = gedf::explain(test, set, self.cpus, limit);
                reason.map_or_else(String::new, |reason| {
                    words::why(&reason, names, self.cpus, is_charged)
                })
            }
            Criterion::GlobalFixed(test) => {
                let Some(set) = charged.set(Payer::Global) else {
                    return nothing_left();
                };
                match &self.rules.order {
                    Some(_) if !set.is_eligible(self.cpus) => words::TOO_MUCH.into(),
                    Some(order) => match gfp::first_late(test, set, self.cpus, order, limit) {
                        Ok(late) => late.map_or_else(String::new, |it| words::not_sure(names[it])),
                        Err(stop) => words::sentence(&stop.to_string()),
                    },
                    None => words::NO_PRIORITIES.into(),
                }
            }
            Criterion::Fair if self.rules.ticks => words::SLOTS_AND_TICKS.into(),
            Criterion::Fair => words::slots(self.rules.slot),
            Criterion::Partitioned(_)
            | Criterion::PartitionedFixed(_)
            | Criterion::Clustered(_)
            | Criterion::EdfWm
            | Criterion::CEqualsD => {
                let payer = charged
                    .payer(criterion.policy())
                    .unwrap_or(Payer::Partitioned);
                match self.first_without_room(criterion, charged, payer, limit) {
                    Some(task) => {
                        let alone = charged.inflated(&self.tasks[task..=task], payer);
                        let alone = alone.and_then(|alone| alone.first().copied());
                        words::no_room(criterion, names[task], alone.as_ref(), is_charged)
                    }
                    None => nothing_left(),
                }
            }
        }
    }

    /// The first task that there is no room for.
    fn first_without_room(
        &self,
        criterion: Criterion,
        charged: &mut Charged<'_>,
        payer: Payer,
        limit: WorkLimit,
    ) -> Option<usize> {
        match (criterion, &self.rules.levels) {
            (Criterion::Partitioned(fit), _) => charged.divide(fit, limit).err(),
            (Criterion::PartitionedFixed(fit), Some(levels)) => {
                let tasks = charged.inflated(self.tasks, payer)?;
                partitioned::by_levels(&tasks, levels, self.cpus as usize, fit, limit).err()
            }
            _ => criterion.first_without_room(charged.set(payer)?, self.cpus, limit),
        }
    }
}
