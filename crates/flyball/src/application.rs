//! Applications of the user's own: `run --app` and `compare --app`.

use crate::args::ScheduleArgs;
use crate::commands::{compare, inspect};
use crate::failure::Failure;
use crate::output::{self, BOLD};
use crate::progress::Spinner;
use crate::schedule::TraceFormat;
use flyball_board::Machine;
use flyball_board::application::{self, Place, Ran};
use flyball_json::compare::Report;
use flyball_model::Overheads;
use flyball_report::json::compared;
use flyball_study::SideBySide;
use flyball_study::compare::compare as side_by_side;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

/// Runs the application in `folder`, and shows its schedule.
pub(crate) fn run(
    folder: &Path,
    machine: Option<Machine>,
    args: &ScheduleArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    args.chart.check()?;
    let format = args.trace.as_deref().map(TraceFormat::of).transpose()?;
    let place = machine.map(like).transpose()?.unwrap_or(Place::Usual);
    let ran = ran(folder, place, quiet)?;
    if let (Some(path), Some(format)) = (&args.trace, format) {
        format.write_to(path, &ran.trace)?;
    }
    if !args.json {
        output::print(&(ran.printed + "\n"))?;
    }
    let summary = inspect::show(&ran.trace, &args.chart, args.json)?;
    Ok(answer(summary.misses() == 0))
}

/// Runs the application in `folder` on this computer and on a board with the processor of `machine`,
/// and compares the two schedules.
pub(crate) fn compare(
    folder: &Path,
    machine: Machine,
    json: bool,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    let place = like(machine)?;
    let simulated = ran(folder, Place::Host, quiet)?.trace;
    let measured = ran(folder, place, quiet)?.trace;
    let policy = measured.header.policy.clone();
    let beside = SideBySide {
        overheads: Overheads::default(),
        quantum: None,
        slice: None,
        followed: None,
        reason: None,
        comparison: side_by_side(&simulated, &measured, 1),
        simulated_summary: inspect::summary(&simulated),
        measured_summary: inspect::summary(&measured),
        simulated,
        measured,
    };
    let same = beside.comparison.is_same_order();
    let policies = [(policy, beside)];
    if json {
        output::print_json(&Report {
            schema: flyball_json::SCHEMA,
            file: folder.display().to_string(),
            machine: machine.name().to_owned(),
            policies: compared(&policies),
            notes: Vec::new(),
        })?;
    } else {
        let [(policy, beside)] = &policies;
        output::print(&table(policy, machine, beside))?;
    }
    Ok(answer(same))
}

/// Where an application runs that is built for the processor of `machine`.
fn like(machine: Machine) -> Result<Place, Failure> {
    match machine {
        Machine::CortexM3 | Machine::Riscv => Ok(Place::Like(machine)),
        Machine::CortexM3At62 | Machine::Lm3s6965 => Err(Failure::Usage(format!(
            "an application has the board that its Cargo.toml and .cargo/config.toml name, so --machine \
             {} cannot choose it; expected cortex-m3 or riscv",
            machine.name()
        ))),
    }
}

fn ran(folder: &Path, place: Place, quiet: bool) -> Result<Ran, Failure> {
    let mut spinner = Spinner::new(quiet);
    let ran = application::run(folder, place, &mut |_| {
        spinner.show(|| format!("building and running {}", folder.display()))
    });
    Ok(ran?)
}

fn answer(yes: bool) -> ExitCode {
    if yes {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    }
}

fn table(policy: &str, machine: Machine, beside: &SideBySide) -> String {
    let (host, board) = (&beside.simulated, &beside.measured);
    let mut text = format!(
        "{BOLD}{}{BOLD:#} under {policy}, on this computer's virtual clock and on its own board with the \
         processor of {}\n",
        host.header.name,
        machine.name(),
    );
    let columns = [
        "TASK",
        "JOBS",
        "LATEST",
        "NOTABLE",
        "MAX HERE",
        "ON THE BOARD",
        "MISSED HERE",
        "ON THE BOARD",
    ];
    let mut rows = output::table(&columns, &columns[1..]);
    let completions = &beside.comparison.completions;
    let sums = beside.simulated_summary.tasks.iter();
    let sums = sums.zip(&beside.measured_summary.tasks);
    for ((task, completions), (here, there)) in host.header.tasks.iter().zip(completions).zip(sums)
    {
        rows.add_row([
            task.name.clone(),
            output::grouped(completions.jobs),
            output::time(Some(completions.largest)),
            output::misses(completions.notable),
            output::time(here.response.max()),
            output::time(there.response.max()),
            output::misses(here.misses),
            output::misses(there.misses),
        ]);
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\n{}", rows.render());
    let _ = writeln!(
        text,
        "{}: {} events in the same order",
        output::same(beside),
        output::grouped(beside.comparison.agree as u64),
    );
    text += &compare::difference(policy, "here", beside);
    for (trace, place) in [(host, "here"), (board, "on the board")] {
        if trace.header.dropped > 0 {
            let _ = writeln!(
                text,
                "{} later events {place} were not kept: the application's `ScheduleBuffer` was full",
                output::grouped(trace.header.dropped)
            );
        }
    }
    text += "LATEST: the largest difference between the instants at which a job is complete. NOTABLE: jobs\n\
             for which that is more than 20us and more than 1 % of the response time. Here the kernel and\n\
             all code but `compute` take no time.\n";
    text
}
