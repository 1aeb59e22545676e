//! What the thesis leaves open: equals that starve, the loose designs, and what it comes to all in all.

use super::load::{
    ADJUSTMENT, Found, Load, SLICE, Sleeps, Sort, each, fix, float, once, run_set, seconds,
};
use super::sleep::SLEEP;
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult, Trial};
use flyball_model::{Groups, Length, Step, Task, TaskSet, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::Modes;
use flyball_trace::{Duration, Speed};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "beyond",
    title: "Starvation, the loose designs, and the balance (chapter 5, and beyond)",
    on_machine: &[],
    run,
};

const WORK: Duration = Duration::from_secs(60);
const LENGTH: Duration = Duration::from_secs(300);
const TASKS: u32 = 12;
/// The part of the time that tasks sleep, in ten-thousandths.
const SLEEPING: u32 = 500;

/// What is compared.
struct Rival {
    name: &'static str,
    sort: Sort,
    /// Whether all tasks run at the highest frequency.
    all_high: bool,
    /// Whether dynamic priorities are switched off.
    is_fixed: bool,
}

impl Rival {
    const fn of(name: &'static str, sort: Sort) -> Rival {
        Rival {
            name,
            sort,
            all_high: false,
            is_fixed: false,
        }
    }
}

const TWO: &str = "loose of 2";
const THREE: &str = "loose of 3";
const FIXED: &str = "fixed, walk";

const RIVALS: [Rival; 10] = [
    Rival {
        all_high: true,
        ..Rival::of("race to idle", Sort::None)
    },
    Rival::of("unsorted", Sort::None),
    Rival::of("strict-lists", Sort::StrictLists),
    Rival::of(TWO, Sort::LooseLists(2)),
    Rival::of(THREE, Sort::LooseLists(3)),
    Rival::of("strict-walk", Sort::StrictWalk),
    Rival::of("loose-walk", Sort::LooseWalk),
    Rival::of("tour-lists", Sort::TourLists),
    Rival {
        is_fixed: true,
        ..Rival::of("fixed", Sort::None)
    },
    Rival {
        is_fixed: true,
        ..Rival::of(FIXED, Sort::StrictWalk)
    },
];

/// What one of them came to.
#[derive(Clone, Copy, Debug)]
struct Balance {
    found: Found,
    /// The mean and the longest response time of a task that a person waits for, in milliseconds.
    response: [f64; 2],
}

/// A task that wakes up five times a second and computes for 2 ms, of the low group.
fn editor() -> Task {
    Task {
        speed: Some(Speed(0)),
        ..Task::periodic(
            "editor",
            Duration::from_millis(200),
            Duration::from_millis(2),
        )
    }
}

fn balance(setup: &mut Setup<'_>, rival: &Rival) -> Result<Balance, BenchError> {
    let orders = setup.size.of([1, 8, 40]);
    let mut runs = Vec::new();
    let mut sums = [0.0; 2];
    for seed in 1..=orders {
        setup.bench.go_on()?;
        let load = Load {
            sleeps: Sleeps::part(SLEEPING, TASKS, SLEEP),
            work: Some(each(WORK, TASKS)),
            adjustment: ADJUSTMENT * 10,
            all_high: rival.all_high,
            is_fixed: rival.is_fixed,
            seed,
            ..Load::half(TASKS)
        };
        let mut set = load.set(true);
        let mut editor = editor();
        if rival.all_high {
            editor.speed = None;
        }
        set.tasks.push(editor);
        if rival.is_fixed {
            fix(&mut set.tasks);
        }
        let (found, result) = run_set(setup.bench, set, rival.sort, LENGTH, 0)?;
        runs.push(found);
        let [mean, most] = response(&result);
        sums = [sums[0] + mean, sums[1] + most];
    }
    Ok(Balance {
        found: Found::mean(&runs),
        response: sums.map(|sum| sum / float(orders)),
    })
}

/// Of the editor, which is the last task: the mean and the longest response time, in milliseconds.
fn response(result: &RunResult) -> [f64; 2] {
    let last = result.summary.tasks.last();
    let times = last.map_or([None; 2], |task| {
        [task.response.mean(), task.response.max()]
    });
    times.map(|time| time.map_or(0.0, |time| 1_000.0 * seconds(time)))
}

