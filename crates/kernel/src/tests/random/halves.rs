//! Calls that are made as a whole, or in two halves, as machines do that want the first one to be
//! part of the program that calls.

use super::super::world::{CPU, Small, TestObjects, World};
use super::books::{Away, Books};
use crate::thread::{Outcome, State};
use crate::{Core, Error, MutexId, QueueId, SemaphoreId, ThreadId};
use core::task::Poll;
use flyball_multicore::Word;
use flyball_policy::{Policy, Resched};
use flyball_trace::{Object, Time};

/// How calls are made.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Way {
    /// In two halves.
    pub(super) halves: bool,
    /// [`Config::CHECKS`](crate::Config::CHECKS).
    pub(super) checks: bool,
    /// No job is given up, and no thread ends with a mutex: then objects in memory do what those in tables do.
    pub(super) mild: bool,
    /// Objects are in memory, and are changed without the kernel where that is possible.
    pub(super) words: bool,
}

/// The usual way.
pub(super) const WHOLE: Way = Way {
    halves: false,
    checks: true,
    mild: false,
    words: false,
};

/// The same, with nothing that objects in memory do in another way.
pub(super) const MILD: Way = Way {
    mild: true,
    ..WHOLE
};

/// The same, with objects in memory.
pub(super) const WORDS: Way = Way {
    words: true,
    ..MILD
};

/// Objects are in memory, jobs are given up, and threads end with mutexes.
pub(super) const WILD: Way = Way {
    words: true,
    ..WHOLE
};

/// The others, which have to come to the same.
pub(super) const OTHERS: [Way; 2] = [
    Way {
        halves: true,
        ..WHOLE
    },
    Way {
        halves: true,
        checks: false,
        ..WHOLE
    },
];

impl<P: Policy, const CHECKS: bool, O: TestObjects> World<P, CHECKS, O> {
    /// A first half. There is nothing to decide after it, nor a timer to be set.
    fn quick<T>(
        &mut self,
        half: impl FnOnce(&mut Core<Small<P, CHECKS, 1, O>>) -> Result<T, Error>,
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

    /// The name of the running thread, if objects are in memory and there is one.
    fn name(&self, way: Way) -> u32 {
        let task = self.core.running_task(CPU).filter(|_| way.words);
        let task = task.filter(|&task| !self.core.locks_by_kernel(task));
        task.map_or(0, |task| self.core.name(task))
    }

    pub(super) fn lock(
        &mut self,
        way: Way,
        mutex: MutexId<O::Place>,
        until: Time,
    ) -> Result<Poll<()>, Error> {
        let name = self.name(way);
        if O::word(mutex.0).is_some_and(|word| word.try_lock(name)) {
            return Ok(Poll::Ready(()));
        }
        self.core.lock(CPU, mutex, until, self.now)
    }

    pub(super) fn unlock(&mut self, way: Way, mutex: MutexId<O::Place>) -> Result<(), Error> {
        let name = self.name(way);
        if O::word(mutex.0).is_some_and(|word| word.try_unlock(name)) {
            return Ok(());
        }
        self.core.unlock(CPU, mutex, self.now)
    }

    pub(super) fn wait(
        &mut self,
        way: Way,
        semaphore: SemaphoreId<O::Place>,
        until: Time,
    ) -> Result<Poll<()>, Error> {
        let is_thread = self.name(way) != 0;
        if is_thread && O::word(semaphore.0).is_some_and(Word::try_pass) {
            return Ok(Poll::Ready(()));
        }
        self.core.wait(CPU, semaphore, until, self.now)
    }

    pub(super) fn signal(&mut self, semaphore: SemaphoreId<O::Place>) -> Result<(), Error> {
        if O::word(semaphore.0).is_some_and(Word::try_give) {
            return Ok(());
        }
        self.core.signal(CPU, semaphore, self.now)
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
            self.core
                .send_in_line(CPU, queue, &message, until, now, || true)?;
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
            self.core.receive_in_line(CPU, queue, 0, until, self.now)?;
            if self.came().is_pending() {
                return Ok(Poll::Pending);
            }
            return Ok(Poll::Ready(
                *self.core.received(CPU).expect("a thread has received"),
            ));
        }
        let received = self.core.receive(CPU, queue, 0, until, self.now)?;
        Ok(received.map(|()| *self.core.received(CPU).expect("a thread has received")))
    }

    /// Unparks: a parked thread goes on, and any other one gets the token.
    pub(super) fn unpark(&mut self, thread: ThreadId, books: &mut Books<O>) {
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

    /// Ends a wait, but for one for a mutex.
    pub(super) fn rouse(&mut self, thread: ThreadId, books: &mut Books<O>) {
        let task = thread.task();
        let alive = self.core.find(thread).is_ok();
        let state = self.core.threads[task.index()].state;
        let waits = matches!(state, State::Blocked(object) if !matches!(object, Object::Mutex(_)));
        let roused = self.core.rouse(CPU, thread, self.now);
        assert_eq!(roused, if alive { Ok(waits) } else { Err(Error::Dead) });
        if roused == Ok(true) {
            let thread = &self.core.threads[task.index()];
            // One that waited on a condition variable may have to wait for its mutex now.
            let takes_mutex = matches!(thread.state, State::Blocked(Object::Mutex(_)));
            let was_for_condition = matches!(state, State::Blocked(Object::Condition(_)));
            assert!(thread.state == State::Ready || (was_for_condition && takes_mutex));
            assert_eq!(thread.outcome, Outcome::Roused);
            if let Away::Semaphore(_) = books.away[task.index()] {
                books.away[task.index()] = Away::Other;
            }
        }
    }
}
