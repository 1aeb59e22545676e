//! Reads what tasks share, and finds it again by name.

use super::table::{Node, Read, Table, choice, tables, text, whole};
use crate::check::Names;
use crate::error::Kind;
use crate::hint;
use crate::source::{At, Source};
use crate::taskset::{Mutex, Protocol, Queue, Semaphore, Trigger};
use flyball_trace::GaugeKind;
use std::cell::Cell;
use std::collections::HashMap;

/// The words for the protocols of mutexes.
const PROTOCOLS: &[(&str, Protocol)] = &[("inherit", Protocol::Inherit), ("none", Protocol::None)];

/// The words for the kinds of gauges.
const GAUGES: &[(&str, GaugeKind)] =
    &[("backlog", GaugeKind::Backlog), ("stock", GaugeKind::Stock)];

/// The sorts of resources.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Mutex,
    Semaphore,
    Queue,
    Server,
    Gauge,
}

impl Sort {
    const ALL: [Sort; 5] = [
        Sort::Mutex,
        Sort::Semaphore,
        Sort::Queue,
        Sort::Server,
        Sort::Gauge,
    ];

    /// The key of its tables.
    pub(super) fn key(self) -> &'static str {
        match self {
            Sort::Mutex => "mutex",
            Sort::Semaphore => "semaphore",
            Sort::Queue => "queue",
            Sort::Server => "server",
            Sort::Gauge => "gauge",
        }
    }
}

/// The resources by their names.
#[derive(Default)]
pub(super) struct Resources<'d>([HashMap<&'d str, u16>; 5]);

impl<'d> Resources<'d> {
    /// Reads all mutexes.
    pub(super) fn mutexes(&mut self, document: &Table<'d>) -> Read<Vec<Mutex>> {
        self.read(
            document,
            Sort::Mutex,
            &["name", "protocol"],
            |name, table| {
                let protocol = table.get("protocol", choice(PROTOCOLS))?;
                let protocol = protocol.map_or_else(Protocol::default, |protocol| protocol.value);
                Ok(Mutex { name, protocol })
            },
        )
    }

    /// Reads all semaphores.
    pub(super) fn semaphores(&mut self, document: &Table<'d>) -> Read<Vec<Semaphore>> {
        self.read(
            document,
            Sort::Semaphore,
            &["name", "initial"],
            |name, table| {
                let initial = table.get("initial", whole(0..=u32::MAX))?;
                Ok(Semaphore {
                    name,
                    initial: initial.map_or(0, |initial| initial.value),
                })
            },
        )
    }

    /// Reads all queues, and the gauges behind them, whose numbers go on from there.
    pub(super) fn queues_and_gauges(&mut self, document: &Table<'d>) -> Read<Vec<Queue>> {
        let mut all = self.queues(document)?;
        let gauges = self.read(
            document,
            Sort::Gauge,
            &["name", "capacity", "kind"],
            |name, table| {
                let what = "its highest level";
                let capacity = table.require("capacity", what, whole(1..=u16::MAX))?;
                let what =
                    "\"backlog\", which a task lowers as it works, or \"stock\", which it raises";
                let kind = table.require("kind", what, choice(GAUGES))?;
                Ok(Queue {
                    name,
                    capacity: capacity.value,
                    gauge: Some(kind.value),
                })
            },
        )?;
        // As for other resources: one less than there are numbers.
        let room = usize::from(u16::MAX).saturating_sub(all.len());
        if gauges.len() > room {
            let message = format!("too many queues and gauges: at most {}", u16::MAX);
            return Err(document
                .source
                .error(Kind::TooMany, &document.span, message));
        }
        // There are fewer, as has just been checked.
        let first = u16::try_from(all.len()).unwrap_or(u16::MAX);
        for number in self.0[Sort::Gauge as usize].values_mut() {
            *number = number.saturating_add(first);
        }
        all.extend(gauges);
        Ok(all)
    }

    /// Reads all queues.
    fn queues(&mut self, document: &Table<'d>) -> Read<Vec<Queue>> {
        let room = Cell::new(u16::MAX);
        self.read(
            document,
            Sort::Queue,
            &["name", "capacity"],
            |name, table| {
                let what = "the number of messages that it holds";
                let capacity = table.require("capacity", what, whole(1..=u16::MAX))?;
                let rest = room.get().checked_sub(capacity.value).ok_or_else(|| {
                    let message = format!("all queues together hold at most {} messages", u16::MAX);
                    let error = document
                        .source
                        .error(Kind::TooMany, &capacity.span, message);
                    error.help("make the queues smaller")
                })?;
                room.set(rest);
                Ok(Queue {
                    name,
                    capacity: capacity.value,
                    gauge: None,
                })
            },
        )
    }

