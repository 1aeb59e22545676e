//! The overheads of EPOS and LITMUS^RT, by Gracioli et al., beside those of this kernel and of this
//! Linux.
//!
//! | experiment | |
//! |---|---|
//! | `context-switch` | figure 7 |
//! | `scheduling` | figure 8 |
//! | `tick-and-release` | figure 9 |
//! | `cache` | figure 11 |

mod cache;
mod scheduling;
mod switch;
mod tick;

use crate::work::{Setup, Work};
use flyball_measure::bench::BenchError;
use flyball_measure::overheads::{self, Error, Measurements, Plan, Policy, Queue};
use flyball_overheads::measurements::Quantity;
use flyball_overheads::stats::Summary;
use flyball_report::reproduction::{Claim, Verdict};
use flyball_study::StudyError;

/// The paper, as far as it measures overheads.
pub const WORK: Work = Work {
    name: "epos-overheads",
    title: "Global and partitioned scheduling in EPOS: overheads",
    source: "G. Gracioli, A. A. Fröhlich, R. Pellizzoni, S. Fischmeister: Implementation and evaluation of \
             global and partitioned scheduling in a real-time OS. Real-Time Systems 49, 2013, sections \
             5.1 to 5.3",
    notes: &[
        "The authors measured on an Intel i7-2600 (3.4 GHz, 8 logical CPUs): EPOS without an operating \
         system under it, and LITMUS^RT 2012.1 on Linux 3.0. Here the kernel runs in a process on this \
         processor, beside this Linux. No absolute time of theirs is compared with one of ours.",
        "Where a worst case is asked for, the 99.9 % quantile is taken: this process is interrupted by its \
         host, as nothing interrupted EPOS.",
    ],
    plans: &[switch::PLAN, scheduling::PLAN, tick::PLAN, cache::PLAN],
    programs: &[],
    goes_on: false,
};

/// The numbers of threads that the authors measured with.
const THREADS: [usize; 7] = [5, 15, 25, 50, 75, 100, 125];

/// As many CPUs as the authors had.
const CPUS: u8 = 8;

/// A plan for nothing but the kernel under EDF, as the authors have it.
fn plan() -> Plan {
    Plan {
        policies: vec![Policy::GLOBAL_EDF, Policy::PARTITIONED_EDF],
        queues: vec![Queue::Heap, Queue::List],
        threads: THREADS.to_vec(),
        cpus: CPUS,
        repetitions: 50_000,
        linux: false,
        working_sets: Vec::new(),
    }
}

/// Measures.
fn measure(setup: &mut Setup<'_>, plan: &Plan) -> Result<Measurements, BenchError> {
    let mut refused = None;
    let found = overheads::measure(plan, &mut |_| match setup.bench.go_on() {
        Ok(()) => core::ops::ControlFlow::Continue(()),
        Err(error) => {
            refused = Some(error);
            core::ops::ControlFlow::Break(())
        }
    });
    match (found, refused) {
        (Ok(found), _) => Ok(found),
        (Err(_), Some(error)) => Err(error),
        (Err(Error::Interrupted), None) => Err(StudyError::Interrupted.into()),
        (Err(error), None) => Err(StudyError::Bench(error.to_string()).into()),
    }
}

/// What the machine and the method are, for people.
fn settings(found: &Measurements) -> Vec<(String, String)> {
    let processor = &found.processor;
    let place = if processor.is_virtual {
        " (virtual)"
    } else {
        ""
    };
    [
        ("processor", format!("{}{place}", processor.name)),
        ("operating system", processor.system.clone()),
        ("CPUs of a policy", found.cpus.to_string()),
        ("repetitions", found.repetitions.to_string()),
        (
            "time-stamp counter",
            format!(
                "{:.0} MHz; to read it costs {:.1} ns, which is subtracted",
                processor.megahertz, processor.reading
            ),
        ),
        ("outlier", overheads::stats::RULE.into()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// A claim about an absolute time on the authors' machine.
fn absolute(text: &str, place: &str, published: &str, ours: String) -> Claim {
    Claim {
        text: text.into(),
        place: place.into(),
        criterion: String::new(),
        published: published.into(),
        ours,
        verdict: Verdict::NotComparable(
            "It is an absolute time on another processor, and there under no operating system, here in a \
             process of one."
                .into(),
        ),
    }
}

/// A number of nanoseconds, for people.
fn ns(nanoseconds: f64) -> String {
    if nanoseconds >= 1_000.0 {
        format!("{:.2} µs", nanoseconds / 1e3)
    } else {
        format!("{nanoseconds:.1} ns")
    }
}

/// What something costs; zeros where it was not measured, which no claim holds for.
fn cost(
    found: &Measurements,
    (policy, queue): (Policy, Queue),
    threads: usize,
    quantity: Quantity,
) -> Summary {
    let cost = found.cost(policy, queue, threads, quantity);
    cost.copied().unwrap_or_default()
}
