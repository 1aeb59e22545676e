//! Cancellation, and cleanup handlers. A thread that is cancelled ends where it looks, and a wait in
//! which it may be cancelled ends early. Its stack is unwound, so that destructors of C++
//! run, and cleanup handlers at their places among them (`sdk/flyball.c`).

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

/// [`Control::cancelled`] of a thread that is to be cancelled.
pub(crate) const CANCELLED: u32 = 1;

/// `PTHREAD_CANCEL_DISABLE`.
const DISABLED: c_int = 1;

/// The flag of a thread that cannot be cancelled.
static NEVER: AtomicU32 = AtomicU32::new(0);

/// `PTHREAD_CANCELED`.
const CANCELED: *mut c_void = usize::MAX as *mut c_void;

/// Whether the calling thread has been cancelled, whether it wants to be or not.
#[inline]
pub(crate) fn is_due() -> bool {
    Control::current().cancelled.load(Ordering::Relaxed) != 0
}

/// Ends the calling thread if it has been cancelled, and wants to be.
#[inline]
pub(crate) fn point() {
    if flag().load(Ordering::Relaxed) == CANCELLED {
        exit(CANCELED);
    }
}

/// What is [`CANCELLED`] as soon as the calling thread has to end.
#[inline]
pub(crate) fn flag() -> &'static AtomicU32 {
    let me = Control::current();
    if me.cancel_state.load(Ordering::Relaxed) == DISABLED {
        &NEVER
    } else {
        &me.cancelled
    }
}

/// Makes a call of the kernel that waits and may be cancelled, again if it ends early for another
/// reason. The call is passed the flag that the thread is to be cancelled, and how that is set.
pub(crate) fn wait(call: impl Fn(&AtomicU32, u32) -> Result<(), Error>) -> c_int {
    loop {
        point();
        let result = number(call(flag(), CANCELLED));
        if result != 0 {
            point();
        }
        if result != EINTR {
            return result;
        }
    }
}

/// Ends the calling thread, in the middle of what it does.
#[cold]
fn exit(result: *mut c_void) -> ! {
    unsafe extern "C" {
        /// Unwinds the stack, and calls [`__flyball_clean_up`] on the way and [`__flyball_exit`] at the end.
        fn __flyball_unwind(result: *mut c_void, place: *mut c_void) -> !;
    }
    let me = Control::current();
    me.cancel_state.store(DISABLED, Ordering::Relaxed);
    // SAFETY: the place is this thread's, and is used once.
    unsafe { __flyball_unwind(result, me.unwinding()) }
}

/// Calls the cleanup handlers of the calling thread, which ends, of blocks below `end` on the stack.
#[unsafe(no_mangle)]
extern "C" fn __flyball_clean_up(end: usize) {
    let me = Control::current();
    loop {
        let cleanup = me.cleanup.load(Ordering::Relaxed);
        if cleanup.addr() >= end {
            return;
        }
        // SAFETY: it is on the stack of this thread, in a block that has not been left.
        let Some(this) = (unsafe { cleanup.as_ref() }) else {
            return;
        };
        me.cleanup.store(this.next, Ordering::Relaxed);
        (this.routine)(this.argument);
    }
}

/// The stack has been unwound.
#[unsafe(no_mangle)]
extern "C" fn __flyball_exit(result: *mut c_void) -> ! {
    thread::exit_thread(result)
}

#[unsafe(no_mangle)]
extern "C" fn pthread_exit(result: *mut c_void) -> ! {
    exit(result)
}

/// Calls the cleanup handlers of the calling thread, which ends.
pub(crate) fn clean_up() {
    let me = Control::current();
    me.cancel_state.store(DISABLED, Ordering::Relaxed);
    __flyball_clean_up(usize::MAX);
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
    if !(0..=DISABLED).contains(&state) {
        return EINVAL;
    }
    let place = &Control::current().cancel_state;
    if !old.is_null() {
        // SAFETY: C passes a place.
        unsafe { old.write(place.load(Ordering::Relaxed)) };
    }
    place.store(state, Ordering::Relaxed);
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
        thread.cancelled.store(CANCELLED, Ordering::Relaxed);
        let is_willing = thread.cancel_state.load(Ordering::Relaxed) != DISABLED;
        // SAFETY: `find` has locked the list.
        if let Some(id) = unsafe { thread.id() }
            && is_willing
        {
            // A thread that has ended is not cancelled any more.
            let _ = _flyball_rouse(id);
        }
    });
    if cancelled.is_some() { 0 } else { ESRCH }
}
