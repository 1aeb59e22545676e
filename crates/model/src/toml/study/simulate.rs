//! Reads what a study simulates.

use super::distribution::{ordered, pair};
use crate::error::{Kind, ModelError};
use crate::hint;
use crate::share::Share;
use crate::source::{At, Source};
use crate::speeds::Speeds;
use crate::study::simulations::{MOST_POLICIES, MOST_SEEDS, MOST_SIMULATED_JOBS};
use crate::study::{Cap, Known, KnownPolicy, Measure, Phases, Scenario, Simulations, Utilisations};
use crate::toml::platform;
use crate::toml::speeds::speeds;
use crate::toml::table::{Node, Read, Table, choice, list, share, text, time, whole};
use flyball_trace::Duration;
use std::collections::BTreeMap;

const KEYS: &[&str] = &[
    "policies",
    "sources",
    "horizon",
    "measures",
    "seeds",
    "execution",
    "phases",
    "speeds",
];

pub(super) const PHASES: &[(&str, Phases)] = &[("zero", Phases::Zero), ("random", Phases::Random)];

/// Reads `[simulate]`, and the settings of policies.
pub(super) fn simulations(
    document: &Table<'_>,
    known: &Known<'_>,
    cpus: u8,
    (scenarios, caps): (&[Scenario], &[Cap]),
) -> Read<Option<Simulations>> {
    let settings = document.get("policies", platform::policies)?;
    let read = |source, node| simulate(source, node, known, cpus, (scenarios, caps));
    let Some(mut found) = document.get("simulate", read)? else {
        return match settings {
            None => Ok(None),
            Some(settings) => {
                let message = "settings of policies, and nothing is simulated";
                let error = document
                    .source
                    .error(Kind::Inconsistent, &settings.span, message);
                Err(error
                    .within("policies")
                    .help("add `[simulate]`, or leave them out"))
            }
        };
    };
    found.value.settings = settings.map(|it| it.value).unwrap_or_default();
    Ok(Some(found.value))
}

fn simulate<'d>(
    source: &'d Source<'d>,
    node: &'d Node<'d>,
    known: &Known<'_>,
    cpus: u8,
    (scenarios, caps): (&[Scenario], &[Cap]),
) -> Read<Simulations> {
    let table = Table::open(source, node, KEYS)?;
    let such_as = "such as `[\"rm\", \"edf\"]`";
    let policies = table.require("policies", such_as, |source, node| {
        policies(source, node, known)
    })?;
    let sources = table.get("sources", |source, node| {
        sources(source, node, known, &policies.value)
    })?;
    let horizon = table.require("horizon", "how long each simulation is", time)?;
    check_horizon(source, &horizon, scenarios, caps).map_err(|error| error.within("horizon"))?;
    let execution = table.get("execution", execution)?;
    let phases = table.get("phases", choice(PHASES))?;
    let speeds = table.get("speeds", |source, node| speeds(source, node, cpus))?;
    let speeds = speeds.map(|speeds| speeds.value);
    let measures = table.get("measures", |source, node| {
        measures(source, node, speeds.as_ref())
    })?;
    let all = || {
        let mut all = Measure::ALL.to_vec();
        all.retain(|measure| *measure != Measure::Energy || has_powers(speeds.as_ref()));
        all
    };
    let seeds = table.get("seeds", whole(1..=MOST_SEEDS))?;
    let found = Simulations {
        sources: match sources {
            Some(sources) => sources.value,
            None => known_sources(known, &policies.value),
        },
        policies: policies.value,
        measures: measures.map_or_else(all, |measures| measures.value),
        horizon: horizon.value,
        seeds: seeds.as_ref().map_or(1, |seeds| seeds.value),
        execution: execution.map(|execution| execution.value),
        phases: phases.map(|phases| phases.value).unwrap_or_default(),
        speeds,
        settings: BTreeMap::new(),
    };
    if let Some(seeds) = seeds.filter(|seeds| seeds.value > 1 && !found.are_random()) {
        let message = "nothing in the simulations is random, so all seeds give the same";
        let error = source.error(Kind::Inconsistent, &seeds.span, message);
        return Err(error
            .within("seeds")
            .help("add `phases = \"random\"` or `execution = [0.5, 1.0]`, or leave `seeds` out"));
    }
    Ok(found)
}

