//! Sections 3.2, 3.3 and 4: what short periods cost, and what it takes to see bursts.

use super::pipeline::{between_devices, hog, ms, overheads, percent, reserve, us};
use super::seen::{between, count, millis, periods, watch};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult};
use flyball_model::{Length, TaskSet, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::Modes;
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "overhead",
    title: "What short periods cost, and what it takes to see bursts (3.2, 3.3, 4)",
    on_machine: &[],
    run,
};

const UNTIL: Duration = Duration::from_secs(20);
const SETTLED: [f64; 2] = [10.0, 20.0];
const SWITCH: Duration = us(20);
/// Periods of the one job that has another one.
const PERIODS: [u64; 8] = [1, 2, 5, 10, 20, 50, 100, 200];
/// The periods of the other jobs.
const OTHERS: u64 = 200;
const JOBS: usize = 4;
/// How often the controllers run, in milliseconds.
const INTERVALS: [u64; 4] = [2, 5, 10, 20];
const SENSINGS: [&str; 3] = ["exact", "switch", "sampled"];

/// The part of the CPU that the kernel takes, in percent.
fn kernel(seen: &RunResult) -> f64 {
    let cpu = seen.summary.cpus.first().copied().unwrap_or_default();
    100.0 * millis(cpu.overhead) / millis(seen.summary.elapsed)
}

/// Four jobs that always compute, with periods.
fn jobs(setup: &mut Setup<'_>, periods: [u64; JOBS]) -> Result<f64, BenchError> {
    let task = |(number, period): (usize, u64)| {
        let mut task = hog(&format!("job {}", number + 1));
        task.reserve = Some(reserve(Some(percent(20)), Some(ms(period))));
        task
    };
    let mut set = TaskSet {
        tasks: periods.into_iter().enumerate().map(task).collect(),
        ..TaskSet::default()
    };
    set.platform.overheads = overheads(SWITCH, Duration::ZERO);
    Ok(kernel(&count(setup, set, "pp", UNTIL)?))
}

/// What a way to see levels leads to.
#[derive(Clone, Copy)]
struct Seen {
    interval: f64,
    /// The mean period of the first stage, in milliseconds.
    period: f64,
    glitches: u64,
}

fn sense(setup: &mut Setup<'_>, sensing: &str, interval: u64) -> Result<Seen, BenchError> {
    let unit = |length| Length::Fixed(us(length));
    let set = between_devices(ms(10), &[unit(1_500), unit(2_000)], 20);
    let settings = [
        ("sensing", Value::Text(sensing.into())),
        ("interval", Value::Duration(ms(interval))),
        // Twice the interval, as the report has it.
        ("shortest", Value::Duration(ms((interval * 2).max(25)))),
    ];
    let seen = watch(
        setup,
        Modes::from(set).with_settings("pp", &settings),
        "pp",
        UNTIL,
    )?;
    Ok(Seen {
        interval: millis(ms(interval)),
        period: between(&periods(&seen, 0), SETTLED[0], SETTLED[1]).mean,
        glitches: seen.summary.overruns() + seen.summary.underruns(),
    })
}

