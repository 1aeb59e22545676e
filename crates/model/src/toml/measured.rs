//! Reads and writes overheads that were measured.

use super::table::{Node, Read, Table, choice, tables, text, whole};
use super::write::{costs, quoted};
use super::{platform, schema, size, syntax};
use crate::check::MOST_CPUS;
use crate::error::Kind;
use crate::measured::{After, Delays, Entry, OverheadFile, Provenance, Statistic};
use crate::source::{Source, Span};
use ::toml::de::DeTable;
use core::fmt::Write;

pub(super) const STATISTICS: &[(&str, Statistic)] = &[
    ("median", Statistic::Median),
    ("mean", Statistic::Mean),
    ("p999", Statistic::P999),
    ("worst", Statistic::Worst),
];

const AFTER: &[(&str, After)] = &[
    ("preemption", After::Preemption),
    ("migration", After::Migration),
];

/// Reads a file of overheads.
pub(crate) fn read(source: &Source<'_>) -> Read<OverheadFile> {
    size::check(source)?;
    let document = DeTable::parse(source.text).map_err(|error| syntax(source, &error))?;
    let keys = &["schema", "provenance", "measured", "cache"];
    let document = Table::document(source, document.get_ref(), keys);
    schema(&document)?;
    document.check_keys()?;
    let provenance = document.require("provenance", "where it comes from", provenance)?;
    let mut entries: Vec<Entry> = Vec::new();
    let nodes = document.get("measured", tables("measured"))?;
    for (number, node) in nodes
        .map_or(&[][..], |nodes| nodes.value)
        .iter()
        .enumerate()
    {
        let (entry, span) = entry(source, node)
            .map_err(|error| error.within(&format!("measured {}", number + 1)))?;
        let same = |other: &Entry| {
            (&other.policy, &other.queue, other.statistic)
                == (&entry.policy, &entry.queue, entry.statistic)
        };
        if entries.iter().any(same) {
            let message = format!(
                "there is a {} of {} with a {} already",
                entry.statistic.name(),
                entry.policy,
                entry.queue
            );
            let error = source.error(Kind::Duplicate, &span, message);
            return Err(error.help("leave one of them out"));
        }
        entries.push(entry);
    }
    let nodes = document.get("cache", tables("cache"))?;
    let nodes = nodes
        .map_or(&[][..], |nodes| nodes.value)
        .iter()
        .enumerate();
    let delays = nodes.map(|(number, node)| {
        delays(source, node).map_err(|error| error.within(&format!("cache {}", number + 1)))
    });
    Ok(OverheadFile {
        provenance: provenance.value,
        entries,
        delays: delays.collect::<Read<_>>()?,
    })
}

fn provenance<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Provenance> {
    let keys = &["processor", "system", "method", "cpus", "repetitions"];
    let table = Table::open(source, node, keys)?;
    let word = |key| {
        let read = table.get(key, text)?;
        Ok(read.map_or_else(String::new, |text| text.value.to_owned()))
    };
    Ok(Provenance {
        processor: table
            .require("processor", "what was measured", text)?
            .value
            .to_owned(),
        system: word("system")?,
        method: word("method")?,
        cpus: table
            .get("cpus", whole(1..=MOST_CPUS))?
            .map_or(1, |cpus| cpus.value),
        repetitions: table
            .get("repetitions", whole(1..=u64::from(u32::MAX)))?
            .map_or(1, |repetitions| repetitions.value),
    })
}

/// An entry, and where it stands.
fn entry<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<(Entry, Span)> {
    let table = Table::open(source, node, &["policy", "queue", "statistic", "overheads"])?;
    let entry = Entry {
        policy: table
            .require("policy", "the policy's name", text)?
            .value
            .to_owned(),
        queue: table
            .get("queue", text)?
            .map_or_else(String::new, |queue| queue.value.to_owned()),
        statistic: table
            .require("statistic", "such as \"mean\"", choice(STATISTICS))?
            .value,
        overheads: table
            .require("overheads", "a table of costs", platform::overheads)?
            .value,
    };
    Ok((entry, table.span))
}

fn delays<'d>(source: &'d Source<'d>, node: &'d Node<'d>) -> Read<Delays> {
    let table = Table::open(source, node, &["after", "statistic", "by_working_set"])?;
    Ok(Delays {
        after: table
            .require("after", "such as \"preemption\"", choice(AFTER))?
            .value,
        statistic: table
            .require("statistic", "such as \"mean\"", choice(STATISTICS))?
            .value,
        by_working_set: table
            .require("by_working_set", "delays by bytes", platform::cost)?
            .value,
    })
}

/// Writes a file of overheads.
pub(crate) fn write(file: &OverheadFile) -> String {
    let Provenance {
        processor,
        system,
        method,
        cpus,
        repetitions,
    } = &file.provenance;
    let mut toml = format!(
        "schema = {}\n\n[provenance]\nprocessor = {}\n",
        super::SCHEMA,
        quoted(processor)
    );
    // Writing to a string cannot fail.
    for (key, text) in [("system", system), ("method", method)] {
        if !text.is_empty() {
            let _ = writeln!(toml, "{key} = {}", quoted(text));
        }
    }
    let _ = writeln!(toml, "cpus = {cpus}\nrepetitions = {repetitions}");
    for entry in &file.entries {
        let _ = writeln!(toml, "\n[[measured]]\npolicy = {}", quoted(&entry.policy));
        if !entry.queue.is_empty() {
            let _ = writeln!(toml, "queue = {}", quoted(&entry.queue));
        }
        let _ = write!(
            toml,
            "statistic = \"{}\"\n[measured.overheads]\n{}",
            entry.statistic.name(),
            costs(&entry.overheads)
        );
    }
    for delays in &file.delays {
        let _ = writeln!(
            toml,
            "\n[[cache]]\nafter = \"{}\"\nstatistic = \"{}\"\nby_working_set = {}",
            delays.after.name(),
            delays.statistic.name(),
            super::write::cost(&delays.by_working_set)
        );
    }
    toml
}
