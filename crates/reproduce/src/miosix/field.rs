//! Hartstone's contenders under the same conditions.

use crate::hartstone::Contender;
use crate::hartstone::experiment::MOST_ITERATIONS;
use crate::hartstone::sweep::{Conditions, NOMINAL, Parts, Score, scores};
use flyball_measure::bench::{Bench, BenchError};
use flyball_study::StudyError;
use flyball_trace::Duration;

/// The nominal bursts that are tried on a machine, in microseconds: among the short ones it is
/// decided which claims hold, and a machine takes its time.
const ON_MACHINE: [u64; 3] = [100, 300, 1_000];

/// On a machine a series goes on for so many iterations more than where simulation predicts a miss.
const MARGIN: u32 = 4;

/// So many tasks come in test 4 at most: with those of the baseline they are as many as a machine
/// holds.
const MOST_TASKS: u32 = 26;

/// I+PI's iterations come this close to EDF's in tests 2 to 4.
pub(super) const NEAR: u32 = 2;
/// And in test 1 to this many times RR's.
pub(super) const FAR_ABOVE: u32 = 2;

/// All contenders under the same conditions.
pub(super) struct Field {
    pub(super) rr: Score,
    pub(super) edf: Score,
    /// By nominal burst.
    pub(super) ipi: Vec<(Duration, Score)>,
    /// On a machine: what simulation with the costs of its kernel predicts.
    predicted: Option<Box<Field>>,
}

impl Field {
    /// In simulation, on all CPUs; `bench` is only asked whether to go on.
    pub(super) fn new(
        bench: &mut dyn Bench,
        conditions: &Conditions,
        parts: Parts,
    ) -> Result<Field, BenchError> {
        Field::simulate(bench, &NOMINAL, conditions, parts)
    }

    fn simulate(
        bench: &mut dyn Bench,
        us: &[u64],
        conditions: &Conditions,
        parts: Parts,
    ) -> Result<Field, BenchError> {
        bench.go_on()?;
        let nominal = || us.iter().copied().map(Duration::from_micros);
        let mut contenders = vec![Contender::rr(), Contender::edf()];
        contenders.extend(nominal().map(Contender::ipi));
        let mut scores = scores(&contenders, conditions, parts)?.into_iter();
        let mut next = || scores.next().ok_or(StudyError::Interrupted);
        Ok(Field {
            rr: next()?,
            edf: next()?,
            ipi: nominal().zip(scores).collect(),
            predicted: None,
        })
    }

    /// On the bench if that is a machine, and otherwise in simulation with the costs of its kernel.
    pub(super) fn of(bench: &mut dyn Bench, parts: Parts) -> Result<Field, BenchError> {
        let conditions = Conditions {
            kernel: bench.kernel(),
            ..Conditions::default()
        };
        if bench.machine().is_none() {
            return Field::new(bench, &conditions, parts);
        }
        let predicted = Field::simulate(bench, &ON_MACHINE, &conditions, parts)?;
        let mut measure = |predicted: &Score| {
            let mut most = [
                MOST_ITERATIONS,
                MOST_ITERATIONS,
                MOST_ITERATIONS,
                MOST_TASKS,
            ];
            if parts != Parts::Overloads {
                for (most, predicted) in most.iter_mut().zip(predicted.iterations()) {
                    *most = predicted.saturating_add(MARGIN).min(*most);
                }
            }
            Score::on(bench, &predicted.contender, &conditions, parts, most)
        };
        let (rr, edf) = (measure(&predicted.rr)?, measure(&predicted.edf)?);
        let ipi = predicted.ipi.iter();
        let ipi = ipi.map(|(burst, predicted)| Ok((*burst, measure(predicted)?)));
        Ok(Field {
            rr,
            edf,
            ipi: ipi.collect::<Result<_, BenchError>>()?,
            predicted: Some(Box::new(predicted)),
        })
    }

    /// The same in simulation with the costs of the same kernel.
    pub(super) fn simulated(&self) -> &Field {
        self.predicted.as_deref().unwrap_or(self)
    }

