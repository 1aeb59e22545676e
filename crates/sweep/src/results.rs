//! How many sets were accepted, and how sure that is.

use crate::contradiction::Comparison;
use crate::error::SweepError;
use crate::judge::{Label, labels};
use crate::simulate::{Count, Simulated, counts};
use crate::store::Files;
use crate::totals::Totals;
use crate::unit::{Row, Unit, units};
use flyball_model::Study;
use std::collections::BTreeMap;
use std::path::Path;

/// What a study found, as far as it is finished.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    study: Study,
    labels: Vec<Label>,
    counts: Vec<Count>,
    points: BTreeMap<(usize, usize), Point>,
    units: usize,
    comparison: Comparison,
}

/// What was found of the sets of one scenario and cap.
#[derive(Clone, PartialEq, Debug, Default)]
struct Point {
    sets: u32,
    tasks: u64,
    /// By label: how many were accepted, and of how many it is not known.
    accepted: Vec<u32>,
    unknown: Vec<u32>,
    /// By policy.
    simulated: Vec<Under>,
}

/// What was counted under a policy.
#[derive(Clone, PartialEq, Debug, Default)]
struct Under {
    counts: Vec<Totals>,
    refused: Refused,
}

/// How many sets a policy refused.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Refused {
    /// How many.
    pub sets: u32,
    /// Why it refused the first of them.
    pub why: Option<String>,
}

