//! Every set and every test, against the reference.

use crate::gedf::corpus::{Entry, Reply, Said, read};
use crate::gedf::plain;
use flyball_analysis::WorkLimit;
use flyball_analysis::gedf::{Answer, Test, test};
use flyball_analysis::{Fit, partitioned};
use std::collections::BTreeMap;

/// What we say.
fn say(entry: &Entry, which: Test) -> Said {
    match test(which, &entry.set, entry.cpus, WorkLimit::steps(u64::MAX)) {
        Answer::Accepts => Said::Accepts,
        Answer::Rejects => Said::Rejects,
        Answer::Stopped(_) => Said::Nothing,
    }
}

/// What the reference says: where it was stopped, the independent 64-bit code.
fn reference(entry: &Entry, name: &str) -> Said {
    let said = |replies: &BTreeMap<String, Reply>| {
        replies.get(name).map_or(Said::Nothing, |reply| reply.said)
    };
    match said(&entry.schedcat) {
        Said::Nothing => said(&entry.plain),
        known => known,
    }
}

/// How many pairs of a set and a test there were.
#[derive(PartialEq, Eq, Debug)]
struct Count {
    same: usize,
    /// The reference does not know (and so there is nothing to compare).
    unknown: usize,
    /// We accept, and the reference rejects since it approximates.
    finer: usize,
}

fn compare(corpus: &str) -> Count {
    let mut count = Count {
        same: 0,
        unknown: 0,
        finer: 0,
    };
    for entry in read(corpus) {
        for which in Test::CLASSIC {
            // SchedCAT does not have it.
            if which == Test::Bak05 {
                continue;
            }
            let (ours, theirs) = (say(&entry, which), reference(&entry, which.name()));
            assert_ne!(ours, Said::Nothing);
            if theirs == Said::Nothing {
                count.unknown += 1;
            } else if ours == theirs {
                count.same += 1;
            } else {
                assert_eq!(which, Test::Load, "{which} of {}", entry.name);
                explain(&entry, ours, theirs);
                count.finer += 1;
            }
        }
    }
    count
}

/// The reference takes for the load what is larger by up to 0.1. With that, in exact arithmetic, we
/// reject, too.
fn explain(entry: &Entry, ours: Said, theirs: Said) {
    let tasks = entry.set.tasks();
    assert_eq!(
        (ours, theirs),
        (Said::Accepts, Said::Rejects),
        "{}",
        entry.name
    );
    assert!(
        !plain::accepts_approximated(tasks, entry.cpus, 10),
        "{}",
        entry.name
    );
}

#[test]
fn implicit_deadlines_in_ticks() {
    let expected = Count {
        same: 2000 * 8,
        unknown: 0,
        finer: 0,
    };
    assert_eq!(compare("tinyi"), expected);
}

#[test]
fn constrained_deadlines_in_ticks() {
    let expected = Count {
        same: 2000 * 8 - 21,
        unknown: 0,
        finer: 21,
    };
    assert_eq!(compare("tinyc"), expected);
}

#[test]
fn eight_cpus() {
    let expected = Count {
        same: 2340 * 8 - 3,
        unknown: 3,
        finer: 0,
    };
    assert_eq!(compare("m8"), expected);
}

#[test]
fn four_cpus_and_constrained_deadlines() {
    let expected = Count {
        same: 1230 * 8 - 70,
        unknown: 0,
        finer: 70,
    };
    assert_eq!(compare("m4c"), expected);
}

#[test]
fn a_hundred_cpus() {
    // FF-DBF was not asked, or stopped, for 26 sets, BAR for 6.
    let expected = Count {
        same: 180 * 8 - 32,
        unknown: 32,
        finer: 0,
    };
    assert_eq!(compare("m100"), expected);
}

#[test]
fn partitioned() {
    let (mut accepted, mut rejected) = (0, 0);
    for corpus in ["tinyi", "m8", "m100"] {
        for entry in read(corpus) {
            for (name, fit) in [("FFD", Fit::First), ("BFD", Fit::Best), ("WFD", Fit::Worst)] {
                let ours = partitioned::test(&entry.set, entry.cpus, fit, WorkLimit::default());
                let theirs = entry.schedcat[name].said;
                assert_eq!(
                    ours.accepts(),
                    theirs == Said::Accepts,
                    "{name} of {}",
                    entry.name
                );
                accepted += u32::from(ours.accepts());
                rejected += u32::from(!ours.accepts());
            }
        }
    }
    assert_eq!((accepted, rejected), (11_746, 1_814));
}
