//! What was counted in simulations, as figures and tables.

use super::{cap_axis, grouped, row, titled, utilisations};
use crate::results::Results;
use crate::simulate::Count;
use crate::totals::{Mean, Totals};
use flyball_model::study::Measure;
use flyball_report::reproduction::{Axis, Figure, Panel, Series, Shape};

/// How a measure is shown to people.
struct Shown {
    /// What is along its axis.
    axis: &'static str,
    /// What it is called in a table and in a figure's title.
    title: &'static str,
    /// One of its numbers is so much of what is shown.
    scale: f64,
    /// Whether it is shown for each job that was released, and not for each set.
    per_job: bool,
}

fn shown(measure: Measure) -> Shown {
    let (title, axis, scale, per_job) = match measure {
        Measure::Misses => ("deadline misses", "misses per job", 1.0, true),
        Measure::MaxTardiness => ("longest tardiness", "longest tardiness (ms)", 1e-6, false),
        Measure::MeanTardiness => ("mean tardiness", "mean tardiness (ms)", 1e-6, false),
        Measure::MaxResponse => (
            "longest response time",
            "longest response time ÷ deadline",
            1e-6,
            false,
        ),
        Measure::MeanResponse => (
            "mean response time",
            "mean response time ÷ deadline",
            1e-6,
            false,
        ),
        Measure::Preemptions => ("preemptions", "preemptions per job", 1.0, true),
        Measure::Migrations => ("migrations", "migrations per job", 1.0, true),
        Measure::Switches => ("context switches", "switches per job", 1.0, true),
        Measure::Energy => ("energy", "energy per set (mJ)", 1e-3, false),
        Measure::ShareError => ("share error", "largest share error (CPU)", 1e-6, false),
    };
    Shown {
        axis,
        title,
        scale,
        per_job,
    }
}

impl Shown {
    /// What is shown of sums, where `released` has those of jobs.
    fn of(&self, totals: &Totals, released: &Totals) -> Option<Mean> {
        let mean = if self.per_job {
            totals.per_job(released)
        } else {
            totals.mean()
        }?;
        let scaled = |bound: f64| bound * self.scale;
        Some(Mean {
            value: scaled(mean.value),
            interval: mean.interval.map(|bounds| bounds.map(scaled)),
        })
    }
}

/// The measures of a study, each with its place among the counts.
fn measures(results: &Results) -> impl Iterator<Item = (usize, Measure)> {
    let counts = results.counts().iter().enumerate();
    counts.filter_map(|(place, count)| match count {
        Count::Measure(measure) => Some((place, *measure)),
        Count::Released | Count::Completed => None,
    })
}

/// Each measure against the cap, a line for each policy: a figure for periods and the kind of
/// utilisations, a panel for utilisations. Sets that a policy refuses are not in its line.
pub fn figures(results: &Results) -> Vec<Figure> {
    let mut figures = Vec::new();
    let Some(simulations) = &results.study().simulate else {
        return figures;
    };
    for (count, measure) in measures(results) {
        let shown = shown(measure);
        let mut caption = format!(
            "Mean of the sets that a policy does not refuse, simulated for {}, with 95 % confidence.",
            simulations.horizon
        );
        if measure == Measure::Misses {
            caption += " No miss in a simulation does not prove that a set is schedulable.";
        }
        figures.extend(grouped(results).into_iter().map(|(name, scenarios)| {
            Figure {
                title: format!("{}: {}", titled(results, &scenarios), shown.title),
                caption: caption.clone(),
                name: format!("{}-{name}", measure.name()),
                x: cap_axis(results),
                panels: scenarios
                    .into_iter()
                    .map(|scenario| panel(results, scenario, count, &shown))
                    .collect(),
            }
        }));
    }
    figures
}

fn panel(results: &Results, scenario: usize, count: usize, shown: &Shown) -> Panel {
    let (mut series, mut most) = (Vec::new(), 0.0_f64);
    for (policy, name) in results.policies().iter().enumerate() {
        let colour = u8::try_from(policy % usize::from(Series::COLOURS)).unwrap_or(0);
        let (mut points, mut bounds) = (Vec::new(), Vec::new());
        for (place, cap) in results.study().caps.iter().enumerate() {
            let totals = |count| results.totals(scenario, place, policy, count);
            let Some((found, released)) = totals(count).zip(totals(0)) else {
                continue;
            };
            let Some(mean) = shown.of(&found, &released) else {
                continue;
            };
            let [low, high] = mean.interval.unwrap_or([mean.value; 2]);
            points.push([cap.cpus(), mean.value]);
            bounds.push([cap.cpus(), low, high]);
            most = most.max(high);
        }
        series.push(Series::interval(name, colour, &bounds));
        series.push(Series::ours(name, line(policy), colour, points));
    }
    Panel {
        title: utilisations(&results.study().scenarios[scenario]),
        y: Axis::range(shown.axis, 0.0, if most > 0.0 { most } else { 1.0 }),
        series,
    }
}

/// Lines often lie on each other, at zero most of all: those below are seen between dashes and
/// dots.
fn line(policy: usize) -> Shape {
    match policy % 3 {
        0 => Shape::Line,
        1 => Shape::Dashes,
        _ => Shape::Dots,
    }
}

