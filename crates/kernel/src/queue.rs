//! Bounded queues of messages.
//!
//! Messages come out in the order in which they went in. While the queue is full, senders wait with
//! their message in hand; while it is empty, receivers wait. So only one of the two can be in the
//! list of waiters, and one list is enough.

#![expect(
    clippy::inline_always,
    reason = "a call and a return cost as much as handing on a message"
)]

mod gauge;
mod levels;
mod resize;

pub use gauge::GaugeId;

use crate::config::Config;
use crate::wait::{take_most_urgent, take_of_some};
use crate::{Core, Error, HandOf, Message};
use core::task::Poll;
use flyball_policy::queue::links::List;
use flyball_policy::{Role, Table};
use flyball_trace::{CpuId, Kind, Object, Sink, Slot, TaskId, Time};

/// A bounded queue of messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QueueId(pub(crate) u16);

#[derive(Clone, Copy)]
pub(crate) struct Queue {
    /// How many rows it has in the table of messages; none if it is a gauge.
    room: u16,
    /// The row behind its last one; the capacity of a gauge.
    end: u16,
    /// How many messages it takes, at most as many as it has rows. Where this has been lowered, there may be more.
    capacity: u16,
    /// Up to how many messages are put in and taken out with nothing to decide: its capacity, or
    /// none while threads wait, or if messages release jobs.
    plain: u16,
    /// The oldest message's row; the level of a gauge.
    head: u16,
    len: u16,
    pub(crate) waiters: List,
    /// The thread whose jobs messages release: see [`crate::trigger`].
    releases: Slot,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            room: 0,
            end: 0,
            capacity: 0,
            plain: 0,
            head: 0,
            len: 0,
            waiters: List::EMPTY,
            releases: Slot::EMPTY,
        }
    }
}

impl Queue {
    /// The row of the `n`-th oldest message.
    pub(crate) fn row(&self, n: u16) -> usize {
        let at = usize::from(self.head) + usize::from(n);
        if at < usize::from(self.end) {
            at
        } else {
            at - usize::from(self.room)
        }
    }

    /// Takes out the oldest message, and returns its row.
    #[inline]
    fn pop(&mut self) -> usize {
        let at = self.head;
        let next = u32::from(at) + 1;
        self.head = if next == u32::from(self.end) {
            self.end - self.room
        } else {
            at + 1
        };
        self.len -= 1;
        usize::from(at)
    }

    /// The same, if there is one.
    pub(crate) fn pop_any(&mut self) -> Option<usize> {
        (self.len > 0).then(|| self.pop())
    }

    /// Makes room for one more message at the end, which there is, and returns its row.
    pub(crate) fn push(&mut self) -> usize {
        let at = self.row(self.len);
        self.len += 1;
        at
    }

    /// Takes out the message that so many are before, if there is one. O(messages).
    pub(crate) fn remove<M: Copy>(&mut self, before: u32, messages: &mut impl Table<M>) {
        let Ok(at) = u16::try_from(before) else {
            return;
        };
        if at < self.len {
            for n in at + 1..self.len {
                messages[self.row(n - 1)] = messages[self.row(n)];
            }
            self.len -= 1;
        }
    }

    /// Whether it is as it was made.
    pub(crate) fn is_unused(&self) -> bool {
        self.len == 0 && self.waiters.is_empty() && self.releases.is_empty()
    }

    /// Whether another message can be put in.
    pub(crate) fn has_room(&self) -> bool {
        self.len < self.capacity
    }

    /// From now on messages release jobs of this thread, or of none.
    pub(crate) fn releases(&mut self, thread: Slot) {
        self.releases = thread;
        self.settle();
    }

    /// Something has changed that [`Queue::plain`] depends on.
    #[inline]
    pub(crate) fn settle(&mut self) {
        self.settle_if(self.releases.is_empty());
    }

    /// The same, where it is known whether messages release jobs.
    #[inline]
    fn settle_if(&mut self, releases_none: bool) {
        let is_plain = self.waiters.is_empty() && releases_none;
        self.plain = if is_plain { self.capacity } else { 0 };
    }
}

#[cfg(any(test, feature = "audit"))]
impl Queue {
    /// No thread waits at a queue that has both messages and room.
    pub(crate) fn audit(mut self) {
        if self.is_gauge() {
            let (level, capacity) = self.reading();
            assert!(level <= capacity && self.len == 0 && self.is_unused());
            return;
        }
        assert!((1..=self.room).contains(&self.capacity) && self.len <= self.room);
        assert!((self.end - self.room..self.end).contains(&self.head));
        let plain = self.plain;
        self.settle();
        assert_eq!(self.plain, plain);
        assert!(self.waiters.is_empty() || self.len == 0 || !self.has_room());
    }

