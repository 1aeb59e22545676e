//! Section 2.1: the best period is the longest whose jitter the buffers hold, and the controller finds it.

use super::pipeline::{parts, percent, reserve, reserved, two_stages, us};
use super::seen::{between, levels, millis, periods, swing, watch};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult};
use flyball_model::{Length, TaskSet};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "optimum",
    title: "The best period, by search and by the controller (2.1)",
    on_machine: &["pp"],
    run,
};

const UNTIL: Duration = Duration::from_secs(60);
const SETTLED: [f64; 2] = [40.0, 60.0];
/// What of a queue may move in a period.
const THRESHOLD: f64 = 0.5;

/// Two stages.
struct Case {
    /// What a message takes in each of them.
    unit: Duration,
    /// The share of each of them, in percent.
    share: u32,
    capacity: u16,
}

const fn case(unit: u64, share: u32, capacity: u16) -> Case {
    Case {
        unit: us(unit),
        share,
        capacity,
    }
}

/// The same rate with cheap and with dear messages; fewer and more buffers; other rates.
const CASES: [Case; 6] = [
    case(1_500, 10, 20),
    case(3_000, 20, 20),
    case(3_000, 20, 10),
    case(3_000, 20, 30),
    case(3_000, 25, 20),
    case(1_500, 15, 20),
];

impl Case {
    /// With this period, or with none.
    fn set(&self, period: Option<Duration>) -> TaskSet {
        let set = two_stages(&Length::Fixed(self.unit), self.capacity, None);
        reserved(set, reserve(Some(percent(self.share)), period))
    }

    /// T* = θ · B ÷ λ: the rate λ is share ÷ unit.
    fn expected(&self) -> Duration {
        let all = parts(self.unit, u64::from(self.capacity) * 100, self.share.into());
        parts(all, 1, 2)
    }

    fn name(&self) -> String {
        format!("{} of {} at {} %", self.capacity, self.unit, self.share)
    }
}

/// A period, in milliseconds, and what it costs.
#[derive(Clone, Copy)]
struct Cost {
    period: f64,
    /// The swing of the queue in a period that all but one in twenty do not exceed, as a part of it.
    swing: f64,
    /// Context switches a second.
    switches: f64,
}

fn cost(case: &Case, seen: &RunResult, period: f64) -> Cost {
    let swing = swing(&levels(seen, 0), SETTLED, period / 1e3);
    let switches = u32::try_from(seen.summary.context_switches()).map_or(f64::NAN, f64::from);
    Cost {
        period,
        swing: swing / f64::from(case.capacity),
        switches: 1e3 * switches / millis(seen.summary.elapsed),
    }
}

struct Found {
    case: &'static Case,
    /// By search, of all periods.
    costs: Vec<Cost>,
    /// The mean periods of the two stages under the controller.
    settled: [f64; 2],
}

impl Found {
    /// The best of the periods: the longest of those up to which all are tolerable.
    fn best(&self) -> f64 {
        let is_tolerable = |cost: &&Cost| cost.swing <= THRESHOLD + 1e-9;
        let tolerable = self.costs.iter().take_while(is_tolerable);
        tolerable.last().map_or(f64::NAN, |cost| cost.period)
    }
}

/// The periods that are tried: from a quarter to twice what is expected.
fn search(setup: &mut Setup<'_>, case: &Case) -> Result<Vec<Cost>, BenchError> {
    let mut costs = Vec::new();
    let is_emulated = setup.bench.machine().is_some();
    // A board takes its time.
    let eighths: &[u64] = if is_emulated {
        &[4, 6, 8, 10, 12]
    } else {
        &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
    };
    for &eighths in eighths {
        let period = parts(case.expected(), eighths, 8);
        let seen = watch(setup, case.set(Some(period)), "pp", UNTIL)?;
        costs.push(cost(case, &seen, millis(period)));
    }
    Ok(costs)
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut found = Vec::new();
    let cases = if setup.bench.machine().is_some() {
        3
    } else {
        CASES.len()
    };
    for case in &CASES[..cases] {
        let seen = watch(setup, case.set(None), "pp", UNTIL)?;
        let [from, to] = SETTLED;
        found.push(Found {
            case,
            costs: search(setup, case)?,
            settled: [0, 1].map(|task| between(&periods(&seen, task), from, to).mean),
        });
    }
    Ok(Experiment {
        about: "Two stages with fixed shares, which are the rate at which messages pass. Every period from a quarter to \
                twice of what is expected is tried, in eighths; and then the controller is asked."
            .into(),
        settings: vec![
            (
                "buffers, what a message takes, share of each stage".into(),
                found.iter().map(|it| it.case.name()).collect::<Vec<_>>().join("; "),
            ),
            ("time".into(), "60 s, of which the last 20 count".into()),
        ],
        assumptions: vec![
            "Tolerable is what the controller aims at: in nineteen of twenty periods the queue does not swing by more than \
             half of it."
                .into(),
        ],
        claims: claims(&found),
        figures: vec![figure(&found)],
        ..Experiment::default()
    })
}

