//! Figure 4 and the comparison with Linux: how many buffers it takes.

use super::pipeline::{BUFFERS, UNIT, hog, percent, reserve, reserved, two_stages, us};
use super::seen::{between, levels, thinned, watch};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult};
use flyball_model::{Length, Step, TaskSet, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::Modes;
use flyball_trace::{Duration, Kind, TaskId};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "buffers",
    title: "How many buffers it takes, here and under Linux 2.0 (5.1, figure 4)",
    on_machine: &["pp", "linux-2.0", "rr"],
    run,
};

/// The share of each stage under reservations.
const SHARE: u32 = 20;
const CAPACITIES: [u16; 8] = [5, 10, 20, 30, 40, 60, 80, 100];
const UNTIL: Duration = Duration::from_secs(20);
const SETTLED: [f64; 2] = [5.0, 20.0];
const POLICIES: [&str; 3] = ["pp", "linux-2.0", "rr"];
/// The slice of Linux 2.0.
const SLICE: Duration = Duration::from_millis(200);

/// What else runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nothing,
    /// A task that always computes.
    Hog,
    /// A task that computes for 3 ms and then waits for 8.7 ms, so that ticks of 10 ms come at any time of it.
    Waiting,
}

impl Beside {
    const ALL: [Beside; 3] = [Beside::Nothing, Beside::Hog, Beside::Waiting];

    fn name(self) -> &'static str {
        match self {
            Beside::Nothing => "alone",
            Beside::Hog => "beside a task that computes",
            Beside::Waiting => "beside a task that waits often",
        }
    }
}

fn trial(
    setup: &mut Setup<'_>,
    policy: &'static str,
    capacity: u16,
    beside: Beside,
) -> Result<RunResult, BenchError> {
    let set: TaskSet = two_stages(&Length::Fixed(UNIT), capacity, None);
    let mut set = reserved(set, reserve(Some(percent(SHARE)), None));
    match beside {
        Beside::Nothing => {}
        Beside::Hog => set.tasks.push(hog("other")),
        Beside::Waiting => {
            let [compute, pause] = [3_000, 8_700].map(us).map(Length::Fixed);
            let steps = vec![Step::Compute(compute), Step::Suspend(pause)];
            set.tasks.push(super::pipeline::task("other", None, steps));
        }
    }
    let slice = ("quantum", Value::Duration(SLICE));
    let modes = Modes::from(set).with_settings("rr", &[slice]);
    watch(setup, modes, policy, UNTIL)
}

/// How often, from when it has settled, the producer found no buffer.
fn stalls(seen: &RunResult) -> usize {
    let from = SETTLED[0];
    let is_one = |event: &&flyball_trace::Event| {
        matches!(
            event.kind,
            Kind::Block {
                task: TaskId(0),
                ..
            }
        ) && super::seen::seconds(event.time.since(flyball_trace::Time::ZERO)) >= from
    };
    seen.trace.events.iter().filter(is_one).count()
}

/// How far the level goes up and down, and the longest time in which it does not change.
fn shape(seen: &RunResult) -> (f64, f64) {
    let [from, to] = SETTLED;
    let levels = levels(seen, 0);
    let swing = between(&levels, from, to);
    let late: Vec<f64> = levels
        .iter()
        .map(|level| level[0])
        .filter(|at| *at >= from)
        .collect();
    let pause = late
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .fold(0.0, f64::max);
    (swing.most - swing.least, pause)
}

struct Found {
    /// Of each policy: the capacities, and how often the producer found no buffer.
    stalls: [Vec<(u16, usize)>; 3],
    /// Of each policy and each other task, with 100 buffers: swing and pause.
    shapes: [[(f64, f64); 3]; 3],
    levels: [Vec<[f64; 2]>; 3],
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut found = Found {
        stalls: Default::default(),
        shapes: Default::default(),
        levels: Default::default(),
    };
    for (number, policy) in POLICIES.into_iter().enumerate() {
        for capacity in CAPACITIES {
            let seen = trial(setup, policy, capacity, Beside::Nothing)?;
            found.stalls[number].push((capacity, stalls(&seen)));
        }
        for (which, beside) in Beside::ALL.into_iter().enumerate() {
            // Under reservations the period depends on the buffers, and there are 20 of them.
            let capacity = if policy == "pp" { BUFFERS } else { 100 };
            let seen = trial(setup, policy, capacity, beside)?;
            found.shapes[number][which] = shape(&seen);
            if beside == Beside::Nothing {
                found.levels[number] = thinned(&levels(&seen, 0), 10.0, 13.0, 1500);
            }
        }
    }
    Ok(Experiment {
        about: "Two stages of 3 ms a message, with 5 to 100 buffers between them, under reservations and under \
                schedulers with slices of 200 ms. How often does the producer find no buffer, and how far does \
                the level swing?"
            .into(),
        settings: vec![
            ("a message".into(), "3 ms in each stage".into()),
            ("pp".into(), format!("shares of {SHARE} % each, no period")),
            ("linux-2.0, rr".into(), "slices of 200 ms".into()),
            ("the other task".into(), "none; one that computes; one that computes for 3 ms and waits for 8.7 ms".into()),
            ("time".into(), "20 s, of which the first 5 do not count".into()),
        ],
        assumptions: vec![
            "Stalls that more buffers cure are those of a producer that finds none free. A consumer of the same speed \
             finds the queue empty now and then however large it is."
                .into(),
        ],
        claims: claims(&found),
        figures: figures(&found),
        ..Experiment::default()
    })
}

