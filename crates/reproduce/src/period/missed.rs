//! Sections 2 and 3.4: allocations that the scheduler misses, and readings that are not exact.

use super::pipeline::{about, between_devices, hog, ms, percent, reserve, us};
use super::seen::{between, periods, watch};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult};
use flyball_model::{Length, TaskSet, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::Modes;
use flyball_trace::{Duration, Kind, ServerId};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "missed",
    title: "Missed allocations, and noise (2, 3, 3.4)",
    on_machine: &["pp"],
    run,
};

const UNTIL: Duration = Duration::from_secs(30);
const SETTLED: [f64; 2] = [15.0, 30.0];
const EVERY: Duration = ms(10);
const CAPACITY: u16 = 20;
/// Fixed reservations beside the pipeline, in percent and ms: a rate monotonic order does not hold them all.
const FIXED: [(u32, u64); 3] = [(20, 70), (20, 97), (18, 131)];

/// What disturbs the pipeline.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Noise {
    None,
    /// Fixed reservations that fill the CPU.
    Missed,
    /// Messages that come with half to one and a half of the interval between them.
    Source,
    /// Levels that are seen every 10 ms only.
    Sampled,
}

impl Noise {
    const ALL: [Noise; 4] = [Noise::None, Noise::Missed, Noise::Source, Noise::Sampled];

    fn name(self) -> &'static str {
        match self {
            Noise::None => "undisturbed",
            Noise::Missed => "beside fixed reservations",
            Noise::Source => "a source that is not regular",
            Noise::Sampled => "levels that are sampled",
        }
    }

    fn modes(self) -> Modes {
        let fixed = |length| Length::Fixed(us(length));
        let mut set: TaskSet = between_devices(EVERY, &[fixed(1_500), fixed(2_000)], CAPACITY);
        match self {
            Noise::None | Noise::Sampled => {}
            Noise::Missed => {
                for (number, (share, period)) in (1..).zip(FIXED) {
                    let mut task = hog(&format!("fixed {number}"));
                    task.reserve = Some(reserve(Some(percent(share)), Some(ms(period))));
                    set.tasks.push(task);
                }
            }
            Noise::Source => {
                if let Some(source) = set.endpoints.first_mut() {
                    source.every = about(EVERY);
                }
            }
        }
        match self {
            Noise::Sampled => {
                let sensing = ("sensing", Value::Text("sampled".into()));
                Modes::from(set).with_settings("pp", &[sensing])
            }
            _ => set.into(),
        }
    }
}

/// What became of the pipeline.
struct Found {
    noise: Noise,
    /// Periods of the fixed reservations, and in how many of them they did not get what they have.
    allocations: [usize; 2],
    glitches: u64,
    steps: Vec<[f64; 2]>,
}

impl Found {
    fn mean(&self) -> f64 {
        between(&self.steps, SETTLED[0], SETTLED[1]).mean
    }
}

/// A task that always computes uses its budget up in each period in which it gets it.
fn allocations(seen: &RunResult) -> [usize; 2] {
    let (mut periods, mut missed) = (0, 0);
    for number in 2..2 + FIXED.len() {
        let mut is_used = true;
        for event in &seen.trace.events {
            match event.kind {
                Kind::Exhaust { server, .. } if is(server, number) => is_used = true,
                Kind::Replenish { server, .. } if is(server, number) => {
                    periods += 1;
                    missed += usize::from(!is_used);
                    is_used = false;
                }
                _ => {}
            }
        }
    }
    [periods, missed]
}

fn is(server: ServerId, number: usize) -> bool {
    usize::from(server.0) == number
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut found = Vec::new();
    for noise in Noise::ALL {
        let seen = watch(setup, noise.modes(), "pp", UNTIL)?;
        found.push(Found {
            noise,
            allocations: allocations(&seen),
            glitches: seen.summary.overruns() + seen.summary.underruns(),
            steps: periods(&seen, 0),
        });
    }
    Ok(Experiment {
        about: "A pipeline between two devices, undisturbed, beside fixed reservations that a rate monotonic order cannot \
                always serve, with a source that is not regular, and with levels that are sampled."
            .into(),
        settings: vec![
            ("the pipeline".into(), "a message every 10 ms, of 1.5 and 2 ms; 20 buffers a queue".into()),
            (
                "fixed reservations".into(),
                FIXED.map(|(share, period)| format!("{share} % every {period} ms")).join(", "),
            ),
            ("time".into(), "30 s".into()),
        ],
        claims: claims(&found),
        figures: vec![figure(&found)],
        ..Experiment::default()
    })
}

fn claims(found: &[Found]) -> Vec<Claim> {
    let [none, beside, noisy @ ..] = found else {
        return Vec::new();
    };
    let [periods, missed] = beside.allocations;
    let shown = |found: &[Found]| {
        let all = found
            .iter()
            .map(|it| format!("{} ms {}", decimal(it.mean()), it.noise.name()));
        all.collect::<Vec<_>>().join(", ")
    };
    // Samples do not see all of a burst, so periods are longer by that.
    let is_near =
        |it: &Found| it.noise == Noise::Sampled || (0.5..=2.0).contains(&(it.mean() / none.mean()));
    vec![
        Claim {
            text: "An allocation that is missed now and then is tolerated".into(),
            place: "3, 3.4".into(),
            criterion: "some are missed, and no message is lost or missing".into(),
            published: "tolerated".into(),
            ours: format!("{missed} of {periods} missed, {} messages lost or missing", beside.glitches),
            verdict: Verdict::of(missed > 0 && beside.glitches == 0, || {
                if missed == 0 { "None is missed.".into() } else { "Messages are lost or missing.".into() }
            }),
        },
        Claim {
            text: "Feedback tolerates noise in what it reads".into(),
            place: "3".into(),
            criterion: "no message is lost or missing; where the source is not regular, the mean period is half to twice \
                        that of the undisturbed pipeline"
                .into(),
            published: "compensates".into(),
            ours: format!("{}, {}", shown(std::slice::from_ref(none)), shown(noisy)),
            verdict: Verdict::of(noisy.iter().all(|it| it.glitches == 0 && is_near(it)), || {
                "Messages are lost, or the period is another one.".into()
            }),
        },
    ]
}

fn figure(found: &[Found]) -> Figure {
    let series = (0..).zip(found);
    let series = series
        .map(|(colour, it)| Series::ours(it.noise.name(), Shape::Steps, colour, it.steps.clone()));
    Figure {
        name: "missed".into(),
        title: "The period of the first stage, undisturbed and not.".into(),
        caption: "A message every 10 ms and 20 buffers a queue: up to 100 ms half a queue is enough whatever happens.".into(),
        x: Axis::range("time (s)", 0.0, SETTLED[1]),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("period (ms)"),
            series: series.collect(),
        }],
    }
}
