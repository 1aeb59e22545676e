//! A task moves from one CPU's kernel to another's.

use super::{CPU, Details, Node, PolicyOf, Simulated, Thread};
use crate::error::SimError;
use crate::tap::Tap;
use flyball_catalogue::Scheduler;
use flyball_kernel::{Core, Entry, Error, Migrant, ThreadId};
use flyball_policy::{CpuId, Duration, TaskId, Time};
use flyball_trace::Sink;

/// A task between two CPUs: the kernel's part of it, its program, and which task it is.
pub(crate) struct Migrating {
    kernel: Migrant<()>,
    thread: Thread,
    details: Details,
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// Something is going to be changed from outside at `now`, when the kernel is not at work: what
    /// the running task does until then is done.
    pub(crate) fn open(&mut self, now: Time) -> Result<(), SimError> {
        self.lanes[0].entry = Some(Entry::begin(&mut self.core, CPU, true, now));
        self.compute::<false>(CPU, now)
    }

    /// It has been changed: the kernel decides which task runs.
    pub(crate) fn close(&mut self) -> Result<(), SimError> {
        match self.lanes[0].entry.take() {
            Some(entry) => self.dispatch_and_pay(entry, false, 0),
            None => Ok(()),
        }
    }

    /// Until when the kernel works.
    pub(crate) fn busy_until(&self) -> Time {
        self.lanes[0].busy_until
    }

    /// How long a message from another CPU takes.
    pub(crate) fn message(&self) -> Duration {
        self.costs.ipi
    }

    /// The thread of a task that was put into `row`; `None` if another task is there now, so that
    /// it has ended.
    pub(crate) fn handle(&self, row: usize, task: TaskId) -> Option<ThreadId> {
        (self.details[row].number == task).then_some(self.threads[row].handle)
    }

    /// Calls `f` with the core, and the number of its first CPU there.
    pub(crate) fn with_core<R>(
        &mut self,
        f: impl FnOnce(&mut Core<Simulated<PolicyOf<S>, T>>, CpuId) -> R,
    ) -> R {
        f(&mut self.core, CPU)
    }

    /// Whether the thread in `row` works on a job, or has one to work on.
    pub(crate) fn has_job(&self, row: usize) -> bool {
        self.core.has_job(self.threads[row].handle)
    }

    /// The CPU time that the thread in `row` has used.
    pub(crate) fn used(&mut self, row: usize, now: Time) -> Duration {
        let used = self.core.cpu_time(self.threads[row].handle, now);
        used.unwrap_or_default()
    }

    /// When the thread in `row` will have used `total` CPU time if it goes on; [`Time::NEVER`] if
    /// it does not run.
    pub(crate) fn uses_up(&self, row: usize, total: Duration) -> Time {
        self.core.uses_up(self.threads[row].handle, total)
    }

    /// Takes the task in `row` out.
    pub(crate) fn take(&mut self, row: usize, now: Time) -> Result<Migrating, Error> {
        if self.details[row].arrivals.is_some() {
            // Its arrivals are this CPU's interrupts.
            return Err(Error::Bound);
        }
        let kernel = self.core.emigrate(CPU, self.threads[row].handle, now)?;
        // What stays in the row belongs to a thread that has gone.
        let mut thread = self.threads[row].clone();
        thread.cold = true;
        Ok(Migrating {
            kernel,
            thread,
            details: self.details[row].clone(),
        })
    }

    /// Puts a task in; returns its row.
    #[expect(clippy::result_large_err, reason = "the task goes back")]
    pub(crate) fn put(
        &mut self,
        migrating: Migrating,
        params: S::Params,
        now: Time,
    ) -> Result<usize, (Migrating, Error)> {
        let Migrating {
            kernel,
            mut thread,
            details,
        } = migrating;
        let number = details.number;
        let arrived = |trace: &mut Tap<T>, thread: ThreadId| trace.name(thread.task(), number);
        match self.core.immigrate(CPU, kernel, params, now, arrived) {
            Err((kernel, error)) => {
                let migrating = Migrating {
                    kernel,
                    thread,
                    details,
                };
                Err((migrating, error))
            }
            Ok(handle) => {
                let row = handle.task().index();
                thread.handle = handle;
                if row < self.threads.len() {
                    self.threads[row] = thread;
                    self.details[row] = details;
                } else {
                    // Rows that have never been used come first, and in order.
                    self.threads.push(thread);
                    self.details.push(details);
                }
                Ok(row)
            }
        }
    }
}
