//! Counting semaphores.

use crate::seam::{self, Object};
use core::sync::atomic::AtomicU16;
use flyball_kernel::{Error, SemaphoreId};
use flyball_trace::Time;

/// A counting semaphore. The kernel's is made when this one is used for the first time.
pub struct Semaphore {
    place: AtomicU16,
    initial: u32,
}

impl Semaphore {
    /// A semaphore that lets `initial` threads pass before the first has to wait.
    pub const fn new(initial: u32) -> Semaphore {
        Semaphore {
            place: AtomicU16::new(0),
            initial,
        }
    }

    /// Passes, or waits for a signal.
    ///
    /// # Errors
    /// [`Error::NoThread`] where no thread calls; [`Error::Full`] if the kernel has no room for
    /// another semaphore.
    #[inline]
    pub fn wait(&self) -> Result<(), Error> {
        seam::_flyball_wait(self.id()?)
    }

    /// The same, but waits until `until` at the latest.
    ///
    /// # Errors
    /// As [`Semaphore::wait`]; [`Error::TimedOut`].
    #[inline]
    pub fn wait_until(&self, until: Time) -> Result<(), Error> {
        seam::_flyball_wait_until(self.id()?, until)
    }

    /// Passes if that is possible without waiting.
    ///
    /// # Errors
    /// As [`Semaphore::wait`]; [`Error::TimedOut`] if it is not.
    #[inline]
    pub fn try_wait(&self) -> Result<(), Error> {
        self.wait_until(Time::ZERO)
    }

    /// Lets the most urgent waiting thread go on, or the next one that comes. Also from interrupts.
    ///
    /// # Errors
    /// [`Error::Full`] if the kernel has no room for another semaphore, or after four thousand
    /// million signals that no thread waited for.
    #[inline]
    pub fn signal(&self) -> Result<(), Error> {
        seam::_flyball_signal(self.id()?)
    }

    #[inline]
    pub(crate) fn id(&self) -> Result<SemaphoreId, Error> {
        match seam::made(&self.place) {
            Some(number) => Ok(SemaphoreId::from_number(number)),
            None => self.make(),
        }
    }

    /// The kernel's is made.
    #[cold]
    #[inline(never)]
    fn make(&self) -> Result<SemaphoreId, Error> {
        seam::_flyball_make(&self.place, Object::Semaphore(self.initial))
            .map(SemaphoreId::from_number)
    }
}
