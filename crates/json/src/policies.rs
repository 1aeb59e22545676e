//! What `policies` prints.

use serde::{Deserialize, Serialize};

/// The policies that there are.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Policies {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// One entry a policy.
    pub policies: Vec<Policy>,
}

/// A policy.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Policy {
    /// Its short name.
    pub policy: String,
    /// What it is called.
    pub title: String,
    /// What it does.
    pub about: String,
    /// Its settings.
    pub parameters: Vec<Parameter>,
    /// What each task can set for itself.
    pub task_parameters: Vec<Parameter>,
}

/// A setting of a policy, or of a task for a policy.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parameter {
    /// Its name in a task set.
    pub name: String,
    /// What it does.
    pub about: String,
    /// What it is otherwise; in words where that is no value.
    pub default: String,
}
