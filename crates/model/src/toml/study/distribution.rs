//! Reads what a study's tasks are drawn from.

use crate::error::{Kind, ModelError};
use crate::hint;
use crate::share::Share;
use crate::source::{At, Source, Span};
use crate::study::{Mode, Periods, Shape, Utilisations};
use crate::toml::table::{Node, Read, Table, expected, list, share, tables, text, time, whole};
use ::toml::de::DeValue;
use flyball_trace::Duration;

const US: Duration = Duration::from_micros(1);

/// Longest name of a distribution in characters.
const LONGEST_NAME: usize = 40;

/// Reads a list of periods, by name or by range.
pub(super) fn all_periods<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Vec<Periods>> {
    each(source, node, |node| match node.get_ref() {
        DeValue::String(name) => {
            let missing = || unknown(source, node, name, "periods", &Periods::names());
            Periods::named(name).ok_or_else(missing)
        }
        _ => periods(source, node),
    })
}

/// Reads a list of utilisations, by name or by shape, and where each of them stands.
pub(super) fn all_utilisations<'d>(
    source: &'d Source<'d>,
    node: &'d Node<'d>,
) -> Read<Vec<At<Utilisations>>> {
    each(source, node, |node| {
        let value = match node.get_ref() {
            DeValue::String(name) => {
                let missing =
                    || unknown(source, node, name, "utilisations", &Utilisations::names());
                Utilisations::named(name).ok_or_else(missing)
            }
            _ => utilisations(source, node),
        }?;
        Ok(At {
            value,
            span: node.span(),
        })
    })
}

fn each<'d, T>(
    source: &'d Source<'d>,
    node: &'d Node<'d>,
    read: impl Fn(&'d Node<'d>) -> Read<T>,
) -> Read<Vec<T>> {
    let items = list(source, node)?;
    if items.is_empty() {
        let error = source.error(Kind::Missing, &node.span(), "the list is empty");
        return Err(error.help("write one at least"));
    }
    items.iter().map(read).collect()
}

fn unknown(
    source: &Source<'_>,
    node: &Node<'_>,
    name: &str,
    what: &str,
    known: &[&str],
) -> ModelError {
    let message = format!("there are no {what} {}", hint::quoted(name));
    let error = source.error(Kind::UnknownName, &node.span(), message);
    error.help(hint::did_you_mean(name, "there are", known))
}

/// Reads the name of a distribution, which becomes a part of a folder's name.
fn name(table: &Table<'_>) -> Read<String> {
    let name = table.require("name", "what they are called", text)?;
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=LONGEST_NAME).contains(&name.value.len()) && name.value.chars().all(is_plain) {
        return Ok(name.value.to_owned());
    }
    let message = format!(
        "expected up to {LONGEST_NAME} lower-case letters, digits and dashes, found {}",
        hint::quoted(name.value)
    );
    let error = table.source.error(Kind::OutOfRange, &name.span, message);
    Err(error.within("name").help("it becomes the name of a folder"))
}

fn periods<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Periods> {
    let table = Table::open(source, node, &["name", "uniform"])?;
    let name = name(&table)?;
    let whole_us = |source: &Source<'_>, node: &Node<'_>| {
        let period = time(source, node)?;
        if period >= US && period.as_nanos() % US.as_nanos() == 0 {
            return Ok(period);
        }
        let message = format!("expected whole microseconds, found {period}");
        let error = source.error(Kind::OutOfRange, &node.span(), message);
        Err(error.help("periods are drawn in microseconds, from 1us on"))
    };
    let range = table.require(
        "uniform",
        "such as `[\"3ms\", \"33ms\"]`",
        |source, node| {
            let (shortest, longest) = pair(source, node, whole_us)?;
            let span = shortest.span.start..longest.span.end;
            ordered(source, &span, shortest.value <= longest.value)?;
            Ok((shortest.value, longest.value))
        },
    )?;
    let (shortest, longest) = range.value;
    Ok(Periods {
        name,
        shortest,
        longest,
    })
}

