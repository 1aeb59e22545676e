//! Table 4.2: six programs, one after the other and at once.

use super::scripts::{Programs, Row};
use crate::miosix::parallel::{APPLICATIONS, AT_ONCE, SEQUENCE};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict,
};
use std::collections::BTreeMap;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "programs-together",
    title: "Six programs one after the other and at once (4.2, table 4.2)",
    on_machine: &[],
    run,
};

const PLACE: &str = "4.2, table 4.2";
const POLICIES: [&str; 4] = ["ipi", "rr", "fp-rr", "edf"];
const TITLES: [&str; 4] = ["I+PI", "RR", "fixed priorities with RR", "EDF"];

/// An instruction takes 16 ns, about as on a processor of 72 MHz with memory that is slower.
const SHIFT: u8 = 4;

/// What was measured under a policy.
struct Times {
    policy: usize,
    alone: BTreeMap<String, f64>,
    at_once: BTreeMap<String, f64>,
    rows: BTreeMap<String, Row>,
}

impl Times {
    fn of(all: &BTreeMap<String, f64>) -> f64 {
        all.get("together").copied().unwrap_or(f64::NAN)
    }

    fn sequence(&self) -> f64 {
        Times::of(&self.alone)
    }

    fn at_once(&self) -> f64 {
        Times::of(&self.at_once)
    }
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let programs = Programs::new(setup.programs()?, &POLICIES)?;
    programs.build("host", &["together"])?;
    let mut all = Vec::with_capacity(POLICIES.len());
    for (policy, name) in POLICIES.into_iter().enumerate() {
        programs.build(name, &["together"])?;
        let rows = programs.run(name, &["alone", "simultaneously"], SHIFT)?;
        all.push(Times {
            policy,
            alone: programs.times(name, "alone")?,
            at_once: programs.times(name, "simultaneously")?,
            rows,
        });
    }
    let mut claims: Vec<_> = all.iter().map(same_output).collect();
    claims.extend(all.iter().map(overlap));
    claims.extend(orderings(&all));
    claims.extend(all.iter().map(applications));
    Ok(Experiment {
        about: "Six programs in C, one of each category of MiBench, as threads of one program on the \
                emulated board: one after the other, and all at once."
            .into(),
        settings: vec![
            (
                "processor".into(),
                "an emulated Cortex-M3 that executes an instruction every 16 ns".into(),
            ),
            (
                "files".into(),
                "the host's; a device that does one transfer at a time takes 0.5 ms a call and 0.5 µs \
                 a byte, and other threads run meanwhile"
                    .into(),
            ),
            ("round robin".into(), "slices of 1 ms".into()),
            (
                "EDF".into(),
                "fictitious deadlines, one second apart, in the order in which the threads begin"
                    .into(),
            ),
        ],
        assumptions: vec![
            "The programs are those of table 4.1, with smaller input files.".into(),
            "Which device the authors' files were on, and how fast it was, is not published.".into(),
        ],
        claims,
        figures: vec![picture(&all)],
        ..Experiment::default()
    })
}

fn compared(a: f64, b: f64) -> String {
    let sign = if a < b { "<" } else { "≥" };
    format!("{a:.3} s {sign} {b:.3} s")
}

/// A published pair, if the policy is one of the two.
fn published(policy: usize) -> Option<[f64; 2]> {
    Some([*AT_ONCE.get(policy)?, *SEQUENCE.get(policy)?])
}

fn same_output(times: &Times) -> Claim {
    let wrong = times.rows.iter().find(|(_, row)| !row.is_right());
    Claim {
        text: format!(
            "{}: at once the programs write what they write one after the other",
            TITLES[times.policy]
        ),
        place: "4.2".into(),
        criterion: "all files as on the host, both times".into(),
        published: "the same".into(),
        ours: wrong.map_or_else(|| "the same".into(), |(name, _)| format!("{name} differs")),
        verdict: Verdict::of(wrong.is_none(), || {
            wrong.map_or_else(String::new, |(_, row)| row.result.clone())
        }),
    }
}

fn overlap(times: &Times) -> Claim {
    let (at_once, sequence) = (times.at_once(), times.sequence());
    Claim {
        text: format!(
            "{}: at once takes less time than one after the other",
            TITLES[times.policy]
        ),
        place: PLACE.into(),
        criterion: "the ordering".into(),
        published: published(times.policy).map_or_else(|| "—".into(), |[a, b]| compared(a, b)),
        ours: compared(at_once, sequence),
        verdict: Verdict::of(at_once < sequence, || {
            "what the policy's switches cost is more than the time of files that others use".into()
        }),
    }
}

/// I+PI and RR.
fn orderings(all: &[Times]) -> Vec<Claim> {
    let [ipi, rr, ..] = all else {
        return Vec::new();
    };
    vec![
        Claim {
            text: "At once, I+PI takes less time than RR".into(),
            place: PLACE.into(),
            criterion: "the ordering".into(),
            published: compared(AT_ONCE[0], AT_ONCE[1]),
            ours: compared(ipi.at_once(), rr.at_once()),
            verdict: Verdict::of(ipi.at_once() < rr.at_once(), || {
                "a thread that comes back from the device waits for its turn, and a round of six bursts of \
                 4 ms is longer than one of six slices of 1 ms, so the device idles for longer; how much \
                 theirs had to do is not published"
                    .into()
            }),
        },
        Claim {
            text: "One after the other, RR takes less time than I+PI".into(),
            place: PLACE.into(),
            criterion: "the ordering".into(),
            published: compared(SEQUENCE[1], SEQUENCE[0]),
            ours: compared(rr.sequence(), ipi.sequence()),
            verdict: Verdict::of(rr.sequence() < ipi.sequence(), || {
                "a lone thread is interrupted every millisecond under RR and every four under I+PI, whose \
                 regulators compute in fixed point here and in software floating point there"
                    .into()
            }),
        },
    ]
}

/// Each program alone.
fn applications(times: &Times) -> Claim {
    let list = |time: &dyn Fn(&str, [f64; 2]) -> Option<f64>| {
        let each = APPLICATIONS.map(|(name, published)| {
            time(name, published)
                .map_or_else(|| format!("{name} —"), |time| format!("{name} {time:.3} s"))
        });
        each.join(", ")
    };
    Claim {
        text: format!("{}: the time of each program", TITLES[times.policy]),
        place: PLACE.into(),
        criterion: String::new(),
        published: list(&|_, published| published.get(times.policy).copied()),
        ours: list(&|name, _| times.alone.get(name).copied()),
        verdict: Verdict::NotComparable(
            "the processor is emulated, and the input files are smaller".into(),
        ),
    }
}

fn picture(all: &[Times]) -> Figure {
    // Relative to one after the other, in percent.
    let bars = |pairs: Vec<[f64; 2]>| -> Vec<[f64; 2]> {
        (0..)
            .zip(pairs)
            .map(|(at, [at_once, sequence])| [f64::from(at), 100.0 * at_once / sequence])
            .collect()
    };
    let ours = all.iter().map(|times| [times.at_once(), times.sequence()]);
    Figure {
        name: "programs-together".into(),
        title: "Table 4.2: six programs at once.".into(),
        caption: "Relative to the same programs one after the other; the axis begins at 80 %."
            .into(),
        x: Axis::categories("", TITLES),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::range("time (%), from 80 on", 80.0, 104.0),
            series: vec![
                Series::ours("here", Shape::Bars, 0, bars(ours.collect())),
                Series::ours(
                    "published",
                    Shape::Bars,
                    0,
                    bars((0..2).filter_map(published).collect()),
                )
                .with_role(Role::Published),
            ],
        }],
    }
}
