//! Figure 1: the longer the period, the more jitter, and the shorter the run.

use super::pipeline::{BUFFERS, ms, overheads, parts, percent, reserve, reserved, two_stages, us};
use super::seen::{count, deviation, millis, seconds};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_model::{Cost, Length, TaskSet};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "trade-off",
    title: "Jitter and run time by the period (2.1, figure 1)",
    on_machine: &["pp"],
    run,
};

/// The share of each of the two stages: together all that is admitted.
const SHARE: u32 = 48;
/// The report's interval of the timer.
const TICK: Duration = us(100);
/// What a switch, a tick and a job's lost cache lines are assumed to take.
const COSTS: [Duration; 3] = [us(5), us(2), us(10)];

/// A unit of work, and how many of them the report's job has.
struct Job {
    unit: Duration,
    units: u32,
}

const JOBS: [Job; 2] = [
    Job {
        unit: ms(30),
        units: 1865,
    },
    Job {
        unit: ms(300),
        units: 185,
    },
];

/// Of a run: its period, the standard deviation of the time between two units, and how long it took.
#[derive(Clone, Copy)]
struct Point {
    period: Duration,
    jitter: f64,
    run_time: f64,
}

/// What becomes of a job by its period.
struct Found {
    job: &'static Job,
    units: u32,
    points: Vec<Point>,
    /// The same with half and with twice the costs, where they are charged.
    half: Vec<Point>,
    twice: Vec<Point>,
}

fn set(job: &Job, units: u32, period: Duration, costs: [Duration; 3]) -> TaskSet {
    let unit = Length::Fixed(job.unit);
    let set = two_stages(&unit, BUFFERS, Some(units));
    let mut set = reserved(set, reserve(Some(percent(SHARE)), Some(period)));
    let [switch, tick, cache] = costs;
    set.platform.tick = Some(TICK);
    set.platform.overheads = overheads(switch, tick);
    set.platform.overheads.cache = Cost::fixed(cache);
    set
}

fn points(
    setup: &mut Setup<'_>,
    job: &Job,
    units: u32,
    costs: [Duration; 3],
    periods: &[Duration],
) -> Result<Vec<Point>, BenchError> {
    let mut points = Vec::new();
    for &period in periods {
        // Twice what the units take, so that a job with costs comes to its end, too.
        let until = parts(job.unit, u64::from(units) * 200, SHARE.into()) + period * 4;
        let seen = count(setup, set(job, units, period, costs), "pp", until)?;
        let done = seen.summary.tasks.get(1);
        let run_time = done.and_then(|task| task.response.max());
        points.push(Point {
            period,
            jitter: deviation(&seen),
            run_time: run_time.map_or(f64::NAN, seconds),
        });
    }
    Ok(points)
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let is_emulated = setup.bench.machine().is_some();
    // A board has costs of its own, and takes its time.
    let periods: &[u64] = if is_emulated {
        &[2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000]
    } else {
        &[
            500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
        ]
    };
    let periods: Vec<Duration> = periods.iter().copied().map(us).collect();
    let charged = if is_emulated { &[][..] } else { &periods };
    let mut found = Vec::new();
    for job in &JOBS {
        let part = if is_emulated {
            20
        } else {
            setup.size.of([20, 1, 1])
        };
        let units = (job.units / part).max(10);
        let [half, twice] =
            [[1, 2], [2, 1]].map(|[many, of]| COSTS.map(|cost| parts(cost, many, of)));
        found.push(Found {
            job,
            units,
            points: points(setup, job, units, COSTS, &periods)?,
            half: points(setup, job, units, half, charged)?,
            twice: points(setup, job, units, twice, charged)?,
        });
    }
    Ok(Experiment {
        about: "Two stages with fixed shares pass units of work on, once of 30 ms and once of 300 ms. How evenly do \
                units come out, and how long does all of it take, by the period of both reservations?"
            .into(),
        settings: vec![
            ("units".into(), format!("{} of 30 ms, {} of 300 ms", found[0].units, found[1].units)),
            ("shares".into(), format!("{SHARE} % each")),
            ("timer".into(), "every 100 us; budgets end there and no sooner".into()),
            ("costs".into(), "5 us a switch, 2 us a tick, 10 us for a cache after a preemption; half and twice that".into()),
        ],
        assumptions: vec![
            "The report says neither the shares nor what a switch costs. Both stages compute for a whole unit.".into(),
        ],
        claims: claims(&found),
        figures: figures(&found),
        ..Experiment::default()
    })
}

