//! Condition variables. Bits 2 to 7 of the second word are the clock of time-outs, 0 for
//! `CLOCK_REALTIME`.

use crate::cancel;
use crate::clock::{self, Timespec};
use crate::control::Control;
use crate::errno::{EBUSY, EINTR, EINVAL, number};
use crate::mutex::Mutex;
use crate::refer;
use crate::signal::{self, Handled};
use core::ffi::{c_int, c_long};
use flyball_app::seam::{
    _flyball_broadcast, _flyball_signal_condition, _flyball_wait_condition,
    _flyball_wait_condition_unless,
};
use flyball_kernel::{At, State, Word};
use flyball_trace::Time;

/// A condition variable, `pthread_cond_t`.
#[repr(C)]
pub(crate) struct Condition {
    word: Word,
}

const CLOCK: u32 = 2;
const CLOCKS: u32 = 0x3f;
/// Of attributes.
const SHARED: u32 = 1 << 31;

impl Condition {
    pub(crate) const fn new() -> Condition {
        Condition::with(0)
    }

    const fn with(about: u32) -> Condition {
        Condition {
            word: Word::new(State::FREE, about),
        }
    }

    fn at(&'static self) -> At {
        At::new(&self.word)
    }

    /// Gives `mutex` back and waits for a signal, until `until` at the latest.
    pub(crate) fn wait(&'static self, mutex: &'static Mutex, until: Time) -> c_int {
        let depth = match mutex.leave() {
            Ok(depth) => depth,
            Err(error) => return error,
        };
        let result = number(_flyball_wait_condition(self.at(), mutex.at(), until));
        mutex.come_back(depth);
        result
    }

    /// The same with the mutex that is there, unless the calling thread has something to do of these bits of
    /// [`Signals::due`](crate::signal::Signals::due). The caller defers handlers.
    pub(crate) fn wait_unless(&'static self, mutex: At, until: Time, set: u32) -> c_int {
        let due = &Control::current().signals.due;
        number(_flyball_wait_condition_unless(
            self.at(),
            mutex,
            until,
            due,
            set,
        ))
    }

    #[inline]
    pub(crate) fn signal(&'static self) {
        if self.word.is_waited_for() {
            _flyball_signal_condition(self.at());
        }
    }

    #[inline]
    pub(crate) fn broadcast(&'static self) {
        if self.word.is_waited_for() {
            _flyball_broadcast(self.at());
        }
    }
}

/// As [`Condition::wait`], where a thread may be cancelled; it owns the mutex then. `None`: waits for
/// ever. Returns `EINTR` if a handler has run that interrupts calls.
///
/// # Safety
/// C passes a condition variable, a mutex, and a time.
unsafe fn wait(
    condition: *mut Condition,
    mutex: *mut Mutex,
    until: Option<(c_int, *const Timespec)>,
) -> c_int {
    // SAFETY: as the caller promises.
    let (condition, mutex) = unsafe { (refer(condition), refer(mutex)) };
    let until = match until {
        None => Time::NEVER,
        // SAFETY: as the caller promises.
        Some((clock, until)) => match clock::until(clock, unsafe { &*until }) {
            Ok(until) => until,
            Err(error) => return error,
        },
    };
    cancel::point();
    let depth = match mutex.leave() {
        Ok(depth) => depth,
        Err(error) => return error,
    };
    signal::defer();
    let result = condition.wait_unless(mutex.at(), until, signal::ends_wait());
    let owned = mutex.come_back(depth);
    let handled = signal::resume();
    if result != 0 {
        cancel::point();
    }
    if owned != 0 {
        return owned;
    }
    if result == EINTR && handled != Handled::Interrupts {
        return 0;
    }
    result
}

