//! The experiments: in which iteration a deadline is missed first, and how many are in an overload.

use super::extended::{self, Overload, PHASES};
use super::workload::{Setup, Test, tasks};
use crate::error::LabError;
use crate::recorder::{Phase, Recorder};
use crate::registry::Registry;
use flyball_model::{Overheads, Setting, TaskSet, Value};
use flyball_sim::{Modes, Options};
use flyball_trace::{Duration, Time};
use std::fmt;
use std::ops::ControlFlow;

/// How long an iteration takes, and twice that the baseline before the first.
pub const ITERATION: Duration = Duration::from_secs(1);

/// No series goes on for longer: the last iterations ask for more than the CPU under any rules.
const MOST_ITERATIONS: u32 = 40;

/// A policy with its settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contender {
    /// The policy's name.
    pub policy: &'static str,
    /// What it is told; defaults for the rest.
    pub settings: Vec<(&'static str, Value)>,
}

/// How a series ended.
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

    /// I+PI with a nominal burst, and with the bounds of the authors' programs: bursts up to five times
    /// as long, and as short as it takes.
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

    /// Lets `modes` run until `until`, and counts in phases.
    fn run(
        &self,
        modes: &Modes,
        overheads: &Overheads,
        options: &Options,
        phases: &[Duration],
    ) -> Result<(Option<Time>, Vec<Phase>), LabError> {
        let mut set = TaskSet::default();
        let settings = set.policies.entry(self.policy.to_owned()).or_default();
        for (name, value) in &self.settings {
            let setting = Setting::from(value.clone());
            settings.values.insert((*name).to_owned(), setting);
        }
        let modes = modes.clone().with_overheads(overheads.clone());
        let registry = Registry::standard();
        let entry = registry.find(self.policy)?;
        let values = entry.values("the settings", &set)?;
        let mut recorder = Recorder::counting(modes.all(), self.policy, phases);
        let go_on = &mut |_| ControlFlow::Continue(());
        entry.simulate_modes(&values, &modes, options, &mut recorder, go_on)?;
        let miss = recorder.first_miss().map(|event| event.time);
        Ok((miss, recorder.phases().to_vec()))
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.policy)?;
        self.settings
            .iter()
            .try_for_each(|(name, value)| write!(f, " {name}={}", crate::settings::show(value)))
    }
}

/// Runs a series until a deadline is missed: two seconds of the baseline, and then each iteration for a
/// second, without a pause in between. `None`: none is missed, which can only be if nobody asks for
/// more than there is.
///
/// # Errors
/// [`LabError`] if there is no such policy, or if it cannot be told what it is told.
pub fn first_miss(
    test: Test,
    setup: Setup,
    contender: &Contender,
    overheads: &Overheads,
) -> Result<Option<FirstMiss>, LabError> {
    let start = ITERATION * 2;
    let mut modes = Modes::from(TaskSet {
        tasks: tasks(test, 0, setup),
        ..TaskSet::default()
    });
    for iteration in 1..=MOST_ITERATIONS {
        let at = start + ITERATION * u64::from(iteration - 1);
        modes = modes.then(at, tasks(test, iteration, setup));
    }
    let options = Options {
        stop_at_miss: true,
        ..Options::until(start + ITERATION * u64::from(MOST_ITERATIONS))
    };
    let (miss, phases) = contender.run(&modes, overheads, &options, &[start])?;
    let Some(miss) = miss else {
        return Ok(None);
    };
    let since = miss.since(Time::ZERO + start);
    // A deadline at the very end of an iteration is of that iteration.
    let iteration = since.as_nanos().div_ceil(ITERATION.as_nanos());
    Ok(Some(FirstMiss {
        iteration: u32::try_from(iteration).unwrap_or(u32::MAX),
        switches: phases.last().map_or(0.0, |phase| phase.a_second(since)),
    }))
}

/// Runs the extended benchmark.
///
/// # Errors
/// As [`first_miss`].
pub fn extended(
    test: Test,
    overload: Overload,
    setup: Setup,
    contender: &Contender,
    overheads: &Overheads,
) -> Result<Extended, LabError> {
    let modes = extended::modes(test, overload, setup);
    let [start, end, all] = PHASES;
    let (_, phases) = contender.run(&modes, overheads, &Options::until(all), &[start, end])?;
    let mut found = [Phase::default(); 3];
    found
        .iter_mut()
        .zip(phases)
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