/// What jitter follows from the rule: a unit of `unit` ms is done in pieces of Q = share · P, with P − Q between two
/// of them. It has ⌊unit ÷ Q⌋ such pauses or one more, the latter with the probability that is the
/// fraction of that number.
fn expected(unit: f64, period: Duration) -> f64 {
    let period = millis(period);
    let piece = period * f64::from(SHARE) / 100.0;
    let more = (unit / piece).fract();
    (period - piece) * (more * (1.0 - more)).sqrt()
}

/// How far jitter is from what is expected of units up to 3 % longer, as costs make them, as a part of the period.
fn off(job: &Job, point: &Point) -> f64 {
    let longer = (0..=30).map(|n| millis(job.unit) * (1.0 + f64::from(n) / 1e3));
    let off = longer.map(|unit| (point.jitter - expected(unit, point.period)).abs());
    off.fold(f64::INFINITY, f64::min) / millis(point.period)
}

/// The slope of the line through the points that is nearest to them.
fn slope(points: &[[f64; 2]]) -> f64 {
    let n = points.iter().map(|_| 1.0).sum::<f64>();
    let mean = |of: usize| points.iter().map(|point| point[of]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let both: f64 = points
        .iter()
        .map(|point| (point[0] - x) * (point[1] - y))
        .sum();
    both / points
        .iter()
        .map(|point| (point[0] - x).powi(2))
        .sum::<f64>()
}

impl Found {
    fn name(&self) -> String {
        format!("units of {}", self.job.unit)
    }

    fn jitter(&self) -> Vec<[f64; 2]> {
        let point = |point: &Point| [millis(point.period), point.jitter];
        self.points.iter().map(point).collect()
    }
}

/// Run times, as how much longer they are than without any cost, in percent.
fn longer(found: &Found, points: &[Point]) -> Vec<[f64; 2]> {
    let least = seconds(found.job.unit) * f64::from(found.units) * 100.0 / f64::from(SHARE);
    let of = |point: &Point| [millis(point.period), 100.0 * (point.run_time / least - 1.0)];
    points.iter().map(of).collect()
}

fn never_rises(points: &[Point]) -> bool {
    let runs = points.windows(2);
    // A run may end in one period or the next.
    runs.into_iter().all(|pair| {
        let slack = seconds(pair[1].period) / 2.0;
        pair[1].run_time <= pair[0].run_time + slack
    })
}

fn claims(found: &[Found]) -> Vec<Claim> {
    let slopes: Vec<f64> = found.iter().map(|job| slope(&job.jitter())).collect();
    let ends = |points: &[Point]| match points {
        [first, .., last] => format!(
            "{} s at {}, {} s at {}",
            decimal(first.run_time),
            first.period,
            decimal(last.run_time),
            last.period
        ),
        _ => String::new(),
    };
    let falls = |points: &[Point]| {
        let (first, last) = (points.first(), points.last());
        let fallen = first
            .zip(last)
            .is_some_and(|(first, last)| last.run_time < first.run_time);
        fallen && never_rises(points)
    };
    let all = found
        .iter()
        .flat_map(|job| [&job.points, &job.half, &job.twice])
        .filter(|points| !points.is_empty());
    let shortest = found.iter().filter_map(|job| job.points.first());
    let at_least = shortest
        .clone()
        .map(|point| point.jitter / millis(point.period));
    let at_least = at_least.fold(0.0, f64::max);
    let off = found.iter().flat_map(|job| {
        let points = job.points.iter().filter(|point| point.period >= ms(5));
        points.map(|point| off(job.job, point))
    });
    let off = off.fold(0.0, f64::max);
    vec![
        Claim {
            text: "The longer the period, the more jitter".into(),
            place: "2.1, figure 1".into(),
            criterion: "the slope of a line through the points is positive, for both units".into(),
            published: "positive".into(),
            ours: format!("{} and {} ms of standard deviation for each ms of the period", decimal(slopes[0]), decimal(slopes[1])),
            verdict: Verdict::of(slopes.iter().all(|slope| *slope > 0.0), || "A slope is not.".into()),
        },
        Claim {
            text: "The longer the period, the shorter the run".into(),
            place: "2.1, figure 1".into(),
            criterion: "run times fall from the shortest period to the longest and never rise by more than half a \
                        period, for both units, and with half and twice the costs"
                .into(),
            published: "the slope is negative".into(),
            ours: found.iter().map(|job| ends(&job.points)).collect::<Vec<_>>().join("; "),
            verdict: Verdict::of(all.clone().all(|points| falls(points)), || "A run time rises.".into()),
        },
        Claim {
            text: "Different units of work have different slopes".into(),
            place: "2.1, figure 1".into(),
            criterion: "the slopes of jitter differ by a tenth or more".into(),
            published: "different".into(),
            ours: format!("{} and {}", decimal(slopes[0]), decimal(slopes[1])),
            verdict: Verdict::of((slopes[0] / slopes[1] - 1.0).abs() > 0.1, || "They are the same.".into()),
        },
        Claim {
            text: "A short period comes near to continuous execution".into(),
            place: "1".into(),
            criterion: "at the shortest period the deviation is less than that period".into(),
            published: "the best possible approximation".into(),
            ours: format!("{} of the period at most", decimal(at_least)),
            verdict: Verdict::of(at_least < 1.0, || "It is more.".into()),
        },
        Claim {
            text: "Jitter is what follows from the pieces of a reservation: (P − Q) · √(φ (1 − φ)), φ the fraction of unit ÷ Q".into(),
            place: "derived here".into(),
            criterion: "within a twentieth of the period for a unit that costs make up to 3 % longer, from 5 ms on".into(),
            published: "–".into(),
            ours: format!("{} of the period away at most", decimal(off)),
            verdict: Verdict::of(off <= 0.05, || "It is further away.".into()),
        },
    ]
}

/// With the place of a period among all in the place of the period: from 0.5 to 500 ms a scale of numbers shows the
/// shortest ones at one point.
fn in_place(points: impl Iterator<Item = f64>) -> Vec<[f64; 2]> {
    (0_u8..)
        .map(f64::from)
        .zip(points)
        .map(|(place, value)| [place, value])
        .collect()
}

fn figures(found: &[Found]) -> Vec<Figure> {
    let (mut jitter, mut run_time) = (Vec::new(), Vec::new());
    for (colour, job) in (0..).zip(found) {
        let unit = millis(job.job.unit);
        let expected = in_place(job.points.iter().map(|point| expected(unit, point.period)));
        let model = Series::ours(
            format!("{}, expected", job.name()),
            Shape::Dashes,
            colour,
            expected,
        );
        let measured = in_place(job.points.iter().map(|point| point.jitter));
        jitter.push(Series::ours(job.name(), Shape::Line, colour, measured));
        jitter.push(model.with_role(Role::Model));
        let longer = |name, shape, points| {
            let points = longer(job, points).into_iter().map(|point| point[1]);
            Series::ours(name, shape, colour, in_place(points))
        };
        run_time.push(longer(job.name(), Shape::Line, &job.points));
        if !job.twice.is_empty() {
            let name = format!("{}, twice the costs", job.name());
            run_time.push(longer(name, Shape::Dots, &job.twice));
        }
    }
    let panel = |title: &str, y: &str, series| Panel {
        title: title.into(),
        y: Axis::numbers(y),
        series,
    };
    let periods = found.first().map_or(&[][..], |job| &job.points);
    vec![Figure {
        name: "trade-off".into(),
        title: "What a longer period costs, and what it saves.".into(),
        caption: format!("Two stages of {SHARE} % each, budgets that end at ticks of 100 us."),
        x: Axis::categories(
            "period",
            periods.iter().map(|point| point.period.to_string()),
        ),
        panels: vec![
            panel("jitter", "standard deviation of a unit's time (ms)", jitter),
            panel("run time", "longer than without costs (%)", run_time),
        ],
    }]
}
