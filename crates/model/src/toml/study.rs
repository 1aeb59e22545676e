//! Reads studies.

mod charge;
mod distribution;
mod simulate;
mod write;

pub(crate) use write::write;

use super::table::{Node, Read, Table, expected, list, tables, text, whole};
use super::{schema, size, syntax};
use crate::check::{MOST_CPUS, Names};
use crate::error::{Kind, ModelError};
use crate::hint;
use crate::source::{At, Source};
use crate::study::{Cap, Column, Known, MOST_SETS, Scenario, Simulations, Study};
use ::toml::de::{DeTable, DeValue};
use std::path::Path;

const KEYS: &[&str] = &[
    "schema",
    "name",
    "seed",
    "cpus",
    "caps",
    "sets",
    "batch",
    "tests",
    "union",
    "scenario",
    "overheads",
    "simulate",
    "policies",
];

/// Sets that are judged in one piece of work if the file does not say.
const BATCH: u32 = 250;

/// Most caps of a study, and most scenarios.
const MOST_CAPS: usize = 10_000;
const MOST_SCENARIOS: usize = 1_000;

/// Reads a study. `known` are the names of tests and policies.
pub(crate) fn read(
    source: &Source<'_>,
    known: &Known<'_>,
    overheads: charge::Overheads<'_>,
) -> Read<Study> {
    size::check(source)?;
    let document = DeTable::parse(source.text).map_err(|error| syntax(source, &error))?;
    let document = Table::document(source, document.get_ref(), KEYS);
    schema(&document)?;
    document.check_keys()?;
    let stem = Path::new(source.name).file_stem();
    let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
    let name = document.get("name", text)?;
    let cpus = document.get("cpus", whole(1..=MOST_CPUS))?;
    let most = cpus.map(|cpus| Cap(u32::from(cpus.value) * 1_000));
    let caps = document.require(
        "caps",
        "such as `{ from = 2.0, to = 8.0, step = 0.1 }`",
        |source, node| caps(source, node, most),
    )?;
    let sets = document.require("sets", "how many sets each cap has", whole(1..=MOST_SETS))?;
    let batch = document.get("batch", whole(1..=MOST_SETS))?;
    let (read_cpus, scenarios) = (
        document.require(
            "cpus",
            "how many CPUs sets are to hold on",
            whole(1..=MOST_CPUS),
        )?,
        scenarios(&document, &caps.value)?,
    );
    let cpus = read_cpus.value;
    let drawn = (&scenarios[..], &caps.value[..]);
    let simulate = simulate::simulations(&document, known, cpus, drawn)?;
    Ok(Study {
        name: name.map_or_else(|| stem.unwrap_or_default(), |name| name.value.to_owned()),
        seed: document
            .get("seed", whole(0..=u64::MAX))?
            .map_or(0, |seed| seed.value),
        cpus,
        sets: sets.value,
        batch: batch.map_or(BATCH, |batch| batch.value).min(sets.value),
        scenarios,
        tests: columns(&document, &known.tests, simulate.as_ref())?,
        simulate,
        charges: charge::charges(&document, overheads)?,
        caps: caps.value,
    })
}

/// Reads a utilisation of a set.
fn cap(source: &Source<'_>, node: &Node<'_>) -> Read<Cap> {
    let parsed = match node.get_ref() {
        DeValue::Float(number) => Cap::parse(number.as_str()),
        DeValue::Integer(number) if number.radix() == 10 => Cap::parse(number.as_str()),
        other => {
            return Err(expected(
                source,
                node,
                "a number of CPUs, such as 7.5",
                other,
            ));
        }
    };
    parsed.ok_or_else(|| {
        let mut error = expected(
            source,
            node,
            "a number of CPUs, such as 7.5",
            node.get_ref(),
        );
        error.kind = Kind::OutOfRange;
        error.help("it is not below zero, and may have three digits behind the point")
    })
}