fn utilisations<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Utilisations> {
    let table = Table::open(source, node, &["name", "uniform", "exponential", "modes"])?;
    let name = name(&table)?;
    let Some(modes) = table.get("modes", tables("modes"))? else {
        let shape = shape(&table)?;
        return Ok(Utilisations {
            name,
            modes: vec![Mode { weight: 1, shape }],
        });
    };
    if table.key("uniform").is_some() || table.key("exponential").is_some() {
        let error = source.error(
            Kind::Inconsistent,
            &table.span,
            "there are modes and a shape, too",
        );
        return Err(error.help("put the shape into `modes`, or leave one out"));
    }
    let read = |node: &'d Node<'d>| -> Read<Mode> {
        let table = Table::open(source, node, &["weight", "uniform", "exponential"])?;
        let weight = table
            .require("weight", "such as 8 of 9", whole(0..=1_000_000))?
            .value;
        Ok(Mode {
            weight,
            shape: shape(&table)?,
        })
    };
    let read: Vec<Mode> = modes
        .value
        .iter()
        .enumerate()
        .map(|(number, node)| {
            read(node).map_err(|error| error.within(&format!("modes: {}", number + 1)))
        })
        .collect::<Read<_>>()?;
    if read.iter().all(|mode| mode.weight == 0) {
        let error = source.error(Kind::OutOfRange, &modes.span, "no mode has any weight");
        return Err(error
            .within("modes")
            .help("give one of them a weight of 1 at least"));
    }
    Ok(Utilisations { name, modes: read })
}

fn shape(table: &Table<'_>) -> Read<Shape> {
    let source = table.source;
    let positive = |share: &At<Share>| {
        if share.value > Share::default() {
            return Ok(share.value);
        }
        let error = source.error(
            Kind::OutOfRange,
            &share.span,
            "tasks that use nothing never end",
        );
        Err(error.help("begin above zero, such as at 0.001"))
    };
    let uniform = table.get("uniform", |source, node| {
        let (from, to) = pair(source, node, share)?;
        ordered(
            source,
            &(from.span.start..to.span.end),
            from.value <= to.value,
        )?;
        Ok(Shape::Uniform(positive(&from)?, to.value))
    })?;
    let exponential = table.get("exponential", |source, node| {
        let mean = At {
            value: share(source, node)?,
            span: node.span(),
        };
        Ok(Shape::Exponential(positive(&mean)?))
    })?;
    match (uniform, exponential) {
        (Some(shape), None) | (None, Some(shape)) => Ok(shape.value),
        (None, None) => {
            let error = source.error(Kind::Missing, &table.span, "there is no shape");
            Err(error.help("add `uniform = [0.1, 0.4]` or `exponential = 0.1`, the mean"))
        }
        (Some(_), Some(shape)) => {
            let error = source.error(Kind::Inconsistent, &shape.span, "there are two shapes");
            Err(error.help("leave one out, or write `modes` with a weight for each"))
        }
    }
}

/// Reads a list of two.
pub(super) fn pair<T>(
    source: &Source<'_>,
    node: &Node<'_>,
    read: impl Fn(&Source<'_>, &Node<'_>) -> Read<T>,
) -> Read<(At<T>, At<T>)> {
    let [first, second] = list(source, node)? else {
        return Err(expected(
            source,
            node,
            "a list of two, the least and the most",
            node.get_ref(),
        ));
    };
    let read = |node: &Node<'_>| {
        Ok(At {
            value: read(source, node)?,
            span: node.span(),
        })
    };
    Ok((read(first)?, read(second)?))
}

pub(super) fn ordered(source: &Source<'_>, span: &Span, are: bool) -> Read<()> {
    if are {
        return Ok(());
    }
    let error = source.error(Kind::Inconsistent, span, "the least is above the most");
    Err(error.help("write the smaller one first"))
}
