//! Sections 3.3 and 4: what the controllers cost, as a thread and in the kernel.

use super::pipeline::{ms, parts, percent, reserve, stages};
use super::seen::{count, millis};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult};
use flyball_measure::costs::Kernel;
use flyball_model::{Cost, Length, Step, Task, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::Modes;
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "controllers",
    title: "What the controllers cost, as a thread and in the kernel (3.3, 4)",
    on_machine: &[],
    run,
};

const UNTIL: Duration = Duration::from_secs(5);
/// Pipelines of so many stages, which compute for this part of the CPU together, in percent.
const STAGES: [u16; 5] = [2, 5, 10, 25, 40];
const LOAD: u64 = 30;
const EVERY: Duration = ms(50);
/// How often the controllers run, in milliseconds.
const INTERVALS: [u64; 4] = [5, 10, 20, 50];
/// What the predecessor of the report says: so much for each of the jobs, and beside that, of the CPU, every 10 ms.
const PREDECESSOR: [f64; 2] = [0.000_66, 0.000_57];

/// Where the controllers run, and whether that costs something.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Free,
    Kernel,
    Thread,
}

/// The part of the CPU that the kernel takes, in percent.
fn kernel(seen: &RunResult) -> f64 {
    let cpu = seen.summary.cpus.first().copied().unwrap_or_default();
    100.0 * millis(cpu.overhead) / millis(seen.summary.elapsed)
}

/// The part of the CPU that goes to the kernel in a pipeline, in percent.
fn takes(
    setup: &mut Setup<'_>,
    count_of: u16,
    interval: u64,
    place: Place,
) -> Result<f64, BenchError> {
    let number = usize::from(count_of);
    let unit = parts(EVERY, LOAD, 100 * u64::from(count_of));
    let units = vec![Length::Fixed(unit); number];
    let mut set = stages(EVERY, &units, &vec![20; number + 1]);
    set.platform.overheads = Kernel::CORTEX_M3_62.overheads("pp");
    let mut settings = vec![
        ("interval", Value::Duration(ms(interval))),
        ("shortest", Value::Duration(ms(interval * 2).max(ms(25)))),
    ];
    match place {
        Place::Free => set.platform.overheads.control = Cost::default(),
        Place::Kernel => {}
        Place::Thread => {
            settings.push(("controller", Value::Text("thread".into())));
            let mut thread = Task::periodic("controllers", ms(interval), Duration::ZERO);
            thread.behaviour = vec![Step::Control];
            thread.reserve = Some(reserve(Some(percent(1)), Some(ms(interval))));
            set.tasks.push(thread);
        }
    }
    let modes = Modes::from(set).with_settings("pp", &settings);
    Ok(kernel(&count(setup, modes, "pp", UNTIL)?))
}

/// What the controllers take of the CPU, in percent: in the kernel, and as a thread.
fn both(setup: &mut Setup<'_>, stages: u16, interval: u64) -> Result<[f64; 2], BenchError> {
    let free = takes(setup, stages, interval, Place::Free)?;
    let kernel = takes(setup, stages, interval, Place::Kernel)?;
    let thread = takes(setup, stages, interval, Place::Thread)?;
    Ok([kernel - free, thread - free])
}

/// By the number of tasks, or by the interval: what they take in the kernel, and as a thread.
type Rows = Vec<(f64, [f64; 2])>;

struct Found {
    by_stages: Rows,
    by_interval: Rows,
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut found = Found {
        by_stages: Vec::new(),
        by_interval: Vec::new(),
    };
    for stages in STAGES {
        let row = (f64::from(stages), both(setup, stages, 10)?);
        found.by_stages.push(row);
    }
    for interval in INTERVALS {
        let row = (millis(ms(interval)), both(setup, 40, interval)?);
        found.by_interval.push(row);
    }
    Ok(Experiment {
        about: "Pipelines of 2 to 40 stages. What the kernel takes of the CPU, less what it takes where the controllers \
                cost nothing."
            .into(),
        settings: vec![
            ("the pipelines".into(), format!("a message every 50 ms; all stages compute for {LOAD} % of the CPU")),
            (
                "costs".into(),
                "those of the kernel on a Cortex-M3 with 62.5 million instructions a second, which were counted on an emulated one".into(),
            ),
            ("the thread".into(), "a task with a period of the interval, which makes one call".into()),
        ],
        assumptions: vec![
            "The thread runs in the same address space. The report's was a process of its own, which reads levels and sets \
             reservations by system calls; that cost more."
                .into(),
        ],
        claims: claims(&found),
        figures: vec![figure(&found)],
        ..Experiment::default()
    })
}

