//! What `policies` prints.

use serde::{Deserialize, Serialize};

/// The policies that there are, or the one that was asked for.
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
    /// Another name by which it is found; `null`: it has none.
    pub also: Option<String>,
    /// What it is called.
    pub title: String,
    /// What it does.
    pub about: String,
    /// Where tasks run: `one-cpu`, `partitioned`, `clustered`, `global` or `semi-partitioned`.
    pub placement: String,
    /// Its settings.
    pub parameters: Vec<Parameter>,
    /// What each task can set for itself.
    pub task_parameters: Vec<Parameter>,
    /// What it reads from a task.
    pub reads: Vec<Read>,
    /// What keeps the tasks that are ready; `null`: not known.
    pub queue: Option<String>,
    /// How long it takes to put in, to take out and to find the first of n tasks there.
    pub queue_complexity: Option<String>,
    /// How long it takes to choose what runs, with n tasks, and m CPUs that share them.
    pub decision_complexity: Option<String>,
    /// Whether a set that meets all deadlines does so where jobs compute for less.
    pub sustainable_in_execution: bool,
    /// The same of tasks that arrive later than all at once and as often as they may.
    pub sustainable_in_arrivals: bool,
    /// The machines that boot it.
    pub machines: Vec<String>,
    /// The tests that `study` asks of it, beside those of every policy.
    pub tests: Vec<String>,
    /// The tests of `analyse` that are about it.
    pub analyse_tests: Vec<String>,
    /// Where it was published.
    pub sources: Vec<String>,
}

/// A setting of a policy, or of a task for a policy.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parameter {
    /// Its name in a task set.
    pub name: String,
    /// What it does.
    pub about: String,
    /// `time`, `decimal`, `switch`, `word` or `integer`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it is otherwise; in words where that is no value.
    pub default: String,
    /// Which values it may have, in words.
    pub allowed: String,
}

/// Something that a policy reads from a task.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Read {
    /// Its key in a task set.
    pub key: String,
    /// Whether the policy refuses a task without it.
    pub needed: bool,
}
