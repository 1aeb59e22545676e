//! What the tests say about a set: with no overheads, and with those of each charge.
//!
//! Tests have the short names of the literature and of `flyball analyse`. Each pays the overheads
//! of a policy that its own costs as much as
//! ([`Policy::payer`](flyball_analysis::criterion::Policy::payer)). Unions have names of their own:
//! `G-EDF`, the nine tests of global EDF up to 2009, `G-EDF+`, all of them, and `P-EDF` and `P-FP`,
//! all partitioning heuristics.
//!
//! Tests count in microseconds, in which sets are drawn; execution times with overheads are rounded
//! up to whole microseconds, periods and deadlines down, as SchedCAT does.

mod charge;

use charge::Priced;

use crate::draw::Drawn;
use flyball_analysis::criterion::Policy;
use flyball_analysis::{Criterion, gedf};
use flyball_model::Study;
use flyball_model::study::Column;

/// Which overheads are charged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variant {
    /// None.
    Ideal,
    /// Those of a charge, by its place in the study, and of a working set of so many bytes, if of
    /// any.
    Charged(usize, Option<u32>),
}

/// One test or union with one variant of overheads: a column of the results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The test's place in the study.
    pub test: usize,
    /// The overheads.
    pub variant: Variant,
    /// What it is called: `P-EDF`, `P-EDF + EPOS`, `P-EDF + EPOS, 128 KB`.
    pub name: String,
}

/// A study's tests, ready to judge.
#[derive(Debug)]
pub struct Judge<'s> {
    study: &'s Study,
    labels: Vec<Label>,
    columns: Vec<Vec<Criterion>>,
}

impl<'s> Judge<'s> {
    /// The tests of a study.
    pub fn new(study: &'s Study) -> Judge<'s> {
        let columns: Vec<_> = study.tests.iter().map(members).collect();
        Judge {
            study,
            labels: labels(study),
            columns,
        }
    }

    /// What it says something about, in the order in which it says it.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Whether the set is accepted, for each label; `None`: the tests gave up before they knew.
    pub fn judge(&self, set: &[Drawn]) -> Vec<Option<bool>> {
        let tasks = charge::tasks(set);
        let mut priced: Option<(Variant, Priced<'_>)> = None;
        let verdicts = self.labels.iter().map(|label| {
            // Labels of one variant stand together, so what a test has said of it is kept until the
            // next.
            let known = priced
                .take()
                .filter(|(variant, _)| *variant == label.variant);
            let (_, priced) = priced.insert(known.unwrap_or_else(|| {
                (
                    label.variant,
                    Priced::new(self.study, &tasks, label.variant),
                )
            }));
            priced.any(&self.columns[label.test])
        });
        verdicts.collect()
    }
}

/// The unions that have names.
const UNIONS: [&str; 4] = ["G-EDF", "G-EDF+", "P-EDF", "P-FP"];

/// The names of tests that a study may use.
pub fn names() -> Vec<&'static str> {
    let tests = Criterion::all().map(Criterion::name);
    UNIONS.into_iter().chain(tests).collect()
}

/// The tests that a column stands for, each once.
fn members(column: &Column) -> Vec<Criterion> {
    let is_meant = |test: &Criterion| column.any.iter().any(|name| is_named(*test, name));
    Criterion::all().filter(is_meant).collect()
}

/// The policy that never misses a deadline of a set which the column accepts, however a simulation of it is set up; `None`: there
/// is none. Of other tests' policies it depends on their settings (sizes of clusters, priorities, slots) whether they are what the
/// test is about.
pub fn promised(column: &Column) -> Option<Policy> {
    let mut policies = members(column).into_iter().map(Criterion::policy);
    let first = policies.next()?;
    let is_plain = matches!(first, Policy::GlobalEdf | Policy::PartitionedEdf);
    (is_plain && policies.all(|other| other == first)).then_some(first)
}

/// Whether a name stands for a test, among others.
fn is_named(test: Criterion, name: &str) -> bool {
    match (name, test) {
        // What studies of the literature call so; a newer test changes nothing about it.
        ("G-EDF", Criterion::Global(test)) => gedf::Test::CLASSIC.contains(&test),
        ("G-EDF+", Criterion::Global(_))
        | ("P-EDF", Criterion::Partitioned(_))
        | ("P-FP", Criterion::PartitionedFixed(_)) => true,
        (name, test) => test.name() == name,
    }
}

/// All columns of a study's results, those of one variant together.
pub fn labels(study: &Study) -> Vec<Label> {
    let mut variants = vec![(Variant::Ideal, String::new())];
    for (place, charge) in study.charges.iter().enumerate() {
        let name = format!(" + {}", charge.name);
        variants.push((Variant::Charged(place, None), name.clone()));
        for &bytes in &charge.working_sets {
            variants.push((
                Variant::Charged(place, Some(bytes)),
                format!("{name}, {}", size(bytes)),
            ));
        }
    }
    let mut labels = Vec::new();
    for (variant, suffix) in variants {
        for (test, column) in study.tests.iter().enumerate() {
            labels.push(Label {
                test,
                variant,
                name: format!("{}{suffix}", column.name),
            });
        }
    }
    labels
}

/// Bytes for people: `128 KB`, `10 MB`; 1 KB is 1024 bytes, as with caches.
pub fn size(bytes: u32) -> String {
    match bytes {
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MB", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests;