/// The least capacity from which on the producer always found a buffer.
fn enough(stalls: &[(u16, usize)]) -> Option<u16> {
    let last = stalls.iter().rposition(|(_, stalls)| *stalls > 0);
    let first = last.map_or(0, |last| last + 1);
    stalls.get(first).map(|(capacity, _)| *capacity)
}

fn claims(found: &Found) -> Vec<Claim> {
    let [here, linux, rr] = [0, 1, 2].map(|policy| enough(&found.stalls[policy]));
    let shown = |enough: Option<u16>| enough.map_or("more than 100".into(), |n| n.to_string());
    let [ours, theirs, _] = &found.shapes;
    let slice = super::seen::millis(SLICE) / super::seen::millis(UNIT);
    let of = |shapes: &[(f64, f64); 3], value: fn(&(f64, f64)) -> f64| {
        let all = shapes
            .iter()
            .zip(Beside::ALL)
            .map(|(shape, beside)| format!("{} {}", decimal(value(shape)), beside.name()));
        all.collect::<Vec<_>>().join(", ")
    };
    vec![
        Claim {
            text: "The pipeline needs 20 buffers under reservations and over 30 under Linux so as not to stall".into(),
            place: "5.1".into(),
            criterion: "the producer always finds a buffer with 20 under pp, and not with 30 under linux-2.0".into(),
            published: "20, and over 30".into(),
            ours: format!("{} under pp, {} under linux-2.0, {} under rr", shown(here), shown(linux), shown(rr)),
            verdict: Verdict::of(
                here.is_some_and(|n| n <= 20) && linux.is_none_or(|n| n > 30),
                || "It needs other numbers.".into(),
            ),
        },
        Claim {
            text: "Alone under Linux a burst is what fits into a slice of 200 ms".into(),
            place: "5.1, figure 4".into(),
            criterion: "the level swings by 200 ÷ 3 messages, within a tenth".into(),
            published: "the work of 200 ms".into(),
            ours: format!("{} messages; a slice has {}", decimal(theirs[0].0), decimal(slice)),
            verdict: Verdict::of((theirs[0].0 / slice - 1.0).abs() <= 0.1, || "It swings by more or less.".into()),
        },
        Claim {
            text: "Tasks that compute make pauses longer under Linux".into(),
            place: "5.1".into(),
            criterion: "the longest time without a message is longer beside one".into(),
            published: "would increase pauses".into(),
            ours: format!("in seconds: {}", of(theirs, |shape| shape.1)),
            verdict: Verdict::of(theirs[1].1 > theirs[0].1, || "It is not.".into()),
        },
        Claim {
            text: "Tasks that wait often make bursts smaller under Linux".into(),
            place: "5.1".into(),
            criterion: "the level swings less beside one".into(),
            published: "would cause smaller burst sizes".into(),
            ours: format!("in messages: {}", of(theirs, |shape| shape.0)),
            verdict: Verdict::of(theirs[2].0 < theirs[0].0, || {
                "The other task preempts the stages and does not end their slices: they have the same number of ticks \
                 as before."
                    .into()
            }),
        },
        Claim {
            text: "Under reservations other tasks do not matter".into(),
            place: "5.1".into(),
            criterion: "the level swings by the same, to three messages, beside either of them".into(),
            published: "no need for an unloaded system".into(),
            ours: format!("in messages: {}", of(ours, |shape| shape.0)),
            verdict: Verdict::of(ours.iter().all(|shape| (shape.0 - ours[0].0).abs() <= 3.0), || "They do.".into()),
        },
    ]
}

fn figures(found: &Found) -> Vec<Figure> {
    let by_policy = (0..).zip(POLICIES).zip(&found.stalls);
    let stalls = by_policy.map(|((colour, policy), stalls)| {
        let points = stalls.iter().map(|&(capacity, stalls)| {
            let stalls = u32::try_from(stalls).map_or(f64::INFINITY, f64::from);
            [f64::from(capacity), stalls]
        });
        Series::ours(policy, Shape::Line, colour, points.collect())
    });
    let levels = (0..)
        .zip(POLICIES)
        .zip(&found.levels)
        .map(|((colour, policy), levels)| Panel {
            title: policy.into(),
            y: Axis::numbers("messages"),
            series: vec![Series::ours(policy, Shape::Steps, colour, levels.clone())],
        });
    vec![
        Figure {
            name: "buffers".into(),
            title: "How often the producer finds no buffer, by the number of buffers.".into(),
            caption: "In 15 s, without other tasks.".into(),
            x: Axis::numbers("buffers"),
            panels: vec![Panel {
                title: String::new(),
                y: Axis::numbers("stalls"),
                series: stalls.collect(),
            }],
        },
        Figure {
            name: "buffers-levels".into(),
            title: "The level of the queue under reservations and under slices of 200 ms.".into(),
            caption: "20 buffers under pp, 100 under the others; without other tasks.".into(),
            x: Axis::range("time (s)", 10.0, 13.0),
            panels: levels.collect(),
        },
    ]
}
