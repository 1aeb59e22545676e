//! Reads the overheads that a study charges.

use crate::check::Names;
use crate::error::{Kind, ModelError};
use crate::measured::{Entry, OverheadFile, Statistic};
use crate::source::{At, Source, Span};
use crate::study::{Accounting, Charge};
use crate::toml::measured::STATISTICS;
use crate::toml::table::{Node, Read, Table, choice, list, tables, text, whole};

const ACCOUNTING: &[(&str, Accounting)] = &[
    (Accounting::PerJob.name(), Accounting::PerJob),
    (Accounting::Interrupts.name(), Accounting::Interrupts),
];

/// What reads a file of overheads that a study names.
pub(super) type Overheads<'o> = &'o dyn Fn(&str) -> Result<OverheadFile, ModelError>;

pub(super) fn charges(document: &Table<'_>, overheads: Overheads<'_>) -> Read<Vec<Charge>> {
    let source = document.source;
    let nodes = document.get("overheads", tables("overheads"))?;
    let mut names = Names::default();
    let nodes = nodes
        .map_or(&[][..], |nodes| nodes.value)
        .iter()
        .enumerate();
    let charges = nodes.map(|(number, node)| {
        charge(source, node, &mut names, overheads).map_err(|error| match error.file.as_deref() {
            Some(file) if file == source.name => error.within(&format!("overheads {}", number + 1)),
            // A fault of the other file is not one of a field of this one.
            _ => error,
        })
    });
    charges.collect()
}

fn charge<'d>(
    source: &'d Source<'d>,
    node: &'d Node<'d>,
    names: &mut Names,
    overheads: Overheads<'_>,
) -> Read<Charge> {
    let keys = &["name", "file", "statistic", "accounting", "working_sets"];
    let table = Table::open(source, node, keys)?;
    let name = table.require("name", "whose they are", text)?;
    let name = At {
        value: name.value.to_owned(),
        span: name.span,
    };
    names.claim(source, &name)?;
    let file = table.require("file", "what `flyball overheads --out` made", text)?;
    let statistic = table
        .get("statistic", choice(STATISTICS))?
        .map_or(Statistic::Worst, |statistic| statistic.value);
    let accounting = table.get("accounting", choice(ACCOUNTING))?;
    let working_sets = table.get("working_sets", sizes)?;
    let charge = Charge {
        name: name.value,
        file: overheads(file.value)?,
        statistic,
        accounting: accounting.map(|at| at.value).unwrap_or_default(),
        working_sets: working_sets
            .as_ref()
            .map(|at| at.value.clone())
            .unwrap_or_default(),
    };
    let has = |entry: &Entry| entry.statistic == statistic;
    if !charge.file.entries.iter().any(has) {
        let message = format!("{} has no {} of any policy", file.value, statistic.name());
        let error = source
            .error(Kind::Missing, &file.span, message)
            .within("file");
        return Err(error.help("choose another `statistic`"));
    }
    let too_large = charge
        .working_sets
        .iter()
        .find(|&&bytes| charge.file.delay(bytes, statistic).is_none());
    if let (Some(bytes), Some(at)) = (too_large, working_sets) {
        return Err(no_delay(source, &at.span, file.value, *bytes, statistic));
    }
    Ok(charge)
}

fn no_delay(
    source: &Source<'_>,
    at: &Span,
    file: &str,
    bytes: u32,
    statistic: Statistic,
) -> ModelError {
    let message = format!(
        "{file} has no {} delay of a working set of {bytes} bytes or more",
        statistic.name()
    );
    let error = source
        .error(Kind::Missing, at, message)
        .within("working_sets");
    error.help("leave it out, or measure it with `flyball overheads`")
}

/// Reads numbers of bytes in rising order.
fn sizes(source: &Source<'_>, node: &Node<'_>) -> Read<Vec<u32>> {
    let sizes = list(source, node)?
        .iter()
        .map(|node| whole(1..=u32::MAX)(source, node));
    let sizes: Vec<u32> = sizes.collect::<Read<_>>()?;
    if sizes.is_sorted_by(|one, next| one < next) {
        return Ok(sizes);
    }
    let error = source.error(
        Kind::Inconsistent,
        &node.span(),
        "the working sets do not rise",
    );
    Err(error.help("write each size once, the smallest one first"))
}
