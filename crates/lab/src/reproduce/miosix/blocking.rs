//! Figure 2.5: what blocking does to the round, and the three ways to deal with it (2.3.3).
//!
//! One of two tasks always computes, the other one blocks now and then. The simulation follows the
//! authors' measurement: the same rounds, and the same parts of bursts used when the task blocks. The
//! equations say for how long it has to compute and to sleep for that.

use super::equations::Equations;
use super::measured;
use super::rounds::rounds;
use super::sets::{background, number, once};
use crate::bench::{Bench, BenchError, Trial};
use crate::reproduce::{Plan, Setup};
use flyball_model::{Length, Share, Step, TaskSet, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "blocking",
    title: "Task blocking and its countermeasures (2.3.3, figure 2.5)",
    on_machine: &[],
    run,
};

/// The unit of the authors' measurements.
const UNIT: Duration = Duration::from_micros(10);
/// In units: the set point of the round, 4 ms a task.
const SET_POINT: f64 = 800.0;
/// In units: 0.2 ms and 20 ms.
const LIMITS: [f64; 2] = [20.0, 2_000.0];
/// A measured round is met within so much of it.
const TOLERANCE: f64 = 0.01;
/// The last round that is shown.
const LAST: f64 = 241.0;
const WHERE: &str = "2.3.3, data of figure 2.5";

/// One of the three variants, and what the authors' tasks did.
struct Variant {
    /// Its name in the authors' data.
    key: &'static str,
    title: &'static str,
    feedforward: bool,
    reinitialise: bool,
    /// The number of the first round in the authors' data.
    first: i32,
    /// Again and again: so many rounds in which the task computes, then what it uses of its burst
    /// before it blocks, in units, then so many rounds without it.
    script: &'static [(usize, f64, usize)],
}

/// Rounds before the authors' data begin: an error fades to a 10⁶th (by 0.777 a round).
const SETTLING: usize = 60;
/// Uses all of its burst before it blocks.
const ALL: f64 = f64::INFINITY;

const VARIANTS: [Variant; 3] = [
    Variant {
        key: "ff_off",
        title: "feedback only",
        feedforward: false,
        reinitialise: false,
        first: 0,
        script: &[
            (1, 21.0, 36),
            (56, 358.0, 37),
            (56, 345.0, 37),
            (14, ALL, 0),
        ],
    },
    Variant {
        key: "ff_on",
        title: "with feedforward",
        feedforward: true,
        reinitialise: false,
        first: 0,
        script: &[(1, 39.0, 28), (68, 288.0, 29), (68, ALL, 28)],
    },
    Variant {
        key: "ff_reinit",
        title: "with feedforward and reinitialisation",
        feedforward: true,
        reinitialise: true,
        first: -1,
        script: &[(0, ALL, 28), (67, ALL, 28), (67, ALL, 28), (21, ALL, 0)],
    },
];

