//! Of one task set: verdicts and reasons, response times and slack, the fewest CPUs, and what
//! overheads cost.

use super::{program, text};
use crate::args::AnalyseArgs;
use crate::failure::Failure;
use crate::files;
use crate::output;
use crate::progress::{Disposable, Spinner};
use flyball_analysis::WorkLimit;
use flyball_analysis::criterion::Policy;
use flyball_report::json;
use flyball_study::{AnalyseOptions, Registry, analyse};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

pub(super) fn run(
    registry: &Registry,
    file: &Path,
    args: &AnalyseArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    let program = program::open(file)?;
    if let Some(program) = &program
        && let Some(code) = program::not_known(program, file, args.json)?
    {
        return Ok(code);
    }
    let set = files::read_set(file, quiet)?;
    let overheads = files::charges(&args.charge, quiet)?;
    let usual = AnalyseOptions::default();
    let options = AnalyseOptions {
        cpus: args.cpus,
        overheads,
        accounting: args.accounting,
        latency: args.latency,
        limit: args.steps.map_or(usual.limit, WorkLimit::steps),
    };
    let spinner = Mutex::new(Spinner::new(quiet));
    let watch = |policy: Policy| {
        if let Ok(mut spinner) = spinner.lock() {
            // The program ends if it breaks: see `Disposable`.
            let _ = spinner.show(|| policy.title().to_owned());
        }
    };
    let shown = files::shown(file);
    let found = {
        let _may_end = Disposable::begin();
        analyse(registry, &shown, set, &options, &watch)
    };
    drop(spinner);
    let found = found.map_err(|error| Failure::lab(&shown, error))?;
    // A program has its policy already.
    let linked = program.map(|program| program::linked(registry, &program, file, &found.set));
    let linked = linked.transpose()?.flatten();
    if args.json {
        output::print_json(&json::analysis(&found))?;
    } else {
        output::print(&text::text(&found, linked.as_ref()))?;
    }
    let holds = match &linked {
        Some(linked) if found.assessment.is_ok() => linked.verdict.holds() == Some(true),
        _ => found.holds(),
    };
    Ok(if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
