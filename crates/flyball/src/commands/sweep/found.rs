//! What a sweep found, as far as it is finished: weighted numbers and what was counted, for people and for
//! programs.

use crate::output::{self, BOLD, DIM};
use flyball_json::sweep::{Caps, Compared, Contradiction, Number, Simulated};
use flyball_sweep::Results;
use flyball_sweep::contradiction::Refutation;
use flyball_sweep::figure;
use flyball_sweep::judge::{Label, Variant};
use std::fmt::Write;

/// All numbers: by scenario, overheads and test.
pub(super) fn numbers(results: &Results) -> Vec<Number> {
    let study = results.study();
    let mut all = Vec::new();
    for (place, scenario) in study.scenarios.iter().enumerate() {
        for (label, it) in results.labels().iter().enumerate() {
            let (overheads, working_set) = match it.variant {
                Variant::Ideal => (None, None),
                Variant::Charged(charge, bytes) => {
                    (Some(study.charges[charge].name.clone()), bytes)
                }
            };
            let (finished, of) = results.caps(place);
            let found = results.weighted(place, label);
            all.push(Number {
                scenario: scenario.name(),
                test: study.tests[it.test].name.clone(),
                overheads,
                working_set,
                caps: Caps { finished, of },
                weighted: found.map(|it| it.value),
                low: found.map(|it| it.interval[0]),
                high: found.map(|it| it.interval[1]),
            });
        }
    }
    all
}

/// What was counted in simulations: by scenario, cap, policy and measure.
pub(super) fn simulated(results: &Results) -> Vec<Simulated> {
    let study = results.study();
    let all = figure::simulated::all(results).into_iter().map(|number| {
        let (totals, mean) = (number.totals, number.mean);
        let interval = mean.and_then(|mean| mean.interval);
        Simulated {
            scenario: study.scenarios[number.scenario].name(),
            cap: study.caps[number.cap].cpus(),
            policy: results.policies()[number.policy].clone(),
            measure: number.count.name().into(),
            unit: number.count.unit().into(),
            sets: totals.sets,
            refused: number.refused,
            not_zero: totals.not_zero,
            mean: mean.map(|mean| mean.value),
            low: interval.map(|[low, _]| low),
            high: interval.map(|[_, high]| high),
            least: mean.map(|_| totals.least),
            most: mean.map(|_| totals.most),
            per_job: number.per_job,
        }
    });
    all.collect()
}

/// Simulations beside the tests that accept the same sets, if there are both.
pub(super) fn compared(results: &Results) -> Option<Compared> {
    let (study, comparison) = (results.study(), results.comparison());
    let contradictions = comparison.contradictions.iter().map(|it| {
        let (misses, refused) = match &it.simulated {
            Refutation::Misses(misses) => (Some(*misses), None),
            Refutation::Refused(why) => (None, Some(why.clone())),
        };
        Contradiction {
            scenario: study.scenarios[it.scenario].name(),
            cap: study.caps[it.cap].cpus(),
            set: it.set,
            test: study.tests[it.test].name.clone(),
            policy: results.policies()[it.policy].clone(),
            misses,
            refused,
        }
    });
    comparison.is_possible().then(|| Compared {
        pairs: comparison.compared,
        contradictions: contradictions.collect(),
    })
}

/// The most contradictions that are printed.
const MOST: usize = 10;

/// The same for people: a line, and one for each contradiction.
pub(in crate::commands) fn comparison(results: &Results) -> String {
    let it = results.comparison();
    let (pairs, found) = (it.compared, it.contradictions.len());
    if pairs == 0 {
        return String::new();
    }
    if found == 0 {
        return format!(
            "\nCompared {pairs} acceptances by tests with simulations of the same sets: no contradiction.\n"
        );
    }
    let mut text = format!(
        "\n{BOLD}Simulations contradict {found} of {pairs} acceptances by tests; please report it{BOLD:#}\n"
    );
    // Writing to a string cannot fail.
    for one in it.contradictions.iter().take(MOST) {
        let _ = writeln!(text, "{}", one.describe(results.study()));
    }
    if let Some(more @ 1..) = found.checked_sub(MOST) {
        let _ = writeln!(text, "and {more} more");
    }
    text
}

