//! Writes task sets as tables.

use super::{COLUMNS, cpus};
use crate::behaviour::best_case;
use crate::error::{Kind, ModelError};
use crate::share::Share;
use crate::taskset::{Arrival, Groups, Jitter, Length, OnMiss, Overheads, Step, Task, TaskSet};
use crate::toml::ON_MISS;
use csv::WriterBuilder;

/// Writes a task set as a table, with the columns in which the tasks differ from the defaults.
///
/// Reading the result gives an equal task set, if `set` keeps the rules that the readers enforce
/// and the file gets the set's name.
///
/// # Errors
/// If a table cannot hold the set: it has a source, a tick, overheads, shared resources, servers,
/// reservations, groups of tasks, settings of policies (its own or of tasks), more CPUs than the tasks name, or tasks that are not periodic
/// or do more than compute.
pub fn to_csv(set: &TaskSet) -> Result<String, ModelError> {
    fits(set)?;
    let used: Vec<&str> = COLUMNS
        .iter()
        .copied()
        .filter(|&column| {
            matches!(column, "name" | "period" | "wcet")
                || set.tasks.iter().any(|task| !cell(task, column).is_empty())
        })
        .collect();
    let mut writer = WriterBuilder::new()
        .comment(Some(b'#'))
        .from_writer(Vec::new());
    let failed = |error: csv::Error| ModelError::new(Kind::Io, error.to_string());
    writer.write_record(&used).map_err(failed)?;
    for task in &set.tasks {
        writer
            .write_record(used.iter().map(|column| cell(task, column)))
            .map_err(failed)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| failed(error.into_error().into()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The text of a cell; empty where the value is the default.
fn cell(task: &Task, column: &str) -> String {
    let period = task.arrival.period();
    match column {
        "name" => task.name.clone(),
        "period" => period.map(|period| period.to_string()).unwrap_or_default(),
        "wcet" => task.wcet.to_string(),
        "deadline" if task.deadline == period => String::new(),
        "deadline" => task
            .deadline
            .map(|deadline| deadline.to_string())
            .unwrap_or_default(),
        "bcet" => best_case(task)
            .map(|bcet| bcet.to_string())
            .unwrap_or_default(),
        "jitter" if task.jitter.is_zero() => String::new(),
        "jitter" => task.jitter.to_string(),
        "phase" if task.phase.is_zero() => String::new(),
        "phase" => task.phase.to_string(),
        "priority" => task
            .priority
            .map(|priority| priority.to_string())
            .unwrap_or_default(),
        "nice" => task.nice.map(|nice| nice.to_string()).unwrap_or_default(),
        "share" => task
            .share
            .map(|share| share.to_string())
            .unwrap_or_default(),
        "importance" => task
            .importance
            .map(|importance| importance.to_string())
            .unwrap_or_default(),
        "cpu" => task.cpu.map(|cpu| cpu.to_string()).unwrap_or_default(),
        _ if task.on_miss == OnMiss::default() => String::new(),
        _ => {
            let word = ON_MISS.iter().find(|&&(_, value)| value == task.on_miss);
            word.map(|(word, _)| (*word).to_owned()).unwrap_or_default()
        }
    }
}

/// Whether a table can hold the set.
fn fits(set: &TaskSet) -> Result<(), ModelError> {
    let refuse = |what: String| {
        let error = ModelError::new(Kind::Format, format!("a CSV file cannot hold {what}"));
        Err(error.help("write the set as TOML"))
    };
    let shared = set.mutexes.len() + set.semaphores.len() + set.queues.len();
    let platform = &set.platform;
    if set.source.is_some() {
        return refuse("the source of the set".into());
    }
    if platform.tick.is_some() || platform.overheads != Overheads::default() {
        return refuse("a tick or the kernel's overheads".into());
    }
    if platform.jitter != Jitter::default() {
        return refuse("how late jobs are released".into());
    }
    if platform.speeds.is_some() {
        return refuse("operating points of the CPUs".into());
    }
    if platform.cpus != cpus(set) {
        return refuse(format!(
            "the number of CPUs, {}, as no task says it",
            platform.cpus
        ));
    }
    if shared > 0 {
        return refuse("mutexes, semaphores or queues".into());
    }
    if !set.servers.is_empty() {
        return refuse("servers".into());
    }
    if !set.policies.is_empty() {
        return refuse("settings of policies".into());
    }
    for task in &set.tasks {
        let periodic = matches!(task.arrival, Arrival::Periodic { .. });
        if task.cpus.is_some() {
            return refuse(format!("the CPUs that task {:?} may run on", task.name));
        }
        if task.reserve.is_some() {
            return refuse(format!("what is reserved for task {:?}", task.name));
        }
        if task.stalls != Share::default() {
            return refuse(format!("how task {:?} waits for memory", task.name));
        }
        if task.groups != Groups::default() {
            return refuse(format!("the groups of task {:?}", task.name));
        }
        if !task.policies.is_empty() {
            return refuse(format!("settings of policies for task {:?}", task.name));
        }
        let simple = task.behaviour == [Step::Compute(Length::Fixed(task.wcet))]
            || best_case(task).is_some();
        if !periodic {
            return refuse(format!("task {:?}, which is not periodic", task.name));
        }
        if !simple {
            return refuse(format!(
                "task {:?}, which does more than compute",
                task.name
            ));
        }
    }
    Ok(())
}
