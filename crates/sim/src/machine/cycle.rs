//! Whether a schedule repeats itself.

use super::Node;
use crate::modes::Modes;
use crate::program::is_fixed;
use flyball_catalogue::Scheduler;
use flyball_model::Arrival;
use flyball_policy::{Duration, Time};
use flyball_trace::Sink;

/// Finds out whether the schedule repeats itself.
///
/// If no job is under way at some instant, and again none a hyperperiod later, and nothing else
/// that the future depends on has changed, then the two futures are the same, and what did not
/// happen in between never happens. Jobs that have no successors must be over by the first of the
/// two. With a periodic tick there are releases that have come and that the kernel has not noticed
/// yet; from one tick after the largest phase on they are the same at both instants.
pub(crate) struct Cycle {
    /// How long after an instant the same releases come again; `None`: they need not.
    length: Option<Duration>,
    /// Since when all tasks have begun to release jobs, and all that do so once have done it.
    from: Time,
    /// The first instant without a job, and the state of the rest at that instant.
    anchor: Option<(Time, Vec<u32>)>,
    pub(crate) proved: bool,
}

impl Cycle {
    pub(super) fn new<S: Scheduler>(modes: &Modes, cpus: usize) -> Cycle {
        let set = &modes.set;
        let periodic =
            |task: &flyball_model::Task| task.comes_with_the_clock() && is_fixed(&task.behaviour);
        let repeats = S::MEMORYLESS
            && modes.changes.is_empty()
            && set.endpoints.is_empty()
            && set.tasks.iter().all(periodic);
        let tick = set.platform.tick.unwrap_or_default();
        let mut from = Time::ZERO + set.largest_phase() + tick;
        if set.tasks.iter().any(|task| task.arrival == Arrival::Once) {
            // Not the very instant of its release.
            from += Duration::from_nanos(1);
        }
        let length = set.cycle().filter(|_| repeats);
        // Before the first event of a set that starts all at once nothing has happened yet.
        let mut state = vec![];
        state.extend(set.semaphores.iter().map(|semaphore| semaphore.initial));
        state.extend(set.queues.iter().map(|_| 0));
        if !set.platform.work_is_free() {
            state.extend(std::iter::repeat_n(u32::MAX, cpus));
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

impl Cycle {
    /// Whether there may be one, and it has not been found.
    #[inline]
    pub(super) fn is_possible(&self) -> bool {
        self.length.is_some() && !self.proved
    }
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// Compares this instant, before its releases, with the one a hyperperiod ago.
    pub(super) fn look_for_cycle(&mut self, now: Time) {
        let Some(length) = self.cycle.length else {
            return;
        };
        // A job may have ended at this very instant, before the kernel decides.
        let works = |row: usize| self.core.has_job(self.threads[row].handle);
        if self.cycle.proved
            || now < self.cycle.from
            || self
                .lanes
                .iter()
                .any(|lane| lane.running.is_some_and(works))
        {
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
        for (level, gauge) in state[self.semaphores.len()..].iter_mut().zip(&self.gauges) {
            if let Some(gauge) = gauge {
                *level = self.core.level(*gauge).unwrap_or(0).into();
            }
        }
        if !self.costs.free {
            // The next context switch is free for the thread whose registers are still there.
            state.extend(self.cpus().map(|cpu| {
                let last = self.core.last_run(cpu);
                last.map_or(u32::MAX, |task| u32::from(task.0))
            }));
        }
        match &self.cycle.anchor {
            Some((anchor, before)) if now == *anchor + length && *before == state => {
                self.cycle.proved = true;
            }
            _ => self.cycle.anchor = Some((now, state)),
        }
    }
}