/// All that there is to print: of tests, and of simulations.
pub(super) fn all(results: &Results) -> String {
    let mut text = String::new();
    if !results.labels().is_empty() {
        text += &tables(results);
    }
    if !results.policies().is_empty() {
        text += &overview(results);
    }
    text
}

/// What was counted over all caps, and what the reader has to know.
fn overview(results: &Results) -> String {
    let rows = figure::simulated::overview(results);
    let Some((head, rows)) = rows.split_first() else {
        return String::new();
    };
    let head: Vec<String> = head.iter().map(|name| name.to_uppercase()).collect();
    let columns: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut table = output::table(&columns, &columns[2..]).spare_all();
    for row in rows {
        table.add_row(row.clone());
    }
    let mut text = format!(
        "\n{BOLD}Simulated, over all caps{BOLD:#}\n{}",
        table.render()
    );
    for note in figure::simulated::notes(results) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{DIM}{note}{DIM:#}");
    }
    text
}

/// A table without overheads, and one with those of each charge. Working sets, of which there may
/// be many, are left to figures.
fn tables(results: &Results) -> String {
    let study = results.study();
    let mut text = String::from("\n");
    let (is_partial, has_charges) = (is_partial(results), !study.charges.is_empty());
    // Writing to a string cannot fail.
    if has_charges {
        let _ = writeln!(text, "{BOLD}Without overheads{BOLD:#}");
    }
    text += &table(results, Variant::Ideal);
    for (place, charge) in study.charges.iter().enumerate() {
        let _ = writeln!(text, "\n{BOLD}With overheads: {}{BOLD:#}", charge.name);
        text += &table(results, Variant::Charged(place, None));
    }
    if has_charges {
        text.push('\n');
    }
    text += "Weighted schedulability: the accepted part of all utilisation, 0 to 1";
    if !has_charges {
        text += ", without overheads";
    }
    let (finished, of) = results.finished();
    if finished < of {
        text += ", of the sets that are judged so far";
    }
    text += ".\n";
    let has_sizes = |charge: &flyball_model::study::Charge| !charge.working_sets.is_empty();
    if study.charges.iter().any(has_sizes) {
        let _ = writeln!(
            text,
            "{DIM}With cache-related delays, by working set: `flyball plot`, or --json.{DIM:#}"
        );
    }
    if is_partial {
        text += "–: not known before all caps of the scenario have sets.\n";
    }
    text
}

/// Whether a scenario has caps without sets.
fn is_partial(results: &Results) -> bool {
    let mut scenarios = 0..results.study().scenarios.len();
    scenarios.any(|scenario| {
        let (finished, of) = results.caps(scenario);
        finished < of
    })
}

/// Scenarios by tests, with one variant of overheads. If caps are missing, it says how many there
/// are.
fn table(results: &Results, variant: Variant) -> String {
    let study = results.study();
    let of_variant = |label: &(usize, &Label)| label.1.variant == variant;
    let labels: Vec<(usize, &Label)> = results
        .labels()
        .iter()
        .enumerate()
        .filter(of_variant)
        .collect();
    let is_partial = is_partial(results);
    let mut columns = vec!["SCENARIO"];
    if is_partial {
        columns.push("CAPS");
    }
    columns.extend(
        labels
            .iter()
            .map(|(_, it)| study.tests[it.test].name.as_str()),
    );
    let mut table = output::table(&columns, &columns[1..]).spare_all();
    for (place, scenario) in study.scenarios.iter().enumerate() {
        let mut row = vec![scenario.name()];
        if is_partial {
            let (finished, of) = results.caps(place);
            row.push(format!("{finished} of {of}"));
        }
        row.extend(labels.iter().map(|&(label, _)| {
            let weighted = results.weighted(place, label);
            weighted.map_or_else(|| "–".to_owned(), |it| format!("{:.3}", it.value))
        }));
        table.add_row(row);
    }
    table.render()
}
