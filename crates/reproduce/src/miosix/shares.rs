//! Shares: each task gets the part of the CPU that was predicted (2.2.5 and 2.3.2).

use super::sets::{background, overheads, percent, seconds};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{Bench, BenchError, RunResult, Trial};
use flyball_model::{Overheads, Share, TaskSet};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, decimal,
};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "shares",
    title: "Shares in underload and overload (2.2.5, 2.3.2)",
    on_machine: &["ipi"],
    run,
};

/// A pool of tasks that always compute: what each asks for in percent, how important it is, and
/// what the thesis predicts that it gets.
struct Pool {
    name: &'static str,
    place: &'static str,
    asked: &'static [(u32, u16)],
    /// In hundredths of the CPU.
    predicted: &'static [f64],
}

const POOLS: [Pool; 5] = [
    Pool {
        name: "3 × 20 %",
        place: "2.3.2",
        asked: &[(20, 1); 3],
        predicted: &[100.0 / 3.0; 3],
    },
    Pool {
        name: "50 % + 5 × 10 %",
        place: "2.2.5",
        asked: &[(50, 1), (10, 1), (10, 1), (10, 1), (10, 1), (10, 1)],
        predicted: &[50.0, 10.0, 10.0, 10.0, 10.0, 10.0],
    },
    Pool {
        name: "video 30 %, batch 5 %",
        place: "2.3.2",
        asked: &[(30, 1), (5, 1)],
        predicted: &[600.0 / 7.0, 100.0 / 7.0],
    },
    Pool {
        name: "overload: 3 × 50 %, importance 1, 1, 2",
        place: "2.3.2",
        asked: &[(50, 1), (50, 1), (50, 2)],
        predicted: &[25.0, 25.0, 50.0],
    },
    Pool {
        name: "overload: 3 × 50 %, importance 0, 1, 1",
        place: "2.3.2",
        asked: &[(50, 0), (50, 1), (50, 1)],
        predicted: &[0.0, 50.0, 50.0],
    },
];

/// The prediction holds within so many hundredths of the CPU.
const TOLERANCE: f64 = 1.0;

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut claims = Vec::new();
    let mut figure = Vec::new();
    let on_machine = setup.bench.machine().is_some();
    let until = seconds(20).min(setup.bench.longest());
    let (mut largest_free, mut largest) = (0.0_f64, 0.0_f64);
    for pool in &POOLS {
        let free = (!on_machine)
            .then(|| pool.measure(setup.bench, until, Overheads::default()))
            .transpose()?;
        let ours = pool.measure(setup.bench, until, overheads())?;
        if let Some(free) = &free {
            largest_free = largest_free.max(pool.error(free));
        }
        largest = largest.max(pool.error(&ours));
        claims.push(pool.claim(&ours));
        figure.push((pool, ours));
    }
    claims.insert(0, steady_state(on_machine, largest_free, largest));
    Ok(Experiment {
        about: format!(
            "Pools of tasks that compute without end, {until} each. The share of a task is its CPU time \
             over the CPU time of all tasks, from the schedule."
        ),
        settings: vec![
            ("length".into(), until.to_string()),
            ("policy".into(), "ipi, default settings".into()),
        ],
        assumptions: vec![
            "The pools in overload are ours: the thesis describes the rule and gives no numbers."
                .into(),
            if on_machine {
                "The kernel's work costs what it costs on the machine.".into()
            } else {
                "The overheads, where there are any, are 5 µs for a choice and 5 µs for a context \
                 switch: some 360 cycles each at 72 MHz."
                    .into()
            },
        ],
        claims,
        figures: vec![picture(&figure)],
        ..Experiment::default()
    })
}

