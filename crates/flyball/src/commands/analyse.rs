//! `flyball analyse`: what do the multiprocessor analyses say about many task sets?

use crate::args::AnalyseArgs;
use crate::failure::Failure;
use crate::files;
use crate::output;
use crate::progress::Bar;
use flyball_analysis::WorkLimit;
use flyball_analysis::gedf::{Answer, Test};
use flyball_lab::corpus::{self, Asked, Criterion, Verdict};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &AnalyseArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let asked = asked(args)?;
    let entries = {
        let text = read(&args.corpus)?;
        corpus::read(&text).map_err(|error| {
            let help = "docs/task-set-format.md has the format";
            Failure::file(&args.corpus, error, Some(help))
        })?
    };
    let verdicts = {
        let mut bar = Bar::new(quiet);
        let mut watch = |progress: flyball_lab::Progress<'_>| bar.show(progress);
        corpus::analyse(&entries, &asked, WorkLimit::steps(args.steps), &mut watch)
    };
    let verdicts = verdicts.ok_or(Failure::Interrupted)?;
    let written = corpus::to_csv(&entries, &verdicts).and_then(|text| {
        if is_packed(&args.out) {
            corpus::packed(&text)
        } else {
            Ok(text)
        }
    });
    let written = written.map_err(|error| Failure::file(&args.out, error, None))?;
    files::write_all(&[(args.out.clone(), written)])?;
    output::print(&summary(entries.len(), &verdicts))?;
    Ok(ExitCode::SUCCESS)
}

/// What the user wants to know.
fn asked(args: &AnalyseArgs) -> Result<Asked, Failure> {
    if !args.union {
        let tests = match &args.tests[..] {
            [] => Criterion::usual().collect(),
            some => some.to_vec(),
        };
        return Ok(Asked::Each(tests));
    }
    let global = |criterion: &Criterion| match criterion {
        Criterion::Global(test) => Ok(*test),
        criterion => Err(Failure::Usage(format!(
            "{} is no test of global EDF, of which --union makes one",
            criterion.name()
        ))),
    };
    Ok(Asked::Any(match &args.tests[..] {
        [] => Test::CLASSIC.to_vec(),
        some => some.iter().map(global).collect::<Result<_, _>>()?,
    }))
}

/// Whether the name of a file says that it is compressed.
fn is_packed(path: &Path) -> bool {
    path.extension()
        .and_then(OsStr::to_str)
        .is_some_and(|end| end.eq_ignore_ascii_case("xz"))
}

/// The contents of a file, unpacked.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = fs::read(path).map_err(|error| {
        let help = "check the spelling, and whether you may read it";
        Failure::file(path, format!("cannot be read: {error}"), Some(help))
    })?;
    if !is_packed(path) {
        return Ok(bytes);
    }
    corpus::unpacked(&bytes).map_err(|error| {
        let help = "it is damaged, or not compressed by xz in spite of its name";
        Failure::file(path, format!("cannot be unpacked: {error}"), Some(help))
    })
}

/// How many sets each test accepts.
fn summary(sets: usize, verdicts: &[Verdict]) -> String {
    let right = ["SETS", "ACCEPTED", "STOPPED", "TIME"];
    let mut table = output::table(&["TEST", "SETS", "ACCEPTED", "STOPPED", "TIME"], &right);
    let mut names: Vec<&str> = Vec::new();
    for verdict in verdicts {
        // The first set has them all.
        if verdict.set > 0 {
            break;
        }
        names.push(verdict.test);
    }
    for name in names {
        let mine = verdicts.iter().filter(|verdict| verdict.test == name);
        let (mut accepted, mut stopped, mut took) = (0_usize, 0_usize, 0.0);
        for verdict in mine {
            accepted += usize::from(verdict.answer.accepts());
            stopped += usize::from(matches!(verdict.answer, Answer::Stopped(_)));
            took += verdict.took.as_secs_f64();
        }
        table.add_row([
            name.to_owned(),
            sets.to_string(),
            accepted.to_string(),
            stopped.to_string(),
            format!("{took:.3} s"),
        ]);
    }
    output::render(&table)
}
