//! Figure 2.3: the round keeps its set point whatever disturbs the bursts (2.2.6).
//!
//! Here is no machine and no simulator: the figure is of the scheduler's equations and a model of
//! the task pool, so the real policy is driven by just that model, and the equations in floating
//! point beside it.

use super::equations::Equations;
use super::sets::number;
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_policy::i_plus_pi::{Fraction, IPlusPi, Load, Round, Settings, Share};
use flyball_policy::storage::Inline;
use flyball_policy::{Policy, Ready, Stop, Usage};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};
use flyball_trace::{CpuId, Duration, TaskId, Time};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "set-point",
    title: "The set point is kept in spite of disturbances (2.2.6, figure 2.3)",
    on_machine: &[],
    run,
};

const TASKS: usize = 3;
/// How many rounds there are from one change to the next, and changes.
const BETWEEN: usize = 50;
/// A round has settled if it is within so much of its set point, and each task of its share of it.
const SETTLED: f64 = 0.01;
/// It has to have settled after so many rounds.
const SOON: usize = 25;
const MS: Duration = Duration::from_millis(1);

/// What is changed every [`BETWEEN`] rounds: shares in percent, and what disturbs each burst, in
/// ms.
struct Change {
    what: &'static str,
    shares: [u32; TASKS],
    disturbances: [f64; TASKS],
}

/// The shares add up to 30 % or, where the set point is to be larger, to 60 %: see [`set_point`].
const CHANGES: [Change; 7] = [
    Change {
        what: "equal shares of 12 ms",
        shares: [10, 10, 10],
        disturbances: [0.0; TASKS],
    },
    Change {
        what: "task 1 takes 2 ms more than it is given",
        shares: [10, 10, 10],
        disturbances: [2.0, 0.0, 0.0],
    },
    Change {
        what: "set point 24 ms",
        shares: [20, 20, 20],
        disturbances: [2.0, 0.0, 0.0],
    },
    Change {
        what: "shares 1 : 2 : 3",
        shares: [10, 20, 30],
        disturbances: [2.0, 0.0, 0.0],
    },
    Change {
        what: "task 3 gives up 3 ms early, too",
        shares: [10, 20, 30],
        disturbances: [2.0, 0.0, -3.0],
    },
    Change {
        what: "set point 12 ms and shares 4 : 1 : 1, at once",
        shares: [20, 5, 5],
        disturbances: [2.0, 0.0, -0.5],
    },
    Change {
        what: "all disturbances end",
        shares: [20, 5, 5],
        disturbances: [0.0; TASKS],
    },
];

/// The set point follows the load, so that one policy has two of them.
fn set_point(load: &Load) -> Duration {
    if load.shares > u64::from(Fraction::percent(45).bits()) {
        Duration::from_millis(24)
    } else {
        Duration::from_millis(12)
    }
}

impl Change {
    /// In ms.
    fn set_point(&self) -> f64 {
        if self.shares.iter().sum::<u32>() > 45 {
            24.0
        } else {
            12.0
        }
    }

    fn alpha(&self) -> [f64; TASKS] {
        let whole = f64::from(self.shares.iter().sum::<u32>());
        self.shares.map(|share| f64::from(share) / whole)
    }

    /// What a task uses of a burst, in ms.
    fn used(&self, task: usize, burst: f64) -> f64 {
        (burst + self.disturbances[task]).max(0.0)
    }
}

/// A round of both, in ms by task.
struct Both {
    policy: [f64; TASKS],
    equations: [f64; TASKS],
}

