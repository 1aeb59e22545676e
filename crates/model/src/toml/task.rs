//! Reads one task.

use super::behaviour::Steps;
use super::groups::Common;
use super::length::length;
use super::platform::policies;
use super::reserve::reserve;
use super::resources::{Resources, Sort};
use super::speeds;
use super::table::{Node, Read, Table, choice, list, share, stalls, text, time, whole};
use crate::check::{Draft, MOST_CPUS, NICE, Names};
use crate::error::Kind;
use crate::hint;
use crate::source::{At, Source};
use crate::speeds::MOST_SPEEDS;
use crate::taskset::{OnMiss, Platform, Task};

const KEYS: &[&str] = &[
    "name",
    "period",
    "sporadic",
    "gap",
    "released_by",
    "wcet",
    "bcet",
    "deadline",
    "phase",
    "jitter",
    "priority",
    "nice",
    "share",
    "reserve",
    "importance",
    "cpu",
    "cpus",
    "server",
    "stalls",
    "speed",
    "group",
    "program",
    "device",
    "on_miss",
    "behaviour",
    "policies",
];

/// The number of the fastest operating point where there are as many as there may be: 7.
#[expect(clippy::cast_possible_truncation)]
const FASTEST: u8 = MOST_SPEEDS as u8 - 1;

/// The words for what happens on a miss, here and in the CSV format.
pub(crate) const ON_MISS: &[(&str, OnMiss)] = &[
    ("continue", OnMiss::Continue),
    ("skip", OnMiss::Skip),
    ("abort", OnMiss::Abort),
    ("latest", OnMiss::Latest),
];

/// Reads the task at position `index`, and where the file says what releases its jobs, if it does.
pub(super) fn read<'d>(
    source: &'d Source<'d>,
    node: &'d Node<'d>,
    index: usize,
    platform: &Platform,
    names: &mut Names,
    resources: &'d Resources<'d>,
    common: &mut Common,
) -> Read<At<Task>> {
    let label = match node
        .get_ref()
        .get("name")
        .and_then(|name| name.get_ref().as_str())
    {
        Some(name) => format!("task {}", hint::quoted(name)),
        None => format!("task {}", index + 1),
    };
    let mut read = || -> Read<At<Task>> {
        let table = Table::open(source, node, KEYS)?;
        let name = match table.get("name", text)? {
            Some(name) => At {
                value: name.value.to_owned(),
                span: name.span,
            },
            None => At {
                value: format!("T{}", index + 1),
                span: node.span(),
            },
        };
        names.claim(source, &name)?;
        let draft = draft(&table, name, resources, common)?;
        let trigger = draft.released_by.as_ref();
        let span = trigger.map_or_else(|| node.span(), |trigger| trigger.span.clone());
        let value = draft.finish(source, platform.cpus)?;
        speeds::check_task(&table, &value, platform.speeds.as_ref())?;
        Ok(At { value, span })
    };
    read().map_err(|error| error.within(&label))
}

fn draft<'d>(
    table: &Table<'d>,
    name: At<String>,
    resources: &'d Resources<'d>,
    common: &mut Common,
) -> Read<Draft> {
    let source = table.source;
    let once = table.key("period").is_none() && table.key("sporadic").is_none();
    Ok(Draft {
        name,
        period: table.get("period", time)?,
        sporadic: table.get("sporadic", time)?,
        gap: table.get("gap", length)?,
        released_by: table.get("released_by", |source, node| {
            resources.trigger(source, node)
        })?,
        wcet: table.get("wcet", time)?,
        bcet: table.get("bcet", time)?,
        deadline: table.get("deadline", time)?,
        phase: table.get("phase", time)?,
        jitter: table.get("jitter", time)?,
        priority: table.get("priority", whole(0..=u8::MAX))?,
        nice: table.get("nice", whole(NICE))?,
        share: table.get("share", share)?,
        reserve: table.get("reserve", reserve)?,
        importance: table.get("importance", whole(0..=u16::MAX))?,
        cpu: table.get("cpu", whole(0..=MOST_CPUS - 1))?,
        cpus: table.get("cpus", cpus)?,
        server: table.get("server", |source, node| {
            resources.find(Sort::Server, source, node)
        })?,
        stalls: table.get("stalls", stalls)?,
        speed: table.get("speed", whole(0..=FASTEST))?,
        groups: common.groups(table)?,
        on_miss: table.get("on_miss", choice(ON_MISS))?,
        behaviour: table.get("behaviour", |_, node| {
            Steps::new(source, resources, once).read(node)
        })?,
        policies: table
            .get("policies", policies)?
            .map(|policies| policies.value)
            .unwrap_or_default(),
        span: table.span.clone(),
    })
}

/// Reads the CPUs that a task may run on.
fn cpus(source: &Source<'_>, node: &Node<'_>) -> Read<Vec<At<u8>>> {
    let number = whole(0..=MOST_CPUS - 1);
    let mut cpus: Vec<At<u8>> = Vec::new();
    for item in list(source, node)? {
        let value = number(source, item)?;
        if cpus.iter().any(|cpu| cpu.value == value) {
            let message = format!("CPU {value} is in the list twice");
            return Err(source.error(Kind::Inconsistent, &item.span(), message));
        }
        cpus.push(At {
            value,
            span: item.span(),
        });
    }
    if cpus.is_empty() {
        let message = "the list is empty, so that the task could run nowhere";
        let error = source.error(Kind::OutOfRange, &node.span(), message);
        return Err(error.help("leave out `cpus` if the task may run on all CPUs"));
    }
    Ok(cpus)
}
