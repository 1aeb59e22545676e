//! What `reproduce` prints.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `reproduce` prints without a name.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Works {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// The works that can be reproduced.
    pub works: Vec<Work>,
}

/// A published work.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Work {
    /// Its short name.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// Where it was published.
    pub source: String,
    /// Its experiments' short names.
    pub experiments: Vec<String>,
}

/// What became of the claims of a work.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reproduction {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    /// The reproduction's short name.
    pub reproduction: String,
    /// What it is about.
    pub title: String,
    /// Where the work was published.
    pub source: String,
    /// The machine's short name; `null`: all was simulated.
    pub machine: Option<String>,
    /// How many claims hold.
    pub holds: usize,
    /// How many differ.
    pub differs: usize,
    /// How many are not comparable.
    pub not_comparable: usize,
    /// What concerns all experiments.
    pub notes: Vec<String>,
    /// The experiments.
    pub experiments: Vec<Experiment>,
}

/// One experiment.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Experiment {
    /// Its short name.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// What was done.
    pub about: String,
    /// Whether it ran on the machine.
    pub on_machine: bool,
    /// Whether it measured the computer that the program ran on: its numbers differ from run to run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_host: bool,
    /// What it was done with.
    pub settings: BTreeMap<String, String>,
    /// What had to be assumed.
    pub assumptions: Vec<String>,
    /// What the work says, all of it; empty: no verdict depends on this experiment.
    pub claims: Vec<Claim>,
    /// The figures' names and files.
    pub figures: Vec<Figure>,
}

/// One claim.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// What the work says.
    pub claim: String,
    /// Where.
    pub place: String,
    /// When it holds.
    pub criterion: String,
    /// The published value.
    pub published: String,
    /// What was found here.
    pub ours: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Why; `null` only if it holds.
    pub reason: Option<String>,
}

/// What became of a claim.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds here.
    Holds,
    /// It does not.
    Differs,
    /// What was done here is not what the work did.
    #[serde(rename = "not comparable")]
    NotComparable,
}

/// One figure; its data are in the files.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figure {
    /// Its short name.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// The file with the picture, beside the report.
    pub svg: String,
    /// The file with the numbers, beside the report.
    pub csv: String,
}