#[expect(clippy::unnecessary_wraps, reason = "all plans have this signature")]
fn run(_: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let rounds = simulate();
    let mut claims: Vec<Claim> = CHANGES
        .iter()
        .zip(rounds.chunks(BETWEEN))
        .map(|(change, rounds)| kept(change, rounds))
        .collect();
    claims.push(same(&rounds));
    Ok(Experiment {
        about: format!(
            "The policy is driven round by round by the thesis's model of a task pool (2.1.2): what a \
             task uses is its burst and a disturbance. Every {BETWEEN} rounds something is changed and \
             then stays. The same equations run in floating point beside it."
        ),
        settings: vec![
            ("kpi, krr, zrr".into(), "0.5, 0.9, 0.88".into()),
            ("bursts".into(), "0 to 60 ms".into()),
            ("feedforward, reinitialise".into(), "no".into()),
        ],
        assumptions: vec![
            "The thesis types no values for this figure: set points, shares, disturbances and when they \
             come are ours."
                .into(),
            format!(
                "\"Kept\" is taken to mean: {SOON} rounds after each change, and until the next one, \
                 the round is within 1 % of its set point and each task within 1 % of its share of it."
            ),
        ],
        claims,
        figures: vec![picture(&rounds)],
        ..Experiment::default()
    })
}

/// All rounds of the policy and of the equations, apart from each other.
fn simulate() -> Vec<Both> {
    const CPU: CpuId = CpuId(0);
    let settings = Settings {
        shortest: Duration::ZERO,
        longest: Duration::from_millis(60),
        round: Round::Function(set_point),
        feedforward: false,
        reinitialise: false,
        ..Settings::default()
    };
    let first = &CHANGES[0];
    let mut policy: IPlusPi<Inline<4>> = IPlusPi::new(settings, TASKS);
    let mut now = Time::ZERO;
    let tasks = || (0..).map(TaskId).take(TASKS);
    for task in tasks() {
        // No task is a member yet, and there is room for all.
        let _ = policy.admit(task, Share::new(Fraction::ZERO), now);
        let _ = policy.ready(CpuId(0), task, Ready::Unblocked, now);
    }
    let mut equations = Equations::from_nothing([0.0, 60.0], first.set_point(), &first.alpha());
    let mut rounds = Vec::with_capacity(CHANGES.len() * BETWEEN);
    for change in &CHANGES {
        for (task, share) in tasks().zip(change.shares) {
            let _ = policy.adjust(task, Share::new(Fraction::percent(share)), now);
        }
        for _ in 0..BETWEEN {
            let mut both = Both {
                policy: [0.0; TASKS],
                equations: [0.0; TASKS],
            };
            for _ in 0..TASKS {
                let Some(chosen) = policy.pick(CPU, now) else {
                    continue;
                };
                let task = chosen.task.index();
                let burst = number(chosen.burst.unwrap_or_default(), MS);
                let used = change.used(task, burst);
                both.policy[task] += used;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "milliseconds in nanoseconds, not negative"
                )]
                let used = Duration::from_nanos((used * 1e6).round() as u64);
                now += used;
                let _ = policy.stopped(CPU, chosen.task, Usage::time(used), Stop::BurstEnd, now);
            }
            for (task, used) in both.equations.iter_mut().enumerate() {
                *used = change.used(task, equations.bursts[task]);
            }
            let used = both.equations;
            rounds.push(both);
            // At the end of a change's last round the policy has been told what comes next.
            let next = CHANGES.get(rounds.len() / BETWEEN).unwrap_or(change);
            equations.end_round(next.set_point(), &next.alpha(), &[true; TASKS], &used);
        }
    }
    rounds
}

/// By how much a round is away from its set point, or a task from its part of it, relatively.
fn error(change: &Change, round: &Both) -> f64 {
    let set_point = change.set_point();
    let whole: f64 = round.policy.iter().sum();
    let tasks = round.policy.iter().zip(change.alpha());
    let errors = tasks.map(|(used, alpha)| (used / (alpha * set_point) - 1.0).abs());
    errors.fold((whole / set_point - 1.0).abs(), f64::max)
}

