//! Section 3.1: reservations in a rate monotonic order, as the report has them, and by earliest deadlines.

use super::pipeline::{about, parts, reserve, stages, us};
use super::seen::{between, glitches, periods, seconds, switches, watch};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult};
use flyball_model::random::Random;
use flyball_model::{TaskSet, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::Modes;
use flyball_trace::{Duration, Kind, ServerId, TaskId, Time};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "dispatch",
    title: "Reservations in a rate monotonic order and by earliest deadlines (3.1)",
    on_machine: &[],
    run,
};

const ORDERS: [&str; 2] = ["rm", "edf"];
/// What all stages together need, in percent of the CPU.
const LOADS: [u32; 6] = [50, 60, 70, 80, 90, 95];
const UNTIL: Duration = Duration::from_secs(12);
/// How long after the sink has begun a glitch counts.
const SETTLING: Duration = Duration::from_secs(2);

/// Whose periods they are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// The controller adapts them.
    Adapted,
    /// Random ones that the tasks say, from 25 ms to where half of a queue moves in one.
    Typed,
}

impl Choice {
    const ALL: [Choice; 2] = [Choice::Adapted, Choice::Typed];

    fn name(self) -> &'static str {
        match self {
            Choice::Adapted => "periods that adapt themselves",
            Choice::Typed => "random periods",
        }
    }
}

/// A whole number from `least` to `most`.
fn number(random: &mut Random, least: u64, most: u64) -> u64 {
    let [least, most] = [least, most].map(Duration::from_nanos);
    random.uniform(least, most).as_nanos()
}

/// Two to six stages with a source and a sink, which need `load` percent of the CPU on the average.
fn draw(seed: u64, load: u32, choice: Choice) -> TaskSet {
    let mut random = Random::new(seed, 0);
    let every = us(number(&mut random, 5_000, 20_000));
    let count = number(&mut random, 2, 6);
    let weights: Vec<u64> = (0..count).map(|_| number(&mut random, 1, 100)).collect();
    let sum: u64 = weights.iter().sum();
    let lengths: Vec<_> = weights
        .iter()
        .map(|weight| about(parts(every, weight * u64::from(load), sum * 100)))
        .collect();
    // From 10 to 40, so that it fits.
    let room = |_| u16::try_from(number(&mut random, 10, 40)).unwrap_or(10);
    let capacities: Vec<u16> = (0..=count).map(room).collect();
    let mut set = stages(every, &lengths, &capacities);
    if choice == Choice::Typed {
        for (task, pair) in set.tasks.iter_mut().zip(capacities.windows(2)) {
            let fewest = pair.iter().copied().min().unwrap_or_default();
            let longest = parts(every, fewest.into(), 2).as_nanos() / 1_000;
            let period = us(random.log_uniform(25_000, longest.max(25_000)));
            task.reserve = Some(reserve(None, Some(period)));
        }
    }
    set
}

/// Periods in which a stage was ready all the time, and in how many of them it did not use its budget up: it was
/// not given it.
fn allocations(seen: &RunResult, stages: usize) -> [u32; 2] {
    /// What is known of the present period.
    #[derive(Clone, Copy)]
    struct State {
        ends: Time,
        is_blocked: bool,
        has_waited: bool,
        is_used: bool,
    }
    let new = State {
        ends: Time::ZERO,
        is_blocked: false,
        has_waited: true,
        is_used: false,
    };
    let mut states = vec![new; stages];
    let mut counts = [0; 2];
    for event in &seen.trace.events {
        match event.kind {
            Kind::Block {
                task: TaskId(task), ..
            } => {
                if let Some(state) = states.get_mut(usize::from(task)) {
                    (state.is_blocked, state.has_waited) = (true, true);
                }
            }
            Kind::Wake {
                task: TaskId(task), ..
            } => {
                if let Some(state) = states.get_mut(usize::from(task)) {
                    state.is_blocked = false;
                }
            }
            Kind::Exhaust {
                server: ServerId(server),
            } => {
                if let Some(state) = states.get_mut(usize::from(server)) {
                    state.is_used = true;
                }
            }
            Kind::Replenish {
                server: ServerId(server),
                deadline,
            } => {
                let Some(state) = states.get_mut(usize::from(server)) else {
                    continue;
                };
                if event.time >= state.ends {
                    counts[0] += u32::from(!state.has_waited);
                    counts[1] += u32::from(!state.has_waited && !state.is_used);
                    (state.has_waited, state.is_used) = (state.is_blocked, false);
                }
                state.ends = deadline;
            }
            _ => {}
        }
    }
    counts
}

