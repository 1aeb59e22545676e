//! Sections 2.1, 3.2 and 4: what else the period changes. Energy is not in the report.

use super::pipeline::{BUFFERS, hog, ms, overheads, percent, reserve, reserved, two_stages, us};
use super::seen::{count, millis, switches, watch};
use crate::dss::energy;
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult};
use flyball_model::{Cost, Length, Step, TaskSet};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::SpeedUse;
use flyball_trace::{Duration, Kind, ServerId, TaskId, Time};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "secondary",
    title: "How exact shares are, priority, caches, and energy (2.1, 3.2, 4)",
    on_machine: &[],
    run,
};

const UNTIL: Duration = Duration::from_secs(20);
const PERIODS: [u64; 8] = [30, 40, 60, 80, 120, 160, 240, 480];
/// The timers that are compared.
const TICKS: [Duration; 2] = [us(100), ms(10)];
/// A fixed reservation, in percent and milliseconds, which has a higher priority than longer periods.
const OTHER: (u32, u64) = (60, 50);
/// The share of a task beside it.
const SHARE: u32 = 15;
/// What a job's lost cache lines take after a preemption.
const CACHES: [Duration; 2] = [Duration::ZERO, us(200)];
/// The periods whose energy is asked for, in milliseconds.
const ENERGY_PERIODS: [u64; 8] = [1, 2, 5, 10, 30, 60, 120, 480];
/// What a switch takes there, and a job's lost cache lines after a preemption: as in `trade-off`.
const COSTS: [Duration; 2] = [us(5), us(10)];
/// The operating points of the board, in MHz. All runs at the higher one.
const FREQUENCIES: [u64; 2] = [333, 733];

/// How far what a task gets in a period is from its budget, in the mean of all periods, in percent of the budget. Its
/// time begins in the middle of a slice, since it waits now and then.
fn error(setup: &mut Setup<'_>, period: Duration, tick: Duration) -> Result<f64, BenchError> {
    let steps = [17_300, 2_900].map(us).map(Length::Fixed);
    let [compute, pause] = steps;
    let steps = vec![Step::Compute(compute), Step::Suspend(pause)];
    let mut task = super::pipeline::task("task", None, steps);
    task.reserve = Some(reserve(Some(percent(SHARE)), Some(period)));
    let mut set = TaskSet {
        tasks: vec![task, hog("other")],
        ..TaskSet::default()
    };
    set.platform.tick = Some(tick);
    let seen = watch(setup, set, "pp", UNTIL)?;
    let budget = millis(period) * f64::from(SHARE) / 100.0;
    let off = gets(&seen)
        .into_iter()
        .map(|got| (got / budget - 1.0).abs());
    Ok(100.0 * off.clone().sum::<f64>() / off.map(|_| 1.0).sum::<f64>())
}

/// What the first task gets in each of its periods, in milliseconds.
fn gets(seen: &RunResult) -> Vec<f64> {
    let (mut all, mut got, mut since) = (Vec::new(), Duration::ZERO, None);
    for event in &seen.trace.events {
        let counted =
            |since: Option<Time>| since.map_or(Duration::ZERO, |since| event.time.since(since));
        match event.kind {
            Kind::Dispatch { task, .. } => {
                got += counted(since);
                since = (task == TaskId(0)).then_some(event.time);
            }
            Kind::Idle => got += counted(since.take()),
            Kind::Replenish {
                server: ServerId(0),
                ..
            } => {
                all.push(millis(got + counted(since)));
                got = Duration::ZERO;
                since = since.map(|_| event.time);
            }
            _ => {}
        }
    }
    // Before the first one there is none.
    all.into_iter().skip(1).collect()
}

/// How long a task waits for its share beside a reservation of 50 ms, at most, in milliseconds.
fn wait(setup: &mut Setup<'_>, period: Duration) -> Result<f64, BenchError> {
    let fixed = |name, (share, period)| {
        let mut task = hog(name);
        task.reserve = Some(reserve(Some(percent(share)), Some(period)));
        task
    };
    let (share, other) = OTHER;
    let set = TaskSet {
        tasks: vec![
            fixed("task", (SHARE, period)),
            fixed("other", (share, ms(other))),
        ],
        ..TaskSet::default()
    };
    let seen = watch(setup, set, "pp", UNTIL)?;
    Ok(longest(&seen) - millis(period) * f64::from(SHARE) / 100.0)
}

/// The longest time from the begin of a period to when the budget of the first task is used up.
fn longest(seen: &RunResult) -> f64 {
    let (mut since, mut longest) = (Time::ZERO, Duration::ZERO);
    for event in &seen.trace.events {
        match event.kind {
            Kind::Replenish {
                server: ServerId(0),
                ..
            } => since = event.time,
            Kind::Exhaust {
                server: ServerId(0),
            } => longest = longest.max(event.time.since(since)),
            _ => {}
        }
    }
    millis(longest)
}

