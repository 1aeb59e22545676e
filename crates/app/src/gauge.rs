//! Gauges: how far an application has come with what is no queue of the kernel.

use crate::seam::{self, Object};
use core::sync::atomic::AtomicI16;
use flyball_kernel::{Error, GaugeId, GaugeKind};

/// Progress that is no queue of the kernel, as a level from 0 to a capacity: how many requests wait at a socket, or how
/// many frames have been drawn ahead of the display.
///
/// A policy that sets reservations by how full queues are (`pp`) sees the level as a queue's. It holds nothing by itself,
/// and no thread waits for it. The kernel's gauge is made when this one is used for the first time; it takes the place of a
/// queue (`queues` of [`kernel!`](crate::kernel!)), and has no room for messages, nor needs any. Under other policies it only is in the
/// trace.
///
/// It carries no messages, so there is nothing to send to it:
///
/// ```compile_fail,E0599
/// static REQUESTS: flyball_app::Gauge = flyball_app::Gauge::backlog(40);
/// REQUESTS.send(1);
/// ```
pub struct Gauge {
    place: AtomicI16,
    capacity: u16,
    kind: GaugeKind,
}

impl Gauge {
    /// What waits for a thread, up to `capacity`, at least 1. The thread that lowers it is its consumer.
    pub const fn backlog(capacity: u16) -> Gauge {
        Gauge::of(capacity, GaugeKind::Backlog)
    }

    /// What a thread has made in advance, up to `capacity`, at least 1. The thread that raises it is its producer.
    pub const fn stock(capacity: u16) -> Gauge {
        Gauge::of(capacity, GaugeKind::Stock)
    }

    const fn of(capacity: u16, kind: GaugeKind) -> Gauge {
        Gauge {
            place: seam::nothing_made(),
            capacity,
            kind,
        }
    }

    /// This is the level now. What is more than the capacity counts as that. Also from interrupts: what they change is no
    /// thread's work. O(1).
    ///
    /// # Errors
    /// [`Error::Full`] if the kernel has no room for another queue or gauge, [`Error::Invalid`] if the capacity is zero.
    #[inline]
    pub fn set(&self, level: u16) -> Result<(), Error> {
        seam::_flyball_set_level(self.id()?, level)
    }

    #[inline]
    fn id(&self) -> Result<GaugeId, Error> {
        let number = match seam::made(&self.place) {
            Some(number) => number,
            None => self.make()?,
        };
        Ok(GaugeId::new(number, self.kind))
    }

    /// The kernel's is made.
    #[cold]
    #[inline(never)]
    fn make(&self) -> Result<u16, Error> {
        seam::_flyball_make(&self.place, Object::Gauge(self.capacity, self.kind))
    }
}