/// The clock of the time-outs of a condition variable.
///
/// # Safety
/// C passes one.
unsafe fn clock_of(condition: *const Condition) -> c_int {
    // SAFETY: as the caller promises.
    match unsafe { refer(condition) }.word.about() >> CLOCK & CLOCKS {
        0 => clock::REALTIME,
        clock => clock.cast_signed(),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_wait(condition: *mut Condition, mutex: *mut Mutex) -> c_int {
    // SAFETY: as C promises.
    spurious(unsafe { wait(condition, mutex, None) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_timedwait(
    condition: *mut Condition,
    mutex: *mut Mutex,
    until: *const Timespec,
) -> c_int {
    // SAFETY: as C promises.
    spurious(unsafe { wait(condition, mutex, Some((clock_of(condition), until))) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_clockwait(
    condition: *mut Condition,
    mutex: *mut Mutex,
    clock: c_int,
    until: *const Timespec,
) -> c_int {
    // SAFETY: as C promises.
    spurious(unsafe { wait(condition, mutex, Some((clock, until))) })
}

/// What a function returns that may return for nothing.
fn spurious(result: c_int) -> c_int {
    if result == EINTR { 0 } else { result }
}

/// For calls of `sdk/mqueue.c` that handlers of signals interrupt: as `pthread_cond_timedwait`, and without a
/// limit if `until` is null, but returns `EINTR` then.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_wait(
    condition: *mut Condition,
    mutex: *mut Mutex,
    until: *const Timespec,
) -> c_int {
    let until = (!until.is_null()).then_some((clock::REALTIME, until));
    // SAFETY: as C promises.
    unsafe { wait(condition, mutex, until) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_signal(condition: *mut Condition) -> c_int {
    // SAFETY: C passes a condition variable.
    unsafe { refer(condition) }.signal();
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_broadcast(condition: *mut Condition) -> c_int {
    // SAFETY: C passes a condition variable.
    unsafe { refer(condition) }.broadcast();
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_init(condition: *mut Condition, attributes: *const u32) -> c_int {
    // SAFETY: C passes attributes, or none.
    let attributes = unsafe { attributes.as_ref() }.map_or(0, |&attributes| attributes);
    // SAFETY: C passes memory for a condition variable, which no thread uses yet.
    unsafe { condition.write(Condition::with((attributes & CLOCKS) << CLOCK)) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_destroy(condition: *mut Condition) -> c_int {
    // SAFETY: C passes a condition variable.
    let is_waited_for = unsafe { refer(condition) }.word.is_waited_for();
    if is_waited_for { EBUSY } else { 0 }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_condattr_init(attributes: *mut u32) -> c_int {
    // SAFETY: C passes memory for attributes.
    unsafe { attributes.write(0) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_condattr_destroy(_: *mut u32) -> c_int {
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_condattr_setclock(attributes: *mut u32, clock: c_int) -> c_int {
    if clock != clock::REALTIME && clock != clock::MONOTONIC {
        return EINVAL;
    }
    let clock = if clock == clock::REALTIME { 0 } else { clock };
    // SAFETY: C passes attributes.
    unsafe { *attributes = *attributes & !CLOCKS | clock.cast_unsigned() };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_condattr_getclock(
    attributes: *const u32,
    clock: *mut c_long,
) -> c_int {
    // SAFETY: C passes attributes.
    let now = unsafe { *attributes } & CLOCKS;
    let now = if now == 0 {
        clock::REALTIME
    } else {
        now.cast_signed()
    };
    // SAFETY: C passes a place.
    unsafe { clock.write(now.into()) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_condattr_setpshared(attributes: *mut u32, to: c_int) -> c_int {
    match to {
        // SAFETY: C passes attributes.
        0 => unsafe { *attributes &= !SHARED },
        // SAFETY: C passes attributes.
        1 => unsafe { *attributes |= SHARED },
        _ => return EINVAL,
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_condattr_getpshared(attributes: *const u32, to: *mut c_int) -> c_int {
    // SAFETY: C passes attributes, and a place.
    unsafe { *to = c_int::from(*attributes & SHARED != 0) };
    0
}