fn kept(change: &Change, rounds: &[Both]) -> Claim {
    let unsettled = |round: &Both| error(change, round) > SETTLED;
    let after = rounds
        .iter()
        .rposition(unsettled)
        .map_or(0, |last| last + 1);
    let left = rounds.last().map_or(f64::NAN, |round| error(change, round));
    Claim {
        text: format!("The set point is kept: {}", change.what),
        place: "2.2.6, figure 2.3".into(),
        criterion: format!(
            "round and each task's part of it are within 1 % at most {SOON} rounds after the change, \
             and stay there"
        ),
        published: "kept".into(),
        ours: format!(
            "after {after} rounds; {} % off after {BETWEEN}",
            decimal(left * 100.0)
        ),
        verdict: Verdict::of(after <= SOON, || "it takes longer".into()),
    }
}

/// In fixed point and in floating point.
fn same(rounds: &[Both]) -> Claim {
    /// In ms: 100 ns.
    const BOUND: f64 = 1e-4;
    let pairs = rounds
        .iter()
        .flat_map(|both| both.policy.iter().zip(both.equations));
    let most = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    Claim {
        text: "The scheduler does what the equations say, whatever is changed".into(),
        place: "2.2.2, 2.2.3".into(),
        criterion: "in every round each task runs within 100 ns of the same equations in floating \
                    point"
            .into(),
        published: "the equations".into(),
        ours: format!("within {} ns", decimal(most * 1e6)),
        verdict: Verdict::of(most <= BOUND, || "the two diverge".into()),
    }
}

fn picture(rounds: &[Both]) -> Figure {
    let x = |k: usize| f64::from(u16::try_from(k).unwrap_or(u16::MAX));
    let of = |value: &dyn Fn(&Both, &Change) -> f64| -> Vec<[f64; 2]> {
        let rounds = rounds.iter().enumerate();
        let points = rounds.map(|(k, round)| [x(k), value(round, &CHANGES[k / BETWEEN])]);
        points.collect()
    };
    let sum = |parts: &[f64; TASKS]| parts.iter().sum::<f64>();
    let mut bursts = Vec::new();
    let mut disturbances = Vec::new();
    for (task, colour) in (0..TASKS).zip(1..) {
        let name = format!("task {}", task + 1);
        bursts.push(
            Series::ours(
                "what should be",
                Shape::Steps,
                0,
                of(&|_, change| change.alpha()[task] * change.set_point()),
            )
            .with_role(Role::Target),
        );
        bursts.push(Series::ours(
            name.clone(),
            Shape::Steps,
            colour,
            of(&|round, _| round.policy[task]),
        ));
        disturbances.push(Series::ours(
            name,
            Shape::Steps,
            colour,
            of(&|_, change| change.disturbances[task]),
        ));
    }
    Figure {
        name: "set-point".into(),
        title:
            "Figure 2.3: three tasks, changed set points and shares, and steps that disturb them."
                .into(),
        caption: "Each change is answered within some twenty rounds. The dashed line is the same \
                  equations in floating point."
            .into(),
        x: Axis::range("round", 0.0, x(rounds.len())),
        panels: vec![
            Panel {
                title: "The round".into(),
                y: Axis::numbers("length (ms)"),
                series: vec![
                    Series::ours("what should be", Shape::Steps, 0, of(&|_, c| c.set_point()))
                        .with_role(Role::Target),
                    Series::ours(
                        "the policy",
                        Shape::Steps,
                        0,
                        of(&|round, _| sum(&round.policy)),
                    ),
                    Series::ours(
                        "the equations",
                        Shape::Steps,
                        4,
                        of(&|round, _| sum(&round.equations)),
                    )
                    .with_role(Role::Model),
                ],
            },
            Panel {
                title: "What each task uses of it".into(),
                y: Axis::numbers("CPU time (ms)"),
                series: bursts,
            },
            Panel {
                title: "What disturbs it".into(),
                y: Axis::range("disturbance (ms)", -4.0, 4.0),
                series: disturbances,
            },
        ],
    }
}
