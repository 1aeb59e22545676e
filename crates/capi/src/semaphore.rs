//! Semaphores without names.

use crate::cancel::{self, OnSignal};
use crate::clock::{self, Timespec};
use crate::errno::{EAGAIN, EBUSY, EINVAL, EOVERFLOW, EPERM, ETIMEDOUT, fail, number, or_fail};
use crate::{interrupt, refer};
use core::ffi::{c_int, c_uint};
use flyball_app::seam::{_flyball_signal, _flyball_wait_unless, _flyball_wait_until};
use flyball_kernel::{At, State, Word};
use flyball_trace::Time;

/// Waits until `until` at the latest; may be cancelled.
fn wait(semaphore: &'static Word, until: Time) -> c_int {
    if interrupt::refuses() {
        return EPERM;
    }
    cancel::point();
    if semaphore.try_pass() {
        return 0;
    }
    let at = At::new(semaphore);
    cancel::wait(OnSignal::Restart, |due, set| {
        _flyball_wait_unless(at, until, due, set)
    })
}

/// As [`wait`], by a clock.
///
/// # Safety
/// C passes a semaphore, and a time.
unsafe fn wait_until(semaphore: *mut Word, clock: c_int, until: *const Timespec) -> c_int {
    // SAFETY: as the caller promises.
    let (semaphore, until) = unsafe { (refer(semaphore), &*until) };
    cancel::point();
    if semaphore.try_pass() {
        return 0;
    }
    let result = match clock::until(clock, until) {
        Ok(until) => wait(semaphore, until),
        Err(error) => error,
    };
    or_fail(result)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_init(semaphore: *mut Word, _: c_int, count: c_uint) -> c_int {
    if count > State::MOST {
        return fail(EINVAL);
    }
    // SAFETY: C passes memory for a semaphore, which no thread uses yet.
    unsafe { semaphore.write(Word::new(State::count(count), 0)) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_destroy(semaphore: *mut Word) -> c_int {
    // SAFETY: C passes a semaphore.
    match unsafe { refer(semaphore) }.state().first() {
        Some(_) => fail(EBUSY),
        None => 0,
    }
}

#[cfg_attr(target_arch = "arm", unsafe(export_name = "__flyball_sem_wait"))]
#[cfg_attr(not(target_arch = "arm"), unsafe(no_mangle))]
unsafe extern "C" fn sem_wait(semaphore: *mut Word) -> c_int {
    // SAFETY: C passes a semaphore.
    let word = unsafe { refer(semaphore) };
    if !cancel::is_due() && word.try_pass() {
        return 0;
    }
    wait_slowly(word)
}

/// By itself, so that the short way saves no registers.
#[cold]
#[inline(never)]
fn wait_slowly(semaphore: &'static Word) -> c_int {
    or_fail(wait(semaphore, Time::NEVER))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_trywait(semaphore: *mut Word) -> c_int {
    // SAFETY: C passes a semaphore.
    let at = At::new(unsafe { refer(semaphore) });
    match number(_flyball_wait_until(at, Time::ZERO)) {
        ETIMEDOUT => fail(EAGAIN),
        result => or_fail(result),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_timedwait(semaphore: *mut Word, until: *const Timespec) -> c_int {
    // SAFETY: as C promises.
    unsafe { wait_until(semaphore, clock::REALTIME, until) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_clockwait(
    semaphore: *mut Word,
    clock: c_int,
    until: *const Timespec,
) -> c_int {
    if !clock::is_known(clock) {
        return fail(EINVAL);
    }
    // SAFETY: as C promises.
    unsafe { wait_until(semaphore, clock, until) }
}

#[cfg_attr(target_arch = "arm", unsafe(export_name = "__flyball_sem_post"))]
#[cfg_attr(not(target_arch = "arm"), unsafe(no_mangle))]
unsafe extern "C" fn sem_post(semaphore: *mut Word) -> c_int {
    // SAFETY: C passes a semaphore.
    let word = unsafe { refer(semaphore) };
    if word.try_give() {
        return 0;
    }
    post_slowly(word)
}

#[cold]
#[inline(never)]
fn post_slowly(semaphore: &'static Word) -> c_int {
    match number(_flyball_signal(At::new(semaphore))) {
        0 => 0,
        EAGAIN => fail(EOVERFLOW),
        error => fail(error),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_getvalue(semaphore: *mut Word, value: *mut c_int) -> c_int {
    // SAFETY: C passes a semaphore.
    let count = unsafe { refer(semaphore) }.state().passes().unwrap_or(0);
    // SAFETY: C passes a place.
    unsafe { value.write(count.cast_signed()) };
    0
}