fn claims(found: &Found) -> Vec<Claim> {
    let last = found.by_stages.last().map_or(f64::NAN, |(_, it)| it[0]);
    let predecessor = 100.0 * (40.0 * PREDECESSOR[0] + PREDECESSOR[1]);
    let first = found.by_stages.first().map_or(f64::NAN, |(_, it)| it[0]);
    // Of 2 and 40 stages.
    let slope = (last - first) / 38.0;
    let is_linear = found.by_stages.iter().all(|&(stages, [kernel, _])| {
        let expected = first + slope * (stages - 2.0);
        (kernel - expected).abs() <= 0.1 * expected
    });
    let inverse = found.by_interval.iter().all(|&(interval, [kernel, _])| {
        let expected = last * 10.0 / interval;
        (kernel - expected).abs() <= 0.1 * expected
    });
    let all = found.by_stages.iter().chain(&found.by_interval);
    let is_dearer = all.clone().all(|(_, [kernel, thread])| thread > kernel);
    let more = found
        .by_stages
        .iter()
        .map(|(_, [kernel, thread])| thread - kernel);
    let (least, most) = more.fold((f64::INFINITY, 0.0_f64), |(least, most), it| {
        (least.min(it), most.max(it))
    });
    vec![
        Claim {
            text: "The controllers take time in proportion to the number of jobs".into(),
            place: "the predecessor".into(),
            criterion: "a line through 2 and 40 stages is within a tenth of all".into(),
            published: format!("{} % at 40 jobs, every 10 ms", decimal(predecessor)),
            ours: format!(
                "{} % at 2 stages, {} % at 40, of a CPU of 62.5 MIPS",
                decimal(first),
                decimal(last)
            ),
            verdict: Verdict::of(is_linear, || "They do not.".into()),
        },
        Claim {
            text: "They take time in inverse proportion to the interval".into(),
            place: "3.2".into(),
            criterion: "40 stages, within a tenth of the line through 10 ms".into(),
            published: "arbitrarily trade accuracy for overhead".into(),
            ours: {
                let all = found.by_interval.iter().map(|(interval, it)| {
                    format!("{} % at {} ms", decimal(it[0]), decimal(*interval))
                });
                all.collect::<Vec<_>>().join(", ")
            },
            verdict: Verdict::of(inverse, || "They do not.".into()),
        },
        Claim {
            text: "In the kernel they cost less than as a thread".into(),
            place: "4, planned".into(),
            criterion: "for each number of stages and each interval".into(),
            published: "substantially reduce the cost".into(),
            ours: format!(
                "the thread takes {} to {} % of the CPU more, every 10 ms, whatever the number of stages: its release, its call and two switches",
                decimal(least),
                decimal(most)
            ),
            verdict: Verdict::of(is_dearer, || "They do not.".into()),
        },
    ]
}

fn figure(found: &Found) -> Figure {
    let series = |rows: &Rows| {
        let points = |place: usize| rows.iter().map(|(at, it)| [*at, it[place]]).collect();
        vec![
            Series::ours("in the kernel", Shape::Line, 0, points(0)),
            Series::ours("as a thread", Shape::Line, 1, points(1)),
        ]
    };
    Figure {
        name: "controllers".into(),
        title: "What the controllers take of the CPU, by the number of tasks.".into(),
        caption: "Every 10 ms, at 62.5 million instructions a second.".into(),
        x: Axis::numbers("tasks"),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("% of the CPU"),
            series: series(&found.by_stages),
        }],
    }
}
