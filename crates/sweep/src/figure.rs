//! Results as figures and tables.

pub mod simulated;

use crate::judge::{Label, Variant, size};
use crate::results::{Ratio, Results};
use flyball_model::Study;
use flyball_model::study::Scenario;
use flyball_report::reproduction::gallery::Gallery;
use flyball_report::reproduction::{Axis, Figure, Panel, Series, Shape};

/// All figures: [`ratios`], [`weighted`], and those of [simulations](simulated::figures).
pub fn all(results: &Results) -> Vec<Figure> {
    let mut figures = ratios(results);
    figures.extend(weighted(results));
    figures.extend(simulated::figures(results));
    figures
}

/// The part of sets that is accepted against the cap: a figure for periods and the kind of
/// utilisations (what their names begin with), a panel for utilisations. Overheads with a
/// cache-related delay are left to [`weighted`].
pub fn ratios(results: &Results) -> Vec<Figure> {
    if results.labels().is_empty() {
        return Vec::new();
    }
    let has_no_delay = |label: &Label| !matches!(label.variant, Variant::Charged(_, Some(_)));
    let labels = shown(results, has_no_delay);
    let panel = |scenario: usize| {
        let mut series = Vec::new();
        for &(label, colour) in &labels {
            let caps = results.study().caps.iter().enumerate();
            let points: Vec<(f64, Ratio)> = caps
                .filter_map(|(place, cap)| {
                    Some((cap.cpus(), results.ratio(scenario, place, label)?))
                })
                .collect();
            let bounds = points.iter().map(|(x, ratio)| {
                let [low, high] = ratio.interval();
                [*x, low, high]
            });
            let name = &results.labels()[label].name;
            series.push(Series::interval(name, colour, &bounds.collect::<Vec<_>>()));
            let line = points
                .iter()
                .map(|(x, ratio)| [*x, ratio.share()])
                .collect();
            series.push(Series::ours(
                name,
                shape(&results.labels()[label]),
                colour,
                line,
            ));
        }
        series
    };
    let x = cap_axis(results);
    grouped(results)
        .into_iter()
        .map(|(name, scenarios)| Figure {
            title: format!("{}: accepted sets", titled(results, &scenarios)),
            caption: "The part of random sets that each test accepts, with 95 % confidence.".into(),
            name: format!("ratio-{name}"),
            x: x.clone(),
            panels: scenarios
                .into_iter()
                .map(|scenario| Panel {
                    title: utilisations(&results.study().scenarios[scenario]),
                    y: Axis::range("accepted", 0.0, 1.0),
                    series: panel(scenario),
                })
                .collect(),
        })
        .collect()
}

/// The axis of caps.
fn cap_axis(results: &Results) -> Axis {
    let caps = &results.study().caps;
    match (caps.first(), caps.last()) {
        (Some(from), Some(to)) if from < to => {
            Axis::range("utilisation cap (CPUs)", from.cpus(), to.cpus())
        }
        _ => Axis::numbers("utilisation cap (CPUs)"),
    }
}

/// Weighted schedulability against the working set, if the study has any: figures and panels as in
/// [`ratios`].
pub fn weighted(results: &Results) -> Vec<Figure> {
    let mut sizes: Vec<u32> = results
        .study()
        .charges
        .iter()
        .flat_map(|charge| charge.working_sets.clone())
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.is_empty() || results.labels().is_empty() {
        return Vec::new();
    }
    let kinds = shown(results, |label| {
        !matches!(label.variant, Variant::Charged(_, Some(_)))
    });
    let panel = |scenario: usize| {
        let mut series = Vec::new();
        for &(label, colour) in &kinds {
            let (points, bounds) = by_size(results, scenario, label, &sizes);
            let name = &results.labels()[label].name;
            series.push(Series::interval(name, colour, &bounds));
            series.push(Series::ours(
                name,
                shape(&results.labels()[label]),
                colour,
                points,
            ));
        }
        series
    };
    let names = ["none".to_owned()]
        .into_iter()
        .chain(sizes.iter().map(|&bytes| size(bytes)));
    let names: Vec<String> = names.collect();
    grouped(results).into_iter().map(|(name, scenarios)| Figure {
        title: format!("{}: weighted schedulability", titled(results, &scenarios)),
        caption: "The accepted part of all utilisation, by the working set whose cache-related delay each \
                  job is charged; without overheads there is no delay."
            .into(),
        name: format!("weighted-{name}"),
        x: Axis::categories("working set", names.clone()),
        panels: scenarios
            .into_iter()
            .map(|scenario| Panel {
                title: utilisations(&results.study().scenarios[scenario]),
                y: Axis::range("weighted", 0.0, 1.0),
                series: panel(scenario),
            })
            .collect(),
    }).collect()
}

