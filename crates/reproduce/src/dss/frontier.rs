//! What each way to choose operating points comes to, side by side (chapters 5 and 6, and beyond the thesis).

use super::energy::{board, slowest};
use super::load::{Load, SLICE, Sleeps, Sort, float, mean, seconds};
use super::sleep::{LEVELS, SLEEP};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, Trial};
use flyball_model::{Length, Share, Step, Task, TaskSet, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::{Modes, SpeedUse};
use flyball_study::{Effort, largest_window};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "frontier",
    title: "Energy, misses and adjustments of all ways (chapters 5 and 6, and beyond)",
    on_machine: &[],
    run,
};

/// The tasks of the Generic Avionics Platform (Locke, Vogel and Mesler 1991): period and worst-case execution
/// time in milliseconds. Deadlines are the periods: the first task's own, 5 ms, is more than static-edf takes.
const AVIONICS: [(&str, u64, u64); 17] = [
    ("Weapon Release", 200, 3),
    ("Radar Tracking Filter", 25, 2),
    ("RWR Contact Mgmt", 25, 5),
    ("Data Bus Poll Device", 40, 1),
    ("Weapon Aiming", 50, 3),
    ("Radar Target Update", 50, 5),
    ("Nav Update", 59, 8),
    ("Display Graphic", 80, 9),
    ("Display Hook Update", 80, 2),
    ("Tracking Target Update", 100, 5),
    ("Weapon Protocol", 200, 1),
    ("Nav Steering Cmds", 200, 3),
    ("Display Stores Update", 200, 1),
    ("Display Keyset", 200, 1),
    ("Display Stat Update", 200, 3),
    ("BET E Status Update", 1_000, 1),
    ("Nav Status", 1_000, 1),
];
/// The part of its time in which every other task waits for memory, in millionths: ours.
const STALLS: u32 = 950_000;
const FREQUENCIES: [u64; 5] = [333, 400, 533, 666, 733];
/// How many seconds it is simulated for.
const LENGTH: u64 = 59;

const WINDOW: &str = "dss-edf W";
/// How long an adjustment takes.
const ADJUSTMENT: Duration = Duration::from_micros(20);

/// What runs the avionics: its name here, its policy and settings.
type Rival = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const RIVALS: [Rival; 12] = [
    ("race", "edf", &[]),
    ("static-edf", "static-edf", &[]),
    ("cc-edf", "cc-edf", &[]),
    ("dss-edf 0", "dss-edf", &[("by", "speed")]),
    (WINDOW, "dss-edf", &[("by", "speed"), ("window", "largest")]),
    ("linux", "linux-o1", &[]),
    (
        "linux walk",
        "linux-o1",
        &[("by", "speed"), ("sort", "strict-walk")],
    ),
    (
        "dss none",
        "dss",
        &[("by", "speed"), ("variant", "unsorted")],
    ),
    (
        "dss lists",
        "dss",
        &[("by", "speed"), ("variant", "strict-lists")],
    ),
    (
        "dss loose",
        "dss",
        &[("by", "speed"), ("variant", "loose-lists")],
    ),
    (
        "dss walk",
        "dss",
        &[("by", "speed"), ("variant", "strict-walk")],
    ),
    (
        "dss l-walk",
        "dss",
        &[("by", "speed"), ("variant", "loose-walk")],
    ),
];

/// The avionics at five operating points. Jobs compute for half of their worst case at least; tasks that wait for memory
/// run at the slowest point at which they lose a tenth at most.
fn avionics() -> TaskSet {
    let speeds = board(&FREQUENCIES, ADJUSTMENT);
    let tasks = (0..).zip(AVIONICS).map(|(number, (name, period, wcet))| {
        let [half, wcet] = [wcet * 500, wcet * 1_000].map(Duration::from_micros);
        let period = Duration::from_millis(period);
        let stalls = Share::from_millionths(if number % 2 == 1 { STALLS } else { 0 });
        // One priority for all tasks of a period, so that there are equals. A second is 200.
        let rank = u8::try_from(period.as_nanos() / 5_000_000).unwrap_or(u8::MAX);
        let compute = Length::Uniform {
            min: half,
            max: wcet,
        };
        Task {
            priority: Some(90_u8.saturating_sub(rank / 3)),
            stalls,
            speed: speeds.as_ref().map(|speeds| slowest(speeds, stalls)),
            behaviour: vec![Step::Compute(compute)],
            ..Task::periodic(name, period, wcet)
        }
    });
    let mut set = TaskSet {
        name: "avionics".into(),
        tasks: tasks.collect(),
        ..TaskSet::default()
    };
    set.platform.speeds = speeds;
    set
}

