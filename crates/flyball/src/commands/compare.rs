//! `flyball compare FILE`: does a machine do what the simulation says? `flyball compare --app FOLDER`:
//! does an application do on a board what it does on this computer? `flyball compare PROGRAM`: [`program`].

mod program;

use crate::application;
use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::files;
use crate::on_machine;
use crate::output::{self, BOLD, DIM};
use crate::progress::Spinner;
use flyball_json::compare::Report;
use flyball_model::TaskSet;
use flyball_report::json::compared;
use flyball_report::words;
use flyball_study::results::Measured;
use flyball_study::{Registry, SideBySide, StudyOptions};
use flyball_trace::Event;
use flyball_trace::file::Trace;
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn run(
    registry: &Registry,
    args: &CompareArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    if let Some(folder) = &args.app {
        return application::compare(folder, args.machine, args.json, quiet);
    }
    let Some(file) = &args.file else {
        let what = "expected a task set; or --app and a folder";
        return Err(Failure::Usage(what.into()));
    };
    if files::is_program(file) {
        return program::run(registry, args, file, quiet);
    }
    let mut set = files::read_set(file, quiet)?;
    let file = files::shown(file);
    let options = StudyOptions {
        policies: args.policies.clone(),
        cpus: args.platform.cpus,
        cluster: args.platform.cluster,
        fit: args.platform.partition,
        jitter: args.platform.jitter,
        until: args.until,
        seed: args.seed,
        ..StudyOptions::default()
    };
    let mut spinner = Spinner::new(quiet);
    let mut watch = |what: &dyn Fn() -> String| spinner.show(what);
    let found = on_machine::compare(
        registry,
        args.machine,
        &file,
        &mut set,
        &options,
        &mut watch,
    );
    drop(spinner);
    let found = found?;
    if args.json {
        output::print_json(&document(&file, &found))?;
    } else {
        output::print(&text(&file, &set, &found))?;
    }
    let mut policies = found.policies.iter();
    Ok(if policies.all(|(_, beside)| beside.agrees()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// What was found, for programs.
pub(crate) fn document(file: &str, found: &Measured) -> Report {
    Report {
        schema: flyball_json::SCHEMA,
        file: file.to_owned(),
        machine: found.machine.clone(),
        policies: compared(&found.policies),
        notes: found.notes.iter().map(words::note).collect(),
    }
}

/// The same for people.
pub(crate) fn text(file: &str, set: &TaskSet, found: &Measured) -> String {
    let mut text = output::heading(file, set);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "on an {}", found.title);
    text += &table(&found.policies, set);
    for note in &found.notes {
        let _ = writeln!(text, "{DIM}{}{DIM:#}", words::note(note));
    }
    text
}

fn table(found: &[(String, SideBySide)], set: &TaskSet) -> String {
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
        "CONTROL",
    ];
    // Few policies have controllers.
    let is_controlled = |(_, beside): &(String, SideBySide)| !beside.overheads.control.is_free();
    let shown = columns.len() - usize::from(!found.iter().any(is_controlled));
    let columns = &columns[..shown];
    let mut rows = output::table(columns, &columns[2..]).spare(&[
        "EVENTS",
        "RELEASE",
        "CALL",
        "SCHEDULING",
        "SWITCH",
        "CONTROL",
    ]);
    let mut text = String::new();
    for (policy, beside) in found {
        let comparison = &beside.comparison;
        let cost = |cost: &flyball_model::Cost| output::time(Some(cost.at(set.tasks.len())));
        let row = [
            policy.clone(),
            output::same(beside),
            output::grouped(beside.agree() as u64),
            output::time(Some(comparison.largest())),
            output::misses(comparison.notable()),
            cost(&beside.overheads.release),
            cost(&beside.overheads.call),
            cost(&beside.overheads.scheduling),
            cost(&beside.overheads.context_switch),
            cost(&beside.overheads.control),
        ];
        rows.add_row(row.into_iter().take(shown));
    }
    // Writing to a string cannot fail.
    let _ = write!(text, "\n{}\n", rows.render());
    for (policy, beside) in found {
        text += &difference(policy, "simulated", beside);
    }
    if found
        .iter()
        .any(|(_, beside)| !beside.comparison.is_same_order() && beside.is_same_order())
    {
        text += "*: where each entry of the kernel takes what it took on the machine, instead of a mean.\n";
    }
    text += "LATEST: the largest difference between the instants at which a job is complete. NOTABLE: jobs \
             for which that is more than 20us and more than 1 % of the response time. The others: what the \
             kernel was seen to spend, and the simulation charged.\n";
    text
}

/// Where two schedules part, if they do, and why. `simulated` says what made the one that was not
/// measured.
pub(crate) fn difference(policy: &str, simulated: &str, beside: &SideBySide) -> String {
    let mut text = String::new();
    let comparison = &beside.comparison;
    let Some(difference) = comparison.difference else {
        return text;
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{BOLD}{policy}{BOLD:#}  the schedules part here:\n  {simulated:9} {}\n  measured  {}",
        line(&difference.simulated, &beside.simulated),
        line(&difference.measured, &beside.measured),
    );
    if let Some(reason) = beside.reason {
        let _ = writeln!(text, "  {}", words::parting(reason));
    }
    if let Some(hair) = comparison.hair {
        let [first, then] = hair.simulated;
        let [before, after] = hair.measured;
        let _ = writeln!(
            text,
            "  These two come in another order on the machine, and are {} apart at \
             most:\n  {simulated:9} {}\n            {}\n  measured  {}\n            {}",
            hair.apart(),
            line(&first, &beside.simulated),
            line(&then, &beside.simulated),
            line(&before, &beside.measured),
            line(&after, &beside.measured),
        );
    } else if let Some(apart) = difference.near().filter(|_| beside.reason.is_none()) {
        let _ = writeln!(
            text,
            "  That is {apart} apart: so near to each other, things that do not cause each other may \
             come in\n  any order."
        );
    }
    text
}

/// An event with the name of its task.
fn line(event: &Event, trace: &Trace) -> String {
    let name = trace.header.name_of(event.kind);
    format!("{event}  {}", name.unwrap_or_default())
}