/// Reads caps: a list, or from where to where in which steps. None is above `most`, if that is
/// known.
fn caps<'d>(source: &'d Source<'d>, node: &'d Node<'d>, most: Option<Cap>) -> Read<Vec<Cap>> {
    let mut range = None;
    let caps: Vec<Cap> = if node.get_ref().is_table() {
        let table = Table::open(source, node, &["from", "to", "step"])?;
        let from = table.require("from", "the first cap", cap)?.value;
        let to = table.require("to", "the last cap", cap)?;
        let step = table.require("step", "from one cap to the next", cap)?;
        if step.value.0 == 0 {
            let error = source.error(Kind::OutOfRange, &step.span, "a step of 0 leads nowhere");
            return Err(error.within("step").help("make it larger, such as 0.1"));
        }
        let caps = (from.0..=to.value.0).step_by(step.value.0 as usize);
        range = Some(to);
        caps.take(MOST_CAPS + 1).map(Cap).collect()
    } else {
        let caps = list(source, node)?.iter().take(MOST_CAPS + 1);
        caps.map(|node| cap(source, node)).collect::<Read<_>>()?
    };
    let fault =
        |kind, message: &str, help: &str| Err(source.error(kind, &node.span(), message).help(help));
    if caps.is_empty() {
        return fault(
            Kind::Missing,
            "there are no caps",
            "write one at least, such as `[4.0]`",
        );
    }
    if caps.len() > MOST_CAPS {
        let message = format!("there are more than {MOST_CAPS} caps");
        return fault(Kind::TooMany, &message, "make the steps larger");
    }
    if caps[0] == Cap(0) {
        return fault(
            Kind::OutOfRange,
            "a cap of 0 leaves room for no task",
            "begin above it",
        );
    }
    if !caps.is_sorted_by(|one, next| one < next) {
        let help = "write each cap once, the smallest one first";
        return fault(Kind::Inconsistent, "the caps do not rise", help);
    }
    let above = caps
        .iter()
        .position(|&cap| most.is_some_and(|most| cap > most));
    if let (Some(place), Some(most)) = (above, most) {
        let (cap, span) = match &range {
            Some(to) => (to.value, to.span.clone()),
            // The caps are those of the list.
            None => (caps[place], list(source, node)?[place].span()),
        };
        let message = format!("the cap {cap} is above the number of CPUs");
        let error = source.error(Kind::OutOfRange, &span, message);
        let error = error.help(format!("choose caps up to {most}, or more `cpus`"));
        return Err(match range {
            Some(_) => error.within("to"),
            None => error,
        });
    }
    // A user who writes an end means that cap to be in.
    if let (Some(to), Some(&last)) = (range, caps.last())
        && last != to.value
    {
        let message = format!("the steps end at {last}, not at {}", to.value);
        let error = source
            .error(Kind::Inconsistent, &to.span, message)
            .within("to");
        return Err(error.help(format!("end at {last}, or choose a step that leads there")));
    }
    Ok(caps)
}

fn scenarios(document: &Table<'_>, caps: &[Cap]) -> Read<Vec<Scenario>> {
    let source = document.source;
    let nodes = document.get("scenario", tables("scenario"))?;
    let nodes = nodes.map_or(&[][..], |nodes| nodes.value);
    if nodes.is_empty() {
        let error = ModelError::new(Kind::Missing, "there are no scenarios").in_file(source.name);
        return Err(error.help(
            "add one: `[[scenario]]`, then `periods = [\"short\"]` and `utilisations = [\"uniform-light\"]`",
        ));
    }
    let mut scenarios: Vec<Scenario> = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        let place = format!("scenario {}", number + 1);
        let read = scenario(source, node, caps).map_err(|error| error.within(&place))?;
        for found in read {
            let name = found.name();
            if scenarios.iter().any(|other| other.name() == name) {
                let message = format!("there is a scenario {name} already");
                let error = source.error(Kind::Duplicate, &node.span(), message);
                return Err(error.within(&place).help("leave one of them out"));
            }
            if scenarios.len() == MOST_SCENARIOS {
                let message = format!("there are more than {MOST_SCENARIOS} scenarios");
                let error = source.error(Kind::TooMany, &node.span(), message);
                return Err(error.help("make several studies of it"));
            }
            scenarios.push(found);
        }
    }
    Ok(scenarios)
}