/// What became of all pipelines of one load.
#[derive(Clone, Copy, Default)]
struct Sums {
    load: f64,
    pipelines: f64,
    glitches: usize,
    /// Means.
    switches: f64,
    period: f64,
    /// See [`allocations`].
    allocations: [u32; 2],
}

impl Sums {
    fn add(&mut self, seen: &RunResult, set: &TaskSet) {
        let phases = set.endpoints.iter().map(|endpoint| endpoint.phase);
        let settled = phases.max().unwrap_or_default() + SETTLING;
        self.glitches += glitches(seen, settled);
        self.switches += switches(seen);
        let (from, to) = (seconds(settled), seconds(UNTIL));
        let stages = u16::try_from(set.tasks.len()).unwrap_or(0);
        let mean = |stage| between(&periods(seen, stage), from, to).mean / f64::from(stages);
        self.period += (0..stages).map(mean).sum::<f64>();
        let [all, missed] = allocations(seen, set.tasks.len());
        self.allocations[0] += all;
        self.allocations[1] += missed;
    }

    fn switches(&self) -> f64 {
        self.switches / self.pipelines
    }

    fn period(&self) -> f64 {
        self.period / self.pipelines
    }

    /// Allocations that were missed, in percent.
    fn missed(&self) -> f64 {
        let [all, missed] = self.allocations.map(f64::from);
        100.0 * missed / all.max(1.0)
    }
}

/// Of each choice of periods and each order: the sums, by load.
type Found = [[Vec<Sums>; 2]; 2];

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let pipelines: u32 = setup.size.of([20, 20, 100]);
    let mut found = Found::default();
    for (choice, of_choice) in Choice::ALL.into_iter().zip(&mut found) {
        for (order, of_order) in ORDERS.into_iter().zip(of_choice) {
            for load in LOADS {
                let mut sums = Sums {
                    load: f64::from(load),
                    pipelines: f64::from(pipelines),
                    ..Sums::default()
                };
                for seed in 1..=pipelines {
                    let set = draw(seed.into(), load, choice);
                    let dispatch = ("dispatch", Value::Text(order.into()));
                    let modes = Modes::from(set.clone()).with_settings("pp", &[dispatch]);
                    sums.add(&watch(setup, modes, "pp", UNTIL)?, &set);
                }
                of_order.push(sums);
            }
        }
    }
    Ok(Experiment {
        about: "The same random pipelines under reservations that are served in a rate monotonic order, as the report has \
                it, and by the nearest end of a period (EDF). Once their periods adapt themselves, once they are random. \
                An allocation is missed if a stage was ready during all of a period and was not given its budget."
            .into(),
        settings: vec![
            (
                "pipelines".into(),
                format!("{pipelines} of each load: 2 to 6 stages, a message every 5 to 20 ms, 10 to 40 buffers a queue, lengths of half to one and a half of their means"),
            ),
            ("loads".into(), LOADS.map(|load| format!("{load} %")).join(", ")),
            ("random periods".into(), "from 25 ms to where half of the smaller queue moves in one".into()),
            ("time".into(), "12 s; glitches count from 2 s after the sink has begun".into()),
        ],
        claims: claims(&found),
        figures: vec![figure(&found)],
        ..Experiment::default()
    })
}

/// A value of each load, by choice and order.
fn each(found: &Found, value: impl Fn(&Sums) -> String) -> String {
    let mut all = Vec::new();
    for (choice, of_choice) in Choice::ALL.into_iter().zip(found) {
        for (order, sums) in ORDERS.into_iter().zip(of_choice) {
            let values: Vec<_> = sums.iter().map(&value).collect();
            all.push(format!(
                "{order} with {}: {}",
                choice.name(),
                values.join(", ")
            ));
        }
    }
    all.join("; ")
}

/// The sums of one order beside those of the other, at each load.
fn pairs(found: &Found) -> impl Iterator<Item = (&Sums, &Sums)> {
    found
        .iter()
        .flat_map(|[rate, deadline]| rate.iter().zip(deadline))
}

/// How many allocations one order missed at loads up to `most`.
fn missed_up_to(found: &Found, order: usize, most: f64) -> u32 {
    let sums = found.iter().flat_map(|of_choice| &of_choice[order]);
    let below = sums.filter(|sums| sums.load <= most);
    below.map(|sums| sums.allocations[1]).sum()
}

