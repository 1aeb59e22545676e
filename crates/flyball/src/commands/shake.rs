//! `flyball shake PROGRAM`: does a program in C or C++ do the same wherever its threads are preempted?

use crate::args::ShakeArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::{self, BOLD, DIM};
use crate::progress::{self, Spinner};
use flyball_board::BoardError;
use flyball_board::program::{Outcome, Program, Start};
use flyball_json::shake as json;
use std::fmt::Write;
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// An instruction takes 32 ns, about as long as a tick of the boards' timers, so that any instruction may
/// be the one before which a thread is preempted.
const SHIFT: u32 = 5;

/// How many runs are shown that differ.
const SHOWN: usize = 5;

/// A run that was not like the one that is not shaken.
struct Differs {
    seed: u32,
    outcome: Outcome,
}

pub(crate) fn run(args: &ShakeArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let file = files::shown(&args.file);
    let failed = |error| Failure::target(&file, error);
    let program = Program::open(&args.file).map_err(failed)?;
    let words: Vec<_> = args.words.iter().map(String::as_str).collect();
    let start = Start {
        cpus: 1,
        shift: SHIFT,
        words: &words,
        seed: None,
        limit: args.limit.unwrap_or(Duration::from_mins(10)),
    };
    let begun = Instant::now();
    let usual = {
        let mut spinner = Spinner::new(quiet);
        let outcome = program.run(&start, &mut |_| {
            spinner.show(|| "the run that is not shaken".into())
        });
        outcome.map_err(failed)?
    };
    if usual.code.is_none() {
        return Err(Failure::Usage(format!(
            "{file} does not end even where it is not shaken; it printed:\n{}",
            usual.printed.trim_end()
        )));
    }
    let limit = (20 * begun.elapsed()).max(Duration::from_secs(10));
    let start = Start {
        limit: args.limit.unwrap_or(limit),
        ..start
    };
    let differ = shake(&program, &start, &usual, args, quiet).map_err(failed)?;
    let ok = differ.is_empty();
    if args.json {
        output::print_json(&document(&file, args, &usual, &differ))?;
    } else {
        output::print(&summary(&file, args, &usual, &differ))?;
    }
    Ok(ExitCode::from(u8::from(!ok)))
}

/// Runs it with all seeds; returns what differs, by seed.
fn shake(
    program: &Program,
    start: &Start<'_>,
    usual: &Outcome,
    args: &ShakeArgs,
    quiet: bool,
) -> Result<Vec<Differs>, BoardError> {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or_else(cores, usize::from);
    let next = AtomicU32::new(0);
    let stop = AtomicBool::new(false);
    let found = Mutex::new(Ok(Vec::new()));
    let mut spinner = Spinner::new(quiet);
    thread::scope(|scope| {
        let work = || {
            while !stop.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= args.runs {
                    break;
                }
                // Zero is no seed.
                let seed =
                    NonZeroU32::new(args.seed.wrapping_add(number)).unwrap_or(NonZeroU32::MAX);
                let start = Start {
                    seed: Some(seed),
                    ..*start
                };
                let outcome = program.run(&start, &mut |_| {
                    if stop.load(Ordering::Relaxed) {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                });
                // The other threads leave it whole.
                let mut found = found
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                match (outcome, &mut *found) {
                    (Ok(outcome), Ok(differ)) if outcome != *usual => differ.push(Differs {
                        seed: seed.get(),
                        outcome,
                    }),
                    (Err(error), Ok(_)) => {
                        stop.store(true, Ordering::Relaxed);
                        *found = Err(error);
                    }
                    _ => {}
                }
            }
        };
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            let done = next.load(Ordering::Relaxed).min(args.runs);
            if spinner
                .show(|| format!("{done} of {} runs", args.runs))
                .is_break()
            {
                stop.store(true, Ordering::Relaxed);
            }
            thread::sleep(Duration::from_millis(20));
        }
    });
    if progress::interrupted().is_break() {
        return Err(BoardError::Interrupted);
    }
    let found = found
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut differ = found?;
    differ.sort_by_key(|differs| differs.seed);
    Ok(differ)
}

fn ending(outcome: &Outcome) -> String {
    match outcome.code {
        Some(code) => format!("ends with {code}"),
        None => "does not end".into(),
    }
}

fn summary(file: &str, args: &ShakeArgs, usual: &Outcome, differ: &[Differs]) -> String {
    let runs = args.runs;
    let mut text = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = if differ.is_empty() {
        writeln!(
            text,
            "{BOLD}{file}{BOLD:#}: all {runs} shaken runs are as the one that is not: it {}",
            ending(usual)
        )
    } else {
        writeln!(
            text,
            "{BOLD}{file}{BOLD:#}: {} of {runs} shaken runs differ from the one that is not, which {}",
            differ.len(),
            ending(usual)
        )
    };
    for Differs { seed, outcome } in differ.iter().take(SHOWN) {
        let _ = writeln!(text, "\n{BOLD}seed {seed}{BOLD:#}: {}", ending(outcome));
        let _ = writeln!(text, "{}", difference(&usual.printed, &outcome.printed));
        let _ = writeln!(
            text,
            "{DIM}again: flyball shake {file} --seed {seed} -n 1{DIM:#}"
        );
    }
    if differ.len() > SHOWN {
        let seeds = differ[SHOWN..]
            .iter()
            .map(|differs| differs.seed.to_string());
        let seeds: Vec<_> = seeds.take(20).collect();
        let _ = writeln!(text, "\nAlso: seeds {}", seeds.join(", "));
    }
    text
}

/// The first line that differs.
fn difference(usual: &str, other: &str) -> String {
    let mut lines = usual.lines();
    for line in other.lines() {
        let expected = lines.next();
        if expected != Some(line) {
            let expected =
                expected.map_or_else(|| "nothing more".into(), |line| format!("\"{line}\""));
            return format!("  it prints \"{line}\", and not shaken {expected}");
        }
    }
    match lines.next() {
        Some(line) => format!("  it does not print \"{line}\""),
        None => "  it prints the same".into(),
    }
}

fn document(file: &str, args: &ShakeArgs, usual: &Outcome, differ: &[Differs]) -> json::Report {
    let run = |seed, outcome: &Outcome| json::Run {
        seed,
        code: outcome.code,
        printed: outcome.printed.clone(),
    };
    json::Report {
        schema: flyball_json::SCHEMA,
        file: file.to_owned(),
        runs: args.runs,
        usual: run(None, usual),
        differ: differ
            .iter()
            .map(|differs| run(Some(differs.seed), &differs.outcome))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_shown() {
        assert_eq!(
            difference("a\nb\n", "a\nc\n"),
            "  it prints \"c\", and not shaken \"b\""
        );
        assert_eq!(
            difference("a\n", "a\nc\n"),
            "  it prints \"c\", and not shaken nothing more"
        );
        assert_eq!(difference("a\nb\n", "a\n"), "  it does not print \"b\"");
        assert_eq!(difference("a\n", "a\n"), "  it prints the same");
    }
}