/// The parts of the CPU that three equals get, two of them in one group, in hundredths: under plain round
/// robin with one of the designs, or under Linux's scheduler.
fn parts(
    setup: &mut Setup<'_>,
    policy: &'static str,
    design: &str,
) -> Result<Vec<f64>, BenchError> {
    let length = Duration::from_secs(20);
    let tasks = [0, 0, 1].into_iter().zip(1..).map(|(number, task)| {
        let body = vec![Step::Compute(Length::Fixed(Duration::from_secs(1)))];
        Task {
            priority: (policy == "dss").then_some(1),
            groups: Groups {
                number,
                ..Groups::default()
            },
            ..once(
                format!("task {task}"),
                vec![Step::Repeat { times: None, body }],
            )
        }
    });
    let set = TaskSet {
        name: "equals".into(),
        tasks: tasks.collect(),
        ..TaskSet::default()
    };
    let setting = if policy == "dss" { "variant" } else { "sort" };
    let modes =
        Modes::from(set).with_settings(policy, &[(setting, Value::Text(design.to_owned()))]);
    let result = setup.bench.run(&Trial::new(modes, policy, length))?;
    let parts = result
        .summary
        .tasks
        .iter()
        .map(|task| 100.0 * seconds(task.cpu_time) / seconds(length));
    Ok(parts.collect())
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let equals = [
        parts(setup, "dss", "strict-lists")?,
        parts(setup, "dss", "strict-walk")?,
        parts(setup, "dss", "tour-lists")?,
        parts(setup, "linux-o1", "strict-lists")?,
    ];
    let mut found = Vec::new();
    for rival in &RIVALS {
        found.push((rival.name, balance(setup, rival)?));
    }
    Ok(Experiment {
        about: format!(
            "Three equals that compute without end, two of them in one group. Then {TASKS} tasks, half of them high, that \
             compute {WORK} together and sleep for 5 % of the time, and an editor that wakes up five times a second; with \
             adjustments of 1 ms."
        ),
        settings: vec![
            (
                "equals".into(),
                "dss with time slices of 10 ms, linux-o1".into(),
            ),
            (
                "balance".into(),
                format!(
                    "linux-o1; loose of 2 or 3: as many levels on a list of loose-lists; fixed: under dss, all with one priority; time \
                     slices of {SLICE}; mean of {} orders",
                    setup.size.of([1, 8, 40])
                ),
            ),
            (
                "power".into(),
                "520 MHz: 747 mW, 400 mW while waiting for memory; 104 MHz: 116 and 80 mW".into(),
            ),
        ],
        assumptions: vec!["The thesis has no numbers of this. The powers are ours.".into()],
        claims: claims(&equals, &found),
        figures: vec![figure(&found)],
        ..Experiment::default()
    })
}