/// A variant's rounds, in units, each by task.
struct Done {
    variant: &'static Variant,
    equations: Vec<[f64; 2]>,
    simulated: Vec<[f64; 2]>,
    measured: Option<Vec<f64>>,
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let mut all = Vec::new();
    for variant in &VARIANTS {
        let (equations, pauses) = variant.solve();
        let simulated = variant.simulate(setup.bench, &equations, &pauses)?;
        all.push(Done {
            variant,
            equations,
            simulated,
            measured: measured::rounds(setup.data, variant.key)?,
        });
    }
    let [off, on, reinit] = &all[..] else {
        return Ok(Experiment::default());
    };
    let mut claims = feedback(off);
    claims.extend(feedforward(on));
    claims.push(reinitialised(reinit));
    claims.push(Claim {
        text: "Feedforward reduces the spikes, reinitialisation eliminates them".into(),
        place: "2.3.3".into(),
        criterion:
            "the longest rounds are in this order, and the last one is within 1 % of the set \
                    point"
                .into(),
        published: "2762 > 1172 > 808".into(),
        ours: [off, on, reinit]
            .map(|done| decimal(done.longest()))
            .join(" > "),
        verdict: Verdict::of(
            off.longest() > on.longest()
                && on.longest() > reinit.longest()
                && reinit.longest() <= SET_POINT * 1.01,
            || "the longest rounds are not in this order, or a spike is left".into(),
        ),
    });
    claims.push(same(&all));
    Ok(Experiment {
        about: "One task always computes, the other one blocks now and then. It is away for as many \
                rounds, and has used as much of its burst when it blocks, as in the authors' \
                measurement. Lengths of rounds are in units of 10 µs; the set point is 800 (8 ms). A \
                round in which a task blocks moves its regulator by half of what it has used, since it \
                is frozen from the next one on; so with feedforward the spike is 1200 less that half, \
                from 1200 (blocked at once) down to 1000 (at the end of the burst)."
            .into(),
        settings: [
            ("nominal", "4 ms"),
            ("shortest", "0.2 ms"),
            ("longest", "20 ms"),
            ("kpi, krr, zrr", "0.5, 0.9, 0.88"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        assumptions: vec![
            "The thesis types no value; when the task blocks, and all measured values, are from the \
             data that the authors published with the kernel."
                .into(),
            "The task that blocks has the first turn in a round, as the data show it.".into(),
            "The kernel's own work costs nothing here. The authors' rounds count it in: theirs settle \
             up to 2 % beside the set point."
                .into(),
        ],
        claims,
        figures: vec![picture(&all)],
        ..Experiment::default()
    })
}

impl Variant {
    /// The script, with the rounds that it takes to settle before it.
    fn script(&self) -> impl Iterator<Item = (usize, f64, usize)> {
        let script = self.script.iter().enumerate();
        script.map(|(n, &(ready, part, away))| {
            (if n == 0 { ready + SETTLING } else { ready }, part, away)
        })
    }

    /// The rounds by the equations; and for how long the first task computes and sleeps in turn, in
    /// units.
    fn solve(&self) -> (Vec<[f64; 2]>, Vec<[f64; 2]>) {
        let both = [0.5, 0.5];
        let begin = if self.reinitialise {
            Equations::new
        } else {
            Equations::from_nothing
        };
        let mut equations = begin(LIMITS, SET_POINT, &both);
        let (mut rounds, mut pauses) = (Vec::new(), Vec::new());
        let mut round = |used: [f64; 2], equations: &mut Equations, ready: bool, changed: bool| {
            rounds.push(used);
            let alpha = if ready || !self.feedforward {
                both
            } else {
                [0.0, 1.0]
            };
            if changed && self.reinitialise {
                equations.reinitialise(SET_POINT, &alpha);
            } else {
                equations.end_round(SET_POINT, &alpha, &[ready, true], &used);
            }
        };
        for (ready, part, away) in self.script() {
            let (mut computes, mut sleeps) = (0.0, 0.0);
            for _ in 0..ready {
                let used = [equations.bursts[0], equations.bursts[1]];
                computes += used[0];
                round(used, &mut equations, true, false);
            }
            let used = [part.min(equations.bursts[0]), equations.bursts[1]];
            computes += used[0];
            sleeps += used[1];
            round(used, &mut equations, false, true);
            for left in (0..away).rev() {
                let used = [0.0, equations.bursts[1]];
                // It is back in the middle of the last round without it.
                sleeps += if left == 0 { used[1] / 2.0 } else { used[1] };
                round(used, &mut equations, left == 0, left == 0);
            }
            pauses.push([computes, sleeps]);
        }
        (rounds, pauses)
    }

    fn simulate(
        &self,
        bench: &mut dyn Bench,
        equations: &[[f64; 2]],
        pauses: &[[f64; 2]],
    ) -> Result<Vec<[f64; 2]>, BenchError> {
        let steps = pauses.iter().flat_map(|&[computes, sleeps]| {
            let [computes, sleeps] = [computes, sleeps].map(|units| Length::Fixed(length(units)));
            [Step::Compute(computes), Step::Suspend(sleeps)]
        });
        let computes: f64 = pauses.iter().map(|pause| pause[0]).sum();
        let mut blocks = once("blocks", length(computes + 1.0), steps.collect());
        let mut computes = background("computes");
        for task in [&mut blocks, &mut computes] {
            task.share = Some(Share::from_millionths(400_000));
        }
        let mut set = TaskSet {
            name: self.title.to_owned(),
            tasks: vec![blocks, computes],
            ..TaskSet::default()
        };
        let settings = set.policies.entry("ipi".into()).or_default();
        for (name, value) in [
            ("feedforward", self.feedforward),
            ("reinitialise", self.reinitialise),
        ] {
            let value = Value::Bool(value).into();
            settings.values.insert(name.to_owned(), value);
        }
        let units: f64 = equations.iter().flatten().sum();
        let trial = Trial::new(set, "ipi", length(units)).keeping(100_000);
        let ran = bench.run(&trial)?;
        let in_units = |used: &Duration| number(*used, UNIT);
        let simulated = rounds(&ran.trace).into_iter().map(|round| {
            let mut used = round.used.iter().map(in_units);
            [(); 2].map(|()| used.next().unwrap_or_default())
        });
        Ok(simulated.take(equations.len()).collect())
    }

    /// The rounds, from 0, in which the task is back.
    fn returns(&self) -> impl Iterator<Item = usize> {
        let lengths = self.script().map(|(ready, _, away)| ready + 1 + away);
        let ends = lengths.scan(0, |sum, length| {
            *sum += length;
            Some(*sum)
        });
        ends.take(self.script.len() - 1)
    }
}

fn length(units: f64) -> Duration {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some seconds in nanoseconds"
    )]
    Duration::from_nanos((units * 10_000.0).round().max(0.0) as u64)
}

impl Done {
    fn round(&self, k: usize) -> f64 {
        self.simulated
            .get(k)
            .map_or(f64::NAN, |used| used.iter().sum())
    }

    fn longest(&self) -> f64 {
        (0..self.simulated.len())
            .map(|k| self.round(k))
            .fold(0.0, f64::max)
    }

