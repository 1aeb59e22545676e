//! Non-preemptive EDF on one CPU.

use super::blocking;
use super::one_cpu::{Analysed, OneCpu};
use super::proof::LIMIT;
use crate::reason::{Because, Obstacle};
use flyball_analysis::{Answer, SporadicTask, np_edf};
use flyball_model::{Arrival, TaskSet};

/// The earliest absolute deadline is served first, and each job to its end.
pub(super) struct NonPreemptive;

impl OneCpu for NonPreemptive {
    fn name(&self) -> &'static str {
        "non-preemptive demand analysis"
    }

    fn because(&self) -> Because {
        Because::DemandBeside
    }

    fn accepts(&self, _: &TaskSet, _: &[usize], tasks: &[SporadicTask]) -> Answer {
        Answer::from(&np_edf::test(tasks, LIMIT))
    }

    fn analyse(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: Vec<SporadicTask>,
    ) -> Result<Analysed, Obstacle> {
        blocking::none(set, jobs)?;
        let mut analysed = Analysed::by(np_edf::test, &tasks, Vec::new());
        // The phases of periodic tasks may keep a long job from beginning just before the others
        // come.
        let sporadic = |&task: &usize| matches!(set.tasks[task].arrival, Arrival::Sporadic { .. });
        analysed.definite = jobs.iter().all(sporadic);
        Ok(analysed)
    }

    fn is_last(&self, _: &TaskSet, _: usize, _: &[usize]) -> bool {
        // What has begun is not interrupted, whatever its deadline is.
        false
    }
}
