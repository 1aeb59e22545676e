//! `flyball sweep STUDY`: how many random sets does each test accept?

use crate::args::SweepArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{self, BOLD, DIM};
use crate::progress::{self, SweepBar};
use anstream::eprintln;
use flyball_model::{Study, read_study};
use flyball_sweep::judge::{self, Variant};
use flyball_sweep::{Options, Outcome, Results, SweepError, sweep};
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

/// The version of what `sweep --json` prints.
const SCHEMA: u32 = 1;

/// What `sweep --json` prints.
#[derive(Serialize)]
struct Document {
    schema: u32,
    study: String,
    results: String,
    units: Units,
    damaged: Vec<String>,
}

/// Numbers of units; those of the shard, if there is one.
#[derive(Serialize)]
struct Units {
    finished_before: usize,
    finished_now: usize,
    left: usize,
}

pub(crate) fn run(args: &SweepArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let study = read_study(&args.study, &judge::names())?;
    let options = Options {
        threads: args.threads.map(usize::from),
        shard: args.shard,
    };
    let outcome = {
        let bar = SweepBar::new(quiet);
        sweep(&study, &args.out, &options, &|progress| {
            bar.show(progress);
            progress::interrupted().is_continue()
        })?
    };
    if !quiet {
        for damaged in &outcome.damaged {
            eprintln!("note: {damaged}; it was computed again");
        }
    }
    if args.json {
        output::print_json(&Document {
            schema: SCHEMA,
            study: study.name.clone(),
            results: files::shown(&args.out),
            units: Units {
                finished_before: outcome.before,
                finished_now: outcome.finished,
                left: outcome.left,
            },
            damaged: outcome.damaged.iter().map(ToString::to_string).collect(),
        })?;
    } else {
        output::print(&summary(&study, args, &outcome)?)?;
    }
    if outcome.left > 0 {
        let finished = outcome.before + outcome.finished;
        let of = finished + outcome.left;
        eprintln!(
            "interrupted; {finished} of {of} units are finished, and the same command goes on"
        );
        return Ok(ExitCode::from(130));
    }
    Ok(ExitCode::SUCCESS)
}

/// How much of the utilisation the tests accept in each scenario, without overheads.
fn summary(study: &Study, args: &SweepArgs, outcome: &Outcome) -> Result<String, Failure> {
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
    let results = match Results::read(&[&args.out]) {
        Ok(results) => results,
        Err(SweepError::Empty(_)) => return Ok(text),
        Err(error) => return Err(error.into()),
    };
    let ideal: Vec<usize> = (0..results.labels().len())
        .filter(|&place| results.labels()[place].variant == Variant::Ideal)
        .collect();
    let mut columns = vec!["SCENARIO"];
    columns.extend(
        ideal
            .iter()
            .map(|&place| results.labels()[place].name.as_str()),
    );
    let mut table = output::table(&columns, &columns[1..]);
    for (place, scenario) in study.scenarios.iter().enumerate() {
        let weighted = ideal.iter().map(|&label| {
            let weighted = results.weighted(place, label);
            weighted.map_or_else(|| "–".to_owned(), |it| format!("{:.3}", it.value))
        });
        table.add_row(
            [scenario.name()]
                .into_iter()
                .chain(weighted)
                .collect::<Vec<_>>(),
        );
    }
    text.push('\n');
    text += &output::render(&table);
    text += "Weighted schedulability: the accepted part of all utilisation, 0 to 1, without overheads.\n";
    let (finished, of) = results.finished();
    let _ = writeln!(
        text,
        "\n{} of {of} units are finished, {} of them now.\nResults: {}",
        finished,
        outcome.finished,
        files::shown(&args.out)
    );
    Ok(text)
}
