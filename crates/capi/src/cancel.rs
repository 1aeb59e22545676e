//! Cancellation, and cleanup handlers. A thread that is cancelled ends where it looks, and a wait in
//! which it may be cancelled ends early. Its stack is not unwound: cleanup handlers run, C++
//! destructors do not.

use crate::control::Control;
use crate::errno::{EINTR, EINVAL, ENOTSUP, ESRCH, number};
use crate::thread;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::seam::_flyball_rouse;
use flyball_kernel::Error;

/// `struct __flyball_cleanup`, on the stack of its thread.
#[repr(C)]
pub(crate) struct Cleanup {
    routine: extern "C" fn(*mut c_void),
    argument: *mut c_void,
    next: *mut Cleanup,
}

/// Bits of [`Control::cancel`]: the thread does not want to be cancelled; it is to be.
const DISABLED: u32 = 1;
pub(crate) const REQUESTED: u32 = 2;

/// `PTHREAD_CANCELED`.
const CANCELED: *mut c_void = usize::MAX as *mut c_void;

/// Ends the calling thread if it has been cancelled, and wants to be.
#[inline]
pub(crate) fn point() {
    if Control::current().cancel.load(Ordering::Relaxed) == REQUESTED {
        thread::exit_thread(CANCELED);
    }
}

/// Makes a call of the kernel that waits and may be cancelled, again if it ends early for another
/// reason. The call is passed the flag that the thread is to be cancelled, and how that is set.
pub(crate) fn wait(call: impl Fn(&AtomicU32, u32) -> Result<(), Error>) -> c_int {
    loop {
        point();
        let result = number(call(&Control::current().cancel, REQUESTED));
        if result != 0 {
            point();
        }
        if result != EINTR {
            return result;
        }
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

impl Cleanup {
    /// A handler that calls `routine`.
    pub(crate) const fn new(routine: extern "C" fn(*mut c_void), argument: *mut c_void) -> Cleanup {
        Cleanup {
            routine,
            argument,
            next: ptr::null_mut(),
        }
    }

    /// It is called if the thread ends before it is popped. It does not move until then.
    pub(crate) fn push(&mut self) {
        let me = Control::current();
        self.next = me.cleanup.load(Ordering::Relaxed);
        me.cleanup.store(self, Ordering::Relaxed);
    }

    /// It was pushed last.
    pub(crate) fn pop(&self) {
        let me = Control::current();
        me.cleanup.store(self.next, Ordering::Relaxed);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_cleanup_push(cleanup: *mut Cleanup) {
    // SAFETY: C passes one that stays until it is popped.
    unsafe { &mut *cleanup }.push();
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_cleanup_pop(cleanup: *mut Cleanup, execute: c_int) {
    // SAFETY: C passes the one that was pushed last.
    let cleanup = unsafe { &*cleanup };
    cleanup.pop();
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
        let before = thread.cancel.fetch_or(REQUESTED, Ordering::Relaxed);
        // SAFETY: `find` has locked the list.
        let id = unsafe { thread.id() }.filter(|_| before & DISABLED == 0);
        if let Some(id) = id {
            // A thread that has ended is not cancelled any more.
            let _ = _flyball_rouse(id);
        }
    });
    if cancelled.is_some() { 0 } else { ESRCH }
}
