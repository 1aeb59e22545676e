//! Section 3.1: a server is a virtual processor, whatever the task of another one does.

use super::sets::{MILLISECOND, number};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, Trial};
use flyball_model::{Length, Step, Task, TaskSet, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::Modes;
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "isolation",
    title: "Temporal isolation (section 3.1)",
    on_machine: &["edf", "ipi", "cbs", "sched-deadline", "soos"],
    run,
};

const POLICIES: [&str; 5] = ["edf", "ipi", "cbs", "sched-deadline", "soos"];
/// By which factor a task computes for longer than it says.
const FACTORS: [u32; 7] = [1, 2, 3, 4, 6, 8, 10];
const UNTIL: Duration = Duration::from_secs(2);
/// What others compute, and their periods, in milliseconds. With slots of a millisecond, one of which
/// is lost for each budget at most, (Q + 1) ÷ P of all add up to 0.82.
const OTHERS: [[u64; 2]; 4] = [[3, 20], [5, 40], [6, 50], [8, 100]];
/// By how much budgets are longer, as a job still has to tell the kernel that it is done.
const ALLOWANCE: Duration = Duration::from_micros(20);
const HOG: [u64; 2] = [5, 25];

fn task_set(factor: u32) -> TaskSet {
    let task = |name: String, [wcet, period]: [u64; 2]| {
        Task::periodic(name, MILLISECOND * period, MILLISECOND * wcet)
    };
    let mut hog = task("hog".into(), HOG);
    hog.behaviour = vec![Step::Overrun {
        declared: Length::Fixed(hog.wcet),
        actual: Length::Fixed(hog.wcet * u64::from(factor)),
    }];
    let others = (1..).zip(OTHERS);
    let others = others.map(|(number, times)| task(format!("T{number}"), times));
    TaskSet {
        name: format!("A task computes {factor} times as long as it says"),
        tasks: std::iter::once(hog).chain(others).collect(),
        ..TaskSet::default()
    }
}

/// How late the others are at most, in milliseconds.
fn tardiness(setup: &mut Setup<'_>, policy: &'static str, factor: u32) -> Result<f64, BenchError> {
    let slot = ("slot", Value::Duration(MILLISECOND));
    let allowance = ("allowance", Value::Duration(ALLOWANCE));
    let set = Modes::from(task_set(factor))
        .with_settings("soos", &[slot, allowance.clone()])
        .with_settings("cbs", std::slice::from_ref(&allowance))
        .with_settings("sched-deadline", &[allowance]);
    let result = setup.bench.run(&Trial::new(set, policy, UNTIL))?;
    let others = result.summary.tasks.iter().skip(1);
    let most = others.map(|task| task.tardiness_max).max();
    Ok(number(most.unwrap_or_default(), MILLISECOND))
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut found = Vec::new();
    for policy in POLICIES {
        let mut points = Vec::new();
        for factor in FACTORS {
            points.push([factor.into(), tardiness(setup, policy, factor)?]);
        }
        found.push((policy, points));
    }
    Ok(Experiment {
        about: "Five tasks, of which one computes up to 10 times as long as it says. How late are the others?"
            .into(),
        settings: vec![
            ("tasks".into(), "3 ms every 20, 5 every 40, 6 every 50, 8 every 100".into()),
            ("the other one".into(), "says 5 ms every 25".into()),
            ("slots of soos".into(), "1 ms".into()),
            ("allowance in budgets".into(), "20 us".into()),
            ("time".into(), "2 s each".into()),
        ],
        assumptions: vec![
            "The paper has no numbers of this. It does not say what becomes of a task whose budget is used up: \
             here its server waits for the next period."
                .into(),
        ],
        claims: claims(&found),
        figures: vec![figure(&found)],
        ..Experiment::default()
    })
}

type Found = [(&'static str, Vec<[f64; 2]>)];

fn claims(found: &Found) -> Vec<Claim> {
    let of = |policy: &str| {
        let points = found.iter().filter(|(other, _)| *other == policy);
        let late = points.flat_map(|(_, points)| points).map(|point| point[1]);
        late.fold(0.0, f64::max)
    };
    let shown = |policies: &[&str]| {
        let shown = policies
            .iter()
            .map(|policy| format!("{policy}: {} ms", decimal(of(policy))));
        shown.collect::<Vec<_>>().join(", ")
    };
    let servers = ["soos", "cbs", "sched-deadline"];
    vec![
        Claim {
            text: "A task in a server runs on a processor of its own: no other one makes it late"
                .into(),
            place: "3.1".into(),
            criterion: "no other task is late, whatever the factor".into(),
            published: "a virtual processor whose speed is U_s".into(),
            ours: format!("late at most: {}", shown(&servers)),
            verdict: Verdict::of(servers.iter().all(|policy| of(policy) == 0.0), || {
                "Others are late.".into()
            }),
        },
        Claim {
            text: "Without servers others are late".into(),
            place: "not in the paper".into(),
            criterion: "some other task is late, for some factor".into(),
            published: "–".into(),
            ours: format!("late at most: {}", shown(&["edf", "ipi"])),
            verdict: Verdict::of(of("edf") > 0.0 && of("ipi") > 0.0, || {
                "They are not, with one of the two.".into()
            }),
        },
    ]
}

fn figure(found: &Found) -> Figure {
    let series = (0..).zip(found).map(|(colour, (policy, points))| {
        Series::ours(*policy, Shape::Line, colour, points.clone())
    });
    Figure {
        name: "isolation".into(),
        title: "How late the others are, if one task computes for longer than it says.".into(),
        caption: "The latest job of all others in 2 s.".into(),
        x: Axis::numbers("times its execution time"),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("late at most (ms)"),
            series: series.collect(),
        }],
    }
}
