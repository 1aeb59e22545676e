//! `flyball sweep STUDY`: how many random sets does each test accept, and what do policies do with them?

pub(super) mod found;

use crate::args::SweepArgs;
use crate::failure::{FAULT, Failure};
use crate::files;
use crate::output::{self, BOLD, DIM};
use crate::progress::{self, Disposable, SweepBar};
use anstream::eprintln;
use flyball_json::sweep::{Sweep, Units};
use flyball_model::Study;
use flyball_study::Registry;
use flyball_sweep::{Options, Outcome, Results, sweep};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(registry: &Registry, args: &SweepArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let study = {
        let _reading = files::Reading::begin(&args.study, quiet);
        flyball_sweep::read(registry, &args.study)?
    };
    let options = Options {
        threads: args.threads.map(usize::from),
        shard: args.shard,
    };
    let outcome = {
        let bar = SweepBar::new(quiet);
        // Each file gets there as a whole.
        let _may_end = Disposable::begin();
        sweep(registry, &study, &args.out, &options, &|progress| {
            bar.show(progress);
            progress::interrupted().is_continue()
        })?
    };
    if outcome.left > 0 {
        return Err(Failure::Interrupted);
    }
    if !quiet {
        for damaged in &outcome.damaged {
            eprintln!("note: {damaged}; it was computed again");
        }
    }
    let results = Results::so_far(&args.out)?;
    if args.json {
        let document = document(&study, &args.out, &outcome, results.as_ref());
        output::print_json(&document)?;
    } else {
        output::print(&text(&study, &args.out, &outcome, results.as_ref()))?;
    }
    let agrees = |results: Results| results.comparison().contradictions.is_empty();
    if results.is_none_or(agrees) {
        Ok(ExitCode::SUCCESS)
    } else {
        Ok(ExitCode::from(FAULT))
    }
}

/// What was done and found, for programs.
pub(crate) fn document(
    study: &Study,
    folder: &Path,
    outcome: &Outcome,
    results: Option<&Results>,
) -> Sweep {
    Sweep {
        schema: flyball_json::SCHEMA,
        study: study.name.clone(),
        results: files::shown(folder),
        units: Units {
            finished_before: outcome.before,
            finished_now: outcome.finished,
            left: outcome.left,
        },
        damaged: outcome.damaged.iter().map(ToString::to_string).collect(),
        weighted: results.map(found::numbers).unwrap_or_default(),
        simulated: results.map(found::simulated).unwrap_or_default(),
        compared: results.and_then(found::compared),
    }
}

/// What the study is, what it found, and how far it is.
pub(crate) fn text(
    study: &Study,
    folder: &Path,
    outcome: &Outcome,
    results: Option<&Results>,
) -> String {
    let mut text = format!("{BOLD}{}{BOLD:#}\n", study.name);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{DIM}{} CPUs · {} scenarios · {} caps · {} sets each{DIM:#}",
        study.cpus,
        study.scenarios.len(),
        study.caps.len(),
        study.sets
    );
    let Some(results) = results else {
        return text;
    };
    text += &found::all(results);
    text += &found::comparison(results);
    let (finished, of) = results.finished();
    let _ = writeln!(
        text,
        "\n{} of {of} units are finished, {} of them now.\nResults: {}",
        finished,
        outcome.finished,
        files::shown(folder)
    );
    text
}
