//! What is done once. The function itself, `pthread_once`, is in C (`sdk/flyball.c`): an exception
//! may leave the routine, and passes it.

use crate::condition::Condition;
use crate::mutex::Mutex;
use crate::refer;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_trace::Time;

/// What the first word of `pthread_once_t` says.
const NEW: u32 = 0;
const BEGUN: u32 = 1;
const DONE: u32 = 2;

static MUTEX: Mutex = Mutex::new();
static CHANGED: Condition = Condition::new();

/// Returns 1 if the calling thread is to call the routine; 0 if that has been done.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_once_begin(once: *mut AtomicU32) -> c_int {
    // SAFETY: C passes its words, of which this is the first.
    let once = unsafe { refer(once) };
    MUTEX.lock();
    while once.load(Ordering::Relaxed) == BEGUN {
        CHANGED.wait(&MUTEX, Time::NEVER);
    }
    let is_new = once.load(Ordering::Relaxed) == NEW;
    if is_new {
        once.store(BEGUN, Ordering::Relaxed);
    }
    MUTEX.unlock();
    c_int::from(is_new)
}

/// The routine has returned; or it has not, and another thread calls it again.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_once_end(once: *mut AtomicU32, is_done: c_int) {
    // SAFETY: C passes its words, of which this is the first.
    let once = unsafe { refer(once) };
    MUTEX.lock();
    once.store(if is_done == 0 { NEW } else { DONE }, Ordering::Release);
    CHANGED.broadcast();
    MUTEX.unlock();
}
