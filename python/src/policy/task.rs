//! Tasks, as policies in Python see them.

use super::fault::Wrong;
use flyball::model;
use flyball::trace::Duration;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// A task of a simulation. A policy may give it more attributes; each simulation has its own tasks.
#[pyclass(frozen, dict, module = "flyball")]
pub(crate) struct Task {
    /// Its place in the task set, from 0.
    #[pyo3(get)]
    number: usize,
    #[pyo3(get)]
    name: String,
    /// The period, or the least time between two releases; None: it has a single job.
    #[pyo3(get)]
    period: Option<u64>,
    /// The deadline, counted from the release.
    #[pyo3(get)]
    deadline: Option<u64>,
    /// The worst-case execution time.
    #[pyo3(get)]
    wcet: u64,
    /// The first release.
    #[pyo3(get)]
    phase: u64,
    /// The larger, the more urgent.
    #[pyo3(get)]
    priority: Option<u8>,
    /// The CPU that it is assigned to.
    #[pyo3(get)]
    cpu: Option<u8>,
    /// The only CPUs that it may run on; None: all.
    #[pyo3(get)]
    cpus: Option<Vec<u8>>,
    #[pyo3(get)]
    importance: Option<u16>,
    /// The part of a CPU that it asks for.
    #[pyo3(get)]
    share: Option<f64>,
}

#[pymethods]
impl Task {
    fn __repr__(&self) -> String {
        format!("<flyball.Task {} {:?}>", self.number, self.name)
    }
}

impl Task {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn of(number: usize, task: &model::Task) -> Task {
        Task {
            number,
            name: task.name.clone(),
            period: task.arrival.period().map(Duration::as_nanos),
            deadline: task.deadline.map(Duration::as_nanos),
            wcet: task.wcet.as_nanos(),
            phase: task.phase.as_nanos(),
            priority: task.priority,
            cpu: task.cpu,
            cpus: task.cpus.clone(),
            importance: task.importance,
            share: task.share.map(|share| f64::from(share.millionths()) / 1e6),
        }
    }

    /// The deadline of a job that is released at `release`; None: there is none, in the time that can be counted.
    pub(crate) fn deadline_from(&self, release: u64) -> Option<u64> {
        release.checked_add(self.deadline?)
    }
}

/// The tasks of a simulation.
#[derive(Clone)]
pub(crate) struct Tasks(Arc<Table>);

struct Table {
    numbers: HashMap<String, u32>,
    all: Vec<Py<Task>>,
}

impl Tasks {
    pub(crate) fn of(py: Python<'_>, set: &model::TaskSet) -> PyResult<Tasks> {
        let numbered = (0..).zip(&set.tasks);
        let tasks = set.tasks.iter().enumerate();
        let table = Table {
            numbers: numbered
                .map(|(number, task)| (task.name.clone(), number))
                .collect(),
            all: tasks
                .map(|(number, task)| Py::new(py, Task::of(number, task)))
                .collect::<PyResult<_>>()?,
        };
        Ok(Tasks(Arc::new(table)))
    }

    /// The place of the task of this name in the set.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.0.numbers.get(name).copied()
    }

    /// The task at this place.
    pub(crate) fn get(&self, number: u32) -> Option<&Py<Task>> {
        self.0.all.get(usize::try_from(number).ok()?)
    }

    /// The task at this place, which a policy knows.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn known(&self, number: u32) -> Result<&Py<Task>, Wrong> {
        let task = self.get(number);
        task.ok_or_else(|| Wrong::Broken("was to be called with a task that is not there".into()))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.all.len()
    }

    /// The place of a task, if it is one of these.
    pub(crate) fn place(&self, task: &Bound<'_, Task>) -> Option<u32> {
        let number = u32::try_from(task.get().number).ok()?;
        self.get(number)?.is(task).then_some(number)
    }
}