    /// The thread whose jobs messages release, and how many messages there are.
    pub(crate) fn trigger(&self) -> Option<(flyball_trace::TaskId, u32)> {
        Some((self.releases.get()?, self.len.into()))
    }
}

#[cfg(test)]
impl Queue {
    pub(crate) fn len(&self) -> u16 {
        self.len
    }
}

impl<C: Config> Core<C> {
    /// Makes a queue that holds up to `capacity` messages, or fewer later ([`Core::resize`]).
    ///
    /// # Errors
    /// [`Error::Invalid`] if `capacity` is zero; [`Error::Full`] if there is no room for another
    /// queue, or for so many messages.
    pub fn queue(&mut self, capacity: u16) -> Result<QueueId, Error> {
        if capacity == 0 {
            return Err(Error::Invalid);
        }
        let number = self.queues.make(1)?;
        let first = match self.messages.make(capacity) {
            Ok(first) => first,
            Err(error) => {
                self.queues.made = number;
                return Err(error);
            }
        };
        self.queues.rows[usize::from(number)] = Queue {
            room: capacity,
            // The table has so many rows, which are counted with 16 bits.
            end: first + capacity,
            capacity,
            plain: capacity,
            head: first,
            ..Queue::default()
        };
        Ok(QueueId(number))
    }

    /// The running thread puts a message in, or waits for room until `until` at the latest.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if it would have to wait and `until` has come already;
    /// [`Error::NoThread`], [`Error::Unknown`].
    pub fn send(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        message: &C::Message,
        until: Time,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        self.caller(cpu)?;
        if self.try_send(queue, message, Some(cpu))? {
            return Ok(Poll::Ready(()));
        }
        let row = self.queues.get(queue.0, false)?;
        let waits = !row.has_room();
        self.send_in_line(cpu, queue, message, until, now, || true)?;
        Ok(if waits {
            Poll::Pending
        } else {
            Poll::Ready(())
        })
    }

    /// The second half of [`Core::send`], for a caller that has just tried the first,
    /// [`Core::try_send`], in vain: a receiver gets the message, or the running thread waits, if the message `lasts`
    /// where it is.
    ///
    /// # Errors
    /// As [`Core::send`]; [`Error::NoThread`] if it does not last, as no thread calls.
    #[inline]
    pub fn send_in_line(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        message: &C::Message,
        until: Time,
        now: Time,
        lasts: impl FnOnce() -> bool,
    ) -> Result<(), Error> {
        match self.post_to_waiter(cpu, queue, message, true, now) {
            Err(Error::Full) if !lasts() => Err(Error::NoThread),
            Err(Error::Full) => self.wait_for_room(cpu, queue, message, until, now),
            posted => posted,
        }
    }

    #[cfg_attr(not(feature = "small"), inline(never))]
    fn wait_for_room(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        message: &C::Message,
        until: Time,
        now: Time,
    ) -> Result<(), Error> {
        let task = self.block(cpu, Object::Queue(queue.0), until, now)?;
        self.hands[task.index()] = message.in_hand();
        self.wait_at(queue, task)
    }

    /// Puts a message in if there is room. An interrupt may call this.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Unknown`].
    pub fn post(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        message: &C::Message,
        now: Time,
    ) -> Result<(), Error> {
        if self.try_send(queue, message, None)? {
            return Ok(());
        }
        self.post_to_waiter(cpu, queue, message, false, now)
    }

    /// The second half of [`Core::post`], for a caller that has just tried the first,
    /// [`Core::try_send`], in vain: a receiver gets the message, if one waits. `is_threads` says whether it
    /// is the running thread's message, for policies that want to know, and not an interrupt's.
    ///
    /// # Errors
    /// As [`Core::post`].
    #[inline(always)]
    pub fn post_to_waiter(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        message: &C::Message,
        is_threads: bool,
        now: Time,
    ) -> Result<(), Error> {
        let has_jobs = self.has_jobs();
        let row = self.queues.get(queue.0, false)?;
        if !row.has_room() {
            return Err(Error::Full);
        }
        if has_jobs && let Some(task) = row.releases.get() {
            let sender = self.running_task(cpu).filter(|_| is_threads);
            return self.post_job(cpu, queue, task, message, sender, now);
        }
        if Self::FOLLOWS_LEVELS && row.waiters.is_empty() {
            let at = row.push();
            *self.messages.get_row(at)? = *message;
            self.follow_level(cpu, queue, self.producer(cpu, is_threads), now);
            return Ok(());
        }
        // A thread that waits at a queue that is not full waits to receive; there is one, as there was
        // room and it was not used.
        let receiver = take_of_some(&mut self.links, &self.policy, &mut row.waiters);
        // Had they released jobs this would have been one.
        row.settle_if(true);
        message.hand_over(&mut self.hands[receiver.index()]);
        // In, and out at once.
        let sender = self.producer(cpu, is_threads);
        self.tell_level(cpu, queue, 1, sender, now);
        self.tell_level(cpu, queue, 0, Some((receiver, Role::Consumer)), now);
        self.wake(cpu, receiver, now);
        Ok(())
    }

