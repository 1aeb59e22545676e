//! `flyball policies [NAME]`

use crate::args::PoliciesArgs;
use crate::failure::Failure;
use crate::on_machine::runs_on;
use crate::output::{self, BOLD, DIM};
use flyball_analysis::Criterion;
use flyball_board::Machine;
use flyball_catalogue::{Setting, Sustainable};
use flyball_json::policies::{Parameter, Policies, Policy, Read};
use flyball_model::{DurationError, TaskSet, Value};
use flyball_study::{Entry, Registry, settings};
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn run(registry: &Registry, args: &PoliciesArgs) -> Result<ExitCode, Failure> {
    let one = args.name.as_deref().map(|name| registry.find(name));
    let one = one.transpose();
    let one = one.map_err(|error| Failure::Usage(error.to_string()))?;
    if args.json {
        let is_asked = |entry: &&Entry| one.is_none_or(|one| one.name == entry.name);
        let policies = registry.iter().filter(is_asked);
        let policies = policies.map(|entry| document(registry, entry)).collect();
        output::print_json(&Policies {
            schema: flyball_json::SCHEMA,
            policies,
        })?;
    } else {
        output::print(&one.map_or_else(|| list(registry), |entry| described(registry, entry)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// All policies, with their settings.
fn list(registry: &Registry) -> String {
    let names = registry.iter().map(|entry| entry.name.len());
    let width = names.max().unwrap_or(0);
    let mut text = String::new();
    for entry in registry.iter() {
        let Entry {
            name, title, about, ..
        } = entry;
        let also = (entry.also).map_or_else(String::new, |also| format!(" (also `{also}`)"));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{BOLD}{name:width$}{BOLD:#}  {title}: {about}{also}");
        let own = entry.settings().iter().map(|setting| ("", setting));
        let of_tasks = entry.task_settings().iter();
        for (of, setting) in own.chain(of_tasks.map(|setting| ("a task's ", setting))) {
            let (name, about) = (setting.name, setting.about);
            let default = default(setting);
            let _ = writeln!(
                text,
                "{:width$}    {DIM}{of}{name} = {default}: {about}{DIM:#}",
                ""
            );
        }
    }
    let _ = writeln!(
        text,
        "\nA task set changes settings in a table of the policy's name:\n\n    \
         [policies.rr]\n    quantum = \"5ms\"\n\n\
         and a task changes its own in such a table behind its keys:\n\n    \
         [task.policies.rr]\n    quantum = \"2ms\"\n\n\
         `flyball policies NAME` tells more of one."
    );
    text
}

/// What a setting is otherwise, as a user would write it; in brackets where that is no value.
fn default(setting: &Setting) -> String {
    let otherwise = settings::otherwise(setting);
    match settings::default(setting) {
        Some(Value::Duration(_) | Value::Text(_)) => format!("\"{otherwise}\""),
        Some(_) => otherwise,
        None => format!("({otherwise})"),
    }
}

/// All there is to say of one policy.
fn described(registry: &Registry, entry: &Entry) -> String {
    let it = document(registry, entry);
    let mut text = format!(
        "{BOLD}{}{BOLD:#}  {}: {}\n\n",
        it.policy, it.title, it.about
    );
    let mut fact = |what: &str, says: &str| {
        if !says.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{DIM}{what:17}{DIM:#}{says}");
        }
    };
    fact("also called", it.also.as_deref().unwrap_or_default());
    fact("tasks run on", entry.placement.about());
    let reads = it.reads.iter().map(|read| {
        let needed = if read.needed { " (needed)" } else { "" };
        format!("{}{needed}", read.key)
    });
    let reads = reads.collect::<Vec<_>>().join(", ");
    fact(
        "reads of a task",
        if reads.is_empty() { "nothing" } else { &reads },
    );
    if let (Some(queue), Some(complexity)) = (&it.queue, &it.queue_complexity) {
        fact("ready tasks", &format!("{queue}, of n tasks: {complexity}"));
    }
    let decision = it.decision_complexity.unwrap_or_default();
    fact("a decision", &decision);
    fact("sustainable", sustainable(entry));
    let machines = it.machines.join(", ");
    fact(
        "boots on",
        if machines.is_empty() {
            "no machine: it is not known where its source is"
        } else {
            &machines
        },
    );
    let tests = if it.tests.is_empty() {
        "no test of its own; the simulation, and that no CPU is asked for too much".into()
    } else {
        it.tests.join(", ")
    };
    fact("tests", &tests);
    fact("in `analyse`", &it.analyse_tests.join(", "));
    for (place, source) in it.sources.iter().enumerate() {
        fact(if place == 0 { "source" } else { "" }, source);
    }
    let tables = [
        (format!("[policies.{}]", key(entry.name)), entry.settings()),
        (
            format!("[task.policies.{}]", key(entry.name)),
            entry.task_settings(),
        ),
    ];
    let mut has_time = false;
    for (heading, settings) in tables {
        if settings.is_empty() {
            continue;
        }
        let _ = write!(text, "\n{BOLD}{heading}{BOLD:#}\n{}", table(settings));
        has_time |= settings.iter().any(|it| settings::type_of(it) == "time");
    }
    if has_time {
        let units = DurationError::NoUnit.remedy();
        let _ = writeln!(text, "{DIM}A time is a number with a unit; {units}.{DIM:#}");
    }
    if entry.settings().is_empty() && entry.task_settings().is_empty() {
        text += "\nIt has no settings.\n";
    }
    text
}

/// A policy's name as a key of TOML.
fn key(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("\"{name}\"")
    }
}

fn table(settings: &[Setting]) -> String {
    let columns = ["SETTING", "TYPE", "DEFAULT", "MAY BE", "MEANING"];
    let mut table = output::table(&columns, &[]).prose(&columns[2..]);
    for setting in settings {
        table.add_row([
            setting.name.to_owned(),
            settings::type_of(setting).to_owned(),
            default(setting),
            settings::allowed(setting),
            setting.about.to_owned(),
        ]);
    }
    table.render()
}

/// What its schedules say about jobs that ask for less.
fn sustainable(entry: &Entry) -> &'static str {
    match entry.sustainable(&TaskSet::default()) {
        Sustainable {
            execution: true,
            arrivals: true,
        } => "yes: what holds does so with shorter jobs, and where they come later",
        Sustainable {
            execution: true, ..
        } => "in execution times: what holds does so with shorter jobs",
        _ => "not known to be: a shorter job might make another one late",
    }
}

/// The same for a program.
fn document(registry: &Registry, entry: &Entry) -> Policy {
    let profile = entry.profile();
    let said = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    let sustainable = entry.sustainable(&TaskSet::default());
    let boots = |machine: &Machine| runs_on(*machine, registry).any(|it| it.name == entry.name);
    let machines = Machine::ALL.into_iter().filter(boots).map(Machine::name);
    let reads = entry.reads().into_iter().map(|read| Read {
        key: read.key.to_owned(),
        needed: read.is_needed,
    });
    let sources = entry.placement.source().into_iter();
    let sources = sources.chain(Some(profile.source).filter(|source| !source.is_empty()));
    Policy {
        policy: entry.name.to_owned(),
        also: entry.also.map(str::to_owned),
        title: entry.title.to_owned(),
        about: entry.about.to_owned(),
        placement: entry.placement.name().to_owned(),
        parameters: parameters(entry.settings()),
        task_parameters: parameters(entry.task_settings()),
        reads: reads.collect(),
        queue: said(profile.queue),
        queue_complexity: said(profile.queue_complexity),
        decision_complexity: said(profile.decision),
        sustainable_in_execution: sustainable.execution,
        sustainable_in_arrivals: sustainable.arrivals,
        machines: owned(machines.collect()),
        tests: owned(entry.tests()),
        analyse_tests: owned(entry.criteria().map(Criterion::name).collect()),
        sources: owned(sources.collect()),
    }
}

/// Settings for a program.
fn parameters(settings: &[Setting]) -> Vec<Parameter> {
    let parameter = |setting: &Setting| Parameter {
        name: setting.name.to_owned(),
        about: setting.about.to_owned(),
        kind: settings::type_of(setting).to_owned(),
        default: settings::otherwise(setting),
        allowed: settings::allowed(setting),
    };
    settings.iter().map(parameter).collect()
}
