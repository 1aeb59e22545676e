//! What commands print of results, as texts without colours and as documents: for a program that has results of its own, such as
//! the package for Python. Tables are as wide as the terminal, if the standard output is one.

use crate::commands;
use crate::output::plain;
use flyball_json::compare::Report;
use flyball_json::sweep::Sweep;
use flyball_model::{Study, TaskSet};
use flyball_report::reproduction::Reproduction;
use flyball_study::SetAnalysis;
use flyball_study::results::Measured;
use flyball_sweep::{Outcome, Results};
use std::path::Path;

/// What `analyse` prints of a set.
pub fn analysis(found: &SetAnalysis) -> String {
    plain(&commands::analyse::text(found, None))
}

/// What `compare` prints of a set.
pub fn comparison(file: &str, set: &TaskSet, found: &Measured) -> String {
    plain(&commands::compare::text(file, set, found))
}

/// What `compare --json` prints of a set.
pub fn comparison_document(file: &str, found: &Measured) -> Report {
    commands::compare::document(file, found)
}

/// What `sweep` prints of a study with results in a folder.
pub fn sweep(study: &Study, folder: &Path, outcome: &Outcome, results: Option<&Results>) -> String {
    plain(&commands::sweep::text(study, folder, outcome, results))
}

/// What `sweep --json` prints of it.
pub fn sweep_document(
    study: &Study,
    folder: &Path,
    outcome: &Outcome,
    results: Option<&Results>,
) -> Sweep {
    commands::sweep::document(study, folder, outcome, results)
}

/// What `reproduce` prints of a work, but for where its report is.
pub fn reproduction(done: &Reproduction) -> String {
    plain(&commands::reproduce::text(done))
}
