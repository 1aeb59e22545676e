//! Mutexes and priority inheritance.
//!
//! With [`Protocol::Inherit`] the owner of a mutex acts with the urgency of the most urgent thread
//! that waits for it (Sha, Rajkumar, Lehoczky 1990), and passes it on to the owner of a mutex that
//! it waits for itself. What urgency is, is the policy's business: a priority, or a deadline
//! ([`Policy::compare`], [`Policy::lend`]).
//!
//! ```text
//!   H waits for --> mutex 1, owned by M, waits for --> mutex 2, owned by L
//!   so L acts with the urgency of H until it unlocks mutex 2, and then M does
//! ```
//!
//! Who lends to whom is computed anew along such a chain whenever someone comes or goes
//! ([`Core::inherit`]), and not kept up by increments: the chain is short, and a state that is
//! recomputed cannot go stale. A call to lock that would close a ring is refused
//! ([`Error::Deadlock`]).
//!
//! Unlocking hands the mutex over to the most urgent waiter at once, so nobody can snatch it.

use crate::config::Config;
use crate::thread::State;
use crate::{Core, Error};
use core::cmp::Ordering;
use core::task::Poll;
use flyball_policy::Policy;
use flyball_policy::queue::links::List;
use flyball_trace::{CpuId, Kind, Object, TaskId, Time};

/// A mutex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MutexId(pub(crate) u16);

/// What happens to a mutex's owner while others wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Protocol {
    /// Nothing. Threads of middling urgency may then delay the most urgent one without bound.
    None,
    /// It acts with the urgency of the most urgent thread that waits.
    #[default]
    Inherit,
}

pub(crate) struct Mutex {
    pub(crate) owner: Option<TaskId>,
    pub(crate) waiters: List,
    /// The next mutex of the same owner.
    pub(crate) next_held: Option<u16>,
    protocol: Protocol,
}

impl Default for Mutex {
    fn default() -> Mutex {
        Mutex {
            owner: None,
            waiters: List::EMPTY,
            next_held: None,
            protocol: Protocol::default(),
        }
    }
}

#[cfg(test)]
impl Mutex {
    pub(crate) fn protocol(&self) -> Protocol {
        self.protocol
    }
}

impl<C: Config> Core<C> {
    /// Makes a mutex that nobody owns.
    ///
    /// # Errors
    /// [`Error::Full`].
    pub fn mutex(&mut self, protocol: Protocol) -> Result<MutexId, Error> {
        let number = self.mutexes.make(1)?;
        self.mutexes.rows[usize::from(number)].protocol = protocol;
        Ok(MutexId(number))
    }

    /// The running thread becomes the owner of the mutex, or waits until `until` at the latest to
    /// become it. O(1) if the mutex is free.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if it would have to wait and `until` has come already;
    /// [`Error::Deadlock`], [`Error::NoThread`], [`Error::Unknown`].
    pub fn lock(
        &mut self,
        cpu: CpuId,
        mutex: MutexId,
        until: Time,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        let caller = self.caller(cpu)?;
        match self.mutexes.get(mutex.0)?.owner {
            None => {
                self.own(cpu, caller, mutex.0, now);
                Ok(Poll::Ready(()))
            }
            Some(owner) => {
                if self.waits_for(owner, caller) {
                    return Err(Error::Deadlock);
                }
                self.block(cpu, Object::Mutex(mutex.0), until, now)?;
                self.inherit(cpu, owner, now);
                Ok(Poll::Pending)
            }
        }
    }

    /// The running thread gives the mutex back; the most urgent waiter owns it from now on.
    ///
    /// # Errors
    /// [`Error::NotOwner`], [`Error::NoThread`], [`Error::Unknown`].
    pub fn unlock(&mut self, cpu: CpuId, mutex: MutexId, now: Time) -> Result<(), Error> {
        let caller = self.caller(cpu)?;
        if self.mutexes.get(mutex.0)?.owner != Some(caller) {
            return Err(Error::NotOwner);
        }
        self.disown(cpu, caller, mutex.0, now);
        Ok(())
    }

    /// Whether the running thread owns a mutex.
    pub fn owns_mutex(&self, cpu: CpuId) -> bool {
        self.caller(cpu)
            .is_ok_and(|task| self.threads[task.index()].held.is_some())
    }

    /// Whether `task` is `other`, or waits (through any number of mutexes) for one of `other`'s.
    fn waits_for(&self, task: TaskId, other: TaskId) -> bool {
        self.chain(task).any(|task| task == other)
    }

