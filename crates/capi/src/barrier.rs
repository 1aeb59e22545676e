//! Barriers.

use crate::condition::Condition;
use crate::errno::{EBUSY, EINVAL};
use crate::latch::Latch;
use crate::refer;
use core::ffi::{c_int, c_uint};
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_trace::Time;

/// `pthread_barrier_t`.
#[repr(C)]
struct Barrier {
    latch: Latch,
    changed: Condition,
    /// How many threads it waits for, and in the upper half how many are about to leave it.
    needed: AtomicU32,
    /// How many threads have come, and in the upper half how often all have.
    arrived: AtomicU32,
}

const LOWER: u32 = 0xffff;
const UPPER: u32 = 1 << 16;

/// What one of the threads returns.
const SERIAL: c_int = -1;

impl Barrier {
    fn wait(&'static self) -> c_int {
        self.latch.lock();
        let arrived = self.arrived.load(Ordering::Relaxed) + 1;
        let round = arrived & !LOWER;
        let needed = self.needed.load(Ordering::Relaxed);
        let is_last = arrived & LOWER == needed & LOWER;
        if is_last {
            let others = (needed & LOWER) - 1;
            self.needed
                .store(needed + others * UPPER, Ordering::Relaxed);
            self.arrived
                .store(round.wrapping_add(UPPER), Ordering::Relaxed);
            self.changed.broadcast();
        } else {
            self.arrived.store(arrived, Ordering::Relaxed);
            while self.arrived.load(Ordering::Relaxed) & !LOWER == round {
                self.latch.wait(&self.changed, Time::NEVER);
            }
            if self.needed.fetch_sub(UPPER, Ordering::Relaxed) & !LOWER == UPPER {
                // The last one leaves: a thread may wait to destroy the barrier.
                self.changed.broadcast();
            }
        }
        self.latch.unlock();
        if is_last { SERIAL } else { 0 }
    }

    /// Waits until all threads have left it that may.
    fn destroy(&'static self) -> c_int {
        self.latch.lock();
        while self.needed.load(Ordering::Relaxed) & !LOWER != 0 {
            self.latch.wait(&self.changed, Time::NEVER);
        }
        let is_waited_for = self.arrived.load(Ordering::Relaxed) & LOWER != 0;
        self.latch.unlock();
        if is_waited_for { EBUSY } else { 0 }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrier_init(
    barrier: *mut [u32; 6],
    _: *const u32,
    count: c_uint,
) -> c_int {
    if count == 0 || count > LOWER {
        return EINVAL;
    }
    // SAFETY: C passes memory for a barrier, which no thread uses yet.
    unsafe { barrier.write([0, 0, 0, 0, count, 0]) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrier_wait(barrier: *mut Barrier) -> c_int {
    // SAFETY: C passes a barrier.
    unsafe { refer(barrier) }.wait()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrier_destroy(barrier: *mut Barrier) -> c_int {
    // SAFETY: C passes a barrier.
    unsafe { refer(barrier) }.destroy()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrierattr_init(attributes: *mut u32) -> c_int {
    // SAFETY: C passes memory for attributes.
    unsafe { attributes.write(0) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_barrierattr_destroy(_: *mut u32) -> c_int {
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrierattr_setpshared(attributes: *mut u32, to: c_int) -> c_int {
    match u32::try_from(to) {
        Ok(to @ 0..=1) => {
            // SAFETY: C passes attributes.
            unsafe { attributes.write(to) };
            0
        }
        _ => EINVAL,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrierattr_getpshared(
    attributes: *const u32,
    to: *mut c_int,
) -> c_int {
    // SAFETY: C passes attributes, and a place.
    unsafe { to.write((*attributes).cast_signed()) };
    0
}
