//! Writes task sets as people would write them: only what differs from the default, times in the
//! notation of [`Duration`]'s `Display`, one step of a behaviour a line.

use super::platform::JITTER;
use super::servers::MODES;
use crate::behaviour::{best_case, demand};
use crate::endpoint::{End, Endpoint};
use crate::settings::{Settings, Value};
use crate::share::{Share, decimal};
use crate::taskset::{
    Arrival, Cost, Jitter, Length, OnMiss, Overheads, Platform, Protocol, Queue, Server, Step,
    Task, TaskSet, Trigger,
};
use core::fmt::{self, Display, Formatter};
use flyball_trace::{Duration, GaugeKind};
use std::collections::BTreeMap;
use toml_writer::{ToTomlKey, ToTomlValue, TomlKeyBuilder, TomlStringBuilder};

/// Writes a task set in Flyball's own format.
///
/// Reading the result gives an equal task set, if `set` keeps the rules that the readers enforce.
pub fn to_toml(set: &TaskSet) -> String {
    Document(set).to_string()
}

struct Document<'s>(&'s TaskSet);

impl Display for Document<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let set = self.0;
        writeln!(f, "schema = {}", super::SCHEMA)?;
        writeln!(f, "name = {}", quoted(&set.name))?;
        if let Some(source) = &set.source {
            let has_sources = set.endpoints.iter().any(|it| it.end == End::Source);
            let key = if has_sources { "reference" } else { "source" };
            writeln!(f, "{key} = {}", quoted(source))?;
        }
        platform(f, &set.platform)?;
        policies(f, "policies", &set.policies)?;
        for mutex in &set.mutexes {
            writeln!(f, "\n[[mutex]]\nname = {}", quoted(&mutex.name))?;
            match mutex.protocol {
                Protocol::Inherit => {}
                Protocol::None => writeln!(f, "protocol = \"none\"")?,
            }
        }
        for semaphore in &set.semaphores {
            writeln!(f, "\n[[semaphore]]\nname = {}", quoted(&semaphore.name))?;
            writeln!(f, "initial = {}", semaphore.initial)?;
        }
        for queue in &set.queues {
            let table = queue.gauge.map_or("queue", |_| "gauge");
            writeln!(f, "\n[[{table}]]\nname = {}", quoted(&queue.name))?;
            writeln!(f, "capacity = {}", queue.capacity)?;
            match queue.gauge {
                None => {}
                Some(GaugeKind::Backlog) => writeln!(f, "kind = \"backlog\"")?,
                Some(GaugeKind::Stock) => writeln!(f, "kind = \"stock\"")?,
            }
        }
        set.endpoints
            .iter()
            .try_for_each(|it| self.endpoint(f, it))?;
        set.servers.iter().try_for_each(|it| server(f, it))?;
        set.tasks.iter().try_for_each(|task| self.task(f, task))
    }
}

