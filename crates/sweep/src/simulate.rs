//! What happens to a set when it is simulated, in whole numbers.
//!
//! Each policy of the study's [`Simulations`] schedules the set on the study's CPUs until the
//! horizon, once for each seed. Nothing is kept of the events but sums. Task sets are made here from
//! the address alone, so `flyball simulate` says the same of [`Simulator::task_set`].
//!
//! A policy that does not take a set refuses it, and says why: partitioned policies where the tasks
//! fit on no CPU, others where a parameter is missing. What is not missed in a simulation may be
//! missed in another one: these numbers are no verdicts.
//!
//! Cost: as many jobs as the set has until the horizon, times policies, times seeds; O(log tasks) a
//! job for the usual policies.

mod sums;

use crate::draw::{Address, Drawn, kind};
use crate::error::SweepError;
use flyball_model::study::{MOST_SIMULATED_JOBS, Measure, Phases, Scenario, Simulations};
use flyball_model::{Length, Platform, Step, Study, Task, TaskSet, random::Random};
use flyball_sim::{Ended, Options, SimError};
use flyball_study::{Entry, Recorder, Registry, StudyError, assigned};
use flyball_trace::{Duration, Time};
use std::ops::ControlFlow;
use sums::Sums;
use twox_hash::XxHash64;

const US: Duration = Duration::from_micros(1);

/// What is counted of a set under a policy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Count {
    /// Jobs that were released.
    Released,
    /// Jobs that completed.
    Completed,
    /// What the study asks for.
    Measure(Measure),
}

/// What was counted of a set under a policy, a number for each of the [`counts`], or why the policy
/// refuses the set.
pub type Simulated = Result<Vec<u64>, String>;

impl Count {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Count::Released => "released",
            Count::Completed => "completed",
            Count::Measure(measure) => measure.name(),
        }
    }

    /// Its unit: `1`, `ns`, `uJ`, or `ppm` for millionths.
    pub const fn unit(self) -> &'static str {
        match self {
            Count::Measure(Measure::MaxTardiness | Measure::MeanTardiness) => "ns",
            Count::Measure(Measure::MaxResponse | Measure::MeanResponse | Measure::ShareError) => {
                "ppm"
            }
            Count::Measure(Measure::Energy) => "uJ",
            Count::Released | Count::Completed | Count::Measure(_) => "1",
        }
    }
}

/// What is counted under each policy, in order: the jobs, then the measures.
pub fn counts(simulations: &Simulations) -> Vec<Count> {
    let measures = simulations.measures.iter().copied().map(Count::Measure);
    [Count::Released, Count::Completed]
        .into_iter()
        .chain(measures)
        .collect()
}

/// A study's simulations, ready to run.
pub struct Simulator<'s> {
    study: &'s Study,
    simulations: Option<&'s Simulations>,
    entries: Vec<&'s Entry>,
}