/// How many messages two stages of 48 % pass on in a second.
fn messages(setup: &mut Setup<'_>, period: Duration, cache: Duration) -> Result<f64, BenchError> {
    let set = two_stages(&Length::Fixed(ms(3)), BUFFERS * 10, None);
    let mut set = reserved(set, reserve(Some(percent(48)), Some(period)));
    set.platform.overheads.cache = Cost::fixed(cache);
    let seen = count(setup, set, "pp", UNTIL)?;
    let put = seen.summary.queues.first().map_or(0, |queue| queue.put);
    Ok(u32::try_from(put).map_or(f64::NAN, f64::from) / super::seen::seconds(UNTIL))
}

/// What a message takes of energy, in millijoules, and how often the CPU switches, in a second, if two stages of 48 %
/// always have work.
fn joules(setup: &mut Setup<'_>, period: Duration) -> Result<[f64; 2], BenchError> {
    let set = two_stages(&Length::Fixed(ms(3)), BUFFERS * 10, None);
    let mut set = reserved(set, reserve(Some(percent(48)), Some(period)));
    let [switch, cache] = COSTS;
    set.platform.overheads = overheads(switch, Duration::ZERO);
    set.platform.overheads.cache = Cost::fixed(cache);
    set.platform.speeds = energy::board(&FREQUENCIES, Duration::ZERO);
    let seen = count(setup, set, "pp", UNTIL)?;
    let all = seen.speeds.as_ref().and_then(SpeedUse::energy);
    let queue = seen.summary.queues.first();
    // Half of what a message takes is the producer's, and half of it the consumer's.
    let halves = queue.map(|queue| queue.put + queue.delay.count());
    let halves = halves.and_then(|halves| u32::try_from(halves).ok());
    let millijoules = all.map_or(f64::NAN, |(_, all)| 1e3 * all.joules());
    Ok([
        2.0 * millijoules / halves.map_or(f64::NAN, f64::from),
        switches(&seen),
    ])
}

struct Found {
    /// By tick, by period.
    errors: [Vec<[f64; 2]>; 2],
    waits: Vec<[f64; 2]>,
    /// By what a cache costs, by period.
    messages: [Vec<[f64; 2]>; 2],
    /// See [`joules`], by period.
    energy: Vec<[f64; 2]>,
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut found = Found {
        errors: Default::default(),
        waits: Vec::new(),
        messages: Default::default(),
        energy: Vec::new(),
    };
    for period in PERIODS.map(ms) {
        for (number, tick) in TICKS.into_iter().enumerate() {
            found.errors[number].push([millis(period), error(setup, period, tick)?]);
        }
        found.waits.push([millis(period), wait(setup, period)?]);
        for (number, cache) in CACHES.into_iter().enumerate() {
            found.messages[number].push([millis(period), messages(setup, period, cache)?]);
        }
    }
    for period in ENERGY_PERIODS.map(ms) {
        found.energy.push(joules(setup, period)?);
    }
    Ok(Experiment {
        about: "Four effects, one by one: a budget that ends at ticks, a reservation with another period beside, \
                caches that a preemption empties, and energy."
            .into(),
        settings: vec![
            ("exact shares".into(), format!("{SHARE} % for a task that waits now and then, ticks of 100 us and 10 ms")),
            ("priority".into(), format!("{SHARE} % beside {} % every {} ms", OTHER.0, OTHER.1)),
            ("caches".into(), "two stages of 48 %, 200 us after a preemption, and none".into()),
            ("energy".into(), "two stages of 48 %, 5 us a switch and 10 us after a preemption; 1.22 W while the CPU computes, 0.57 W idle".into()),
            ("time".into(), "20 s each".into()),
        ],
        claims: claims(&found),
        figures: vec![figure(&found), energy_figure(&found)],
        ..Experiment::default()
    })
}

fn ends(points: &[[f64; 2]]) -> [f64; 2] {
    let value = |point: Option<&[f64; 2]>| point.map_or(f64::NAN, |point| point[1]);
    [value(points.first()), value(points.last())]
}

