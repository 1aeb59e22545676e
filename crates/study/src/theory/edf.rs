//! EDF on one CPU.

use super::blocking;
use super::one_cpu::{Analysed, OneCpu};
use super::proof::LIMIT;
use crate::reason::{Because, Obstacle};
use flyball_analysis::{Answer, SporadicTask, edf_demand, edf_response};
use flyball_model::TaskSet;

/// The earliest absolute deadline is served first.
pub(super) struct EarliestDeadline;

impl OneCpu for EarliestDeadline {
    fn name(&self) -> &'static str {
        "processor demand analysis"
    }

    fn because(&self) -> Because {
        Because::Demand
    }

    fn accepts(&self, _: &TaskSet, _: &[usize], tasks: &[SporadicTask]) -> Answer {
        Answer::from(&edf_demand::test(tasks, LIMIT))
    }

    fn analyse(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: Vec<SporadicTask>,
    ) -> Result<Analysed, Obstacle> {
        blocking::none(set, jobs)?;
        let responses = edf_response::response_times(&tasks, LIMIT);
        Ok(Analysed::by(edf_demand::test, &tasks, responses))
    }

    fn is_last(&self, _: &TaskSet, _: usize, _: &[usize]) -> bool {
        // What has no deadline comes last.
        true
    }
}
