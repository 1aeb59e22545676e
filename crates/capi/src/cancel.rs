//! Cancellation, and cleanup handlers. A thread that is cancelled goes on to the next point where it
//! looks; a wait is not ended early.

use crate::control::Control;
use crate::errno::{EINVAL, ENOTSUP, ESRCH};
use crate::thread;
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;

/// `struct __flyball_cleanup`, on the stack of its thread.
#[repr(C)]
pub(crate) struct Cleanup {
    routine: extern "C" fn(*mut c_void),
    argument: *mut c_void,
    next: *mut Cleanup,
}

/// Bits of [`Control::cancel`]: the thread does not want to be cancelled; it is to be.
const DISABLED: u32 = 1;
const REQUESTED: u32 = 2;

/// `PTHREAD_CANCELED`.
const CANCELED: *mut c_void = usize::MAX as *mut c_void;

/// Ends the calling thread if it has been cancelled, and wants to be.
#[inline]
pub(crate) fn point() {
    if Control::current().cancel.load(Ordering::Relaxed) == REQUESTED {
        thread::exit_thread(CANCELED);
    }
}

/// Calls the cleanup handlers of the calling thread, which ends.
pub(crate) fn clean_up() {
    let me = Control::current();
    me.cancel.fetch_or(DISABLED, Ordering::Relaxed);
    loop {
        let cleanup = me.cleanup.load(Ordering::Relaxed);
        // SAFETY: it is on the stack of this thread, in a block that has not been left.
        let Some(this) = (unsafe { cleanup.as_ref() }) else {
            return;
        };
        me.cleanup.store(this.next, Ordering::Relaxed);
        (this.routine)(this.argument);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_cleanup_push(cleanup: *mut Cleanup) {
    let me = Control::current();
    // SAFETY: C passes one that stays until it is popped.
    unsafe { (*cleanup).next = me.cleanup.load(Ordering::Relaxed) };
    me.cleanup.store(cleanup, Ordering::Relaxed);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_cleanup_pop(cleanup: *mut Cleanup, execute: c_int) {
    // SAFETY: C passes the one that was pushed last.
    let cleanup = unsafe { &*cleanup };
    Control::current()
        .cleanup
        .store(cleanup.next, Ordering::Relaxed);
    if execute != 0 {
        (cleanup.routine)(cleanup.argument);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int {
    let cancel = &Control::current().cancel;
    let before = match state {
        0 => cancel.fetch_and(!DISABLED, Ordering::Relaxed),
        1 => cancel.fetch_or(DISABLED, Ordering::Relaxed),
        _ => return EINVAL,
    };
    if !old.is_null() {
        // SAFETY: C passes a place.
        unsafe { old.write((before & DISABLED).cast_signed()) };
    }
    0
}

/// Threads are cancelled where they look only.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_setcanceltype(to: c_int, old: *mut c_int) -> c_int {
    match to {
        0 => {}
        1 => return ENOTSUP,
        _ => return EINVAL,
    }
    if !old.is_null() {
        // SAFETY: C passes a place.
        unsafe { old.write(0) };
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_testcancel() {
    point();
}

#[unsafe(no_mangle)]
extern "C" fn pthread_cancel(name: u32) -> c_int {
    let cancelled = thread::find(name, |thread| {
        thread.cancel.fetch_or(REQUESTED, Ordering::Relaxed);
    });
    if cancelled.is_some() { 0 } else { ESRCH }
}
