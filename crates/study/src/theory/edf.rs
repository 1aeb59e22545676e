//! EDF on one CPU, preemptive or not.

use super::blocking;
use super::one_cpu::{Analysed, OneCpu};
use super::proof::Effort;
use crate::reason::{Because, Obstacle};
use crate::recurring::with_jitter;
use flyball_analysis::{
    Answer, Outcome, Response, SporadicTask, WorkLimit, edf_demand, edf_response, np_edf,
};
use flyball_model::{Arrival, TaskSet};

/// The earliest absolute deadline is served first.
pub(super) struct EarliestDeadline {
    name: &'static str,
    test: fn(&[SporadicTask], WorkLimit) -> Outcome,
    responses: fn(&[SporadicTask], WorkLimit) -> Vec<Response>,
    is_preemptive: bool,
}

impl EarliestDeadline {
    pub(super) const PREEMPTIVE: EarliestDeadline = EarliestDeadline {
        name: "processor demand analysis",
        test: edf_demand::test,
        responses: edf_response::response_times,
        is_preemptive: true,
    };
    /// Each job is served to its end.
    pub(super) const NON_PREEMPTIVE: EarliestDeadline = EarliestDeadline {
        name: "non-preemptive demand analysis",
        test: np_edf::test,
        responses: |_, _| Vec::new(),
        is_preemptive: false,
    };
}

impl OneCpu for EarliestDeadline {
    fn name(&self) -> &'static str {
        self.name
    }

    fn because(&self) -> Because {
        if self.is_preemptive {
            Because::Demand
        } else {
            Because::DemandBeside
        }
    }

    fn accepts(
        &self,
        _: &TaskSet,
        _: &[usize],
        tasks: &[SporadicTask],
        limit: WorkLimit,
    ) -> Answer {
        Answer::from(&(self.test)(tasks, limit))
    }

    /// The phases of periodic tasks may keep a long job from beginning just before the others come,
    /// which matters where it cannot be preempted. There the test is not about release jitter.
    fn is_exact(&self, set: &TaskSet, jobs: &[usize]) -> bool {
        let sporadic = |&task: &usize| matches!(set.tasks[task].arrival, Arrival::Sporadic { .. });
        self.is_preemptive || jobs.iter().all(sporadic) && with_jitter(set, jobs).is_none()
    }

    fn analyse(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: Vec<SporadicTask>,
        effort: Effort,
    ) -> Result<Analysed, Obstacle> {
        blocking::none(set, jobs)?;
        let responses = (self.responses)(&tasks, effort.verdict);
        let mut analysed = Analysed::by(self.test, &tasks, responses, effort);
        analysed.definite = self.is_exact(set, jobs);
        Ok(analysed)
    }

    fn is_last(&self, _: &TaskSet, _: usize, _: &[usize]) -> bool {
        // What has no deadline comes last; but what has begun without preemption goes on, whatever
        // its deadline is.
        self.is_preemptive
    }
}