fn each(found: &[Found], value: impl Fn(&Found) -> String) -> String {
    let all = found
        .iter()
        .map(|it| format!("{} ({})", value(it), it.case.name()));
    all.collect::<Vec<_>>().join("; ")
}

fn claims(found: &[Found]) -> Vec<Claim> {
    let falls = found.iter().all(|it| {
        let (first, last) = (it.costs.first(), it.costs.last());
        first
            .zip(last)
            .is_some_and(|(first, last)| last.switches < first.switches && last.swing > first.swing)
    });
    let near = |value: f64, other: f64, by: f64| (value / other - 1.0).abs() <= by;
    let mean = |it: &Found| f64::midpoint(it.settled[0], it.settled[1]);
    let [cheap, dear, ..] = found else {
        return Vec::new();
    };
    vec![
        Claim {
            text: "A longer period costs jitter and saves overhead, so there is a best one".into(),
            place: "2.1".into(),
            criterion: "from the shortest period to the longest the swing rises and switches a second become fewer, for each pipeline".into(),
            published: "inversely".into(),
            ours: each(found, |it| {
                let end = |cost: Option<&Cost>| {
                    cost.map_or(String::new(), |cost| format!("{} and {}", decimal(cost.swing), decimal(cost.switches)))
                };
                format!("{} to {}", end(it.costs.first()), end(it.costs.last()))
            }),
            verdict: Verdict::of(falls, || "They do not.".into()),
        },
        Claim {
            text: "Without being told the controller settles at the longest tolerable period".into(),
            place: "2.1, 3.2".into(),
            criterion: "its mean is within a sixth of the best period that the search finds, for each pipeline".into(),
            published: "the largest value that keeps jitter within bounds".into(),
            ours: each(found, |it| format!("{} ms, best {} ms", decimal(mean(it)), decimal(it.best()))),
            verdict: Verdict::of(found.iter().all(|it| near(mean(it), it.best(), 1.0 / 6.0)), || "It settles elsewhere.".into()),
        },
        Claim {
            text: "The best period depends on buffers and rate alone: T* = θ · B ÷ λ".into(),
            place: "derived here".into(),
            criterion: "the mean is within a sixth of it, for each pipeline".into(),
            published: "–".into(),
            ours: each(found, |it| format!("{} ms, expected {} ms", decimal(mean(it)), decimal(millis(it.case.expected())))),
            verdict: Verdict::of(found.iter().all(|it| near(mean(it), millis(it.case.expected()), 1.0 / 6.0)), || "It does not.".into()),
        },
        Claim {
            text: "What a message costs does not matter".into(),
            place: "derived here".into(),
            criterion: "messages of 1.5 and of 3 ms at the same rate have the same period, within a tenth".into(),
            published: "–".into(),
            ours: format!("{} and {} ms", decimal(mean(cheap)), decimal(mean(dear))),
            verdict: Verdict::of(near(mean(cheap), mean(dear), 0.1), || "It does.".into()),
        },
    ]
}

fn figure(found: &[Found]) -> Figure {
    let curve = |value: fn(&Cost) -> f64| {
        let series = (0..).zip(found).map(move |(colour, it)| {
            let points = it.costs.iter().map(|cost| [cost.period, value(cost)]);
            Series::ours(it.case.name(), Shape::Line, colour, points.collect())
        });
        series.collect::<Vec<_>>()
    };
    let mut swings = curve(|cost| cost.swing);
    let ends = found
        .iter()
        .flat_map(|it| &it.costs)
        .map(|cost| cost.period)
        .fold(0.0, f64::max);
    let threshold = Series::ours(
        "threshold",
        Shape::Line,
        0,
        vec![[0.0, THRESHOLD], [ends, THRESHOLD]],
    );
    swings.push(threshold.with_role(Role::Target));
    swings.extend((0..).zip(found).map(|(colour, it)| {
        let points = it.settled.map(|period| [period, THRESHOLD]);
        Series::ours(
            "where the controller settles",
            Shape::Points,
            colour,
            points.into(),
        )
    }));
    Figure {
        name: "optimum".into(),
        title: "What each period costs, and where the controller settles.".into(),
        caption: "Swing: what all but one period in twenty do not exceed.".into(),
        x: Axis::numbers("period (ms)"),
        panels: vec![
            Panel {
                title: "jitter".into(),
                y: Axis::range("swing in a period (part of the queue)", 0.0, 1.0),
                series: swings,
            },
            Panel {
                title: "overhead".into(),
                y: Axis::numbers("switches a second"),
                series: curve(|cost| cost.switches),
            },
        ],
    }
}
