//! Counting semaphores.

#![expect(
    clippy::inline_always,
    reason = "a call and a return cost as much as the decision itself"
)]

use crate::config::Config;
use crate::objects::{ANY, Numbered, ObjectStore, PlaceOf, Sort};
use crate::{Core, Error};
use core::task::Poll;
use flyball_multicore::State;
use flyball_policy::Storage;
use flyball_trace::{CpuId, Object, TaskId, Time};

/// A counting semaphore: its number, or where it is in memory ([`At`](crate::At)).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SemaphoreId<P = u16>(pub(crate) P);

impl<C: Config, M: Storage, S: Storage, N: Storage> Core<C>
where
    C: Config<Objects = Numbered<M, S, N>>,
{
    /// Makes a semaphore that lets `initial` threads pass before the first has to wait.
    ///
    /// # Errors
    /// [`Error::Full`]; [`Error::Invalid`] if that is more than two thousand million ([`State::MOST`]).
    pub fn semaphore(&mut self, initial: u32) -> Result<SemaphoreId, Error> {
        if initial > State::MOST {
            return Err(Error::Invalid);
        }
        self.objects.make_semaphore(initial).map(SemaphoreId)
    }
}

impl<C: Config> Core<C> {
    /// The running thread passes the semaphore, or waits until `until` at the latest for a signal.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if it would have to wait and `until` has come already;
    /// [`Error::Taken`] if signals release jobs; [`Error::NoThread`], [`Error::Unknown`].
    #[inline(always)]
    pub fn wait(
        &mut self,
        cpu: CpuId,
        semaphore: SemaphoreId<PlaceOf<C>>,
        until: Time,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        let caller = self.caller(cpu)?;
        let place = semaphore.0;
        loop {
            let state = self.state_of(Sort::Semaphore, place)?;
            if state == State::FREE {
                Self::may_wait(until, now)?;
                if self.wait_first(Sort::Semaphore, place, state, caller) {
                    break;
                }
            } else {
                if let Some(count) = state.passes() {
                    if self.change(Sort::Semaphore, place, state, State::count(count - 1)) {
                        return Ok(Poll::Ready(()));
                    }
                    continue;
                }
                if self.has_jobs() && state.task().is_some() {
                    return Err(Error::Taken);
                }
                Self::may_wait(until, now)?;
                self.wait_behind(place, TaskId(state.names()), caller);
                break;
            }
        }
        self.block_caller(cpu, caller, Object::Semaphore(ANY), until, now);
        Ok(Poll::Pending)
    }

    /// Lets the most urgent waiting thread go on, or the next one that comes. An interrupt may call
    /// this.
    ///
    /// # Errors
    /// [`Error::Unknown`]; [`Error::Full`] after two thousand million signals that no thread
    /// waited for ([`State::MOST`]).
    #[inline]
    pub fn signal(
        &mut self,
        cpu: CpuId,
        semaphore: SemaphoreId<PlaceOf<C>>,
        now: Time,
    ) -> Result<(), Error> {
        let place = semaphore.0;
        loop {
            let state = self.state_of(Sort::Semaphore, place)?;
            if let Some(count) = state.passes() {
                let more = count.checked_add(1).filter(|&more| more <= State::MOST);
                let more = State::count(more.ok_or(Error::Full)?);
                if self.change(Sort::Semaphore, place, state, more) {
                    return Ok(());
                }
                continue;
            }
            if self.has_jobs() && state.task().is_some() {
                let task = TaskId(state.names());
                return self.trigger(cpu, task, self.running_task(cpu), now);
            }
            let waiter = self.take_waiter(Sort::Semaphore, place, TaskId(state.names()));
            self.wake(cpu, waiter, now);
            return Ok(());
        }
    }

    /// How many threads the semaphore would let pass now.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn semaphore_value(&self, semaphore: SemaphoreId<PlaceOf<C>>) -> Result<u32, Error> {
        let state = self.objects.state(Sort::Semaphore, semaphore.0, true)?;
        Ok(state.passes().unwrap_or_default())
    }
}