    /// `task`, the owner of the mutex that it waits for, the owner of the one that he waits for…
    ///
    /// Only a condition variable can close a ring: a thread that has been signalled has to take its
    /// mutex again, whatever the mutex's owner waits for. Such threads wait for ever, but nobody
    /// follows the ring for ever, because no chain is longer than there are threads.
    fn chain(&self, task: TaskId) -> impl Iterator<Item = TaskId> + '_ {
        core::iter::successors(Some(task), |&task| self.blocker(task)).take(self.links.capacity())
    }

    /// The owner of the mutex that `task` waits for.
    fn blocker(&self, task: TaskId) -> Option<TaskId> {
        match self.threads[task.index()].state {
            State::Blocked(Object::Mutex(mutex)) => self.mutexes.rows[usize::from(mutex)].owner,
            _ => None,
        }
    }

    /// `task` becomes the owner of a mutex that nobody owns.
    fn own(&mut self, cpu: CpuId, task: TaskId, mutex: u16, now: Time) {
        let thread = &mut self.threads[task.index()];
        let row = &mut self.mutexes.rows[usize::from(mutex)];
        row.owner = Some(task);
        row.next_held = thread.held.replace(mutex);
        self.emit(now, cpu, Kind::Lock { task, mutex });
    }

    /// `task` gives back a mutex that it owns.
    pub(crate) fn disown(&mut self, cpu: CpuId, task: TaskId, mutex: u16, now: Time) {
        self.forget_held(task, mutex);
        self.emit(now, cpu, Kind::Unlock { task, mutex });
        let row = &mut self.mutexes.rows[usize::from(mutex)];
        row.owner = None;
        let waiters = row.waiters;
        if let Some(heir) = self.most_urgent(waiters) {
            self.unlink(heir);
            self.own(cpu, heir, mutex, now);
            self.inherit(cpu, task, now);
            self.wake(cpu, heir, now);
            // The others wait for the heir now.
            self.inherit(cpu, heir, now);
        }
    }

    /// Takes a mutex out of the list of those that `task` owns.
    fn forget_held(&mut self, task: TaskId, mutex: u16) {
        let next = self.mutexes.rows[usize::from(mutex)].next_held.take();
        let mut at = self.threads[task.index()].held;
        if at == Some(mutex) {
            self.threads[task.index()].held = next;
            return;
        }
        while let Some(number) = at {
            let row = &mut self.mutexes.rows[usize::from(number)];
            if row.next_held == Some(mutex) {
                row.next_held = next;
                return;
            }
            at = row.next_held;
        }
    }

    /// Gives back all that `task` owns.
    pub(crate) fn unlock_all(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        while let Some(mutex) = self.threads[task.index()].held {
            self.disown(cpu, task, mutex, now);
        }
    }

    /// `task` owns `mutex` again, or waits for it without limit.
    pub(crate) fn acquire_again(&mut self, cpu: CpuId, task: TaskId, mutex: u16, now: Time) {
        match self.mutexes.rows[usize::from(mutex)].owner {
            None => {
                self.own(cpu, task, mutex, now);
                self.wake(cpu, task, now);
            }
            Some(owner) => {
                let job = self.threads[task.index()].jobs.number();
                let on = Object::Mutex(mutex);
                self.emit(now, cpu, Kind::Block { task, job, on });
                self.await_object(task, on, Time::NEVER);
                self.inherit(cpu, owner, now);
            }
        }
    }

    /// Finds out anew from whom `task` inherits, and whoever it waits for, and so on.
    pub(crate) fn inherit(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let mut at = Some(task);
        for _ in 0..self.links.capacity() {
            let Some(task) = at else { return };
            self.inherit_once(cpu, task, now);
            at = self.blocker(task);
        }
    }

    fn inherit_once(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let old = self.threads[task.index()].donor;
        let mut candidate = self.most_urgent_waiter(task);
        if candidate.is_none() && old.is_none() {
            return;
        }
        if candidate != old {
            // Compare with the task's own urgency, not with what it had inherited.
            let attention = self.policy.lend(task, None, now);
            self.attend(attention);
            candidate = candidate
                .filter(|&candidate| self.policy.compare(candidate, task) == Ordering::Less);
        }
        if candidate.is_some() {
            let attention = self.policy.lend(task, candidate, now);
            self.attend(attention);
        }
        self.threads[task.index()].donor = candidate;
        if candidate != old {
            self.emit(
                now,
                cpu,
                Kind::Inherit {
                    to: task,
                    from: candidate,
                },
            );
        }
    }

    /// The most urgent thread that waits for a mutex of `task` with inheritance.
    fn most_urgent_waiter(&self, task: TaskId) -> Option<TaskId> {
        let mut best: Option<TaskId> = None;
        let mut at = self.threads[task.index()].held;
        while let Some(number) = at {
            let row = &self.mutexes.rows[usize::from(number)];
            if row.protocol == Protocol::Inherit
                && let Some(waiter) = self.most_urgent(row.waiters)
                && best.is_none_or(|best| self.policy.compare(waiter, best) == Ordering::Less)
            {
                best = Some(waiter);
            }
            at = row.next_held;
        }
        best
    }
}
