//! Figure 3: what the controller does with two stages that nothing disturbs.

use super::pipeline::{BUFFERS, UNIT, percent, reserve, reserved, two_stages};
use super::seen::{between, deviation, levels, millis, periods, swing, thinned, watch};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult};
use flyball_model::Length;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "steady",
    title: "Levels and periods of two stages (5.1, figure 3)",
    on_machine: &["pp"],
    run,
};

/// The share of each stage, of which the report says nothing: the period has to grow from 100 ms.
const SHARE: u32 = 20;
/// Shares, to see with which the period grows.
const SHARES: [u32; 8] = [10, 15, 20, 25, 30, 35, 40, 48];
const UNTIL: Duration = Duration::from_secs(30);
/// When it has settled, in seconds, and the end.
const SETTLED: [f64; 2] = [15.0, 30.0];
/// The same where shares are compared: with the smallest the period grows for a minute.
const LONG: Duration = Duration::from_secs(100);
const LATE: [f64; 2] = [70.0, 100.0];
/// The report's threshold.
const THRESHOLD: f64 = 0.5;

/// A run with a share, in percent.
fn trial(
    setup: &mut Setup<'_>,
    share: u32,
    capacity: u16,
    until: Duration,
) -> Result<RunResult, BenchError> {
    let set = two_stages(&Length::Fixed(UNIT), capacity, None);
    let set = reserved(set, reserve(Some(percent(share)), None));
    watch(setup, set, "pp", until)
}

/// The period in which half of the buffers move: T* = θ · B · w ÷ p, in milliseconds; and how much longer it takes
/// for one more message.
fn expected(share: u32, capacity: u16) -> [f64; 2] {
    let message = millis(UNIT) * 100.0 / f64::from(share);
    [THRESHOLD * f64::from(capacity) * message, message]
}

/// The mean period that the controller has settled at with a share, in milliseconds.
struct Settled {
    share: u32,
    period: f64,
    /// Whether it is a tenth longer than the first, or more.
    grows: bool,
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let seen = trial(setup, SHARE, BUFFERS, UNTIL)?;
    let smaller = trial(setup, SHARE, BUFFERS / 2, UNTIL)?;
    let mut settled = Vec::new();
    for share in SHARES {
        let seen = trial(setup, share, BUFFERS, LONG)?;
        let periods = periods(&seen, 0);
        let [from, to] = LATE;
        settled.push(Settled {
            share,
            period: between(&periods, from, to).mean,
            grows: between(&periods, from, to).mean > 110.0,
        });
    }
    Ok(Experiment {
        about: "Two stages of 3 ms a message with 20 buffers between them. Their shares are fixed, and nothing is \
                known of their periods."
            .into(),
        settings: vec![
            ("a message".into(), "3 ms in each stage".into()),
            ("buffers".into(), "20, and 10 for comparison".into()),
            ("shares".into(), format!("{SHARE} % each, and from 10 to 48 %")),
            ("time".into(), "30 s, and 100 s for each other share".into()),
        ],
        assumptions: vec![
            "The report does not say the proportions. With 20 buffers of 3 ms a period grows from 100 ms only if they \
             are below 0.3, as θ · B · w ÷ p says; taken is 0.2."
                .into(),
        ],
        claims: claims(&seen, &smaller, &settled),
        figures: figures(&seen, &settled),
        ..Experiment::default()
    })
}

fn claims(seen: &RunResult, smaller: &RunResult, settled: &[Settled]) -> Vec<Claim> {
    let [from, to] = SETTLED;
    let steps = [0, 1].map(|task| periods(seen, task));
    let [producer, consumer] = [0, 1].map(|task| between(&steps[task], from, to));
    let swing = swing(&levels(seen, 0), SETTLED, producer.mean / 1e3) / f64::from(BUFFERS);
    let least = steps
        .iter()
        .map(|steps| between(steps, 0.0, to).least)
        .fold(f64::INFINITY, f64::min);
    let late: Vec<f64> = steps[0]
        .iter()
        .filter(|step| step[0] >= from)
        .map(|step| step[1])
        .collect();
    let turns = late.windows(2).filter(|pair| pair[1] < pair[0]).count();
    let first: Vec<f64> = steps[0].iter().map(|step| step[1]).take(20).collect();
    let is_slow = first
        .windows(2)
        .all(|pair| (0.0..=1.01).contains(&(pair[1] - pair[0])));
    let (more, less) = (deviation(seen), deviation(smaller));
    let mut claims = vec![
        Claim {
            text: "Bursts are only half of the buffer, the threshold".into(),
            place: "5.1, figure 3".into(),
            criterion: "from 15 s on the level swings by 0.4 to 0.6 of the buffer, in all but one period of twenty".into(),
            published: "half".into(),
            ours: format!("{} of the buffer", decimal(swing)),
            verdict: Verdict::of((0.4..=0.6).contains(&swing), || "It swings by more or less.".into()),
        },
        Claim {
            text: "Periods start at 100 ms and grow slowly".into(),
            place: "5.1, figure 3".into(),
            criterion: "the first 20 are not shorter than those before, and by a millisecond longer at most".into(),
            published: "slowly".into(),
            ours: format!("from {} to {} ms in 20 periods", decimal(first[0]), decimal(first[first.len() - 1])),
            verdict: Verdict::of(is_slow, || "They are not.".into()),
        },
        Claim {
            text: "Both stages have nearly the same period".into(),
            place: "5.1, figure 3".into(),
            criterion: "the means from 15 s on differ by less than 5 %".into(),
            published: "nearly identical".into(),
            ours: format!("{} and {} ms", decimal(producer.mean), decimal(consumer.mean)),
            verdict: Verdict::of((producer.mean / consumer.mean - 1.0).abs() < 0.05, || "They differ.".into()),
        },
        Claim {
            text: "The period oscillates, as the controller probes".into(),
            place: "5.1, figure 3".into(),
            criterion: "from 15 s on it is shortened three times or more, and stays within a fifth of its mean".into(),
            published: "oscillates".into(),
            ours: format!("shortened {turns} times, between {} and {} ms", decimal(producer.least), decimal(producer.most)),
            verdict: Verdict::of(
                turns >= 3 && producer.least >= producer.mean * 0.8 && producer.most <= producer.mean * 1.2,
                || "It does not, or by more.".into(),
            ),
        },
        Claim {
            text: "No period is shorter than 25 ms".into(),
            place: "5.1".into(),
            criterion: "none is".into(),
            published: "25 ms".into(),
            ours: format!("{} ms at least", decimal(least)),
            verdict: Verdict::of(least >= 25.0, || "One is.".into()),
        },
        Claim {
            text: "With less buffering there is less jitter".into(),
            place: "5.1".into(),
            criterion: "the deviation of a unit's time is less with 10 buffers than with 20".into(),
            published: "lower".into(),
            ours: format!("{} ms with 10, {} ms with 20", decimal(less), decimal(more)),
            verdict: Verdict::of(less < more, || "It is not.".into()),
        },
    ];
    claims.extend(derived(settled));
    claims
}

