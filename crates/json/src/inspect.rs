//! What `inspect` prints.

use crate::task::TaskNumbers;
use serde::{Deserialize, Serialize};

/// What `inspect --json` prints.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inspected {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// The task set's name.
    pub name: String,
    /// The policy's short name.
    pub policy: String,
    /// Number of CPUs.
    pub cpus: u8,
    /// When the trace ends.
    pub until_ns: u64,
    /// How many events are in it.
    pub events: usize,
    /// How many later events were not kept, as there was no room.
    pub dropped: u64,
    /// Jobs completed.
    pub jobs: u64,
    /// Deadlines missed.
    pub misses: u64,
    /// How often a running job lost the CPU to another one.
    pub preemptions: u64,
    /// How often a CPU began to run another task than the one it had run last.
    pub context_switches: u64,
    /// For how long the CPUs had nothing to do, together.
    pub idle_ns: u64,
    /// The kernel's time, on all CPUs together.
    pub overhead_ns: u64,
    /// One entry a task.
    pub tasks: Vec<Task>,
}

/// What became of one task.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Task {
    /// Its name.
    pub name: String,
    /// What was counted and measured of it.
    #[serde(flatten)]
    pub numbers: TaskNumbers,
}
