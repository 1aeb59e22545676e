//! A machine as a bench for experiments.

use crate::on_machine::runs_on;
use crate::progress::{Spinner, interrupted};
use crate::schedule::task_name;
use flyball_board::image::{self, Build, Size};
use flyball_board::{BoardError, Machine, Options, Phase};
use flyball_measure::bench::{
    Bench, BenchError, COUNTING, ImageSize, RunResult, SUPERVISOR, Stage, SupervisedTrial, Trial,
};
use flyball_measure::costs::Kernel;
use flyball_policy::supervisor::Observation;
use flyball_report::reproduction;
use flyball_study::{Registry, StudyError};
use flyball_trace::{Duration, Sink};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Boots the kernel for each trial.
pub(crate) struct Board<'a> {
    registry: &'a Registry,
    machine: Machine,
    quiet: bool,
    stage: &'static str,
    /// The images that measure and have been built.
    built: HashMap<String, PathBuf>,
}

impl<'a> Board<'a> {
    pub(crate) fn new(registry: &'a Registry, machine: Machine, quiet: bool) -> Board<'a> {
        Board {
            registry,
            machine,
            quiet,
            stage: "",
            built: HashMap::new(),
        }
    }

    /// Shows that an image measures, or is built for that.
    fn watch_image(&self, name: &str) -> impl FnMut(Phase) -> ControlFlow<()> {
        let stage = self.stage;
        let mut spinner = Spinner::new(self.quiet);
        move |phase| {
            spinner.show(|| match phase {
                Phase::Building => format!("building the image {name}"),
                Phase::Running => format!("{stage}: {name} on the board"),
            })
        }
    }

    /// Where the one image of a package is, which is built the first time.
    fn image(&mut self, build: Build<'_>, name: &str) -> Result<PathBuf, BoardError> {
        if let Some(path) = self.built.get(name) {
            return Ok(path.clone());
        }
        build.make(&mut self.watch_image(name))?;
        let path = image::find(name, build.profile)?;
        self.built.insert(name.to_owned(), path.clone());
        Ok(path)
    }

    /// Shows what a trial is at, under a policy and for so long.
    fn watch(&self, policy: &str, until: Duration) -> impl FnMut(Phase) -> ControlFlow<()> {
        let stage = self.stage;
        let mut spinner = Spinner::new(self.quiet);
        move |phase| {
            spinner.show(|| match phase {
                Phase::Building => format!("building the image for {policy}"),
                Phase::Running => format!("{stage}: {until} on the board"),
            })
        }
    }
}

fn failed(error: BoardError) -> BenchError {
    match error {
        BoardError::Interrupted => BenchError::Lab(StudyError::Interrupted),
        error => BenchError::Machine(Box::new(error)),
    }
}

impl Bench for Board<'_> {
    fn machine(&self) -> Option<reproduction::Machine> {
        Some(reproduction::Machine {
            name: self.machine.name().to_owned(),
            title: self.machine.title().to_owned(),
        })
    }

    fn has(&self, policy: &str) -> bool {
        match policy {
            SUPERVISOR => self.machine.supervises(),
            COUNTING => self.machine.measures(),
            _ => runs_on(self.machine, self.registry).any(|entry| entry.name == policy),
        }
    }

    fn longest(&self) -> Duration {
        self.machine.limits().time
    }

    fn kernel(&self) -> Kernel {
        Kernel::with_instruction(self.machine.instruction())
    }

    fn begin(&mut self, stage: Stage) -> Result<(), BenchError> {
        self.stage = stage.name;
        self.go_on()
    }

    fn go_on(&mut self) -> Result<(), BenchError> {
        match interrupted() {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(StudyError::Interrupted.into()),
        }
    }

    fn run(&mut self, trial: &Trial) -> Result<RunResult, BenchError> {
        let set = trial.modes.all();
        let entry = self.registry.find(trial.policy)?;
        let values = entry.values(&set.name, set)?;
        entry.fits(&values, set)?;
        let settings = |why| StudyError::Sim(flyball_sim::SimError::Settings(why));
        let scheduler = entry.written(&values, set).map_err(settings)?;
        let options = Options {
            policy: entry.name,
            scheduler: &*scheduler,
            origin: entry.origin,
            until: trial.until,
            seed: trial.seed,
            cluster: entry.cluster(&values, set),
            subtasks: &[],
        };
        let mut watch = self.watch(options.policy, options.until);
        let recording = flyball_board::run_modes(self.machine, &trial.modes, &options, &mut watch)
            .map_err(failed)?;
        if let Some(fault) = recording.fault {
            return Err(failed(BoardError::Fault {
                task: task_name(set, fault.task),
                fault: Box::new(fault),
            }));
        }
        let mut recorder = trial.recorder();
        for &event in &recording.events {
            recorder.record(event);
            if trial.stop_at_miss && recorder.first_miss().is_some() {
                return Ok(RunResult::of(recorder, event.time));
            }
        }
        if recording.dropped > 0 {
            return Err(StudyError::Bench(format!(
                "the board keeps so many events and no more, which it had after {} of {}",
                recording.length(),
                options.until
            ))
            .into());
        }
        Ok(RunResult::of(recorder, recording.end))
    }

    fn supervise(
        &mut self,
        trial: &SupervisedTrial,
        see: &mut dyn FnMut(Observation),
    ) -> Result<(), BenchError> {
        let until = trial.until();
        let mut watch = self.watch("a supervisor", until);
        let seen = flyball_board::supervise(
            self.machine,
            &trial.set,
            &trial.scheduler,
            (&trial.plan, &trial.changes),
            until,
            &mut watch,
        );
        seen.map_err(failed)?.into_iter().for_each(see);
        Ok(())
    }

    fn count(&mut self, image: &str, words: &[&str]) -> Result<String, BenchError> {
        let elf = self.image(Build::costs(image), image).map_err(failed)?;
        let mut watch = self.watch_image(image);
        image::run(&elf, image::SHIFT, words, &mut watch).map_err(failed)
    }

    fn size(&mut self, image: &str) -> Result<ImageSize, BenchError> {
        let elf = self.image(Build::minimal(image), image).map_err(failed)?;
        let Size {
            code,
            policy,
            dispatcher,
            ..
        } = image::size(&elf).map_err(failed)?;
        Ok(ImageSize {
            code,
            policy,
            dispatcher,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_model::{Task, TaskSet};

    /// What would be cut off would be missing in the numbers.
    #[test]
    fn a_trial_that_is_too_long_is_refused() {
        let registry = Registry::standard();
        let mut board = Board::new(&registry, Machine::CortexM3, true);
        let ms = Duration::from_millis;
        let set = TaskSet {
            tasks: vec![Task::periodic("a", ms(10), ms(1))],
            ..TaskSet::default()
        };
        let trial = Trial::new(set, "edf", board.longest() + ms(1));
        let Err(BenchError::Machine(error)) = board.run(&trial) else {
            panic!("it ran")
        };
        let refused = error.downcast_ref::<BoardError>();
        assert!(
            matches!(refused, Some(BoardError::TooFar { .. })),
            "{error}"
        );
    }
}