/// What follows from the rule.
fn derived(settled: &[Settled]) -> Vec<Claim> {
    let off = settled.iter().map(|it| {
        let [expected, message] = expected(it.share, BUFFERS);
        // Never below 25 ms, and in steps of a millisecond.
        ((it.period - expected.max(25.0)).abs() - 1.0) / message
    });
    let off = off.fold(0.0, f64::max);
    let grow = |grows: bool| {
        let all = settled
            .iter()
            .filter(|it| it.grows == grows)
            .map(|it| format!("{}", it.share));
        all.collect::<Vec<_>>().join(", ")
    };
    vec![
        Claim {
            text: "The period settles where half of the buffers move in it: T* = θ · B · w ÷ p"
                .into(),
            place: "derived here".into(),
            criterion: "for all shares the mean period is within the time of four messages, a fifth of the buffers".into(),
            published: "–".into(),
            ours: format!("{} messages away at most", decimal(off)),
            verdict: Verdict::of(off <= 4.0, || "It is further away.".into()),
        },
        Claim {
            text: "With 20 buffers it grows from 100 ms only if shares are below 0.3".into(),
            place: "derived here".into(),
            criterion: "by a tenth or more with shares up to 25 %, and not with larger ones".into(),
            published: "–".into(),
            ours: format!(
                "grows with {} %, and not with {} %",
                grow(true),
                grow(false)
            ),
            verdict: Verdict::of(settled.iter().all(|it| it.grows == (it.share < 30)), || {
                "It does otherwise.".into()
            }),
        },
    ]
}

fn figures(seen: &RunResult, settled: &[Settled]) -> Vec<Figure> {
    let [_, to] = SETTLED;
    let names = [(0, "producer"), (1, "consumer")];
    let lines = names.map(|(task, name)| {
        let colour = u8::from(task == 1);
        Series::ours(name, Shape::Steps, colour, periods(seen, task))
    });
    let level = thinned(&levels(seen, 0), 0.0, to, 3000);
    let found = settled.iter().map(|it| [f64::from(it.share), it.period]);
    let model = settled.iter().map(|it| {
        [
            f64::from(it.share),
            expected(it.share, BUFFERS)[0].max(25.0),
        ]
    });
    vec![
        Figure {
            name: "steady".into(),
            title: "The level of the queue, and the periods that the controller chooses.".into(),
            caption: format!("3 ms a message, 20 buffers, {SHARE} % each."),
            x: Axis::range("time (s)", 0.0, to),
            panels: vec![
                Panel {
                    title: "level".into(),
                    y: Axis::range("messages", 0.0, f64::from(BUFFERS)),
                    series: vec![Series::ours("level", Shape::Steps, 2, level)],
                },
                Panel {
                    title: "period".into(),
                    y: Axis::numbers("ms"),
                    series: lines.into(),
                },
            ],
        },
        Figure {
            name: "steady-shares".into(),
            title: "The period that the controller settles at, by the share of the stages.".into(),
            caption: "The mean from 70 s to 100 s, and θ · B · w ÷ p.".into(),
            x: Axis::numbers("share of each stage (%)"),
            panels: vec![Panel {
                title: String::new(),
                y: Axis::numbers("period (ms)"),
                series: vec![
                    Series::ours("expected", Shape::Line, 1, model.collect())
                        .with_role(Role::Model),
                    Series::ours("found", Shape::Points, 0, found.collect()),
                ],
            }],
        },
    ]
}