    /// What the kernel's work costs.
    pub(super) fn kernel(&self) -> &'static str {
        match self.predicted {
            Some(_) => "costs what it costs on the machine",
            None => "costs what it was measured to cost on the emulated Cortex-M3",
        }
    }

    /// The nominal bursts that were tried.
    pub(super) fn nominal(&self) -> String {
        let bursts = self.ipi.iter().map(|(burst, _)| burst.to_string());
        bursts.collect::<Vec<_>>().join(", ")
    }

    /// On a machine: what is different there, and by how much it is not what was predicted. `of`
    /// are the numbers, by test.
    pub(super) fn note(&self, what: &str, of: impl Fn(&Score) -> String) -> Option<String> {
        let predicted = self.predicted.as_ref()?;
        let show = |who: &str, measured: &Score, predicted: &Score| {
            format!("{who} {} (predicted: {})", of(measured), of(predicted))
        };
        let mut shown = vec![
            show("RR", &self.rr, &predicted.rr),
            show("EDF", &self.edf, &predicted.edf),
        ];
        let pairs = self.ipi.iter().zip(&predicted.ipi);
        shown.extend(pairs.map(|((burst, measured), (_, predicted))| {
            show(&format!("I+PI, {burst}"), measured, predicted)
        }));
        Some(format!(
            "On the machine: RR, EDF, and I+PI with nominal bursts of {} only; other conditions are tried \
             in simulation. {what}, measured, and predicted by simulation with the costs of this kernel: {}.",
            self.nominal(),
            shown.join("; ")
        ))
    }

    /// I+PI with a nominal burst of about so many microseconds, and its name.
    pub(super) fn ipi_at(&self, us: u64) -> (String, &Score) {
        let n = (self.ipi).partition_point(|(burst, _)| *burst < Duration::from_micros(us));
        let (burst, score) = &self.ipi[n.min(self.ipi.len() - 1)];
        (format!("I+PI, {burst}"), score)
    }

    /// The contenders in a picture: I+PI with these nominal bursts, in microseconds.
    pub(super) fn shown(&self, bursts: [u64; 2]) -> Vec<(String, &Score)> {
        let mut who = vec![
            ("EDF".to_owned(), &self.edf),
            ("RR, 1 ms".to_owned(), &self.rr),
        ];
        who.extend(bursts.map(|us| self.ipi_at(us)));
        who
    }

    /// The nominal bursts for which something is so, in words, and whether there are any.
    pub(super) fn bursts(&self, is_so: impl Fn(&Score) -> bool) -> (String, bool) {
        let found = self.ipi.iter().filter(|(_, score)| is_so(score));
        let found: Vec<_> = found.map(|(burst, _)| burst.to_string()).collect();
        match &found[..] {
            [] => ("for no nominal burst".into(), false),
            all if all.len() == self.ipi.len() => ("for all nominal bursts".into(), true),
            some => (format!("for nominal bursts of {}", some.join(", ")), true),
        }
    }

    pub(super) fn is_above_rr(&self, ipi: &Score) -> bool {
        all(ipi.iterations(), self.rr.iterations(), |ipi, rr| ipi > rr)
    }

    pub(super) fn switches_less(&self, ipi: &Score) -> bool {
        let edf = all(self.edf.switches(), self.rr.switches(), |edf, rr| edf < rr);
        edf && all(ipi.switches(), self.rr.switches(), |ipi, rr| ipi < rr)
    }

    pub(super) fn is_near_edf(&self, ipi: &Score) -> bool {
        let pairs = ipi.iterations().into_iter().zip(self.edf.iterations());
        pairs
            .skip(1)
            .all(|(ipi, edf)| ipi.saturating_add(NEAR) >= edf)
    }

    pub(super) fn is_between(&self, ipi: &Score) -> bool {
        let [ipi, rr, edf] = [ipi, &self.rr, &self.edf].map(|score| score.iterations()[0]);
        ipi < edf && ipi >= rr.saturating_mul(FAR_ABOVE)
    }
}

pub(super) fn all<T>(a: [T; 4], b: [T; 4], holds: impl Fn(T, T) -> bool) -> bool {
    a.into_iter().zip(b).all(|(a, b)| holds(a, b))
}

/// Four numbers, by test.
pub(super) fn list<T: std::fmt::Display>(numbers: [T; 4]) -> String {
    numbers.map(|number| format!("{number:.0}")).join(", ")
}

/// The iterations of a series, by test.
pub(super) fn iterations(score: &Score) -> String {
    firsts(
        score
            .first_miss
            .map(|first| first.map(|first| first.iteration)),
    )
}

/// The first iterations that miss, by test.
pub(super) fn firsts(iterations: [Option<u32>; 4]) -> String {
    let shown = iterations.map(|first| first.map_or("none".into(), |first| first.to_string()));
    shown.join(", ")
}

/// The numbers of the tests in which something is so.
pub(super) fn tests<T>(a: [T; 4], b: [T; 4], is_so: impl Fn(T, T) -> bool) -> Vec<usize> {
    let pairs = (1..).zip(a.into_iter().zip(b));
    let found = pairs.filter_map(|(n, (a, b))| is_so(a, b).then_some(n));
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hartstone::FirstMiss;

    fn score(iterations: [Option<u32>; 4]) -> Score {
        Score {
            contender: Contender::edf(),
            first_miss: iterations.map(|iteration| {
                let switches = 1.0;
                iteration.map(|iteration| FirstMiss {
                    iteration,
                    switches,
                })
            }),
            extended: Default::default(),
        }
    }

    /// On a machine a series ends some iterations after the one where a miss was predicted.
    #[test]
    fn a_scheduler_that_misses_nothing_is_ahead_of_all() {
        let best = score([None; 4]);
        let field = Field {
            rr: score([Some(6), Some(14), Some(3), Some(6)]),
            edf: score([Some(31), Some(16), Some(8), Some(8)]),
            ipi: vec![(Duration::from_millis(1), best.clone())],
            predicted: None,
        };
        assert!(field.is_above_rr(&best) && field.is_near_edf(&best));
        assert!(!field.is_between(&best));
        assert_eq!(iterations(&best), "none, none, none, none");
        assert_eq!(iterations(&field.edf), "31, 16, 8, 8");
        let behind = Field { rr: best, ..field };
        assert!(!behind.is_between(&behind.edf) && !behind.is_above_rr(&behind.edf));
    }
}
