//! Condition variables.

use crate::MutexGuard;
use crate::seam::{self, Object};
use core::sync::atomic::AtomicU16;
use flyball_kernel::{ConditionId, Error};
use flyball_trace::Time;

/// A condition variable: to wait, with a mutex unlocked meanwhile, until something has changed.
///
/// A thread goes on only after a signal, never for nothing; but what it waits for may have changed
/// back by then, so it looks again, in a loop. The kernel's object is made when this one is used
/// for the first time.
#[derive(Default)]
pub struct Condition {
    place: AtomicU16,
}

impl Condition {
    /// A condition variable.
    pub const fn new() -> Condition {
        Condition {
            place: AtomicU16::new(0),
        }
    }

    /// Unlocks the mutex of `guard` and waits for a signal. When it goes on, whatever the outcome,
    /// the mutex is locked again.
    ///
    /// # Errors
    /// [`Error::NoThread`] where no thread calls; [`Error::Full`] if the kernel has no room for
    /// another condition variable.
    #[inline]
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) -> Result<(), Error> {
        self.wait_until(guard, Time::NEVER)
    }

    /// The same, but waits until `until` at the latest.
    ///
    /// # Errors
    /// As [`Condition::wait`]; [`Error::TimedOut`].
    #[inline]
    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, until: Time) -> Result<(), Error> {
        seam::_flyball_wait_condition(self.id()?, guard.id(), until)
    }

    /// Lets the most urgent waiting thread go on. If no thread waits, nothing happens. Also from
    /// interrupts.
    ///
    /// # Errors
    /// [`Error::Full`] if the kernel has no room for another condition variable.
    #[inline]
    pub fn signal(&self) -> Result<(), Error> {
        seam::_flyball_signal_condition(self.id()?)
    }

    /// Lets all waiting threads go on, the most urgent first. Also from interrupts.
    ///
    /// # Errors
    /// As [`Condition::signal`].
    #[inline]
    pub fn broadcast(&self) -> Result<(), Error> {
        seam::_flyball_broadcast(self.id()?)
    }

    #[inline]
    fn id(&self) -> Result<ConditionId, Error> {
        match seam::made(&self.place) {
            Some(number) => Ok(ConditionId::from_number(number)),
            None => self.make(),
        }
    }

    /// The kernel's is made.
    #[cold]
    #[inline(never)]
    fn make(&self) -> Result<ConditionId, Error> {
        seam::_flyball_make(&self.place, Object::Condition).map(ConditionId::from_number)
    }
}