impl<'s> Simulator<'s> {
    /// The simulations of a study, with policies of `registry`.
    ///
    /// # Errors
    /// [`SweepError::Policy`] if there is no policy of a name, [`SweepError::Model`] if a policy's
    /// settings are wrong.
    pub fn new(registry: &'s Registry, study: &'s Study) -> Result<Simulator<'s>, SweepError> {
        let simulations = study.simulate.as_ref();
        let names = simulations.map_or(&[][..], |it| &it.policies);
        let entries = names.iter().map(|name| registry.find(name));
        let entries = entries
            .collect::<Result<_, _>>()
            .map_err(SweepError::Policy)?;
        check(registry, &study.name, study)?;
        Ok(Simulator {
            study,
            simulations,
            entries,
        })
    }

    /// What is counted of a set under each policy of the study. `go_on` is asked from time to time;
    /// `Ok(None)` if it said no.
    ///
    /// # Errors
    /// [`SweepError::TooLong`], or [`SweepError::Simulation`] if a simulation does not go on.
    pub fn simulate(
        &self,
        scenario: &Scenario,
        address: Address,
        set: &[Drawn],
        go_on: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Simulated>>, SweepError> {
        let Some(simulations) = self.simulations else {
            return Ok(Some(Vec::new()));
        };
        let mut found = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let mut sums = Ok(Sums::default());
            for number in 0..simulations.seeds {
                let Ok(so_far) = &mut sums else { break };
                let (set, seed) = task_set(self.study, simulations, scenario, address, set, number);
                let run = Run {
                    entry,
                    horizon: simulations.horizon,
                    seed,
                };
                match run.simulate(&set, so_far, go_on) {
                    Ok(true) => {}
                    Ok(false) => return Ok(None),
                    Err(Stop::Refused(why)) => sums = Err(why),
                    Err(Stop::Sweep(error)) => return Err(error.of(scenario, address)),
                }
            }
            found.push(sums.map(|sums| sums.counts(simulations)));
        }
        Ok(Some(found))
    }

    /// What is simulated with the seed of that number, and the seed of the simulation: what
    /// `flyball simulate --seed` takes. `None` if the study simulates nothing.
    pub fn task_set(
        &self,
        scenario: &Scenario,
        address: Address,
        set: &[Drawn],
        number: u32,
    ) -> Option<(TaskSet, u64)> {
        let simulations = self.simulations?;
        Some(task_set(
            self.study,
            simulations,
            scenario,
            address,
            set,
            number,
        ))
    }
}

/// Checks the settings that a study, read from `file`, has for policies.
///
/// # Errors
/// [`SweepError::Model`] for the first that is wrong.
pub(crate) fn check(registry: &Registry, file: &str, study: &Study) -> Result<(), SweepError> {
    let Some(simulations) = &study.simulate else {
        return Ok(());
    };
    let set = TaskSet {
        platform: platform(study, simulations),
        policies: simulations.settings.clone(),
        ..TaskSet::default()
    };
    let checked = registry.check_settings(file, &set);
    checked.map_err(|error| SweepError::Model(Box::new(error)))
}

fn platform(study: &Study, simulations: &Simulations) -> Platform {
    Platform {
        cpus: study.cpus,
        speeds: simulations.speeds.clone(),
        ..Platform::default()
    }
}

/// The set of a simulation, and the simulation's seed. Both depend on the set's address and on the
/// seed's number, and on nothing else.
fn task_set(
    study: &Study,
    simulations: &Simulations,
    scenario: &Scenario,
    address: Address,
    set: &[Drawn],
    number: u32,
) -> (TaskSet, u64) {
    let source = kind(&scenario.periods, &scenario.utilisations);
    let mut random = Random::addressed([
        address.seed,
        XxHash64::oneshot(source, format!("seed {number}").as_bytes()),
        u64::from(address.cap.0),
        u64::from(address.index),
    ]);
    let mut below = |most: Duration| random.uniform(Duration::ZERO, most);
    let seed = below(Duration::MAX).as_nanos();
    let mut task = |(number, drawn): (usize, &Drawn)| {
        let (wcet, period) = (US * drawn.wcet, US * drawn.period);
        let mut task = Task::periodic(format!("t{}", number + 1), period, wcet);
        if simulations.phases == Phases::Random {
            task.phase = US * below(Duration::from_nanos(drawn.period - 1)).as_nanos();
        }
        if let Some(parts) = simulations.execution {
            let part = |share: flyball_model::Share| {
                let ns = u128::from(wcet.as_nanos()) * u128::from(share.millionths()) / 1_000_000;
                // It is at most the execution time.
                Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX).max(1))
            };
            let [min, max] = parts.map(part);
            task.wcet = max;
            task.behaviour = vec![Step::Compute(if min == max {
                Length::Fixed(max)
            } else {
                Length::Uniform { min, max }
            })];
        }
        task
    };
    let set = TaskSet {
        name: format!(
            "{}, cap {}, set {}",
            scenario.name(),
            address.cap,
            address.index
        ),
        platform: platform(study, simulations),
        tasks: set.iter().enumerate().map(&mut task).collect(),
        policies: simulations.settings.clone(),
        ..TaskSet::default()
    };
    (set, seed)
}

