//! What CPUs share inside an application without the kernel. With one CPU there is no other to wait
//! for.

use crate::mask::Mask;
use core::cell::UnsafeCell;

/// Data that threads and handlers of interrupts share, on whatever machine. Code that has the lock
/// is not interrupted.
pub struct SpinLock<T>(UnsafeCell<T>);

// SAFETY: interrupts are masked while the value is in use, and there is one CPU.
unsafe impl<T: Send> Sync for SpinLock<T> {}

impl<T> SpinLock<T> {
    /// A lock that is free.
    pub const fn new(value: T) -> SpinLock<T> {
        SpinLock(UnsafeCell::new(value))
    }

    /// With the value. For short stretches: interrupts wait. `f` makes no call of the kernel that
    /// waits, and does not lock the same lock again.
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let mask = Mask::set();
        // SAFETY: interrupts are masked, and there is one CPU.
        let result = f(unsafe { &mut *self.0.get() });
        mask.lift();
        result
    }
}
