//! What `overheads -m` prints: instructions that a machine was counted to execute.

use serde::{Deserialize, Serialize};

/// Everything, in instructions.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Instructions {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// The machine's short name.
    pub machine: String,
    /// What it is and what its times mean.
    pub title: String,
    /// What an instruction takes on it.
    pub nanoseconds_per_instruction: u64,
    /// Number of CPUs.
    pub cpus: u8,
    /// For how long it ran, by its own clock.
    pub seconds: f64,
    /// What the random task sets were drawn from.
    pub seed: u64,
    /// What the kernel costs.
    pub kernel: Vec<Costs>,
    /// What the locks between CPUs cost.
    pub locks: Vec<Lock>,
}

/// One policy with one number of threads.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Costs {
    /// The policy's short name.
    pub policy: String,
    /// How many CPUs share their tasks.
    pub cluster: u8,
    /// Number of threads.
    pub threads: usize,
    /// Each cost, on all CPUs together.
    pub quantities: Vec<Cost>,
    /// Jobs released.
    pub releases: u64,
    /// How often a lock was taken, ...
    pub lock_taken: u64,
    /// ... and how often that had to wait for another CPU.
    pub lock_contended: u64,
    /// How often another CPU was interrupted, ...
    pub interrupts_rung: u64,
    /// ... and how often one interrupt did for several reasons.
    pub interrupts_spared: u64,
    /// Kernel entries that are not counted, as an interrupt came in between.
    pub passages_disturbed: u64,
    /// The same by CPU.
    pub by_cpu: Vec<OfCpu>,
}

/// What one CPU counted; the lock and the interrupts belong to the CPUs that share them.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfCpu {
    /// Its number.
    pub cpu: usize,
    /// Each cost.
    pub quantities: Vec<Cost>,
    /// Jobs released.
    pub releases: u64,
    /// Kernel entries that are not counted.
    pub passages_disturbed: u64,
}

/// One cost.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// Of what.
    pub quantity: String,
    /// How many instructions.
    #[serde(flatten)]
    pub numbers: Numbers,
}

/// What holds a lock, and what that means.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lock {
    /// The policy's short name.
    pub policy: String,
    /// How many CPUs share their tasks.
    pub cluster: u8,
    /// Number of CPUs.
    pub cpus: u8,
    /// Number of threads.
    pub threads: usize,
    /// For how long it is held, by each kind of kernel entry.
    pub held: Vec<Held>,
    /// What is lost by waiting for it.
    pub lost: Vec<Lost>,
    /// The same by CPU.
    pub by_cpu: Vec<HeldByCpu>,
}

/// What holds a lock on one CPU.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldByCpu {
    /// Its number.
    pub cpu: usize,
    /// For how long it is held, by each kind of kernel entry.
    pub held: Vec<Held>,
}

/// For how long a lock is held.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Held {
    /// By which kind of kernel entry.
    pub by: String,
    /// For how many instructions.
    #[serde(flatten)]
    pub numbers: Numbers,
}

/// What is lost by waiting for a lock.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lost {
    /// For how long a job computes between its calls.
    pub computing_ns: u64,
    /// The part of all CPUs that is lost, as a model of queues says; `null`: not known.
    pub share: Option<f64>,
}

/// Counted instructions.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Numbers {
    /// How often.
    pub count: u64,
    /// The mean; `null` if there were none.
    pub mean: Option<f64>,
    /// The most.
    pub most: Option<u64>,
}