impl Pool {
    /// The shares that the tasks got, in hundredths.
    fn measure(
        &self,
        bench: &mut dyn Bench,
        until: Duration,
        overheads: Overheads,
    ) -> Result<Vec<f64>, BenchError> {
        let tasks = (1..).zip(self.asked);
        let tasks = tasks.map(|(n, &(share, importance))| {
            let mut task = background(format!("task {n}"));
            task.share = Some(Share::from_millionths(share * 10_000));
            task.importance = Some(importance);
            task
        });
        let mut set = TaskSet {
            name: self.name.to_owned(),
            tasks: tasks.collect(),
            ..TaskSet::default()
        };
        set.platform.overheads = overheads;
        let ran = bench.run(&Trial::new(set, "ipi", until))?;
        Ok(shares(&ran))
    }

    /// The largest error, in hundredths of the CPU.
    fn error(&self, ours: &[f64]) -> f64 {
        let errors = ours.iter().zip(self.predicted);
        errors.fold(0.0, |most, (ours, predicted)| {
            most.max((ours - predicted).abs())
        })
    }

    fn claim(&self, ours: &[f64]) -> Claim {
        let list = |shares: &[f64]| {
            let shares: Vec<_> = shares.iter().map(|&share| decimal(share)).collect();
            format!("{} %", shares.join(", "))
        };
        let error = self.error(ours);
        Claim {
            text: format!("{}: the predicted shares", self.name),
            place: self.place.to_owned(),
            criterion: format!("each within {TOLERANCE} % of the CPU, with overheads"),
            published: list(self.predicted),
            ours: list(ours),
            verdict: flyball_report::reproduction::Verdict::of(error <= TOLERANCE, || {
                format!("one share is wrong by {} % of the CPU", decimal(error))
            }),
        }
    }
}

/// Of the CPU time of all tasks.
fn shares(ran: &RunResult) -> Vec<f64> {
    let times = ran.summary.tasks.iter().map(|task| task.cpu_time);
    let whole: Duration = times.clone().fold(Duration::ZERO, |sum, time| sum + time);
    times.map(|time| percent(time, whole)).collect()
}

/// No error stays: what is left after so long is less than one round's.
fn steady_state(on_machine: bool, free: f64, with_overheads: f64) -> Claim {
    /// A round of 24 ms at an error of its whole length, over 20 s, is 0.12 %.
    const BOUND: f64 = 0.12;
    let ours = if on_machine {
        format!("at most {} %", decimal(with_overheads))
    } else {
        format!(
            "at most {} % without and {} % with overheads",
            decimal(free),
            decimal(with_overheads)
        )
    };
    Claim {
        text: "Each task's share has no steady-state error".into(),
        place: "2.2.2".into(),
        criterion: format!(
            "over the whole run, no share of any pool is wrong by more than {} %: one round's worth",
            decimal(BOUND)
        ),
        published: "zero".into(),
        ours,
        verdict: flyball_report::reproduction::Verdict::of(
            free.max(with_overheads) <= BOUND,
            || "the error is more than the first and last rounds explain".into(),
        ),
    }
}

fn picture(pools: &[(&Pool, Vec<f64>)]) -> Figure {
    let mut names = Vec::new();
    let (mut ours, mut predicted) = (Vec::new(), Vec::new());
    let mut x = 0.0;
    for (number, (pool, shares)) in pools.iter().enumerate() {
        for (n, (share, expected)) in shares.iter().zip(pool.predicted).enumerate() {
            names.push(if n == 0 {
                format!("pool {}", number + 1)
            } else {
                String::new()
            });
            ours.push([x, *share]);
            predicted.push([x, *expected]);
            x += 1.0;
        }
    }
    let pools: Vec<_> = pools.iter().map(|(pool, _)| pool.name).collect();
    Figure {
        name: "shares".into(),
        title: "What each task gets of the CPU.".into(),
        caption: format!("A bar for each task of the pools: {}.", pools.join("; ")),
        x: Axis::categories("task", names),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::range("share of the CPU (%)", 0.0, 100.0),
            series: vec![
                Series::ours("measured, with overheads", Shape::Bars, 0, ours),
                Series::ours("predicted", Shape::Points, 0, predicted).with_role(Role::Published),
            ],
        }],
    }
}