impl Document<'_> {
    fn endpoint(&self, f: &mut Formatter<'_>, endpoint: &Endpoint) -> fmt::Result {
        let queue = self.0.queues.get(usize::from(endpoint.queue));
        writeln!(f, "\n[[{}]]", endpoint.end.key())?;
        let key = match queue {
            Some(Queue { gauge: Some(_), .. }) => "gauge",
            _ => "queue",
        };
        writeln!(f, "{key} = {}", name(queue.map(|it| &it.name)))?;
        writeln!(f, "every = {}", Shown(&endpoint.every))?;
        if endpoint.count != 1 {
            writeln!(f, "count = {}", endpoint.count)?;
        }
        if !endpoint.phase.is_zero() {
            writeln!(f, "phase = \"{}\"", endpoint.phase)?;
        }
        Ok(())
    }

    fn gauge(&self, f: &mut Formatter<'_>, key: &str, gauge: u16, by: u16) -> fmt::Result {
        let gauge = self.0.queues.get(usize::from(gauge));
        let gauge = name(gauge.map(|it| &it.name));
        match by {
            1 => write!(f, "{{ {key} = {gauge} }}"),
            _ => write!(f, "{{ {key} = {gauge}, by = {by} }}"),
        }
    }

    fn task(&self, f: &mut Formatter<'_>, task: &Task) -> fmt::Result {
        writeln!(f, "\n[[task]]\nname = {}", quoted(&task.name))?;
        match &task.arrival {
            Arrival::Periodic { period } => writeln!(f, "period = \"{period}\"")?,
            Arrival::Sporadic { separation, gap } => {
                writeln!(f, "sporadic = \"{separation}\"")?;
                if *gap != Length::Fixed(*separation) {
                    writeln!(f, "gap = {}", Shown(gap))?;
                }
            }
            Arrival::Event { by, separation } => {
                writeln!(f, "sporadic = \"{separation}\"")?;
                let set = self.0;
                let trigger = match by {
                    Trigger::Queue(n) => set.queues.get(usize::from(*n)).map(|it| &it.name),
                    Trigger::Semaphore(n) => set.semaphores.get(usize::from(*n)).map(|it| &it.name),
                };
                writeln!(f, "released_by = {}", name(trigger))?;
            }
            Arrival::Once => {}
        }
        // A job that only computes is told by `wcet`, any other by its behaviour, and by both where
        // the one is not what the other adds up to.
        let simple = task.behaviour == [Step::Compute(Length::Fixed(task.wcet))];
        let bcet = best_case(task);
        let simple = (simple || bcet.is_some()) && !task.wcet.is_zero();
        let adds_up = demand(&task.behaviour).is_ok_and(|demand| demand.compute == task.wcet);
        if simple || !adds_up {
            writeln!(f, "wcet = \"{}\"", task.wcet)?;
        }
        if let Some(bcet) = bcet {
            writeln!(f, "bcet = \"{bcet}\"")?;
        }
        if let Some(deadline) = task
            .deadline
            .filter(|_| task.deadline != task.arrival.period())
        {
            writeln!(f, "deadline = \"{deadline}\"")?;
        }
        if task.phase != Duration::ZERO {
            writeln!(f, "phase = \"{}\"", task.phase)?;
        }
        if task.jitter != Duration::ZERO {
            writeln!(f, "jitter = \"{}\"", task.jitter)?;
        }
        if let Some(priority) = task.priority {
            writeln!(f, "priority = {priority}")?;
        }
        if let Some(nice) = task.nice {
            writeln!(f, "nice = {nice}")?;
        }
        if let Some(share) = task.share {
            writeln!(f, "share = {share}")?;
        }
        if let Some(reserve) = task.reserve {
            super::reserve::write(f, reserve)?;
        }
        if let Some(importance) = task.importance {
            writeln!(f, "importance = {importance}")?;
        }
        if let Some(cpu) = task.cpu {
            writeln!(f, "cpu = {cpu}")?;
        }
        if let Some(cpus) = &task.cpus {
            writeln!(f, "cpus = {cpus:?}")?;
        }
        if let Some((_, server)) = self.0.server_of(task) {
            writeln!(f, "server = {}", quoted(&server.name))?;
        }
        if task.stalls != Share::default() {
            writeln!(f, "stalls = {}", task.stalls)?;
        }
        if let Some(speed) = task.speed {
            writeln!(f, "speed = {}", speed.0)?;
        }
        if task.groups.number > 0 {
            writeln!(f, "group = {}", task.groups.number)?;
        }
        if let Some(program) = self.0.program_of(task) {
            writeln!(f, "program = {}", quoted(program))?;
        }
        if let Some(device) = self.0.device_of(task) {
            writeln!(f, "device = {}", quoted(device))?;
        }
        match task.on_miss {
            OnMiss::Continue => {}
            OnMiss::Skip => writeln!(f, "on_miss = \"skip\"")?,
            OnMiss::Abort => writeln!(f, "on_miss = \"abort\"")?,
            OnMiss::Latest => writeln!(f, "on_miss = \"latest\"")?,
        }
        if !simple {
            f.write_str("behaviour = ")?;
            self.steps(f, &task.behaviour, 0)?;
            writeln!(f)?;
        }
        policies(f, "task.policies", &task.policies)
    }

    /// Writes a list of steps that stands `depth` deep in others.
    fn steps(&self, f: &mut Formatter<'_>, steps: &[Step], depth: usize) -> fmt::Result {
        let indent = 4 * depth;
        writeln!(f, "[")?;
        for step in steps {
            write!(f, "{:indent$}    ", "")?;
            self.step(f, step, depth)?;
            writeln!(f, ",")?;
        }
        write!(f, "{:indent$}]", "")
    }

    fn step(&self, f: &mut Formatter<'_>, step: &Step, depth: usize) -> fmt::Result {
        let set = self.0;
        let mutex = |number: &u16| name(set.mutexes.get(usize::from(*number)).map(|it| &it.name));
        let semaphore =
            |number: &u16| name(set.semaphores.get(usize::from(*number)).map(|it| &it.name));
        let queue = |number: &u16| name(set.queues.get(usize::from(*number)).map(|it| &it.name));
        match step {
            Step::Compute(length) => write!(f, "{{ compute = {} }}", Shown(length)),
            Step::Overrun { declared, actual } => {
                let (declared, actual) = (Shown(declared), Shown(actual));
                write!(f, "{{ compute = {declared}, actual = {actual} }}")
            }
            Step::Stalling { compute, stalls } => {
                write!(f, "{{ compute = {}, stalls = {stalls} }}", Shown(compute))
            }
            Step::Suspend(length) => write!(f, "{{ suspend = {} }}", Shown(length)),
            Step::Yield => f.write_str("\"yield\""),
            Step::Control => f.write_str("\"control\""),
            Step::Lock(number) => write!(f, "{{ lock = {} }}", mutex(number)),
            Step::Unlock(number) => write!(f, "{{ unlock = {} }}", mutex(number)),
            Step::Wait(number) => write!(f, "{{ wait = {} }}", semaphore(number)),
            Step::Signal(number) => write!(f, "{{ signal = {} }}", semaphore(number)),
            Step::Send(number) => write!(f, "{{ send = {} }}", queue(number)),
            Step::Receive(number) => write!(f, "{{ receive = {} }}", queue(number)),
            Step::TrySend(number) => write!(f, "{{ try_send = {} }}", queue(number)),
            Step::TryReceive(number) => write!(f, "{{ try_receive = {} }}", queue(number)),
            Step::Raise { gauge, by } => self.gauge(f, "raise", *gauge, *by),
            Step::Lower { gauge, by } => self.gauge(f, "lower", *gauge, *by),
            Step::Result(results) => match results[..] {
                [result] => write!(f, "{{ result = {result} }}"),
                _ => write!(f, "{{ result = {{ one_of = {results:?} }} }}"),
            },
            Step::Repeat { times, body } => {
                match times {
                    Some(times) => write!(f, "{{ repeat = {times}, do = ")?,
                    None => f.write_str("{ repeat = \"forever\", do = ")?,
                }
                self.steps(f, body, depth + 1)?;
                f.write_str(" }")
            }
        }
    }
}