/// How many of some random sets were accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ratio {
    /// Those that were.
    pub accepted: u32,
    /// All of them.
    pub sets: u32,
    /// Those of which the tests gave up: they are not among the accepted, and may be.
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
        let labels = labels(&study);
        let counts = study.simulate.as_ref().map(counts).unwrap_or_default();
        Results {
            comparison: Comparison::new(&study, &labels, &counts),
            labels,
            counts,
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
                    return Err(SweepError::OtherStudies {
                        one: folders[0].to_owned(),
                        other: (*folder).to_owned(),
                    });
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

    /// Reads what is finished in a folder; `None` if nothing is yet.
    ///
    /// # Errors
    /// As [`Results::read`], but for [`SweepError::Empty`].
    pub fn so_far(folder: &Path) -> Result<Option<Results>, SweepError> {
        match Results::read(&[folder]) {
            Ok(results) => Ok(Some(results)),
            Err(SweepError::Empty(_)) => Ok(None),
            Err(error) => Err(error),
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
            point.tasks += row.tasks as u64;
            for (place, verdict) in row.verdicts.iter().enumerate().take(count) {
                point.accepted[place] += u32::from(*verdict == Some(true));
                point.unknown[place] += u32::from(verdict.is_none());
            }
            point
                .simulated
                .resize_with(row.simulated.len(), Under::default);
            for (under, row) in point.simulated.iter_mut().zip(&row.simulated) {
                under.add(row, self.counts.len());
            }
        }
        self.comparison.add(unit, rows);
        self.units += 1;
    }

    /// Simulations beside the tests that accept the same sets.
    pub fn comparison(&self) -> &Comparison {
        &self.comparison
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

    /// How many sets of a scenario and a cap (their places in the study) a label accepted; `None`
    /// if none of them is finished.
    pub fn ratio(&self, scenario: usize, cap: usize, label: usize) -> Option<Ratio> {
        let point = self.points.get(&(scenario, cap))?;
        Some(Ratio {
            accepted: *point.accepted.get(label)?,
            sets: point.sets,
            unknown: *point.unknown.get(label)?,
        })
    }

    /// The names of the policies under which sets were simulated.
    pub fn policies(&self) -> &[String] {
        self.study.simulate.as_ref().map_or(&[], |it| &it.policies)
    }

    /// What was counted under each of them, in order.
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// The sums of a count (its place among the [`counts`](Results::counts)) under a policy, of a
    /// scenario and a cap; `None` if none of these sets is finished.
    pub fn totals(
        &self,
        scenario: usize,
        cap: usize,
        policy: usize,
        count: usize,
    ) -> Option<Totals> {
        let under = self.points.get(&(scenario, cap))?.simulated.get(policy)?;
        Some(under.counts.get(count).copied().unwrap_or_default())
    }

    /// How many sets of a scenario and a cap a policy refused.
    pub fn refused(&self, scenario: usize, cap: usize, policy: usize) -> Option<&Refused> {
        let under = self.points.get(&(scenario, cap))?.simulated.get(policy)?;
        Some(&under.refused)
    }

    /// How many tasks the sets of a scenario and a cap have on average.
    pub fn tasks(&self, scenario: usize, cap: usize) -> Option<f64> {
        let point = self.points.get(&(scenario, cap))?;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let tasks = point.tasks as f64;
        (point.sets > 0).then(|| tasks / f64::from(point.sets))
    }

    /// Of how many caps of a scenario there are sets, of how many caps.
    pub fn caps(&self, scenario: usize) -> (usize, usize) {
        let all = self.study.caps.len();
        let has_sets = |cap: &usize| {
            let point = self.points.get(&(scenario, *cap));
            point.is_some_and(|point| point.sets > 0)
        };
        ((0..all).filter(has_sets).count(), all)
    }

    /// The weighted schedulability of a scenario: of all caps U with the ratio S(U) of accepted
    /// sets, ΣU·S(U) / ΣU (Bastoni, Brandenburg and Anderson, "Cache-related preemption and
    /// migration delays", OSPERT 2010). `None` unless there are sets of [all caps](Results::caps):
    /// a sum over the others is of something else.
    ///
    /// Its interval puts the caps' own ones together, which are independent: each bound is as far
    /// from the value as the root of the sum of squares of what the weighted bounds are from the
    /// ratios (Zou, Huang and Zhang, "A note on confidence interval estimation for a linear
    /// function of binomial proportions", Computational Statistics and Data Analysis 53, 2009).
    /// With one cap it is [that ratio's](Ratio::interval). The variances p(1 − p)/n do not do, as
    /// they are zero where all sets are accepted, or none. Where most caps are like that, this
    /// interval is wider than it would have to be.
    pub fn weighted(&self, scenario: usize, label: usize) -> Option<Weighted> {
        let (mut weights, mut sum, mut below, mut above) = (0.0, 0.0, 0.0, 0.0);
        for (place, cap) in self.study.caps.iter().enumerate() {
            let ratio = self.ratio(scenario, place, label)?;
            if ratio.sets == 0 {
                return None;
            }
            let (weight, share, [low, high]) = (cap.cpus(), ratio.share(), ratio.interval());
            let square = |off: f64| weight * weight * off * off;
            weights += weight;
            sum += weight * share;
            below += square(share - low);
            above += square(high - share);
        }
        if weights <= 0.0 {
            return None;
        }
        let (value, off) = (sum / weights, |squares| libm::sqrt(squares) / weights);
        Some(Weighted {
            value,
            interval: [(value - off(below)).max(0.0), (value + off(above)).min(1.0)],
        })
    }
}

impl Under {
    fn add(&mut self, row: &Simulated, counts: usize) {
        self.counts.resize(counts, Totals::default());
        match row {
            Ok(numbers) => {
                // The jobs that were released come first.
                let released = numbers.first().copied().unwrap_or_default();
                for (totals, &number) in self.counts.iter_mut().zip(numbers) {
                    totals.add(number, released);
                }
            }
            Err(why) => {
                self.refused.sets += 1;
                self.refused.why.get_or_insert_with(|| why.clone());
            }
        }
    }
}

/// 97.5 % of a normal distribution are below so many standard deviations.
const Z: f64 = 1.959_963_984_540_054;

impl Ratio {
    /// The part that was accepted; 0 of no sets.
    pub fn share(self) -> f64 {
        f64::from(self.accepted) / f64::from(self.sets.max(1))
    }

    /// Between what the part is with 95 % confidence: Wilson's interval, "Probable inference, the
    /// law of succession, and statistical inference", Journal of the American Statistical
    /// Association 22, 1927. Where tests gave up, it reaches from the lower bound without these
    /// sets to the upper bound with them.
    pub fn interval(self) -> [f64; 2] {
        if self.sets == 0 {
            return [0.0, 1.0];
        }
        let n = f64::from(self.sets);
        let z2 = Z * Z / n;
        let bounds = |accepted: u32| {
            let p = f64::from(accepted) / n;
            let middle = (p + z2 / 2.0) / (1.0 + z2);
            let off = Z * libm::sqrt(p * (1.0 - p) / n + z2 / (4.0 * n)) / (1.0 + z2);
            [(middle - off).max(0.0), (middle + off).min(1.0)]
        };
        let [low, _] = bounds(self.accepted);
        let [_, high] = bounds(self.accepted + self.unknown);
        [low, high]
    }
}

#[cfg(test)]
mod tests;
