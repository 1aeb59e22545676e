//! Task sets that change while they run.
//!
//! A system that has modes is a sequence of task sets, one for each mode, and a change is an
//! instant at which one takes the place of the other. A task goes by its name: one that both sets
//! have stays, with what it is doing, and what is new of it holds from its next job on; one that
//! only the new set has begins at the change; one that only the old set has completes the job that
//! it works on, and ends. What is left undone at a change is still to be done after it.
//!
//! ```text
//!              change
//!  a  ▇▇__▇▇__▇▇|▇___▇▇▇_▇▇▇_      stays: more to compute, from its next job on
//!  b  __▇▇__▇▇__|_▇▇                ends when its job is complete
//!  c            |__▇_____▇___       begins
//! ```
//!
//! The policy is told at once what is new of a task that stays; its releases follow. A thread that
//! is several jobs behind first catches up. A job that is given up is over as one that is complete;
//! a task whose only job is over does not change any more.

use crate::seen::Seen;
use flyball_model::{Arrival, Overheads, Setting, Task, TaskSet, Value};
use flyball_trace::Duration;
use std::collections::HashMap;

/// A task set, and its mode changes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Modes {
    /// All tasks that there ever are, in the order in which they begin.
    pub(crate) set: TaskSet,
    /// How many of them there are from the start.
    pub(crate) first: usize,
    pub(crate) changes: Vec<Change>,
    /// The tasks that there are after the last change, by name, and before it.
    alive: HashMap<String, (usize, Task)>,
    before: HashMap<String, (usize, Task)>,
    /// What a machine did, which the simulation follows.
    pub(crate) seen: Option<Seen>,
}

/// A mode change of a task set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// When.
    pub at: Duration,
    /// By the number of the task in the whole set, which rises.
    pub tasks: Vec<(usize, ChangeKind)>,
}

/// A task's part in a mode change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangeKind {
    /// It starts. Its phase counts from here.
    Start(Task),
    /// It is this from its next job on.
    NewMode(Task),
    /// It stops.
    Stop,
}

impl From<TaskSet> for Modes {
    /// A task set that does not change.
    fn from(set: TaskSet) -> Modes {
        let numbered = set.tasks.iter().cloned().enumerate();
        Modes {
            first: set.tasks.len(),
            changes: Vec::new(),
            before: HashMap::new(),
            seen: None,
            alive: numbered
                .map(|(number, task)| (task.name.clone(), (number, task)))
                .collect(),
            set,
        }
    }
}

impl Modes {
    /// The task set, if it does not change.
    pub fn unchanging(&self) -> Option<&TaskSet> {
        self.changes.is_empty().then_some(&self.set)
    }

    /// From `at` on these are the tasks, whose names are unique. That is no earlier than the last
    /// change, and what lasts no time is left out: `at` zero, these are the tasks from the start.
    /// What tasks share, the platform and the settings of policies stay those of the first set, and
    /// not all of a task can change: see [`Modes::impossible`]. O(tasks).
    #[must_use]
    pub fn then(mut self, at: Duration, tasks: Vec<Task>) -> Modes {
        let last = self.changes.last().map_or(Duration::ZERO, |last| last.at);
        let at = at.max(last);
        if at == last {
            let Some(change) = self.changes.pop() else {
                let set = TaskSet { tasks, ..self.set };
                return Modes::from(set);
            };
            let is_new = |(_, kind): &&(usize, ChangeKind)| matches!(kind, ChangeKind::Start(_));
            let new = change.tasks.iter().filter(is_new).count();
            self.set.tasks.truncate(self.set.tasks.len() - new);
            self.alive = std::mem::take(&mut self.before);
        }
        self.before.clone_from(&self.alive);
        let mut before = std::mem::take(&mut self.alive);
        let mut changed = Vec::new();
        for task in tasks {
            let number = if let Some((number, old)) = before.remove(&task.name) {
                if old != task {
                    changed.push((number, ChangeKind::NewMode(task.clone())));
                }
                number
            } else {
                self.set.tasks.push(task.clone());
                let number = self.set.tasks.len() - 1;
                changed.push((number, ChangeKind::Start(task.clone())));
                number
            };
            self.alive.insert(task.name.clone(), (number, task));
        }
        changed.extend(
            before
                .into_values()
                .map(|(number, _)| (number, ChangeKind::Stop)),
        );
        changed.sort_by_key(|&(number, _)| number);
        self.changes.push(Change { at, tasks: changed });
        self
    }

    /// The same, with other overheads.
    #[must_use]
    pub fn with_overheads(mut self, overheads: Overheads) -> Modes {
        self.set.platform.overheads = overheads;
        self
    }

    /// The same, and the policy of that name is told this.
    #[must_use]
    pub fn with_settings(mut self, policy: &str, values: &[(&str, Value)]) -> Modes {
        let settings = self.set.policies.entry(policy.to_owned()).or_default();
        for (name, value) in values {
            let setting = Setting::from(value.clone());
            settings.values.insert((*name).to_owned(), setting);
        }
        self
    }

    /// The same, where the kernel's work takes as long as it was seen to take, entry by entry, on CPUs with kernels of their
    /// own; what CPUs that share a kernel did is not followed.
    #[must_use]
    pub fn following(mut self, seen: Seen) -> Modes {
        self.seen = Some(seen);
        self
    }

    /// The first task that becomes what it cannot become. One that stays is periodic, or has one
    /// job, as before; it stays on its CPU; and what happens when it is late stays the same. Of a
    /// sporadic task nothing changes, and one that messages or signals release neither starts nor
    /// stops. O(changes).
    pub fn impossible(&self) -> Option<&Task> {
        let mut changes = self.changes.iter().flat_map(|change| &change.tasks);
        changes.find_map(|(number, kind)| match kind {
            _ if self.set.tasks[*number].trigger().is_some() => Some(&self.set.tasks[*number]),
            ChangeKind::NewMode(task) if !can_become(&self.set.tasks[*number], task) => Some(task),
            _ => None,
        })
    }

    /// What becomes of the set, in the order of time.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// All tasks that there ever are, in the order in which they begin, with what they share.
    pub fn all(&self) -> &TaskSet {
        &self.set
    }
}

fn can_become(before: &Task, after: &Task) -> bool {
    let stays = matches!(
        (&before.arrival, &after.arrival),
        (Arrival::Periodic { .. }, Arrival::Periodic { .. }) | (Arrival::Once, Arrival::Once)
    );
    let have_jitter = [before, after].iter().any(|task| !task.jitter.is_zero());
    stays && !have_jitter && before.on_miss == after.on_miss && before.cpu == after.cpu
}
