//! What `sweep` prints.

use serde::{Deserialize, Serialize};

/// What `sweep --json` prints.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sweep {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// The study's name.
    pub study: String,
    /// The folder of the results.
    pub results: String,
    /// How far it is.
    pub units: Units,
    /// What was computed again, as its file was damaged.
    pub damaged: Vec<String>,
    /// What was found.
    pub weighted: Vec<Number>,
    /// What was counted in simulations.
    #[serde(default)]
    pub simulated: Vec<Simulated>,
    /// Simulations beside the tests that accept the same sets; `null`: no test is about a policy that is simulated, or no
    /// deadline misses are counted.
    #[serde(default)]
    pub compared: Option<Compared>,
}

/// Simulations beside the tests that accept the same sets.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared {
    /// How often a test has accepted a set that was simulated under the test's policy.
    pub pairs: u64,
    /// Where the simulation misses a deadline, or the policy refuses the set: a fault in Flyball.
    pub contradictions: Vec<Contradiction>,
}

/// A set that a test accepts and a simulation of its policy does not.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contradiction {
    /// The scenario's name.
    pub scenario: String,
    /// The cap, in CPUs.
    pub cap: f64,
    /// The set's number among those of the cap.
    pub set: u32,
    /// The test's short name.
    pub test: String,
    /// The policy's name.
    pub policy: String,
    /// How many deadlines were missed; `null`: the policy refuses the set.
    pub misses: Option<u64>,
    /// Why the policy refuses the set; `null`: it does not.
    pub refused: Option<String>,
}

/// What was counted in simulations of the sets of a scenario and a cap under a policy. These are no verdicts: a
/// set without misses may miss deadlines elsewhere.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Simulated {
    /// The scenario's name.
    pub scenario: String,
    /// The cap, in CPUs.
    pub cap: f64,
    /// The policy's name.
    pub policy: String,
    /// What was counted: `released` and `completed`, of jobs, or a measure of the study.
    pub measure: String,
    /// The unit of what was counted: `1`, `ns`, `uJ`, or `ppm` for millionths.
    pub unit: String,
    /// How many sets were simulated.
    pub sets: u32,
    /// How many sets the policy refused, which are in none of the other numbers.
    pub refused: u32,
    /// In how many sets it is not zero.
    pub not_zero: u32,
    /// The mean of a set; `null` of no sets.
    pub mean: Option<f64>,
    /// The lower end of its 95 % interval; `null` of fewer than two sets.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The least of a set.
    pub least: Option<u64>,
    /// The most of a set.
    pub most: Option<u64>,
    /// How many for each job that was released, where it is a number of jobs or events.
    pub per_job: Option<f64>,
}

/// Numbers of units; those of the shard, if there is one.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Units {
    /// Finished when the command began, ...
    pub finished_before: usize,
    /// ... finished by it, ...
    pub finished_now: usize,
    /// ... and still to be done.
    pub left: usize,
}

/// The weighted schedulability of a scenario by a test, with one variant of overheads.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Number {
    /// The scenario's name.
    pub scenario: String,
    /// The test's short name.
    pub test: String,
    /// The name of the overheads that are charged; `null`: none are.
    pub overheads: Option<String>,
    /// The working set in bytes whose cache-related delay is charged, if one is.
    pub working_set: Option<u32>,
    /// Of how many caps there are sets.
    pub caps: Caps,
    /// The number, and between what it is with 95 % confidence; `null` unless there are sets of all
    /// caps.
    pub weighted: Option<f64>,
    /// The lower end of that interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// Numbers of caps.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Caps {
    /// Those with sets.
    pub finished: usize,
    /// All of them.
    pub of: usize,
}
