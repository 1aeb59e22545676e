//! Notes about the tasks of a set, whatever the policy finds of them.

use crate::note::Note;
use crate::registry::{Entry, Registry};
use crate::results::PolicyReport;
use flyball_model::behaviour::count;
use flyball_model::{Step, Task, TaskSet};

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

/// Whether jobs may say something of themselves when they end.
pub(crate) fn has_results(task: &Task) -> bool {
    let is_more =
        |step: &Step| matches!(step, Step::Result(results) if results.iter().any(|&it| it > 0));
    count(&task.behaviour, &is_more) > 0
}