fn claims(found: &Found) -> Vec<Claim> {
    let [fine, coarse] = &found.errors;
    let [short, long] = ends(coarse);
    let worst = |points: &[[f64; 2]]| points.iter().map(|point| point[1]).fold(0.0, f64::max);
    let waits = |is_shorter: bool| {
        let other = millis(ms(OTHER.1));
        let points = found
            .waits
            .iter()
            .filter(move |point| (point[0] < other) == is_shorter);
        points.map(|point| point[1])
    };
    let most_before = waits(true).fold(0.0, f64::max);
    let least_after = waits(false).fold(f64::INFINITY, f64::min);
    let lost = found.messages[0].iter().zip(&found.messages[1]);
    let lost: Vec<[f64; 2]> = lost
        .map(|(free, cached)| [free[0], 100.0 * (1.0 - cached[1] / free[1])])
        .collect();
    let [lost_short, lost_long] = ends(&lost);
    vec![
        Claim {
            text: "With longer periods shares are more exact where budgets end at ticks".into(),
            place: "3.2, 4".into(),
            criterion: "with ticks of 10 ms what a task gets in a period is less wrong at the longest period than at the shortest".into(),
            published: "lower quantization error".into(),
            ours: format!("{} % wrong at 30 ms, {} % at 480 ms", decimal(short), decimal(long)),
            verdict: Verdict::of(long < short, || "It is not.".into()),
        },
        Claim {
            text: "A shorter interval of the timer makes shares more exact".into(),
            place: "4".into(),
            criterion: "with ticks of 100 us it is less wrong at each period than with 10 ms".into(),
            published: "limited by the length of the timer interval".into(),
            ours: format!("{} % and {} % wrong at most", decimal(worst(fine)), decimal(worst(coarse))),
            verdict: Verdict::of(fine.iter().zip(coarse).all(|(fine, coarse)| fine[1] < coarse[1]), || "At some it is not.".into()),
        },
        Claim {
            text: "The shorter period has the higher priority".into(),
            place: "3.3".into(),
            criterion: "with periods below 50 ms a task never waits for the reservation of 50 ms, with longer ones for its whole \
                        budget or more"
                .into(),
            published: "rate monotonic".into(),
            ours: format!("{} ms below, {} ms or more above", decimal(most_before), decimal(least_after)),
            verdict: Verdict::of(most_before < 0.1 && least_after >= 29.9, || "It is not so.".into()),
        },
        Claim {
            text: "Smaller periods lose more to caches".into(),
            place: "1".into(),
            criterion: "a larger part of the messages is lost at the shortest period than at the longest".into(),
            published: "lower hit rates".into(),
            ours: format!("{} % at 30 ms, {} % at 480 ms", decimal(lost_short), decimal(lost_long)),
            verdict: Verdict::of(lost_short > lost_long, || "It is not.".into()),
        },
        energy_claim(&found.energy),
    ]
}

/// What a message takes at the longest period, in millijoules.
fn least(found: &[[f64; 2]]) -> f64 {
    found.last().map_or(f64::NAN, |point| point[0])
}

fn energy_claim(found: &[[f64; 2]]) -> Claim {
    let least = least(found);
    let more = ENERGY_PERIODS.iter().zip(found);
    let more = more.map(|(period, point)| {
        let more = 100.0 * (point[0] / least - 1.0);
        format!("{} % at {period} ms", decimal(more))
    });
    let more: Vec<_> = more.take(ENERGY_PERIODS.len() - 1).collect();
    Claim {
        text: "Smaller periods take more energy".into(),
        place: "not in the report".into(),
        criterion: "a message takes more of it at each smaller period".into(),
        published: "–".into(),
        ours: format!("{} mJ at 480 ms; more: {}", decimal(least), more.join(", ")),
        verdict: Verdict::of(found.is_sorted_by(|one, other| one[0] > other[0]), || {
            "It does not.".into()
        }),
    }
}

/// Energy and switches, at periods that are too far from each other for a common axis.
fn energy_figure(found: &Found) -> Figure {
    let panel = |title: &str, y: &str, colour: u8, of: &dyn Fn(&[f64; 2]) -> f64| {
        let points = (0..).zip(&found.energy);
        let points = points.map(|(at, point): (u8, _)| [f64::from(at), of(point)]);
        Panel {
            title: title.into(),
            y: Axis::numbers(y),
            series: vec![Series::ours(title, Shape::Bars, colour, points.collect())],
        }
    };
    let least = least(&found.energy);
    let more = |point: &[f64; 2]| 100.0 * (point[0] / least - 1.0);
    Figure {
        name: "secondary-energy".into(),
        title: "Energy by the period.".into(),
        caption: "What a message takes more than at 480 ms, and how often the CPU switches. Two stages always have work; the board takes 1.22 W, and 0.57 W idle.".into(),
        x: Axis::categories("period", ENERGY_PERIODS.map(|period| format!("{period} ms"))),
        panels: vec![
            panel("energy", "% more a message", 0, &more),
            panel("switches", "a second", 1, &|point| point[1]),
        ],
    }
}

fn figure(found: &Found) -> Figure {
    let panel = |title: &str, y: &str, series: Vec<Series>| Panel {
        title: title.into(),
        y: Axis::numbers(y),
        series,
    };
    let line = |name: &str, colour, points: &Vec<[f64; 2]>| {
        Series::ours(name, Shape::Line, colour, points.clone())
    };
    let [fine, coarse] = &found.errors;
    let [free, cached] = &found.messages;
    Figure {
        name: "secondary".into(),
        title: "What else the period changes.".into(),
        caption: "Above: how far what a task gets in a period is from its budget. Middle: how long its task waits beside a \
                  reservation of 50 ms. Below: messages of two stages."
            .into(),
        x: Axis::numbers("period (ms)"),
        panels: vec![
            panel("exact shares", "wrong by (%)", vec![line("ticks of 100 us", 0, fine), line("ticks of 10 ms", 1, coarse)]),
            panel("priority", "longest wait (ms)", vec![line("wait", 2, &found.waits)]),
            panel("caches", "messages a second", vec![line("no cost", 3, free), line("200 us a preemption", 4, cached)]),
        ],
    }
}
