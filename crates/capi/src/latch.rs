//! What this crate itself protects by mutexes.

use crate::condition::Condition;
use crate::control::Control;
use crate::mutex::Mutex;
use core::cell::UnsafeCell;
use core::ffi::c_int;
use flyball_app::seam::{_flyball_lock_until, _flyball_try_unlock};
use flyball_kernel::{At, Word};
use flyball_trace::Time;

/// A mutex of two words, inside of other objects. Zeros are a free one.
#[repr(C)]
pub(crate) struct Latch {
    word: Word,
}

impl Latch {
    fn at(&'static self) -> At {
        At::new(&self.word)
    }

    pub(crate) fn lock(&'static self) {
        while !self.word.try_lock(Control::quick()) {
            if _flyball_lock_until(self.at(), Time::NEVER).is_ok() {
                return;
            }
        }
    }

    pub(crate) fn unlock(&'static self) {
        if !self.word.try_unlock(Control::quick()) {
            // The calling thread owns it.
            let _ = _flyball_try_unlock(self.at());
        }
    }

    /// Gives it back and waits for a signal, until `until` at the latest; owns it again then.
    pub(crate) fn wait(&'static self, condition: &'static Condition, until: Time) -> c_int {
        condition.wait_at(self.at(), until)
    }
}

/// Data for one thread at a time.
pub(crate) struct Locked<T> {
    mutex: Mutex,
    data: UnsafeCell<T>,
}

// SAFETY: the mutex lets one thread at a time have the data.
unsafe impl<T: Send> Sync for Locked<T> {}

impl<T> Locked<T> {
    pub(crate) const fn new(data: T) -> Locked<T> {
        Locked {
            mutex: Mutex::new(),
            data: UnsafeCell::new(data),
        }
    }

    /// Calls `f`, which does not come back here, with the data.
    pub(crate) fn with<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.mutex.lock();
        // SAFETY: this thread owns the mutex.
        let result = f(unsafe { &mut *self.data.get() });
        self.mutex.unlock();
        result
    }

    /// The same before threads run.
    ///
    /// # Safety
    /// No thread runs yet.
    pub(crate) unsafe fn at_start<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: as the caller promises.
        f(unsafe { &mut *self.data.get() })
    }
}
