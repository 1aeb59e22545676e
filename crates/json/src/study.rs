//! What `study` and `simulate` print.

use crate::compare::Compared;
use crate::task::TaskNumbers;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `study --json` and `simulate --json` print.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Study {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// The task set's file, as the user named it.
    pub file: String,
    /// What the task set is called.
    pub name: String,
    /// Number of CPUs.
    pub cpus: u8,
    /// What the tasks that come again ask for, in millionths of one CPU.
    pub utilisation_ppm: u64,
    /// After how long all tasks that come again arrive as at first; `null`: they never do, or later
    /// than can be counted.
    pub hyperperiod_ns: Option<u64>,
    /// One entry a policy.
    pub policies: Vec<Policy>,
    /// What the reader should know, in sentences.
    pub notes: Vec<String>,
    /// What a machine did; only there if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

/// What a machine did with the task set, beside the simulation of just that.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measured {
    /// The machine's short name.
    pub machine: String,
    /// What it is and what its times mean. The wording is no part of the contract.
    pub title: String,
    /// One entry a policy that the machine has.
    pub policies: Vec<Compared>,
    /// What the reader should know, in sentences.
    pub notes: Vec<String>,
}

/// What became of the task set under one policy.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Policy {
    /// The policy's short name.
    pub policy: String,
    /// What it is called.
    pub title: String,
    /// Its settings and those of tasks, by name, as a user would write them.
    pub settings: BTreeMap<String, String>,
    /// Whether the task set holds under the policy.
    pub verdict: Verdict,
    /// Whether all deadlines are met for ever, with all execution times and arrivals that the task
    /// set allows; `null`: not known.
    pub holds: Option<bool>,
    /// The test that proves it, or `"simulation"`; `null` where nothing is proved.
    pub proof: Option<String>,
    /// Why, in a sentence. Its wording is no part of the contract.
    pub reason: String,
    /// By how much all execution times together may grow; `null`: not known.
    pub breakdown: Option<Breakdown>,
    /// What the simulation did.
    pub simulated: Simulated,
    /// One entry a task, in the order of the task set.
    pub tasks: Vec<Task>,
    /// What the reader should know, in sentences.
    pub notes: Vec<String>,
}

/// Whether all deadlines are met for ever.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// With all execution times and arrivals that the task set allows.
    Holds,
    /// With exactly the simulated execution times and arrivals, and perhaps not where a job
    /// computes for less.
    ExactTimes,
    /// Some deadline can be missed.
    DoesNotHold,
    /// That could not be found out.
    NotKnown,
}

/// Where a task set breaks down.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Breakdown {
    /// The largest factor for all execution times with which the set still holds, in millionths.
    pub factor_ppm: u64,
    /// The utilisation then, in millionths.
    pub utilisation_ppm: u64,
    /// Whether it is not known if it holds with more, as the search stopped.
    pub at_least: bool,
}

/// What a simulation did.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Simulated {
    /// When it ended.
    pub until_ns: u64,
    /// Jobs completed.
    pub jobs: u64,
    /// Deadlines missed, and over- and underruns.
    pub misses: u64,
    /// How often a running job lost the CPU to another one.
    pub preemptions: u64,
    /// How often a CPU began to run another task than the one it had run last.
    pub context_switches: u64,
    /// How often a CPU began to run a task of another `group` than that of the one it had run last;
    /// left out where all tasks are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_changes: Option<u64>,
    /// How often a job went on on another CPU than the one where it had run last.
    pub job_migrations: u64,
    /// How often a job began on another CPU than the one where the task's job before had run last.
    pub task_migrations: u64,
    /// The part of the time of all CPUs in which they worked for tasks, in millionths.
    pub busy_ppm: u64,
    /// How long chains of jobs took that release each other by messages and signals.
    pub chains: Vec<Chain>,
    /// What became of the message queues, in the order of the task set; left out where none was used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<Queue>,
    /// How long messages took on paths through several queues, where counting them tells that; left out where there
    /// is no such path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<MessagePath>,
    /// What tasks were entitled to under a policy that changes reservations by itself, in the order of the task
    /// set; left out under all other policies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reservations: Vec<Reservation>,
    /// How operating points were used; left out where the platform has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speeds: Option<Speeds>,
}

