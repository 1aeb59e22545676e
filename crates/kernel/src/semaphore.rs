//! Counting semaphores.

#![expect(
    clippy::inline_always,
    reason = "a call and a return cost as much as the decision itself"
)]

use crate::config::Config;
use crate::wait::take_of_some;
use crate::{Core, Error};
use core::task::Poll;
use flyball_policy::queue::links::List;
use flyball_trace::{CpuId, Object, Time};

/// A counting semaphore.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SemaphoreId(pub(crate) u16);

#[derive(Clone, Copy)]
pub(crate) struct Semaphore {
    /// How many threads may still pass without waiting. Not zero only while no thread waits.
    pub(crate) count: u32,
    pub(crate) waiters: List,
    /// Signals release jobs of the one thread that is named in `waiters` and does not wait there:
    /// see [`crate::trigger`].
    pub(crate) triggers: bool,
}

impl Default for Semaphore {
    fn default() -> Semaphore {
        Semaphore {
            count: 0,
            waiters: List::EMPTY,
            triggers: false,
        }
    }
}

impl<C: Config> Core<C> {
    /// Makes a semaphore that lets `initial` threads pass before the first has to wait.
    ///
    /// # Errors
    /// [`Error::Full`].
    pub fn semaphore(&mut self, initial: u32) -> Result<SemaphoreId, Error> {
        let number = self.semaphores.make(1)?;
        self.semaphores.rows[usize::from(number)].count = initial;
        Ok(SemaphoreId(number))
    }

    /// The running thread passes the semaphore, or waits until `until` at the latest for a signal.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if it would have to wait and `until` has come already;
    /// [`Error::Taken`] if signals release jobs; [`Error::NoThread`], [`Error::Unknown`].
    pub fn wait(
        &mut self,
        cpu: CpuId,
        semaphore: SemaphoreId,
        until: Time,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        self.caller(cpu)?;
        if self.try_wait(semaphore)? {
            return Ok(Poll::Ready(()));
        }
        self.wait_in_line(cpu, semaphore, until, now)?;
        Ok(Poll::Pending)
    }

    /// The second half of [`Core::wait`], for a caller that has just tried the first,
    /// [`Core::try_wait`], in vain: the running thread waits.
    ///
    /// # Errors
    /// As [`Core::wait`]; [`Error::Taken`] if signals release jobs.
    #[inline(always)]
    pub fn wait_in_line(
        &mut self,
        cpu: CpuId,
        semaphore: SemaphoreId,
        until: Time,
        now: Time,
    ) -> Result<(), Error> {
        if self.has_jobs() && self.semaphores.get(semaphore.0, false)?.triggers {
            return Err(Error::Taken);
        }
        let task = self.block(cpu, Object::Semaphore(semaphore.0), until, now)?;
        let row = self.semaphores.get(semaphore.0, false)?;
        self.links.push_back(&mut row.waiters, task);
        Ok(())
    }

    /// Passes the semaphore if that can be done without waiting; returns whether it could. There is
    /// nothing to decide after this.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    #[inline]
    pub fn try_wait(&mut self, semaphore: SemaphoreId) -> Result<bool, Error> {
        let row = self.semaphores.get(semaphore.0, C::CHECKS)?;
        let passes = row.count > 0;
        if passes {
            row.count -= 1;
        }
        Ok(passes)
    }

    /// Signals if no thread waits, so that there is nothing to decide after this; returns whether
    /// it did.
    ///
    /// # Errors
    /// As [`Core::signal`].
    #[inline]
    pub fn try_signal(&mut self, semaphore: SemaphoreId) -> Result<bool, Error> {
        let row = self.semaphores.get(semaphore.0, C::CHECKS)?;
        let unheard = row.waiters.is_empty();
        if unheard {
            row.count = row.count.checked_add(1).ok_or(Error::Full)?;
        }
        Ok(unheard)
    }

    /// Lets the most urgent waiting thread go on, or the next one that comes. An interrupt may call
    /// this.
    ///
    /// # Errors
    /// [`Error::Unknown`]; [`Error::Full`] after four thousand million signals that no thread
    /// waited for.
    pub fn signal(&mut self, cpu: CpuId, semaphore: SemaphoreId, now: Time) -> Result<(), Error> {
        if self.try_signal(semaphore)? {
            return Ok(());
        }
        self.signal_waiter(cpu, semaphore, now)
    }

    /// The second half of [`Core::signal`], for a caller that has just tried the first,
    /// [`Core::try_signal`], in vain: threads wait, and the most urgent one goes on; or the signal
    /// releases a job.
    ///
    /// # Errors
    /// As [`Core::signal`].
    #[inline]
    pub fn signal_waiter(
        &mut self,
        cpu: CpuId,
        semaphore: SemaphoreId,
        now: Time,
    ) -> Result<(), Error> {
        let has_jobs = self.has_jobs();
        let row = self.semaphores.get(semaphore.0, false)?;
        if has_jobs
            && row.triggers
            && let Some(task) = row.waiters.first()
        {
            return self.trigger(cpu, task, self.running_task(cpu), now);
        }
        let waiter = take_of_some(&mut self.links, &self.policy, &mut row.waiters);
        self.wake(cpu, waiter, now);
        Ok(())
    }

    /// How many threads the semaphore would let pass now.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn semaphore_value(&self, semaphore: SemaphoreId) -> Result<u32, Error> {
        Ok(self.semaphores.look(semaphore.0)?.count)
    }
}
