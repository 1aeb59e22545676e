//! Calls that are made as a whole, or in two halves, as machines do that want the first one to be
//! part of the program that calls.

use super::super::world::{CPU, Small, World};
use super::books::Books;
use crate::thread::State;
use crate::{Core, Error, MutexId, QueueId, SemaphoreId, ThreadId};
use core::task::Poll;
use flyball_policy::{Policy, Resched};
use flyball_trace::{Object, Time};

/// How calls are made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Way {
    /// In two halves.
    pub(super) halves: bool,
    /// [`Config::CHECKS`](crate::Config::CHECKS).
    pub(super) checks: bool,
}

/// The usual way.
pub(super) const WHOLE: Way = Way {
    halves: false,
    checks: true,
};

/// The others, which have to come to the same.
pub(super) const OTHERS: [Way; 2] = [
    Way {
        halves: true,
        checks: true,
    },
    Way {
        halves: true,
        checks: false,
    },
];

impl<P: Policy, const CHECKS: bool> World<P, CHECKS> {
    /// A first half. There is nothing to decide after it, nor a timer to be set.
    fn quick<T>(
        &mut self,
        half: impl FnOnce(&mut Core<Small<P, CHECKS>>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let timer = self.core.next_timer(CPU);
        let result = half(&mut self.core);
        assert_eq!(self.core.resched(), Resched::None);
        assert_eq!(self.core.next_timer(CPU), timer);
        assert!(self.core.is_settled(CPU));
        result
    }

    /// Before a half that is only for threads and does not look itself.
    fn caller(&self) -> Result<(), Error> {
        self.running().map(drop).ok_or(Error::NoThread)
    }

    pub(super) fn lock(
        &mut self,
        halves: bool,
        mutex: MutexId,
        until: Time,
    ) -> Result<Poll<()>, Error> {
        let now = self.now;
        if !halves {
            return self.core.lock(CPU, mutex, until, now);
        }
        if self.quick(|core| core.try_lock(CPU, mutex, now))? {
            return Ok(Poll::Ready(()));
        }
        self.core.lock_in_line(CPU, mutex, until, now)?;
        Ok(Poll::Pending)
    }

    pub(super) fn unlock(&mut self, halves: bool, mutex: MutexId) -> Result<(), Error> {
        let now = self.now;
        if !halves {
            return self.core.unlock(CPU, mutex, now);
        }
        if self.quick(|core| core.try_unlock(CPU, mutex, now))? {
            return Ok(());
        }
        self.core.unlock_to_waiter(CPU, mutex, now)
    }

    pub(super) fn wait(
        &mut self,
        halves: bool,
        semaphore: SemaphoreId,
        until: Time,
    ) -> Result<Poll<()>, Error> {
        let now = self.now;
        if !halves {
            return self.core.wait(CPU, semaphore, until, now);
        }
        self.caller()?;
        if self.quick(|core| core.try_wait(semaphore))? {
            return Ok(Poll::Ready(()));
        }
        self.core.wait_in_line(CPU, semaphore, until, now)?;
        Ok(Poll::Pending)
    }

    pub(super) fn signal(&mut self, halves: bool, semaphore: SemaphoreId) -> Result<(), Error> {
        let now = self.now;
        if !halves {
            return self.core.signal(CPU, semaphore, now);
        }
        if self.quick(|core| core.try_signal(semaphore))? {
            return Ok(());
        }
        self.core.signal_waiter(CPU, semaphore, now)
    }

    pub(super) fn send(
        &mut self,
        halves: bool,
        queue: QueueId,
        message: u32,
        until: Time,
    ) -> Result<Poll<()>, Error> {
        if halves {
            self.caller()?;
            if self.quick(|core| core.try_send(queue, &message, Some(CPU)))? {
                return Ok(Poll::Ready(()));
            }
            let now = self.now;
            self.core.send_in_line(CPU, queue, &message, until, now)?;
            return Ok(self.came());
        }
        self.core.send(CPU, queue, &message, until, self.now)
    }

    /// Whether the thread that has just called waits now.
    fn came(&self) -> Poll<()> {
        match self.core.running_task(CPU) {
            Some(_) => Poll::Ready(()),
            None => Poll::Pending,
        }
    }

    pub(super) fn post(&mut self, halves: bool, queue: QueueId, message: u32) -> Result<(), Error> {
        if !halves {
            return self.core.post(CPU, queue, &message, self.now);
        }
        if self.quick(|core| core.try_send(queue, &message, None))? {
            return Ok(());
        }
        self.core
            .post_to_waiter(CPU, queue, &message, false, self.now)
    }

    pub(super) fn receive(
        &mut self,
        halves: bool,
        queue: QueueId,
        until: Time,
    ) -> Result<Poll<u32>, Error> {
        if halves {
            self.caller()?;
            let mut message = 0;
            if self.quick(|core| core.try_receive(queue, &mut message, Some(CPU)))? {
                return Ok(Poll::Ready(message));
            }
            self.core.receive_in_line(CPU, queue, until, self.now)?;
            if self.came().is_pending() {
                return Ok(Poll::Pending);
            }
            return Ok(Poll::Ready(
                *self.core.received(CPU).expect("a thread has received"),
            ));
        }
        let received = self.core.receive(CPU, queue, until, self.now)?;
        Ok(received.map(|()| *self.core.received(CPU).expect("a thread has received")))
    }

    /// Unparks: a parked thread goes on, and any other one gets the token.
    pub(super) fn unpark(&mut self, thread: ThreadId, books: &mut Books) {
        let row = thread.task().index();
        let alive = self.core.find(thread).is_ok();
        if !CHECKS && !alive {
            return;
        }
        let is_parked = |state| state == State::Blocked(Object::Token);
        let parked = alive && is_parked(self.core.threads[row].state);
        let unparked = self.core.unpark(CPU, thread, self.now);
        assert_eq!(unparked, if alive { Ok(()) } else { Err(Error::Dead) });
        if alive {
            assert!(!is_parked(self.core.threads[row].state));
            books.tokens[row] |= !parked;
        }
    }
}