    /// A source puts up to `count` copies of a message in, as an interrupt does. If there is no room for
    /// all of them the rest is lost, and that is counted as one [miss](Core::misses).
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn feed(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        message: &C::Message,
        count: u16,
        now: Time,
    ) -> Result<(), Error> {
        for done in 0..count {
            match self.post(cpu, queue, message, now) {
                Ok(()) => {}
                Err(Error::Full) => {
                    self.misses += 1;
                    let (queue, lost) = (queue.0, count - done);
                    self.emit(now, cpu, Kind::Overrun { queue, lost });
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// A sink takes up to `count` messages out, as an interrupt does, and `consume` gets each of them. If there are
    /// fewer, that is counted as one [miss](Core::misses).
    ///
    /// # Errors
    /// [`Error::Taken`] if messages release jobs; [`Error::Unknown`].
    pub fn drain(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        count: u16,
        now: Time,
        mut consume: impl FnMut(&C::Message),
    ) -> Result<(), Error> {
        for done in 0..count {
            let row = self.queues.get(queue.0, true)?;
            if !row.releases.is_empty() {
                return Err(Error::Taken);
            }
            let Some(at) = row.pop_any() else {
                self.misses += 1;
                let (queue, missing) = (queue.0, count - done);
                self.emit(now, cpu, Kind::Underrun { queue, missing });
                break;
            };
            consume(&self.messages.rows[at]);
            self.follow_level(cpu, queue, None, now);
            self.let_sender_in(cpu, queue, now)?;
        }
        Ok(())
    }

    /// Puts a message in if there is room and no thread waits for one, so that there is nothing to
    /// decide after this; returns whether it did. It is the message of the thread that runs on the CPU `by`;
    /// `None`: an interrupt's.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    #[inline]
    pub fn try_send(
        &mut self,
        queue: QueueId,
        message: &C::Message,
        by: Option<CpuId>,
    ) -> Result<bool, Error> {
        if C::Trace::FILLS {
            // What is told has an instant.
            return Ok(false);
        }
        let row = self.queues.get(queue.0, C::CHECKS)?;
        if row.len >= row.plain {
            return Ok(false);
        }
        let level = row.len + 1;
        if self.policy_takes_levels() && !self.refills(queue, level, by, Role::Producer) {
            return Ok(false);
        }
        let row = self.queues.get(queue.0, false)?;
        let at = row.push();
        *self.messages.get_row(at)? = *message;
        Ok(true)
    }

    /// Takes the oldest message out if there is one and no thread waits for room, so that there is
    /// nothing to decide after this; returns whether it did. The message is in `hand` then. The thread that runs on
    /// the CPU `by` takes it; `None`: an interrupt.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    #[inline]
    pub fn try_receive(
        &mut self,
        queue: QueueId,
        hand: &mut HandOf<C>,
        by: Option<CpuId>,
    ) -> Result<bool, Error> {
        if C::Trace::FILLS {
            return Ok(false);
        }
        let row = self.queues.get(queue.0, C::CHECKS)?;
        // Nothing less one is more than any capacity. Where there are more messages than that, the
        // second half takes them out.
        if usize::from(row.len).wrapping_sub(1) >= usize::from(row.plain) {
            return Ok(false);
        }
        let level = row.len - 1;
        if self.policy_takes_levels() && !self.refills(queue, level, by, Role::Consumer) {
            return Ok(false);
        }
        let row = self.queues.get(queue.0, false)?;
        let at = row.pop();
        self.messages.get_row(at)?.hand_over(hand);
        Ok(true)
    }

    /// The running thread takes the oldest message out, or waits for one until `until` at the
    /// latest. The message is in `hand` afterwards, and [`Core::received`] has that.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if it would have to wait and `until` has come already; [`Error::Taken`] if
    /// messages release jobs; [`Error::NoThread`], [`Error::Unknown`].
    pub fn receive(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        hand: HandOf<C>,
        until: Time,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        self.caller(cpu)?;
        let row = self.queues.get(queue.0, C::CHECKS)?;
        let waits = row.len == 0;
        self.receive_in_line(cpu, queue, hand, until, now)?;
        Ok(if waits {
            Poll::Pending
        } else {
            Poll::Ready(())
        })
    }

    /// The second half of [`Core::receive`], for a caller that has just tried the first,
    /// [`Core::try_receive`], in vain: the running thread waits, or makes room for one that does.
    /// `hand` has the message afterwards.
    ///
    /// # Errors
    /// As [`Core::receive`].
    #[inline(always)]
    pub fn receive_in_line(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        hand: HandOf<C>,
        until: Time,
        now: Time,
    ) -> Result<(), Error> {
        let has_jobs = self.has_jobs();
        let row = self.queues.get(queue.0, false)?;
        if has_jobs && !row.releases.is_empty() {
            return Err(Error::Taken);
        }
        if row.len > 0 {
            return self.make_room(cpu, queue, hand, now);
        }
        let task = self.caller(cpu)?;
        // Of no meaning if it does not wait.
        self.hands[task.index()] = hand;
        self.block(cpu, Object::Queue(queue.0), until, now)?;
        self.wait_at(queue, task)
    }

    /// `task` is the last of those that wait at the queue.
    #[inline]
    fn wait_at(&mut self, queue: QueueId, task: TaskId) -> Result<(), Error> {
        let row = self.queues.get(queue.0, false)?;
        self.links.push_back(&mut row.waiters, task);
        row.plain = 0;
        Ok(())
    }

    /// The running thread takes the oldest message out, and the most urgent sender that waits puts
    /// its own in if there is room.
    #[cfg_attr(not(feature = "small"), inline(never))]
    fn make_room(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        hand: HandOf<C>,
        now: Time,
    ) -> Result<(), Error> {
        let task = self.caller(cpu)?;
        let row = self.queues.get(queue.0, false)?;
        let at = row.pop();
        let place = &mut self.hands[task.index()];
        *place = hand;
        self.messages.rows[at].hand_over(place);
        self.follow_level(cpu, queue, Some((task, Role::Consumer)), now);
        self.let_sender_in(cpu, queue, now)?;
        Ok(())
    }

    /// The most urgent sender that waits puts its message in if there is room; returns whether one did. No
    /// thread waits to receive.
    #[inline]
    fn let_sender_in(&mut self, cpu: CpuId, queue: QueueId, now: Time) -> Result<bool, Error> {
        let row = self.queues.get(queue.0, false)?;
        if row.has_room()
            && let Some(sender) = take_most_urgent(&mut self.links, &self.policy, &mut row.waiters)
        {
            row.settle();
            let at = row.push();
            self.messages.rows[at] = Message::from_hand(&self.hands[sender.index()]);
            self.follow_level(cpu, queue, Some((sender, Role::Producer)), now);
            self.wake(cpu, sender, now);
            return Ok(true);
        }
        Ok(false)
    }

    /// The running thread puts a message in if there is room; returns whether there was. Never waits.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn send_now(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        message: &C::Message,
        now: Time,
    ) -> Result<bool, Error> {
        if self.try_send(queue, message, Some(cpu))? {
            return Ok(true);
        }
        match self.post_to_waiter(cpu, queue, message, true, now) {
            Ok(()) => Ok(true),
            Err(Error::Full) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The running thread takes the oldest message out if there is one; returns whether there was. Never
    /// waits. The message is in `hand` afterwards, as by [`Core::receive`].
    ///
    /// # Errors
    /// [`Error::Taken`] if messages release jobs; [`Error::NoThread`], [`Error::Unknown`].
    pub fn receive_now(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        hand: HandOf<C>,
        now: Time,
    ) -> Result<bool, Error> {
        match self.receive(cpu, queue, hand, Time::ZERO, now) {
            Ok(_) => Ok(true),
            Err(Error::TimedOut) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The hand of the running thread, with the message that it has received by the [`Core::receive`] that it has just
    /// come back from, or that its job began with.
    ///
    /// # Errors
    /// [`Error::NoThread`].
    #[inline]
    pub fn received(&self, cpu: CpuId) -> Result<&HandOf<C>, Error> {
        Ok(&self.hands[self.caller(cpu)?.index()])
    }

    /// How many messages are in the queue.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn queue_len(&self, queue: QueueId) -> Result<u16, Error> {
        Ok(self.queues.look(queue.0)?.len)
    }
}
