//! Cancellation, and cleanup handlers. A thread that is cancelled ends where it looks, or, if it wants
//! that, anywhere; and a wait in which it may be cancelled ends early. Its stack is unwound, so that destructors of C++
//! run, and cleanup handlers at their places among them (`sdk/flyball.c`).

use crate::control::Control;
use crate::errno::{EINTR, EINVAL, ESRCH, number};
use crate::signal::{self, Handled};
use crate::thread;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering, fence};
use flyball_app::seam::_flyball_rouse;
use flyball_kernel::Error;

/// `struct __flyball_cleanup`, on the stack of its thread.
#[repr(C)]
pub(crate) struct Cleanup {
    routine: extern "C" fn(*mut c_void),
    argument: *mut c_void,
    next: *mut Cleanup,
}

/// In [`Signals::due`](crate::signal::Signals::due): the thread is to be cancelled.
pub(crate) const CANCELLED: u32 = 1;

/// `PTHREAD_CANCEL_DISABLE`.
const DISABLED: u8 = 1;

/// `PTHREAD_CANCEL_ASYNCHRONOUS`.
const ASYNCHRONOUS: u8 = 1;

/// `PTHREAD_CANCELED`.
const CANCELED: *mut c_void = usize::MAX as *mut c_void;

/// How a thread ends that is cancelled: [`exit`], from the first call of `pthread_cancel` on. A program without that call
/// is linked without the unwinder.
static EXIT: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

/// Whether the calling thread has something to do, like to end.
#[inline]
pub(crate) fn is_due() -> bool {
    Control::current().signals.due.load(Ordering::Relaxed) != 0
}

/// Ends the calling thread if it has been cancelled, and wants to be. If it has locks of the C library, it ends
/// when it has given the last one back.
#[inline]
pub(crate) fn point() {
    let me = Control::current();
    if me.signals.due.load(Ordering::Relaxed) & CANCELLED != 0 {
        cancelled(me);
    }
}

/// The calling thread has been cancelled, and is at a point of cancellation.
#[cold]
#[inline(never)]
fn cancelled(me: &Control) {
    if ends_wait(me) != 0 {
        end();
    }
    if is_in_library(me) {
        me.has_passed.store(true, Ordering::Relaxed);
    }
}

/// Whether a thread has locks of the C library. An end would leave them locked.
#[inline]
fn is_in_library(thread: &Control) -> bool {
    thread.library_locks.load(Ordering::Relaxed) != 0
}

/// The calling thread takes a lock of the C library.
#[inline]
pub(crate) fn enter_library() {
    let locks = &Control::current().library_locks;
    locks.store(locks.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// It has given one back.
#[inline]
pub(crate) fn leave_library() {
    let me = Control::current();
    let left = me.library_locks.load(Ordering::Relaxed) - 1;
    me.library_locks.store(left, Ordering::Relaxed);
    if left == 0 && me.signals.due.load(Ordering::Relaxed) & CANCELLED != 0 {
        cancelled_in_library(me);
    }
}

/// The calling thread has been cancelled, and may have been at a point of cancellation while it had locks of the C
/// library.
#[cold]
#[inline(never)]
fn cancelled_in_library(me: &Control) {
    if me.has_passed.swap(false, Ordering::Relaxed) {
        point();
    } else {
        asynchronously();
    }
}

#[cold]
#[inline(never)]
fn end() -> ! {
    let exit = EXIT.load(Ordering::Relaxed);
    // SAFETY: a thread has been cancelled, so it is that function.
    let exit = unsafe { core::mem::transmute::<*mut (), fn(*mut c_void) -> !>(exit) };
    exit(CANCELED)
}

/// As [`point`], if the calling thread may end anywhere.
pub(crate) fn asynchronously() {
    if Control::current().signals.due.load(Ordering::Relaxed) & ends_anywhere() != 0 {
        end();
    }
}

/// Which bits of [`Signals::due`](crate::signal::Signals::due) end a wait of this thread for the sake of cancellation.
#[inline]
pub(crate) fn ends_wait(me: &Control) -> u32 {
    if me.cancel_state.load(Ordering::Relaxed) == DISABLED || is_in_library(me) {
        0
    } else {
        CANCELLED
    }
}

/// The same of all that the calling thread does.
pub(crate) fn ends_anywhere() -> u32 {
    let me = Control::current();
    match me.cancel_type.load(Ordering::Relaxed) {
        ASYNCHRONOUS => ends_wait(me),
        _ => 0,
    }
}

/// What a handler of a signal makes of a call that waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnSignal {
    /// Nothing.
    Wait,
    /// It ends with `EINTR`, unless the handler has `SA_RESTART`.
    Restart,
    /// It ends with `EINTR`.
    End,
}

/// Makes a call of the kernel that waits, and may be cancelled or interrupted; again if it ends early for another reason.
/// The call is passed what the thread has to do, and which bits of that end the wait.
pub(crate) fn wait(
    on_signal: OnSignal,
    call: impl Fn(&AtomicU32, u32) -> Result<(), Error>,
) -> c_int {
    loop {
        point();
        signal::defer();
        let due = &Control::current().signals.due;
        let result = number(call(due, signal::ends_wait()));
        let handled = signal::resume();
        if result != 0 {
            point();
        }
        let ends = match handled {
            Handled::None => false,
            Handled::Restarts => on_signal == OnSignal::End,
            Handled::Interrupts => on_signal != OnSignal::Wait,
        };
        if result != EINTR || ends {
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
    unsafe { __flyball_unwind(result, me.argument.load(Ordering::Relaxed)) }
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

/// Sets how the calling thread may be cancelled: `place` becomes 0 or 1.
fn set(place: &AtomicU8, to: c_int, old: *mut c_int) -> c_int {
    let Some(to) = u8::try_from(to).ok().filter(|&to| to <= 1) else {
        return EINVAL;
    };
    if !old.is_null() {
        // SAFETY: C passes a place.
        unsafe { old.write(place.load(Ordering::Relaxed).into()) };
    }
    place.store(to, Ordering::Relaxed);
    // As in `cancel`.
    fence(Ordering::SeqCst);
    asynchronously();
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_setcancelstate(to: c_int, old: *mut c_int) -> c_int {
    set(&Control::current().cancel_state, to, old)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_setcanceltype(to: c_int, old: *mut c_int) -> c_int {
    set(&Control::current().cancel_type, to, old)
}

#[unsafe(no_mangle)]
extern "C" fn pthread_testcancel() {
    point();
}

#[unsafe(no_mangle)]
extern "C" fn pthread_cancel(name: u32) -> c_int {
    if thread::find(name, cancel).is_some() {
        0
    } else {
        ESRCH
    }
}

/// Cancels a thread. The list of threads is locked.
pub(crate) fn cancel(thread: &Control) {
    EXIT.store(exit as *mut (), Ordering::Relaxed);
    thread.signals.due.fetch_or(CANCELLED, Ordering::Relaxed);
    // Another CPU sees this, or it is seen here that the thread is willing now.
    fence(Ordering::SeqCst);
    if ends_wait(thread) == 0 {
        return;
    }
    if thread.cancel_type.load(Ordering::Relaxed) == ASYNCHRONOUS {
        signal::tell(thread);
    // SAFETY: the list is locked.
    } else if let Some(id) = unsafe { thread.id() } {
        // A thread that has ended is not cancelled any more.
        let _ = _flyball_rouse(id);
    }
}
