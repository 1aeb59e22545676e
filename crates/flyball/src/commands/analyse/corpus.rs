//! Of many task sets: what each test says.

use crate::args::AnalyseArgs;
use crate::failure::Failure;
use crate::files;
use crate::output;
use crate::progress::Bar;
use flyball_analysis::gedf::{Answer, Test};
use flyball_analysis::{Criterion, WorkLimit};
use flyball_lab::corpus::{self as many, Asked, Question, Verdict};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(corpus: &Path, args: &AnalyseArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let Some(out) = &args.out else {
        return Err(Failure::Usage("--corpus needs --out FILE".into()));
    };
    let asked = asked(args)?;
    let entries = {
        let text = read(corpus)?;
        many::read(&text).map_err(|error| {
            let help = "docs/task-set-format.md has the format";
            Failure::file(corpus, error, Some(help))
        })?
    };
    let verdicts = {
        let mut bar = Bar::new(quiet);
        let mut watch = |progress: flyball_lab::Progress<'_>| bar.show(progress);
        many::analyse(&entries, &asked, WorkLimit::steps(args.steps), &mut watch)
    };
    let verdicts = verdicts.ok_or(Failure::Interrupted)?;
    let written = many::to_csv(&entries, &verdicts).and_then(|text| {
        if is_packed(out) {
            many::packed(&text)
        } else {
            Ok(text)
        }
    });
    let written = written.map_err(|error| Failure::file(out, error, None))?;
    files::write_all(&[(out.clone(), written)])?;
    output::print(&summary(entries.len(), &verdicts))?;
    Ok(ExitCode::SUCCESS)
}

/// What the user wants to know.
fn asked(args: &AnalyseArgs) -> Result<Asked, Failure> {
    if !args.union {
        let tests = match &args.tests[..] {
            [] => Criterion::usual().map(Question::Test).collect(),
            some => some.to_vec(),
        };
        return Ok(Asked::Each(tests));
    }
    let global = |question: &Question| match question {
        Question::Test(Criterion::Global(test)) => Ok(*test),
        other => Err(Failure::Usage(format!(
            "{} is no sufficient test of global EDF, of which --union makes one",
            other.name()
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
    many::unpacked(&bytes).map_err(|error| {
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
    output::render(&table) + &band(sets, verdicts)
}

/// Where something can be proven both ways: of how many sets it is known what global EDF does.
fn band(sets: usize, verdicts: &[Verdict]) -> String {
    let proves = |verdict: &Verdict| {
        [Question::Exact, Question::Adversary]
            .iter()
            .any(|question| question.name() == verdict.test)
    };
    if !verdicts.iter().any(proves) {
        return String::new();
    }
    let (mut holds, mut fails) = (vec![false; sets], vec![false; sets]);
    for verdict in verdicts {
        if Question::find(verdict.test).is_some_and(Question::is_global) {
            holds[verdict.set] |= verdict.answer.accepts();
            fails[verdict.set] |= proves(verdict) && verdict.answer == Answer::Rejects;
        }
    }
    let [held, failed] = [&holds, &fails].map(|all| all.iter().filter(|&&it| it).count());
    let open = sets - held - failed;
    format!("Global EDF holds {held}, misses deadlines of {failed}, and {open} are open.\n")
}
