//! `flyball overheads`: what does the kernel's own work cost on this processor?

mod cachegrind;
mod counters;
mod json;
mod machine;
mod table;

use crate::args::OverheadsArgs;
use crate::failure::Failure;
use crate::files;
use crate::output;
use crate::pictures;
use crate::progress::{Bar, Disposable};
use flyball_measure::overheads::{self, Error, Measurements, Plan, Policy, Queue, figures};
use flyball_trace::Time;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn run(args: &OverheadsArgs, quiet: bool) -> Result<ExitCode, Failure> {
    if let Some(generator) = args.generate {
        std::hint::black_box(generator.run());
        return Ok(ExitCode::SUCCESS);
    }
    if args.counters {
        return counters::run(args.speeds.as_deref(), args.json, quiet);
    }
    if let Some(machine) = args.machine {
        return machine::run(machine, args, quiet);
    }
    let plan = plan(args);
    plan.check()
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let found = {
        let _may_end = Disposable::begin();
        let mut bar = Bar::new(quiet);
        let mut watch = |progress: overheads::Progress<'_>| {
            bar.show(flyball_study::Progress {
                policy: progress.what,
                number: progress.done,
                of: progress.of,
                now: Time::ZERO,
                until: Time::NEVER,
            })
        };
        overheads::measure(&plan, &mut watch).map_err(|error| match error {
            Error::Interrupted => Failure::Interrupted,
            error => Failure::Usage(error.to_string()),
        })?
    };
    let mut files = Vec::new();
    if let Some(out) = &args.out {
        files.push((out.clone(), overheads::file(&found).to_toml().into_bytes()));
    }
    if let Some(folder) = &args.report {
        files::make_folder(folder)?;
        files.extend(report(&found, folder, args, quiet)?);
    }
    files::write_all(&files)?;
    if args.json {
        output::print_json(&json::document(&found))?;
    } else {
        let written = files.iter().map(|(path, _)| files::shown(path));
        output::print(&table::summary(&found, &written.collect::<Vec<_>>()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn plan(args: &OverheadsArgs) -> Plan {
    let or_all = |some: &[Policy]| match some {
        [] => Policy::USUAL.to_vec(),
        some => some.to_vec(),
    };
    let mut policies = or_all(&args.policies);
    let queues = match &args.queues[..] {
        [] => Queue::ALL.to_vec(),
        some => some.to_vec(),
    };
    if args.policies.is_empty() {
        // A user who asks for a queue asks for the policies that can have it.
        policies.retain(|policy| policy.queues().iter().any(|queue| queues.contains(queue)));
    }
    let working_sets = match &args.working_sets[..] {
        _ if args.no_cache => Vec::new(),
        [] => overheads::plan::WORKING_SETS.to_vec(),
        some => some.to_vec(),
    };
    Plan {
        policies,
        queues,
        threads: args.threads.clone(),
        cpus: args.cpus,
        repetitions: args.repetitions,
        linux: !args.no_linux,
        working_sets,
    }
}

/// Figures, and all numbers in a table.
fn report(
    found: &Measurements,
    folder: &Path,
    args: &OverheadsArgs,
    quiet: bool,
) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    let mut files = vec![(folder.join("overheads.csv"), table::csv(found).into_bytes())];
    let figures = figures::all(found);
    files.extend(pictures::files(&figures, folder, &args.pictures, quiet)?);
    Ok(files)
}
