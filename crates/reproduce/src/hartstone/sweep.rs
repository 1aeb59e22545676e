//! Many contenders at once, on all CPUs: the results come in the order of the questions.

use super::experiment::{Contender, Extended, FirstMiss, MOST_ITERATIONS, extended, first_miss};
use super::extended::Overload;
use super::series::Experiment;
use super::workload::{Importance, Setup, Test};
use flyball_measure::bench::{Bench, BenchError, Simulator};
use flyball_measure::costs::Kernel;
use flyball_model::Value;
use flyball_study::Progress;
use flyball_study::registry::Registry;
use flyball_trace::Duration;
use rayon::prelude::*;
use std::ops::ControlFlow;

/// Which experiments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// The series.
    Series,
    /// The overloads.
    Overloads,
    /// All eight.
    All,
}

/// How a contender did.
#[derive(Clone, PartialEq, Debug)]
pub struct Score {
    /// The contender.
    pub contender: Contender,
    /// The series, by test. `None` for a series in which it never misses a deadline, or that was
    /// not asked for.
    pub first_miss: [Option<FirstMiss>; 4],
    /// The overloads, by test.
    pub extended: [Extended; 4],
}

/// What all contenders have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Conditions {
    /// What does not belong to a test itself.
    pub setup: Setup,
    /// How much the overload is.
    pub overload: Overload,
    /// What the kernel's work costs. A machine has its own, and ignores this.
    pub kernel: Kernel,
}

impl Score {
    /// Runs all eight experiments in simulation.
    ///
    /// # Errors
    /// As [`first_miss`].
    pub fn of(contender: &Contender, conditions: &Conditions) -> Result<Score, BenchError> {
        Score::in_parts(contender, conditions, Parts::All)
    }

    /// Runs some of the experiments in simulation.
    ///
    /// # Errors
    /// As [`first_miss`].
    pub fn in_parts(
        contender: &Contender,
        conditions: &Conditions,
        parts: Parts,
    ) -> Result<Score, BenchError> {
        let registry = Registry::standard();
        let mut go_on = |_: Progress<'_>| ControlFlow::Continue(());
        let mut simulator = Simulator::new(&registry, &mut go_on);
        let most = [MOST_ITERATIONS; 4];
        Score::on(&mut simulator, contender, conditions, parts, most)
    }

    /// Runs some of the experiments on a bench, the series up to the iterations `most`.
    ///
    /// # Errors
    /// As [`first_miss`].
    pub fn on(
        bench: &mut dyn Bench,
        contender: &Contender,
        conditions: &Conditions,
        parts: Parts,
        most: [u32; 4],
    ) -> Result<Score, BenchError> {
        let Conditions {
            setup,
            overload,
            kernel,
        } = conditions;
        let overheads = &kernel.overheads(contender.policy);
        let mut score = Score {
            contender: contender.clone(),
            first_miss: [None; 4],
            extended: [Extended::default(); 4],
        };
        for (n, test) in Test::ALL.into_iter().enumerate() {
            if parts != Parts::Overloads {
                score.first_miss[n] =
                    first_miss(bench, test.into(), *setup, contender, overheads, most[n])?;
            }
            if parts != Parts::Series {
                score.extended[n] = extended(bench, test, *overload, *setup, contender, overheads)?;
            }
        }
        Ok(score)
    }

    /// The iterations of the first misses.
    pub fn iterations(&self) -> [u32; 4] {
        self.first_miss
            .map(|first| first.map_or(u32::MAX, |first| first.iteration))
    }

    /// Context switches a second in the series.
    pub fn switches(&self) -> [f64; 4] {
        self.first_miss
            .map(|first| first.map_or(0.0, |first| first.switches))
    }

    /// Deadlines missed in the overloads.
    pub fn misses(&self) -> [u64; 4] {
        self.extended.map(|extended| extended.misses())
    }

    /// Context switches a second in the overloads.
    pub fn extended_switches(&self) -> [f64; 4] {
        self.extended.map(|extended| extended.switches())
    }
}

