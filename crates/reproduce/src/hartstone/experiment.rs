//! The experiments: in which iteration a deadline is missed first, and how many are in an overload.

use super::extended::{self, Overload, PHASES};
use super::series::Experiment;
use super::workload::{Setup, Test};
use flyball_measure::bench::{Bench, BenchError, Trial};
use flyball_model::{Overheads, Value};
use flyball_sim::Modes;
use flyball_study::Phase;
use flyball_trace::{Duration, Time};
use std::fmt;

/// How long an iteration takes, and twice that the baseline before the first.
pub const ITERATION: Duration = Duration::from_secs(1);

/// By how much deadlines that are to be at the end of an iteration may be after it: periods are
/// whole nanoseconds, and frequencies whole hertz.
const ROUNDING: Duration = Duration::from_micros(1);

/// No experiment goes on for longer. By then tests ask for more than the CPU under any rules,
/// deadlines are as close as they can be, and the server is taken for longer than the period of
/// task 5.
pub const MOST_ITERATIONS: u32 = 40;

/// A policy with its settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contender {
    /// The policy's name.
    pub policy: &'static str,
    /// What it is told; defaults for the rest.
    pub settings: Vec<(&'static str, Value)>,
}

/// How an experiment ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FirstMiss {
    /// In which iteration the first deadline was missed; 0: in the baseline.
    pub iteration: u32,
    /// Context switches a second, from the first iteration to the miss.
    pub switches: f64,
}

/// What happened in an overload: before it, in it and after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extended(pub [Phase; 3]);

impl Contender {
    /// The policy of that name with its defaults.
    pub fn new(policy: &'static str) -> Contender {
        Contender {
            policy,
            settings: Vec::new(),
        }
    }

    /// The same, but for one setting.
    #[must_use]
    pub fn with(mut self, setting: &'static str, value: Value) -> Contender {
        self.settings.retain(|(name, _)| *name != setting);
        self.settings.push((setting, value));
        self
    }

    /// Round robin with the thesis's quantum.
    pub fn rr() -> Contender {
        let quantum = Value::Duration(Duration::from_millis(1));
        Contender::new("rr").with("quantum", quantum)
    }

    /// Earliest deadline first.
    pub fn edf() -> Contender {
        Contender::new("edf")
    }

    /// I+PI with a nominal burst, and with the bounds of the authors' programs: bursts up to five
    /// times as long, and as short as it takes.
    pub fn ipi(nominal: Duration) -> Contender {
        Contender::new("ipi")
            .with("nominal", Value::Duration(nominal))
            .with("shortest", Value::Duration(Duration::ZERO))
            .with("longest", Value::Duration(nominal * 5))
    }

    /// I+PI that knows deadlines, which is beyond the thesis: the settings of
    /// [`Settings::DEADLINE_AWARE`](flyball_policy::i_plus_pi::Settings::DEADLINE_AWARE).
    pub fn deadline_aware() -> Contender {
        Contender::ipi(Duration::from_millis(4))
            .with("sequence", Value::Text("urgency".to_owned()))
            .with("wake", Value::Text("round".to_owned()))
    }

    /// A trial of `modes` until `until`, counted in phases.
    fn trial(
        &self,
        modes: Modes,
        overheads: &Overheads,
        until: Duration,
        phases: &[Duration],
    ) -> Trial {
        let modes = modes
            .with_overheads(overheads.clone())
            .with_settings(self.policy, &self.settings);
        Trial::new(modes, self.policy, until).counting(phases)
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.policy)?;
        self.settings.iter().try_for_each(|(name, value)| {
            write!(f, " {name}={}", flyball_study::settings::show(value))
        })
    }
}

/// Runs an experiment until a deadline is missed: two seconds of the baseline, and then each
/// iteration for a second, without a pause in between, up to the iteration `most`. `None`: none is
/// missed up to then.
///
/// # Errors
/// [`BenchError`] if there is no such policy, if it cannot be told what it is told, or if the bench
/// cannot run it.
pub fn first_miss(
    bench: &mut dyn Bench,
    experiment: Experiment,
    setup: Setup,
    contender: &Contender,
    overheads: &Overheads,
    most: u32,
) -> Result<Option<FirstMiss>, BenchError> {
    let start = ITERATION * 2;
    let mut modes = Modes::from(experiment.task_set(0, setup));
    for iteration in 1..=most {
        let at = start + ITERATION * u64::from(iteration - 1);
        modes = modes.then(at, experiment.tasks(iteration, setup));
    }
    let until = start + ITERATION * u64::from(most);
    let trial = Trial {
        stop_at_miss: true,
        ..contender.trial(modes, overheads, until, &[start])
    };
    let ran = bench.run(&trial)?;
    let Some(miss) = ran.first_miss else {
        return Ok(None);
    };
    let since = miss.time.since(Time::ZERO + start);
    // A deadline at the very end of an iteration is of that iteration.
    let inside = since.saturating_sub(ROUNDING).as_nanos();
    let iteration = inside.div_ceil(ITERATION.as_nanos());
    Ok(Some(FirstMiss {
        iteration: u32::try_from(iteration).unwrap_or(u32::MAX),
        switches: ran.phases.last().map_or(0.0, |phase| phase.a_second(since)),
    }))
}

/// Runs the extended benchmark.
///
/// # Errors
/// As [`first_miss`].
pub fn extended(
    bench: &mut dyn Bench,
    test: Test,
    overload: Overload,
    setup: Setup,
    contender: &Contender,
    overheads: &Overheads,
) -> Result<Extended, BenchError> {
    let modes = extended::modes(test, overload, setup);
    let [start, end, all] = PHASES;
    let ran = bench.run(&contender.trial(modes, overheads, all, &[start, end]))?;
    let mut found = [Phase::default(); 3];
    found
        .iter_mut()
        .zip(ran.phases)
        .for_each(|(to, phase)| *to = phase);
    Ok(Extended(found))
}

impl Extended {
    /// Deadlines missed, in all.
    pub fn misses(&self) -> u64 {
        self.0.iter().map(|phase| phase.misses).sum()
    }

    /// Context switches a second, in all.
    pub fn switches(&self) -> f64 {
        let all = Phase {
            switches: self.0.iter().map(|phase| phase.switches).sum(),
            ..Phase::default()
        };
        all.a_second(PHASES[2])
    }
}
