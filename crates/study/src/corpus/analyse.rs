//! What the analyses say about the sets of a corpus.

use super::Entry;
use super::charge::{Paying, tasks};
use super::known::COLUMNS;
use crate::adversary;
use crate::assess::Charge;
use crate::study::{Progress, Watch};
use csv::{IntoInnerError, WriterBuilder};
use flyball_analysis::criterion::Policy;
use flyball_analysis::gedf::{self, Test, Truth, accepted_by};
use flyball_analysis::{Answer, Criterion, Stop, WorkLimit};
use flyball_trace::Time;
use rayon::prelude::*;
use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

/// What a set can be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// What a test says.
    Test(Criterion),
    /// Whether global EDF holds it, with arrivals at multiples of what all its times have in
    /// common.
    Exact,
    /// Whether it is certain that global EDF does not hold it: no policy does, or a simulation with
    /// bad arrivals misses a deadline. Else it is not known.
    Adversary,
}

impl Question {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Question> {
        let more = [Question::Exact, Question::Adversary];
        Criterion::all().map(Question::Test).chain(more)
    }

    /// Its name in the files.
    pub const fn name(self) -> &'static str {
        match self {
            Question::Test(criterion) => criterion.name(),
            Question::Exact => "EXACT",
            Question::Adversary => "SIM",
        }
    }

    /// The question with this name, in upper or lower case.
    pub fn find(name: &str) -> Option<Question> {
        Question::all().find(|question| question.name().eq_ignore_ascii_case(name))
    }

    /// Whether it is about global EDF.
    pub fn is_global(self) -> bool {
        match self {
            Question::Test(criterion) => criterion.policy() == Policy::GlobalEdf,
            Question::Exact | Question::Adversary => true,
        }
    }

    fn ask(self, Entry { set, cpus, .. }: &Entry, limit: WorkLimit) -> Answer {
        match self {
            Question::Test(criterion) => criterion.ask(set, *cpus, limit),
            Question::Exact => match gedf::exact(set, *cpus, gedf::common_unit(set), limit) {
                Truth::Holds => Answer::Accepts,
                Truth::Fails(_) => Answer::Rejects,
                Truth::Stopped(stop) => Answer::Stopped(stop),
            },
            Question::Adversary => {
                let simulated = |cpus| adversary::misses(set, cpus).is_some();
                let fails = gedf::is_infeasible(set, *cpus, limit)
                    || u8::try_from(*cpus).is_ok_and(simulated);
                if fails {
                    Answer::Rejects
                } else {
                    Answer::Stopped(Stop::WorkLimit)
                }
            }
        }
    }
}

/// What is asked about each set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Questions {
    /// What each of these says.
    Each(Vec<Question>),
    /// Whether any of these accepts; the name is `UNION` then.
    Any(Vec<Test>),
}

impl Questions {
    /// The names of the tests in the verdicts on a set, in order.
    pub fn names(&self) -> Vec<&'static str> {
        match self {
            Questions::Each(questions) => questions.iter().map(|it| it.name()).collect(),
            Questions::Any(_) => vec![UNION],
        }
    }
}

/// The name of the union of tests.
const UNION: &str = "UNION";

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

/// What is asked of all sets, on all CPUs of this machine; in the order of the sets. With a
/// `charge`, tasks pay for the kernel's work, and what is not [charged](Question::is_charged) is
/// answered by [`Answer::Stopped`]. Each test takes at most `limit` steps. `None` if `watch` has
/// asked to stop.
pub fn analyse(
    entries: &[Entry],
    asked: &Questions,
    charge: Option<&Charge>,
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
            .map(|(position, entry)| of_one(first + position, entry, asked, charge, limit))
            .collect();
        verdicts.extend(found.into_iter().flatten());
    }
    Some(verdicts)
}

fn of_one(
    set: usize,
    entry: &Entry,
    asked: &Questions,
    charge: Option<&Charge>,
    limit: WorkLimit,
) -> Vec<Verdict> {
    let tasks = charge.map_or_else(Vec::new, |_| tasks(entry));
    let mut paying = charge.map(|charge| Paying::new(entry, &tasks, charge));
    let verdict = |test, ask: &mut dyn FnMut() -> Answer| {
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
        Questions::Each(questions) => {
            let each = questions.iter().map(|question| {
                verdict(question.name(), &mut || match &mut paying {
                    Some(paying) => paying.ask(*question, limit),
                    None => question.ask(entry, limit),
                })
            });
            each.collect()
        }
        Questions::Any(tests) => {
            let mut any = || {
                if let Some(paying) = &mut paying {
                    return paying.any(tests, limit);
                }
                let accepted = accepted_by(tests, &entry.set, entry.cpus, limit);
                Answer::from(accepted.map(|by| by.is_some()))
            };
            vec![verdict(UNION, &mut any)]
        }
    }
}

/// The verdicts as a file.
///
/// # Errors
/// None that can be foreseen: it is written in memory.
pub fn to_csv(entries: &[Entry], verdicts: &[Verdict]) -> io::Result<Vec<u8>> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
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
