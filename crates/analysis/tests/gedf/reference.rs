//! Every set and every test, against the reference.

use crate::corpus::{Entry, Said, read};
use flyball_analysis::WorkLimit;
use flyball_analysis::gedf::{Answer, Test, test};

/// What we say.
fn say(entry: &Entry, which: Test) -> Said {
    match test(which, &entry.set, entry.cpus, WorkLimit::steps(u64::MAX)) {
        Answer::Accepts => Said::Accepts,
        Answer::Rejects => Said::Rejects,
        Answer::Stopped(_) => Said::Nothing,
    }
}

/// What the reference says: where it was stopped, the independent 64-bit code.
fn reference(entry: &Entry, name: &str) -> Option<Said> {
    let said = entry.schedcat.get(name).copied();
    match said {
        None | Some(Said::Nothing) => entry.plain.get(name).copied().or(said),
        _ => said,
    }
}

/// Compares all tests on a corpus, and returns how many pairs there were.
fn compare(corpus: &str) -> usize {
    let mut pairs = 0;
    for entry in read(corpus) {
        for which in Test::ALL {
            let Some(expected) = reference(&entry, which.name()) else {
                continue;
            };
            if expected == Said::Nothing {
                continue;
            }
            pairs += 1;
            assert_eq!(say(&entry, which), expected, "{which} of {}", entry.name);
        }
    }
    pairs
}

#[test]
fn implicit_deadlines_in_ticks() {
    assert_eq!(compare("tinyi"), 2000 * 3);
}

#[test]
fn constrained_deadlines_in_ticks() {
    assert_eq!(compare("tinyc"), 2000 * 3);
}

#[test]
fn eight_cpus() {
    assert_eq!(compare("m8"), 2340 * 3);
}

#[test]
fn four_cpus_and_constrained_deadlines() {
    assert_eq!(compare("m4c"), 1230 * 3);
}

#[test]
fn a_hundred_cpus() {
    assert_eq!(compare("m100"), 180 * 3);
}
