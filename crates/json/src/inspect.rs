//! What `inspect` prints.

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
    /// Jobs released, ...
    pub released: u64,
    /// ... completed, ...
    pub completed: u64,
    /// ... late, ...
    pub misses: u64,
    /// ... not begun, as the one before was late, ...
    pub skipped: u64,
    /// ... and given up.
    pub aborted: u64,
    /// How often its jobs lost the CPU.
    pub preemptions: u64,
    /// The shortest response time; `null` if no job was completed.
    pub response_min_ns: Option<u64>,
    /// The mean.
    pub response_mean_ns: Option<u64>,
    /// The longest.
    pub response_max_ns: Option<u64>,
    /// The longest time from a release to when the job first ran.
    pub start_latency_max_ns: Option<u64>,
    /// The longest time from a deadline to the completion of its job.
    pub tardiness_max_ns: u64,
    /// For how long it ran.
    pub cpu_time_ns: u64,
}
