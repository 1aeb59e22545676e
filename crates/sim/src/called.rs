//! A scheduler, and what task sets call it.

use crate::error::SimError;
use flyball_catalogue::{Facts, Scheduler, TaskTable};
use flyball_model::Task;

/// A scheduler, and the name by which tasks tell it something: `[task.policies.NAME]`.
#[derive(Debug)]
pub struct Called<'a, S> {
    pub(crate) scheduler: &'a S,
    name: &'a str,
}

impl<S> Clone for Called<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Called<'_, S> {}

impl<'a, S: Scheduler> From<&'a S> for Called<'a, S> {
    /// By its own name.
    fn from(scheduler: &'a S) -> Called<'a, S> {
        Called::by(S::NAME, scheduler)
    }
}

impl<'a, S: Scheduler> Called<'a, S> {
    /// A scheduler that task sets call `name`, as `g-edf` where it is that of all CPUs.
    pub fn by(name: &'a str, scheduler: &'a S) -> Called<'a, S> {
        Called { scheduler, name }
    }

    /// What a task of these facts tells the policy.
    pub(crate) fn params(self, task: &Task, facts: &Facts) -> Result<S::Params, SimError> {
        let table = TaskTable::of(task, self.name, S::TASK_SETTINGS);
        let params = self.scheduler.params(facts, &table);
        params.map_err(|missing| SimError::Missing {
            task: task.name.clone(),
            missing,
            location: task.location,
        })
    }
}
