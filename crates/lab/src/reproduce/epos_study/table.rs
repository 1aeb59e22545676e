//! Table 2, and what section 6 says of all distributions.

use super::eight::Found;
use super::{BIMODAL, PERIODS, UNIFORM, ordering, share};
use flyball_report::reproduction::Claim;

/// The difference of weighted schedulabilities that is none.
const SAME: f64 = 0.01;
/// What is close.
const CLOSE: f64 = 0.05;

pub(super) fn claims(found: &Found) -> Vec<Claim> {
    let w = |periods: &str, name: &str, label: &str| {
        found.weighted(&format!("{periods}-{name}"), label)
    };
    let over = |name: &str, of: &dyn Fn(&str, &str) -> f64| {
        PERIODS
            .iter()
            .map(|periods| of(periods, name))
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let all = || UNIFORM.iter().chain(&BIMODAL).copied();
    let gap = |periods: &str, name: &str| w(periods, name, "P-EDF") - w(periods, name, "G-EDF");
    let lost = |policy: &str, os: &str| {
        let policy = policy.to_owned();
        let charged = format!("{policy} + {os}");
        move |periods: &str, name: &str| w(periods, name, &policy) - w(periods, name, &charged)
    };
    let (p_litmus, g_litmus) = (lost("P-EDF", "LITMUS^RT"), lost("G-EDF", "LITMUS^RT"));
    let (p_epos, g_epos) = (lost("P-EDF", "EPOS"), lost("G-EDF", "EPOS"));
    let least_gap = all()
        .filter(|name| *name != "uniform-heavy")
        .flat_map(|name| PERIODS.map(|periods| gap(periods, name)))
        .fold(f64::INFINITY, f64::min);
    let widest = all()
        .max_by(|a, b| over(a, &gap).total_cmp(&over(b, &gap)))
        .unwrap_or_default();
    let best = all()
        .flat_map(|name| PERIODS.map(|periods| w(periods, name, "P-EDF")))
        .fold(0.0, f64::max);
    let light =
        w("short", "uniform-light", "P-EDF + EPOS").min(w("short", "uniform-light", "P-EDF"));
    let others = all()
        .filter(|name| *name != "uniform-light")
        .flat_map(|name| PERIODS.map(|periods| w(periods, name, "P-EDF")))
        .fold(0.0, f64::max);
    let spread = all()
        .flat_map(|name| ["G-EDF", "P-EDF"].map(|policy| (name, policy)))
        .map(|(name, policy)| {
            let values = PERIODS.map(|periods| w(periods, name, policy));
            values.iter().copied().fold(0.0, f64::max) - values.iter().copied().fold(1.0, f64::min)
        })
        .fold(0.0, f64::max);
    let bimodal_light = PERIODS
        .iter()
        .flat_map(|periods| {
            ["P-EDF", "P-EDF + EPOS", "P-EDF + LITMUS^RT"].map(|label| {
                w(periods, "bimodal-light", label) - w(periods, "bimodal-light", "G-EDF")
            })
        })
        .fold(f64::INFINITY, f64::min);
    let medium = ["uniform-medium", "bimodal-medium"];
    let max = |of: &dyn Fn(&str, &str) -> f64, names: &[&str]| {
        names
            .iter()
            .map(|name| over(name, of))
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let short_only = p_litmus("short", "bimodal-heavy");
    let elsewhere = p_litmus("moderate", "bimodal-heavy").max(p_litmus("long", "bimodal-heavy"));
    let t = "table 2";
    let weighted = "by weighted schedulability";
    vec![
        ordering(
            (
                "P-EDF is better than G-EDF for all distributions but uniform heavy",
                "5.4 and 6",
                weighted,
            ),
            "better",
            format!("{} at least", share(least_gap)),
            least_gap > 0.0,
            "It is not for all.",
        ),
        ordering(
            (
                "Periods do not matter without overheads",
                "6",
                "weighted schedulability within 0.03",
            ),
            "no influence",
            format!("{} apart at most", share(spread)),
            spread <= 0.03,
            "Other periods are drawn for each, so they differ by chance, too.",
        ),
        ordering(
            (
                "Uniform light: P-EDF, and P-EDF with EPOS, are the best of all",
                t,
                weighted,
            ),
            "the best",
            format!(
                "{} of {}; the next {}",
                share(light),
                share(best),
                share(others)
            ),
            light >= others,
            "Another one is better.",
        ),
        ordering(
            (
                "Uniform light, short: G-EDF with EPOS is better than P-EDF with LITMUS^RT",
                t,
                weighted,
            ),
            "better",
            format!(
                "{} and {}",
                share(w("short", "uniform-light", "G-EDF + EPOS")),
                share(w("short", "uniform-light", "P-EDF + LITMUS^RT"))
            ),
            w("short", "uniform-light", "G-EDF + EPOS")
                > w("short", "uniform-light", "P-EDF + LITMUS^RT"),
            "It is not, with the overheads that were inferred.",
        ),
        ordering(
            (
                "Bimodal light: P-EDF is better than G-EDF, with all overheads",
                t,
                weighted,
            ),
            "better",
            format!("{} at least", share(bimodal_light)),
            bimodal_light > 0.0,
            "It is not.",
        ),
        ordering(
            (
                "Bimodal light has the biggest difference between G-EDF and P-EDF",
                t,
                weighted,
            ),
            "bimodal light",
            widest.replace('-', " "),
            widest == "bimodal-light",
            "Another one has.",
        ),
        ordering(
            (
                "Medium: overheads matter less than for light utilisations",
                t,
                "what P-EDF loses with LITMUS^RT",
            ),
            "less",
            format!(
                "{} at most, uniform light {}",
                share(max(&p_litmus, &medium)),
                share(p_litmus("short", "uniform-light"))
            ),
            max(&p_litmus, &medium) < p_litmus("short", "uniform-light"),
            "They do not.",
        ),
        ordering(
            (
                "Medium: G-EDF with overheads is equal or close to G-EDF",
                t,
                "0.05 of weighted schedulability",
            ),
            "equal or close",
            format!(
                "{} less at most",
                share(max(&g_litmus, &medium).max(max(&g_epos, &medium)))
            ),
            max(&g_litmus, &medium).max(max(&g_epos, &medium)) <= CLOSE,
            "It is not.",
        ),
        ordering(
            (
                "Bimodal medium: P-EDF with overheads is close to P-EDF",
                t,
                "0.05 of weighted schedulability",
            ),
            "close",
            format!(
                "{} less at most",
                share(over("bimodal-medium", &p_litmus).max(over("bimodal-medium", &p_epos)))
            ),
            over("bimodal-medium", &p_litmus).max(over("bimodal-medium", &p_epos)) <= CLOSE,
            "It is not.",
        ),
        ordering(
            (
                "Uniform heavy: G-EDF and P-EDF have the same performance",
                t,
                "0.01 of weighted schedulability",
            ),
            "the same",
            format!("{} apart at most", share(over("uniform-heavy", &gap))),
            over("uniform-heavy", &gap).abs() <= SAME,
            "They have not.",
        ),
        ordering(
            (
                "Bimodal heavy: overheads change P-EDF for short periods only",
                t,
                "LITMUS^RT, by more with short periods than 0.01, which others stay below",
            ),
            "short only",
            format!("{} short, {} others", share(short_only), share(elsewhere)),
            short_only > SAME && elsewhere <= SAME,
            "Sets are not large: they have fewer than 75 tasks, for which nothing but what is stated of \
             LITMUS^RT is charged.",
        ),
        ordering(
            (
                "Bimodal heavy: overheads do not change G-EDF",
                t,
                "0.01 of weighted schedulability",
            ),
            "no change",
            format!("{} less at most", share(over("bimodal-heavy", &g_litmus))),
            over("bimodal-heavy", &g_litmus) <= SAME,
            "They change it a little.",
        ),
    ]
}