/// Writes the settings of each policy, in a table below `parent`.
pub(super) fn policies(
    f: &mut dyn fmt::Write,
    parent: &str,
    policies: &BTreeMap<String, Settings>,
) -> fmt::Result {
    for (policy, settings) in policies {
        writeln!(f, "\n[{parent}.{}]", key(policy))?;
        for (name, setting) in &settings.values {
            write!(f, "{} = ", key(name))?;
            match &setting.value {
                Value::Duration(length) => writeln!(f, "\"{length}\"")?,
                Value::Integer(number) => writeln!(f, "{number}")?,
                Value::Decimal(number) => writeln!(f, "{number}")?,
                Value::Bool(value) => writeln!(f, "{value}")?,
                Value::Text(text) => writeln!(f, "{}", quoted(text))?,
                Value::Table(rows) => writeln!(f, "{rows:?}")?,
            }
        }
    }
    Ok(())
}

fn server(f: &mut Formatter<'_>, server: &Server) -> fmt::Result {
    writeln!(f, "\n[[server]]\nname = {}", quoted(&server.name))?;
    writeln!(f, "budget = \"{}\"", server.budget)?;
    writeln!(f, "period = \"{}\"", server.period)?;
    if server.deadline != server.period {
        writeln!(f, "deadline = \"{}\"", server.deadline)?;
    }
    if let Some((word, _)) = MODES.iter().find(|(_, it)| server.mode == Some(*it)) {
        writeln!(f, "mode = \"{word}\"")?;
    }
    if let Some(alpha) = server.alpha {
        writeln!(f, "alpha = {}", decimal(alpha))?;
    }
    match server.cpu {
        Some(cpu) => writeln!(f, "cpu = {cpu}"),
        None => Ok(()),
    }
}