/// Every periods with every utilisations.
fn scenario<'d>(source: &'d Source<'d>, node: &'d Node<'d>, caps: &[Cap]) -> Read<Vec<Scenario>> {
    let table = Table::open(source, node, &["periods", "utilisations", "slack"])?;
    let periods = table.require(
        "periods",
        "such as `[\"short\"]`",
        distribution::all_periods,
    )?;
    let utilisations = "such as `[\"uniform-light\"]`";
    let utilisations =
        table.require("utilisations", utilisations, distribution::all_utilisations)?;
    let slack = table.require("slack", "by how much a set may stay below its cap", cap)?;
    for utilisations in &utilisations.value {
        let millionths = |cap: Cap| u64::from(cap.0) * 1_000;
        let (lowest, slack) = (caps.iter().min(), millionths(slack.value));
        let out_of_reach = caps.iter().find(|&&cap| {
            let cap = millionths(cap);
            !utilisations.value.reaches(cap.saturating_sub(slack), cap)
        });
        let Some(&cap) = out_of_reach else { continue };
        let least = f64::from(utilisations.value.least().millionths()) / 1e6;
        let message = format!(
            "no set of tasks that use {least} and more comes up to the cap {cap}{}",
            if lowest == Some(&cap) {
                ""
            } else {
                " with this slack"
            },
        );
        let error = source.error(Kind::Inconsistent, &utilisations.span, message);
        return Err(error
            .within(&utilisations.value.name)
            .within("utilisations")
            .help("leave that cap out, allow more slack, or let tasks use less"));
    }
    // The caps rise.
    let smallest = caps.first().filter(|&&cap| slack.value > cap);
    if let Some(cap) = smallest {
        let message = format!("the slack {} is larger than the cap {cap}", slack.value);
        let error = source
            .error(Kind::OutOfRange, &slack.span, message)
            .within("slack");
        return Err(error.help("make it smaller: any first task would come up to that cap"));
    }
    let mut scenarios = Vec::new();
    for periods in &periods.value {
        for utilisations in &utilisations.value {
            scenarios.push(Scenario {
                periods: periods.clone(),
                utilisations: utilisations.value.clone(),
                slack: slack.value,
            });
        }
    }
    Ok(scenarios)
}

/// The tests and the unions; none are needed if there are simulations.
fn columns(
    document: &Table<'_>,
    known: &[&str],
    simulate: Option<&Simulations>,
) -> Read<Vec<Column>> {
    let source = document.source;
    let mut columns = Vec::new();
    let mut names = Names::default();
    let tests = document.get("tests", |source, node| test_names(source, node, known))?;
    for test in tests.map(|tests| tests.value).unwrap_or_default() {
        names
            .claim(source, &test)
            .map_err(|error| error.within("tests"))?;
        columns.push(Column {
            any: vec![test.value.clone()],
            name: test.value,
        });
    }
    let nodes = document.get("union", tables("union"))?;
    for (number, node) in nodes
        .map_or(&[][..], |nodes| nodes.value)
        .iter()
        .enumerate()
    {
        let within = |error: ModelError| error.within(&format!("union {}", number + 1));
        let read = || {
            let table = Table::open(source, node, &["name", "of"])?;
            let name = table.require("name", "what it is called", text)?;
            let name = At {
                value: name.value.to_owned(),
                span: name.span,
            };
            names.claim(source, &name)?;
            if let Some(policy) = simulate.and_then(|it| it.owner(&name.value)) {
                let message = format!("what is simulated under {policy} has such names");
                let error = source.error(Kind::Duplicate, &name.span, message);
                return Err(error.within("name").help("choose another name"));
            }
            let of = table.require(
                "of",
                "the tests of which one has to accept",
                |source, node| test_names(source, node, known),
            )?;
            if of.value.is_empty() {
                let error = source.error(
                    Kind::Missing,
                    &of.span,
                    "a union of no tests accepts nothing",
                );
                return Err(error.within("of").help("write the names of tests"));
            }
            Ok(Column {
                name: name.value,
                any: of.value.into_iter().map(|at| at.value).collect(),
            })
        };
        let mut read = read;
        columns.push(read().map_err(within)?);
    }
    if columns.is_empty() && simulate.is_none() {
        let error = ModelError::new(Kind::Missing, "there are no tests").in_file(source.name);
        return Err(error.help(format!(
            "add `tests = […]`, of {}, or `[simulate]`",
            hint::list(known, "and")
        )));
    }
    Ok(columns)
}

/// Reads a list of tests.
fn test_names(source: &Source<'_>, node: &Node<'_>, known: &[&str]) -> Read<Vec<At<String>>> {
    let names = list(source, node)?.iter().map(|node| {
        let name = text(source, node)?;
        if known.contains(&name) {
            return Ok(At {
                value: name.to_owned(),
                span: node.span(),
            });
        }
        let message = format!("there is no test {}", hint::quoted(name));
        let error = source.error(Kind::UnknownName, &node.span(), message);
        Err(error.help(hint::did_you_mean(name, "there are", known)))
    });
    names.collect()
}
