//! Mutexes. Priority inheritance is in [`inheritance`](crate::inheritance).
//!
//! With [`Protocol::Inherit`] the owner of a mutex acts with the urgency of the most urgent thread
//! that waits for it (Sha, Rajkumar, Lehoczky 1990), and passes it on to the owner of a mutex that
//! it waits for itself. What urgency is, is the policy's business: a priority, or a deadline
//! ([`Policy::compare`](flyball_policy::Policy::compare), [`Policy::inherit`](flyball_policy::Policy::inherit)).
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
use crate::objects::{ANY, Held, Numbered, ObjectStore, PlaceOf, Sort, of_waiters};
use crate::thread::State;
use crate::{Core, Error};
use core::task::Poll;
use flyball_multicore::State as Word;
use flyball_policy::Storage;
use flyball_trace::{CpuId, Kind, Object, Sink, Slot, TaskId, Time};

/// A mutex: its number, or where it is in memory ([`At`](crate::At)).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MutexId<P = u16>(pub(crate) P);

/// What happens to a mutex's owner while others wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Protocol {
    /// Nothing. Threads of middling urgency may then delay the most urgent one without bound.
    None,
    /// It acts with the urgency of the most urgent thread that waits.
    #[default]
    Inherit,
}

impl<C: Config, M: Storage, S: Storage, N: Storage> Core<C>
where
    C: Config<Objects = Numbered<M, S, N>>,
{
    /// Makes a mutex that no thread owns.
    ///
    /// # Errors
    /// [`Error::Full`].
    pub fn mutex(&mut self, protocol: Protocol) -> Result<MutexId, Error> {
        self.objects.make_mutex(protocol).map(MutexId)
    }
}

impl<C: Config> Core<C> {
    /// The running thread becomes the owner of the mutex, or waits until `until` at the latest to
    /// become it. O(1) if the mutex is free.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if it would have to wait and `until` has come already;
    /// [`Error::Deadlock`], [`Error::NoThread`], [`Error::Unknown`]; [`Error::Full`] if late jobs of the thread are
    /// given up, it has as many mutexes as such threads may have, and these are in memory.
    pub fn lock(
        &mut self,
        cpu: CpuId,
        mutex: MutexId<PlaceOf<C>>,
        until: Time,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        let caller = self.caller(cpu)?;
        if self.locks_by_kernel(caller) {
            self.reserve()?;
        }
        let locked = self.lock_reserved(cpu, caller, mutex.0, until, now);
        if locked.is_err() && self.locks_by_kernel(caller) {
            self.reserved -= 1;
        }
        locked
    }

    #[inline]
    fn lock_reserved(
        &mut self,
        cpu: CpuId,
        caller: TaskId,
        mutex: PlaceOf<C>,
        until: Time,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        loop {
            let state = self.state_of(Sort::Mutex, mutex)?;
            if state == Word::FREE {
                if self.own(cpu, caller, mutex, now) {
                    return Ok(Poll::Ready(()));
                }
                continue;
            }
            let owner = self.owner_of(state);
            if owner.is_some_and(|owner| self.waits_for(owner, caller)) {
                return Err(Error::Deadlock);
            }
            Self::may_wait(until, now)?;
            if self.queue_up(caller, owner, mutex, state) {
                if self.tells_waits() && owner.is_some() {
                    self.tell_wait(caller, owner, now);
                }
                self.block_caller(cpu, caller, Object::Mutex(ANY), until, now);
                self.want(cpu, owner, caller, now);
                return Ok(Poll::Pending);
            }
        }
    }

    /// The thread that owns a mutex whose word says `state`, if there is one that has not ended.
    #[inline]
    fn owner_of(&self, state: Word) -> Option<TaskId> {
        match state.first() {
            Some(first) => self.held(TaskId(first)).owner.get(),
            None => state.owner().and_then(|name| self.named(name)),
        }
    }

    #[inline]
    pub(crate) fn held(&self, first: TaskId) -> Held {
        self.threads[first.index()].held
    }

    /// The running thread gives the mutex back; the most urgent waiter owns it from now on. O(1) if no
    /// thread waits.
    ///
    /// # Errors
    /// [`Error::NotOwner`], [`Error::NoThread`], [`Error::Unknown`].
    pub fn unlock(
        &mut self,
        cpu: CpuId,
        mutex: MutexId<PlaceOf<C>>,
        now: Time,
    ) -> Result<(), Error> {
        let caller = self.caller(cpu)?;
        if self.owns(caller, mutex.0)? {
            self.disown(cpu, caller, mutex.0, now);
            Ok(())
        } else {
            Err(Error::NotOwner)
        }
    }

    /// The same for a caller that is known to own the mutex: its guard is the proof.
    #[inline]
    pub fn unlock_owned(&mut self, cpu: CpuId, mutex: MutexId<PlaceOf<C>>, now: Time) {
        if let Ok(caller) = self.caller(cpu) {
            self.disown(cpu, caller, mutex.0, now);
        }
    }