/// How operating points were used, where the platform has some.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Speeds {
    /// How often CPUs went over to another operating point.
    pub adjustments: u64,
    /// Each CPU.
    pub cpus: Vec<CpuSpeeds>,
    /// The energy of tasks and the kernel in joules, without that of idling; none if powers are not
    /// known.
    pub energy_j: Option<f64>,
    /// The same, with that of idling.
    pub energy_with_idle_j: Option<f64>,
    /// The energy of each task in joules, in the order of the task set; none if powers are not known.
    pub tasks_j: Option<Vec<f64>>,
}

/// How one CPU used its operating points.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuSpeeds {
    /// How often it went over to another one.
    pub adjustments: u64,
    /// How long that took, all together.
    pub changing_ns: u64,
    /// How long it was at each point, the slowest first, idle or not.
    pub at_ns: Vec<u64>,
    /// The energy of the kernel's work in joules.
    pub kernel_j: Option<f64>,
    /// The energy of idling in joules.
    pub idle_j: Option<f64>,
}

/// The end-to-end latency of a chain: from the release of a job of its first task to the completion
/// of the job of its last one that it released, through those between them.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Chain {
    /// The names of the tasks, at least two.
    pub tasks: Vec<String>,
    /// How often it was complete.
    pub count: u64,
    /// The shortest.
    pub latency_min_ns: Option<u64>,
    /// The mean, rounded down.
    pub latency_mean_ns: Option<u64>,
    /// The longest.
    pub latency_max_ns: Option<u64>,
}

/// What became of one message queue.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// How many messages it can hold.
    pub capacity: u16,
    /// The most messages that it held.
    pub highest: u16,
    /// How many messages were put in.
    pub put: u64,
    /// How often a source found it without room for all its messages. Each time is a miss.
    pub overruns: u64,
    /// Messages that sources lost so.
    pub lost: u64,
    /// How often a sink found fewer messages than it takes. Each time is a miss.
    pub underruns: u64,
    /// Messages that sinks missed so.
    pub missing: u64,
    /// How often a task waited for a message, or for room for one.
    pub stalls: u64,
    /// For how long tasks waited so, all together.
    pub stalled_ns: u64,
    /// How often one of these tasks waited for room, as the queue was full; left out if never.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub full_stalls: u64,
    /// For how long senders waited so, all together; left out if they never did.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub full_stalled_ns: u64,
    /// How long messages were in the queue: the shortest.
    pub delay_min_ns: Option<u64>,
    /// The mean, rounded down.
    pub delay_mean_ns: Option<u64>,
    /// The longest.
    pub delay_max_ns: Option<u64>,
    /// The standard deviation of these times, rounded down; left out where no message was taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_deviation_ns: Option<u64>,
    /// The mean time between two messages that were put in one after the other, rounded down; left out where there
    /// were no two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_mean_ns: Option<u64>,
    /// The standard deviation of these times, rounded down; left out where the mean is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_deviation_ns: Option<u64>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature is serde's"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How long messages took from the instant when they were put into the first queue of a path until they left the last
/// one. What a task made of several messages counts from the first of these.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessagePath {
    /// The names of the queues, at least two.
    pub queues: Vec<String>,
    /// How many messages left the last one.
    pub count: u64,
    /// The shortest time; `null`: no message left the last queue.
    pub latency_min_ns: Option<u64>,
    /// The mean, rounded down.
    pub latency_mean_ns: Option<u64>,
    /// The standard deviation, rounded down.
    pub latency_deviation_ns: Option<u64>,
    /// The longest.
    pub latency_max_ns: Option<u64>,
}

/// What a task was entitled to: its share of a CPU, in millionths, in each period.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reservation {
    /// The name of the task.
    pub task: String,
    /// The share at first.
    pub share_first_ppm: u64,
    /// The least share.
    pub share_min_ppm: u64,
    /// The mean of the share over time.
    pub share_mean_ppm: u64,
    /// The largest share.
    pub share_max_ppm: u64,
    /// The share at the end.
    pub share_last_ppm: u64,
    /// The shortest period.
    pub period_min_ns: u64,
    /// The longest period.
    pub period_max_ns: u64,
    /// The period at the end.
    pub period_last_ns: u64,
    /// How often the share was reduced because the CPU was overloaded.
    pub reduced: u64,
}

/// What became of one task.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Task {
    /// Its name.
    pub name: String,
    /// Its relative deadline; `null`: it has none.
    pub deadline_ns: Option<u64>,
    /// No job can take longer, says the analysis.
    pub response_bound_ns: Option<u64>,
    /// By how much its worst-case execution time alone may grow.
    pub slack_ns: Option<u64>,
    /// What was counted and measured of it in the simulation.
    #[serde(flatten)]
    pub numbers: TaskNumbers,
}
