//! Figure 4: bytes of the kernel.

use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, COUNTING, ImageSize};
use flyball_report::reproduction::{Claim, Experiment, Verdict};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "size",
    title: "Bytes (section 5, figure 4)",
    on_machine: &[COUNTING],
    run,
};

/// A whole image, and of it scheduler, dispatcher and servers, in the paper's kilobytes.
const PUBLISHED: [(&str, f64); 2] = [
    ("A whole image has 6.3 KB at most", 6.3),
    (
        "Scheduler, dispatcher and servers are 3.76 KB of it at most",
        3.76,
    ),
];
/// Bytes of a kilobyte: the larger of the two that there are.
const KILOBYTE: f64 = 1_024.0;

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let found = if setup.bench.has(COUNTING) {
        Some(setup.bench.size("minimal-soos")?)
    } else {
        None
    };
    Ok(Experiment {
        about: "The smallest image with SOOS, threads, a mutex, a semaphore and a queue: code, constants, and what \
                variables begin with."
            .into(),
        settings: vec![("options of the kernel".into(), "none".into())],
        assumptions: vec![
            "Scheduler and servers are the functions of the policy, with its list and its background; the dispatcher \
             is those of the kernel that ask the policy, set the timer and switch threads. What of them the compiler \
             made part of other functions is not counted."
                .into(),
            "A kilobyte has 1,024 bytes.".into(),
        ],
        claims: claims(found),
        ..Experiment::default()
    })
}

fn claims(found: Option<ImageSize>) -> Vec<Claim> {
    let bytes = found.map(|found| {
        let ImageSize {
            code,
            policy,
            dispatcher,
        } = found;
        let parts = format!("{} bytes: {policy} and {dispatcher}", policy + dispatcher);
        [
            (code, format!("{code} bytes")),
            (policy + dispatcher, parts),
        ]
    });
    let claim = |number: usize| {
        let (text, most) = PUBLISHED[number];
        let claim = Claim {
            text: text.into(),
            place: "section 5, figure 4".into(),
            criterion: String::new(),
            published: format!("{most} KB"),
            ours: "–".into(),
            verdict: Verdict::NotComparable("In simulation there is no image.".into()),
        };
        let Some((bytes, ours)) = bytes.as_ref().map(|bytes| bytes[number].clone()) else {
            return claim;
        };
        let fits = super::float(bytes) <= most * KILOBYTE;
        Claim {
            criterion: "no more".into(),
            ours,
            verdict: Verdict::of(fits, || {
                "Times have 64 bits here, on a processor of 32, servers have the rules of BIDS with their divisions, \
                 and a background has a policy of its own."
                    .into()
            }),
            ..claim
        }
    };
    (0..PUBLISHED.len()).map(claim).collect()
}
