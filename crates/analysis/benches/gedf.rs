//! What the tests of global EDF and partitioned EDF cost, beside SchedCAT's, on the same sets.
//!
//! Mean microseconds per set, preparation of the set included, the best of five runs each; and
//! those that SchedCAT's native code took (one sample on another machine, good to a factor of 1.5),
//! over the sets that it was not stopped for. `tests/data/schedcat/README.md` tells what the
//! corpora are.
//!
//! `cargo bench -p flyball-analysis --bench gedf`

#[path = "../tests/gedf/corpus.rs"]
mod corpus;

use corpus::{Entry, Said};
use flyball_analysis::gedf::{Set, Test, accepted_by, test};
use flyball_analysis::{Fit, WorkLimit, partitioned};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    // Cargo runs every benchmark once with this when it tests.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    println!("corpus  test   sets  accepted     mean   SchedCAT   ratio    longest");
    for name in ["m8", "m100", "m4c"] {
        let entries = corpus::read(name);
        let limit = WorkLimit::steps(u64::MAX);
        for which in Test::CLASSIC {
            measure(name, which.name(), &entries, |set, cpus| {
                test(which, set, cpus, limit).accepts()
            });
        }
        measure(name, "UNION", &entries, |set, cpus| {
            accepted_by(&Test::CLASSIC, set, cpus, limit).is_ok_and(|by| by.is_some())
        });
        if name == "m4c" {
            continue; // SchedCAT partitions implicit deadlines only.
        }
        for (label, fit) in [("FFD", Fit::First), ("BFD", Fit::Best), ("WFD", Fit::Worst)] {
            measure(name, label, &entries, |set, cpus| {
                partitioned::test(set, cpus, fit, limit).accepts()
            });
        }
    }
}

/// Prints a line about a test.
fn measure(corpus: &str, label: &str, entries: &[Entry], accepts: impl Fn(&Set, u32) -> bool) {
    let (mut all, mut longest, mut accepted) = (0.0, 0.0_f64, 0_u32);
    let (mut ours, mut theirs) = (0.0, 0.0);
    for entry in entries {
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let tasks = entry.set.tasks().to_vec();
            let begin = Instant::now();
            let set = Set::new(tasks).expect("it was a set before");
            let answer = black_box(accepts(&set, entry.cpus));
            let took = begin.elapsed().as_secs_f64() * 1e6;
            accepted += u32::from(answer && best.is_infinite());
            best = best.min(took);
        }
        all += best;
        longest = longest.max(best);
        if has_reply(entry, label) {
            ours += best;
            theirs += entry.schedcat[label].micros;
        }
    }
    // A few thousand.
    let sets = u32::try_from(entries.len()).expect("so few");
    let mean = all / f64::from(sets);
    let beside = if theirs > 0.0 {
        let asked = entries
            .iter()
            .filter(|entry| has_reply(entry, label))
            .count();
        let asked = u32::try_from(asked).expect("no more than all");
        format!("{:11.1}{:8.0}", theirs / f64::from(asked), theirs / ours)
    } else {
        format!("{:>11}{:>8}", "-", "-")
    };
    println!("{corpus:7} {label:6}{sets:5}{accepted:10}{mean:9.2}{beside}{longest:11.1}");
}

/// Whether SchedCAT has an answer.
fn has_reply(entry: &Entry, label: &str) -> bool {
    entry
        .schedcat
        .get(label)
        .is_some_and(|reply| reply.said != Said::Nothing)
}
