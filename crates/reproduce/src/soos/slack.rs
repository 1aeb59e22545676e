//! Section 4.1: what becomes of the rest of a slot when a job ends in it.

use super::float;
use super::sets::{MILLISECOND, SLOT, number, random};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult, Trial};
use flyball_model::Value;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::Modes;
use flyball_trace::{Duration, Event, Kind, TaskId, Time};
use std::collections::BTreeMap;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "slack",
    title: "Gained slack time (section 4.1)",
    on_machine: &[],
    run,
};

const TASKS: usize = 15;
const UTILISATIONS: [f64; 5] = [0.1, 0.2, 0.3, 0.4, 0.5];
const SLACKS: [&str; 3] = ["none", "one", "all"];
const UNTIL: Duration = Duration::from_secs(20);
const WHERE: &str = "4.1";
/// Enough for all that happens until then.
const EVENTS: usize = 1 << 20;

/// By slack: parts of all time that are wasted, and response times in the mean, in milliseconds.
type Found = [Vec<[f64; 2]>; SLACKS.len()];

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let sets: u32 = setup.size.of([1, 10, 100]);
    let mut found = Found::default();
    for utilisation in UTILISATIONS {
        for (slack, found) in SLACKS.into_iter().zip(&mut found) {
            let mut sums = [0.0; 2];
            for seed in 1..=sets {
                let set = random(TASKS, utilisation, u64::from(seed))?;
                let slack = Value::Text(slack.to_owned());
                let set = Modes::from(set).with_settings("soos", &[("slack", slack)]);
                let trial = Trial::new(set, "soos", UNTIL).keeping(EVENTS);
                let result = setup.bench.run(&trial)?;
                sums[0] += number(wasted(&result.trace.events), UNTIL);
                sums[1] += response(&result);
            }
            found.push(sums.map(|sum| sum / f64::from(sets)));
        }
    }
    Ok(Experiment {
        about: "Random sets of 15 tasks, in slots of 10 ms. When a job ends within a slot, the rest of it is \
                wasted (none), the next server has it, once a slot (one, the paper's), or servers have it as \
                long as there are any (all). Wasted is time in which the CPU idles although a job has been \
                there since the slot began."
            .into(),
        settings: vec![
            ("sets".into(), format!("{sets} for each utilisation")),
            ("time".into(), "20 s each".into()),
            (
                "tasks".into(),
                "periods of 0.1 s to 1 s, log-uniform, in whole slots".into(),
            ),
        ],
        assumptions: vec!["The paper has no numbers of this.".into()],
        claims: claims(&found),
        figures: vec![figure(&found)],
        ..Experiment::default()
    })
}

/// Time in which the CPU idles although a job that has not ended was there when the slot began.
fn wasted(events: &[Event]) -> Duration {
    let mut jobs: BTreeMap<(TaskId, u32), Time> = BTreeMap::new();
    let (mut is_idle, mut last, mut wasted) = (true, Time::ZERO, Duration::ZERO);
    for event in events {
        if let Some(&first) = jobs.values().min().filter(|_| is_idle) {
            let begin = Time::ZERO + SLOT * (last.since(Time::ZERO) / SLOT);
            let from = if first <= begin { last } else { begin + SLOT };
            wasted += event.time.since(from);
        }
        last = event.time;
        match event.kind {
            Kind::Release { task, job, .. } => {
                jobs.insert((task, job), event.time);
            }
            Kind::Complete { task, job } => {
                jobs.remove(&(task, job));
            }
            Kind::Dispatch { .. } => is_idle = false,
            Kind::Idle => is_idle = true,
            _ => {}
        }
    }
    wasted
}

/// The mean response time of all jobs, in milliseconds.
fn response(result: &RunResult) -> f64 {
    let tasks = result.summary.tasks.iter();
    let (sum, jobs) = tasks.fold((0.0, 0.0), |(sum, jobs), task| {
        let count = float(task.response.count());
        let mean = number(task.response.mean().unwrap_or_default(), MILLISECOND);
        (sum + mean * count, jobs + count)
    });
    sum / jobs.max(1.0)
}

fn claims(found: &Found) -> Vec<Claim> {
    let [none, one, all] = found;
    let parts = |found: &[[f64; 2]]| {
        let parts = found.iter().map(|[wasted, _]| decimal(100.0 * wasted));
        format!("{} %", parts.collect::<Vec<_>>().join(", "))
    };
    let responses = |found: &[[f64; 2]]| {
        let responses = found.iter().map(|[_, response]| decimal(*response));
        format!("{} ms", responses.collect::<Vec<_>>().join(", "))
    };
    let is_less = |a: &[[f64; 2]], b: &[[f64; 2]], what: usize| {
        a.iter().zip(b).all(|(a, b)| a[what] < b[what])
    };
    let by_utilisation = UTILISATIONS.map(decimal).join(", ");
    let criterion = |rest: &str| format!("with utilisations of {by_utilisation}: {rest}");
    vec![
        Claim {
            text: "SOOS uses the time that a job leaves of its slot".into(),
            place: WHERE.into(),
            criterion: criterion("less is wasted with \"one\" than with \"none\""),
            published: "the second of the list runs at once".into(),
            ours: format!("wasted: {} with one, {} with none", parts(one), parts(none)),
            verdict: Verdict::of(is_less(one, none, 0), || "As much is wasted.".into()),
        },
        Claim {
            text: "Where two jobs end within a slot, what the second one leaves is wasted".into(),
            place: WHERE.into(),
            criterion: criterion("something is wasted with \"one\", and nothing with \"all\""),
            published: "the dummy task has that time".into(),
            ours: format!("wasted: {} with one, {} with all", parts(one), parts(all)),
            verdict: Verdict::of(
                one.iter().all(|[wasted, _]| *wasted > 0.0)
                    && all.iter().all(|[wasted, _]| *wasted == 0.0),
                || "It is not so.".into(),
            ),
        },
        Claim {
            text: "Beyond the paper: jobs end earlier if servers have the rest of a slot as often as there is one"
                .into(),
            place: "not in the paper".into(),
            criterion: criterion("shorter mean response times"),
            published: "–".into(),
            ours: format!(
                "{} with all, {} with one, {} with none",
                responses(all),
                responses(one),
                responses(none)
            ),
            verdict: Verdict::of(is_less(all, one, 1) && is_less(one, none, 1), || {
                "They do not.".into()
            }),
        },
    ]
}

fn figure(found: &Found) -> Figure {
    let panel = |title: &str, what: usize, scale: f64| {
        let series = (0..).zip(SLACKS.iter().zip(found));
        let series = series.map(|(colour, (slack, found))| {
            let points = UTILISATIONS.iter().zip(found);
            let points = points.map(|(&utilisation, found)| [utilisation, scale * found[what]]);
            Series::ours(*slack, Shape::Line, colour, points.collect())
        });
        Panel {
            title: String::new(),
            y: Axis::numbers(title),
            series: series.collect(),
        }
    };
    Figure {
        name: "slack".into(),
        title: "What is wasted of the time that jobs leave of their slots, and how long jobs take."
            .into(),
        caption: "Means of all sets.".into(),
        x: Axis::numbers("utilisation"),
        panels: vec![
            panel("wasted (% of all time)", 0, 100.0),
            panel("response time (ms)", 1, 1.0),
        ],
    }
}
