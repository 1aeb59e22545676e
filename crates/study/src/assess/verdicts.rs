//! What is concluded of a policy: from its tests, or else from a study of it.

use super::rules::Rules;
use super::{ForPolicy, Said};
use crate::error::StudyError;
use crate::reason::NoPolicy;
use crate::registry::Registry;
use crate::results::{Schedulable, Verdict};
use crate::study::{StudyOptions, study};
use crate::theory::{Effort, Theory};
use flyball_analysis::criterion::Policy;
use flyball_analysis::{Answer, Criterion, SporadicTask, WorkLimit};
use flyball_catalogue::Origin;
use flyball_model::{Arrival, TaskSet};
use flyball_sim::may_be_split;
use std::ops::ControlFlow;

/// How many jobs are simulated to see a deadline that is missed, or a schedule that repeats itself.
const JOBS: u64 = 100_000;

/// What the verdict on a policy depends on beside what its tests say.
pub(super) struct Judge<'a> {
    pub(super) registry: &'a Registry,
    pub(super) set: &'a TaskSet,
    pub(super) cpus: u32,
    pub(super) tasks: &'a [SporadicTask],
    pub(super) rules: &'a Rules,
    pub(super) infeasible: Option<&'a NoPolicy>,
    /// Whether the kernel's work is charged.
    pub(super) is_charged: bool,
    /// How many steps a test may take.
    pub(super) limit: WorkLimit,
    /// It is not, there is no tick, and all tasks may arrive together: what a test for sporadic
    /// tasks refutes is this very set.
    pub(super) is_plain: bool,
}

impl Judge<'_> {
    ///
    /// # Errors
    /// [`StudyError::Contradiction`].
    pub(super) fn verdict(&self, it: &ForPolicy) -> Result<Verdict, StudyError> {
        let proven = |schedulable, proof: &str| Verdict {
            schedulable,
            proof: Some(proof.to_owned()),
            evidence: None,
        };
        if let Some(why) = self.infeasible {
            return Ok(proven(Schedulable::Not, why.test()));
        }
        let studied = || Ok(self.studied(it.policy)?.unwrap_or_default());
        // The file divides the tasks itself, and the tests do it anew.
        let is_divided = self.set.tasks.iter().any(|task| task.cpu.is_some());
        let divides = matches!(it.policy, Policy::PartitionedEdf | Policy::PartitionedFp);
        // The tests are about the catalogue's policies, and clusters about how a study divides.
        let is_other = self.is_replaced(it.policy) || it.policy == Policy::ClusteredEdf;
        if is_other || divides && is_divided && self.cpus > 1 {
            return studied();
        }
        let concerns = |said: &&Said| self.is_covered(said.criterion);
        let mut said = it.said.iter().filter(concerns);
        if let Some(said) = said.clone().find(|said| said.answer.accepts()) {
            return Ok(proven(Schedulable::Always, said.criterion.name()));
        }
        let refutes = |said: &&Said| {
            said.answer == Answer::Rejects && self.is_plain && self.is_exact(said.criterion)
        };
        match said.find(refutes) {
            Some(said) => Ok(proven(Schedulable::Not, said.criterion.name())),
            None => studied(),
        }
    }

    /// Whether the policy does with the file's set what the test takes it to do.
    fn is_covered(&self, criterion: Criterion) -> bool {
        let mut once = self
            .set
            .tasks
            .iter()
            .filter(|task| task.arrival == Arrival::Once);
        match criterion.policy() {
            // The test queues jobs, and the kernel threads: where a job may wait for the one before
            // it, these are two orders among equals.
            Policy::PartitionedFp if !self.rules.are_distinct && !self.are_in_period() => false,
            // The test has no threads that are more urgent than a job.
            Policy::PartitionedFp | Policy::GlobalFp => {
                let recurring = self
                    .set
                    .tasks
                    .iter()
                    .filter(|task| task.arrival != Arrival::Once);
                let least = recurring.map(|task| task.priority).min().flatten();
                least.is_none_or(|least| once.all(|task| task.priority < Some(least)))
            }
            Policy::Fair => once.next().is_none(),
            Policy::EdfWm | Policy::CEqualsD => self.set.tasks.iter().all(may_be_split),
            _ => true,
        }
    }

    fn have_jitter(&self) -> bool {
        self.tasks.iter().any(|task| !task.jitter().is_zero())
    }

    fn are_in_period(&self) -> bool {
        let in_period = |task: &SporadicTask| task.deadline() <= task.period();
        self.tasks.iter().all(in_period)
    }

    /// Whether what the test rejects misses a deadline.
    fn is_exact(&self, criterion: Criterion) -> bool {
        match criterion {
            // D-monotonic priorities are the best ones then, and of given ones none may be equal.
            Criterion::AnyPartitionFixed => {
                let are_best = self.rules.levels.is_some() || !self.have_jitter();
                self.rules.are_distinct && self.are_in_period() && are_best
            }
            criterion => criterion.is_exact(),
        }
    }

    /// How much work the tests may be that a study of a policy asks: none where they have been asked.
    fn tests_of(&self, policy: Policy) -> Option<Effort> {
        let effort = Effort {
            verdict: self.limit,
            probe: self.limit.min(Effort::FULL.probe),
            slacks: 0,
        };
        let Ok(entry) = self.registry.find(policy.name()) else {
            return Some(effort);
        };
        let is_global = matches!(policy, Policy::GlobalEdf | Policy::GlobalFp);
        let is_asked = matches!(
            entry.theory,
            Theory::GlobalDeadline | Theory::GlobalFixed(_)
        );
        (!is_global || !is_asked).then_some(effort)
    }

    /// Whether the caller has a policy of its own by that name.
    fn is_replaced(&self, policy: Policy) -> bool {
        let entry = self.registry.find(policy.name());
        entry.is_ok_and(|entry| entry.origin != Origin::Catalogue)
    }

    /// What a short study says; `None`: the policy is none for the set, or is charged for work that
    /// a study would charge otherwise.
    ///
    /// # Errors
    /// [`StudyError::Contradiction`].
    fn studied(&self, policy: Policy) -> Result<Option<Verdict>, StudyError> {
        let Some(cpus) = u8::try_from(self.cpus).ok().filter(|_| !self.is_charged) else {
            return Ok(None);
        };
        let options = StudyOptions {
            policies: vec![policy.name().to_owned()],
            cpus: Some(cpus),
            stop_at_miss: true,
            keep: 0,
            jobs: JOBS,
            tests: self.tests_of(policy),
            ..StudyOptions::default()
        };
        let mut watch = |_: crate::Progress<'_>| ControlFlow::Continue(());
        match study(self.registry, "", self.set.clone(), &options, &mut watch) {
            Ok(study) => Ok(study.policies.into_iter().next().map(|it| it.verdict)),
            Err(error @ StudyError::Contradiction { .. }) => Err(error),
            Err(_) => Ok(None),
        }
    }
}
