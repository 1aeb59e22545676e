//! What CPUs share inside an application without the kernel: FIFO spin locks, as protocols for
//! several CPUs want them (Gai, Lipari and Di Natale, "Minimizing memory utilization of real-time
//! task sets in single and multi-processor systems-on-a-chip", RTSS 2001, section 3: a task that
//! waits keeps its CPU, and cannot be preempted).

use crate::board::{Bells, HARTS};
use crate::hart::{self, Mask};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU8, Ordering};
use flyball_multicore::{Doorbell, FairLock};

/// Data that several CPUs share. A CPU is not interrupted while it has the lock or waits for it,
/// and the CPU that has come first gets it first.
pub struct SpinLock<T> {
    lock: FairLock<HARTS>,
    value: UnsafeCell<T>,
}

// SAFETY: one hart at a time has the value.
unsafe impl<T: Send> Sync for SpinLock<T> {}

impl<T> SpinLock<T> {
    /// A lock that is free.
    pub const fn new(value: T) -> SpinLock<T> {
        SpinLock {
            lock: FairLock::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// With the value. For short stretches: interrupts wait. `f` makes no call of the kernel that
    /// waits, and does not lock the same lock again: it would wait for ever.
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let mask = Mask::set();
        let hart = hart::number();
        let waited = self.lock.acquire(hart, &Bells);
        // SAFETY: this hart has the lock, and interrupts are masked.
        let result = f(unsafe { &mut *self.value.get() });
        self.lock.release(hart, &Bells);
        if waited {
            // A signal that came meanwhile may have been for the kernel.
            Bells.ring(hart);
        }
        mask.lift();
        result
    }
}

/// The lock of all critical sections, and the hart that has it: its number, plus one.
static SECTION: FairLock<HARTS> = FairLock::new();
static OWNER: AtomicU8 = AtomicU8::new(0);

struct CriticalSection;
critical_section::set_impl!(CriticalSection);

/// Interrupts were enabled; it is one inside another; a signal may have been forgotten.
const NESTED: u8 = 2;
const WAITED: u8 = 4;

// SAFETY: one hart at a time is inside, with interrupts masked.
unsafe impl critical_section::Impl for CriticalSection {
    unsafe fn acquire() -> critical_section::RawRestoreState {
        let mask = Mask::set();
        let hart = hart::number();
        if OWNER.load(Ordering::Relaxed) == hart + 1 {
            return mask.bits() | NESTED;
        }
        let waited = SECTION.acquire(hart, &Bells);
        OWNER.store(hart + 1, Ordering::Relaxed);
        mask.bits() | if waited { WAITED } else { 0 }
    }

    unsafe fn release(state: critical_section::RawRestoreState) {
        let hart = hart::number();
        if state & NESTED == 0 {
            OWNER.store(0, Ordering::Relaxed);
            SECTION.release(hart, &Bells);
            if state & WAITED != 0 {
                Bells.ring(hart);
            }
        }
        Mask::from_bits(state & 1).lift();
    }
}
