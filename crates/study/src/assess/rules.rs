//! What a task set says of how policies are to treat it.

use crate::registry::Registry;
use crate::theory::levels;
use flyball_analysis::Level;
use flyball_catalogue::{Facts, until_slot};
use flyball_model::TaskSet;
use flyball_trace::Duration;
use std::collections::HashSet;

/// What PD² is asked about, and the priorities that tasks were given.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// Whether there is a tick, which delays slots, too.
    pub(super) ticks: bool,
    /// The slots of PD².
    pub(super) slot: Duration,
    /// How long a job of each task waits for its first slot, at most.
    pub(super) waits: Vec<Duration>,
    /// Each task's priority; `None` if there is one without.
    pub(super) levels: Option<Vec<Level>>,
    /// Whether no two have the same.
    pub(super) are_distinct: bool,
}

impl Rules {
    /// Those for the tasks with these numbers.
    pub(super) fn of(set: &TaskSet, numbers: &[usize]) -> Rules {
        let registry = Registry::standard();
        let values = registry
            .find("pd2")
            .ok()
            .and_then(|entry| entry.values("", set).ok());
        let slot = values
            .and_then(|values| values.quantum())
            .unwrap_or(Duration::from_millis(1));
        let tasks = || numbers.iter().map(|&task| &set.tasks[task]);
        let priorities: Option<Vec<u8>> = tasks().map(|task| task.priority).collect();
        let are_distinct = priorities.as_ref().is_none_or(|priorities| {
            let different: HashSet<u8> = priorities.iter().copied().collect();
            different.len() == priorities.len()
        });
        let levels = priorities.map(|priorities| {
            let ranks: Vec<u64> = priorities
                .iter()
                .map(|&it| u64::from(u8::MAX - it))
                .collect();
            levels(&ranks)
        });
        Rules {
            ticks: set.platform.tick.is_some(),
            slot,
            waits: tasks()
                .map(|task| until_slot(&Facts::of(set, task), slot))
                .collect(),
            levels,
            are_distinct,
        }
    }
}
