//! Signals, as far as the kernel has to do with them: how a thread learns that there is one for it. Which
//! ones there are, for which threads, and what they do, is in C (`sdk/signals.c`); a program that
//! uses no signal is linked without that.
//!
//! A thread runs handlers only outside of sections that defer them: where it holds a lock of this
//! crate, or waits in the kernel. A thread that waits is roused; one that has been preempted
//! elsewhere calls `interrupt` before it goes on.

#[cfg(target_arch = "arm")]
use crate::binding::_flyball_c_end_interrupt;
use crate::binding::_flyball_c_interrupt;
use crate::cancel::{self, CANCELLED};
use crate::clock::{self, Timespec};
use crate::control::Control;
use crate::errno::number;
use crate::thread::LISTS;
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::seam::{_flyball_rouse, _flyball_rouse_from_mutex, _flyball_sleep_unless};
use flyball_trace::Time;

/// In [`Signals::due`]: there is a signal that the thread does not block, or that it waits for.
pub(crate) const SIGNAL: u32 = 2;

/// What handlers of signals have done to a call that one of them has interrupted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handled {
    /// No handler has run.
    None,
    /// Handlers with `SA_RESTART` only.
    Restarts,
    Interrupts,
}

unsafe extern "C" {
    /// Calls the handlers of signals that are pending for the calling thread. Returns 0 if there was
    /// none, 1 if all have `SA_RESTART`, else 2. Returns 0 in a program without signals.
    safe fn __flyball_handle() -> c_int;
}

/// What is kept of a thread's signals: `struct signals` of `sdk/signals.c`.
#[repr(C)]
pub(crate) struct Signals {
    /// What the thread has to do as soon as it can: [`SIGNAL`], [`CANCELLED`]. Other threads set it.
    pub(crate) due: AtomicU32,
    /// In how many sections it is that defer handlers. A thread that has it called sets it, too.
    pub(crate) deferring: AtomicU32,
    /// How many handlers it has called, modulo 2³².
    handled: AtomicU32,
    /// `GONE`, or 0.
    state: AtomicU32,
    /// What it blocks, what is pending for it, and what it waits for. The threads are locked.
    sets: UnsafeCell<[u64; 3]>,
}

impl Signals {
    /// What the calling thread blocks.
    pub(crate) fn blocked() -> u64 {
        // SAFETY: the calling thread alone changes it.
        unsafe { (*Control::current().signals.sets.get())[0] }
    }

    /// A thread that has not begun blocks these.
    pub(crate) fn block(&self, set: u64) {
        // SAFETY: the thread has not begun, and no other one knows it yet.
        unsafe { (*self.sets.get())[0] = set };
    }
}

