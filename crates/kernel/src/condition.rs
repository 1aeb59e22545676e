//! Condition variables.
//!
//! A thread that waits gives its mutex back and takes it again before it goes on, also when the
//! wait took too long. A signalled thread whose mutex is not free goes straight over to the
//! mutex's waiters; it does not run in between.

use crate::config::Config;
use crate::mutex::MutexId;
use crate::objects::{ANY, Numbered, PlaceOf, Sort};
use crate::{Core, Error};
use core::task::Poll;
use flyball_policy::Storage;
use flyball_trace::{CpuId, Object, TaskId, Time};

/// A condition variable: its number, or where it is in memory ([`At`](crate::At)).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConditionId<P = u16>(pub(crate) P);

impl<C: Config, M: Storage, S: Storage, N: Storage> Core<C>
where
    C: Config<Objects = Numbered<M, S, N>>,
{
    /// Makes a condition variable.
    ///
    /// # Errors
    /// [`Error::Full`].
    pub fn condition(&mut self) -> Result<ConditionId, Error> {
        self.objects.make_condition().map(ConditionId)
    }
}

impl<C: Config> Core<C> {
    /// The running thread gives `mutex` back and waits for a signal, until `until` at the latest;
    /// it owns the mutex again when it goes on.
    ///
    /// # Errors
    /// [`Error::NotOwner`], [`Error::TimedOut`] if `until` has come already (the thread still owns
    /// the mutex), [`Error::Full`] without [`Config::CONDITIONS`], [`Error::NoThread`], [`Error::Unknown`].
    pub fn wait_condition(
        &mut self,
        cpu: CpuId,
        condition: ConditionId<PlaceOf<C>>,
        mutex: MutexId<PlaceOf<C>>,
        until: Time,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        let caller = self.caller(cpu)?;
        let state = self.state_of(Sort::Condition, condition.0)?;
        if !self.owns(caller, mutex.0)? {
            return Err(Error::NotOwner);
        }
        Self::may_wait(until, now)?;
        if !C::CONDITIONS {
            return Err(Error::Full);
        }
        // Only the kernel changes the word of a condition variable, so it is as it was.
        self.join_waiters(Sort::Condition, condition.0, state, caller);
        self.block_caller(cpu, caller, Object::Condition(ANY), until, now);
        self.threads[caller.index()].reacquire = Some(mutex.0);
        self.disown(cpu, caller, mutex.0, now);
        if self.locks_by_kernel(caller) {
            // It will own the mutex again.
            self.reserved += 1;
        }
        Ok(Poll::Pending)
    }

    /// Lets the most urgent waiting thread go on. If no thread waits, nothing happens.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn signal_condition(
        &mut self,
        cpu: CpuId,
        condition: ConditionId<PlaceOf<C>>,
        now: Time,
    ) -> Result<(), Error> {
        if let Some(first) = self.state_of(Sort::Condition, condition.0)?.first() {
            let waiter = self.take_waiter(Sort::Condition, condition.0, TaskId(first));
            self.come_back(cpu, waiter, now);
        }
        Ok(())
    }

    /// Lets all waiting threads go on, the most urgent first.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn broadcast(
        &mut self,
        cpu: CpuId,
        condition: ConditionId<PlaceOf<C>>,
        now: Time,
    ) -> Result<(), Error> {
        while self
            .state_of(Sort::Condition, condition.0)?
            .first()
            .is_some()
        {
            self.signal_condition(cpu, condition, now)?;
        }
        Ok(())
    }
}
