//! What the commands print with `--json`: contracts for programs.
//!
//! A type a document, made by the commands and read by anything that wants to: each can be
//! serialised and deserialised. The JSON Schema of each is in `docs/schemas`, written from these
//! types, and every command's output is checked against it.
//!
//! | the command | prints | schema |
//! |---|---|---|
//! | `study` | [`study::Study`] | `study` |
//! | `simulate` | [`study::Study`] | `study` |
//! | `run` | [`run::Run`] | `run` |
//! | `compare` | [`compare::Report`] | `compare` |
//! | `analyse` | [`analyse::Analysed`] | `analyse` |
//! | `sweep` | [`sweep::Sweep`] | `sweep` |
//! | `overheads` | [`overheads::Overheads`] | `overheads` |
//! | `overheads --counters` | [`counters::Counters`] | `counters` |
//! | `overheads -m` | [`instructions::Instructions`] | `instructions` |
//! | `reproduce` | [`reproduce::Works`] | `works` |
//! | `reproduce NAME` | [`reproduce::Reproduction`] | `reproduction` |
//! | `inspect` | [`inspect::Inspected`] | `inspect` |
//! | `policies` | [`policies::Policies`] | `policies` |
//! | `shake` | [`shake::Report`] | `shake` |
//!
//! Fields are added, so a reader passes over those that it does not know; but none is renamed,
//! removed or given another meaning without a new number in the document's field `schema`. Times
//! are whole nanoseconds unless a field's name says otherwise. `null` means *not known*, or *there
//! is none*, never a guess. Sentences are for people; their wording is no part of a contract.

pub mod analyse;
pub mod compare;
pub mod counters;
pub mod inspect;
pub mod instructions;
pub mod overheads;
pub mod pipeline;
pub mod policies;
pub mod reproduce;
pub mod run;
pub mod shake;
pub mod study;
pub mod sweep;
pub mod task;

/// The version of all contracts: what a document's field `schema` has.
pub const SCHEMA: u32 = 1;

/// The JSON Schemas, by name, in the order of the table [above](crate).
#[cfg(feature = "schema")]
pub fn schemas() -> [(&'static str, schemars::Schema); 13] {
    use schemars::schema_for;
    [
        ("study", schema_for!(study::Study)),
        ("run", schema_for!(run::Run)),
        ("compare", schema_for!(compare::Report)),
        ("analyse", schema_for!(analyse::Analysed)),
        ("sweep", schema_for!(sweep::Sweep)),
        ("overheads", schema_for!(overheads::Overheads)),
        ("counters", schema_for!(counters::Counters)),
        ("instructions", schema_for!(instructions::Instructions)),
        ("works", schema_for!(reproduce::Works)),
        ("reproduction", schema_for!(reproduce::Reproduction)),
        ("inspect", schema_for!(inspect::Inspected)),
        ("policies", schema_for!(policies::Policies)),
        ("shake", schema_for!(shake::Report)),
    ]
}
