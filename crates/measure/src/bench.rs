//! A bench: something that runs a task set under a policy and tells what happened.
//!
//! An experiment asks for a [`Trial`] and reads what [`RunResult`], and need not know whether it
//! was the [`Simulator`] or a machine. Machines are not this crate's work: a crate that can boot
//! them implements [`Bench`] for them.

use crate::costs::Kernel;
use flyball_catalogue::Ipi;
use flyball_model::TaskSet;
use flyball_policy::Boxed;
use flyball_policy::supervisor::{Observation, Observed, Plan, RequirementChange};
use flyball_report::reproduction::Machine;
use flyball_sim::{Ended, Modes, Options, SpeedUse, simulate_controlled};
use flyball_study::StudyError;
use flyball_study::registry::Registry;
use flyball_study::{Phase, Progress, Recorder, Watch, message_paths};
use flyball_trace::file::Trace;
use flyball_trace::metrics::Summary;
use flyball_trace::{Duration, Event, NoTrace, Time};
use std::error::Error;
use std::fmt;

/// A task set that is to run under a policy. The policy's settings and the overheads are the set's.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The task set, and what becomes of it. A machine has overheads of its own, and ignores the
    /// set's.
    pub modes: Modes,
    /// The policy's name.
    pub policy: &'static str,
    /// For how long.
    pub until: Duration,
    /// Whether it ends at the first deadline that is missed. A machine goes on, and nothing counts
    /// of what it does then.
    pub stop_at_miss: bool,
    /// What all random numbers come from.
    pub seed: u64,
    /// How many events are kept; numbers are always of all that are known.
    pub keep: usize,
    /// When the phases end in which jobs, misses and switches are counted apart, all but the last
    /// one. If there are any, there are no other numbers.
    pub phases: Vec<Duration>,
}

/// Tasks on several CPUs, each with an I+PI of its own, under a
/// [`supervisor`](flyball_policy::supervisor).
#[derive(Clone, Debug)]
pub struct SupervisedTrial {
    /// The tasks, with the CPUs on which they begin. A machine has overheads of its own, and
    /// ignores the set's.
    pub set: TaskSet,
    /// The I+PI of each CPU.
    pub scheduler: Ipi,
    /// The supervisor.
    pub plan: Plan,
    /// What tasks want of it, in the order of time.
    pub changes: Vec<RequirementChange>,
    /// How many periods it takes.
    pub periods: u32,
}

/// What happened in a trial.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The numbers.
    pub summary: Summary,
    /// The first events, as many as were to be kept and could be.
    pub trace: Trace,
    /// What happened in each phase.
    pub phases: Vec<Phase>,
    /// The first deadline that was missed, at its instant, whenever the kernel noticed.
    pub first_miss: Option<Event>,
    /// How often a CPU began to run a task of another group than before; `None`: all are in one.
    pub group_changes: Option<u64>,
    /// How operating points were used; `None`: the platform has but one, as machines have.
    pub speeds: Option<SpeedUse>,
}

/// Which of how many experiments is under way, for users who wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// The experiment's name.
    pub name: &'static str,
    /// Its place, from 0.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// What [`Bench::has`] is asked for by those who want [`Bench::supervise`].
pub const SUPERVISOR: &str = "supervisor";

/// What [`Bench::has`] is asked for by those who want [`Bench::count`] and [`Bench::size`].
pub const COUNTING: &str = "counting instructions";

/// Bytes of an image without options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageSize {
    /// Code, constants, and what variables begin with.
    pub code: u64,
    /// Of these, functions of the policy. What of it was made part of other functions is not counted,
    /// here and below.
    pub policy: u64,
    /// Of these, functions of the kernel that ask the policy, set the timer and switch threads.
    pub dispatcher: u64,
}

/// Something that runs task sets.
pub trait Bench {
    /// The machine; `None`: it simulates.
    fn machine(&self) -> Option<Machine>;

    /// Whether it can run this policy; [`SUPERVISOR`]: whether it can run tasks under one;
    /// [`COUNTING`]: whether it has images that count instructions.
    fn has(&self, policy: &str) -> bool;

