//! Table 4.2: applications with I/O, one after the other and all at once (4.2).

use super::sets::{number, once};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{Bench, BenchError, Trial};
use flyball_model::{Cost, Length, Overheads, Setting, Step, Task, TaskSet, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};
use flyball_trace::{Duration, Kind, Time};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "parallel",
    title: "Parallel applications (4.2, table 4.2)",
    on_machine: &["ipi", "rr"],
    run,
};

const WHERE: &str = "4.2, table 4.2";
/// The applications, and their times in seconds under I+PI and RR.
pub(super) const APPLICATIONS: [(&str, [f64; 2]); 6] = [
    ("basicmath", [61.641, 60.207]),
    ("jpeg", [14.812, 14.883]),
    ("stringsearch", [0.023, 0.023]),
    ("dijkstra", [14.290, 14.038]),
    ("sha", [3.354, 3.555]),
    ("gsm", [12.145, 11.031]),
];
/// Published: one after the other and at once, under I+PI and RR.
pub(super) const SEQUENCE: [f64; 2] = [106.055, 103.737];
pub(super) const AT_ONCE: [f64; 2] = [100.535, 101.504];
const POLICIES: [&str; 2] = ["ipi", "rr"];
const TITLES: [&str; 2] = ["I+PI", "RR"];

/// Shorter than the published times by this, so that it does not take long.
const SCALE: u64 = 10;
/// An application computes for so long, and then waits for I/O for so long.
const COMPUTES: Duration = Duration::from_millis(19);
const WAITS: Duration = Duration::from_millis(1);
/// The kernel's work: a switch, and a choice under each policy.
const SWITCH: Duration = Duration::from_micros(10);
const CHOICE: [Duration; 2] = [Duration::from_micros(15), Duration::from_micros(5)];

/// Seconds, under I+PI and RR.
struct Times {
    on_machine: bool,
    sequence: [f64; 2],
    at_once: [f64; 2],
    switches: [u64; 2],
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut times = Times {
        on_machine: setup.bench.machine().is_some(),
        sequence: [0.0; 2],
        at_once: [0.0; 2],
        switches: [0; 2],
    };
    for n in 0..2 {
        for application in APPLICATIONS {
            times.sequence[n] += measure(setup.bench, n, &[application])?.0;
        }
        (times.at_once[n], times.switches[n]) = measure(setup.bench, n, &APPLICATIONS)?;
    }
    let (kernel, costs) = if times.on_machine {
        (
            "costs what it costs on the machine".into(),
            "What the kernel's work costs is the machine's own, under I+PI and under RR. The regulators \
             compute in fixed point there, and not in software floating point as the authors' do.",
        )
    } else {
        (
            format!(
                "{SWITCH} a switch; {} a choice under I+PI, {} under RR",
                CHOICE[0], CHOICE[1]
            ),
            "What the kernel's work costs is ours: a choice under I+PI three times as dear as under RR, since \
             its regulators compute in software floating point there.",
        )
    };
    Ok(Experiment {
        about:
            "Six applications that compute and wait for I/O in turn: each alone, and all at once. \
                The time is that at which the last one ends."
                .into(),
        settings: vec![
            ("round robin".into(), "1 ms turns".into()),
            ("I+PI".into(), "default settings, bursts of 4 ms".into()),
            ("kernel".into(), kernel),
        ],
        assumptions: vec![
            format!(
                "The applications have the published times (RR's) over {SCALE}, and each computes for \
                 {COMPUTES} and waits for {WAITS} in turn: 5 % of I/O, about the part by which the \
                 published parallel times are shorter. Which parts are I/O is not published."
            ),
            costs.into(),
            "Round robin's turns are those of the Hartstone experiments (4.3); this section names \
             none."
                .into(),
        ],
        claims: [orderings(&times), published(&times)].concat(),
        figures: vec![picture(&times)],
        ..Experiment::default()
    })
}