/// Begins a section in which the calling thread runs no handler.
#[inline]
pub(crate) fn defer() {
    let deferring = &Control::current().signals.deferring;
    deferring.store(deferring.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Ends one, and runs the handlers that have been deferred.
#[inline]
pub(crate) fn resume() -> Handled {
    let me = Control::current();
    let left = me.signals.deferring.load(Ordering::Relaxed) - 1;
    me.signals.deferring.store(left, Ordering::Relaxed);
    if left == 0 && me.signals.due.load(Ordering::Relaxed) != 0 {
        return act();
    }
    Handled::None
}

/// Does what is due for the calling thread, outside of sections that defer it.
#[cold]
#[inline(never)]
pub(crate) fn act() -> Handled {
    cancel::asynchronously();
    if Control::current().signals.due.load(Ordering::Relaxed) & SIGNAL == 0 {
        return Handled::None;
    }
    match __flyball_handle() {
        0 => Handled::None,
        1 => Handled::Restarts,
        _ => Handled::Interrupts,
    }
}

/// Which bits of [`Signals::due`] end a wait of the calling thread, which defers handlers during it.
#[inline]
pub(crate) fn ends_wait() -> u32 {
    let me = Control::current();
    // In another section no handler runs after the wait, so it would end at once, again and again.
    let signal = match me.signals.deferring.load(Ordering::Relaxed) {
        1 => SIGNAL,
        _ => 0,
    };
    signal | cancel::ends_wait(me)
}

/// The same for a wait for a mutex, which is no point of cancellation.
pub(crate) fn ends_lock() -> u32 {
    ends_wait() & (SIGNAL | cancel::ends_anywhere())
}

/// `thread` has become due for something, and does that even if it runs. The threads are locked.
pub(crate) fn tell(thread: &Control) {
    // SAFETY: the list is locked.
    let Some(id) = (unsafe { thread.id() }) else {
        return;
    };
    _flyball_c_interrupt(id, &thread.signals.deferring);
    // Also if it calls that now: it may sleep outside of sections. Nothing is to be done if it has ended, or does not
    // wait.
    if _flyball_rouse(id) == Ok(false) {
        let _ = _flyball_rouse_from_mutex(id, &thread.is_locking);
    }
}

// What a preempted thread calls: here the stack ends for the unwinder, which cannot know where the thread was.
#[cfg(target_arch = "arm")]
core::arch::global_asm!(
    ".section .text.__flyball_interrupt, \"ax\", %progbits",
    ".global __flyball_interrupt",
    ".type __flyball_interrupt, %function",
    ".thumb_func",
    ".fnstart",
    "__flyball_interrupt:",
    "bl __flyball_interrupted",
    "udf #0",
    ".cantunwind",
    ".fnend",
);

/// It begins in a section that defers handlers.
#[cfg(target_arch = "arm")]
#[unsafe(no_mangle)]
extern "C" fn __flyball_interrupted(before: usize) -> ! {
    resume();
    // SAFETY: that is what this function was passed.
    unsafe { _flyball_c_end_interrupt(before) }
}

/// What a thread has to do that was interrupted in the middle of its program, and goes on there: nothing in sections that
/// defer it. On RISC-V.
#[inline]
pub fn interrupted() -> Option<extern "C" fn()> {
    extern "C" fn call() {
        defer();
        resume();
    }
    let signals = &Control::current().signals;
    let is_due = signals.due.load(Ordering::Relaxed) & (SIGNAL | cancel::ends_anywhere()) != 0;
    (is_due && signals.deferring.load(Ordering::Relaxed) == 0).then_some(call)
}

/// What is kept of the calling thread's signals.
#[unsafe(no_mangle)]
extern "C" fn __flyball_signals() -> *const Signals {
    &raw const Control::current().signals
}

/// The calling thread ends: it runs no handler any more, and its signals are for others.
pub(crate) fn leave() {
    unsafe extern "C" {
        /// Nothing is pending for the calling thread, which ends.
        safe fn __flyball_leave_signals();
    }
    defer();
    __flyball_leave_signals();
}

/// Locks the list of threads, and with it all that is kept of signals.
#[unsafe(no_mangle)]
extern "C" fn __flyball_lock_threads() {
    LISTS.lock();
}

/// Leaves the section that defers handlers to the caller.
#[unsafe(no_mangle)]
extern "C" fn __flyball_unlock_threads() {
    LISTS.unlock();
}

#[unsafe(no_mangle)]
extern "C" fn __flyball_resume() -> c_int {
    resume() as c_int
}

/// Calls `f` for what is kept of the signals of each thread that has not ended, until it returns other than zero;
/// returns that. The threads are locked.
#[unsafe(no_mangle)]
extern "C" fn __flyball_each_thread(
    f: extern "C" fn(*const Signals, *mut c_void) -> c_int,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: the caller has locked the list.
    let mut threads = unsafe { LISTS.get() }.all();
    let found = threads.find_map(|thread| {
        if thread.has_ended.load(Ordering::Relaxed) {
            return None;
        }
        match f(&raw const thread.signals, argument) {
            0 => None,
            result => Some(result),
        }
    });
    found.unwrap_or(0)
}

/// What is kept of the signals of the thread of this name; null: there is none. The threads are locked.
#[unsafe(no_mangle)]
extern "C" fn __flyball_signals_of(name: u32) -> *const Signals {
    // SAFETY: the caller has locked the list.
    let found = unsafe { LISTS.get() }.find(name);
    found.map_or(ptr::null(), |thread| &raw const thread.signals)
}

/// A thread has a signal that it does not block, or waits for (`is_due`), or no such signal any more. The
/// threads are locked.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_tell(signals: *const c_void, is_due: c_int) {
    // SAFETY: it is what is kept of a thread's signals, which is a part of its control block.
    let thread = unsafe {
        &*signals
            .byte_sub(core::mem::offset_of!(Control, signals))
            .cast::<Control>()
    };
    if is_due == 0 {
        thread.signals.due.fetch_and(!SIGNAL, Ordering::Relaxed);
    } else if thread.signals.due.fetch_or(SIGNAL, Ordering::Relaxed) & SIGNAL == 0 {
        tell(thread);
    }
}

/// Sleeps until something is due for the calling thread, or until `until` of a clock; null: for ever. Returns 0 if
/// that has come, else what is due, or what is wrong. The caller defers handlers.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_pause(clock: c_int, until: *const Timespec) -> c_int {
    // SAFETY: C passes a time, or none.
    let until = match unsafe { until.as_ref() } {
        None => Ok(Time::NEVER),
        Some(until) => clock::until(clock, until),
    };
    let slept = until.map(|until| {
        number(_flyball_sleep_unless(
            until,
            &Control::current().signals.due,
            ends_wait(),
        ))
    });
    slept.unwrap_or_else(|error| error)
}

/// Whether the calling thread has been cancelled, and may be.
#[unsafe(no_mangle)]
extern "C" fn __flyball_is_cancelled() -> c_int {
    let me = Control::current();
    c_int::from(me.signals.due.load(Ordering::Relaxed) & cancel::ends_wait(me) & CANCELLED != 0)
}
