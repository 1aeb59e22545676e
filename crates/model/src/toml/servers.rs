//! Reads servers, and puts each with its tasks on one CPU.

use super::resources::{Resources, Sort};
use super::table::{Node, Read, Table, choice, millionths, tables, time, whole};
use crate::check::{MOST_CPUS, no_such_cpu};
use crate::error::Kind;
use crate::hint::quoted;
use crate::source::{At, Source, Span};
use crate::taskset::{Server, ServerMode, Task, TaskSet};
use flyball_trace::Duration;
use toml::Spanned;

const KEYS: &[&str] = &[
    "name", "budget", "period", "deadline", "mode", "alpha", "cpu",
];

/// A thousand periods, in millionths.
const MOST_ALPHA: u32 = 1_000_000_000;

/// The words for what happens when a budget is used up.
pub(super) const MODES: &[(&str, ServerMode)] =
    &[("hard", ServerMode::Hard), ("soft", ServerMode::Soft)];

impl<'d> Resources<'d> {
    /// Reads all servers of a platform with so many CPUs.
    pub(super) fn servers(&mut self, document: &Table<'d>, cpus: u8) -> Read<Vec<Server>> {
        self.read(document, Sort::Server, KEYS, |name, table| {
            let source = table.source;
            let what = "how much CPU time its tasks get in a period";
            let budget = table.require("budget", what, time)?;
            let period = table.require("period", "after which the budget is there again", time)?;
            let deadline = table.get("deadline", time)?;
            let mode = table.get("mode", choice(MODES))?;
            let alpha = table.get("alpha", alpha)?;
            let cpu = table.get("cpu", whole(0..=MOST_CPUS - 1))?;
            if let Some(cpu) = cpu.as_ref().filter(|cpu| cpu.value >= cpus) {
                return Err(no_such_cpu(source, cpu, cpus).within("cpu"));
            }
            check(source, &budget, &period, deadline.as_ref())?;
            Ok(Server {
                name,
                budget: budget.value,
                period: period.value,
                deadline: deadline.map_or(period.value, |deadline| deadline.value),
                mode: mode.map(|mode| mode.value),
                alpha: alpha.map(|alpha| alpha.value),
                cpu: cpu.map(|cpu| cpu.value),
                location: source.location(&table.span),
            })
        })
    }
}

/// Reads a factor of periods.
fn alpha(source: &Source<'_>, node: &Node<'_>) -> Read<u32> {
    let what = "a number of periods from 0 to 1000, such as 0.5";
    millionths(source, node, what, MOST_ALPHA)
}

/// Whether the budget is in the deadline, and the deadline in the period.
fn check(
    source: &Source<'_>,
    budget: &At<Duration>,
    period: &At<Duration>,
    deadline: Option<&At<Duration>>,
) -> Read<()> {
    let fault = |key, at: &At<Duration>, message: String, help: &str| {
        let error = source.error(Kind::Inconsistent, &at.span, message);
        Err(error.within(key).help(help))
    };
    if budget.value.is_zero() {
        let message = "a server without a budget would never run".to_owned();
        return fault("budget", budget, message, "write a time above zero");
    }
    if let Some(deadline) = deadline.filter(|deadline| deadline.value > period.value) {
        let message = format!(
            "the deadline, {}, is above the period, {}",
            deadline.value, period.value
        );
        let help = "lower it, or leave it out: then it is the period";
        return fault("deadline", deadline, message, help);
    }
    let (what, limit) = deadline.map_or(("period", period.value), |it| ("deadline", it.value));
    if budget.value > limit {
        let message = format!("the budget, {}, is above the {what}, {limit}", budget.value);
        let help = format!("lower it, or raise `{what}`");
        return fault("budget", budget, message, &help);
    }
    Ok(())
}

/// Binds all tasks of a server to the CPU of the server, or of the first of them that has one.
pub(super) fn settle(document: &Table<'_>, set: &mut TaskSet) -> Read<()> {
    for (server, number) in set.servers.iter().zip(0_u16..) {
        let in_it = |task: &Task| task.server == Some(number);
        let first = set.tasks.iter().find(|it| in_it(it) && it.cpu.is_some());
        let (cpu, who) = match (server.cpu, first) {
            (Some(cpu), _) => (cpu, "the server".to_owned()),
            (None, Some(task)) => (
                task.cpu.unwrap_or(0),
                format!("task {}", quoted(&task.name)),
            ),
            (None, None) => continue,
        };
        for (index, task) in set.tasks.iter_mut().enumerate() {
            if !in_it(task) {
                continue;
            }
            if !task.allows(cpu) {
                let label = format!("task {}", quoted(&task.name));
                let message = format!("{who} is on CPU {cpu}, where the task may not run");
                let span = span(document, index)?;
                let error = document.source.error(Kind::Inconsistent, &span, message);
                let help = "put all tasks of a server on one CPU";
                return Err(error.within("server").within(&label).help(help));
            }
            (task.cpu, task.cpus) = (Some(cpu), None);
        }
    }
    Ok(())
}

/// Where the task of this number names its server.
fn span(document: &Table<'_>, number: usize) -> Read<Span> {
    let nodes = document.get("task", tables("task"))?;
    let task = nodes.and_then(|nodes| nodes.value.get(number));
    let server = task.and_then(|task| task.get_ref().get("server"));
    Ok(server.map_or(0..0, Spanned::span))
}
