//! Sections 3 and 3.3: tasks that say nothing and use no queue.

use super::pipeline::{between_devices, hog, ms, us};
use super::seen::{count, millis};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_model::{Length, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::Modes;
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "best-effort",
    title: "Tasks of best effort (3, 3.3)",
    on_machine: &["pp"],
    run,
};

const UNTIL: Duration = Duration::from_secs(60);
const WAYS: [&str; 2] = ["left-over", "open-loop"];
/// What a message takes in the second stage, in microseconds: one comes every 10 ms, and it takes 2 ms in the first.
const UNITS: [u64; 6] = [1_000, 3_000, 5_000, 6_000, 8_000, 12_000];

/// What the task of best effort gets, in percent of the CPU.
fn share(setup: &mut Setup<'_>, way: &str, unit: u64) -> Result<f64, BenchError> {
    let units = [2_000, unit].map(us).map(Length::Fixed);
    let mut set = between_devices(ms(10), &units, 20);
    set.tasks.push(hog("best effort"));
    // Where nothing is set aside all of the CPU may be reserved.
    let limit = if way == "left-over" { "1" } else { "0.98" };
    let settings = [
        ("best_effort", Value::Text(way.into())),
        ("limit", Value::Decimal(limit.into())),
    ];
    let modes = Modes::from(set).with_settings("pp", &settings);
    let seen = count(setup, modes, "pp", UNTIL)?;
    let time = seen.summary.tasks.get(2).map(|task| task.cpu_time);
    Ok(100.0 * millis(time.unwrap_or_default()) / millis(UNTIL))
}

fn load(unit: u64) -> f64 {
    millis(us(unit + 2_000)) * 10.0
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut found = Vec::new();
    for way in WAYS {
        let mut points = Vec::new();
        for unit in UNITS {
            points.push([load(unit), share(setup, way, unit)?]);
        }
        found.push((way, points));
    }
    Ok(Experiment {
        about: "A pipeline that asks for 30 to 140 % of the CPU, and a task that always computes and says nothing.".into(),
        settings: vec![
            ("a message".into(), "every 10 ms, 2 ms in the first stage, 1 to 12 ms in the second".into()),
            ("left-over".into(), "the task runs when no reservation has work and a budget; all of the CPU may be reserved".into()),
            ("open-loop".into(), "it has a reservation of what is left, at least 2 %, with the longest period".into()),
            ("time".into(), "60 s each".into()),
        ],
        claims: claims(&found),
        figures: vec![Figure {
            name: "best-effort".into(),
            title: "What a task of best effort gets.".into(),
            caption: "By what the pipeline asks for.".into(),
            x: Axis::numbers("load of the pipeline (%)"),
            panels: vec![Panel {
                title: String::new(),
                y: Axis::numbers("% of the CPU"),
                series: (0..).zip(&found).map(|(colour, (way, points))| {
                    Series::ours(*way, Shape::Line, colour, points.clone())
                }).collect(),
            }],
        }],
        ..Experiment::default()
    })
}

fn claims(found: &[(&str, Vec<[f64; 2]>)]) -> Vec<Claim> {
    let [(_, left_over), (_, open_loop)] = found else {
        return Vec::new();
    };
    let least = |points: &[[f64; 2]]| {
        points
            .iter()
            .map(|point| point[1])
            .fold(f64::INFINITY, f64::min)
    };
    let (starved, served) = (least(left_over), least(open_loop));
    vec![
        Claim {
            text: "Tasks that get what is left over may starve".into(),
            place: "3".into(),
            criterion: "less than 1 % of the CPU, for some load".into(),
            published: "may arbitrarily starve".into(),
            ours: format!("{} % at least", decimal(starved)),
            verdict: Verdict::of(starved < 1.0, || "They get more.".into()),
        },
        Claim {
            text: "With reservations that are set by open-loop control they do not".into(),
            place: "3".into(),
            criterion: "1.9 % of the CPU or more, for every load (2 % are set aside)".into(),
            published: "a better alternative".into(),
            ours: format!("{} % at least", decimal(served)),
            verdict: Verdict::of(served >= 1.9, || "They get less.".into()),
        },
    ]
}
