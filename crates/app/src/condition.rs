//! Condition variables.
#![expect(
    unsafe_code,
    reason = "the kernel is told where the condition variable is"
)]

use crate::MutexGuard;
use crate::seam;
use flyball_kernel::{At, Error, State, Word};
use flyball_trace::Time;

/// A condition variable: to wait, with a mutex unlocked meanwhile, until something has changed.
///
/// A thread goes on only after a signal, never for nothing; but what it waits for may have changed
/// back by then, so it looks again, in a loop. A condition variable is two words, and there may be any number: the
/// kernel hears of it only while a thread waits.
pub struct Condition {
    word: Word,
}

impl Default for Condition {
    fn default() -> Condition {
        Condition::new()
    }
}

impl Condition {
    /// A condition variable.
    pub const fn new() -> Condition {
        Condition {
            word: Word::new(State::FREE, 0),
        }
    }

    /// Unlocks the mutex of `guard` and waits for a signal. When it goes on, whatever the outcome,
    /// the mutex is locked again.
    ///
    /// # Errors
    /// [`Error::NoThread`] where no thread calls; [`Error::Full`] if there are to be no
    /// [`conditions`](crate::Settings::conditions).
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
        seam::_flyball_wait_condition(self.at(), guard.at(), until)
    }

    /// Lets the most urgent waiting thread go on. If no thread waits, nothing happens. Also from
    /// interrupts.
    #[inline]
    pub fn signal(&self) {
        seam::_flyball_signal_condition(self.at());
    }

    /// Lets all waiting threads go on, the most urgent first. Also from interrupts.
    #[inline]
    pub fn broadcast(&self) {
        seam::_flyball_broadcast(self.at());
    }

    #[inline]
    fn at(&self) -> At {
        // SAFETY: calls that wait borrow the condition variable.
        unsafe { seam::at(&self.word) }
    }
}