fn platform(f: &mut Formatter<'_>, platform: &Platform) -> fmt::Result {
    writeln!(f, "\n[platform]\ncpus = {}", platform.cpus)?;
    if let Some(tick) = platform.tick {
        writeln!(f, "tick = \"{tick}\"")?;
    }
    if let Some((word, _)) = JITTER
        .iter()
        .find(|(_, it)| platform.jitter == *it && platform.jitter != Jitter::default())
    {
        writeln!(f, "jitter = \"{word}\"")?;
    }
    let overheads = costs(&platform.overheads);
    if !overheads.is_empty() {
        write!(f, "\n[platform.overheads]\n{overheads}")?;
    }
    match &platform.speeds {
        Some(speeds) => super::speeds::write(f, "platform", speeds),
        None => Ok(()),
    }
}

/// The table of overheads, a line for each that is not free of charge everywhere.
pub(super) fn costs(overheads: &Overheads) -> String {
    let costs = [
        ("release", &overheads.release),
        ("call", &overheads.call),
        ("scheduling", &overheads.scheduling),
        ("context_switch", &overheads.context_switch),
        ("tick", &overheads.tick),
        ("control", &overheads.control),
        ("ipi", &overheads.ipi),
        ("cache", &overheads.cache),
    ];
    let costs = costs
        .into_iter()
        .filter(|(_, cost)| !cost.points().is_empty());
    let lines = costs.map(|(key, cost)| format!("{key} = {}\n", Shown(cost)));
    lines.collect::<Vec<_>>().concat()
}

/// A cost as a value of TOML.
pub(super) fn cost(cost: &Cost) -> String {
    Shown(cost).to_string()
}

/// Shows a value as one of TOML's.
struct Shown<'v, T>(&'v T);

impl Display for Shown<'_, Cost> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0.points() {
            [(0, cost)] => write!(f, "\"{cost}\""),
            points => {
                let points = points
                    .iter()
                    .map(|(count, cost)| format!("{count} = \"{cost}\""));
                write!(f, "{{ {} }}", points.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl Display for Shown<'_, Length> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Length::Fixed(length) => write!(f, "\"{length}\""),
            Length::Uniform { min, max } => write!(f, "{{ uniform = [\"{min}\", \"{max}\"] }}"),
            Length::OneOf(lengths) => {
                let lengths = lengths.iter().map(|length| format!("\"{length}\""));
                write!(
                    f,
                    "{{ one_of = [{}] }}",
                    lengths.collect::<Vec<_>>().join(", ")
                )
            }
            Length::Cycle { lengths, every } => {
                let lengths = lengths.iter().map(|length| format!("\"{length}\""));
                write!(
                    f,
                    "{{ cycle = [{}], every = \"{every}\" }}",
                    lengths.collect::<Vec<_>>().join(", ")
                )
            }
            Length::Empirical(seen) => {
                let seen = seen
                    .iter()
                    .map(|(length, times)| format!("[\"{length}\", {times}]"));
                write!(
                    f,
                    "{{ empirical = [{}] }}",
                    seen.collect::<Vec<_>>().join(", ")
                )
            }
            Length::Normal {
                mean,
                deviation,
                min,
                max,
            } => write!(
                f,
                "{{ normal = [\"{mean}\", \"{deviation}\"], within = [\"{min}\", \"{max}\"] }}"
            ),
        }
    }
}

/// A text in one line, whatever is in it.
pub(super) fn quoted(text: &str) -> String {
    TomlStringBuilder::new(text).as_basic().to_toml_value()
}

pub(super) fn key(key: &str) -> String {
    TomlKeyBuilder::new(key).as_default().to_toml_key()
}

/// A resource's name; none where a step points to nothing, which no reader lets through.
fn name(name: Option<&String>) -> String {
    name.map_or_else(|| "\"\"".to_owned(), |name| quoted(name))
}