/// Reads a list that is not empty and has nothing twice.
fn once<'d, T: PartialEq>(
    source: &'d Source<'d>,
    node: &'d Node<'d>,
    what: &str,
    read: impl Fn(&'d Node<'d>) -> Read<T>,
) -> Read<Vec<T>> {
    let mut found = Vec::new();
    for node in list(source, node)? {
        let one = read(node)?;
        if found.contains(&one) {
            let message = format!("the list has this {what} already");
            let error = source.error(Kind::Duplicate, &node.span(), message);
            return Err(error.help("leave it out here"));
        }
        found.push(one);
    }
    if found.is_empty() {
        let error = source.error(Kind::Missing, &node.span(), "the list is empty");
        return Err(error.help("write one at least"));
    }
    Ok(found)
}

/// Reads names of policies; each becomes the policy's own.
fn policies<'d>(
    source: &'d Source<'d>,
    node: &'d Node<'d>,
    known: &Known<'_>,
) -> Read<Vec<String>> {
    let found = once(source, node, "policy", |node| {
        let name = text(source, node)?;
        let Some(policies) = &known.policies else {
            return Ok(name.to_owned());
        };
        let is_it =
            |known: &&KnownPolicy<'_>| known.names.iter().any(|it| it.eq_ignore_ascii_case(name));
        let found = policies.iter().find(is_it);
        if let Some(own) = found.and_then(|known| known.names.first()) {
            return Ok((*own).to_owned());
        }
        let message = format!("there is no policy {}", hint::quoted(name));
        let error = source.error(Kind::UnknownName, &node.span(), message);
        let own: Vec<&str> = policies
            .iter()
            .filter_map(|it| it.names.first().copied())
            .collect();
        Err(error.help(hint::did_you_mean(name, "there are", &own)))
    })?;
    if found.len() > MOST_POLICIES {
        let message = format!("there are more than {MOST_POLICIES} policies");
        let error = source.error(Kind::TooMany, &node.span(), message);
        return Err(error.help("make several studies of it"));
    }
    Ok(found)
}

/// What tells these policies from others of their names, as it is known.
fn known_sources(known: &Known<'_>, policies: &[String]) -> BTreeMap<String, String> {
    let all = known.policies.iter().flatten();
    let known = all.filter_map(|it| Some((*it.names.first()?, it.source?)));
    known
        .filter(|(name, _)| policies.iter().any(|policy| policy == name))
        .map(|(name, source)| (name.to_owned(), source.to_owned()))
        .collect()
}

/// Reads what tells policies from others of their names, as it was written down with results. It has
/// to be as it is known now.
fn sources<'d>(
    source: &'d Source<'d>,
    node: &'d Node<'d>,
    known: &Known<'_>,
    policies: &[String],
) -> Read<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for (name, node) in Table::open_any(source, node)?.entries() {
        let written = text(source, node)?;
        found.insert(name.value.to_owned(), written.to_owned());
        if !policies.iter().any(|policy| policy == name.value) {
            let message = format!("{} is not simulated", hint::quoted(name.value));
            let error = source.error(Kind::UnknownName, &name.span, message);
            return Err(error.help(hint::did_you_mean(
                name.value,
                "there are",
                &names(policies),
            )));
        }
    }
    if known.policies.is_some() && found != known_sources(known, policies) {
        let message = "the policies are others than those that this was written for";
        let error = source.error(Kind::Inconsistent, &node.span(), message);
        return Err(error.help("leave `sources` out to simulate those that there are now"));
    }
    Ok(found)
}

fn names(policies: &[String]) -> Vec<&str> {
    policies.iter().map(String::as_str).collect()
}

