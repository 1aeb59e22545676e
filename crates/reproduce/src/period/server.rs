//! Sections 2 and 3.3: a server whose measure of progress is how many requests wait.

use super::pipeline::{about, device, hog, ms, queue, task, us};
use super::seen::{between, levels, millis, shares, thinned, watch};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult};
use flyball_model::{End, Length, Step, TaskSet};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "server",
    title: "A server whose requests wait in a queue (2, 3.3)",
    on_machine: &["pp"],
    run,
};

const CAPACITY: u16 = 40;
/// A request comes so often on the average, for ten seconds each.
const EVERY: [u64; 3] = [20, 5, 20];
const PHASE: f64 = 10.0;
/// What a request takes: from half to one and a half of it.
const REQUEST: Duration = us(2_500);

fn set() -> TaskSet {
    // Three sources, of which one brings most of the requests for ten seconds.
    let more = Length::Cycle {
        lengths: vec![
            Duration::from_secs(10),
            Duration::from_nanos(6_666_667),
            Duration::from_secs(10),
        ],
        every: Duration::from_secs(10),
    };
    let requests = device(End::Source, 0, about(ms(EVERY[0])), Duration::ZERO);
    let peak = device(End::Source, 0, more, Duration::from_secs(10));
    TaskSet {
        name: "A server of requests".into(),
        queues: vec![queue("requests", CAPACITY)],
        endpoints: vec![requests, peak],
        tasks: vec![
            task(
                "server",
                None,
                vec![Step::Receive(0), Step::Compute(about(REQUEST))],
            ),
            hog("other"),
        ],
        ..TaskSet::default()
    }
}

/// What the server needs in each phase, in percent of the CPU.
fn needs() -> [f64; 3] {
    EVERY.map(|every| 100.0 * millis(REQUEST) / millis(ms(every)))
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let seen = watch(setup, set(), "pp", Duration::from_secs(30))?;
    Ok(Experiment {
        about: "Requests come at random, four times as many for ten seconds as before and after. Nothing is known of the \
                server, and a task beside it always computes."
            .into(),
        settings: vec![
            ("requests".into(), "every 20, 5 and 20 ms on the average, for 10 s each; at most 40 wait".into()),
            ("a request".into(), "1.25 to 3.75 ms".into()),
        ],
        assumptions: vec![
            "The report says that sockets could show how many requests wait. Here it is a queue that a device fills.".into(),
        ],
        claims: claims(&seen),
        figures: vec![figure(&seen)],
        ..Experiment::default()
    })
}

fn claims(seen: &RunResult) -> Vec<Claim> {
    let shares = shares(seen, 0);
    let found = [0.0, 1.0, 2.0].map(|phase| {
        let from = phase * PHASE;
        between(&shares, from + PHASE / 2.0, from + PHASE).mean
    });
    let queue = seen.summary.queues.first().cloned().unwrap_or_default();
    let follows = found
        .iter()
        .zip(needs())
        .all(|(found, needs)| *found >= needs * 0.9 && *found <= needs * 1.5);
    let other = seen.summary.tasks.get(1).map(|task| millis(task.cpu_time));
    let other = 100.0 * other.unwrap_or(f64::NAN) / millis(seen.summary.elapsed);
    vec![
        Claim {
            text: "The share of a server follows the rate of its requests".into(),
            place: "2, 3.3".into(),
            criterion: "in the second half of each phase its mean share is from 0.9 to 1.5 of what requests take".into(),
            published: "to keep up with its real-world rate".into(),
            ours: format!(
                "{} %; they take {} %",
                found.map(decimal).join(", "),
                needs().map(decimal).join(", ")
            ),
            verdict: Verdict::of(follows, || "It is less or more.".into()),
        },
        Claim {
            text: "No request is lost".into(),
            place: "2".into(),
            criterion: "none finds the queue full".into(),
            published: "–".into(),
            ours: format!("{} of {}, and {} waited at most", queue.lost, queue.put + queue.lost, queue.highest),
            verdict: Verdict::of(queue.lost == 0, || "Some are.".into()),
        },
        Claim {
            text: "What the server does not need is left to others".into(),
            place: "2".into(),
            criterion: "a task that always computes gets a third of the CPU or more".into(),
            published: "no benefit from running faster than necessary".into(),
            ours: format!("{} %", decimal(other)),
            verdict: Verdict::of(other >= 33.3, || "It gets less.".into()),
        },
    ]
}

fn figure(seen: &RunResult) -> Figure {
    let end = 3.0 * PHASE;
    let [first, second, third] = needs();
    let needs = vec![
        [0.0, first],
        [PHASE, second],
        [2.0 * PHASE, third],
        [end, third],
    ];
    Figure {
        name: "server".into(),
        title: "The share of a server whose requests come four times as often for ten seconds."
            .into(),
        caption: "Dashed: what requests take on the average.".into(),
        x: Axis::range("time (s)", 0.0, end),
        panels: vec![
            Panel {
                title: "share".into(),
                y: Axis::numbers("% of the CPU"),
                series: vec![
                    Series::ours("share", Shape::Steps, 0, shares(seen, 0)),
                    Series::ours("needed", Shape::Steps, 1, needs).with_role(Role::Model),
                ],
            },
            Panel {
                title: "requests that wait".into(),
                y: Axis::range("requests", 0.0, f64::from(CAPACITY)),
                series: vec![Series::ours(
                    "requests",
                    Shape::Steps,
                    2,
                    thinned(&levels(seen, 0), 0.0, end, 2000),
                )],
            },
        ],
    }
}