    /// Reads all resources of one sort, and enters their names. `rest` reads what is not the name.
    pub(super) fn read<T>(
        &mut self,
        document: &Table<'d>,
        sort: Sort,
        keys: &'static [&'static str],
        rest: impl Fn(String, &Table<'d>) -> Read<T>,
    ) -> Read<Vec<T>> {
        let source = document.source;
        let mut names = Names::default();
        let mut one = |index: usize, node: &'d Node<'d>| {
            // One less than there are numbers: a kernel counts its rows in 16 bits.
            let number = u16::try_from(index)
                .ok()
                .filter(|&number| number < u16::MAX);
            let number = number.ok_or_else(|| {
                let message = format!("too many: at most {}", u16::MAX);
                source.error(Kind::TooMany, &node.span(), message)
            })?;
            let table = Table::open(source, node, keys)?;
            let name = table.require("name", "by which steps refer to it", text)?;
            self.0[sort as usize].insert(name.value, number);
            let name = At {
                value: name.value.to_owned(),
                span: name.span,
            };
            names.claim(source, &name)?;
            rest(name.value, &table)
        };
        let key = sort.key();
        let nodes = document
            .get(key, tables(key))?
            .map_or(&[][..], |nodes| nodes.value);
        let nodes = nodes.iter().enumerate();
        nodes
            .map(|(index, node)| {
                one(index, node).map_err(|error| error.within(&format!("{key} {}", index + 1)))
            })
            .collect()
    }

    /// The queue or the semaphore of a name.
    pub(super) fn trigger(&self, source: &Source<'_>, node: &Node<'_>) -> Read<Trigger> {
        let name = text(source, node)?;
        let number = |sort| self.0[sort as usize].get(name).copied();
        match (number(Sort::Queue), number(Sort::Semaphore)) {
            (Some(queue), None) => Ok(Trigger::Queue(queue)),
            (None, Some(semaphore)) => Ok(Trigger::Semaphore(semaphore)),
            (Some(_), Some(_)) => {
                let message = format!("{} is a queue and a semaphore", hint::quoted(name));
                let error = source.error(Kind::Duplicate, &node.span(), message);
                Err(error.help("rename one of them"))
            }
            (None, None) if number(Sort::Mutex).or(number(Sort::Gauge)).is_some() => {
                let sort = number(Sort::Mutex).map_or(Sort::Gauge, |_| Sort::Mutex);
                let (name, sort) = (hint::quoted(name), sort.key());
                let message = format!("{name} is a {sort}, which releases no jobs");
                let error = source.error(Kind::WrongType, &node.span(), message);
                Err(error.help("name a queue or a semaphore"))
            }
            (None, None) => {
                let shown = hint::quoted(name);
                let message = format!("there is no queue and no semaphore {shown}");
                let error = source.error(Kind::UnknownName, &node.span(), message);
                let sorts = [Sort::Queue, Sort::Semaphore].into_iter();
                let names = sorts.flat_map(|sort| self.0[sort as usize].keys().copied());
                Err(error.help(match hint::closest(name, names) {
                    Some(name) => format!("did you mean {name:?}?"),
                    None => format!("declare it with `[[queue]]` and `name = {shown}`"),
                }))
            }
        }
    }

    /// The number of the resource that a step names.
    pub(super) fn find(&self, sort: Sort, source: &Source<'_>, node: &Node<'_>) -> Read<u16> {
        let name = text(source, node)?;
        if let Some(&number) = self.0[sort as usize].get(name) {
            return Ok(number);
        }
        let (key, shown) = (sort.key(), hint::quoted(name));
        let others = Sort::ALL.into_iter().filter(|&other| other != sort);
        for other in others {
            if self.0[other as usize].contains_key(name) {
                let message = format!("{shown} is a {}, and this needs a {key}", other.key());
                let error = source.error(Kind::WrongType, &node.span(), message);
                return Err(error.help(format!("name one that is declared with `[[{key}]]`")));
            }
        }
        let error = source.error(
            Kind::UnknownName,
            &node.span(),
            format!("there is no {key} {shown}"),
        );
        let names = self.0[sort as usize].keys().copied();
        Err(error.help(match hint::closest(name, names) {
            Some(name) => format!("did you mean {name:?}?"),
            None => format!("declare it with `[[{key}]]` and `name = {shown}`"),
        }))
    }
}