/// Points and bounds of a label and of those with the same test and charge that have a working set.
fn by_size(
    results: &Results,
    scenario: usize,
    label: usize,
    sizes: &[u32],
) -> (Vec<[f64; 2]>, Vec<[f64; 3]>) {
    let Label { test, variant, .. } = results.labels()[label];
    let variants = std::iter::once(variant).chain(sizes.iter().map(|&bytes| match variant {
        Variant::Ideal => Variant::Ideal,
        Variant::Charged(charge, _) => Variant::Charged(charge, Some(bytes)),
    }));
    let (mut points, mut bounds) = (Vec::new(), Vec::new());
    for (place, variant) in (0_u32..).zip(variants) {
        let is_it = |other: &Label| (other.test, other.variant) == (test, variant);
        let found = results.labels().iter().position(is_it);
        if let Some(weighted) = found.and_then(|label| results.weighted(scenario, label)) {
            let [low, high] = weighted.interval;
            points.push([f64::from(place), weighted.value]);
            bounds.push([f64::from(place), low, high]);
        }
    }
    (points, bounds)
}

/// Lines often lie on each other: those without overheads are below, and are seen between dashes
/// and dots.
fn shape(label: &Label) -> Shape {
    match label.variant {
        Variant::Ideal => Shape::Line,
        Variant::Charged(charge, _) if charge % 2 == 0 => Shape::Dashes,
        Variant::Charged(..) => Shape::Dots,
    }
}

/// The places of labels, each with its colour. If there are too many, a test has one colour with
/// all variants of overheads, which [`shape`] tells apart.
fn shown(results: &Results, is_shown: impl Fn(&Label) -> bool) -> Vec<(usize, u8)> {
    let labels = results.labels().iter().enumerate();
    let labels: Vec<_> = labels.filter(|(_, label)| is_shown(label)).collect();
    let colours = usize::from(Series::COLOURS);
    let is_enough = labels.len() <= colours;
    let colour = |(n, (place, label)): (usize, (usize, &Label))| {
        let number = if is_enough { n } else { label.test };
        // It is less than the number of colours.
        (place, u8::try_from(number % colours).unwrap_or(0))
    };
    labels.into_iter().enumerate().map(colour).collect()
}

/// Scenarios with the same periods and the same kind of utilisations, each group with its name.
fn grouped(results: &Results) -> Vec<(String, Vec<usize>)> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for (place, scenario) in results.study().scenarios.iter().enumerate() {
        let name = format!("{}-{}", scenario.periods.name, kind(scenario));
        match groups.iter_mut().find(|(other, _)| *other == name) {
            Some((_, scenarios)) => scenarios.push(place),
            None => groups.push((name, vec![place])),
        }
    }
    groups
}

/// What the name of utilisations begins with: `uniform-light` is `uniform`.
fn kind(scenario: &Scenario) -> &str {
    let name = &scenario.utilisations.name;
    name.rsplit_once('-')
        .map_or(name.as_str(), |(kind, _)| kind)
}

fn titled(results: &Results, scenarios: &[usize]) -> String {
    let scenario = &results.study().scenarios[scenarios[0]];
    let periods = &scenario.periods;
    let mut kind = kind(scenario).replace('-', " ");
    if let Some(first) = kind.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!(
        "{kind} utilisations, {} periods ({} to {})",
        periods.name, periods.shortest, periods.longest
    )
}

fn utilisations(scenario: &Scenario) -> String {
    scenario.utilisations.name.replace('-', " ")
}

/// All ratios as CSV, one row each:
/// `scenario, cap, test, sets, accepted, unknown, ratio, low, high`; the last two are the 95 %
/// interval.
pub fn ratio_table(results: &Results) -> String {
    let mut table = String::from("scenario,cap,test,sets,accepted,unknown,ratio,low,high\n");
    for (scenario, of) in results.study().scenarios.iter().enumerate() {
        for (place, cap) in results.study().caps.iter().enumerate() {
            for (label, test) in results.labels().iter().enumerate() {
                let Some(ratio) = results.ratio(scenario, place, label) else {
                    continue;
                };
                let [low, high] = ratio.interval();
                let Ratio {
                    accepted,
                    sets,
                    unknown,
                } = ratio;
                table += &row(&[
                    of.name(),
                    cap.to_string(),
                    test.name.clone(),
                    sets.to_string(),
                    accepted.to_string(),
                    unknown.to_string(),
                    format!("{:.6}", ratio.share()),
                    format!("{low:.6}"),
                    format!("{high:.6}"),
                ]);
            }
        }
    }
    table
}

