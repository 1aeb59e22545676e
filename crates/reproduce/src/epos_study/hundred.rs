//! Figures 17 and 18: a hundred CPUs, without overheads.

use super::curves::Curve;
use super::{
    BIMODAL, PERIODS, UNIFORM, both_readings, ordering, results, scenarios, share, study, together,
    with_baruah,
};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_model::study::Cap;
use flyball_report::reproduction::{Claim, Experiment};
use flyball_sweep::{Results, figure};

/// Figures 17 and 18.
pub(super) const PLAN: Plan = Plan {
    name: "hundred-cpus",
    title: "A hundred CPUs (section 5.4, figures 17 and 18)",
    on_machine: &[],
    run,
};

const SLACK: [Cap; 3] = [Cap(500), Cap(500), Cap(1_000)];

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let sizes = [
        (1, 15_000, 15_000),
        (40, 5_000, 5_000),
        (1_000, 2_000, 1_000),
    ];
    let (sets, first, step) = setup.size.of(sizes);
    let of = |name: &str, periods: &[&str], utilisations: &[&str]| {
        let caps = (first..=100_000).step_by(step);
        study(
            name,
            100,
            caps,
            sets,
            scenarios(periods, utilisations, SLACK),
        )
    };
    let mut light = of("hundred-light", &PERIODS, &UNIFORM[..1]);
    light.tests = both_readings();
    let others = of("hundred", &PERIODS, &[&UNIFORM[1..], &BIMODAL].concat());
    let wide = of("hundred-wide", &["short"], &["schedcat-bimodal-light"]);
    let light = results(setup, &light)?;
    let (others, wide) = (results(setup, &others)?, results(setup, &wide)?);
    let mut figures = together(figure::ratios(&light), figure::ratios(&others));
    for figure in &mut figures {
        figure.name = format!("hundred-{}", figure.name);
    }
    Ok(Experiment {
        about: "The same distributions on a hundred CPUs, without overheads.".into(),
        settings: vec![
            ("sets of each cap".into(), sets.to_string()),
            (
                "caps".into(),
                format!("{} to 100, in steps of {}", first / 1_000, step / 1_000),
            ),
        ],
        assumptions: vec![
            "Baruah's test is left out for uniform light utilisations, as in the paper (but in \"G-EDF with BAR\").".into(),
        ],
        claims: claims(&light, &others, &wide),
        figures,
        ..Experiment::default()
    })
}

fn claims(light: &Results, others: &Results, wide: &Results) -> Vec<Claim> {
    let get = |scenario: &str, label: &str| {
        Curve::find(light, scenario, label).or_else(|| Curve::find(others, scenario, label))
    };
    let gap = |periods: &str, name: &str| {
        let scenario = format!("{periods}-{name}");
        let of = |label: &str| get(&scenario, label).map_or(f64::NAN, Curve::weighted);
        of("P-EDF") - of("G-EDF")
    };
    let over = |curve: Option<Curve<'_>>| curve.and_then(Curve::is_over).unwrap_or(f64::INFINITY);
    let ends = PERIODS.map(|periods| over(get(&format!("{periods}-bimodal-light"), "G-EDF")));
    let wide = over(Curve::find(wide, "short-schedcat-bimodal-light", "G-EDF"));
    let heavy = PERIODS
        .map(|periods| gap(periods, "uniform-heavy").abs())
        .into_iter()
        .fold(0.0, f64::max);
    let least = UNIFORM
        .iter()
        .chain(&BIMODAL)
        .filter(|name| **name != "uniform-heavy")
        .flat_map(|name| PERIODS.map(|periods| gap(periods, name)))
        .fold(f64::INFINITY, f64::min);
    vec![
        ordering(
            (
                "Bimodal light: G-EDF reaches 0 at the cap 45, so 55 % of the CPUs are wasted",
                "5.4, figure 18",
                "the first cap from which on at most 1 % are accepted, within 5, for all periods",
            ),
            "45",
            format!(
                "{}, {}, {}; with SchedCAT's wider light part {wide}",
                ends[0], ends[1], ends[2]
            ),
            ends.iter().all(|end| (end - 45.0).abs() <= 5.0),
            "The eight tests, done exactly, end elsewhere.",
        ),
        ordering(
            (
                "Uniform heavy: G-EDF and P-EDF are the same",
                "5.4, figure 17",
                "0.02 of weighted schedulability",
            ),
            "the same",
            format!("{} apart at most", share(heavy)),
            heavy <= 0.02,
            "They are not.",
        ),
        ordering(
            (
                "P-EDF is better than G-EDF for all other distributions",
                "5.4",
                "by weighted schedulability",
            ),
            "better",
            format!("{} at least", share(least)),
            least > 0.0,
            "It is not for all.",
        ),
        with_baruah(light),
    ]
}
