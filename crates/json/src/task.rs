//! What became of a task, as all commands print it.

use serde::{Deserialize, Serialize};

/// What was counted and measured of one task.
///
/// Response times count from a job's release to its completion. `null`: no job was completed.
/// Percentiles are by nearest rank: of n response times in rising order that with the number
/// ⌈n · p / 100⌉, from 1. They are read from a histogram, so they are never too small, and less
/// than 1 % too large.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskNumbers {
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
    /// How often a job of it went on on another CPU than the one where it had run last.
    pub job_migrations: u64,
    /// How often a job of it began on another CPU than the one where the job before had run last.
    pub task_migrations: u64,
    /// The shortest response time.
    pub response_min_ns: Option<u64>,
    /// The mean.
    pub response_mean_ns: Option<u64>,
    /// The median: half of all are no longer.
    pub response_p50_ns: Option<u64>,
    /// What 95 % of all are not above.
    pub response_p95_ns: Option<u64>,
    /// What 99 % of all are not above.
    pub response_p99_ns: Option<u64>,
    /// The longest.
    pub response_max_ns: Option<u64>,
    /// The longest time from a release to when the job first ran.
    pub start_latency_max_ns: Option<u64>,
    /// The longest time from a deadline to the completion of its job.
    pub tardiness_max_ns: u64,
    /// For how long it ran.
    pub cpu_time_ns: u64,
}