    /// Whether the running thread owns a mutex.
    ///
    /// # Errors
    /// [`Error::NoThread`], [`Error::Unknown`].
    pub fn is_owner(&self, cpu: CpuId, mutex: MutexId<PlaceOf<C>>) -> Result<bool, Error> {
        self.owns(self.caller(cpu)?, mutex.0)
    }

    /// Whether `task` owns a mutex.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    #[inline]
    pub(crate) fn owns(&self, task: TaskId, mutex: PlaceOf<C>) -> Result<bool, Error> {
        let state = self.state_of(Sort::Mutex, mutex)?;
        Ok(match state.first() {
            Some(first) => self.held(TaskId(first)).owner.holds(task),
            None => state == Word::owned_by(self.name(task)),
        })
    }

    /// Whether `task` owns a mutex that has a number, or one that threads wait for. O(mutexes).
    pub(crate) fn owns_numbered(&self, task: TaskId) -> bool {
        let mutexes = (0..).map_while(|number| self.objects.numbered(number));
        !self.threads[task.index()].wanted.is_empty()
            || mutexes
                .into_iter()
                .any(|mutex| self.owns(task, mutex) == Ok(true))
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
    pub(crate) fn blocker(&self, task: TaskId) -> Option<TaskId> {
        let thread = &self.threads[task.index()];
        match (thread.state, thread.place) {
            (State::Blocked(Object::Mutex(_)), Some(place)) => {
                let state = self.objects.state(Sort::Mutex, place, false).ok()?;
                self.owner_of(state)
            }
            _ => None,
        }
    }

    /// `task` becomes the owner of a mutex that no thread owns; returns whether it did.
    #[inline]
    fn own(&mut self, cpu: CpuId, task: TaskId, mutex: PlaceOf<C>, now: Time) -> bool {
        let owned = Word::owned_by(self.name(task));
        let owns = self.change(Sort::Mutex, mutex, Word::FREE, owned);
        if owns {
            self.has_locked(cpu, task, mutex, now);
        }
        owns
    }

    #[inline]
    fn has_locked(&mut self, cpu: CpuId, task: TaskId, mutex: PlaceOf<C>, now: Time) {
        if self.locks_by_kernel(task) {
            self.note_owned(task, mutex);
        }
        if C::Trace::ENABLED {
            let mutex = self.number_of(Sort::Mutex, mutex);
            self.emit(now, cpu, Kind::Lock { task, mutex });
        }
    }

    /// `task` gives back a mutex that it owns.
    pub(crate) fn disown(&mut self, cpu: CpuId, task: TaskId, mutex: PlaceOf<C>, now: Time) {
        if C::Trace::ENABLED {
            let mutex = self.number_of(Sort::Mutex, mutex);
            self.emit(now, cpu, Kind::Unlock { task, mutex });
        }
        if self.locks_by_kernel(task) {
            self.forget_owned(task, mutex);
        }
        // The word names `task`, or the first that waits. It is looked at again if a thread has begun to wait on
        // another CPU meanwhile.
        while let Ok(state) = self.state_of(Sort::Mutex, mutex) {
            if let Some(first) = state.first() {
                return self.pass_on(cpu, task, mutex, TaskId(first), now);
            }
            if self.change(Sort::Mutex, mutex, state, Word::FREE) {
                return;
            }
        }
    }

    /// `task` gives back a mutex for which threads wait.
    fn pass_on(&mut self, cpu: CpuId, task: TaskId, mutex: PlaceOf<C>, first: TaskId, now: Time) {
        self.forget_wanted(task, first);
        let heir = self.most_urgent_of(self.links.from(first));
        let mut waiters = self.links.from(first);
        self.links.remove(&mut waiters, heir);
        let owned = Word::owned_by(self.name(heir));
        self.objects
            .store(Sort::Mutex, mutex, of_waiters(waiters, owned));
        self.has_locked(cpu, heir, mutex, now);
        if let Some(first) = waiters.first() {
            // The others wait for the heir now.
            self.threads[first.index()].held.owner = Slot::of(heir);
            self.remember_wanted(heir, first);
        }
        if self.tells_waits() {
            self.tell_new_owner(heir, waiters, now);
        }
        self.inherit(cpu, task, now);
        self.wake(cpu, heir, now);
        if !waiters.is_empty() {
            self.inherit(cpu, heir, now);
        }
    }

    /// `task` becomes the last of the threads that wait for a mutex of `owner` whose word says `state`; returns whether it
    /// did, as in [`Core::join_waiters`].
    #[inline]
    fn queue_up(
        &mut self,
        task: TaskId,
        owner: Option<TaskId>,
        mutex: PlaceOf<C>,
        state: Word,
    ) -> bool {
        let joined = self.join_waiters(Sort::Mutex, mutex, state, task);
        if joined && state.first().is_none() {
            self.threads[task.index()].held = Held {
                owner: owner.into(),
                ..Held::NONE
            };
        }
        joined
    }

    /// `task` has begun to wait for a mutex of `owner`.
    fn want(&mut self, cpu: CpuId, owner: Option<TaskId>, task: TaskId, now: Time) {
        let Some(owner) = owner else { return };
        if self.links.is_alone(task) {
            self.remember_wanted(owner, task);
        }
        self.inherit(cpu, owner, now);
    }

    /// `task` ceases to wait for a mutex, and does not get it.
    pub(crate) fn leave_mutex(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if self.locks_by_kernel(task) {
            self.reserved -= 1;
        }
        // It waits, so the word names the first that does.
        let Some(mutex) = self.threads[task.index()].place else {
            return;
        };
        let state = self.objects.state(Sort::Mutex, mutex, false);
        let Some(first) = state.ok().and_then(Word::first).map(TaskId) else {
            return;
        };
        let held = self.held(first);
        let owner = held.owner.get();
        let mut waiters = self.links.from(first);
        self.links.remove(&mut waiters, task);
        let left = owner.map_or(Word::ORPHAN, |owner| Word::owned_by(self.name(owner)));
        self.objects
            .store(Sort::Mutex, mutex, of_waiters(waiters, left));
        if self.tells_waits() && owner.is_some() {
            self.tell_wait(task, None, now);
        }
        match waiters.first() {
            Some(next) if first == task => self.succeed(owner, first, next),
            Some(_) => {}
            None => {
                if let Some(owner) = owner {
                    self.forget_wanted(owner, task);
                }
            }
        }
        if let Some(owner) = owner {
            self.inherit(cpu, owner, now);
        }
    }

    /// Of the threads that wait for a mutex of `owner`, `next` is the first now, and `first` was.
    fn succeed(&mut self, owner: Option<TaskId>, first: TaskId, next: TaskId) {
        self.threads[next.index()].held = self.held(first);
        if let Some(owner) = owner {
            *self.wanted_link(owner, first) = Slot::of(next);
        }
    }

    /// Puts the first waiter of a mutex into the list of those that wait for `task`.
    fn remember_wanted(&mut self, task: TaskId, first: TaskId) {
        let next = core::mem::replace(&mut self.threads[task.index()].wanted, Slot::of(first));
        self.threads[first.index()].held.next = next;
    }

    /// Takes one out of that list.
    fn forget_wanted(&mut self, task: TaskId, first: TaskId) {
        let next = self.held(first).next;
        *self.wanted_link(task, first) = next;
    }

    /// What names `first` in that list, where it is. O(mutexes of `task` for which others wait).
    fn wanted_link(&mut self, task: TaskId, first: TaskId) -> &mut Slot {
        let mut before = None;
        let mut at = self.threads[task.index()].wanted.get();
        while let Some(other) = at.filter(|&other| other != first) {
            before = Some(other);
            at = self.held(other).next.get();
        }
        match before {
            Some(before) => &mut self.threads[before.index()].held.next,
            None => &mut self.threads[task.index()].wanted,
        }
    }

    /// Gives back all that `task` owns and has a number. O(mutexes).
    pub(crate) fn unlock_all(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let mut number = 0;
        while let Some(mutex) = self.objects.numbered(number) {
            if self.owns(task, mutex) == Ok(true) {
                self.disown(cpu, task, mutex, now);
            }
            number += 1;
        }
    }

    /// `task` ends. Mutexes in memory that it still owns stay locked, for ever.
    pub(crate) fn orphan_all(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        while let Some(mutex) = self.owned_by(task) {
            self.forget_owned(task, mutex);
        }
        while let Some(first) = self.threads[task.index()].wanted.get() {
            self.forget_wanted(task, first);
            self.threads[first.index()].held.owner = Slot::EMPTY;
            if self.tells_waits() {
                self.tell_all(self.links.from(first), None, now);
            }
        }
        self.inherit(cpu, task, now);
    }

    /// `task` owns `mutex` again, or waits for it without limit.
    pub(crate) fn acquire_again(&mut self, cpu: CpuId, task: TaskId, mutex: PlaceOf<C>, now: Time) {
        // It has been the owner before, so the mutex is there.
        while let Ok(state) = self.state_of(Sort::Mutex, mutex) {
            if state == Word::FREE {
                if self.own(cpu, task, mutex, now) {
                    return self.wake(cpu, task, now);
                }
            } else if self.queue_up(task, self.owner_of(state), mutex, state) {
                return self.wait_again(cpu, task, now);
            }
        }
    }

    /// `task`, which is in line for a mutex, waits without limit.
    fn wait_again(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let on = Object::Mutex(ANY);
        self.emit_block(cpu, task, on, now);
        self.await_object(task, on, Time::NEVER);
        if core::mem::take(&mut self.threads[task.index()].limited) {
            self.limit(task, Time::NEVER);
        }
        let owner = self.blocker(task);
        if self.tells_waits() && owner.is_some() {
            self.tell_wait(task, owner, now);
        }
        self.want(cpu, owner, task, now);
    }
}