fn has_powers(speeds: Option<&Speeds>) -> bool {
    speeds.is_some_and(|speeds| speeds.power().is_some())
}

/// Reads names of measures.
fn measures<'d>(
    source: &'d Source<'d>,
    node: &'d Node<'d>,
    speeds: Option<&Speeds>,
) -> Read<Vec<Measure>> {
    once(source, node, "measure", |node| {
        let name = text(source, node)?;
        let Some(measure) = Measure::ALL.into_iter().find(|it| it.name() == name) else {
            let message = format!("there is no measure {}", hint::quoted(name));
            let error = source.error(Kind::UnknownName, &node.span(), message);
            let names = Measure::ALL.map(Measure::name);
            return Err(error.help(hint::did_you_mean(name, "there are", &names)));
        };
        if measure == Measure::Energy && !has_powers(speeds) {
            let message = "the energy is not known without powers";
            let error = source.error(Kind::Inconsistent, &node.span(), message);
            return Err(error.help(
                "add `speeds = { frequencies = […], power = […] }`, as in the platform of a task set",
            ));
        }
        Ok(measure)
    })
}

/// Reads from which to which part of its longest execution time a job computes.
fn execution(source: &Source<'_>, node: &Node<'_>) -> Read<[Share; 2]> {
    let (from, to) = pair(source, node, share)?;
    ordered(
        source,
        &(from.span.start..to.span.end),
        from.value <= to.value,
    )?;
    if from.value == Share::default() {
        let error = source.error(Kind::OutOfRange, &from.span, "a job computes something");
        return Err(error.help("begin above zero, such as at 0.5"));
    }
    Ok([from.value, to.value])
}

/// Refuses a horizon in which a set has too many jobs, about: as many tasks as have the cap
/// together on average, all with the shortest period.
fn check_horizon(
    source: &Source<'_>,
    horizon: &At<Duration>,
    scenarios: &[Scenario],
    caps: &[Cap],
) -> Result<(), ModelError> {
    let fault = |kind, message: &str, help: String| {
        Err(source.error(kind, &horizon.span, message).help(help))
    };
    if horizon.value.is_zero() {
        let help = "write how long each simulation is, such as \"1s\"".to_owned();
        return fault(Kind::OutOfRange, "in no time nothing happens", help);
    }
    let Some(most) = caps.last() else {
        return Ok(());
    };
    for scenario in scenarios {
        let (tasks, shortest) = (
            u128::from(most.0) * 1_000 / mean(&scenario.utilisations).max(1),
            u128::from(scenario.periods.shortest.as_nanos()).max(1),
        );
        let tasks = tasks.max(1);
        let jobs = tasks * u128::from(horizon.value.as_nanos()) / shortest;
        if jobs > u128::from(MOST_SIMULATED_JOBS) {
            let message = format!(
                "a set of {} with the cap {most} may have {jobs} jobs in this time, and a simulation has {MOST_SIMULATED_JOBS} at most",
                scenario.name()
            );
            let fits = u128::from(MOST_SIMULATED_JOBS) * shortest / tasks;
            let fits = u64::try_from(fits).unwrap_or(u64::MAX).max(1);
            // Two digits are enough.
            let magnitude = 10_u64.pow(fits.ilog10().saturating_sub(1));
            let fits = Duration::from_nanos(fits / magnitude * magnitude);
            return fault(Kind::TooMany, &message, format!("{fits} would do"));
        }
    }
    Ok(())
}

/// The mean utilisation of a task in millionths, about.
fn mean(utilisations: &Utilisations) -> u128 {
    use crate::study::Shape;
    let millionths = |share: Share| u128::from(share.millionths());
    let (mut weights, mut sum) = (0, 0);
    for mode in &utilisations.modes {
        let mean = match mode.shape {
            Shape::Uniform(from, to) => u128::midpoint(millionths(from), millionths(to)),
            Shape::Exponential(mean) => millionths(mean),
        };
        weights += u128::from(mode.weight);
        sum += u128::from(mode.weight) * mean;
    }
    sum / weights.max(1)
}
