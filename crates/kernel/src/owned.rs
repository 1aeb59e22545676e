//! Which mutexes in memory a thread owns whose late jobs are given up.
//!
//! The word of a mutex says which thread owns it, but no thread's row says which mutexes. Where a job is given up they
//! have to be unlocked; so such threads lock and unlock by the kernel ([`Core::quick_name`]), which
//! keeps a table of what they own ([`Config::Owned`]). A thread that begins to wait for a mutex has a row
//! reserved, so that it can become the owner.

use crate::jobs::{Jobs, OnMiss};
use crate::objects::{ObjectStore, PlaceOf};
use crate::{Config, Core, Error};
use flyball_policy::Table;
use flyball_trace::{CpuId, Slot, TaskId, Time};

/// That a thread owns a mutex.
#[derive(Clone, Copy)]
pub(crate) struct Owned<P> {
    owner: Slot,
    mutex: Option<P>,
}

impl<P> Owned<P> {
    pub(crate) const NONE: Owned<P> = Owned {
        owner: Slot::EMPTY,
        mutex: None,
    };
}

impl<C: Config> Core<C> {
    /// Whether late jobs of `task` are given up, and mutexes are in memory.
    #[inline]
    pub(crate) fn locks_by_kernel(&self, task: TaskId) -> bool {
        let gives_up = |jobs: &Jobs<_>| jobs.on_miss() == OnMiss::Abort;
        C::Objects::IN_MEMORY && self.jobs.find(task.index()).is_some_and(gives_up)
    }

    /// A row for one more mutex of such threads.
    #[cold]
    pub(crate) fn reserve(&mut self) -> Result<(), Error> {
        if usize::from(self.reserved) >= self.owned.capacity() {
            return Err(Error::Full);
        }
        self.reserved += 1;
        Ok(())
    }

    /// `task` owns `mutex` from now on, for which there is a row.
    #[cold]
    pub(crate) fn note_owned(&mut self, task: TaskId, mutex: PlaceOf<C>) {
        let mut rows = 0..self.owned.capacity();
        if let Some(row) = rows.find(|&row| self.owned[row].mutex.is_none()) {
            self.owned[row] = Owned {
                owner: Slot::of(task),
                mutex: Some(mutex),
            };
        }
    }

    /// `task` owns `mutex` no more.
    #[cold]
    pub(crate) fn forget_owned(&mut self, task: TaskId, mutex: PlaceOf<C>) {
        let is_this = |owned: &Owned<_>| owned.owner.holds(task) && owned.mutex == Some(mutex);
        let mut rows = 0..self.owned.capacity();
        if let Some(row) = rows.find(|&row| is_this(&self.owned[row])) {
            self.owned[row] = Owned::NONE;
            self.reserved -= 1;
        }
    }

    /// A mutex of `task`, of those that are noted.
    #[inline]
    pub(crate) fn owned_by(&self, task: TaskId) -> Option<PlaceOf<C>> {
        let rows = 0..self.owned.capacity();
        let mut owned = rows
            .map(|row| self.owned[row])
            .filter(|owned| owned.owner.holds(task));
        owned.next().and_then(|owned| owned.mutex)
    }

    /// Gives back all that `task` owns, whose job is given up. O(mutexes), or O(what such threads own) where mutexes
    /// are in memory.
    pub(crate) fn unlock_given_up(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        self.unlock_all(cpu, task, now);
        while let Some(mutex) = self.owned_by(task) {
            self.disown(cpu, task, mutex, now);
        }
    }
}
