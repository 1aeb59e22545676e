//! How many sets were accepted, and how sure that is.

use crate::error::SweepError;
use crate::judge::{Label, labels};
use crate::store::Files;
use crate::unit::{Row, Unit, units};
use flyball_model::Study;
use std::collections::BTreeMap;
use std::path::Path;

/// What a study found, as far as it is finished.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    study: Study,
    labels: Vec<Label>,
    points: BTreeMap<(usize, usize), Point>,
    units: usize,
}

/// What was found of the sets of one scenario and cap.
#[derive(Clone, PartialEq, Debug, Default)]
struct Point {
    sets: u32,
    tasks: u64,
    /// By label: how many were accepted, and of how many nobody knows.
    accepted: Vec<u32>,
    unknown: Vec<u32>,
}

/// How many of some random sets were accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ratio {
    /// Those that were.
    pub accepted: u32,
    /// All of them.
    pub sets: u32,
    /// Those of which the tests gave up; they count as not accepted.
    pub unknown: u32,
}

/// A weighted schedulability.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Weighted {
    /// Its value, 0 to 1.
    pub value: f64,
    /// Between what it is with 95 % confidence.
    pub interval: [f64; 2],
}

impl Results {
    /// Nothing yet.
    pub fn new(study: Study) -> Results {
        Results {
            labels: labels(&study),
            study,
            points: BTreeMap::new(),
            units: 0,
        }
    }

    /// What is in these folders, which are of one study, such as shards of it.
    ///
    /// # Errors
    /// If they are not, if nothing is finished, or if a file is damaged.
    pub fn read(folders: &[&Path]) -> Result<Results, SweepError> {
        let mut results: Option<Results> = None;
        let mut all = Vec::new();
        for folder in folders {
            let (study, files) = Files::of(folder)?;
            match &results {
                None => results = Some(Results::new(study)),
                Some(results) if results.study != study => {
                    return Err(SweepError::OtherStudy((*folder).to_owned()));
                }
                Some(_) => {}
            }
            all.push(files);
        }
        let first = folders.first().copied().unwrap_or(Path::new("."));
        let mut results = results.ok_or_else(|| SweepError::NoStudy(first.to_owned()))?;
        for unit in units(&results.study) {
            for files in &all {
                if let Some(rows) = files.rows(&results.study, unit)? {
                    results.add(unit, &rows);
                    break;
                }
            }
        }
        match results.units {
            0 => Err(SweepError::Empty(first.to_owned())),
            _ => Ok(results),
        }
    }

    /// Adds the rows of a unit, which is not in yet.
    pub fn add(&mut self, unit: Unit, rows: &[Row]) {
        let count = self.labels.len();
        let point = self.points.entry((unit.scenario, unit.cap)).or_default();
        point.accepted.resize(count, 0);
        point.unknown.resize(count, 0);
        for row in rows {
            point.sets += 1;
            point.tasks += u64::from(row.tasks);
            for (place, verdict) in row.verdicts.iter().enumerate().take(count) {
                point.accepted[place] += u32::from(*verdict == Some(true));
                point.unknown[place] += u32::from(verdict.is_none());
            }
        }
        self.units += 1;
    }

    /// The study.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// What was asked, in order.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The place of the label of that name.
    pub fn label(&self, name: &str) -> Option<usize> {
        self.labels.iter().position(|label| label.name == name)
    }

    /// The place of the scenario of that name.
    pub fn scenario(&self, name: &str) -> Option<usize> {
        self.study
            .scenarios
            .iter()
            .position(|scenario| scenario.name() == name)
    }

    /// How many units are finished, of how many.
    pub fn finished(&self) -> (usize, usize) {
        (self.units, units(&self.study).len())
    }

    /// How many sets of a scenario and a cap (their places in the study) a label accepted; `None` if none
    /// of them is finished.
    pub fn ratio(&self, scenario: usize, cap: usize, label: usize) -> Option<Ratio> {
        let point = self.points.get(&(scenario, cap))?;
        Some(Ratio {
            accepted: *point.accepted.get(label)?,
            sets: point.sets,
            unknown: *point.unknown.get(label)?,
        })
    }

    /// How many tasks the sets of a scenario and a cap have on average.
    pub fn tasks(&self, scenario: usize, cap: usize) -> Option<f64> {
        let point = self.points.get(&(scenario, cap))?;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let tasks = point.tasks as f64;
        (point.sets > 0).then(|| tasks / f64::from(point.sets))
    }

    /// The weighted schedulability of a scenario: of all caps U with the ratio S(U) of accepted sets,
    /// ΣU·S(U) / ΣU (Bastoni, Brandenburg and Anderson, "Cache-related preemption and migration delays",
    /// OSPERT 2010). Its interval is that of a sum of independent ratios. `None` if no cap is finished.
    pub fn weighted(&self, scenario: usize, label: usize) -> Option<Weighted> {
        let (mut weights, mut sum, mut variance) = (0.0, 0.0, 0.0);
        for (place, cap) in self.study.caps.iter().enumerate() {
            let Some(ratio) = self.ratio(scenario, place, label) else {
                continue;
            };
            let (weight, share) = (cap.cpus(), ratio.share());
            weights += weight;
            sum += weight * share;
            variance += weight * weight * share * (1.0 - share) / f64::from(ratio.sets.max(1));
        }
        if weights <= 0.0 {
            return None;
        }
        let (value, off) = (sum / weights, Z * libm::sqrt(variance) / weights);
        Some(Weighted {
            value,
            interval: [(value - off).max(0.0), (value + off).min(1.0)],
        })
    }
}

/// 97.5 % of a normal distribution are below so many standard deviations.
const Z: f64 = 1.959_963_984_540_054;

impl Ratio {
    /// The part that was accepted; 0 of no sets.
    pub fn share(self) -> f64 {
        f64::from(self.accepted) / f64::from(self.sets.max(1))
    }

    /// Between what the part is with 95 % confidence: Wilson's interval, "Probable inference, the law of
    /// succession, and statistical inference", Journal of the American Statistical Association 22, 1927.
    pub fn interval(self) -> [f64; 2] {
        if self.sets == 0 {
            return [0.0, 1.0];
        }
        let (n, p) = (f64::from(self.sets), self.share());
        let z2 = Z * Z / n;
        let middle = (p + z2 / 2.0) / (1.0 + z2);
        let off = Z * libm::sqrt(p * (1.0 - p) / n + z2 / (4.0 * n)) / (1.0 + z2);
        [(middle - off).max(0.0), (middle + off).min(1.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against tables: 0 of 10 is below 27.75 %, 5 of 10 between 23.66 and 76.34 %.
    #[test]
    fn intervals_are_wilsons() {
        let of = |accepted, sets| {
            Ratio {
                accepted,
                sets,
                unknown: 0,
            }
            .interval()
        };
        let near = |[low, high]: [f64; 2], expected: [f64; 2]| {
            assert!(
                (low - expected[0]).abs() < 5e-5 && (high - expected[1]).abs() < 5e-5,
                "{low} {high}"
            );
        };
        near(of(0, 10), [0.0, 0.277_5]);
        near(of(5, 10), [0.236_6, 0.763_4]);
        near(of(10, 10), [0.722_5, 1.0]);
        near(of(0, 0), [0.0, 1.0]);
    }
}
