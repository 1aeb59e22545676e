//! Notes about the tasks and servers of a set, whatever the policy finds of them.

use crate::note::Note;
use crate::registry::{Entry, Registry};
use crate::results::PolicyReport;
use flyball_analysis::{SporadicTask, Utilisation};
use flyball_model::behaviour::count;
use flyball_model::{Server, Step, Task, TaskSet};
use std::cmp::Ordering;

/// Says so of the first task whose jobs may come several at once.
pub(crate) fn long_jitter(set: &TaskSet) -> Option<Note> {
    let is_long = |task: &&Task| {
        let period = task.arrival.period();
        period.is_some_and(|period| task.jitter >= period)
    };
    let task = set.tasks.iter().find(is_long)?;
    Some(Note::LongJitter(task.name.clone()))
}

/// Says so of the first task whose jobs have results, if not all of these policies take them.
pub(crate) fn unheard_results(
    registry: &Registry,
    set: &TaskSet,
    policies: &[PolicyReport],
) -> Option<Note> {
    let task = set.tasks.iter().find(|task| has_results(task))?;
    let hearing = registry.iter().filter(|entry| entry.takes_results());
    let heard_by: Vec<String> = hearing.map(|entry: &Entry| entry.name.to_owned()).collect();
    let is_unheard = |report: &PolicyReport| !heard_by.contains(&report.policy);
    policies
        .iter()
        .any(is_unheard)
        .then(|| Note::ResultsUnheard {
            task: task.name.clone(),
            heard_by,
        })
}

/// Says so of the first CPU whose servers ask for more than there is of it by budget ÷ period, if any
/// of these policies has servers, and admits these.
pub(crate) fn overloaded_servers(
    registry: &Registry,
    set: &TaskSet,
    policies: &[PolicyReport],
) -> Option<Note> {
    let mut entries = policies
        .iter()
        .filter_map(|it| registry.find(&it.policy).ok());
    if set.servers.is_empty() || !entries.any(Entry::has_servers) {
        return None;
    }
    (0..set.platform.cpus.max(1)).find_map(|cpu| {
        let mut taken: Vec<SporadicTask> = Vec::new();
        for (server, number) in set.servers.iter().zip(0..) {
            let mut tasks = set.tasks.iter().filter(|it| it.server == Some(number));
            if !tasks.any(|task| place(set, task) == Some(cpu)) {
                continue;
            }
            let asked = in_each_period(server)?;
            let before = Utilisation::of(&taken);
            taken.push(asked);
            if Utilisation::of(&taken).cmp_one() == Ordering::Greater {
                return Some(Note::ServersAskTooMuch {
                    cpu,
                    server: server.name.clone(),
                    asked: Utilisation::of(&[asked]),
                    taken: before,
                });
            }
        }
        None
    })
}

/// The server as a task; `None`: the set was not read from a file, and makes no sense.
fn in_each_period(server: &Server) -> Option<SporadicTask> {
    SporadicTask::new(server.budget, server.period, server.deadline).ok()
}

/// The CPU of a task, if it has one.
pub(crate) fn place(set: &TaskSet, task: &Task) -> Option<u8> {
    let only = (set.platform.cpus <= 1).then_some(0);
    task.cpu.or(only)
}

/// Whether jobs may say something of themselves when they end.
pub(crate) fn has_results(task: &Task) -> bool {
    let is_more =
        |step: &Step| matches!(step, Step::Result(results) if results.iter().any(|&it| it > 0));
    count(&task.behaviour, &is_more) > 0
}
