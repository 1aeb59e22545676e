//! How long windows of deadlines may be on the CPUs that tasks name.

use crate::output::{BOLD, DIM};
use flyball_model::{Task, TaskSet};
use flyball_trace::Duration;

/// Nothing where all tasks are in one group, whatever makes them one.
pub(super) fn text(set: &TaskSet, largest: Option<Duration>) -> String {
    let key = |task: &Task| (task.groups, task.speed);
    let mut others = set.tasks.iter().map(key);
    let first = others.next();
    let has_groups = others.any(|other| Some(other) != first);
    match largest.filter(|_| has_groups) {
        None => String::new(),
        Some(window) => format!(
            "\n{BOLD}Windows of deadlines{BOLD:#}\nThe longest window with which dss-edf is known to hold the \
             set: {window}.\n{DIM}Deadlines of a window are equal, and run group by group.{DIM:#}\n"
        ),
    }
}
