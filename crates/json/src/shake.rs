//! What `shake` prints: runs of a program whose threads are preempted at random instants.

use serde::{Deserialize, Serialize};

/// What `shake --json` prints.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// The program, as the user named it.
    pub file: String,
    /// How often it was run.
    pub runs: u32,
    /// The run that was not shaken.
    pub usual: Run,
    /// Those that were not like that one.
    pub differ: Vec<Run>,
}

/// A run of the program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Run {
    /// What decides where threads are preempted; `null`: the policy alone does.
    pub seed: Option<u32>,
    /// The exit code; `null`: it did not end.
    pub code: Option<i32>,
    /// What it printed.
    pub printed: String,
}