fn claims(found: &Found) -> Vec<Claim> {
    let is_near = |[one, other]: [f64; 2], by: f64| (one / other - 1.0).abs() <= by;
    let claim = |text: &str, criterion: &str, ours: String, holds: bool, why: &str| Claim {
        text: text.into(),
        place: "not in the report".into(),
        criterion: criterion.into(),
        published: "–".into(),
        ours,
        verdict: Verdict::of(holds, || why.into()),
    };
    let missed = each(found, |sums| format!("{} %", decimal(sums.missed())));
    let late = each(found, |sums| sums.glitches.to_string());
    vec![
        claim(
            "A rate monotonic order misses more allocations than earliest deadlines",
            "at each load it misses a larger part of them, whichever the periods",
            missed.clone(),
            pairs(found).all(|(rate, deadline)| rate.missed() > deadline.missed()),
            "It does not.",
        ),
        claim(
            "A rate monotonic order misses no allocation below 69 % of the CPU",
            "none is missed at 50 and 60 %",
            format!("{} missed", missed_up_to(found, 0, 60.0)),
            missed_up_to(found, 0, 60.0) == 0,
            "The bound of Liu and Layland is of tasks that never wait before they are done. A stage that waits for messages \
             may use its budget at the end of one period and again at the begin of the next. Nor is the load what is \
             reserved: while a level is high a stage asks for more.",
        ),
        claim(
            "Earliest deadlines miss no allocation up to the whole CPU",
            "none is missed at any load here",
            format!("{} missed", missed_up_to(found, 1, 95.0)),
            missed_up_to(found, 1, 95.0) == 0,
            "Theory has budgets that do not change. Here shares change within a period, which may be the reason; that was not \
             examined.",
        ),
        claim(
            "Where periods adapt themselves, a rate monotonic order loses no message once a pipeline has settled",
            "there is no glitch at any load",
            late.clone(),
            found[0][0].iter().all(|sums| sums.glitches == 0),
            "There are some.",
        ),
        claim(
            "Earliest deadlines lose no more messages than a rate monotonic order",
            "there are no more glitches at any load, whichever the periods",
            late,
            pairs(found).all(|(rate, deadline)| deadline.glitches <= rate.glitches),
            "There are more.",
        ),
        claim(
            "The order hardly changes context switches",
            "they are within a fifth of each other at each load",
            each(found, |sums| {
                format!("{} a second", decimal(sums.switches()))
            }),
            pairs(found)
                .all(|(rate, deadline)| is_near([rate.switches(), deadline.switches()], 0.2)),
            "It does.",
        ),
        claim(
            "The order hardly changes the periods that the controller finds",
            "their means are within a tenth of each other at each load",
            each(found, |sums| format!("{} ms", decimal(sums.period()))),
            pairs(found).all(|(rate, deadline)| is_near([rate.period(), deadline.period()], 0.1)),
            "It does.",
        ),
    ]
}

fn figure(found: &Found) -> Figure {
    let curves = |value: fn(&Sums) -> f64| {
        let mut all = Vec::new();
        for (choice, of_choice) in Choice::ALL.into_iter().zip(found) {
            for (order, sums) in ORDERS.into_iter().zip(of_choice) {
                let points = sums.iter().map(|sums| [sums.load, value(sums)]).collect();
                let colour = u8::from(order == ORDERS[1]);
                let shape = match choice {
                    Choice::Adapted => Shape::Line,
                    Choice::Typed => Shape::Dashes,
                };
                let name = format!("{order}, {}", choice.name());
                all.push(Series::ours(name, shape, colour, points));
            }
        }
        all
    };
    let panel = |title: &str, y: Axis, series| Panel {
        title: title.into(),
        y,
        series,
    };
    // From zero, so that small differences look small; room for what has been seen.
    let switches = Axis::range("a second", 0.0, 400.0);
    Figure {
        name: "dispatch".into(),
        title: "Reservations in a rate monotonic order and by earliest deadlines.".into(),
        caption: "Of the periods in which a stage was always ready, those in which it was not given its budget, all of \
                  them and once more where few are; and context switches."
            .into(),
        x: Axis::numbers("load (% of the CPU)"),
        panels: vec![
            panel(
                "missed allocations",
                Axis::numbers("% of them"),
                curves(Sums::missed),
            ),
            panel(
                "missed allocations below 1 %",
                Axis::range("% of them", 0.0, 1.0),
                curves(Sums::missed),
            ),
            panel("context switches", switches, curves(Sums::switches)),
        ],
    }
}