/// What one of them came to.
#[derive(Clone, Copy, Debug)]
struct Balance {
    /// A second.
    adjustments: f64,
    /// In milliwatts, with idling.
    power: f64,
    misses: f64,
}

fn balance(
    setup: &mut Setup<'_>,
    policy: &'static str,
    settings: &[(&str, &str)],
) -> Result<Balance, BenchError> {
    setup.bench.go_on()?;
    let mut set = avionics();
    if policy == "linux-o1" {
        for task in &mut set.tasks {
            // All are normal tasks there.
            task.priority = None;
        }
    }
    let window = largest_window(&set, Effort::FULL.verdict).unwrap_or_default();
    let value = |text: &str| match text {
        "largest" => Value::Duration(window),
        _ => Value::Text(text.to_owned()),
    };
    let settings: Vec<_> = settings
        .iter()
        .map(|&(name, it)| (name, value(it)))
        .collect();
    let modes = Modes::from(set).with_settings(policy, &settings);
    let length = Duration::from_secs(setup.size.of([6, LENGTH, 10 * LENGTH]));
    let result = setup.bench.run(&Trial::new(modes, policy, length))?;
    let elapsed = seconds(result.summary.elapsed);
    let speeds = result.speeds.as_ref();
    let energy = speeds.and_then(SpeedUse::energy);
    Ok(Balance {
        adjustments: float(speeds.map_or(0, SpeedUse::adjustments)) / elapsed,
        power: energy.map_or(0.0, |(_, all)| 1_000.0 * all.joules()) / elapsed,
        misses: float(result.summary.misses()),
    })
}

/// The designs that are compared by how often the load of the thesis switches.
const DESIGNS: [(&str, Sort); 4] = [
    ("strict-lists", Sort::StrictLists),
    ("loose-lists of 3", Sort::LooseLists(3)),
    ("strict-walk", Sort::StrictWalk),
    ("tour-lists", Sort::TourLists),
];

/// For each design, by level of sleep: context switches and adjustments that are saved, a second.
type Savings = Vec<Vec<[f64; 2]>>;

fn savings(setup: &mut Setup<'_>) -> Result<Savings, BenchError> {
    let until = SLICE * 1_000;
    let orders = setup.size.of([1, 4, 20]);
    let mut all = vec![Vec::new(); DESIGNS.len()];
    for part in LEVELS {
        let load = Load {
            sleeps: Sleeps::part(part, 12, SLEEP),
            ..Load::half(12)
        };
        setup.bench.go_on()?;
        let none = mean(setup.bench, load, Sort::None, until, orders)?;
        for (points, (_, sort)) in all.iter_mut().zip(DESIGNS) {
            setup.bench.go_on()?;
            let sorted = mean(setup.bench, load, sort, until, orders)?;
            let saved = none.adjustments - sorted.adjustments;
            points.push([none.switches, saved].map(|count| count / none.elapsed));
        }
    }
    for points in &mut all {
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    }
    Ok(all)
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut found = Vec::new();
    for (name, policy, settings) in RIVALS {
        found.push((name, balance(setup, policy, settings)?));
    }
    let savings = savings(setup)?;
    let window = largest_window(&avionics(), Effort::FULL.verdict);
    Ok(Experiment {
        about: format!(
            "The 17 tasks of the Generic Avionics Platform at five operating points, for {LENGTH} s: every other one waits for memory \
             for 95 % of its time, and runs at the slowest point at which it loses a tenth; jobs compute for half of their worst case \
             at least. Deadlines are the periods. And the twelve tasks of section 4.2: how many adjustments sorting saves, by how many context switches there are."
        ),
        settings: vec![
            ("points".into(), "333, 400, 533, 666 and 733 MHz, as in the experiment \"energy\"; 0.02 ms an adjustment".into()),
            ("priorities".into(), "one for all tasks of a period; time slices of 10 ms".into()),
            (
                "names".into(),
                "race (to idle): edf at the highest; dss-edf without a window (0) and with the longest (W); linux-o1 unsorted and \
                 strict-walk; dss unsorted, strict-lists, loose-lists, strict-walk and loose-walk"
                    .into(),
            ),
            (
                "longest window".into(),
                window.map_or("not known".into(), |window| window.to_string()),
            ),
        ],
        assumptions: vec!["Which tasks wait for memory, and what jobs compute, is ours.".into()],
        claims: claims(&found, &savings),
        figures: figures(&found, savings),
        ..Experiment::default()
    })
}

