//! Reads sources and sinks.

use super::length::length;
use super::resources::{Resources, Sort};
use super::table::{Node, Read, Table, tables, time, whole};
use crate::endpoint::{End, Endpoint};
use crate::error::Kind;
use crate::taskset::{TaskSet, Trigger};

const KEYS: &[&str] = &["queue", "gauge", "every", "count", "phase"];

/// Reads all endpoints: the sources, then the sinks.
pub(super) fn read<'d>(document: &Table<'d>, resources: &Resources<'d>) -> Read<Vec<Endpoint>> {
    let mut endpoints = Vec::new();
    for end in [End::Source, End::Sink] {
        for (index, node) in nodes(document, end)?.iter().enumerate() {
            let place = format!("{} {}", end.key(), index + 1);
            let endpoint = one(document, node, end, resources);
            endpoints.push(endpoint.map_err(|error| error.within(&place))?);
        }
    }
    Ok(endpoints)
}

/// The tables of one end. A `source` that is a text says where the set was published.
fn nodes<'d>(document: &Table<'d>, end: End) -> Read<&'d [Node<'d>]> {
    let key = end.key();
    let read = |source, node: &'d Node<'d>| {
        if node.get_ref().is_str() {
            return Ok(&[][..]);
        }
        tables(key)(source, node)
    };
    Ok(document.get(key, read)?.map_or(&[], |nodes| nodes.value))
}

fn one<'d>(
    document: &Table<'d>,
    node: &'d Node<'d>,
    end: End,
    resources: &Resources<'d>,
) -> Read<Endpoint> {
    let source = document.source;
    let table = Table::open(source, node, KEYS)?;
    let what = match end {
        End::Source => "the queue that it puts messages into",
        End::Sink => "the queue that it takes messages from",
    };
    let find = |sort| move |source, node: &'d Node<'d>| resources.find(sort, source, node);
    let queue = match table.get("gauge", find(Sort::Gauge))? {
        None => table.require("queue", what, find(Sort::Queue))?,
        Some(gauge) => {
            if let Some(span) = table.key("queue") {
                let message = "it has a queue and a gauge";
                let error = source.error(Kind::Inconsistent, &span, message);
                return Err(error.help("leave one of them out, or write a table for each"));
            }
            gauge
        }
    };
    let every = table.require("every", "the time from one instant to the next", length)?;
    if every.value.shortest().is_zero() {
        let message = "the time from one instant to the next may be zero";
        let error = source.error(Kind::OutOfRange, &every.span, message);
        return Err(error.within("every").help("write a time above zero"));
    }
    let count = table.get("count", whole(1..=u16::MAX))?;
    let phase = table.get("phase", time)?;
    Ok(Endpoint {
        end,
        queue: queue.value,
        every: every.value,
        count: count.map_or(1, |count| count.value),
        phase: phase.map(|phase| phase.value).unwrap_or_default(),
    })
}

/// Checks that no sink takes messages that release jobs.
pub(super) fn check(document: &Table<'_>, set: &TaskSet) -> Read<()> {
    let sinks = set.endpoints.iter().filter(|it| it.end == End::Sink);
    for (index, (sink, node)) in sinks.zip(nodes(document, End::Sink)?).enumerate() {
        let trigger = Some(Trigger::Queue(sink.queue));
        if let Some(task) = set.tasks.iter().find(|task| task.trigger() == trigger) {
            let span = node.span();
            let name = crate::hint::quoted(&task.name);
            let message = format!("the messages of its queue release jobs of task {name}");
            let error = document.source.error(Kind::Inconsistent, &span, message);
            let place = format!("sink {}", index + 1);
            return Err(error
                .within(&place)
                .help("let the sink take from a queue of its own"));
        }
    }
    Ok(())
}