    /// For how long a trial may be; longer ones are refused.
    fn longest(&self) -> Duration;

    /// What its kernel is known to cost, for predictions. Nothing by itself is charged for it.
    fn kernel(&self) -> Kernel {
        Kernel::CORTEX_M3
    }

    /// An experiment begins.
    ///
    /// # Errors
    /// [`StudyError::Interrupted`] if no more is wanted.
    fn begin(&mut self, stage: Stage) -> Result<(), BenchError>;

    /// An experiment asks now and then whether to go on, where something else than trials takes
    /// long.
    ///
    /// # Errors
    /// [`StudyError::Interrupted`] if no more is wanted.
    fn go_on(&mut self) -> Result<(), BenchError>;

    /// Runs a task set.
    ///
    /// # Errors
    /// [`BenchError`].
    fn run(&mut self, trial: &Trial) -> Result<RunResult, BenchError>;

    /// Runs tasks under a supervisor. `see` is told what is seen at the end of each period.
    ///
    /// # Errors
    /// [`BenchError`].
    fn supervise(
        &mut self,
        trial: &SupervisedTrial,
        see: &mut dyn FnMut(Observation),
    ) -> Result<(), BenchError>;

    /// Has an image of `apps/costs` count, in instructions, what the words of its command line ask
    /// for. Returns what it printed, a line a figure.
    ///
    /// # Errors
    /// [`BenchError`]; always if it has no such images.
    fn count(&mut self, image: &str, words: &[&str]) -> Result<String, BenchError> {
        let _ = words;
        Err(without_images(image))
    }

    /// Weighs an image of `apps/minimal`, which is built for few bytes.
    ///
    /// # Errors
    /// [`BenchError`]; always if it has no such images.
    fn size(&mut self, image: &str) -> Result<ImageSize, BenchError> {
        Err(without_images(image))
    }
}

fn without_images(image: &str) -> BenchError {
    StudyError::Bench(format!(
        "there is no image {image}: nothing counts instructions here"
    ))
    .into()
}

/// Why a trial could not be run.
#[derive(Debug)]
pub enum BenchError {
    /// The laboratory could not.
    Lab(StudyError),
    /// A machine could not; what it says about it.
    Machine(Box<dyn Error + Send + Sync>),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchError::Lab(error) => error.fmt(f),
            BenchError::Machine(error) => error.fmt(f),
        }
    }
}

impl Error for BenchError {}

impl<E: Into<StudyError>> From<E> for BenchError {
    fn from(error: E) -> BenchError {
        BenchError::Lab(error.into())
    }
}

impl Trial {
    /// A trial of all of `until`, with seed 0, that keeps numbers only.
    pub fn new(set: impl Into<Modes>, policy: &'static str, until: Duration) -> Trial {
        Trial {
            modes: set.into(),
            policy,
            until,
            stop_at_miss: false,
            seed: 0,
            keep: 0,
            phases: Vec::new(),
        }
    }

    /// The same, and its first events are kept.
    #[must_use]
    pub fn keeping(mut self, events: usize) -> Trial {
        self.keep = events;
        self
    }

    /// The same, and this is counted apart in the phases that `ends` divides it into.
    #[must_use]
    pub fn counting(mut self, ends: &[Duration]) -> Trial {
        self.phases = ends.to_vec();
        self
    }

    /// Records what happens in it, and how long messages take through several queues.
    pub fn recorder(&self) -> Recorder {
        let set = self.modes.all();
        match &self.phases[..] {
            [] => {
                let cpus = set.platform.cpus;
                let mut recorder = Recorder::new(set, cpus, self.policy, self.keep);
                recorder.follow_paths(message_paths(set));
                recorder
            }
            ends => Recorder::counting(set, self.policy, ends),
        }
    }
}

impl SupervisedTrial {
    fn half_period(&self) -> Duration {
        Duration::from_nanos(self.plan.period.as_nanos() / 2)
    }

    /// Returns how long it takes: half a period longer than so many periods, so that a supervisor
    /// that is late acts as often as one that is not.
    pub fn until(&self) -> Duration {
        self.plan.period * u64::from(self.periods) + self.half_period()
    }

