//! How often CPUs change from group to group.

use flyball_model::TaskSet;
use flyball_trace::{Event, Kind};

/// Counts how often a CPU began to run a task of another group than that of the one it had run last: what
/// double-sorted scheduling is there to save.
pub(crate) struct GroupChanges {
    /// The group of each task.
    groups: Vec<u8>,
    /// The group of the task that each CPU ran last.
    last: Vec<Option<u8>>,
    pub(crate) count: u64,
}

impl GroupChanges {
    /// Counts for a set on so many CPUs; `None`: all its tasks are in one group.
    pub(crate) fn of(set: &TaskSet, cpus: u8) -> Option<GroupChanges> {
        let groups: Vec<u8> = set.tasks.iter().map(|task| task.groups.number).collect();
        let differ = groups.windows(2).any(|pair| pair[0] != pair[1]);
        differ.then(|| GroupChanges {
            groups,
            last: vec![None; usize::from(cpus)],
            count: 0,
        })
    }

    /// Counts an event. O(1).
    pub(crate) fn record(&mut self, event: &Event) {
        let Kind::Dispatch { task, .. } = event.kind else {
            return;
        };
        let group = self.groups.get(task.index());
        let last = self.last.get_mut(usize::from(event.cpu.0));
        if let (Some(&group), Some(last)) = (group, last) {
            let before = last.replace(group);
            self.count += u64::from(before.is_some_and(|before| before != group));
        }
    }
}