/// Runs them all.
///
/// # Errors
/// As [`first_miss`]: the first one in the order of `contenders`.
pub fn scores(
    contenders: &[Contender],
    conditions: &Conditions,
    parts: Parts,
) -> Result<Vec<Score>, BenchError> {
    let scores: Vec<_> = contenders
        .par_iter()
        .map(|contender| Score::in_parts(contender, conditions, parts))
        .collect();
    scores.into_iter().collect()
}

/// Where each contender first misses a deadline, in simulation: by contender, and for each by
/// experiment.
///
/// # Errors
/// As [`first_miss`]: the first one in the order of `contenders` and `experiments`.
pub fn first_misses(
    contenders: &[Contender],
    experiments: &[Experiment],
    conditions: &Conditions,
) -> Result<Vec<Vec<Option<FirstMiss>>>, BenchError> {
    let one = |contender: &Contender, experiment: Experiment| {
        let registry = Registry::standard();
        let mut go_on = |_: Progress<'_>| ControlFlow::Continue(());
        let mut simulator = Simulator::new(&registry, &mut go_on);
        let overheads = conditions.kernel.overheads(contender.policy);
        let (setup, most) = (conditions.setup, MOST_ITERATIONS);
        first_miss(
            &mut simulator,
            experiment,
            setup,
            contender,
            &overheads,
            most,
        )
    };
    let found: Vec<Result<Vec<_>, _>> = contenders
        .par_iter()
        .map(|contender| {
            let experiments = experiments.par_iter();
            let found: Vec<_> = experiments
                .map(|&experiment| one(contender, experiment))
                .collect();
            found.into_iter().collect()
        })
        .collect();
    found.into_iter().collect()
}

/// The nominal bursts that are tried, in microseconds.
pub const NOMINAL: [u64; 12] = [
    100, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000,
];

/// The thesis's I+PI with each nominal burst.
pub fn bursts() -> Vec<Contender> {
    NOMINAL
        .map(|us| Contender::ipi(Duration::from_micros(us)))
        .to_vec()
}

/// A family of set-point generators around the thesis's: what the round is made from, what it is
/// divided by, which task comes first in it, and what becomes of a task that wakes, with nominal
/// bursts from 1 ms to 16 ms.
pub fn family() -> Vec<Contender> {
    let text = |word: &str| Value::Text(word.to_owned());
    let mut family = Vec::new();
    for sequence in ["admission", "deadline", "urgency"] {
        for wake in ["wait", "next", "round"] {
            for division in ["shares", "demand"] {
                for round in ["per-task", "per-ready"] {
                    for us in [1_000, 4_000, 16_000] {
                        family.push(
                            Contender::ipi(Duration::from_micros(us))
                                .with("sequence", text(sequence))
                                .with("wake", text(wake))
                                .with("division", text(division))
                                .with("round", text(round)),
                        );
                    }
                }
            }
        }
    }
    family
}

/// The importances that are tried with [`tuned`].
pub const IMPORTANCES: [Importance; 4] = [
    Importance::Authors,
    Importance::Frequency(0),
    Importance::Frequency(1),
    Importance::Frequency(2),
];

/// The gains kpi and krr that are tried: the defaults, slow ones, and ones nearer to where it
/// becomes unstable.
pub const GAINS: [[&str; 2]; 3] = [["0.5", "0.9"], ["0.25", "0.45"], ["0.75", "0.9"]];

/// The set-point generator that knows deadlines with other gains, another round, other nominal
/// bursts, and without what makes blocking harmless.
pub fn tuned() -> Vec<Contender> {
    let decimal = |number: &str| Value::Decimal(number.to_owned());
    let mut tuned = Vec::new();
    for [kpi, krr] in GAINS {
        for round in ["per-task", "constant"] {
            for harmless in [true, false] {
                for ms in [1, 4, 16] {
                    let nominal = Duration::from_millis(ms);
                    tuned.push(
                        Contender::deadline_aware()
                            .with("nominal", Value::Duration(nominal))
                            .with("longest", Value::Duration(nominal * 5))
                            .with("round", Value::Text(round.to_owned()))
                            .with("feedforward", Value::Bool(harmless))
                            .with("reinitialise", Value::Bool(harmless))
                            .with("kpi", decimal(kpi))
                            .with("krr", decimal(krr)),
                    );
                }
            }
        }
    }
    tuned
}
