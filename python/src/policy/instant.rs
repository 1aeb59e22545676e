//! Objects that decide once for all that has happened at an instant, with a method `decide`.

use super::fault::Wrong;
use super::task::{Task, Tasks};
use flyball::policy::{CpuId, Dispatch, Stop, Time};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

/// What has happened to a task.
pub(super) struct Event {
    /// Its place in the set.
    pub(super) task: u32,
    /// Why it has stopped; `None`: it is ready.
    pub(super) why: Option<Stop>,
    /// How long it has run, or when its job was released, in nanoseconds.
    pub(super) amount: Option<u64>,
    pub(super) at: Time,
}

/// What an object that decides has not been told yet, and what it has said last.
pub(super) struct Instants {
    decide: Py<PyAny>,
    events: Vec<Event>,
    is_due: bool,
    /// What each CPU runs.
    pub(super) decided: Box<[Option<Dispatch>]>,
    /// The next alarm of each CPU.
    pub(super) alarms: Box<[Option<Time>]>,
}

/// Why a task has stopped, for Python.
pub(super) fn word(py: Python<'_>, why: Stop) -> &Bound<'_, PyString> {
    match why {
        Stop::Preempted => intern!(py, "preempted"),
        Stop::BurstEnd => intern!(py, "burst end"),
        Stop::Yielded => intern!(py, "yielded"),
        Stop::Blocked => intern!(py, "blocked"),
        Stop::Completed => intern!(py, "completed"),
    }
}

impl Instants {
    pub(super) fn new(decide: Py<PyAny>, cpus: usize) -> Instants {
        Instants {
            decide,
            events: Vec::new(),
            is_due: false,
            decided: vec![None; cpus].into(),
            alarms: vec![None; cpus].into(),
        }
    }

    pub(super) const fn is_due(&self) -> bool {
        self.is_due
    }

    /// This has happened.
    pub(super) fn add(&mut self, event: Event) {
        self.events.push(event);
        self.is_due = true;
    }

    /// The alarm of `cpu` has come.
    pub(super) fn alarm(&mut self, cpu: CpuId) {
        self.alarms[cpu.index()] = None;
        self.is_due = true;
    }

    /// Calls the method with what has happened.
    pub(super) fn call<'py>(
        &mut self,
        py: Python<'py>,
        tasks: &Tasks,
        now: Time,
    ) -> Result<Bound<'py, PyAny>, Wrong> {
        self.is_due = false;
        let events = PyList::empty(py);
        for event in self.events.drain(..) {
            let what = event
                .why
                .map_or_else(|| intern!(py, "ready"), |why| word(py, why));
            let task: &Py<Task> = tasks.known(event.task)?;
            events.append((what, task, event.amount, event.at.as_nanos()))?;
        }
        Ok(self.decide.bind(py).call1((events, now.as_nanos()))?)
    }
}