/// One simulation.
struct Run<'r> {
    entry: &'r Entry,
    horizon: Duration,
    seed: u64,
}

/// Why there is nothing to count.
enum Stop {
    /// The policy does not take the set.
    Refused(String),
    /// The sweep cannot go on.
    Sweep(Fault),
}

/// What stops a sweep.
pub(crate) enum Fault {
    /// The simulation would have so many jobs and ends of time slices.
    TooLong(u64),
    /// It does not go on.
    Simulation(StudyError),
}

impl Fault {
    fn of(self, scenario: &Scenario, address: Address) -> SweepError {
        let of = format!(
            "{}, cap {}, set {}",
            scenario.name(),
            address.cap,
            address.index
        );
        match self {
            Fault::TooLong(jobs) => SweepError::TooLong { of, jobs },
            Fault::Simulation(error) => SweepError::Simulation { of, error },
        }
    }
}

impl From<StudyError> for Stop {
    fn from(error: StudyError) -> Stop {
        match error {
            // The set was taken, and then something went wrong.
            StudyError::Sim(SimError::Call { .. } | SimError::Stuck { .. }) => {
                Stop::Sweep(Fault::Simulation(error))
            }
            refused => Stop::Refused(refused.to_string()),
        }
    }
}

impl Run<'_> {
    /// Simulates `set` and adds what happened; `false` if `go_on` said no.
    fn simulate(
        &self,
        set: &TaskSet,
        sums: &mut Sums,
        go_on: &dyn Fn() -> bool,
    ) -> Result<bool, Stop> {
        let refused = |error: flyball_model::ModelError| Stop::Refused(error.message);
        let values = self.entry.values(&set.name, set).map_err(refused)?;
        // Without a parameter no CPU has room for a task either, but that is not the reason.
        if let Err(missing @ SimError::Missing { .. }) = self.entry.fits(&values, set) {
            return Err(StudyError::from(missing).into());
        }
        let here = assigned(set, self.entry, &values, None)?;
        let set = &*here.set;
        self.entry.fits(&values, set).map_err(StudyError::from)?;
        let burst = self.entry.shortest_burst(&values, set);
        let steps = steps(set, self.horizon, burst);
        // What was drawn may be more than what was to be expected when the study was read.
        if steps > 4 * MOST_SIMULATED_JOBS {
            return Err(Stop::Sweep(Fault::TooLong(steps)));
        }
        let mut recorder = Recorder::new(set, set.platform.cpus, self.entry.name, 0);
        let options = Options {
            until: self.horizon,
            stop_at_miss: false,
            seed: self.seed,
        };
        let mut watch = |_: Time| {
            if go_on() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let outcome = self
            .entry
            .simulate(&values, set, &options, &mut recorder, &mut watch)
            .map_err(StudyError::from)?;
        if outcome.why == Ended::Interrupted {
            return Ok(false);
        }
        let (summary, _) = recorder.finish(outcome.ended);
        sums.add(set, &outcome, &summary);
        Ok(true)
    }
}

/// How many jobs are released until `horizon`, and time slices that may end on all CPUs.
fn steps(set: &TaskSet, horizon: Duration, burst: Option<Duration>) -> u64 {
    let periods = set.tasks.iter().filter_map(|task| task.arrival.period());
    let each = |gap: Duration| horizon.as_nanos() / gap.as_nanos().max(1) + 1;
    let jobs: u64 = periods.map(each).fold(0, u64::saturating_add);
    let slices = burst
        .map_or(0, each)
        .saturating_mul(set.platform.cpus.into());
    jobs.saturating_add(slices)
}
