//! What a study simulates: under which policies, for how long, and what is counted.

use crate::settings::Settings;
use crate::share::Share;
use crate::speeds::Speeds;
use flyball_trace::Duration;
use std::collections::BTreeMap;

/// Most jobs that one simulation of a study may release. Some seconds of work.
pub const MOST_SIMULATED_JOBS: u64 = 10_000_000;

/// Most seeds.
pub const MOST_SEEDS: u32 = 10_000;

/// Most policies.
pub const MOST_POLICIES: usize = 100;

/// Simulations of each set of a study.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simulations {
    /// The names of the policies, each once.
    pub policies: Vec<String>,
    /// What is counted, each once, beside the jobs.
    pub measures: Vec<Measure>,
    /// How long each simulation is, in the simulated time.
    pub horizon: Duration,
    /// How many simulations of each set there are under each policy, with other random numbers, 1
    /// to [`MOST_SEEDS`].
    pub seeds: u32,
    /// From which to which part of its longest execution time a job computes, all equally likely;
    /// `None`: all of it. The first is not zero, and not above the second.
    pub execution: Option<[Share; 2]>,
    /// When the first jobs are released.
    pub phases: Phases,
    /// The operating points of the CPUs, if they have any.
    pub speeds: Option<Speeds>,
    /// What tells policies that do not come with Flyball from others of their name, such as a
    /// checksum of their source, by the policy's name: so that results of another source are not
    /// taken for theirs.
    pub sources: BTreeMap<String, String>,
    /// Settings of policies, by the policy's name.
    pub settings: BTreeMap<String, Settings>,
}

/// When the first jobs of tasks are released.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Phases {
    /// All together.
    #[default]
    Zero,
    /// Each task's at a random instant within its period, in whole microseconds.
    Random,
}

/// What is counted in a simulation. All of them are whole numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Measure {
    /// Deadlines that were missed, at the instants of the deadlines.
    Misses,
    /// The longest time after its deadline that a job completed, in nanoseconds.
    MaxTardiness,
    /// The mean of these times over all jobs that completed, in nanoseconds, rounded down.
    MeanTardiness,
    /// The longest response time as a part of the task's deadline, in millionths, rounded down.
    MaxResponse,
    /// The mean of these parts over all jobs that completed, in millionths, rounded down.
    MeanResponse,
    /// How often a running job lost the CPU to another one.
    Preemptions,
    /// How often a job went on on another CPU than the one where it had run last.
    Migrations,
    /// How often a CPU began to run another task than the one it had run last.
    Switches,
    /// The energy of all CPUs, idling included, in microjoules, rounded down.
    Energy,
    /// By how much the part of the time in which a task ran differs from its utilisation, in
    /// millionths: of the task where that is most.
    ShareError,
}

impl Measure {
    /// All of them.
    pub const ALL: [Measure; 10] = [
        Measure::Misses,
        Measure::MaxTardiness,
        Measure::MeanTardiness,
        Measure::MaxResponse,
        Measure::MeanResponse,
        Measure::Preemptions,
        Measure::Migrations,
        Measure::Switches,
        Measure::Energy,
        Measure::ShareError,
    ];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Measure::Misses => "misses",
            Measure::MaxTardiness => "max-tardiness",
            Measure::MeanTardiness => "mean-tardiness",
            Measure::MaxResponse => "max-response",
            Measure::MeanResponse => "mean-response",
            Measure::Preemptions => "preemptions",
            Measure::Migrations => "migrations",
            Measure::Switches => "switches",
            Measure::Energy => "energy",
            Measure::ShareError => "share-error",
        }
    }
}

impl Simulations {
    /// The policy whose results a column of that name would be: it begins with the policy's name and
    /// a space.
    pub fn owner(&self, column: &str) -> Option<&str> {
        let is_it = |policy: &&String| {
            let rest = column.strip_prefix(policy.as_str());
            rest.is_some_and(|rest| rest.starts_with(' '))
        };
        self.policies.iter().find(is_it).map(String::as_str)
    }

    /// Whether anything is drawn at random for each seed.
    pub fn are_random(&self) -> bool {
        self.phases == Phases::Random || self.execution.is_some_and(|[from, to]| from < to)
    }
}