/// An application with the shape that is assumed, as long as published under RR.
fn application((name, [_, rr]): (&str, [f64; 2])) -> Task {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "minutes in nanoseconds"
    )]
    let whole = Duration::from_nanos((rr * 1e9) as u64 / SCALE);
    let turn = COMPUTES + WAITS;
    let times = u32::try_from(whole / turn).unwrap_or(u32::MAX);
    let fixed = |time| Length::Fixed(time);
    let rest = whole
        .saturating_sub(turn * u64::from(times))
        .max(Duration::from_micros(1));
    let mut steps = vec![Step::Compute(fixed(rest))];
    if times > 0 {
        steps.push(Step::Repeat {
            times: Some(times),
            body: vec![Step::Suspend(fixed(WAITS)), Step::Compute(fixed(COMPUTES))],
        });
    }
    once(name, rest + COMPUTES * u64::from(times), steps)
}

/// When the last one ends, in seconds, and the context switches.
fn measure(
    bench: &mut dyn Bench,
    policy: usize,
    applications: &[(&str, [f64; 2])],
) -> Result<(f64, u64), BenchError> {
    let tasks: Vec<_> = applications.iter().copied().map(application).collect();
    let mut set = TaskSet {
        name: "applications".into(),
        tasks,
        ..TaskSet::default()
    };
    set.platform.overheads = Overheads {
        scheduling: Cost::fixed(CHOICE[policy]),
        context_switch: Cost::fixed(SWITCH),
        ..Overheads::default()
    };
    let quantum = Setting::from(Value::Duration(Duration::from_millis(1)));
    let settings = set.policies.entry("rr".into()).or_default();
    settings.values.insert("quantum".into(), quantum);
    let trial = Trial::new(set, POLICIES[policy], Duration::from_secs(60)).keeping(usize::MAX);
    let ran = bench.run(&trial)?;
    let ends = ran
        .trace
        .events
        .iter()
        .filter_map(|event| match event.kind {
            Kind::Complete { .. } => Some(event.time),
            _ => None,
        });
    let second = Duration::from_secs(1);
    let end = if ran.summary.jobs() == applications.len() as u64 {
        ends.max()
            .map_or(f64::NAN, |end| number(end.since(Time::ZERO), second))
    } else {
        f64::NAN
    };
    Ok((end, ran.summary.context_switches()))
}

/// Which of two is faster.
fn orderings(times: &Times) -> Vec<Claim> {
    let mut claims = Vec::new();
    let compared = |[a, b]: [f64; 2]| {
        let sign = if a < b { "<" } else { "≥" };
        format!("{a:.3} s {sign} {b:.3} s")
    };
    for n in 0..2 {
        claims.push(Claim {
            text: format!(
                "{}: at once takes less time than one after the other",
                TITLES[n]
            ),
            place: WHERE.into(),
            criterion: "the ordering".into(),
            published: compared([AT_ONCE[n], SEQUENCE[n]]),
            ours: compared([times.at_once[n], times.sequence[n]]),
            verdict: Verdict::of(times.at_once[n] < times.sequence[n], || {
                "the time of I/O is not used by others".into()
            }),
        });
    }
    claims.push(Claim {
        text: "At once, I+PI takes less time than RR".into(),
        place: WHERE.into(),
        criterion: "the ordering".into(),
        published: compared(AT_ONCE),
        ours: compared(times.at_once),
        verdict: Verdict::of(times.at_once[0] < times.at_once[1], || {
            "with these costs, I+PI's choices cost more than its longer bursts save".into()
        }),
    });
    claims.push(Claim {
        text: "One after the other, RR takes less time than I+PI".into(),
        place: WHERE.into(),
        criterion: "the ordering".into(),
        published: compared([SEQUENCE[1], SEQUENCE[0]]),
        ours: compared([times.sequence[1], times.sequence[0]]),
        verdict: Verdict::of(times.sequence[1] < times.sequence[0], || {
            let costs = if times.on_machine {
                "the machine's kernel shows that it does not".into()
            } else {
                format!("{} and {} are assumed", CHOICE[0], CHOICE[1])
            };
            format!(
                "a lone task is interrupted every 1 ms under RR and every 4 ms under I+PI, so a choice \
                 under I+PI would have to cost more than four times as much as under RR; {costs}"
            )
        }),
    });
    claims
}

