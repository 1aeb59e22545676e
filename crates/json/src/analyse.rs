//! What `analyse` prints. Factors and utilisations are millionths.

pub use crate::pipeline::Pipeline;
use serde::{Deserialize, Serialize};

/// What `analyse` prints.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Analysed {
    /// The tests cover the set.
    Covered(Analysis),
    /// They do not.
    Refused(Refusal),
}

/// Whether a largest value is known.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// It is this one.
    Exactly,
    /// It is this one or a larger one.
    AtLeast,
    /// There is none: nothing at all is accepted.
    Nothing,
    /// No.
    NotKnown,
}

/// What is known of a task set. Times are nanoseconds, factors and utilisations millionths.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Analysis {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// The task set's file, as the user named it.
    pub file: String,
    /// Number of CPUs.
    pub cpus: u32,
    /// The utilisation of all tasks together.
    pub utilisation_ppm: u64,
    /// Why no policy at all can hold the set, in a sentence; `null`: that is not known.
    pub infeasible: Option<String>,
    /// How late a job may be released because of a tick; it is taken off periods and deadlines.
    pub late_ns: u64,
    /// One entry a policy.
    pub policies: Vec<Policy>,
    /// Policies of which nothing is said, as it is not known what they are to be charged.
    pub uncharged: Vec<String>,
    /// How the tasks are divided among the CPUs under policies without migration; `null`: no way
    /// was found.
    pub partition: Option<Partition>,
    /// The same, with as few CPUs as a way was found for.
    pub cheapest_partition: Option<Partition>,
    /// What each kind of overheads costs, if any are charged.
    pub overheads: Vec<Effect>,
    /// What is known of the servers that the set declares.
    #[serde(default)]
    pub servers: Vec<Server>,
    /// How slow CPUs may be, under each policy of one CPU with an exact test that is known to hold the set;
    /// left out where the platform has no operating points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operating_points: Vec<OperatingPoints>,
    /// The longest `window` with which `dss-edf` is known to hold the set; left out where none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_window_ns: Option<u64>,
    /// What the pipeline needs on the average; left out where no queue is used by two tasks, sources or sinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<Pipeline>,
}

/// What is printed of a set that the tests do not cover.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refusal {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// The task set's file, as the user named it.
    pub file: String,
    /// What it is about the set, in a sentence.
    pub not_covered: String,
    /// What is known of the servers that the set declares all the same.
    #[serde(default)]
    pub servers: Vec<Server>,
    /// By how much critical sections of other tasks hurt each server under `cbs`, in sentences.
    #[serde(default)]
    pub critical_sections: Vec<String>,
    /// How slow CPUs may be, under each policy of one CPU with an exact test that is known to hold the set;
    /// left out where the platform has no operating points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operating_points: Vec<OperatingPoints>,
    /// The longest `window` with which `dss-edf` is known to hold the set; left out where none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_window_ns: Option<u64>,
    /// What the pipeline needs on the average; left out where no queue is used by two tasks, sources or sinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<Pipeline>,
}

/// What is known of a server, which has its budgets if all servers of its CPU together ask for no more than
/// the CPU.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Server {
    /// Its name.
    #[serde(rename = "server")]
    pub name: String,
    /// What it asks for of its CPU: budget ÷ deadline.
    pub asks_for_ppm: u64,
    /// What all servers of its CPU ask for together; `null`: it is on no CPU yet.
    pub all_ask_for_ppm: Option<u64>,
    /// Its tasks that compute for no more than they declare.
    pub tasks: Vec<Served>,
    /// Its tasks that may compute for as long as they like. Nothing is known of the others then.
    pub unbounded: Vec<String>,
    /// Which budgets are enough, for some periods.
    pub budgets: Vec<Budget>,
}

/// What is known of a task in a server.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Served {
    /// Its name.
    #[serde(rename = "task")]
    pub name: String,
    /// No job takes longer, whatever the tasks of other servers do; `null`: it is not known to be in time.
    pub response_bound_ns: Option<u64>,
}

/// A budget that is enough for a server's tasks.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budget {
    /// In which period.
    pub period_ns: u64,
    /// How much; `null`: none is known to be.
    pub budget_ns: Option<u64>,
    /// Whether it is known that no smaller one is.
    pub is_smallest: bool,
}

/// What is known of the set under one policy.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Policy {
    /// The policy's short name.
    #[serde(rename = "policy")]
    pub name: String,
    /// `null`: it is not known.
    pub holds: Option<bool>,
    /// The verdict in a word: `holds`, `exact-times`, `does-not-hold` or `not-known`.
    pub verdict: String,
    /// What proves it: the name of a test, or `simulation`; `null`: nothing does.
    pub proof: Option<String>,
    /// What each of its tests says.
    pub tests: Vec<Test>,
    /// Under global fixed priorities: with which it holds, the most urgent task first.
    pub priorities: Option<Vec<String>>,
    /// The fewest that are known to do.
    pub fewest_cpus: Option<u32>,
    /// Fewer ones, or any if none are known to do, of which it is not known, as the search stopped.
    pub open_cpus: Vec<u32>,
    /// The largest factor that is proven.
    pub factor_ppm: Option<u64>,
    /// Whether it is known that no larger one is.
    pub factor: Known,
    /// One entry a task.
    pub tasks: Vec<Task>,
}

/// What one test of schedulability says.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Test {
    /// Its short name.
    #[serde(rename = "test")]
    pub name: String,
    /// `null`: it was stopped.
    pub accepts: Option<bool>,
    /// Why it does not accept the set, in a sentence.
    pub why_not: Option<String>,
}

/// What is known of a task under one policy.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Task {
    /// Its name.
    #[serde(rename = "task")]
    pub name: String,
    /// No job can take longer; `null`: not known.
    pub response_bound_ns: Option<u64>,
    /// The largest slack that is proven.
    pub slack_ns: Option<u64>,
    /// As `factor` of the policy; `null`: it was not asked.
    pub slack: Option<Known>,
}

/// Which tasks are on which CPU.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Partition {
    /// The short name of the heuristic that found it, or `all-ways`.
    pub fit: String,
    /// One entry a CPU.
    pub cpus: Vec<Cpu>,
}

/// A CPU and its tasks.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cpu {
    /// Their utilisation.
    pub utilisation_ppm: u64,
    /// Their names.
    pub tasks: Vec<String>,
}

/// How far execution times may grow if only these overheads are charged.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Effect {
    /// Which ones, in words.
    pub charged: String,
    /// Each policy, and the largest factor that is proven.
    pub factors_ppm: Vec<(String, Option<u64>)>,
    /// As `factor` of each policy.
    pub factors: Vec<(String, Known)>,
}

/// How slow CPUs may be under a policy that is known to hold the set at the fastest operating point. Points
/// are numbered from the slowest.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperatingPoints {
    /// The policy's name.
    pub policy: String,
    /// The test that says so.
    pub test: String,
    /// The slowest point at which the set is known to hold if CPUs always stay there.
    pub all: u8,
    /// Its frequency.
    pub all_hertz: u64,
    /// The same of each task alone, the others at the fastest point; none where it is not known.
    pub tasks: Vec<TaskPoint>,
}

/// How slow a task may be.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskPoint {
    /// Its name.
    #[serde(rename = "task")]
    pub name: String,
    /// The slowest point at which it may run.
    pub point: u8,
    /// Its frequency.
    pub hertz: u64,
}
