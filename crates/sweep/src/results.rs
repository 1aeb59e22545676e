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
    /// By label: how many were accepted, and of how many it is not known.
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
mod tests {
    use super::*;

    /// A study of so many caps, the first of which is 2 CPUs, with so many sets each; `accepted` of
    /// them at each cap.
    fn found(accepted: &[u32], sets: u32) -> Results {
        let caps: Vec<String> = (0..accepted.len())
            .map(|place| format!("{}.{}", 2 + place / 4, place % 4 * 25))
            .collect();
        let text = format!(
            "schema = 1\ncpus = 16\ncaps = [{}]\nsets = {sets}\ntests = [\"GFB\"]\n[[scenario]]\n\
             periods = [\"short\"]\nutilisations = [\"uniform-light\"]\nslack = 0.1",
            caps.join(", ")
        );
        let known = crate::judge::names();
        let study = Study::read(&text, "s.toml", &known, |_| unreachable!()).unwrap();
        let mut results = Results::new(study);
        for (cap, &accepted) in accepted.iter().enumerate() {
            let rows = (0..sets).map(|set| Row {
                set,
                tasks: 1,
                utilisation: 1.0,
                verdicts: vec![Some(set < accepted)],
            });
            let unit = Unit {
                scenario: 0,
                cap,
                batch: 0,
            };
            results.add(unit, &rows.collect::<Vec<_>>());
        }
        results
    }

    #[test]
    fn of_one_cap_the_weighted_interval_is_the_ratios() {
        for accepted in [0, 1, 20, 39, 40] {
            let results = found(&[accepted], 40);
            let weighted = results.weighted(0, 0).unwrap();
            let ratio = results.ratio(0, 0, 0).unwrap();
            assert!((weighted.value - ratio.share()).abs() < 1e-12);
            for (ours, bound) in weighted.interval.into_iter().zip(ratio.interval()) {
                assert!((ours - bound).abs() < 1e-12, "{accepted}: {ours} {bound}");
            }
        }
    }

    /// Where all sets are accepted, or none, there is no certainty either. By hand, of 40 sets
    /// each: Wilson's bound of none is 0.087622, so of the caps 2, 2.25 and 2.5 with 40, 40 and 0
    /// sets it is √(2² + 2.25²) · 0.087622 / 6.75 below 4.25/6.75, and 2.5 · 0.087622 / 6.75 above
    /// it.
    #[test]
    fn a_weighted_interval_is_never_without_width() {
        let weighted = found(&[40, 40, 0], 40).weighted(0, 0).unwrap();
        let [low, high] = weighted.interval;
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
        };
        near(weighted.value, 0.629_630);
        near(low, 0.629_630 - 0.039_078);
        near(high, 0.629_630 + 0.032_453);
        let all = found(&[40; 5], 40).weighted(0, 0).unwrap();
        assert!(all.interval[0] < 0.98 && all.interval[1] >= 1.0 - 1e-12);
    }

    /// Of 400 studies with 25 caps and 40 sets each at least 95 in a hundred have the truth in
    /// their interval, whether ratios fall slowly or at once.
    #[test]
    fn weighted_intervals_have_the_truth_in_them() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = || {
            // xorshift64: any numbers will do.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX)
        };
        for steepness in [1.0, 4.0, 20.0] {
            let caps: Vec<f64> = (0..25).map(|place| 2.0 + f64::from(place) / 4.0).collect();
            let share = |cap: f64| 1.0 / (1.0 + libm::exp(steepness * (cap - 5.0)));
            let weights: f64 = caps.iter().sum();
            let truth: f64 = caps.iter().map(|&cap| cap * share(cap)).sum::<f64>() / weights;
            let mut inside = 0;
            for _ in 0..400 {
                let accepted: Vec<u32> = caps
                    .iter()
                    .map(|&cap| (0..40).map(|_| u32::from(random() < share(cap))).sum())
                    .collect();
                let [low, high] = found(&accepted, 40).weighted(0, 0).unwrap().interval;
                inside += u32::from(low <= truth && truth <= high);
            }
            assert!(inside >= 380, "{steepness}: {inside} of 400");
        }
    }

    /// A sum over the caps that happen to be finished is no weighted schedulability.
    #[test]
    fn without_all_caps_there_is_no_weighted_number() {
        let whole = found(&[3, 2, 1], 3);
        let mut part = Results::new(whole.study.clone());
        assert_eq!((part.caps(0), part.weighted(0, 0)), ((0, 3), None));
        part.points = whole.points.clone();
        part.points.remove(&(0, 1));
        assert_eq!((part.caps(0), part.weighted(0, 0)), ((2, 3), None));
        assert_eq!(whole.caps(0), (3, 3));
        assert!(whole.weighted(0, 0).is_some());
    }

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
        // Five of ten of which it is not known: from that of none to that of five.
        let open = Ratio {
            accepted: 0,
            sets: 10,
            unknown: 5,
        };
        near(open.interval(), [0.0, 0.763_4]);
    }
}
