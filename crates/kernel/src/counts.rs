//! What the processor counts while a thread runs.

use crate::config::Config;
use crate::{Core, Error, TableOf, ThreadId};
use flyball_policy::{Counts, Policy, Table};
use flyball_trace::{CpuId, TaskId, Time};

/// What has been counted of one thread.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counted {
    /// Since it began, but for `since`.
    before: Counts<u64>,
    /// Since the policy was last told.
    since: Counts,
}

impl<C: Config> Core<C> {
    /// Whether the policy may want to know, and there is something to tell.
    pub(crate) const TELLS_COUNTS: bool =
        C::Policy::WANTS.counts && size_of::<TableOf<C::Counts, Counted>>() > 0;

    /// The machine says what its counters have counted on `cpu` since it last said so. It counts for the
    /// thread that runs there, and for none if the CPU idles. To be called after
    /// [`Entry::begin`](crate::Entry::begin), before any other event of that entry; what is counted in the
    /// kernel is best left out. Nothing happens where [`Config::Counts`] is nothing. O(1).
    #[inline]
    pub fn count_events(&mut self, cpu: CpuId, counts: &Counts) {
        if let Some(task) = self.running_task(cpu)
            && let Some(counted) = self.counts.find_mut(task.index())
        {
            counted.since += *counts;
        }
    }

    /// What has been counted of a thread since it began on this core, up to what the machine
    /// [last said](Core::count_events); zero throughout where [`Config::Counts`] is nothing, and on
    /// machines that do not count.
    ///
    /// # Errors
    /// [`Error::Dead`], [`Error::Unknown`].
    pub fn counts(&self, thread: ThreadId) -> Result<Counts<u64>, Error> {
        let task = self.find(thread)?;
        let counted = self.counts.find(task.index()).copied().unwrap_or_default();
        let mut total = counted.before;
        total += counted.since;
        Ok(total)
    }

    /// The cycles that the policy has not heard of yet.
    #[cfg(test)]
    pub(crate) fn cycles_to_tell(&self) -> u64 {
        let rows = (0..self.counts.capacity()).map(|row| self.counts[row].since.cycles);
        rows.map(u64::from).sum()
    }

    /// `task` is new in its row.
    pub(crate) fn forget_counts(&mut self, task: TaskId) {
        if let Some(counted) = self.counts.find_mut(task.index()) {
            *counted = Counted::default();
        }
    }

    /// Tells the policy what has been counted of `task`, which has run on `cpu` and is about to stop.
    #[inline(never)]
    pub(crate) fn tell_counts(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if !self.policy.takes_counts() {
            return;
        }
        let mut since = Counts::default();
        if let Some(counted) = self.counts.find_mut(task.index()) {
            since = core::mem::take(&mut counted.since);
            counted.before += since;
        }
        let resched = self.policy.counted(cpu, task, &since, now);
        self.attend(resched);
    }
}
