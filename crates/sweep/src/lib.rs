//! Schedulability studies: many random task sets, judged by many tests and simulated under many
//! policies, on all cores.
//!
//! A [`Study`] says which sets are drawn, which tests judge them and what is
//! simulated. Each set
//! has an address (the study's seed, what it is drawn from, its cap, its number), and its random
//! numbers depend on nothing else; each *unit* of work is some sets of one cap and gives one file.
//! So any number of threads, any order, any division among machines and any interruption give the
//! same bytes.
//!
//! ```text
//!            draw              judge                      store              results
//!   address ------> task set ---------> Option<bool>... -------> a file ------------> ratios, figures
//!                     |    overheads, tests   |                 of a unit
//!                     +----- of each variant -+
//!                     |   simulate            |
//!                     +---------> counts -----+
//! ```
//!
//! | module | what |
//! |---|---|
//! | [`draw`](mod@draw) | a task set from its address |
//! | [`judge`] | what the tests say about it, with and without overheads |
//! | [`simulate`](mod@simulate) | what happens to it under each policy, in whole numbers |
//! | [`unit`](mod@unit) | the pieces of a study |
//! | [`store`] | a folder of results: atomic, locked, checked |
//! | [`run`] | does what is missing in a folder, or a whole study in memory |
//! | [`results`] | how many sets were accepted, and how sure that is |
//! | [`contradiction`] | simulations beside the tests that accept the same sets |
//! | [`totals`] | what simulations of many sets add up to |
//! | [`figure`] | that as figures and tables |

pub mod contradiction;
pub mod draw;
mod error;
pub mod figure;
pub mod judge;
pub mod results;
pub mod run;
pub mod simulate;
pub mod store;
pub mod totals;
pub mod unit;

pub use error::SweepError;
pub use results::Results;
pub use run::{NoShard, Options, Outcome, Progress, Shard, compute, sweep};

use flyball_model::study::{Known, KnownPolicy};
use flyball_model::{ModelError, Study, read_overheads, read_study};
use flyball_study::{Entry, Registry};
use std::path::Path;

/// The names of tests and policies that a study may use.
pub fn known(registry: &Registry) -> Known<'_> {
    fn policy(entry: &Entry) -> KnownPolicy<'_> {
        KnownPolicy {
            names: [entry.name].into_iter().chain(entry.also).collect(),
            source: entry.source.as_deref(),
        }
    }
    Known {
        tests: judge::names(),
        policies: Some(registry.iter().map(policy).collect()),
    }
}

/// Reads a study from a file, and checks its settings for policies of `registry`.
///
/// # Errors
/// [`SweepError::Model`].
pub fn read(registry: &Registry, path: &Path) -> Result<Study, SweepError> {
    let study = read_study(path, &known(registry));
    checked(registry, &path.to_string_lossy(), study)
}

/// Reads a study from a text, which messages call `name`, as [`read`] does. Files of overheads that it names are looked for from the
/// current folder.
///
/// # Errors
/// [`SweepError::Model`].
pub fn parse(registry: &Registry, text: &str, name: &str) -> Result<Study, SweepError> {
    let study = Study::read(text, name, &known(registry), |file| read_overheads(file));
    checked(registry, name, study)
}

fn checked(
    registry: &Registry,
    name: &str,
    study: Result<Study, ModelError>,
) -> Result<Study, SweepError> {
    let study = study.map_err(|error| SweepError::Model(Box::new(error)))?;
    simulate::check(registry, name, &study)?;
    Ok(study)
}
