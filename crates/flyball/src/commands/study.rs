//! `flyball study FILE`: which scheduler holds a task set?

use crate::args::StudyArgs;
use crate::failure::Failure;
use crate::files;
use crate::on_machine::{MachineOptions, measure, runs_on};
use crate::output::{self, BOLD, DIM};
use crate::progress::{Bar, Disposable, Spinner};
use flyball_model::TaskSet;
use flyball_report::{csv, html, json, perfetto, words};
use flyball_study::note::Note;
use flyball_study::results::{Measured, SpeedUse, Study};
use flyball_study::{Registry, StudyOptions, study};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) fn run(registry: &Registry, args: &StudyArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let set = files::read_set(&args.file, quiet)?;
    let options = StudyOptions {
        policies: args.policies.clone(),
        cpus: args.run.platform.cpus,
        cluster: args.run.platform.cluster,
        fit: args.run.platform.partition,
        until: args.run.until,
        stop_at_miss: args.run.stop_at_miss,
        seed: args.run.seed,
        jitter: args.run.platform.jitter,
        overheads: files::charges(&args.run.charge, quiet)?,
        ..StudyOptions::default()
    };
    let file = files::shown(&args.file);
    let measured = measured(registry, args, &file, &set, quiet)?;
    let mut study = {
        let _may_end = Disposable::begin();
        let mut bar = Bar::new(quiet);
        study(registry, &file, set, &options, &mut |progress| {
            bar.show(progress)
        })
        .map_err(|error| Failure::lab(&file, error))?
    };
    study.measured = measured;
    let mut report = None;
    if !args.report.no_report {
        let files = {
            let _may_end = Disposable::begin();
            render(&study, args)
        };
        files::make_folder(&args.report.out)?;
        files::write_all(&files)?;
        report = files.into_iter().next().map(|(path, _)| path);
    }
    if args.report.json {
        output::print_json(&json::study(&study))?;
    } else {
        output::print(&summary(&study, report.as_deref().map(files::shown)))?;
    }
    let holds = study
        .policies
        .iter()
        .any(|policy| args.run.accepts(policy.verdict.schedulable));
    Ok(if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// What a machine does, if one is asked: before the study, so that what is missing is told before
/// anything takes long.
fn measured(
    registry: &Registry,
    args: &StudyArgs,
    file: &str,
    set: &TaskSet,
    quiet: bool,
) -> Result<Option<Measured>, Failure> {
    let Some(machine) = args.machine else {
        return Ok(None);
    };
    // What is not known anywhere is told as without a machine.
    for name in &args.policies {
        registry
            .find(name)
            .map_err(|error| Failure::lab(file, error))?;
    }
    let set = args.run.platform.on(set.clone(), registry);
    let asked = MachineOptions {
        fit: args.run.platform.partition,
        machine,
        policies: &args.policies,
        // A second on the board takes some seconds here.
        until: args.run.until.map(|until| until.min(machine.patience())),
        seed: args.run.seed,
    };
    let mut spinner = Spinner::new(quiet);
    let mut watch = |what: &dyn Fn() -> String| spinner.show(what);
    let mut measured = measure(registry, &asked, file, &set, &mut watch)?;
    for name in &args.policies {
        if !runs_on(machine, registry).any(|entry| entry.is_called(name)) {
            measured.notes.push(Note::NotMeasured {
                policy: name.clone(),
                machine: machine.name(),
            });
        }
    }
    Ok(Some(measured))
}

/// The report's files, the page first.
fn render(study: &Study, args: &StudyArgs) -> Vec<(PathBuf, Vec<u8>)> {
    let stem = args
        .file
        .file_stem()
        .map_or("study".into(), |stem| stem.to_string_lossy());
    let file = |ending: &str| args.report.out.join(format!("{stem}{ending}"));
    let mut files = vec![
        (file(".html"), html::html(study).into_bytes()),
        (file(".csv"), csv::to_csv(study).into_bytes()),
        (file(".json"), json::text(&json::study(study)).into_bytes()),
    ];
    if args.traces {
        for policy in &study.policies {
            let ending = format!(".{}.pftrace", policy.policy);
            files.push((file(&ending), perfetto::to_perfetto(&policy.trace)));
        }
    }
    files
}

fn summary(study: &Study, report: Option<String>) -> String {
    let mut text = output::heading(&study.file, &study.set);
    let several = study.cpus > 1;
    let mut columns = vec!["POLICY", "VERDICT", "PROOF", "MISSED", "PREEMPTED"];
    if several {
        columns.extend(["JOBS MOVED", "TASKS MOVED"]);
    }
    columns.push("SWITCHES");
    let has_speeds = study.set.platform.speeds.is_some();
    if has_speeds {
        columns.extend(["SPEEDS", "ENERGY"]);
    }
    columns.push("MARGIN");
    let spare = ["PREEMPTED", "SWITCHES", "JOBS MOVED", "TASKS MOVED"];
    let mut table = output::table(&columns, &columns[3..])
        .prose(&["PROOF"])
        .spare(&spare);
    for policy in &study.policies {
        let simulated = &policy.simulated;
        let mut row = vec![
            policy.policy.clone(),
            output::verdict(policy.verdict.schedulable),
            policy.verdict.proof.clone().unwrap_or_else(|| "–".into()),
            output::misses(simulated.misses),
            output::grouped(simulated.preemptions),
        ];
        if several {
            let summary = &policy.summary;
            row.extend([summary.job_migrations(), summary.task_migrations()].map(output::grouped));
        }
        row.push(output::grouped(simulated.context_switches));
        if has_speeds {
            let used = policy.speeds.as_ref();
            let energy = used
                .and_then(SpeedUse::energy)
                .map(|(_, all)| all.to_string());
            row.push(output::grouped(used.map_or(0, SpeedUse::adjustments)));
            row.push(energy.unwrap_or_else(|| "–".into()));
        }
        row.push(words::margin(policy.breakdown));
        table.add_row(row);
    }
    // Writing to a string cannot fail.
    let _ = write!(text, "\n{}\n", table.render());
    let width = study
        .policies
        .iter()
        .map(|policy| policy.policy.len())
        .max()
        .unwrap_or(0);
    for policy in &study.policies {
        let _ = writeln!(
            text,
            "{BOLD}{:width$}{BOLD:#}  {}",
            policy.policy,
            words::verdict(&policy.verdict)
        );
        for note in &policy.notes {
            let _ = writeln!(text, "{:width$}  {}", "", words::note(note));
        }
    }
    for note in &study.notes {
        let _ = writeln!(text, "{DIM}{}{DIM:#}", words::note(note));
    }
    if let Some(measured) = &study.measured {
        let _ = writeln!(text, "\nMeasured on an {}:", measured.title);
        for (policy, beside) in &measured.policies {
            let comparison = &beside.comparison;
            let _ = writeln!(
                text,
                "{BOLD}{policy:width$}{BOLD:#}  {}: {} events in {}; completions differ by {} at most",
                output::same(beside),
                output::grouped(comparison.agree as u64),
                beside.measured.end(),
                output::time(Some(comparison.largest())),
            );
        }
        for note in &measured.notes {
            let _ = writeln!(text, "{DIM}{}{DIM:#}", words::note(note));
        }
    }
    if let Some(report) = report {
        let _ = writeln!(text, "\nReport: {report}");
    }
    text
}