struct Found {
    /// One job has a short period; all have it.
    one: Vec<[f64; 2]>,
    all: Vec<[f64; 2]>,
    sensings: Vec<(&'static str, Vec<Seen>)>,
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut found = Found {
        one: Vec::new(),
        all: Vec::new(),
        sensings: Vec::new(),
    };
    for period in PERIODS {
        let at = millis(ms(period));
        found
            .one
            .push([at, jobs(setup, [period, OTHERS, OTHERS, OTHERS])?]);
        found.all.push([at, jobs(setup, [period; JOBS])?]);
    }
    for sensing in SENSINGS {
        let seen = INTERVALS
            .into_iter()
            .map(|interval| sense(setup, sensing, interval));
        found
            .sensings
            .push((sensing, seen.collect::<Result<_, _>>()?));
    }
    Ok(Experiment {
        about: "Four jobs, of which one has a shorter and shorter period. And a pipeline whose levels are seen at every \
                change, when a task stops, or when the controllers run."
            .into(),
        settings: vec![
            ("jobs".into(), format!("four of 20 %, {OTHERS} ms; a switch takes 20 us")),
            ("the pipeline".into(), "a message every 10 ms, of 1.5 and 2 ms; 20 buffers a queue".into()),
            ("intervals".into(), "2, 5, 10 and 20 ms; no period is shorter than two of them".into()),
        ],
        claims: claims(&found),
        figures: figures(&found),
        ..Experiment::default()
    })
}

fn claims(found: &Found) -> Vec<Claim> {
    let first = |points: &[[f64; 2]]| points.first().map_or(f64::NAN, |point| point[1]);
    let last = |points: &[[f64; 2]]| points.last().map_or(f64::NAN, |point| point[1]);
    let (one, none) = (first(&found.one), last(&found.one));
    let is_falling = |points: &[[f64; 2]]| points.windows(2).all(|pair| pair[1][1] <= pair[0][1]);
    let of = |number: usize| found.sensings.get(number).map_or(&[][..], |(_, seen)| seen);
    let [exact, switch, sampled] = [0, 1, 2].map(of);
    let off = |seen: &[Seen]| {
        let pairs = seen.iter().zip(exact);
        pairs
            .map(|(seen, exact)| (seen.period / exact.period - 1.0).abs())
            .fold(0.0, f64::max)
    };
    let glitches: u64 = found
        .sensings
        .iter()
        .flat_map(|(_, seen)| seen)
        .map(|seen| seen.glitches)
        .sum();
    vec![
        Claim {
            text: "Overhead is largely determined by the job with the smallest period".into(),
            place: "3.3".into(),
            criterion: "one job of four with a period of 1 ms makes more than nine tenths of the overhead, and it never \
                        rises with that job's period"
                .into(),
            published: "largely determined".into(),
            ours: format!("{} % of the CPU with it, {} % without", decimal(one), decimal(none)),
            verdict: Verdict::of(none < one / 10.0 && is_falling(&found.one), || "It is not.".into()),
        },
        Claim {
            text: "Levels that are noted when a task stops show bursts as well as all changes do".into(),
            place: "4, planned".into(),
            criterion: "the mean period is the same, within a tenth, at each interval".into(),
            published: "accurately capture".into(),
            ours: format!("{} away at most", decimal(off(switch))),
            verdict: Verdict::of(off(switch) <= 0.1, || "They show less.".into()),
        },
        Claim {
            text: "Levels that are sampled have to be sampled more often than once in the shortest period".into(),
            place: "4, 5.1".into(),
            criterion: "at an interval of 2 ms the mean period is nearer to the exact one than at 20 ms".into(),
            published: "at least twice per period".into(),
            ours: {
                let all = sampled.iter().map(|seen| format!("{} ms at {} ms", decimal(seen.period), decimal(seen.interval)));
                all.collect::<Vec<_>>().join(", ")
            },
            verdict: {
                let distances: Vec<f64> = sampled.iter().zip(exact).map(|(seen, exact)| (seen.period - exact.period).abs()).collect();
                let ends = distances.first().zip(distances.last());
                Verdict::of(ends.is_some_and(|(first, last)| first <= last), || "It is not.".into())
            },
        },
        Claim {
            text: "Whichever way levels are seen, nothing is lost or missing".into(),
            place: "not in the report".into(),
            criterion: "no message is".into(),
            published: "–".into(),
            ours: format!("{glitches} messages of all runs"),
            verdict: Verdict::of(glitches == 0, || "Some are.".into()),
        },
    ]
}

fn figures(found: &Found) -> Vec<Figure> {
    let sensings = (0..).zip(&found.sensings);
    let sensings = sensings.map(|(colour, (name, seen))| {
        let points = seen.iter().map(|seen| [seen.interval, seen.period]);
        Series::ours(*name, Shape::Line, colour, points.collect())
    });
    vec![
        Figure {
            name: "overhead".into(),
            title: "What the kernel takes, by the period of one job of four, and of all.".into(),
            caption: "Reservations of 20 %; the other jobs have 200 ms; a switch takes 20 us."
                .into(),
            x: Axis::numbers("period (ms)"),
            panels: vec![Panel {
                title: String::new(),
                y: Axis::numbers("% of the CPU"),
                series: vec![
                    Series::ours("one job", Shape::Line, 0, found.one.clone()),
                    Series::ours("all four", Shape::Line, 1, found.all.clone()),
                ],
            }],
        },
        Figure {
            name: "overhead-sensing".into(),
            title: "The period that the controller settles at, by how it sees levels.".into(),
            caption: "Expected are 100 ms.".into(),
            x: Axis::numbers("interval of the controller (ms)"),
            panels: vec![Panel {
                title: String::new(),
                y: Axis::numbers("period (ms)"),
                series: sensings.collect(),
            }],
        },
    ]
}
