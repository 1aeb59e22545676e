//! `flyball reproduce NAME`: do a published work's claims hold here?

use crate::args::ReproduceArgs;
use crate::bench::Board;
use crate::failure::Failure;
use crate::files;
use crate::output::{self, BOLD, DIM};
use crate::pictures;
use crate::progress::{self, Bar, Disposable};
use flyball_board::BoardError;
use flyball_json::reproduce as json;
use flyball_measure::bench::{Bench, BenchError, Simulator};
use flyball_report::reproduction::json::document;
use flyball_report::reproduction::{
    Claim, Experiment, NO_VERDICT, ON_HOST, Reproduction, page, table,
};
use flyball_reproduce::{self as reproduce, Extent, Size, Unknown, Work};
use flyball_study::{Registry, StudyError};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) fn run(
    registry: &Registry,
    args: &ReproduceArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    let Some(name) = &args.name else {
        return list(args.report.json);
    };
    let usage = |unknown: Unknown| Failure::Usage(unknown.to_string());
    let work = reproduce::find(name).map_err(usage)?;
    work.check(&args.only, args.programs).map_err(usage)?;
    if let Some(folder) = args.data.as_deref().filter(|folder| !folder.is_dir()) {
        return Err(Failure::file(folder, "is not a folder", None));
    }
    let done = perform(registry, work, args, quiet)?;
    let mut report = None;
    if !args.report.no_report {
        let files = {
            let _may_end = Disposable::begin();
            render(&done, args, quiet)?
        };
        files::make_folder(&args.report.out)?;
        files::write_all(&files)?;
        report = files.into_iter().next().map(|(path, _)| path);
    }
    if args.report.json {
        output::print_json(&document(&done))?;
    } else {
        let mut text = text(&done);
        if let Some(report) = report {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\nReport: {}", files::shown(&report));
        }
        output::print(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What there is.
fn list(json: bool) -> Result<ExitCode, Failure> {
    let works = reproduce::ALL.into_iter();
    if json {
        let works = works.map(|work| json::Work {
            name: work.name.to_owned(),
            title: work.title.to_owned(),
            source: work.source.to_owned(),
            experiments: (work.plans.iter())
                .map(|plan| plan.name.to_owned())
                .collect(),
        });
        output::print_json(&json::Works {
            schema: flyball_json::SCHEMA,
            works: works.collect(),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    for work in works {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{BOLD}{}{BOLD:#}  {}", work.name, work.title);
        let _ = writeln!(text, "{DIM}{}{DIM:#}", work.source);
        let width = work.plans.iter().map(|plan| plan.name.len()).max();
        let width = width.unwrap_or_default();
        for plan in work.plans {
            let _ = writeln!(text, "  {:width$}  {}", plan.name, plan.title);
        }
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn perform(
    registry: &Registry,
    work: &Work,
    args: &ReproduceArgs,
    quiet: bool,
) -> Result<Reproduction, Failure> {
    let _may_end = args.machine.is_none().then(Disposable::begin);
    let mut bar = Bar::new(quiet);
    let mut watch = |progress: flyball_study::Progress<'_>| bar.show(progress);
    let mut simulator = Simulator::new(registry, &mut watch);
    let mut board = args
        .machine
        .map(|machine| Board::new(registry, machine, quiet));
    let board = board.as_mut().map(|board| board as &mut dyn Bench);
    let only: Vec<_> = args.only.iter().map(String::as_str).collect();
    let keep = args.report.out.join("results");
    let goes_on = work.goes_on && args.full && !args.report.no_report;
    let keep = goes_on.then_some(&*keep);
    if keep.is_some() {
        let what = "what is finished is kept, and the same command goes on";
        progress::keeps(what.to_owned());
    }
    let programs = args.report.out.join("programs");
    let extent = Extent {
        programs: args.programs.then_some(&*programs),
        data: args.data.as_deref(),
        size: if args.full { Size::Full } else { Size::Short },
        each_test: args.each_test,
        keep,
    };
    reproduce::reproduce(work, &only, &mut simulator, board, extent)
        .map_err(|error| failure(work.name, error))
}

fn failure(name: &str, error: BenchError) -> Failure {
    match error {
        BenchError::Lab(error) => Failure::lab(name, error),
        BenchError::Machine(error) => match error.downcast::<BoardError>() {
            Ok(error) => Failure::target(name, *error),
            Err(error) => Failure::lab(name, StudyError::Bench(error.to_string())),
        },
    }
}

/// The report's files, the page first.
fn render(
    done: &Reproduction,
    args: &ReproduceArgs,
    quiet: bool,
) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    let out = &args.report.out;
    let mut files = vec![
        (out.join("report.html"), page::html(done).into_bytes()),
        (out.join("claims.csv"), table::claims(done).into_bytes()),
    ];
    let figures = done
        .experiments
        .iter()
        .flat_map(|experiment| &experiment.figures);
    files.extend(pictures::files(figures, out, &args.pictures, quiet)?);
    Ok(files)
}

/// What became of each claim.
pub(crate) fn text(done: &Reproduction) -> String {
    let mut text = format!(
        "{BOLD}{}{BOLD:#}\n{DIM}{}{DIM:#}\n",
        done.title, done.source
    );
    for experiment in &done.experiments {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{BOLD}{}{BOLD:#}", experiment.title);
        if let Some(place) = place(done, experiment) {
            let _ = writeln!(text, "{DIM}{place}{DIM:#}");
        }
        text += &match &experiment.claims[..] {
            [] => without_claims(experiment),
            claims => table_of(claims),
        };
        for (claims, reason) in reasons(experiment) {
            let _ = writeln!(text, "{DIM}{}:{DIM:#} {reason}", claims.join("; "));
        }
    }
    let tally = done.tally();
    let _ = writeln!(
        text,
        "\n{} hold, {} differ, {} are not comparable.",
        tally.holds, tally.differs, tally.not_comparable
    );
    for note in &done.notes {
        let _ = writeln!(text, "{DIM}{note}{DIM:#}");
    }
    text
}

/// Where the experiment ran, if not all of them were simulated.
fn place<'a>(done: &'a Reproduction, experiment: &Experiment) -> Option<&'a str> {
    if experiment.on_host {
        return Some(ON_HOST);
    }
    let machine = done.machine.as_ref()?;
    Some(if experiment.on_machine {
        &machine.title
    } else {
        "simulated"
    })
}

fn table_of(claims: &[Claim]) -> String {
    let columns = ["CLAIM", "PUBLISHED", "OURS", "VERDICT"];
    let mut table = output::table(&columns, &[]).prose(&columns[..3]);
    for claim in claims {
        table.add_row([
            claim.text.clone(),
            claim.published.clone(),
            claim.ours.clone(),
            output::claim(&claim.verdict),
        ]);
    }
    table.render()
}

/// What was done and found where nothing is claimed.
fn without_claims(experiment: &Experiment) -> String {
    let mut text = format!("{NO_VERDICT}\n");
    for (name, value) in &experiment.settings {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{DIM}{name}:{DIM:#} {value}");
    }
    text
}

/// Why claims do not hold, each reason once.
fn reasons(experiment: &Experiment) -> Vec<(Vec<&str>, &str)> {
    let mut reasons: Vec<(Vec<&str>, &str)> = Vec::new();
    for claim in &experiment.claims {
        let Some(why) = claim.verdict.reason() else {
            continue;
        };
        match reasons.iter_mut().find(|(_, other)| *other == why) {
            Some((claims, _)) => claims.push(&claim.text),
            None => reasons.push((vec![&claim.text], why)),
        }
    }
    reasons
}
