//! Counting semaphores.
#![expect(unsafe_code, reason = "the kernel is told where the semaphore is")]

use crate::seam;
use flyball_kernel::{At, Error, State, Word};
use flyball_trace::Time;

/// A counting semaphore: two words, of which there may be any number. The kernel hears of it only while a
/// thread waits.
pub struct Semaphore {
    word: Word,
}

impl Semaphore {
    /// A semaphore that lets `initial` threads pass before the first has to wait.
    ///
    /// # Panics
    /// If that is more than two thousand million (2³¹ − 1).
    pub const fn new(initial: u32) -> Semaphore {
        assert!(initial <= State::MOST, "a semaphore counts to 2^31 - 1");
        Semaphore {
            word: Word::new(State::count(initial), 0),
        }
    }

    /// Passes, or waits for a signal.
    ///
    /// # Errors
    /// [`Error::NoThread`] where no thread calls; [`Error::Full`] if there are to be no
    /// [`objects`](crate::Settings::objects).
    #[inline]
    pub fn wait(&self) -> Result<(), Error> {
        seam::_flyball_wait(self.at())
    }

    /// The same, but waits until `until` at the latest.
    ///
    /// # Errors
    /// As [`Semaphore::wait`]; [`Error::TimedOut`].
    #[inline]
    pub fn wait_until(&self, until: Time) -> Result<(), Error> {
        seam::_flyball_wait_until(self.at(), until)
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
    /// [`Error::Full`] after two thousand million signals that no thread waited for (2³¹ − 1).
    #[inline]
    pub fn signal(&self) -> Result<(), Error> {
        seam::_flyball_signal(self.at())
    }

    /// Where it is, for a call.
    #[inline]
    fn at(&self) -> At {
        // SAFETY: calls that wait borrow the semaphore.
        unsafe { seam::at(&self.word) }
    }

    /// Where it is, for as long as the program runs.
    #[inline]
    pub(crate) const fn at_for_ever(&'static self) -> At {
        At::new(&self.word)
    }
}