/// What is compared with nothing, or only with itself.
fn published(times: &Times) -> Vec<Claim> {
    let mut claims = Vec::new();
    let seconds = |time: f64| format!("{time:.3} s");
    let not = "the applications, the board and its memory are not here: seconds would compare our \
               assumptions with their hardware";
    for (text, theirs, ours) in [
        ("T_seq", SEQUENCE, times.sequence),
        ("T_sim", AT_ONCE, times.at_once),
    ] {
        for n in 0..2 {
            claims.push(Claim {
                text: format!("{}: {text}", TITLES[n]),
                place: WHERE.into(),
                criterion: String::new(),
                published: seconds(theirs[n]),
                ours: format!("{} at 1/{SCALE} of the size", seconds(ours[n])),
                verdict: Verdict::NotComparable(not.into()),
            });
        }
    }
    for n in 0..2 {
        let list = APPLICATIONS.map(|(name, times)| format!("{name} {} s", times[n]));
        claims.push(Claim {
            text: format!("{}: the time of each application alone", TITLES[n]),
            place: WHERE.into(),
            criterion: String::new(),
            published: list.join(", "),
            ours: "RR's are the size of the workload here".into(),
            verdict: Verdict::NotComparable(not.into()),
        });
    }
    let applications = APPLICATIONS.iter();
    let sum: f64 = applications.map(|application| application.1[0]).sum();
    claims.push(Claim {
        text: "I+PI's times of the applications add up to T_seq".into(),
        place: WHERE.into(),
        criterion: "the published numbers among each other, within 0.001 s".into(),
        published: seconds(SEQUENCE[0]),
        ours: format!("they add up to {}", seconds(sum)),
        verdict: Verdict::of((sum - SEQUENCE[0]).abs() <= 0.001, || {
            "with basicmath's 61.431 s of table 4.1 instead of 61.641 s they would: digits have changed \
             places"
                .into()
        }),
    });
    let gain = |[ipi, rr]: [f64; 2]| format!("{} %", decimal((1.0 - ipi / rr) * 100.0));
    claims.push(Claim {
        text: "By how much I+PI is faster than RR at once".into(),
        place: WHERE.into(),
        criterion: String::new(),
        published: gain(AT_ONCE),
        ours: gain(times.at_once),
        verdict: Verdict::NotComparable(if times.on_machine {
            "it depends on what choices and switches cost on a board".into()
        } else {
            "it depends on what choices and switches cost, which is assumed here".into()
        }),
    });
    claims.push(Claim {
        text: "At once the applications compute the same results as alone".into(),
        place: "4.2".into(),
        criterion: String::new(),
        published: "the same".into(),
        ours: "all end".into(),
        verdict: Verdict::NotComparable("the workloads here compute nothing".into()),
    });
    claims
}

fn picture(times: &Times) -> Figure {
    // Relative to RR one after the other.
    let bars = |sequence: [f64; 2], at_once: [f64; 2]| -> Vec<[f64; 2]> {
        let all = [sequence[0], sequence[1], at_once[0], at_once[1]];
        let whole = sequence[1];
        (0..)
            .zip(all)
            .map(|(n, time)| [f64::from(n), 100.0 * time / whole])
            .collect()
    };
    Figure {
        name: "parallel".into(),
        title: "Table 4.2: six applications, one after the other and at once.".into(),
        caption: format!(
            "Relative to RR one after the other; the axis begins at 90 %. At once there were {} switches \
             under I+PI and {} under RR.",
            times.switches[0], times.switches[1]
        ),
        x: Axis::categories(
            "",
            [
                "I+PI, one after the other",
                "RR, one after the other",
                "I+PI, at once",
                "RR, at once",
            ],
        ),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::range("time (%), from 90 on", 90.0, 104.0),
            series: vec![
                Series::ours(
                    if times.on_machine {
                        "on the machine"
                    } else {
                        "simulated"
                    },
                    Shape::Bars,
                    0,
                    bars(times.sequence, times.at_once),
                ),
                Series::ours("published", Shape::Bars, 0, bars(SEQUENCE, AT_ONCE))
                    .with_role(Role::Published),
            ],
        }],
    }
}
