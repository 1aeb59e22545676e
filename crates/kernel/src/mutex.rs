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
//! Which thread inherits from which is computed anew along such a chain whenever a thread joins or
//! leaves it ([`Core::inherit`]), and not kept up by increments: the chain is short, and a state
//! that is recomputed cannot go stale. A policy that [wants](flyball_policy::Wants::waits) to see the
//! chains itself is told which task waits for which instead ([`Core::tell_wait`]).
//!
//! A call to lock that would close a ring is refused
//! ([`Error::Deadlock`]).
//!
//! Unlocking hands the mutex over to the most urgent waiter at once, so no other thread can take it
//! first.

use crate::config::Config;
use crate::thread::State;
use crate::{Core, Error};
use core::cmp::Ordering;
use core::task::Poll;
use flyball_policy::Policy;
use flyball_policy::queue::links::List;
use flyball_trace::{CpuId, Kind, Object, Slot, TaskId, Time};

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

/// The number of a mutex, or none, in two bytes. (An `Option<u16>` takes four.)
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct MaybeMutex(u16);

impl MaybeMutex {
    /// A table has fewer rows than this.
    pub(crate) const NONE: MaybeMutex = MaybeMutex(u16::MAX);

    pub(crate) fn get(self) -> Option<u16> {
        (self != MaybeMutex::NONE).then_some(self.0)
    }

    pub(crate) fn take(&mut self) -> Option<u16> {
        core::mem::replace(self, MaybeMutex::NONE).get()
    }
}

