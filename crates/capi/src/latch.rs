//! What this crate itself protects by mutexes.

use crate::condition::Condition;
use crate::control::Control;
use crate::errno::EINTR;
use crate::mutex::Mutex;
use crate::{interrupt, signal};
use core::cell::UnsafeCell;
use core::ffi::c_int;
use flyball_app::seam::{_flyball_lock_unless, _flyball_try_unlock};
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
            signal::defer();
            if interrupt::calls() {
                interrupt::end();
            }
            // Nothing ends this wait.
            let due = &Control::current().signals.due;
            let result = _flyball_lock_unless(self.at(), Time::NEVER, due, 0);
            signal::resume();
            if result.is_ok() {
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

    /// Gives it back and waits for a signal, until `until` at the latest; owns it again then. Handlers of
    /// signals run meanwhile, without it.
    pub(crate) fn wait(&'static self, condition: &'static Condition, until: Time) -> c_int {
        signal::defer();
        let result = condition.wait_unless(self.at(), until, signal::ends_wait() & signal::SIGNAL);
        if result == EINTR {
            self.unlock();
            signal::resume();
            self.lock();
        } else {
            signal::resume();
        }
        result
    }
}

/// Begins a section that defers handlers, and locks a mutex. By itself, as there are many calls.
#[inline(never)]
fn take(mutex: &'static Mutex) {
    signal::defer();
    mutex.lock_or_end();
}

#[inline(never)]
fn give_back(mutex: &'static Mutex) {
    mutex.unlock();
    signal::resume();
}

/// Data for one thread at a time.
pub(crate) struct Locked<T> {
    mutex: Mutex,
    data: UnsafeCell<T>,
}

// SAFETY: the mutex lets one thread at a time have the data.
unsafe impl<T: Send> Sync for Locked<T> {}

impl<T> Locked<T> {
    /// Where the data begin, for `control`.
    pub(crate) const DATA: usize = core::mem::offset_of!(Locked<T>, data);

    pub(crate) const fn new(data: T) -> Locked<T> {
        Locked {
            mutex: Mutex::new(),
            data: UnsafeCell::new(data),
        }
    }

    /// Calls `f`, which does not come back here, with the data. Handlers of signals, which may come here, run
    /// afterwards.
    pub(crate) fn with<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.lock();
        // SAFETY: this thread owns the mutex.
        let result = f(unsafe { &mut *self.data.get() });
        give_back(&self.mutex);
        result
    }

    /// Begins a section that defers handlers, and locks the data in it.
    pub(crate) fn lock(&'static self) {
        take(&self.mutex);
    }

    /// Gives the data back, and leaves the section to the caller.
    pub(crate) fn unlock(&'static self) {
        self.mutex.unlock();
    }

    /// The data.
    ///
    /// # Safety
    /// The calling thread has locked them, and has them once.
    #[expect(
        clippy::mut_from_ref,
        reason = "the lock is the proof that no other thread has them"
    )]
    pub(crate) unsafe fn get(&self) -> &mut T {
        // SAFETY: as the caller promises.
        unsafe { &mut *self.data.get() }
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
