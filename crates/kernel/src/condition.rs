//! Condition variables.
//!
//! A thread that waits gives its mutex back and takes it again before it goes on, also when the
//! wait took too long. A signalled thread whose mutex is not free goes straight over to the
//! mutex's waiters; it does not run in between.

use crate::config::Config;
use crate::mutex::MutexId;
use crate::{Core, Error};
use core::task::Poll;
use flyball_policy::queue::links::List;
use flyball_trace::{CpuId, Object, Time};

/// A condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConditionId(pub(crate) u16);

#[derive(Clone, Copy)]
pub(crate) struct Condition {
    pub(crate) waiters: List,
}

impl Default for Condition {
    fn default() -> Condition {
        Condition {
            waiters: List::EMPTY,
        }
    }
}

impl<C: Config> Core<C> {
    /// Makes a condition variable.
    ///
    /// # Errors
    /// [`Error::Full`].
    pub fn condition(&mut self) -> Result<ConditionId, Error> {
        self.conditions.make(1).map(ConditionId)
    }

    /// The running thread gives `mutex` back and waits for a signal, until `until` at the latest;
    /// it owns the mutex again when it goes on.
    ///
    /// # Errors
    /// [`Error::NotOwner`], [`Error::TimedOut`] if `until` has come already (the thread still owns
    /// the mutex), [`Error::NoThread`], [`Error::Unknown`].
    pub fn wait_condition(
        &mut self,
        cpu: CpuId,
        condition: ConditionId,
        mutex: MutexId,
        until: Time,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        let caller = self.caller(cpu)?;
        self.conditions.get(condition.0, C::CHECKS)?;
        if self.mutexes.get(mutex.0, C::CHECKS)?.owner.get() != Some(caller) {
            return Err(Error::NotOwner);
        }
        let task = self.block(cpu, Object::Condition(condition.0), until, now)?;
        let row = self.conditions.get(condition.0, false)?;
        self.links.push_back(&mut row.waiters, task);
        self.threads[task.index()].reacquire = mutex.0.into();
        self.disown(cpu, task, mutex.0, now);
        Ok(Poll::Pending)
    }

    /// Lets the most urgent waiting thread go on. If no thread waits, nothing happens.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn signal_condition(
        &mut self,
        cpu: CpuId,
        condition: ConditionId,
        now: Time,
    ) -> Result<(), Error> {
        let waiters = self.conditions.get(condition.0, C::CHECKS)?.waiters;
        if let Some(waiter) = self.most_urgent(waiters) {
            self.unlink(waiter);
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
        condition: ConditionId,
        now: Time,
    ) -> Result<(), Error> {
        while !self
            .conditions
            .get(condition.0, C::CHECKS)?
            .waiters
            .is_empty()
        {
            self.signal_condition(cpu, condition, now)?;
        }
        Ok(())
    }
}