    /// By how much simulation and equations differ at most.
    fn difference(&self) -> f64 {
        if self.simulated.len() + 1 < self.equations.len() {
            return f64::INFINITY;
        }
        let pairs = self.simulated.iter().zip(&self.equations);
        // The last round may have been cut.
        let whole = pairs.take(self.equations.len() - 1);
        let differences = whole.flat_map(|(a, b)| [(a[0] - b[0]).abs(), (a[1] - b[1]).abs()]);
        differences.fold(0.0, f64::max)
    }
}

fn measured_round(text: String, published: f64, ours: f64, why: &'static str) -> Claim {
    let numbers = [published, ours, published * TOLERANCE];
    Claim::number(text, WHERE, numbers, "× 10 µs", || why.into())
}

/// The spike and how it fades.
fn feedback(done: &Done) -> Vec<Claim> {
    const MEASURED: [f64; 6] = [2762.0, 2245.0, 1855.0, 1561.0, 1342.0, 1181.0];
    let back = done.variant.returns().next().unwrap_or_default();
    let claim = |(n, published): (usize, f64)| {
        let text = match n {
            0 => "Feedback only: the first round after the task is back".to_owned(),
            1 => "Feedback only: 1 round later".to_owned(),
            n => format!("Feedback only: {n} rounds later"),
        };
        measured_round(
            text,
            published,
            done.round(back + n),
            "the spike is not this one",
        )
    };
    (0..).zip(MEASURED).map(claim).collect()
}

fn feedforward(done: &Done) -> Vec<Claim> {
    const MEASURED: [(f64, f64); 2] = [(39.0, 1172.0), (288.0, 1054.0)];
    let rounds = done.variant.returns().zip(MEASURED);
    let claims = rounds.map(|(back, (part, published))| {
        let text = format!(
            "Feedforward: the first round after the task is back; it had blocked after {part} of its \
             burst of some 400"
        );
        measured_round(text, published, done.round(back), "the spike is not this one")
    });
    claims.collect()
}

fn reinitialised(done: &Done) -> Claim {
    measured_round(
        "Reinitialisation: the longest round".into(),
        808.0,
        done.longest(),
        "there is a spike, or none where there should be one",
    )
}

fn same(all: &[Done]) -> Claim {
    const BOUND: f64 = 0.1;
    let most = all.iter().map(Done::difference).fold(0.0, f64::max);
    let rounds: usize = all.iter().map(|done| done.simulated.len()).sum();
    Claim {
        text: "The scheduler does what the equations say".into(),
        place: "chapter 2".into(),
        criterion: format!(
            "in each of {rounds} rounds, each task runs within {} µs of the same equations in floating \
             point",
            decimal(BOUND * 10.0)
        ),
        published: "the equations".into(),
        ours: format!("within {} µs", decimal(most * 10.0)),
        verdict: Verdict::of(most <= BOUND, || "the two diverge".into()),
    }
}

fn picture(all: &[Done]) -> Figure {
    let panels = all.iter().map(|done| {
        // The authors' first round is 0; what was before it is not shown.
        let shown = |rounds: &[[f64; 2]]| -> Vec<[f64; 2]> {
            let rounds = rounds.iter().skip(SETTLING);
            let points = (done.variant.first..).zip(rounds);
            let points = points.filter(|&(k, _)| k >= 0);
            points
                .map(|(k, used)| [f64::from(k), used.iter().sum()])
                .collect()
        };
        let ends = vec![[0.0, SET_POINT], [LAST, SET_POINT]];
        let mut series =
            vec![Series::ours("set point", Shape::Line, 0, ends).with_role(Role::Target)];
        if let Some(rounds) = &done.measured {
            let points = (0..).zip(rounds).map(|(k, &y)| [f64::from(k), y]);
            series.push(
                Series::ours(
                    "measured by the authors",
                    Shape::Points,
                    0,
                    points.collect(),
                )
                .with_role(Role::Published),
            );
        }
        let simulated = shown(&done.simulated);
        series.push(Series::ours(
            "the policy, simulated",
            Shape::Line,
            0,
            simulated,
        ));
        let equations = shown(&done.equations);
        series
            .push(Series::ours("the equations", Shape::Line, 1, equations).with_role(Role::Model));
        Panel {
            title: done.variant.title.to_owned(),
            y: Axis::range(
                "round (10 µs)",
                0.0,
                if done.longest() > 1500.0 {
                    3000.0
                } else {
                    1500.0
                },
            ),
            series,
        }
    });
    Figure {
        name: "blocking".into(),
        title: "Figure 2.5: how long each round takes while one of two tasks blocks now and then.".into(),
        caption: "Without it the other one's burst grows until the round is at its set point again. \
                  When it is back, its regulator has wound up (at the top), has been frozen (in the \
                  middle), or begins anew (at the bottom)."
            .into(),
        x: Axis::range("round", 0.0, LAST),
        panels: panels.collect(),
    }
}
