//! What a study found: plain data. The laboratory fills it in, and the other modules present it.

use crate::compare::SideBySide;
use crate::note::Note;
use crate::reason::Evidence;
use flyball_model::TaskSet;
use flyball_trace::Duration;
use flyball_trace::file::Trace;
use flyball_trace::metrics::{Summary, TaskSummary};

pub use flyball_sim::{CpuSpeeds, Energy, SpeedUse};

/// A task set, and what became of it under each policy.
#[derive(Clone, Debug, Default)]
pub struct Study {
    /// The task set's file, as the user named it.
    pub file: String,
    /// The task set.
    pub set: TaskSet,
    /// Number of CPUs.
    pub cpus: u8,
    /// What was found for each policy, in the order in which they were asked for.
    pub policies: Vec<PolicyReport>,
    /// What the reader should know about the study as a whole.
    pub notes: Vec<Note>,
    /// What a machine did with the task set, if one was asked.
    pub measured: Option<Measured>,
}

/// What a machine did with a task set, beside its simulation.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The machine's short name, as on the command line.
    pub machine: String,
    /// What it is and what its times mean.
    pub title: String,
    /// Both schedules under each policy, by its short name.
    pub policies: Vec<(String, SideBySide)>,
    /// What the reader should know.
    pub notes: Vec<Note>,
}

/// What became of a task set under one policy.
#[derive(Clone, Debug, Default)]
pub struct PolicyReport {
    /// The policy's short name, as on the command line.
    pub policy: String,
    /// Its name in words.
    pub title: String,
    /// Its settings and those of tasks, by name, as a user would write them.
    pub settings: Vec<(String, String)>,
    /// Does it hold?
    pub verdict: Verdict,
    /// What the simulation did.
    pub simulated: Simulated,
    /// How operating points were used in it, where the platform has some.
    pub speeds: Option<SpeedUse>,
    /// For each task, in the order of the task set.
    pub tasks: Vec<TaskReport>,
    /// By how much all worst-case execution times can grow together, where that is known.
    pub breakdown: Option<Breakdown>,
    /// What was measured in the simulation.
    pub summary: Summary,
    /// The simulated schedule, or as much of it as was kept from the start; its header's `end_ns`
    /// says until when it is complete, and is less than what was simulated where it was cut.
    pub trace: Trace,
    /// What the reader should know.
    pub notes: Vec<Note>,
}

/// Whether all deadlines are met for ever, and how that is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// Whether they are.
    pub schedulable: Schedulable,
    /// What proves it: the name of an exact or sufficient test, or "simulation".
    pub proof: Option<String>,
    /// What it is concluded from, if it is known.
    pub evidence: Option<Evidence>,
}

impl Verdict {
    /// Whether all deadlines are met, whatever the task set allows; `None`: that is not known, even
    /// if they are met with exactly the simulated times.
    pub fn holds(&self) -> Option<bool> {
        match self.schedulable {
            Schedulable::Always => Some(true),
            Schedulable::Not => Some(false),
            Schedulable::ExactTimes | Schedulable::Unknown => None,
        }
    }
}

/// Whether a task set meets all deadlines for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Schedulable {
    /// For every execution time and every arrival that the task set allows.
    Always,
    /// With exactly the simulated execution times and arrivals. A job that computes for less might
    /// make another one late.
    ExactTimes,
    /// A deadline is missed.
    Not,
    /// Nothing is known.
    #[default]
    Unknown,
}

impl Schedulable {
    /// Its name for programs, a part of the contracts of JSON and CSV.
    pub const fn name(self) -> &'static str {
        match self {
            Schedulable::Always => "holds",
            Schedulable::ExactTimes => "exact-times",
            Schedulable::Not => "does-not-hold",
            Schedulable::Unknown => "not-known",
        }
    }

    /// In a few words for people.
    pub const fn words(self) -> &'static str {
        match self {
            Schedulable::Always => "holds",
            Schedulable::ExactTimes => "holds for exactly these times",
            Schedulable::Not => "does not hold",
            Schedulable::Unknown => "not known",
        }
    }
}

impl From<Option<bool>> for Schedulable {
    /// That of a test, which is about all that the task set allows.
    fn from(holds: Option<bool>) -> Schedulable {
        match holds {
            Some(true) => Schedulable::Always,
            Some(false) => Schedulable::Not,
            None => Schedulable::Unknown,
        }
    }
}

/// What a simulation did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Simulated {
    /// When it ended.
    pub until: Duration,
    /// Jobs completed.
    pub jobs: u64,
    /// Deadlines missed, and over- and underruns.
    pub misses: u64,
    /// How often a running job lost the CPU to another one.
    pub preemptions: u64,
    /// How often a CPU began to run another task than the one it had run last.
    pub context_switches: u64,
    /// How often a CPU began to run a task of another `group` than that of the one it had run last;
    /// `None`: all tasks are in one.
    pub group_changes: Option<u64>,
}

/// What became of one task.
#[derive(Clone, Debug, Default)]
pub struct TaskReport {
    /// Its name.
    pub name: String,
    /// No job can take longer than this from release to completion, says the analysis.
    pub response_bound: Option<Duration>,
    /// By how much its worst-case execution time alone may grow.
    pub slack: Option<Duration>,
    /// What was measured in the simulation.
    pub measured: TaskSummary,
}

/// By how much all worst-case execution times together can grow or have to shrink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breakdown {
    /// The largest factor with which the set is known to hold, in millionths.
    pub factor_ppm: u64,
    /// The utilisation that it has then, in millionths.
    pub utilisation_ppm: u64,
    /// Whether it is not known if it holds with more, as the search stopped.
    pub at_least: bool,
}
