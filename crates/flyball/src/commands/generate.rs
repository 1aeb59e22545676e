//! `flyball generate`

use crate::args::GenerateArgs;
use crate::failure::Failure;
use crate::{files, output};
use flyball_model::generate::{Deadlines, Options, Phases, generate};
use flyball_model::{Format, to_csv, to_toml};
use flyball_report::words;
use flyball_study::assess::infeasible;
use std::process::ExitCode;

pub(crate) fn run(args: &GenerateArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let format = match &args.out {
        None => Format::Toml,
        Some(path) => Format::of(path).ok_or_else(|| {
            Failure::file(
                path,
                "the format is not known",
                Some("call it .toml or .csv"),
            )
        })?,
    };
    let options = Options {
        tasks: args.tasks,
        utilisation: args.utilisation,
        shortest_period: args.periods.0,
        longest_period: args.periods.1,
        granularity: args.granularity,
        deadlines: match args.constrained {
            None => Deadlines::Implicit,
            Some(from) => Deadlines::Constrained { from },
        },
        phases: if args.phases {
            Phases::Random
        } else {
            Phases::Zero
        },
        cpus: args.cpus,
        seed: args.seed,
        ..Options::default()
    };
    let mut set = generate(&options)?;
    if let Some((why, tasks)) = infeasible(&set) {
        let why = words::lower(&words::no_policy(&why, &tasks, &set));
        output::note(quiet, &format!("No policy can hold this set: {why}."));
    }
    let text = match format {
        Format::Toml => {
            set.name = options.title();
            to_toml(&set)
        }
        // A CSV file has no place for where a set comes from; its name is that of the file.
        Format::Csv => {
            set.name = String::new();
            set.source = None;
            to_csv(&set)?
        }
    };
    match &args.out {
        None => output::print_as_it_is(&text)?,
        Some(path) => files::write_all(&[(path.clone(), text.into_bytes())])?,
    }
    Ok(ExitCode::SUCCESS)
}
