//! Of many task sets: what each test says.

mod charge;

use crate::args::AnalyseArgs;
use crate::failure::Failure;
use crate::files;
use crate::output;
use crate::progress::{Bar, Disposable};
use anstream::eprint;
use flyball_analysis::gedf::{Answer, Test};
use flyball_analysis::{Criterion, WorkLimit};
use flyball_study::assess::Charge;
use flyball_study::corpus::{self as many, Entry, LONGEST_CHARGED, Question, Questions, Verdict};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The most steps that a test takes if nothing else is said: some ten seconds.
const STEPS: u64 = 5_000_000_000;

pub(super) fn run(corpus: &Path, args: &AnalyseArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let Some(out) = &args.out else {
        return Err(Failure::Usage("--corpus needs --out FILE".into()));
    };
    let is_printed = out.as_os_str() == "-";
    if !is_printed {
        keeps(out, corpus, "the corpus")?;
        if let Some(overheads) = &args.charge.overheads {
            keeps(out, overheads, "the overheads")?;
        }
    }
    // A corpus names no tick, so one is as long as in a sweep.
    let charge = files::charges(&args.charge, quiet)?.map(|it| it.charge(args.accounting));
    let asked = asked(args, charge.as_ref(), quiet)?;
    let entries = {
        let _reading = files::Reading::begin(corpus, quiet);
        let text = read(corpus)?;
        let read = match &charge {
            Some(_) => many::read_up_to(&text, LONGEST_CHARGED),
            None => many::read(&text),
        };
        read.map_err(|error| {
            let help = "docs/task-set-format.md has the format";
            Failure::file(corpus, error, Some(help))
        })?
    };
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    let verdicts = if let Some(known) = &args.known {
        known_already(known, &entries, &asked)?
    } else {
        let _may_end = Disposable::begin();
        let mut bar = Bar::new(quiet);
        let mut watch = |progress: flyball_study::Progress<'_>| bar.show(progress);
        let steps = WorkLimit::steps(args.steps.unwrap_or(STEPS));
        let found = many::analyse(&entries, &asked, charge.as_ref(), steps, &mut watch);
        found.ok_or(Failure::Interrupted)?
    };
    let written = many::to_csv(&entries, &verdicts).and_then(|text| {
        if is_packed(out) {
            many::packed(&text)
        } else {
            Ok(text)
        }
    });
    let written = written.map_err(|error| Failure::file(out, error, None))?;
    let mut summary = summary(entries.len(), &verdicts);
    if let (Some(_), Some(file)) = (&charge, &args.charge.overheads) {
        // Writing to a string cannot fail.
        let _ = writeln!(summary, "With the overheads of {}.", files::shown(file));
    }
    if is_printed {
        output::print_bytes(&written)?;
        if !quiet {
            eprint!("{summary}");
        }
    } else {
        files::write_all(&[(out.clone(), written)])?;
        output::print(&summary)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The verdicts of a file.
fn known_already(
    known: &Path,
    entries: &[Entry],
    asked: &Questions,
) -> Result<Vec<Verdict>, Failure> {
    many::from_csv(&read(known)?, entries, asked).map_err(|error| {
        let help =
            "put verdicts on pieces together in the order of the corpus, with one line of names";
        Failure::file(known, error, Some(help))
    })
}

/// Refuses to write the verdicts over a file that was read.
fn keeps(out: &Path, read: &Path, what: &str) -> Result<(), Failure> {
    if !is_same_file(read, out) {
        return Ok(());
    }
    let what = format!("the verdicts would overwrite {what}");
    let help = "choose another name with --out";
    Err(Failure::file(out, what, Some(help)))
}

/// Whether these are two names of one file. A terminal may be both.
fn is_same_file(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other && one.is_file(),
        _ => false,
    }
}

/// What the user wants to know.
fn asked(args: &AnalyseArgs, charge: Option<&Charge>, quiet: bool) -> Result<Questions, Failure> {
    let global = |question: &Question| match question {
        Question::Test(Criterion::Global(test)) => Ok(*test),
        other => Err(Failure::Usage(format!(
            "{} is no sufficient test of global EDF, of which --union makes one",
            other.name()
        ))),
    };
    let mut questions = match (&args.tests[..], args.union) {
        ([], false) => Criterion::usual().map(Question::Test).collect(),
        ([], true) => {
            let all = Test::CLASSIC.map(|test| Question::Test(Criterion::Global(test)));
            all.to_vec()
        }
        (some, _) => once(some.iter().copied()),
    };
    if let (Some(charge), Some(file)) = (charge, &args.charge.overheads) {
        charge::only_charged(&mut questions, !args.tests.is_empty(), charge, file, quiet)?;
    }
    if args.union {
        let tests = questions.iter().map(global).collect::<Result<_, _>>()?;
        Ok(Questions::Any(tests))
    } else {
        Ok(Questions::Each(questions))
    }
}

/// Each of them, the first time that it is there.
fn once<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for it in all {
        if !found.contains(&it) {
            found.push(it);
        }
    }
    found
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
    table.render() + &band(sets, verdicts)
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