#[expect(clippy::too_many_lines, reason = "a list of claims")]
fn claims(equals: &[Vec<f64>; 4], found: &[(&str, Balance)]) -> Vec<Claim> {
    let [lists, walk, tour, linux] = equals;
    let shown = |parts: &[f64]| {
        let parts: Vec<_> = parts.iter().map(|&part| decimal(part)).collect();
        format!("{} %", parts.join(", "))
    };
    let is_fair = |parts: &[f64]| parts.iter().all(|part| (part - 100.0 / 3.0).abs() <= 1.0);
    let share = |text: &str, parts: &[f64], criterion: &str, holds: bool| Claim {
        text: text.into(),
        place: "not in the thesis".into(),
        criterion: criterion.into(),
        published: "–".into(),
        ours: shown(parts),
        verdict: Verdict::of(holds, || "It is otherwise here.".into()),
    };
    let of = |name: &str| {
        let found = found.iter().find(|(other, _)| *other == name);
        found.map(|(_, balance)| *balance)
    };
    let each = |names: &[&str]| {
        let all = names
            .iter()
            .filter_map(|name| of(name).map(|balance| (name, balance)));
        let all = all.map(
            |(
                name,
                Balance {
                    found,
                    response: [mean, most],
                },
            )| {
                format!(
                    "{name}: {} adjustments, {} s, {} J, {} misses, editor {} ms (at most {})",
                    decimal(found.adjustments),
                    decimal(found.run_time.unwrap_or(0.0)),
                    decimal(found.joules.unwrap_or(0.0)),
                    decimal(found.misses),
                    decimal(mean),
                    decimal(most)
                )
            },
        );
        all.collect::<Vec<_>>().join("; ")
    };
    let less = |text: &str,
                place: &str,
                names: [&str; 2],
                number: fn(&Balance) -> f64,
                criterion: &str,
                why: &str| {
        let [one, other] = names.map(|name| of(name).map_or(f64::MAX, |balance| number(&balance)));
        Claim {
            text: text.into(),
            place: place.into(),
            criterion: criterion.into(),
            published: if place == "5" {
                "very promising"
            } else {
                "–"
            }
            .into(),
            ours: each(&names),
            verdict: Verdict::of(one < other, || why.into()),
        }
    };
    let adjustments: fn(&Balance) -> f64 = |balance| balance.found.adjustments;
    let joules: fn(&Balance) -> f64 = |balance| balance.found.joules.unwrap_or(f64::MAX);
    let response: fn(&Balance) -> f64 = |balance| balance.response[0];
    let time: fn(&Balance) -> f64 = |balance| balance.found.run_time.unwrap_or(f64::MAX);
    vec![
        share(
            "Under plain round robin the O(1) design starves an equal of another group",
            lists,
            "no time for the third",
            lists.get(2) == Some(&0.0),
        ),
        share(
            "The O(n) design does not, as its rotation is left alone",
            walk,
            "a third each, within a point",
            is_fair(walk),
        ),
        share(
            "tour-lists, our own, does not",
            tour,
            "a third each, within a point",
            is_fair(tour),
        ),
        share(
            "Under Linux's two arrays the O(1) design does not, either",
            linux,
            "a third each, within a point",
            is_fair(linux),
        ),
        less(
            "The loose O(1) design would not suffer from dynamic priorities: it saves more adjustments than the strict one",
            "5",
            [THREE, "strict-lists"],
            adjustments,
            "fewer adjustments, with three levels on a list",
            "There are not.",
        ),
        less(
            "So does the loose O(n) design",
            "3.2.2",
            ["loose-walk", "strict-walk"],
            adjustments,
            "fewer adjustments",
            "It does not.",
        ),
        less(
            "What a loose design costs: an editor waits for longer than under the strict one",
            "not in the thesis",
            ["strict-lists", THREE],
            response,
            "a shorter mean response time under the strict one",
            "It waits for no longer.",
        ),
        less(
            "With two levels on a list it does, too",
            "not in the thesis",
            [TWO, "strict-lists"],
            adjustments,
            "fewer adjustments, with two levels on a list as in figure 3.3",
            "Which levels share a list depends on where pairs begin, here with 100 and 101. Tasks that sleep have the best bonus or the \
             next, and are on levels 115 and 116: these are in two pairs, and on one list of three.",
        ),
        less(
            "Dynamic priorities switched off are the alternative: sorted, there are fewer adjustments still",
            "5",
            [FIXED, "strict-walk"],
            adjustments,
            "fewer adjustments with one fixed priority for all",
            "There are not.",
        ),
        less(
            "What that costs: an editor waits for longer than under dynamic priorities",
            "not in the thesis",
            ["strict-walk", FIXED],
            response,
            "a shorter mean response time under dynamic priorities",
            "It waits for no longer.",
        ),
        less(
            "Sorting takes less energy than not to sort",
            "not in the thesis",
            ["strict-walk", "unsorted"],
            joules,
            "less energy",
            "What adjustments take is not enough.",
        ),
        less(
            "Sorting is done sooner",
            "not in the thesis",
            ["strict-walk", "unsorted"],
            time,
            "a shorter run time",
            "What adjustments take is not enough.",
        ),
        less(
            "Frequencies of their own take less energy than all at the highest, which is done soonest",
            "not in the thesis",
            ["strict-walk", "race to idle"],
            joules,
            "less energy",
            "The time that low frequencies add costs more than they save.",
        ),
        less(
            "The O(1) design has fewer adjustments than the O(n) one, which was measured",
            "not in the thesis",
            ["strict-lists", "strict-walk"],
            adjustments,
            "fewer adjustments",
            "Dynamic priorities spread tasks, so that where a level begins matters little.",
        ),
        Claim {
            text: "The balance of all of them".into(),
            place: "not in the thesis".into(),
            criterion: String::new(),
            published: "–".into(),
            ours: each(&RIVALS.each_ref().map(|rival| rival.name)),
            verdict: Verdict::NotComparable("Nothing is claimed: the figure shows it.".into()),
        },
    ]
}

fn figure(found: &[(&str, Balance)]) -> Figure {
    let bars = |title: &str, of: &dyn Fn(&Balance) -> f64| {
        let points = (0_u32..)
            .zip(found)
            .map(|(x, (_, balance))| [f64::from(x), of(balance)]);
        Panel {
            title: String::new(),
            y: Axis::numbers(title),
            series: vec![Series::ours("linux-o1", Shape::Bars, 0, points.collect())],
        }
    };
    Figure {
        name: "beyond".into(),
        title: "Twelve tasks and an editor: adjustments, run time and energy.".into(),
        caption: "An adjustment takes 1 ms.".into(),
        x: Axis::categories("", found.iter().map(|(name, _)| *name)),
        panels: vec![
            bars("adjustments", &|balance| balance.found.adjustments),
            bars("run time (s)", &|balance| {
                balance.found.run_time.unwrap_or(0.0)
            }),
            bars("energy (J)", &|balance| balance.found.joules.unwrap_or(0.0)),
            bars("editor (ms)", &|balance| balance.response[0]),
        ],
    }
}
