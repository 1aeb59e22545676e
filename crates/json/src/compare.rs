//! What `compare` prints: a measured schedule beside its simulation.

use serde::{Deserialize, Serialize};

/// What `compare --json` prints.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// The task set's file, as the user named it.
    pub file: String,
    /// The machine's short name.
    pub machine: String,
    /// One entry a policy.
    pub policies: Vec<Compared>,
    /// What the reader should know, in sentences.
    pub notes: Vec<String>,
}

/// What came of comparing both under one policy.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared {
    /// The policy's short name.
    pub policy: String,
    /// Whether all events that were compared are the same, in the same order.
    pub same_order: bool,
    /// How many are, up to the first difference.
    pub events: usize,
    /// The first difference; `null`: there is none.
    pub difference: Option<Difference>,
    /// Why they part, where a reason is known: `costs` (where each entry of the kernel takes what it took on the machine, instead
    /// of a mean, the order is the same to the end, and `events` counts these), `hair` (things come so near to each other that either may be
    /// first: a simulation whose computations and costs are a few microseconds off parts in the same way),
    /// `one-entry` (the machine makes two releases in one entry of its kernel), `last-call` (the last
    /// call of a job lets a more urgent task run before it ends) or `no-room` (the machine skips a job that
    /// waits for earlier ones, for which it has no room). `null`: none, or there is no difference.
    #[serde(default)]
    pub reason: Option<String>,
    /// Two things that come in different orders, within 10 µs in both schedules, and so are the
    /// reason for the difference; `null`: there are none.
    pub hair: Option<Hair>,
    /// The largest difference between the instants at which a job was complete.
    pub largest_ns: u64,
    /// What the kernel was seen to spend on each release, ...
    pub release_ns: u64,
    /// ... on each call, ...
    pub call_ns: u64,
    /// ... on each decision, ...
    pub scheduling_ns: u64,
    /// ... and on each change to another task.
    pub context_switch_ns: u64,
    /// A run of the policy's controllers; missing if none was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_ns: Option<u64>,
    /// The policy's setting `quantum`; `null` if it has none.
    pub quantum_ns: Option<u64>,
    /// The quantum as the simulation had it: the setting, corrected by what the machine's kernel
    /// does to each time slice, which is less than a kernel entry takes; `null` if the policy
    /// has none.
    pub slice_ns: Option<u64>,
    /// One entry a task, in the order of the task set.
    pub tasks: Vec<ComparedTask>,
}

/// Where two schedules part.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// What the simulation did, and when; the wording is no part of the contract.
    pub simulated: String,
    /// When.
    pub simulated_ns: u64,
    /// What the machine did; the wording is no part of the contract.
    pub measured: String,
    /// When.
    pub measured_ns: u64,
}

/// Two things that happen at nearly the same time, and in another order on the machine than in the
/// simulation.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hair {
    /// What comes first in the simulation; the wording is no part of the contract.
    pub first: String,
    /// What comes first on the machine; the wording is no part of the contract.
    pub second: String,
    /// When the first happens in the simulation.
    pub first_simulated_ns: u64,
    /// When the second does.
    pub second_simulated_ns: u64,
    /// When the first happens on the machine.
    pub first_measured_ns: u64,
    /// When the second does.
    pub second_measured_ns: u64,
}

/// How one task fared on the machine and in the simulation.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedTask {
    /// Its name.
    pub name: String,
    /// Jobs that were completed in both.
    pub jobs: u64,
    /// The largest difference between their instants of completion.
    pub largest_ns: u64,
    /// The largest ratio of such a difference to the measured response time, in millionths.
    pub largest_ppm: u64,
    /// Jobs that differ by more than 20 us and more than 1 % of their response time.
    pub notable: u64,
    /// The longest response time in the simulation; `null` if no job was completed.
    pub simulated_response_max_ns: Option<u64>,
    /// The same on the machine.
    pub measured_response_max_ns: Option<u64>,
    /// Deadlines missed in the simulation.
    pub simulated_misses: u64,
    /// The same on the machine.
    pub measured_misses: u64,
}
