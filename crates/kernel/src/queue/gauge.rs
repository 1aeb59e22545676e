//! Gauges: progress that is no queue of the kernel, such as how many requests wait at a socket, or how many frames
//! have been drawn ahead.
//!
//! A gauge has a row in the table of queues, so it has a number among them, and traces and policies hear of its level as
//! of a queue's. It holds no messages, and no thread waits for it.

use super::{Queue, QueueId};
use crate::config::Config;
use crate::{Core, Error};
use flyball_policy::Role;
use flyball_trace::{CpuId, GaugeKind, Kind, Sink, TaskId, Time};

/// A gauge. Its number is one among queues.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GaugeId {
    number: u16,
    kind: GaugeKind,
}

impl GaugeId {
    /// The gauge of this kind that has a number among queues. Calls that name one that there is not say
    /// [`Error::Unknown`].
    #[inline]
    pub const fn new(number: u16, kind: GaugeKind) -> GaugeId {
        GaugeId { number, kind }
    }

    /// Its number among queues, as in traces.
    #[inline]
    pub const fn number(self) -> u16 {
        self.number
    }
}

/// How far a gauge has moved.
#[derive(Clone, Copy)]
enum Change {
    To(u16),
    Up(u16),
    Down(u16),
}

impl Queue {
    /// The row of a gauge. To all calls of queues it is one that is full and holds nothing.
    fn gauge(capacity: u16) -> Queue {
        Queue {
            end: capacity,
            ..Queue::default()
        }
    }

    /// Whether it is a gauge: a queue has a row of messages at least.
    pub(super) fn is_gauge(&self) -> bool {
        self.room == 0
    }

    /// The most that a queue can hold, or that a gauge can be.
    #[inline]
    pub(super) fn most(&self) -> u16 {
        if self.is_gauge() {
            self.end
        } else {
            self.capacity
        }
    }

    /// The level of a gauge, and the most that it can be.
    pub(super) fn reading(&self) -> (u16, u16) {
        (self.head, self.end)
    }
}

impl<C: Config> Core<C> {
    /// Makes a gauge with levels from 0, which it begins with, to `capacity`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `capacity` is zero; [`Error::Full`] if there is no room for another queue or gauge.
    pub fn gauge(&mut self, capacity: u16, kind: GaugeKind) -> Result<GaugeId, Error> {
        if capacity == 0 {
            return Err(Error::Invalid);
        }
        let number = self.queues.make(1)?;
        self.queues.rows[usize::from(number)] = Queue::gauge(capacity);
        Ok(GaugeId { number, kind })
    }

    /// A gauge has another level, at most its capacity: what is more counts as that. `is_threads` says whether the
    /// running thread has changed it, and not an interrupt. O(1), and what the policy takes that wants to know.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn set_level(
        &mut self,
        cpu: CpuId,
        gauge: GaugeId,
        level: u16,
        is_threads: bool,
        now: Time,
    ) -> Result<(), Error> {
        self.change_level(cpu, gauge, Change::To(level), is_threads, now)
            .map(drop)
    }

    /// The same, by so much more than before. Returns what was too much.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn raise_level(
        &mut self,
        cpu: CpuId,
        gauge: GaugeId,
        by: u16,
        is_threads: bool,
        now: Time,
    ) -> Result<u16, Error> {
        self.change_level(cpu, gauge, Change::Up(by), is_threads, now)
    }

    /// The same, by so much less than before, and not below 0. Returns what was too much.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn lower_level(
        &mut self,
        cpu: CpuId,
        gauge: GaugeId,
        by: u16,
        is_threads: bool,
        now: Time,
    ) -> Result<u16, Error> {
        self.change_level(cpu, gauge, Change::Down(by), is_threads, now)
    }

    /// A source raises a gauge, as an interrupt does. If that is more than the capacity the rest is lost, and that is
    /// counted as one [miss](Core::misses).
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn feed_gauge(
        &mut self,
        cpu: CpuId,
        gauge: GaugeId,
        count: u16,
        now: Time,
    ) -> Result<(), Error> {
        let lost = self.raise_level(cpu, gauge, count, false, now)?;
        if lost > 0 {
            self.misses += 1;
            let queue = gauge.number;
            self.emit(now, cpu, Kind::Overrun { queue, lost });
        }
        Ok(())
    }

    /// A sink lowers a gauge, as an interrupt does. If it is not as high as that, that is counted as one
    /// [miss](Core::misses).
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn drain_gauge(
        &mut self,
        cpu: CpuId,
        gauge: GaugeId,
        count: u16,
        now: Time,
    ) -> Result<(), Error> {
        let missing = self.lower_level(cpu, gauge, count, false, now)?;
        if missing > 0 {
            self.misses += 1;
            let queue = gauge.number;
            self.emit(now, cpu, Kind::Underrun { queue, missing });
        }
        Ok(())
    }

    /// The level of a gauge.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn level(&self, gauge: GaugeId) -> Result<u16, Error> {
        let row = self.queues.look(gauge.number)?;
        if !row.is_gauge() {
            return Err(Error::Unknown);
        }
        Ok(row.reading().0)
    }

    /// Returns what of the change was too much.
    fn change_level(
        &mut self,
        cpu: CpuId,
        gauge: GaugeId,
        change: Change,
        is_threads: bool,
        now: Time,
    ) -> Result<u16, Error> {
        let row = self.queues.get(gauge.number, true)?;
        if !row.is_gauge() {
            return Err(Error::Unknown);
        }
        let (before, capacity) = row.reading();
        let (level, beyond) = match change {
            Change::To(level) => (level.min(capacity), level.saturating_sub(capacity)),
            Change::Up(by) => {
                let by_at_most = by.min(capacity - before);
                (before + by_at_most, by - by_at_most)
            }
            Change::Down(by) => (before.saturating_sub(by), by.saturating_sub(before)),
        };
        row.head = level;
        if level != before {
            self.tell_gauge(cpu, gauge, (before, level), is_threads, now);
        }
        Ok(beyond)
    }

    /// The trace and the policy hear of another level of a gauge than before.
    fn tell_gauge(
        &mut self,
        cpu: CpuId,
        gauge: GaugeId,
        (before, level): (u16, u16),
        is_threads: bool,
        now: Time,
    ) {
        let GaugeId { number, kind } = gauge;
        if C::Trace::FILLS {
            let queue = number;
            self.emit(now, cpu, Kind::Fill { queue, level });
        }
        if !self.policy_takes_levels() {
            return;
        }
        let role = match kind {
            GaugeKind::Backlog => (level < before).then_some(Role::Consumer),
            GaugeKind::Stock => (level > before).then_some(Role::Producer),
        };
        let by: Option<(TaskId, Role)> = role
            .filter(|_| is_threads)
            .and_then(|role| Some((self.running_task(cpu)?, role)));
        self.tell_policy(QueueId(number), level, by, now);
    }
}
