//! Bounded queues of messages.
//!
//! Messages come out in the order in which they went in. While the queue is full, senders wait with
//! their message in hand; while it is empty, receivers wait. So only one of the two can be in the
//! list of waiters, and one list is enough.

use crate::config::Config;
use crate::wait::take_most_urgent;
use crate::{Core, Error};
use core::task::Poll;
use flyball_policy::queue::links::List;
use flyball_trace::{CpuId, Object, Time};

/// A bounded queue of messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QueueId(pub(crate) u16);

#[derive(Clone, Copy)]
pub(crate) struct Queue {
    /// Its stretch in the table of messages.
    start: u16,
    capacity: u16,
    /// The oldest message's place in the stretch.
    head: u16,
    len: u16,
    pub(crate) waiters: List,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            start: 0,
            capacity: 0,
            head: 0,
            len: 0,
            waiters: List::EMPTY,
        }
    }
}

impl Queue {
    /// The row of the `n`-th oldest message.
    pub(crate) fn row(&self, n: u16) -> usize {
        let at = usize::from(self.head) + usize::from(n);
        let capacity = usize::from(self.capacity);
        usize::from(self.start) + if at < capacity { at } else { at - capacity }
    }

    /// Takes out the oldest message, and returns its row.
    #[inline]
    fn pop(&mut self) -> usize {
        let at = self.row(0);
        let next = self.head + 1;
        self.head = if next == self.capacity { 0 } else { next };
        self.len -= 1;
        at
    }
}

#[cfg(test)]
impl Queue {
    /// Nobody waits at a queue that has both messages and room.
    pub(crate) fn audit(&self) {
        assert!(self.len <= self.capacity && self.head < self.capacity);
        assert!(self.waiters.is_empty() || self.len == 0 || self.len == self.capacity);
    }

    pub(crate) fn len(&self) -> u16 {
        self.len
    }
}

impl<C: Config> Core<C> {
    /// Makes a queue that holds up to `capacity` messages.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `capacity` is zero; [`Error::Full`] if there is no room for another
    /// queue, or for so many messages.
    pub fn queue(&mut self, capacity: u16) -> Result<QueueId, Error> {
        if capacity == 0 {
            return Err(Error::Invalid);
        }
        let number = self.queues.make(1)?;
        let start = match self.messages.make(capacity) {
            Ok(start) => start,
            Err(error) => {
                self.queues.made = number;
                return Err(error);
            }
        };
        self.queues.rows[usize::from(number)] = Queue {
            start,
            capacity,
            ..Queue::default()
        };
        Ok(QueueId(number))
    }

    /// The running thread puts a message in, or waits for room until `until` at the latest.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if it would have to wait and `until` has come already; [`Error::NoThread`],
    /// [`Error::Unknown`].
    pub fn send(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        message: C::Message,
        until: Time,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        self.caller(cpu)?;
        match self.post(cpu, queue, message, now) {
            Err(Error::Full) => {
                let task = self.block(cpu, Object::Queue(queue.0), until, now)?;
                let row = self.queues.get(queue.0, false)?;
                self.links.push_back(&mut row.waiters, task);
                self.threads[task.index()].message = message;
                Ok(Poll::Pending)
            }
            posted => posted.map(Poll::Ready),
        }
    }

    /// Puts a message in if there is room. An interrupt may call this.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Unknown`].
    pub fn post(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        message: C::Message,
        now: Time,
    ) -> Result<(), Error> {
        if self.try_send(queue, message)? {
            return Ok(());
        }
        let row = self.queues.get(queue.0, C::CHECKS)?;
        if row.len == row.capacity {
            return Err(Error::Full);
        }
        // Whoever waits at a queue that is not full waits to receive.
        if let Some(receiver) = take_most_urgent(&mut self.links, &self.policy, &mut row.waiters) {
            self.threads[receiver.index()].message = message;
            self.wake(cpu, receiver, now);
        }
        Ok(())
    }

    /// Puts a message in if there is room and nobody waits for one, so that there is nothing to
    /// decide after this; returns whether it did.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    #[inline]
    pub fn try_send(&mut self, queue: QueueId, message: C::Message) -> Result<bool, Error> {
        let row = self.queues.get(queue.0, C::CHECKS)?;
        if row.len == row.capacity || !row.waiters.is_empty() {
            return Ok(false);
        }
        let at = row.row(row.len);
        row.len += 1;
        *self.messages.get_row(at)? = message;
        Ok(true)
    }

    /// Takes the oldest message out if there is one and nobody waits for room, so that there is
    /// nothing to decide after this.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    #[inline]
    pub fn try_receive(&mut self, queue: QueueId) -> Result<Option<C::Message>, Error> {
        let row = self.queues.get(queue.0, C::CHECKS)?;
        if row.len == 0 || !row.waiters.is_empty() {
            return Ok(None);
        }
        let at = row.pop();
        Ok(Some(*self.messages.get_row(at)?))
    }

    /// The running thread takes the oldest message out, or waits for one until `until` at the
    /// latest. If it had to wait, [`Core::outcome`] has the message.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if it would have to wait and `until` has come already; [`Error::NoThread`],
    /// [`Error::Unknown`].
    pub fn receive(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        until: Time,
        now: Time,
    ) -> Result<Poll<C::Message>, Error> {
        self.caller(cpu)?;
        let row = self.queues.get(queue.0, C::CHECKS)?;
        if row.len == 0 {
            let task = self.block(cpu, Object::Queue(queue.0), until, now)?;
            let row = self.queues.get(queue.0, false)?;
            self.links.push_back(&mut row.waiters, task);
            // Nobody may have asked for the last one.
            self.threads[task.index()].message = C::Message::default();
            return Ok(Poll::Pending);
        }
        let at = row.pop();
        let message = self.messages.rows[at];
        // Whoever waits at a queue that was not empty waits to send, so it was full.
        if !row.waiters.is_empty()
            && let Some(sender) = take_most_urgent(&mut self.links, &self.policy, &mut row.waiters)
        {
            let at = row.row(row.len);
            row.len += 1;
            self.messages.rows[at] = core::mem::take(&mut self.threads[sender.index()].message);
            self.wake(cpu, sender, now);
        }
        Ok(Poll::Ready(message))
    }
    /// How many messages are in the queue.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn queue_len(&self, queue: QueueId) -> Result<u16, Error> {
        Ok(self.queues.look(queue.0)?.len)
    }
}
