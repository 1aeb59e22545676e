//! What the analyses say about the sets of a corpus.

use super::Entry;
use crate::study::{Progress, Watch};
use csv::{IntoInnerError, WriterBuilder};
use flyball_analysis::gedf::{Answer, Test, accepted_by};
use flyball_analysis::{Criterion, WorkLimit};
use flyball_trace::Time;
use rayon::prelude::*;
use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

/// What is asked about each set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// What each of these says.
    Each(Vec<Criterion>),
    /// Whether any of these accepts; the name is `UNION` then.
    Any(Vec<Test>),
}

/// What a test says about a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The set, by its position in the corpus.
    pub set: usize,
    /// The name of the test.
    pub test: &'static str,
    /// What it says.
    pub answer: Answer,
    /// How long it took.
    pub took: Duration,
}

/// How many sets are worked on between two looks at the progress.
const PORTION: usize = 64;

/// What is asked of all sets, on all CPUs of this machine; in the order of the sets. Each test takes at most `limit`
/// steps. `None` if `watch` has asked to stop.
pub fn analyse(
    entries: &[Entry],
    asked: &Asked,
    limit: WorkLimit,
    watch: &mut Watch<'_>,
) -> Option<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    let portion = PORTION * rayon::current_num_threads();
    for (number, entries_now) in entries.chunks(portion).enumerate() {
        let first = number * portion;
        let progress = Progress {
            policy: "sets",
            number: first,
            of: entries.len(),
            now: Time::ZERO,
            until: Time::NEVER,
        };
        if watch(progress).is_break() {
            return None;
        }
        let sets = entries_now.par_iter().enumerate();
        let found: Vec<Vec<Verdict>> = sets
            .map(|(position, entry)| of_one(first + position, entry, asked, limit))
            .collect();
        verdicts.extend(found.into_iter().flatten());
    }
    Some(verdicts)
}

fn of_one(set: usize, entry: &Entry, asked: &Asked, limit: WorkLimit) -> Vec<Verdict> {
    let verdict = |test, ask: &dyn Fn() -> Answer| {
        let begin = Instant::now();
        let answer = ask();
        Verdict {
            set,
            test,
            answer,
            took: begin.elapsed(),
        }
    };
    match asked {
        Asked::Each(criteria) => criteria
            .iter()
            .map(|criterion| {
                verdict(criterion.name(), &|| {
                    criterion.ask(&entry.set, entry.cpus, limit)
                })
            })
            .collect(),
        Asked::Any(tests) => {
            let any = || match accepted_by(tests, &entry.set, entry.cpus, limit) {
                Ok(Some(_)) => Answer::Accepts,
                Ok(None) => Answer::Rejects,
                Err(stop) => Answer::Stopped(stop),
            };
            vec![verdict("UNION", &any)]
        }
    }
}

/// The verdicts as a file.
///
/// # Errors
/// None that can be foreseen: it is written in memory.
pub fn to_csv(entries: &[Entry], verdicts: &[Verdict]) -> io::Result<Vec<u8>> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(["set", "test", "verdict", "cpu_us"])?;
    let mut took = String::new();
    for verdict in verdicts {
        let said = match verdict.answer {
            Answer::Accepts => "1",
            Answer::Rejects => "0",
            Answer::Stopped(_) => "T",
        };
        took.clear();
        let tenths = verdict.took.as_nanos().div_ceil(100);
        // Writing to a string cannot fail.
        let _ = write!(took, "{}.{}", tenths / 10, tenths % 10);
        writer.write_record([
            entries[verdict.set].name.as_str(),
            verdict.test,
            said,
            took.as_str(),
        ])?;
    }
    writer.into_inner().map_err(IntoInnerError::into_error)
}
