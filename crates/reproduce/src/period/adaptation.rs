//! Figure 5: units that take twice as long for half a minute, and then half as long again.

use super::pipeline::{BUFFERS, percent, reserve, reserved, two_stages, us};
use super::seen::{between, millis, periods, watch};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_model::Length;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "adaptation",
    title: "Units that become longer and shorter (5.2, figure 5)",
    on_machine: &["pp"],
    run,
};

/// The share of each stage, of which the report says nothing: so that the period of 100 ms is between the two that follow.
const SHARE: u32 = 20;
/// What a unit takes, in turn.
const UNITS: [Duration; 2] = [us(1_500), us(3_000)];
/// For how long.
const EVERY: f64 = 30.0;
const PHASES: u8 = 4;

/// What became of the period in one phase.
struct Phase {
    unit: Duration,
    /// When it begins.
    from: f64,
    /// The period at that time.
    before: f64,
    /// The mean of its second half.
    settled: f64,
    /// How long it took to come within a quarter of that.
    took: f64,
}

impl Phase {
    /// How long a period takes in seconds to grow to where it counts, in steps of a millisecond, each of which takes as long as
    /// the period.
    fn growth(&self) -> f64 {
        let there = self.settled * 0.75;
        f64::midpoint(there, self.before) * (there - self.before).max(0.0) / 1e3
    }
}

fn phases(steps: &[[f64; 2]]) -> Vec<Phase> {
    let phase = |number: u8| {
        let from = f64::from(number) * EVERY;
        let settled = between(steps, from + EVERY / 2.0, from + EVERY).mean;
        let is_there =
            |step: &&[f64; 2]| step[0] >= from && (step[1] / settled - 1.0).abs() <= 0.25;
        Phase {
            unit: UNITS[usize::from(number) % 2],
            from,
            before: steps
                .iter()
                .take_while(|step| step[0] <= from)
                .last()
                .map_or(0.0, |step| step[1]),
            settled,
            took: steps
                .iter()
                .find(is_there)
                .map_or(EVERY, |step| step[0] - from),
        }
    };
    (0..PHASES).map(phase).collect()
}

/// θ · B · w ÷ p, in milliseconds, and how much longer it takes for one more message.
fn expected(unit: Duration) -> [f64; 2] {
    let message = millis(unit) * 100.0 / f64::from(SHARE);
    [0.5 * f64::from(BUFFERS) * message, message]
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let unit = Length::Cycle {
        lengths: UNITS.into(),
        every: Duration::from_secs(30),
    };
    let set = two_stages(&unit, BUFFERS, None);
    let set = reserved(set, reserve(Some(percent(SHARE)), None));
    let seen = watch(
        setup,
        set,
        "pp",
        Duration::from_secs(30) * u64::from(PHASES),
    )?;
    let steps = [0, 1].map(|task| periods(&seen, task));
    let phases = phases(&steps[0]);
    Ok(Experiment {
        about: "Two stages with fixed shares and 20 buffers. What a message takes changes from 1.5 to 3 ms and back \
                every 30 s, of which the scheduler is not told."
            .into(),
        settings: vec![
            ("a message".into(), "1.5 ms and 3 ms in turn, for 30 s each".into()),
            ("buffers".into(), "20".into()),
            ("shares".into(), format!("{SHARE} % each")),
        ],
        assumptions: vec![
            "The report says neither the proportions nor by how much a period grows: 1 ms here.".into(),
        ],
        claims: claims(&phases),
        figures: vec![figure(&steps, &phases)],
        ..Experiment::default()
    })
}

fn claims(phases: &[Phase]) -> Vec<Claim> {
    let shown = |value: fn(&Phase) -> f64, unit: &str| {
        let all = phases
            .iter()
            .map(|phase| format!("{}{unit} at {}", decimal(value(phase)), phase.unit));
        all.collect::<Vec<_>>().join(", ")
    };
    let is_found = phases.iter().all(|phase| {
        let [expected, message] = expected(phase.unit);
        (phase.settled - expected).abs() <= 2.0 * message
    });
    // With nothing before it the first phase is no change.
    let times = |unit: Duration| {
        phases[1..]
            .iter()
            .filter(move |phase| phase.unit == unit)
            .map(|phase| phase.took)
    };
    let up = times(UNITS[1]).fold(f64::INFINITY, f64::min);
    let high = expected(UNITS[1])[0];
    let down = times(UNITS[0]).fold(0.0, f64::max);
    let growing: Vec<_> = phases[1..]
        .iter()
        .filter(|phase| phase.unit == UNITS[1])
        .collect();
    let as_expected = |phase: &&Phase| {
        let expected = phase.growth();
        (phase.took - expected).abs() <= expected / 10.0
    };
    let grown = growing.iter().map(|phase| {
        let (took, expected) = (decimal(phase.took), decimal(phase.growth()));
        format!("{took} s, expected {expected} s")
    });
    vec![
        Claim {
            text: "The controller finds by itself that messages take longer or shorter, and adjusts the periods".into(),
            place: "5.2, figure 5".into(),
            criterion: "in the second half of each phase the mean period is θ · B · w ÷ p, within two messages".into(),
            published: "detects the changes".into(),
            ours: format!(
                "{}; expected are {} and {}",
                shown(|phase| phase.settled, " ms"),
                decimal(expected(UNITS[0])[0]),
                decimal(expected(UNITS[1])[0])
            ),
            verdict: Verdict::of(is_found, || "A phase has another mean.".into()),
        },
        Claim {
            text: "Periods grow much more slowly than they shrink".into(),
            place: "5.2".into(),
            criterion: "until the period is within a quarter of its later mean it takes three times as long or more".into(),
            published: "much slower".into(),
            ours: format!("up in {} s or more, down in {} s at most", decimal(up), decimal(down)),
            verdict: Verdict::of(up >= 3.0 * down, || "They do not.".into()),
        },
        Claim {
            text: "Growing takes the sum of all periods on the way, shrinking a few periods".into(),
            place: "derived here".into(),
            criterion: "up: Σ T in steps of 1 ms, within a tenth, from where it was to three quarters of the later \
                        mean; down in eight periods at most"
                .into(),
            published: "–".into(),
            ours: format!(
                "up in {}; down in {} s at most",
                grown.collect::<Vec<_>>().join(", "),
                decimal(down)
            ),
            verdict: Verdict::of(
                growing.iter().all(as_expected) && down <= 8.0 * high / 1e3,
                || "It takes longer or shorter.".into(),
            ),
        },
    ]
}

fn figure(steps: &[Vec<[f64; 2]>; 2], phases: &[Phase]) -> Figure {
    let [producer, consumer] = steps;
    let model = phases
        .iter()
        .map(|phase| [phase.from, expected(phase.unit)[0]]);
    let end = f64::from(PHASES) * EVERY;
    let model: Vec<_> = model
        .chain(phases.last().map(|phase| [end, expected(phase.unit)[0]]))
        .collect();
    Figure {
        name: "adaptation".into(),
        title: "The periods of two stages whose messages take 1.5 and 3 ms in turn.".into(),
        caption: "Every 30 s it changes. Dashed: θ · B · w ÷ p.".into(),
        x: Axis::range("time (s)", 0.0, end),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("period (ms)"),
            series: vec![
                Series::ours("producer", Shape::Steps, 0, producer.clone()),
                Series::ours("consumer", Shape::Steps, 1, consumer.clone()),
                Series::ours("expected", Shape::Steps, 2, model).with_role(Role::Model),
            ],
        }],
    }
}