    /// Simulates it. `see` is told what is seen at the end of each period.
    ///
    /// # Errors
    /// [`StudyError::Sim`] if a task is on a CPU that there is not.
    pub fn simulate(&self, see: impl FnMut(Observation)) -> Result<(), StudyError> {
        let changes = self.changes.iter().copied();
        let mut observed: Observed<Boxed, Boxed, _, _> =
            Observed::new(&self.plan, Time::ZERO, changes, see);
        let options = Options::until(self.until());
        simulate_controlled(
            &self.set,
            &self.scheduler,
            &options,
            &mut NoTrace,
            &mut observed,
        )?;
        Ok(())
    }
}

impl RunResult {
    /// What was recorded of a trial that ended at `end`.
    pub fn of(recorder: Recorder, end: Time) -> RunResult {
        let first_miss = recorder.first_deadline();
        let phases = recorder.phases().to_vec();
        let group_changes = recorder.group_changes();
        let (summary, trace) = recorder.finish(end);
        RunResult {
            summary,
            trace,
            phases,
            first_miss,
            group_changes,
            speeds: None,
        }
    }
}

/// The simulator as a bench.
pub struct Simulator<'a> {
    registry: &'a Registry,
    watch: &'a mut Watch<'a>,
    stage: Stage,
}

impl<'a> Simulator<'a> {
    /// Simulates the policies of `registry`. `watch` is told how far it has come, with the
    /// experiment's name in the place of the policy's, and may end it.
    pub fn new(registry: &'a Registry, watch: &'a mut Watch<'a>) -> Simulator<'a> {
        Simulator {
            registry,
            watch,
            stage: Stage {
                name: "",
                number: 0,
                of: 1,
            },
        }
    }

    fn tell(&mut self, now: Time, until: Time) -> std::ops::ControlFlow<()> {
        (self.watch)(Progress {
            policy: self.stage.name,
            number: self.stage.number,
            of: self.stage.of,
            now,
            until,
        })
    }
}

impl Bench for Simulator<'_> {
    fn machine(&self) -> Option<Machine> {
        None
    }

    fn has(&self, policy: &str) -> bool {
        policy == SUPERVISOR || self.registry.find(policy).is_ok()
    }

    fn longest(&self) -> Duration {
        Duration::MAX
    }

    fn begin(&mut self, stage: Stage) -> Result<(), BenchError> {
        self.stage = stage;
        self.go_on()
    }

    fn go_on(&mut self) -> Result<(), BenchError> {
        if self.tell(Time::ZERO, Time::NEVER).is_break() {
            return Err(StudyError::Interrupted.into());
        }
        Ok(())
    }

    fn run(&mut self, trial: &Trial) -> Result<RunResult, BenchError> {
        let Trial {
            modes,
            policy,
            until,
            ..
        } = trial;
        let set = modes.all();
        let registry = self.registry;
        let entry = registry.find(policy)?;
        let values = entry.values(&set.name, set)?;
        entry.fits(&values, set)?;
        let mut recorder = trial.recorder();
        let options = Options {
            until: *until,
            stop_at_miss: trial.stop_at_miss,
            seed: trial.seed,
        };
        let end = Time::ZERO + *until;
        if self.tell(Time::ZERO, end).is_break() {
            return Err(StudyError::Interrupted.into());
        }
        let mut watch = |now| self.tell(now, end);
        let outcome = entry.simulate_modes(&values, modes, &options, &mut recorder, &mut watch)?;
        if outcome.why == Ended::Interrupted {
            return Err(StudyError::Interrupted.into());
        }
        Ok(RunResult {
            speeds: outcome.speeds,
            ..RunResult::of(recorder, outcome.ended)
        })
    }

    fn supervise(
        &mut self,
        trial: &SupervisedTrial,
        see: &mut dyn FnMut(Observation),
    ) -> Result<(), BenchError> {
        let end = Time::ZERO + trial.until();
        if self.tell(Time::ZERO, end).is_break() {
            return Err(StudyError::Interrupted.into());
        }
        Ok(trial.simulate(see)?)
    }
}
