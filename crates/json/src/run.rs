//! What `run` prints.

use crate::study::Study;
use serde::{Deserialize, Serialize};

/// What `run --json` prints: what `simulate --json` does, the machine, and the fault that ended it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Run {
    /// What was measured.
    #[serde(flatten)]
    pub study: Study,
    /// The machine's short name.
    pub machine: String,
    /// What ended it; not there if nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// Why a run ended before its time.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fault {
    /// The task that failed; `null`: it is none of the set.
    pub task: Option<String>,
    /// When.
    pub time_ns: u64,
    /// What happened.
    pub cause: String,
    /// What the program said.
    pub message: Option<String>,
    /// The memory that was accessed.
    pub address: Option<u64>,
    /// The instruction that failed.
    pub pc: Option<u64>,
    /// Where that was called from.
    pub caller: Option<u64>,
}