impl From<u16> for MaybeMutex {
    fn from(mutex: u16) -> MaybeMutex {
        MaybeMutex(mutex)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Mutex {
    pub(crate) owner: Slot,
    pub(crate) waiters: List,
    /// The next mutex of the same owner that others wait for.
    pub(crate) next_wanted: MaybeMutex,
    protocol: Protocol,
}

impl Default for Mutex {
    fn default() -> Mutex {
        Mutex {
            owner: Slot::EMPTY,
            waiters: List::EMPTY,
            next_wanted: MaybeMutex::NONE,
            protocol: Protocol::default(),
        }
    }
}

#[cfg(any(test, feature = "audit"))]
impl Mutex {
    pub(crate) fn protocol(self) -> Protocol {
        self.protocol
    }
}

impl<C: Config> Core<C> {
    /// Makes a mutex that no thread owns.
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
        self.caller(cpu)?;
        if self.try_lock(cpu, mutex, now)? {
            return Ok(Poll::Ready(()));
        }
        self.lock_in_line(cpu, mutex, until, now)?;
        Ok(Poll::Pending)
    }

    /// The second half of [`Core::lock`], for a caller that has just tried the first,
    /// [`Core::try_lock`], in vain: the running thread waits.
    ///
    /// # Errors
    /// As [`Core::lock`].
    pub fn lock_in_line(
        &mut self,
        cpu: CpuId,
        mutex: MutexId,
        until: Time,
        now: Time,
    ) -> Result<(), Error> {
        let caller = self.caller(cpu)?;
        let owner = self.mutexes.get(mutex.0, C::CHECKS)?.owner.get();
        let owner = owner.ok_or(Error::Unknown)?;
        if self.waits_for(owner, caller) {
            return Err(Error::Deadlock);
        }
        if self.tells_waits() && until > now {
            self.tell_wait(caller, mutex.0, Some(owner), now);
        }
        let task = self.block(cpu, Object::Mutex(mutex.0), until, now)?;
        self.queue_up(task, mutex.0);
        self.want(cpu, owner, mutex.0, now);
        Ok(())
    }

    /// The running thread gives the mutex back; the most urgent waiter owns it from now on.
    ///
    /// # Errors
    /// [`Error::NotOwner`], [`Error::NoThread`], [`Error::Unknown`].
    pub fn unlock(&mut self, cpu: CpuId, mutex: MutexId, now: Time) -> Result<(), Error> {
        if !self.try_unlock(cpu, mutex, now)? {
            self.unlock_to_waiter(cpu, mutex, now)?;
        }
        Ok(())
    }

    /// The second half of [`Core::unlock`], for a caller that has just tried the first,
    /// [`Core::try_unlock`], in vain: the most urgent waiter owns the mutex from now on.
    ///
    /// # Errors
    /// As [`Core::unlock`].
    pub fn unlock_to_waiter(&mut self, cpu: CpuId, mutex: MutexId, now: Time) -> Result<(), Error> {
        let caller = self.caller(cpu)?;
        if self.mutexes.get(mutex.0, C::CHECKS)?.owner.holds(caller) {
            self.disown(cpu, caller, mutex.0, now);
            Ok(())
        } else {
            Err(Error::NotOwner)
        }
    }

    /// The running thread becomes the owner of the mutex if no thread owns it; returns whether it
    /// did. There is nothing to decide after this.
    ///
    /// # Errors
    /// [`Error::NoThread`], [`Error::Unknown`].
    #[inline]
    pub fn try_lock(&mut self, cpu: CpuId, mutex: MutexId, now: Time) -> Result<bool, Error> {
        let task = self.caller(cpu)?;
        let row = self.mutexes.get(mutex.0, C::CHECKS)?;
        let free = row.owner.is_empty();
        if free {
            row.owner = Slot::of(task);
            let mutex = mutex.0;
            self.emit(now, cpu, Kind::Lock { task, mutex });
        }
        Ok(free)
    }

    /// The running thread gives the mutex back if no thread waits for it, so that there is nothing
    /// to decide after this; returns whether it did.
    ///
    /// # Errors
    /// As [`Core::unlock`].
    #[inline]
    pub fn try_unlock(&mut self, cpu: CpuId, mutex: MutexId, now: Time) -> Result<bool, Error> {
        let task = self.caller(cpu)?;
        let row = self.mutexes.get(mutex.0, C::CHECKS)?;
        if !row.owner.holds(task) {
            return Err(Error::NotOwner);
        }
        let unwanted = row.waiters.is_empty();
        if unwanted {
            row.owner = Slot::EMPTY;
            let mutex = mutex.0;
            self.emit(now, cpu, Kind::Unlock { task, mutex });
        }
        Ok(unwanted)
    }

    /// Whether the running thread owns a mutex. O(mutexes).
    pub fn owns_mutex(&self, cpu: CpuId) -> bool {
        let owns = |task| {
            let mut mutexes = (0..self.mutexes.made).filter_map(|n| self.mutexes.look(n).ok());
            mutexes.any(|mutex| mutex.owner.holds(task))
        };
        self.running_task(cpu).is_some_and(owns)
    }

    /// Whether `task` is `other`, or waits (through any number of mutexes) for one of `other`'s.
    ///
    /// Only a condition variable can close a ring: a thread that has been signalled has to take its
    /// mutex again, whatever the mutex's owner waits for. Such threads wait for ever, but the
    /// search does not go round the ring for ever, because no chain has more threads than there
    /// are.
    fn waits_for(&self, mut task: TaskId, other: TaskId) -> bool {
        for _ in 0..self.links.capacity() {
            if task == other {
                return true;
            }
            match self.blocker(task) {
                Some(owner) => task = owner,
                None => return false,
            }
        }
        false
    }

    /// The owner of the mutex that `task` waits for.
    fn blocker(&self, task: TaskId) -> Option<TaskId> {
        match self.threads[task.index()].state {
            State::Blocked(Object::Mutex(mutex)) => {
                self.mutexes.rows[usize::from(mutex)].owner.get()
            }
            _ => None,
        }
    }

    /// `task` becomes the owner of a mutex that no thread owns.
    fn own(&mut self, cpu: CpuId, task: TaskId, mutex: u16, now: Time) {
        self.mutexes.rows[usize::from(mutex)].owner = Slot::of(task);
        self.emit(now, cpu, Kind::Lock { task, mutex });
    }

    /// `task` gives back a mutex that it owns.
    pub(crate) fn disown(&mut self, cpu: CpuId, task: TaskId, mutex: u16, now: Time) {
        self.emit(now, cpu, Kind::Unlock { task, mutex });
        let row = &mut self.mutexes.rows[usize::from(mutex)];
        row.owner = Slot::EMPTY;
        let waiters = row.waiters;
        if let Some(heir) = self.most_urgent(waiters) {
            self.forget_wanted(task, mutex);
            self.unlink(heir);
            self.own(cpu, heir, mutex, now);
            if self.tells_waits() {
                self.tell_new_owner(heir, mutex, now);
            }
            self.inherit(cpu, task, now);
            self.wake(cpu, heir, now);
            if !self.mutexes.rows[usize::from(mutex)].waiters.is_empty() {
                // The others wait for the heir now.
                self.remember_wanted(heir, mutex);
                self.inherit(cpu, heir, now);
            }
        }
    }

    /// `task` becomes the last of the threads that wait for a mutex.
    fn queue_up(&mut self, task: TaskId, mutex: u16) {
        let row = &mut self.mutexes.rows[usize::from(mutex)];
        self.links.push_back(&mut row.waiters, task);
    }

    /// A thread has begun to wait for a mutex of `owner`.
    fn want(&mut self, cpu: CpuId, owner: TaskId, mutex: u16, now: Time) {
        let waiters = self.mutexes.rows[usize::from(mutex)].waiters;
        if waiters
            .first()
            .is_some_and(|first| self.links.is_alone(first))
        {
            self.remember_wanted(owner, mutex);
        }
        self.inherit(cpu, owner, now);
    }

    /// `task` has ceased to wait for a mutex, and does not get it.
    pub(crate) fn unwant(&mut self, cpu: CpuId, task: TaskId, mutex: u16, now: Time) {
        if self.tells_waits() {
            self.tell_wait(task, mutex, None, now);
        }
        let row = &self.mutexes.rows[usize::from(mutex)];
        let Some(owner) = row.owner.get() else { return };
        if row.waiters.is_empty() {
            self.forget_wanted(owner, mutex);
        }
        self.inherit(cpu, owner, now);
    }

    /// Puts a mutex into the list of those that `task` owns and others wait for.
    fn remember_wanted(&mut self, task: TaskId, mutex: u16) {
        let first = core::mem::replace(&mut self.threads[task.index()].wanted, mutex.into());
        self.mutexes.rows[usize::from(mutex)].next_wanted = first;
    }

    /// Takes a mutex out of that list.
    fn forget_wanted(&mut self, task: TaskId, mutex: u16) {
        let next = &mut self.mutexes.rows[usize::from(mutex)].next_wanted;
        let next = core::mem::replace(next, MaybeMutex::NONE);
        let mut at = self.threads[task.index()].wanted.get();
        if at == Some(mutex) {
            self.threads[task.index()].wanted = next;
            return;
        }
        while let Some(number) = at {
            let row = &mut self.mutexes.rows[usize::from(number)];
            if row.next_wanted == mutex.into() {
                row.next_wanted = next;
                return;
            }
            at = row.next_wanted.get();
        }
    }

    /// Gives back all that `task` owns. O(mutexes).
    pub(crate) fn unlock_all(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        for mutex in 0..self.mutexes.made {
            if self.mutexes.rows[usize::from(mutex)].owner.holds(task) {
                self.disown(cpu, task, mutex, now);
            }
        }
    }

    /// `task` owns `mutex` again, or waits for it without limit.
    pub(crate) fn acquire_again(&mut self, cpu: CpuId, task: TaskId, mutex: u16, now: Time) {
        match self.mutexes.rows[usize::from(mutex)].owner.get() {
            None => {
                self.own(cpu, task, mutex, now);
                self.wake(cpu, task, now);
            }
            Some(owner) => {
                let job = self.job_number(task);
                let on = Object::Mutex(mutex);
                self.emit(now, cpu, Kind::Block { task, job, on });
                self.await_object(task, on, Time::NEVER);
                self.queue_up(task, mutex);
                if core::mem::take(&mut self.threads[task.index()].limited) {
                    self.limit(task, Time::NEVER);
                }
                if self.tells_waits() {
                    self.tell_wait(task, mutex, Some(owner), now);
                }
                self.want(cpu, owner, mutex, now);
            }
        }
    }

    /// Whether the policy is told which thread waits for which, and decides itself what follows.
    #[inline]
    pub(crate) fn tells_waits(&self) -> bool {
        C::Policy::WANTS.waits && self.policy.takes_waits()
    }

    /// Tells the policy that `task` waits for a mutex of `owner`, or for none any more, if the mutex
    /// has inheritance.
    #[inline(never)]
    fn tell_wait(&mut self, task: TaskId, mutex: u16, owner: Option<TaskId>, now: Time) {
        if self.mutexes.rows[usize::from(mutex)].protocol == Protocol::Inherit {
            let resched = self.policy.waits(task, owner, now);
            self.attend(resched);
        }
    }

    /// Tells the policy that `heir`, which waits no more, has a mutex that others go on waiting for.
    #[inline(never)]
    fn tell_new_owner(&mut self, heir: TaskId, mutex: u16, now: Time) {
        self.tell_wait(heir, mutex, None, now);
        let first = self.mutexes.rows[usize::from(mutex)].waiters.first();
        let mut at = first;
        while let Some(waiter) = at {
            self.tell_wait(waiter, mutex, Some(heir), now);
            at = Some(self.links.after(waiter)).filter(|&next| Some(next) != first);
        }
    }

    /// Finds out anew from which thread `task` inherits, then the same for the owner of the mutex
    /// that it waits for, and so on. Does nothing if the policy finds that out itself.
    pub(crate) fn inherit(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if self.tells_waits() {
            return;
        }
        let mut at = Some(task);
        for _ in 0..self.links.capacity() {
            let Some(task) = at else { return };
            self.inherit_once(cpu, task, now);
            at = self.blocker(task);
        }
    }

    fn inherit_once(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let old = self.threads[task.index()].donor;
        let mut donor = Slot::from(self.most_urgent_waiter(task));
        if donor.is_empty() && old.is_empty() {
            return;
        }
        if donor != old {
            // Compare with the task's own urgency, not with what it had inherited.
            self.inherit_from(task, None, now);
            let urges = |donor| self.policy.compare(donor, task) == Ordering::Less;
            if !donor.get().is_some_and(urges) {
                donor = Slot::EMPTY;
            }
        }
        if !donor.is_empty() {
            self.inherit_from(task, donor.get(), now);
        }
        self.threads[task.index()].donor = donor;
        if donor != old {
            let (to, from) = (task, donor.get());
            self.emit(now, cpu, Kind::Inherit { to, from });
        }
    }

    /// `to` acts with the urgency of `from`, if that is more than its own.
    fn inherit_from(&mut self, to: TaskId, from: Option<TaskId>, now: Time) {
        let resched = self.policy.inherit(to, from, now);
        self.attend(resched);
    }

    /// The most urgent thread that waits for a mutex of `task` with inheritance.
    fn most_urgent_waiter(&self, task: TaskId) -> Option<TaskId> {
        let mut best: Option<TaskId> = None;
        let mut at = self.threads[task.index()].wanted.get();
        while let Some(number) = at {
            let row = &self.mutexes.rows[usize::from(number)];
            if row.protocol == Protocol::Inherit
                && let Some(waiter) = self.most_urgent(row.waiters)
                && best.is_none_or(|best| self.policy.compare(waiter, best) == Ordering::Less)
            {
                best = Some(waiter);
            }
            at = row.next_wanted.get();
        }
        best
    }
}
