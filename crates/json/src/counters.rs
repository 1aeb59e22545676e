//! What `overheads --counters` prints: what counters count of programs whose behaviour is known.

use serde::{Deserialize, Serialize};

/// Everything.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counters {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// What has counted: `"processor"`, or `"cachegrind"`, which simulates caches.
    pub counted_by: Counting,
    /// Why the processor has not counted; `null`: it has.
    pub no_counters: Option<String>,
    /// How long a request to memory is taken to be, in cycles of the highest frequency.
    pub latency_cycles: u32,
    /// The programs.
    pub generators: Vec<Generator>,
}

/// What has counted.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// This processor.
    Processor,
    /// Valgrind's cachegrind.
    Cachegrind,
}

/// A program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Generator {
    /// Its name: `"mem"` or `"alu"`.
    pub name: String,
    /// Instructions executed.
    pub instructions: u64,
    /// Misses of the caches next to the processor; `null`: not counted.
    pub first_misses: Option<u64>,
    /// Requests to memory: misses of the last cache.
    pub requests: u64,
    /// Cycles.
    pub cycles: u64,
    /// Whether the cycles are estimated: one an instruction, 10 a miss of the first caches, 100 a request.
    pub cycles_are_estimated: bool,
    /// Requests to memory per cycle.
    pub requests_per_cycle: f64,
    /// Instructions per cycle.
    pub instructions_per_cycle: f64,
    /// Whether it waits for memory half of its time or more, by the latency.
    pub is_memory_bound: bool,
    /// The lowest frequency in hertz, of those that the file names, at which it loses at most a tenth; `null`:
    /// no file was given.
    pub lowest_frequency_hertz: Option<u64>,
}
