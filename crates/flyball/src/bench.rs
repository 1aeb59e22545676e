//! A machine as a bench for experiments.

use crate::progress::Spinner;
use crate::schedule::task_name;
use flyball_lab::bench::{Bench, BenchError, Ran, Stage, Trial};
use flyball_lab::{LabError, Measured, Measurement, Registry};
use flyball_report::reproduction;
use flyball_target::{Machine, Options, Phase, TargetError};
use flyball_trace::{Duration, Kind};

/// Boots the kernel for each trial.
pub(crate) struct Board<'a> {
    registry: &'a Registry,
    machine: Machine,
    quiet: bool,
    stage: &'static str,
}

impl<'a> Board<'a> {
    pub(crate) fn new(registry: &'a Registry, machine: Machine, quiet: bool) -> Board<'a> {
        Board {
            registry,
            machine,
            quiet,
            stage: "",
        }
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
        self.machine.policies().contains(&policy)
    }

    fn longest(&self) -> Duration {
        self.machine.patience()
    }

    fn begin(&mut self, stage: Stage) -> Result<(), BenchError> {
        self.stage = stage.name;
        Ok(())
    }

    fn run(&mut self, trial: &Trial) -> Result<Ran, BenchError> {
        let until = trial.until.min(self.longest());
        let measurement = Measurement::new(
            self.registry,
            trial.policy,
            &trial.set.name,
            trial.set.clone(),
            Some(until),
            until,
        )?;
        let options = Options {
            policy: measurement.policy(),
            settings: measurement.settings(),
            until: measurement.until(),
            seed: trial.seed,
        };
        let stage = self.stage;
        let mut spinner = Spinner::new(self.quiet);
        let mut watch = |phase| {
            spinner.show(|| match phase {
                Phase::Building => format!("building the image for {}", options.policy),
                Phase::Running => format!("{stage}: {} on the board", options.until),
            })
        };
        let failed = |error: TargetError| match error {
            TargetError::Interrupted => BenchError::Lab(LabError::Interrupted),
            error => BenchError::Machine(Box::new(error)),
        };
        let recording = flyball_target::run(self.machine, measurement.set(), &options, &mut watch)
            .map_err(failed)?;
        if let Some(fault) = recording.fault {
            return Err(failed(TargetError::Fault {
                task: task_name(measurement.set(), fault.task),
                fault: Box::new(fault),
            }));
        }
        let is_miss = |event: &&flyball_trace::Event| matches!(event.kind, Kind::Miss { .. });
        let first_miss = recording.events.iter().find(is_miss).copied();
        let study = measurement.conclude(&Measured {
            events: &recording.events,
            end: recording.end,
            dropped: recording.dropped,
        });
        // A measurement is of one policy.
        let report = study.policies.into_iter().next();
        let (summary, trace) = report
            .map(|report| (report.summary, report.trace))
            .ok_or(LabError::NothingFits(Vec::new()))?;
        Ok(Ran {
            summary,
            trace,
            first_miss,
        })
    }
}
