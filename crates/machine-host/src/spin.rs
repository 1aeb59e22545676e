//! What CPUs share inside an application without the kernel. With one CPU there is no other to wait
//! for; but several machines may run in one process, and share statics.

use std::sync::{Mutex, PoisonError};

/// Data that threads and handlers of interrupts share, on whatever machine. Code that has the lock
/// is not interrupted.
pub struct SpinLock<T>(Mutex<T>);

impl<T> SpinLock<T> {
    /// A lock that is free.
    pub const fn new(value: T) -> SpinLock<T> {
        SpinLock(Mutex::new(value))
    }

    /// With the value. For short stretches: on other machines interrupts wait. `f` makes no call of
    /// the kernel that waits, and does not lock the same lock again.
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        // A machine that has panicked is of no concern to the others.
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