/// All counts as CSV, one row each: `scenario, cap, policy, measure, unit, sets, refused, sum, mean,
/// low, high, min, max, not_zero, per_job`. `low` and `high` are the 95 % interval of the mean of a
/// set, and `per_job` is the sum for each job that was released.
pub fn table(results: &Results) -> String {
    let mut table = String::from(
        "scenario,cap,policy,measure,unit,sets,refused,sum,mean,low,high,min,max,not_zero,per_job\n",
    );
    let six = |number: Option<f64>| number.map_or_else(String::new, |it| format!("{it:.6}"));
    for number in all(results) {
        let Totals {
            sets,
            sum,
            least,
            most,
            not_zero,
            ..
        } = number.totals;
        let (mean, interval) = (number.mean, number.mean.and_then(|mean| mean.interval));
        let is_any = |number: u64| {
            if sets > 0 {
                number.to_string()
            } else {
                String::new()
            }
        };
        table += &row(&[
            results.study().scenarios[number.scenario].name(),
            results.study().caps[number.cap].to_string(),
            results.policies()[number.policy].clone(),
            number.count.name().into(),
            number.count.unit().into(),
            sets.to_string(),
            number.refused.to_string(),
            sum.to_string(),
            six(mean.map(|mean| mean.value)),
            six(interval.map(|[low, _]| low)),
            six(interval.map(|[_, high]| high)),
            is_any(least),
            is_any(most),
            not_zero.to_string(),
            six(number.per_job),
        ]);
    }
    table
}

/// What was counted of the sets of a scenario and a cap under a policy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Number {
    /// The scenario's place in the study.
    pub scenario: usize,
    /// The cap's.
    pub cap: usize,
    /// The policy's.
    pub policy: usize,
    /// What was counted.
    pub count: Count,
    /// How many sets the policy refused, which are not among the others.
    pub refused: u32,
    /// The sums.
    pub totals: Totals,
    /// The mean of a set; `None` of no sets.
    pub mean: Option<Mean>,
    /// How many for each job that was released, of what is counted in jobs or events.
    pub per_job: Option<f64>,
}

/// All numbers: by scenario, cap, policy and count.
pub fn all(results: &Results) -> Vec<Number> {
    let (scenarios, caps) = (results.study().scenarios.len(), results.study().caps.len());
    let mut all = Vec::new();
    for (scenario, cap) in (0..scenarios).flat_map(|it| (0..caps).map(move |cap| (it, cap))) {
        for policy in 0..results.policies().len() {
            for (place, &count) in results.counts().iter().enumerate() {
                let totals = |place| results.totals(scenario, cap, policy, place);
                let (Some(found), Some(released)) = (totals(place), totals(0)) else {
                    continue;
                };
                let refused = results.refused(scenario, cap, policy);
                let per_job = found.per_job(&released).filter(|_| count.unit() == "1");
                all.push(Number {
                    scenario,
                    cap,
                    policy,
                    count,
                    refused: refused.map_or(0, |refused| refused.sets),
                    totals: found,
                    mean: found.mean(),
                    per_job: per_job.map(|it| it.value),
                });
            }
        }
    }
    all
}

/// All caps of each scenario together, for people: the first row has the names of the columns; the
/// first two cells of the others are a scenario and a policy.
pub fn overview(results: &Results) -> Vec<Vec<String>> {
    let mut head: Vec<String> = ["scenario", "policy", "sets", "refused"]
        .map(String::from)
        .into();
    for (_, measure) in measures(results) {
        if measure == Measure::Misses {
            head.push("sets with misses".into());
        }
        head.push(shown(measure).axis.into());
    }
    let mut rows = vec![head];
    for (scenario, of) in results.study().scenarios.iter().enumerate() {
        for (policy, name) in results.policies().iter().enumerate() {
            let over_caps = |count: usize| {
                let mut sum = Totals::default();
                for cap in 0..results.study().caps.len() {
                    let totals = results.totals(scenario, cap, policy, count);
                    sum.join(&totals.unwrap_or_default());
                }
                sum
            };
            let caps = 0..results.study().caps.len();
            let refused = caps.filter_map(|cap| results.refused(scenario, cap, policy));
            let refused: u32 = refused.map(|refused| refused.sets).sum();
            let released = over_caps(0);
            let mut cells = vec![
                of.name(),
                name.clone(),
                (released.sets + refused).to_string(),
                refused.to_string(),
            ];
            for (count, measure) in measures(results) {
                let totals = over_caps(count);
                if measure == Measure::Misses {
                    cells.push(totals.not_zero.to_string());
                }
                let mean = shown(measure).of(&totals, &released);
                cells.push(mean.map_or_else(|| "–".into(), |mean| digits(mean.value)));
            }
            rows.push(cells);
        }
    }
    rows
}

/// Three digits or so.
fn digits(value: f64) -> String {
    match value {
        _ if value >= 100.0 => format!("{value:.0}"),
        _ if value >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// What the reader has to know: which policies refuse sets, with a reason, and what no miss means.
pub fn notes(results: &Results) -> Vec<String> {
    let Some(simulations) = &results.study().simulate else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    for (policy, name) in results.policies().iter().enumerate() {
        let (mut sets, mut refused, mut why) = (0, 0, None);
        for scenario in 0..results.study().scenarios.len() {
            for cap in 0..results.study().caps.len() {
                let Some(of) = results.refused(scenario, cap, policy) else {
                    continue;
                };
                refused += of.sets;
                let taken = results.totals(scenario, cap, policy, 0);
                sets += of.sets + taken.map_or(0, |totals| totals.sets);
                why = why.or(of.why.as_ref());
            }
        }
        if let Some(why) = why {
            notes.push(format!(
                "{name} refuses {refused} of {sets} sets, which are in none of its numbers, and its lines are of \
                 easier sets where it does; the first one: {why}."
            ));
        }
    }
    if simulations.measures.contains(&Measure::Misses) {
        notes.push(format!(
            "No miss in {} of simulated time does not prove that a set is schedulable: other releases and \
             execution times may miss deadlines.",
            simulations.horizon
        ));
    }
    notes
}