fn claims(found: &[(&str, Balance)], savings: &Savings) -> Vec<Claim> {
    let of = |name: &str| {
        found
            .iter()
            .find(|(other, _)| *other == name)
            .map(|(_, it)| *it)
    };
    let shown = |names: &[&str]| {
        let all = names
            .iter()
            .filter_map(|name| of(name).map(|it| (name, it)));
        let all = all.map(|(name, it)| {
            format!(
                "{name}: {} mW, {} adjustments a second, {} misses",
                decimal(it.power),
                decimal(it.adjustments),
                decimal(it.misses)
            )
        });
        all.collect::<Vec<_>>().join("; ")
    };
    let claim =
        |text: &str, place: &str, criterion: &str, ours: String, holds: bool, why: &str| Claim {
            text: text.into(),
            place: place.into(),
            criterion: criterion.into(),
            published: if place == "6" { "they rise" } else { "–" }.into(),
            ours,
            verdict: Verdict::of(holds, || why.into()),
        };
    let none_late = |names: &[&str]| {
        names
            .iter()
            .all(|name| of(name).is_some_and(|it| it.misses == 0.0))
    };
    let power = |name: &str| of(name).map_or(f64::MAX, |it| it.power);
    let adjustments = |name: &str| of(name).map_or(f64::MAX, |it| it.adjustments);
    let rises = savings
        .iter()
        .all(|points| match (points.first(), points.last()) {
            (Some(first), Some(last)) => last[1] > first[1],
            _ => false,
        });
    let rates = DESIGNS.iter().zip(savings).map(|((name, _), points)| {
        let points: Vec<_> = points
            .iter()
            .map(|[x, y]| format!("{} at {}", decimal(*y), decimal(*x)))
            .collect();
        format!("{name}: {}", points.join(", "))
    });
    let safe = ["race", "static-edf", "cc-edf", "dss-edf 0", WINDOW];
    vec![
        claim(
            "Savings rise with the rate of context switches",
            "6",
            "for each design, more adjustments saved a second at the highest rate than at the lowest",
            format!(
                "saved at so many switches, a second: {}",
                rates.collect::<Vec<_>>().join("; ")
            ),
            rises,
            "Not for each design.",
        ),
        claim(
            "Under policies that know deadlines no job is late",
            "not in the thesis",
            "no misses",
            shown(&safe),
            none_late(&safe),
            "Some are.",
        ),
        claim(
            "A point for each task takes less energy than to race to idle, and than one point for all",
            "not in the thesis",
            "less power under dss-edf than under edf and static-edf",
            shown(&[WINDOW, "race", "static-edf", "cc-edf"]),
            power(WINDOW) < power("race").min(power("static-edf")),
            "Policies that know what jobs compute make more of it.",
        ),
        claim(
            "A window saves adjustments",
            "not in the thesis",
            "fewer with the longest window that is known to hold the set than without",
            shown(&[WINDOW, "dss-edf 0"]),
            adjustments(WINDOW) < adjustments("dss-edf 0"),
            "There are no jobs of another group within it.",
        ),
        Claim {
            verdict: Verdict::NotComparable("Nothing is claimed: the figure shows it.".into()),
            ..claim(
                "The balance of all of them",
                "not in the thesis",
                "",
                shown(&RIVALS.map(|(name, ..)| name)),
                true,
                "",
            )
        },
    ]
}

fn figures(found: &[(&str, Balance)], savings: Savings) -> Vec<Figure> {
    let bars = |title: &str, of: &dyn Fn(&Balance) -> f64| {
        let points = (0_u32..)
            .zip(found)
            .map(|(x, (_, it))| [f64::from(x), of(it)]);
        Panel {
            title: String::new(),
            y: Axis::numbers(title),
            series: vec![Series::ours("avionics", Shape::Bars, 0, points.collect())],
        }
    };
    let lines = DESIGNS
        .iter()
        .zip(savings)
        .zip(0..)
        .map(|(((name, _), points), number)| Series::ours(*name, Shape::Line, number, points));
    vec![
        Figure {
            name: "frontier".into(),
            title: "Avionics at five operating points: power, adjustments and misses.".into(),
            caption: "Power with idling.".into(),
            x: Axis::categories("", found.iter().map(|(name, _)| *name)),
            panels: vec![
                bars("power (mW)", &|it| it.power),
                bars("adjustments a second", &|it| it.adjustments),
                bars("misses", &|it| it.misses),
            ],
        },
        Figure {
            name: "savings".into(),
            title: "Adjustments that sorting saves, by how often twelve tasks switch.".into(),
            caption: "From no sleep to sleep for 20 % of the time.".into(),
            x: Axis::numbers("context switches a second"),
            panels: vec![Panel {
                title: String::new(),
                y: Axis::numbers("saved a second"),
                series: lines.collect(),
            }],
        },
    ]
}
