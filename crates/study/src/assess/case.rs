//! What tests say of a set on so many CPUs, with the kernel's work charged.

use super::rules::Rules;
use super::{Fewest, ForPolicy, MOST_CPUS, SEARCH, Said, UNIT};
use crate::parallel;
use crate::reason::WhyNot;
use crate::theory::Effort;
use flyball_analysis::charged::{Accounting, Charged, NoSet, Prices};
use flyball_analysis::criterion::{Payer, Policy};
use flyball_analysis::gedf::Explanation;
use flyball_analysis::sensitivity::{Breakdown, Margin, breakdown_by_any, breakdown_on, slack_on};
use flyball_analysis::{
    Answer, Criterion, Fit, Level, NoRoom, SporadicTask, Stop, Utilisation, WorkLimit, fair, gedf,
    gfp, partitioned,
};
use flyball_trace::Duration;
use std::cmp::Reverse;

/// How many steps a test may take where the verdict is known.
const AGAIN: WorkLimit = WorkLimit::steps(5_000_000);

/// How many steps are worth while at least.
const LEAST: WorkLimit = WorkLimit::steps(500);

/// A set on so many CPUs, with the kernel's work.
#[derive(Clone)]
pub(super) struct Case<'t> {
    pub(super) tasks: &'t [SporadicTask],
    pub(super) cpus: u32,
    pub(super) charge: Option<(Accounting, Prices)>,
    pub(super) rules: &'t Rules,
    pub(super) watch: &'t (dyn Fn(Policy) + Sync),
    /// Whether it is known that no policy holds the set.
    pub(super) is_infeasible: bool,
    /// Whether tasks release each other, and so cannot be on several CPUs.
    pub(super) has_events: bool,
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
        let cpus = self.cpus;
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
        match (criterion, &self.rules.levels) {
            // Its slots are no part of a set.
            (Criterion::Fair, _) => self.is_fair(tasks),
            // Each task may be tried in each cluster, by nine tests.
            (Criterion::Clustered(size), _) => {
                let clusters = self.cpus.div_ceil(size.cpus()) as usize;
                let calls = (tasks.len() * clusters).max(1);
                let each = limit.divided(calls).max(LEAST).min(limit);
                let answer = charged.ask(criterion, each);
                answer.unwrap_or(Answer::Stopped(Stop::Unpriced))
            }
            (Criterion::PartitionedFixed(fit), Some(levels)) => {
                match charged.inflated(tasks, Payer::Partitioned) {
                    Ok(tasks) => self
                        .by_levels(&tasks, levels, fit, limit)
                        .err()
                        .map_or(Answer::Accepts, Answer::from),
                    Err(unmade) => unmade.into(),
                }
            }
            (Criterion::AnyPartitionFixed, Some(levels)) => {
                match charged.inflated(tasks, Payer::Partitioned) {
                    Ok(tasks) => {
                        partitioned::any_by_levels(&tasks, levels, self.cpus as usize, limit)
                    }
                    Err(unmade) => unmade.into(),
                }
            }
            (Criterion::GlobalFixed(test), Some(levels)) => match fixed(charged) {
                Ok(set) if !set.is_eligible(self.cpus) => Answer::Rejects,
                Ok(set) => {
                    let late = gfp::first_late_by_levels(test, &set, self.cpus, levels, limit);
                    Answer::from(late.map(|late| late.is_none()))
                }
                Err(none) => none.into(),
            },
            // Only policies that are known are asked.
            _ => {
                let answer = charged.ask(criterion, limit);
                answer.unwrap_or(Answer::Stopped(Stop::Unpriced))
            }
        }
    }

    /// Whether PD² holds the tasks, where a job waits for the next slot.
    fn is_fair(&self, tasks: &[SporadicTask]) -> Answer {
        // The wait for a slot stands for jitter, and of more than that the test is not.
        if self.rules.ticks || tasks.iter().any(|task| !task.jitter().is_zero()) {
            return Answer::Rejects;
        }
        let waits = tasks.iter().zip(&self.rules.waits);
        let waiting: Result<Vec<_>, _> =
            waits.map(|(task, &wait)| task.with_jitter(wait)).collect();
        // All wait for less than a slot, which is not without end.
        waiting.map_or(Answer::Rejects, |tasks| {
            Answer::from(&fair::test(&tasks, self.rules.slot, self.cpus))
        })
    }

    /// What the tests of a policy together say of these tasks instead.
    pub(super) fn answer(
        &self,
        policy: Policy,
        tasks: &[SporadicTask],
        limit: WorkLimit,
    ) -> Answer {
        let mut charged = self.with(tasks);
        if policy == Policy::GlobalEdf {
            (self.watch)(policy);
            let accepted = charged.accepted_by(&gedf::Test::ALL, limit);
            return Answer::from(accepted.map(|by| by.is_some()));
        }
        let tests = self.searched(policy);
        Answer::any(tests.map(|criterion| self.ask(criterion, &mut charged, tasks, limit)))
    }

    /// The tests of a policy that a search asks: to look at all partitions again and again takes
    /// too long.
    fn searched(&self, policy: Policy) -> impl Iterator<Item = Criterion> + use<> {
        self.criteria(policy).filter(|it| !it.is_exact())
    }

    /// The same in a search. Of the tasks as they are, it is `known`.
    fn probe(&self, policy: Policy, tasks: &[SporadicTask], known: Answer) -> Answer {
        if tasks == self.tasks {
            known
        } else {
            self.answer(policy, tasks, SEARCH)
        }
    }

    pub(super) fn under(&self, policy: Policy, limit: WorkLimit) -> ForPolicy {
        let mut charged = self.with(self.tasks);
        let said: Vec<Said> = self
            .criteria(policy)
            .map(|criterion| {
                let answer = self.ask(criterion, &mut charged, self.tasks, limit);
                let why = match answer {
                    Answer::Accepts => None,
                    Answer::Stopped(stop) => Some(self.why_stopped(criterion, stop, &mut charged)),
                    Answer::Rejects => self.why(criterion, &mut charged, limit.min(AGAIN)),
                };
                Said {
                    criterion,
                    answer,
                    why,
                }
            })
            .collect();
        let known = Answer::any(said.iter().map(|said| said.answer));
        let none = (vec![None; self.tasks.len()], vec![None; self.tasks.len()]);
        // Those of partitioned EDF come from its division.
        let (bounds, slacks) = match policy {
            Policy::GlobalEdf if known.accepts() => (
                self.global_bounds(&mut charged, limit),
                self.global_slacks(),
            ),
            _ => none,
        };
        let (fewest, scaling) = parallel::both(
            || self.fewest(policy, known, limit),
            || self.scaling(policy, known),
        );
        ForPolicy {
            policy,
            verdict: crate::results::Verdict::default(),
            priorities: self.priorities(&said, &mut charged, limit),
            fewest,
            scaling,
            bounds,
            slacks,
            said,
        }
    }

    /// The fewest CPUs that are known to do: one number after the other up to the first at which the
    /// search stops even with more work, then bisected, as each further number may stop it, too.
    fn fewest(&self, policy: Policy, known: Answer, limit: WorkLimit) -> Fewest {
        let utilisation = Utilisation::of(self.tasks);
        let is_hopeless = |cpus: &u32| {
            (self.is_infeasible && *cpus <= self.cpus) || utilisation.cmp_cpus(*cpus).is_gt()
        };
        let last = if self.has_events {
            self.cpus
        } else {
            MOST_CPUS
        };
        let on = |cpus, limit| {
            if cpus == self.cpus {
                known
            } else {
                self.on(cpus).answer(policy, self.tasks, limit)
            }
        };
        for cpus in (1..=last).skip_while(is_hopeless) {
            let answer = match on(cpus, SEARCH) {
                Answer::Stopped(_) => on(cpus, limit.min(AGAIN)),
                answer => answer,
            };
            match answer {
                Answer::Accepts => {
                    let (proven, open) = (Some(cpus), Vec::new());
                    return Fewest { proven, open };
                }
                Answer::Rejects => {}
                Answer::Stopped(_) => {
                    let (mut below, mut enough) = (cpus, last + 1);
                    while enough - below > 1 {
                        let middle = u32::midpoint(below, enough);
                        match on(middle, SEARCH) {
                            Answer::Accepts => enough = middle,
                            _ => below = middle,
                        }
                    }
                    return Fewest {
                        proven: (enough <= last).then_some(enough),
                        open: (cpus..enough).collect(),
                    };
                }
            }
        }
        Fewest::default()
    }

    /// By how much all execution times may grow together. Of the tasks as they are, it is `known`.
    pub(super) fn scaling(&self, policy: Policy, known: Answer) -> Margin<Breakdown> {
        if policy == Policy::GlobalEdf {
            return breakdown_on(self.cpus, self.tasks, |tasks| {
                self.probe(policy, tasks, known)
            });
        }
        let tests = self.searched(policy).map(|criterion| {
            move |tasks: &[SporadicTask]| {
                if tasks == self.tasks {
                    return known;
                }
                self.ask(criterion, &mut self.with(tasks), tasks, SEARCH)
            }
        });
        breakdown_by_any(self.cpus, self.tasks, known.accepts(), tests)
    }

    /// How much longer each task's jobs may compute under global EDF, which holds them as they are.
    fn global_slacks(&self) -> Vec<Option<Margin<Duration>>> {
        let tasks = 0..self.tasks.len();
        if tasks.len() > Effort::FULL.slacks {
            return vec![None; tasks.len()];
        }
        let slack = |task| {
            Some(slack_on(self.cpus, self.tasks, task, |tasks| {
                self.probe(Policy::GlobalEdf, tasks, Answer::Accepts)
            }))
        };
        parallel::each(tasks.collect(), slack)
    }

    /// How long jobs can take under global EDF, which holds the set: no longer than to their
    /// deadlines.
    fn global_bounds(&self, charged: &mut Charged<'_>, limit: WorkLimit) -> Vec<Option<Duration>> {
        let cpus = self.cpus;
        let set = charged.set(Payer::Global);
        let found = set
            .ok()
            .and_then(|set| gedf::response_times(set, cpus, limit));
        if let Some(bounds) = found {
            return bounds.into_iter().map(|units| Some(UNIT * units)).collect();
        }
        let last = |task: &SporadicTask| Some(task.deadline());
        self.tasks.iter().map(last).collect()
    }

    /// The priorities with which global fixed priorities hold the set, if a test said so: the most
    /// urgent task first.
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
        if let Some(levels) = &self.rules.levels {
            let mut order: Vec<usize> = (0..levels.len()).collect();
            order.sort_by_key(|&task| Reverse(levels[task]));
            return Some(order);
        }
        let cpus = self.cpus;
        gfp::best(test, &fixed(charged).ok()?, cpus, limit).ok()?
    }

    /// Why a test stopped.
    fn why_stopped(&self, criterion: Criterion, stop: Stop, charged: &mut Charged<'_>) -> WhyNot {
        let payer = charged.payer(criterion.policy());
        let none = payer.and_then(|payer| charged.set(payer).err());
        match (stop, none) {
            (Stop::TimeRange, Some(NoSet::TooLong { task })) => {
                WhyNot::TooLong(task, self.tasks[task])
            }
            _ => WhyNot::Stopped(stop),
        }
    }

    /// Why a test rejects the set, as far as that can be found with so much work.
    fn why(
        &self,
        criterion: Criterion,
        charged: &mut Charged<'_>,
        limit: WorkLimit,
    ) -> Option<WhyNot> {
        let why = match criterion {
            Criterion::Global(test) => match charged.set(Payer::Global) {
                Ok(set) => match gedf::explain(test, set, self.cpus, limit)? {
                    Explanation::Stopped(_) => return None,
                    why => WhyNot::Explained(why),
                },
                Err(none) => WhyNot::NoSet(none),
            },
            Criterion::GlobalFixed(test) => match (fixed(charged), &self.rules.levels) {
                (Err(none), _) => WhyNot::NoSet(none),
                (Ok(set), Some(_)) if !set.is_eligible(self.cpus) => WhyNot::Overload,
                (Ok(set), Some(levels)) => {
                    match gfp::first_late_by_levels(test, &set, self.cpus, levels, limit) {
                        Ok(late) => WhyNot::NotSure(late?),
                        Err(_) => return None,
                    }
                }
                (Ok(_), None) => WhyNot::NoPriorities,
            },
            Criterion::AnyPartition | Criterion::AnyPartitionFixed => WhyNot::NoPartition,
            Criterion::Fair | Criterion::Clustered(_) if self.first_with_jitter().is_some() => {
                let task = self.first_with_jitter()?;
                WhyNot::NoSet(NoSet::Jitter { task })
            }
            Criterion::Fair if self.rules.ticks => WhyNot::SlotsAndTicks,
            Criterion::Fair => WhyNot::Slots(self.rules.slot),
            Criterion::Partitioned(_)
            | Criterion::PartitionedFixed(_)
            | Criterion::Clustered(_)
            | Criterion::EdfWm
            | Criterion::CEqualsD => {
                let payer = charged
                    .payer(criterion.policy())
                    .unwrap_or(Payer::Partitioned);
                match self.first_without_room(criterion, charged, payer, limit) {
                    // Looked for with less work, so which task it is may be another one.
                    Ok(NoRoom {
                        stopped: Some(_), ..
                    }) => return None,
                    Ok(NoRoom { task, .. }) => {
                        let alone = charged.inflated(&self.tasks[task..=task], payer).ok();
                        WhyNot::NoRoom(task, alone.and_then(|alone| alone.first().copied()))
                    }
                    Err(none) => WhyNot::NoSet(none?),
                }
            }
        };
        Some(why)
    }

    fn first_with_jitter(&self) -> Option<usize> {
        let mut tasks = self.tasks.iter();
        tasks.position(|task| !task.jitter().is_zero())
    }

    /// The first task that there is no room for. The error says why nothing could be divided;
    /// `None`: there is room.
    fn first_without_room(
        &self,
        criterion: Criterion,
        charged: &Charged<'_>,
        payer: Payer,
        limit: WorkLimit,
    ) -> Result<NoRoom, Option<NoSet>> {
        let unmade = |unmade| Some(NoSet::Unmade(unmade));
        let no_room = match (criterion, &self.rules.levels) {
            (Criterion::Partitioned(fit), _) => charged.divide(fit, limit).err(),
            (Criterion::PartitionedFixed(fit), Some(levels)) => {
                let tasks = charged.inflated(self.tasks, payer).map_err(unmade)?;
                self.by_levels(&tasks, levels, fit, limit).err()
            }
            _ => {
                let tasks = charged.counted(payer).map_err(unmade)?;
                criterion.first_without_room(&tasks, self.cpus, limit)
            }
        };
        no_room.ok_or(None)
    }

    fn by_levels(
        &self,
        tasks: &[SporadicTask],
        levels: &[Level],
        fit: Fit,
        limit: WorkLimit,
    ) -> Result<Vec<usize>, NoRoom> {
        partitioned::by_levels(tasks, levels, self.cpus as usize, fit, limit)
    }
}

/// What tests of global fixed priorities are about.
fn fixed(charged: &mut Charged<'_>) -> Result<gedf::Set, NoSet> {
    charged.set(Payer::Global).map(gedf::Set::within_periods)
}
