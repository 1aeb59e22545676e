//! Reads lengths of time that may vary.

use super::table::{Node, Read, Table, list, time, whole};
use crate::error::Kind;
use crate::source::{At, Source, Span};
use crate::taskset::Length;
use flyball_trace::Duration;

/// The kinds of lengths that vary, with what to write.
const KINDS: [(&str, &str); 5] = [
    (
        "uniform",
        "write the shortest and the longest, as in `{ uniform = [\"1ms\", \"2ms\"] }`",
    ),
    (
        "one_of",
        "write at least one time, as in `{ one_of = [\"1ms\", \"3ms\"] }`",
    ),
    (
        "empirical",
        "write times and how often each was seen, as in `{ empirical = [[\"1ms\", 30], [\"3ms\", 1]] }`",
    ),
    (
        "cycle",
        "write times, and for how long each of them is valid, as in \
         `{ cycle = [\"1ms\", \"3ms\"], every = \"30s\" }`",
    ),
    (
        "normal",
        "write mean and standard deviation, and the shortest and the longest, as in \
         `{ normal = [\"2ms\", \"0.5ms\"], within = [\"1ms\", \"4ms\"] }`",
    ),
];

/// Reads a length of time that may vary.
pub(super) fn length<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Length> {
    if !node.get_ref().is_table() {
        return time(source, node).map(Length::Fixed);
    }
    let keys = &[
        "uniform",
        "one_of",
        "empirical",
        "cycle",
        "every",
        "normal",
        "within",
    ];
    let table = Table::open(source, node, keys)?;
    let mut given = KINDS.iter().filter(|(key, _)| table.key(key).is_some());
    let (Some(&(kind, help)), None) = (given.next(), given.next()) else {
        let message =
            "a length that varies is one of `uniform`, `one_of`, `empirical`, `cycle` and `normal`";
        let error = source.error(Kind::Inconsistent, &table.span, message);
        return Err(error.help("write one of them, as in `{ uniform = [\"1ms\", \"2ms\"] }`"));
    };
    if let Some(span) = table.key("within").filter(|_| kind != "normal") {
        let message = format!("only a `normal` length has limits, and this one is `{kind}`");
        let error = source.error(Kind::Inconsistent, &span, message);
        return Err(error.within("within").help("leave out `within`"));
    }
    if let Some(span) = table.key("every").filter(|_| kind != "cycle") {
        let message =
            format!("only the lengths of a `cycle` follow the clock, and this one is `{kind}`");
        let error = source.error(Kind::Inconsistent, &span, message);
        return Err(error.within("every").help("leave out `every`"));
    }
    let read = || match kind {
        "uniform" => {
            let (min, max) = ordered(source, &table, kind)?;
            Ok(Length::Uniform { min, max })
        }
        "one_of" => {
            let all = table.require(kind, help, times)?;
            not_empty(source, &all, kind)?;
            Ok(Length::OneOf(all.value))
        }
        "empirical" => {
            let all = table.require(kind, help, counted)?;
            not_empty(source, &all, kind)?;
            Ok(Length::Empirical(all.value))
        }
        "cycle" => {
            let lengths = table.require(kind, help, times)?;
            not_empty(source, &lengths, kind)?;
            if lengths.value.len() > usize::from(u16::MAX) {
                let message = format!("a cycle has at most {} times", u16::MAX);
                return Err(source.error(Kind::TooMany, &lengths.span, message));
            }
            let every = table.require("every", "for how long each of them is valid", time)?;
            if every.value.is_zero() {
                let message = "each length has to be valid for some time";
                let error = source.error(Kind::OutOfRange, &every.span, message);
                return Err(error.within("every").help("write a time above zero"));
            }
            Ok(Length::Cycle {
                lengths: lengths.value,
                every: every.value,
            })
        }
        _ => normal(source, &table, help),
    };
    read().map_err(|error| match error.help {
        None => error.help(help),
        Some(_) => error,
    })
}

fn normal<'d>(source: &'d Source<'d>, table: &Table<'d>, help: &str) -> Read<Length> {
    let given = table.require("normal", help, times)?;
    let [mean, deviation] = two(source, &given).map_err(|error| error.within("normal"))?;
    if table.key("within").is_none() {
        let message = "a normal distribution has no limits, and a job needs a longest time";
        return Err(source
            .error(Kind::Missing, &given.span, message)
            .within("normal"));
    }
    let (min, max) = ordered(source, table, "within")?;
    if !(min..=max).contains(&mean) {
        let message = format!("the mean, {mean}, is not within the limits, {min} and {max}");
        let error = source.error(Kind::Inconsistent, &given.span, message);
        return Err(error.within("normal"));
    }
    Ok(Length::Normal {
        mean,
        deviation,
        min,
        max,
    })
}

/// Two times, of which the second is not the shorter one.
fn ordered<'d>(
    source: &'d Source<'d>,
    table: &Table<'d>,
    key: &'static str,
) -> Read<(Duration, Duration)> {
    let range = table.require(key, "the shortest and the longest", times)?;
    let ordered = two(source, &range).and_then(|[min, max]| {
        if min <= max {
            return Ok((min, max));
        }
        let message = format!("the shortest, {min}, is above the longest, {max}");
        Err(source.error(Kind::Inconsistent, &range.span, message))
    });
    ordered.map_err(|error| error.within(key))
}

fn two(source: &Source<'_>, times: &At<Vec<Duration>>) -> Read<[Duration; 2]> {
    <[Duration; 2]>::try_from(&times.value[..]).map_err(|_| {
        let message = format!("expected two times, found {}", times.value.len());
        source.error(Kind::OutOfRange, &times.span, message)
    })
}

fn times<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Vec<Duration>> {
    let items = list(source, node)?.iter();
    items.map(|node| time(source, node)).collect()
}

/// Times, each with how often it was seen.
fn counted<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Vec<(Duration, u32)>> {
    let pair = |node: &'d Node<'d>| match list(source, node)? {
        [length, count] => Ok((time(source, length)?, whole(1..=u32::MAX)(source, count)?)),
        other => {
            let message = format!("expected a time and a count, found {} values", other.len());
            Err(source.error(Kind::OutOfRange, &node.span(), message))
        }
    };
    list(source, node)?.iter().map(pair).collect()
}

fn not_empty<T>(source: &Source<'_>, all: &At<Vec<T>>, key: &str) -> Read<()> {
    let at: &Span = &all.span;
    if all.value.is_empty() {
        let error = source.error(Kind::OutOfRange, at, "there is nothing to choose from");
        return Err(error.within(key));
    }
    Ok(())
}
