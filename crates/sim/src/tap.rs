//! Several cores, one trace.

use flyball_trace::{CpuId, Event, Kind, Sink, TaskId};
use std::cell::RefCell;
use std::rc::Rc;

/// Takes one core's events, and gives CPU and tasks the names that they have in the whole machine.
pub(crate) struct Tap<T> {
    pub(crate) sink: Rc<RefCell<T>>,
    /// The first of the core's CPUs.
    pub(crate) cpu: CpuId,
    /// The task of each of the core's rows.
    pub(crate) tasks: Vec<TaskId>,
    /// Whether an operating point of the core is what its CPU asks for, and not what its clock runs at.
    pub(crate) asks: bool,
}

impl<T> Tap<T> {
    /// From now on the task in `row` is this one.
    pub(crate) fn name(&mut self, row: TaskId, task: TaskId) {
        if row.index() >= self.tasks.len() {
            self.tasks.resize(row.index() + 1, task);
        }
        self.tasks[row.index()] = task;
    }
}

impl<T: Sink> Sink for Tap<T> {
    const ENABLED: bool = T::ENABLED;
    const BUDGETS: bool = T::BUDGETS;
    const FILLS: bool = T::FILLS;

    #[expect(
        clippy::inline_always,
        reason = "where an event is made its kind is known, and what depends on it is left out"
    )]
    #[inline(always)]
    fn record(&mut self, event: Event) {
        if self.asks && matches!(event.kind, Kind::Speed { .. }) {
            return;
        }
        let name = |row: TaskId| self.tasks.get(row.index()).copied().unwrap_or(row);
        let kind = event.kind.renamed(name);
        self.sink.borrow_mut().record(Event {
            time: event.time,
            cpu: CpuId(self.cpu.0 + event.cpu.0),
            kind,
        });
    }
}
