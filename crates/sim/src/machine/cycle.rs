//! Whether a schedule repeats itself.

use super::{CPU, Node};
use crate::program::is_fixed;
use crate::scheduler::Scheduler;
use flyball_model::{Arrival, TaskSet};
use flyball_policy::{Duration, Time};
use flyball_trace::Sink;

/// Finds out whether the schedule repeats itself.
///
/// If no job is under way at some instant, and again none a hyperperiod later, and nothing else
/// that the future depends on has changed, then the two futures are the same, and what did not
/// happen in between never happens.
pub(crate) struct Cycle {
    /// How long after an instant the same releases come again; `None`: they need not.
    length: Option<Duration>,
    /// Since when all tasks release jobs.
    from: Time,
    /// The first instant without a job, and the state of the rest at that instant.
    anchor: Option<(Time, Vec<u32>)>,
    pub(crate) proved: bool,
}

impl Cycle {
    pub(super) fn new<S: Scheduler>(set: &TaskSet) -> Cycle {
        let periodic = |task: &flyball_model::Task| {
            matches!(task.arrival, Arrival::Periodic { .. }) && is_fixed(&task.behaviour)
        };
        let repeats = S::MEMORYLESS && set.tasks.iter().all(periodic);
        let from = Time::ZERO + set.largest_phase();
        // A tick divides time, too: the same instant has to be the same distance from a tick.
        let length = set
            .hyperperiod()
            .filter(|_| repeats)
            .and_then(|hyperperiod| match set.platform.tick {
                Some(tick) => common_multiple(hyperperiod, tick),
                None => Some(hyperperiod),
            });
        // Before the first event of a set that starts all at once nothing has happened yet.
        let mut state = vec![];
        state.extend(set.semaphores.iter().map(|semaphore| semaphore.initial));
        state.extend(set.queues.iter().map(|_| 0));
        if !set.platform.overheads.are_free() {
            state.push(u32::MAX);
        }
        let anchor = (from == Time::ZERO).then_some((from, state));
        Cycle {
            length,
            from,
            anchor,
            proved: false,
        }
    }
}

fn common_multiple(a: Duration, b: Duration) -> Option<Duration> {
    let (mut x, mut y) = (a, b);
    while !y.is_zero() {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b.as_nanos()).map(Duration::from_nanos)
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// Compares this instant, before its releases, with the one a hyperperiod ago.
    #[inline]
    pub(super) fn look_for_cycle(&mut self, now: Time) {
        let Some(length) = self.cycle.length else {
            return;
        };
        if self.cycle.proved || self.core.running(CPU).is_some() || now < self.cycle.from {
            return;
        }
        match &self.cycle.anchor {
            Some((anchor, _)) if now < *anchor + length => return,
            _ => {}
        }
        let quiet = self
            .threads
            .iter()
            .all(|thread| !self.core.has_job(thread.handle));
        if !quiet {
            return;
        }
        let mut state: Vec<u32> = Vec::new();
        state.extend(
            self.semaphores
                .iter()
                .map(|&s| self.core.semaphore_value(s).unwrap_or(0)),
        );
        state.extend(
            self.queues
                .iter()
                .map(|&q| u32::from(self.core.queue_len(q).unwrap_or(0))),
        );
        if !self.costs.free {
            // The next context switch is free for the thread whose registers are still there.
            state.push(
                self.core
                    .last_run(CPU)
                    .map_or(u32::MAX, |task| u32::from(task.0)),
            );
        }
        match &self.cycle.anchor {
            Some((anchor, before)) if now == *anchor + length && *before == state => {
                self.cycle.proved = true;
            }
            _ => self.cycle.anchor = Some((now, state)),
        }
    }
}
