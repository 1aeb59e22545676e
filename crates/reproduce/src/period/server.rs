//! Sections 2 and 3.3: a server whose measure of progress is how many requests wait.

use super::pipeline::{about, device, hog, ms, percent, queue, reserve, task, us};
use super::seen::{between, levels, millis, shares, thinned, watch};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult};
use flyball_model::{End, Length, Semaphore, Step, TaskSet};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};
use flyball_trace::{Duration, GaugeKind};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "server",
    title: "A server, and how many requests wait for it (2, 3.3)",
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

/// The same, and the kernel does not see where requests wait: a task with a reservation of its own takes them from the device, and
/// a gauge tells of them.
fn gauged() -> TaskSet {
    let mut set = set();
    let mut requests = queue("requests", CAPACITY);
    requests.gauge = Some(GaugeKind::Backlog);
    set.queues = vec![queue("device", CAPACITY), requests];
    set.semaphores = vec![Semaphore {
        name: "request".into(),
        initial: 0,
    }];
    let serve = vec![
        Step::Wait(0),
        Step::Compute(about(REQUEST)),
        Step::Lower { gauge: 1, by: 1 },
    ];
    let take = vec![
        Step::Receive(0),
        Step::Raise { gauge: 1, by: 1 },
        Step::Signal(0),
    ];
    set.tasks[0] = task("server", None, serve);
    let mut driver = task("driver", None, take);
    driver.reserve = Some(reserve(Some(percent(2)), Some(ms(2))));
    set.tasks.push(driver);
    set
}

/// What the server needs in each phase, in percent of the CPU.
fn needs() -> [f64; 3] {
    EVERY.map(|every| 100.0 * millis(REQUEST) / millis(ms(every)))
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let seen = watch(setup, set(), "pp", Duration::from_secs(30))?;
    let gauged = watch(setup, gauged(), "pp", Duration::from_secs(30))?;
    Ok(Experiment {
        about: "Requests come at random, four times as many for ten seconds as before and after. Nothing is known of the \
                server, and a task beside it always computes."
            .into(),
        settings: vec![
            ("requests".into(), "every 20, 5 and 20 ms on the average, for 10 s each; at most 40 wait".into()),
            ("a request".into(), "1.25 to 3.75 ms".into()),
        ],
        assumptions: vec![
            "The report says that sockets could show how many requests wait. Here it is a queue that a device fills, and then a gauge \
             that a driver sets."
                .into(),
        ],
        claims: claims(&seen, &gauged),
        figures: vec![figure(&seen)],
        ..Experiment::default()
    })
}

/// The mean in the second half of each phase.
fn means(steps: &[[f64; 2]]) -> [f64; 3] {
    [0.0, 1.0, 2.0].map(|phase| {
        let from = phase * PHASE;
        between(steps, from + PHASE / 2.0, from + PHASE).mean
    })
}

fn claims(seen: &RunResult, gauged: &RunResult) -> Vec<Claim> {
    let found = means(&shares(seen, 0));
    let follows = found
        .iter()
        .zip(needs())
        .all(|(found, needs)| *found >= needs * 0.9 && *found <= needs * 1.5);
    let gauge = levels(gauged, 1);
    let waiting = means(&gauge);
    let most = gauge.iter().map(|it| it[1]).fold(0.0, f64::max);
    let capacity = f64::from(CAPACITY);
    let middle = capacity / 4.0..=capacity * 0.75;
    let queue = seen.summary.queues.first().cloned().unwrap_or_default();
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
            text: "A gauge of the requests that wait does as well as a queue".into(),
            place: "2".into(),
            criterion: "in the second half of each phase from a quarter to three quarters of what it can tell of wait on the \
                        average, and never all of it"
                .into(),
            published: "any measure of progress".into(),
            ours: format!("{} of {CAPACITY}; {most} at most", waiting.map(decimal).join(", ")),
            verdict: Verdict::of(
                waiting.iter().all(|waiting| middle.contains(waiting)) && most < capacity,
                || "More or fewer wait.".into(),
            ),
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
