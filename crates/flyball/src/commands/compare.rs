//! `flyball compare FILE`: does a machine do what the simulation says?

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{self, BOLD, DIM};
use crate::progress::Spinner;
use crate::schedule::task_name;
use flyball_lab::{LabError, Measured, Measurement, Registry, SideBySide};
use flyball_model::TaskSet;
use flyball_report::compare::Completions;
use flyball_target::{Options, Phase, TargetError};
use flyball_trace::Event;
use flyball_trace::file::Trace;
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn run(
    registry: &Registry,
    args: &CompareArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    if let Some(name) = unknown(args) {
        let known = args.machine.policies().join(", ");
        return Err(Failure::Usage(format!(
            "there is no image for policy \"{name}\"; there are: {known}"
        )));
    }
    let set = files::read_set(&args.file)?;
    let file = files::shown(&args.file);
    let mut found = Vec::new();
    let mut left_out = Vec::new();
    for &policy in args.machine.policies() {
        if !args.policies.is_empty() && !args.policies.iter().any(|name| name == policy) {
            continue;
        }
        let patience = args.machine.patience();
        let (set, until) = (set.clone(), args.until);
        match Measurement::new(registry, policy, &file, set, until, patience) {
            Ok(measurement) => found.push((policy, beside(&measurement, args, &file, quiet)?)),
            // A policy that was not asked for need not fit.
            Err(LabError::Sim(error)) if args.policies.is_empty() => {
                left_out.push(format!("\"{policy}\" is left out: {error}."));
            }
            Err(error) => return Err(Failure::lab(&file, error)),
        }
    }
    if args.json {
        let policies = found.iter().map(Compared::new).collect();
        output::print_json(&Report {
            schema: 1,
            file: &file,
            machine: args.machine.name(),
            policies,
        })?;
    } else {
        let mut text = output::heading(&file, &set);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "on an {}", args.machine.title());
        text += &table(&found, &set);
        for note in left_out {
            let _ = writeln!(text, "{DIM}{note}{DIM:#}");
        }
        output::print(&text)?;
    }
    let same = found
        .iter()
        .all(|(_, beside)| beside.comparison.is_same_order());
    Ok(if same {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// A policy that was asked for and that the machine does not have.
fn unknown(args: &CompareArgs) -> Option<&str> {
    let known = args.machine.policies();
    let unknown = |name: &&String| !known.contains(&name.as_str());
    args.policies.iter().find(unknown).map(String::as_str)
}

fn beside(
    measurement: &Measurement<'_>,
    args: &CompareArgs,
    file: &str,
    quiet: bool,
) -> Result<SideBySide, Failure> {
    let options = Options {
        policy: measurement.policy(),
        quantum: measurement.quantum(),
        until: measurement.until(),
        seed: args.seed,
    };
    let mut spinner = Spinner::new(quiet);
    let recording = flyball_target::run(args.machine, measurement.set(), &options, &mut |phase| {
        spinner.show(|| match phase {
            Phase::Building => format!("building the image for {}", options.policy),
            Phase::Running => format!("{} for {} on the board", options.policy, options.until),
        })
    })
    .map_err(|error| Failure::target(file, error))?;
    if let Some(fault) = recording.fault {
        let error = TargetError::Fault {
            task: task_name(measurement.set(), fault.task),
            fault: Box::new(fault),
        };
        return Err(Failure::target(file, error));
    }
    let measured = Measured {
        events: &recording.events,
        end: recording.end,
        dropped: recording.dropped,
    };
    measurement
        .beside(&measured, args.seed)
        .map_err(|error| Failure::lab(file, error))
}

fn table(found: &[(&str, SideBySide)], set: &TaskSet) -> String {
    let columns = [
        "POLICY",
        "ORDER",
        "EVENTS",
        "LATEST",
        "NOTABLE",
        "RELEASE",
        "CALL",
        "SCHEDULING",
        "SWITCH",
    ];
    let mut rows = output::table(&columns, &columns[2..]);
    let mut text = String::new();
    for (policy, beside) in found {
        let comparison = &beside.comparison;
        let cost = |cost: &flyball_model::Cost| output::time(Some(cost.at(set.tasks.len())));
        rows.add_row([
            (*policy).to_owned(),
            output::same(comparison.is_same_order()),
            output::grouped(comparison.agree as u64),
            output::time(Some(comparison.largest())),
            output::misses(comparison.notable()),
            cost(&beside.overheads.release),
            cost(&beside.overheads.call),
            cost(&beside.overheads.scheduling),
            cost(&beside.overheads.context_switch),
        ]);
    }
    // Writing to a string cannot fail.
    let _ = write!(text, "\n{}\n", output::render(&rows));
    for (policy, beside) in found {
        if let Some(difference) = beside.comparison.difference {
            let _ = writeln!(
                text,
                "{BOLD}{policy}{BOLD:#}  the schedules part here:\n  simulated {}\n  measured  {}",
                line(&difference.simulated, &beside.simulated),
                line(&difference.measured, &beside.measured),
            );
        }
    }
    text += "LATEST: the largest difference between the instants at which a job is complete. NOTABLE: jobs\n\
             for which that is more than 20us and more than 1 % of the response time. The others: what the\n\
             kernel was seen to spend, and the simulation charged.\n";
    text
}

/// An event with the name of its task.
fn line(event: &Event, trace: &Trace) -> String {
    let task = event.kind.task();
    let name = task.and_then(|task| trace.header.tasks.get(task.index()));
    format!("{event}  {}", name.map_or("", |task| task.name.as_str()))
}

/// What `compare --json` prints.
#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    file: &'a str,
    machine: &'a str,
    policies: Vec<Compared<'a>>,
}

#[derive(Serialize)]
struct Compared<'a> {
    policy: &'a str,
    same_order: bool,
    events: usize,
    largest_ns: u64,
    release_ns: u64,
    call_ns: u64,
    scheduling_ns: u64,
    context_switch_ns: u64,
    tasks: Vec<ComparedTask<'a>>,
}

#[derive(Serialize)]
struct ComparedTask<'a> {
    name: &'a str,
    jobs: u64,
    largest_ns: u64,
    largest_ppm: u64,
    notable: u64,
}

impl<'a> Compared<'a> {
    fn new((policy, beside): &'a (&'a str, SideBySide)) -> Compared<'a> {
        let names = beside.simulated.header.tasks.iter();
        let task =
            |(info, sums): (&'a flyball_trace::metrics::TaskInfo, &Completions)| ComparedTask {
                name: &info.name,
                jobs: sums.jobs,
                largest_ns: sums.largest.as_nanos(),
                largest_ppm: sums.largest_ppm,
                notable: sums.notable,
            };
        let cost =
            |cost: &flyball_model::Cost| cost.at(beside.simulated.header.tasks.len()).as_nanos();
        Compared {
            policy,
            same_order: beside.comparison.is_same_order(),
            events: beside.comparison.agree,
            largest_ns: beside.comparison.largest().as_nanos(),
            release_ns: cost(&beside.overheads.release),
            call_ns: cost(&beside.overheads.call),
            scheduling_ns: cost(&beside.overheads.scheduling),
            context_switch_ns: cost(&beside.overheads.context_switch),
            tasks: names
                .zip(&beside.comparison.completions)
                .map(task)
                .collect(),
        }
    }
}