/// The weighted schedulability of all scenarios with sets of all caps as CSV, one row each:
/// `scenario, test, weighted, low, high`.
pub fn weighted_table(results: &Results) -> String {
    let mut table = String::from("scenario,test,weighted,low,high\n");
    for (scenario, of) in results.study().scenarios.iter().enumerate() {
        for (label, test) in results.labels().iter().enumerate() {
            let Some(found) = results.weighted(scenario, label) else {
                continue;
            };
            let [low, high] = found.interval.map(|bound| format!("{bound:.6}"));
            table += &row(&[
                of.name(),
                test.name.clone(),
                format!("{:.6}", found.value),
                low,
                high,
            ]);
        }
    }
    table
}

/// A line of CSV. Only names of tests may have a comma or a quotation mark.
fn row(cells: &[String]) -> String {
    let quoted = cells.iter().map(|cell| {
        if cell.contains([',', '"']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.clone()
        }
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

/// The tables that there is anything for, by the names of their files.
pub fn tables(results: &Results) -> Vec<(&'static str, String)> {
    let mut tables = Vec::new();
    if !results.labels().is_empty() {
        tables.push(("ratios.csv", ratio_table(results)));
        tables.push(("weighted.csv", weighted_table(results)));
    }
    if !results.policies().is_empty() {
        tables.push(("simulated.csv", simulated::table(results)));
    }
    tables
}

/// The page with all figures.
pub fn gallery(results: &Results) -> Gallery {
    let study = results.study();
    let has_tests = !results.labels().is_empty();
    let ideal = shown(results, |label| {
        !matches!(label.variant, Variant::Charged(_, Some(_)))
    });
    let name = |&(label, _): &(usize, u8)| results.labels()[label].name.clone();
    let mut table = vec![
        ["scenario".into()]
            .into_iter()
            .chain(ideal.iter().map(name))
            .collect(),
    ];
    for (place, scenario) in study.scenarios.iter().enumerate() {
        let cells = ideal.iter().map(|&(label, _)| {
            let weighted = results.weighted(place, label);
            weighted.map_or_else(|| "–".into(), |it| format!("{:.3}", it.value))
        });
        table.push([scenario.name()].into_iter().chain(cells).collect());
    }
    let (finished, of) = results.finished();
    let mut notes = Vec::new();
    if has_tests {
        notes.push("A set that a sufficient test does not accept may hold nevertheless.".into());
        notes.push(
            "Bands and intervals of tests have 95 % confidence (Wilson's, of independent random sets)."
                .into(),
        );
    }
    notes.extend(simulated::notes(results));
    if finished < of {
        notes.push(format!(
            "The study is not finished: {finished} of {of} units are. Weighted numbers are those of scenarios with sets of all caps."
        ));
    }
    let unknown = unknown(results);
    if unknown > 0 {
        notes.push(format!(
            "{unknown} verdicts are not known, as a test gave up: ratios are without them, and intervals are wide enough for either."
        ));
    }
    Gallery {
        kicker: "Flyball sweep".into(),
        title: study.name.clone(),
        about: about(study),
        settings: settings(study),
        caption: if has_tests {
            "Weighted schedulability: the accepted part of all utilisation".into()
        } else {
            "What was counted, over all caps".into()
        },
        table: if has_tests {
            table
        } else {
            simulated::overview(results)
        },
        notes,
        figures: all(results),
        command: "flyball plot".into(),
    }
}

fn about(study: &Study) -> String {
    let mut about = String::from("Random task sets come up to a cap of utilisation");
    if !study.tests.is_empty() {
        about += ", and tests of schedulability accept them or do not";
    }
    if study.simulate.is_some() {
        about += "; each set is simulated under each policy";
    }
    about + "."
}

fn settings(study: &Study) -> Vec<(String, String)> {
    let mut settings = vec![
        ("CPUs".into(), study.cpus.to_string()),
        ("sets of each cap".into(), study.sets.to_string()),
        ("caps".into(), study.caps.len().to_string()),
        ("seed".into(), study.seed.to_string()),
    ];
    if let Some(simulations) = &study.simulate {
        settings.push(("simulated".into(), simulations.horizon.to_string()));
        settings.push((
            "simulations of each set".into(),
            simulations.seeds.to_string(),
        ));
    }
    settings
}

fn unknown(results: &Results) -> u64 {
    let mut unknown = 0;
    for scenario in 0..results.study().scenarios.len() {
        for cap in 0..results.study().caps.len() {
            for label in 0..results.labels().len() {
                let ratio = results.ratio(scenario, cap, label);
                unknown += ratio.map_or(0, |ratio| u64::from(ratio.unknown));
            }
        }
    }
    unknown
}
