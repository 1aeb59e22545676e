//! Figure 2.5: what blocking does to the round, and the three ways to deal with it (2.3.3).
//!
//! One of two tasks always computes, the other one blocks now and then. The simulation follows the
//! authors' measurement: the same rounds, and the same parts of bursts used when the task blocks.
//! The equations say for how long it has to compute and to sleep for that. So it is on a machine,
//! where rounds are read off the trace of the kernel that was booted.

mod present;

use super::equations::Equations;
use super::measured;
use super::rounds::rounds;
use super::sets::{background, number, once};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{Bench, BenchError, Trial};
use flyball_model::{Length, Share, Step, TaskSet, Value};
use flyball_report::reproduction::Experiment;
use flyball_trace::Duration;
use present::{feedback, feedforward, ordered, picture, reinitialised, same};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "blocking",
    title: "Task blocking and its countermeasures (2.3.3, figure 2.5)",
    on_machine: &["ipi"],
    run,
};

/// The unit of the authors' measurements.
const UNIT: Duration = Duration::from_micros(10);
/// In units: the set point of the round, 4 ms a task.
const SET_POINT: f64 = 800.0;
/// In units: 0.2 ms and 20 ms.
const LIMITS: [f64; 2] = [20.0, 2_000.0];
/// The last round that is shown.
const LAST: f64 = 241.0;

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
/// As good as all of a burst. (If it were all, a nanosecond would decide whether the task blocks in
/// this round or at once in the next one.)
const ALL: f64 = 390.0;
/// How often a machine runs each variant before it counts. The first time shows what the kernel
/// takes; the second time the task blocks in the round in which it should.
const REHEARSALS: usize = 2;

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
        let simulated = variant.on(setup.bench, &equations, pauses)?;
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
    let on_machine = setup.bench.machine().is_some();
    let work = if on_machine {
        let costs = setup.bench.kernel().overheads("ipi");
        [costs.scheduling, costs.context_switch, costs.cache]
            .iter()
            .map(|cost| number(cost.at(2), UNIT))
            .sum()
    } else {
        0.0
    };
    let kernel = if on_machine {
        format!(
            "The kernel's own work is in the rounds, as in the authors'. It is part of a burst, so the task \
             that blocks computes for so much less until it does: each variant ran {REHEARSALS} times \
             before, to see how much."
        )
    } else {
        "The kernel's own work costs nothing here. The authors' rounds count it in: theirs settle up to \
         2 % beside the set point."
            .into()
    };
    let mut claims = feedback(off);
    claims.extend(feedforward(on));
    claims.push(reinitialised(reinit));
    claims.push(ordered([off, on, reinit]));
    claims.push(same(&all, work));
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
            "The authors' data begin while their regulators still settle; ours have settled, so the \
             first rounds differ."
                .into(),
            "The task that blocks has the first turn in a round, as the data show it.".into(),
            kernel,
        ],
        claims,
        figures: vec![picture(&all, on_machine)],
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

    /// The rounds on a bench. On a machine the kernel's work is part of the bursts, so the task
    /// computes for less until it has used as much: it runs [`REHEARSALS`] times before, to see how
    /// much.
    fn on(
        &self,
        bench: &mut dyn Bench,
        equations: &[[f64; 2]],
        mut pauses: Vec<[f64; 2]>,
    ) -> Result<Vec<[f64; 2]>, BenchError> {
        let mut rounds = self.simulate(bench, equations, &pauses)?;
        if bench.machine().is_some() {
            let asked = stretches(equations);
            for _ in 0..REHEARSALS {
                let used = stretches(&rounds);
                let stretches = asked.iter().zip(used).zip(self.script);
                for (pause, ((asked, used), &(_, _, away))) in pauses.iter_mut().zip(stretches) {
                    // One that does not end with a pause is cut.
                    if away > 0 {
                        pause[0] += asked - used;
                    }
                }
                rounds = self.simulate(bench, equations, &pauses)?;
            }
        }
        Ok(rounds)
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

/// What the task that blocks has used between two times that it was away, each.
fn stretches(rounds: &[[f64; 2]]) -> Vec<f64> {
    let stretches = rounds.chunk_by(|a, b| (a[0] > 0.0) == (b[0] > 0.0));
    let used = stretches.map(|rounds| rounds.iter().map(|used| used[0]).sum::<f64>());
    used.filter(|&used| used > 0.0).collect()
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
