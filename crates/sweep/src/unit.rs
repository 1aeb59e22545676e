//! The pieces of a study: some sets of one scenario and cap.

use crate::draw::{Address, Drawn, draw};
use crate::error::SweepError;
use crate::judge::Judge;
use crate::simulate::{Simulated, Simulator};
use flyball_model::study::{Cap, Scenario};
use flyball_model::{Study, TaskSet};
use flyball_study::Registry;
use std::ops::Range;
use std::path::PathBuf;

/// A piece of work whose results are one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Unit {
    /// The scenario's place in the study.
    pub scenario: usize,
    /// The cap's place in the study.
    pub cap: usize,
    /// The batch's number among those of the cap.
    pub batch: u32,
}

/// What was found of one set.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The set's number among those of its cap.
    pub set: u32,
    /// How many tasks it has.
    pub tasks: usize,
    /// Its utilisation without overheads.
    pub utilisation: f64,
    /// Whether it is accepted, for each of the [`labels`](crate::judge::labels) of the study;
    /// `None`: not known, as the tests gave up.
    pub verdicts: Vec<Option<bool>>,
    /// What was counted in simulations, for each policy of the study.
    pub simulated: Vec<Simulated>,
}

/// What does the work of a study's units.
pub struct Tools<'s> {
    /// The study.
    pub study: &'s Study,
    /// Its tests.
    pub judge: Judge<'s>,
    /// Its simulations.
    pub simulator: Simulator<'s>,
}

impl<'s> Tools<'s> {
    /// Those of a study, with policies of `registry`.
    ///
    /// # Errors
    /// As [`Simulator::new`].
    pub fn new(registry: &'s Registry, study: &'s Study) -> Result<Tools<'s>, SweepError> {
        Ok(Tools {
            study,
            judge: Judge::new(study),
            simulator: Simulator::new(registry, study)?,
        })
    }
}

/// All units of a study, in order.
pub fn units(study: &Study) -> Vec<Unit> {
    let batches = study.sets.div_ceil(study.batch.max(1));
    let mut units = Vec::new();
    for scenario in 0..study.scenarios.len() {
        for cap in 0..study.caps.len() {
            units.extend((0..batches).map(|batch| Unit {
                scenario,
                cap,
                batch,
            }));
        }
    }
    units
}

impl Unit {
    /// What its sets are like.
    pub fn scenario<'s>(&self, study: &'s Study) -> &'s Scenario {
        &study.scenarios[self.scenario]
    }

    /// What they come up to.
    pub fn cap(&self, study: &Study) -> Cap {
        study.caps[self.cap]
    }

    /// The numbers of its sets.
    pub fn sets(&self, study: &Study) -> Range<u32> {
        let first = self.batch * study.batch;
        first..(first + study.batch).min(study.sets)
    }

    /// Where its results are, from the folder of all results.
    pub fn path(&self, study: &Study) -> PathBuf {
        let file = format!("{}-{:04}.parquet", self.cap(study), self.batch);
        PathBuf::from(self.scenario(study).name()).join(file)
    }

    /// What it is, for messages and in its file.
    pub fn describe(&self, study: &Study) -> String {
        let sets = self.sets(study);
        format!(
            "{}, cap {}, sets {} to {}",
            self.scenario(study).name(),
            self.cap(study),
            sets.start,
            sets.end - 1
        )
    }

    /// Does the work. `go_on` is asked after each set, and told that there is one more, and from
    /// time to time while a set is simulated; `Ok(None)` if it said no.
    ///
    /// # Errors
    /// [`SweepError::Draw`], and those of [`Simulator::simulate`].
    pub fn work(
        &self,
        tools: &Tools<'_>,
        go_on: impl Fn(u64) -> bool,
    ) -> Result<Option<Vec<Row>>, SweepError> {
        let study = tools.study;
        let mut rows = Vec::new();
        for index in self.sets(study) {
            let set = self.draw(study, index)?;
            let verdicts = tools.judge.judge(&set);
            let (scenario, address) = (self.scenario(study), self.address(study, index));
            let simulated = tools
                .simulator
                .simulate(scenario, address, &set, &|| go_on(0))?;
            let Some(simulated) = simulated else {
                return Ok(None);
            };
            rows.push(Row {
                set: index,
                tasks: set.len(),
                utilisation: utilisation(&set),
                verdicts,
                simulated,
            });
            if !go_on(1) {
                return Ok(None);
            }
        }
        Ok(Some(rows))
    }

    fn address(&self, study: &Study, index: u32) -> Address {
        Address {
            seed: study.seed,
            cap: self.cap(study),
            index,
        }
    }

    /// One of its sets as it is simulated with the seed of that number, and the seed of that
    /// simulation; `None` if the study simulates nothing.
    ///
    /// # Errors
    /// [`SweepError::Draw`].
    pub fn task_set(
        &self,
        tools: &Tools<'_>,
        index: u32,
        number: u32,
    ) -> Result<Option<(TaskSet, u64)>, SweepError> {
        let set = self.draw(tools.study, index)?;
        let address = self.address(tools.study, index);
        let scenario = self.scenario(tools.study);
        Ok(tools.simulator.task_set(scenario, address, &set, number))
    }

    /// One of its sets.
    ///
    /// # Errors
    /// [`SweepError::Draw`].
    pub fn draw(&self, study: &Study, index: u32) -> Result<Vec<Drawn>, SweepError> {
        draw(self.scenario(study), self.address(study, index)).map_err(|error| SweepError::Draw {
            of: format!("{}, cap {}", self.scenario(study).name(), self.cap(study)),
            error,
        })
    }
}

/// For people; no verdict rests on it.
#[expect(clippy::cast_precision_loss, reason = "both are far below 2^53")]
fn utilisation(set: &[Drawn]) -> f64 {
    set.iter()
        .map(|task| task.wcet as f64 / task.period as f64)
        .sum()
}
