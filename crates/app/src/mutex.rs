//! Mutexes that have what they protect inside.
#![expect(unsafe_code, reason = "who owns the mutex may touch the data")]

use crate::seam;
use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use flyball_kernel::{At, Error, Protocol, State, Word, about};
use flyball_trace::Time;

/// A `T` for one thread at a time.
///
/// While others wait, the thread that has it acts with the urgency of the most urgent of them
/// (priority inheritance; see [`Protocol`]). A mutex is two words, and there may be any number: the kernel hears of it
/// only while a thread waits. An interrupt's handler cannot lock.
///
/// A thread that ends while it owns a mutex keeps it for ever: what is inside may be in the middle
/// of a change.
pub struct Mutex<T> {
    word: Word,
    data: UnsafeCell<T>,
}

// SAFETY: the kernel's mutex lets one thread at a time have the data.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// A mutex around `data`, with priority inheritance.
    pub const fn new(data: T) -> Mutex<T> {
        Mutex::with_protocol(data, Protocol::Inherit)
    }

    /// A mutex around `data`, with a protocol of one's choice.
    pub const fn with_protocol(data: T, protocol: Protocol) -> Mutex<T> {
        Mutex {
            word: Word::new(State::FREE, about::mutex(protocol)),
            data: UnsafeCell::new(data),
        }
    }

    /// Waits until the mutex is free, and locks it until the guard is dropped.
    ///
    /// # Errors
    /// [`Error::Deadlock`] if the wait would never end; [`Error::NoThread`] where no thread calls;
    /// [`Error::Full`] if late jobs of the thread are given up, and it may have no more mutexes
    /// ([`Settings::held`](crate::Settings::held)), or if there are to be no [`objects`](crate::Settings::objects).
    #[inline]
    pub fn lock(&self) -> Result<MutexGuard<'_, T>, Error> {
        seam::_flyball_lock(self.at())?;
        Ok(self.locked())
    }

    /// The same, but waits until `until` at the latest.
    ///
    /// # Errors
    /// As [`Mutex::lock`]; [`Error::TimedOut`].
    #[inline]
    pub fn lock_until(&self, until: Time) -> Result<MutexGuard<'_, T>, Error> {
        seam::_flyball_lock_until(self.at(), until)?;
        Ok(self.locked())
    }

    /// Locks the mutex if it is free.
    ///
    /// # Errors
    /// As [`Mutex::lock`]; [`Error::TimedOut`] if it is not free.
    #[inline]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, Error> {
        self.lock_until(Time::ZERO)
    }

    /// What is inside, for a caller that has the mutex to itself anyway.
    pub fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
    }

    /// The calling thread has locked it.
    #[inline]
    fn locked(&self) -> MutexGuard<'_, T> {
        MutexGuard {
            mutex: self,
            of_this_thread: PhantomData,
        }
    }

    #[inline]
    fn at(&self) -> At {
        // SAFETY: calls that wait borrow the mutex. A thread whose late jobs are given up has promised that a guard
        // which it leaks is of a mutex that lasts.
        unsafe { seam::at(&self.word) }
    }
}

/// A locked [`Mutex`].
#[must_use = "the mutex is unlocked when the guard is dropped"]
pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    /// Only the thread that locks may unlock.
    of_this_thread: PhantomData<*const ()>,
}

// SAFETY: a shared guard gives shared access to the data, no more.
unsafe impl<T: Sync> Sync for MutexGuard<'_, T> {}

impl<T> MutexGuard<'_, T> {
    /// Where the mutex is.
    #[inline]
    pub(crate) fn at(&self) -> At {
        self.mutex.at()
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this thread owns the mutex for as long as there is a guard.
        unsafe { &*self.mutex.data.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this thread owns the mutex for as long as there is a guard.
        unsafe { &mut *self.mutex.data.get() }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        seam::_flyball_unlock(self.at());
    }
}

impl<T: fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
