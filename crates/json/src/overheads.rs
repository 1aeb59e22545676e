//! What `overheads` prints: nanoseconds that were measured on this computer.

use serde::{Deserialize, Serialize};

/// Everything, in nanoseconds.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overheads {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// The processor's name.
    pub processor: String,
    /// Whether it is one of a virtual machine.
    pub is_virtual: bool,
    /// The operating system.
    pub system: String,
    /// Number of CPUs.
    pub cpus: u8,
    /// How often each was measured.
    pub repetitions: usize,
    /// Whether the program was compiled with optimisation.
    pub is_optimised: bool,
    /// The rate of the processor's counter.
    pub counter_megahertz: f64,
    /// What it takes to read it, which is taken off.
    pub counter_reading_ns: f64,
    /// What counts as an outlier, in words.
    pub outlier: String,
    /// What the kernel core costs.
    pub kernel: Vec<Cost>,
    /// What the operating system costs.
    pub linux: Vec<Linux>,
    /// What it costs to find the cache cold.
    pub cache: Vec<Delay>,
    /// Why there are no counters of cache misses; `null`: there are.
    pub no_counters: Option<String>,
}

/// What a kernel entry costs.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// The policy's short name.
    pub policy: String,
    /// The queue of the ready threads.
    pub queue: String,
    /// Number of threads.
    pub threads: usize,
    /// Of what.
    pub quantity: String,
    /// How long it takes.
    #[serde(flatten)]
    pub numbers: Numbers,
}

/// What the operating system costs.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Linux {
    /// Of what.
    pub what: String,
    /// Under which of its schedulers.
    pub class: String,
    /// Why it was not measured.
    /// Why it was not measured; `null`: it was.
    pub missing: Option<String>,
    /// How long it takes.
    #[serde(flatten)]
    pub numbers: Option<Numbers>,
}

/// How much longer a piece of work takes with a cold cache.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Delay {
    /// How many bytes it works on.
    pub working_set: usize,
    /// What has used the cache in between.
    pub after: String,
    /// Why it was not measured; `null`: it was.
    pub missing: Option<String>,
    /// How long it takes with a warm cache.
    pub warm_ns: Option<f64>,
    /// Cache misses each time; `null`: not known.
    pub cache_misses: Option<f64>,
    /// How much longer it takes.
    #[serde(flatten)]
    pub numbers: Option<Numbers>,
}

/// Measured times.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Numbers {
    /// How many.
    pub samples: usize,
    /// Their mean, ...
    pub mean_ns: f64,
    /// ... standard deviation, ...
    pub deviation_ns: f64,
    /// ... median, ...
    pub median_ns: f64,
    /// ... what 99.9 % are no longer than, ...
    pub p999_ns: f64,
    /// ... and the longest.
    pub worst_ns: f64,
    /// How many are outliers, ...
    pub outliers: usize,
    /// ... and the mean of the others.
    pub mean_without_outliers_ns: f64,
}
