//! Reads the platform, and settings of policies: of the whole set, and of a task.

use super::speeds::speeds;
use super::table::{Node, Read, Table, choice, describe, integer, list, time, whole};
use crate::check::MOST_CPUS;
use crate::error::Kind;
use crate::hint;
use crate::settings::{Setting, Settings, Value};
use crate::source::Source;
use crate::taskset::{Cost, Jitter, Overheads, Platform};
use crate::units::parse_duration;
use std::collections::BTreeMap;
use toml::de::DeValue;

/// The words for how late jobs are released.
pub(super) const JITTER: &[(&str, Jitter)] =
    &[("random", Jitter::Random), ("worst", Jitter::Worst)];

/// Reads `[platform]`.
pub(super) fn platform<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Platform> {
    let table = Table::open(
        source,
        node,
        &["cpus", "tick", "overheads", "jitter", "speeds"],
    )?;
    let tick = table.get("tick", time)?;
    if let Some(tick) = tick.as_ref().filter(|tick| tick.value.is_zero()) {
        let message = "a tick of no length would come without end";
        let error = source
            .error(Kind::OutOfRange, &tick.span, message)
            .within("tick");
        return Err(error.help("leave `tick` out for a kernel without a periodic tick"));
    }
    let cpus = table.get("cpus", whole(1..=MOST_CPUS))?;
    let cpus = cpus.map_or(1, |cpus| cpus.value);
    Ok(Platform {
        cpus,
        tick: tick.map(|tick| tick.value),
        overheads: table
            .get("overheads", overheads)?
            .map_or_else(Overheads::default, |at| at.value),
        jitter: table
            .get("jitter", choice(JITTER))?
            .map_or_else(Jitter::default, |jitter| jitter.value),
        speeds: table
            .get("speeds", |source, node| speeds(source, node, cpus))?
            .map(|speeds| speeds.value),
    })
}

/// Reads a table of overheads.
pub(super) fn overheads<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Overheads> {
    let keys = &[
        "release",
        "call",
        "scheduling",
        "context_switch",
        "tick",
        "control",
        "ipi",
        "cache",
    ];
    let table = Table::open(source, node, keys)?;
    let get = |key| {
        Ok(table
            .get(key, cost)?
            .map_or_else(Cost::default, |cost| cost.value))
    };
    Ok(Overheads {
        release: get("release")?,
        call: get("call")?,
        scheduling: get("scheduling")?,
        context_switch: get("context_switch")?,
        tick: get("tick")?,
        control: get("control")?,
        ipi: get("ipi")?,
        cache: get("cache")?,
    })
}

/// Reads a time, or times by task count.
pub(super) fn cost<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Cost> {
    if !node.get_ref().is_table() {
        return time(source, node).map(Cost::fixed);
    }
    let table = Table::open_any(source, node)?;
    let mut points = BTreeMap::new();
    for (key, node) in table.entries() {
        let digits = !key.value.is_empty() && key.value.bytes().all(|byte| byte.is_ascii_digit());
        let count = key
            .value
            .parse()
            .ok()
            .filter(|&count: &u32| digits && count > 0);
        let Some(count) = count else {
            let found = hint::quoted(key.value);
            let message = format!("expected a number of tasks from 1 on, found {found}");
            let error = source.error(Kind::OutOfRange, &key.span, message);
            return Err(
                error.help("write costs by task count, as in `{ 5 = \"1us\", 15 = \"2us\" }`")
            );
        };
        let cost = time(source, node).map_err(|error| error.within(&hint::key(key.value)))?;
        if points.insert(count, cost).is_some() {
            let message = format!("there is a cost for {count} tasks already");
            let error = source.error(Kind::Duplicate, &key.span, message);
            return Err(error.help("leave one of them out"));
        }
    }
    if points.is_empty() {
        let error = source.error(
            Kind::OutOfRange,
            &node.span(),
            "the table of costs is empty",
        );
        return Err(error.help("leave it out where the work is free of charge"));
    }
    Ok(Cost::table(points.into_iter().collect()))
}

/// Reads `[policies]` or `[task.policies]`, a table for each policy.
pub(super) fn policies<'d>(
    source: &'d Source<'d>,
    node: &'d Node<'d>,
) -> Read<BTreeMap<String, Settings>> {
    let table = Table::open_any(source, node)?;
    table
        .entries()
        .into_iter()
        .map(|(name, node)| {
            let settings =
                settings(source, node).map_err(|error| error.within(&hint::key(name.value)))?;
            let place = Some(source.place(name.span.start));
            Ok((name.value.to_owned(), Settings { place, ..settings }))
        })
        .collect()
}

fn settings<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Settings> {
    let table = Table::open_any(source, node)?;
    let mut settings = Settings::default();
    for (key, node) in table.entries() {
        let value = value(source, node).map_err(|error| error.within(&hint::key(key.value)))?;
        let place = Some(source.place(key.span.start));
        settings
            .values
            .insert(key.value.to_owned(), Setting { value, place });
    }
    Ok(settings)
}

fn value(source: &Source<'_>, node: &Node<'_>) -> Read<Value> {
    match node.get_ref() {
        DeValue::String(text) => Ok(match parse_duration(text) {
            Ok(length) => Value::Duration(length),
            Err(_) => Value::Text(text.as_ref().to_owned()),
        }),
        DeValue::Integer(_) => integer(source, node).map(Value::Integer),
        DeValue::Float(number) if number.as_str().ends_with(|c: char| c.is_ascii_digit()) => {
            Ok(Value::Decimal(number.as_str().to_owned()))
        }
        DeValue::Boolean(value) => Ok(Value::Bool(*value)),
        DeValue::Array(rows) if rows.first().is_some_and(is_list) => {
            let number = whole(0..=u32::MAX);
            let row = |row| {
                list(source, row)?
                    .iter()
                    .map(|it| number(source, it))
                    .collect()
            };
            rows.iter().map(row).collect::<Read<_>>().map(Value::Table)
        }
        other => {
            let found = describe(other);
            let message =
                format!("expected a time, a number, true, false or a text, found {found}");
            let error = source.error(Kind::WrongType, &node.span(), message);
            Err(match other {
                DeValue::Array(_) => {
                    error.help("a table of numbers is a list of its rows: [[0, 1], [1, 0]]")
                }
                _ => error,
            })
        }
    }
}

fn is_list(node: &Node<'_>) -> bool {
    matches!(node.get_ref(), DeValue::Array(_))
}
