//! Clocks, sleep, and instants until which a call waits.

use crate::binding::{_flyball_c_cpus, _flyball_c_idle_time};
use crate::cancel::{self, OnSignal};
use crate::control::Control;
use crate::errno::{EINTR, EINVAL, EPERM, fail, or_fail};
use crate::latch::Locked;
use crate::{cputime, semihosting, thread};
use core::ffi::{c_int, c_long, c_uint};
use flyball_app::seam::{_flyball_cpu_time, _flyball_now, _flyball_sleep_unless};
use flyball_trace::{Duration, Time};

/// `struct timespec`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Timespec {
    seconds: i64,
    nanos: c_long,
}

#[repr(C)]
struct Timeval {
    seconds: i64,
    micros: c_long,
}

#[repr(C)]
struct Tms {
    times: [usize; 4],
}

pub(crate) const REALTIME: c_int = 1;
pub(crate) const PROCESS: c_int = 2;
pub(crate) const THREAD: c_int = 3;
pub(crate) const MONOTONIC: c_int = 4;

const SECOND: u64 = 1_000_000_000;
const SECONDS: i64 = 1_000_000_000;
/// A tick of the board's counter, at least.
const RESOLUTION: c_long = if cfg!(target_arch = "riscv64") {
    100
} else {
    40
};

/// How many nanoseconds `CLOCK_REALTIME` is ahead of the time since the start; `None`: the host has
/// not been asked yet.
static AHEAD: Locked<Option<i64>> = Locked::new(None);

impl Timespec {
    pub(crate) fn of(nanos: u64) -> Timespec {
        Timespec {
            seconds: (nanos / SECOND).cast_signed(),
            // It is less than a second.
            nanos: c_long::try_from(nanos % SECOND).unwrap_or(0),
        }
    }

    /// The nanoseconds; `None`: it is no time. What is too far away is cut off.
    pub(crate) fn nanos(self) -> Option<i64> {
        let nanos = u32::try_from(self.nanos).ok().map(i64::from);
        let nanos = nanos.filter(|&nanos| nanos < SECONDS)?;
        Some(self.seconds.saturating_mul(SECONDS).saturating_add(nanos))
    }
}

/// How far `CLOCK_REALTIME` is ahead. The host tells when it is asked first, in whole seconds.
fn ahead() -> i64 {
    AHEAD.with(|ahead| {
        *ahead.get_or_insert_with(|| {
            let now = _flyball_now().as_nanos().cast_signed();
            semihosting::time().saturating_mul(SECONDS) - now
        })
    })
}

/// Whether waits know `clock`.
pub(crate) fn is_known(clock: c_int) -> bool {
    clock == REALTIME || clock == MONOTONIC
}

/// The instant at which `clock` shows `time`.
///
/// # Errors
/// `EINVAL`.
pub(crate) fn until(clock: c_int, time: &Timespec) -> Result<Time, c_int> {
    let nanos = time.nanos().ok_or(EINVAL)?;
    let nanos = match clock {
        REALTIME => nanos.saturating_sub(ahead()),
        MONOTONIC => nanos,
        _ => return Err(EINVAL),
    };
    // An instant that has passed is one like any other.
    Ok(Time::from_nanos(u64::try_from(nanos).unwrap_or(0)))
}

/// Nanoseconds since the start.
#[unsafe(no_mangle)]
extern "C" fn __flyball_now() -> u64 {
    _flyball_now().as_nanos()
}

/// When `clock` shows `time`, or how soon (`is_span`), in nanoseconds since the start; what it shows then if it counts CPU
/// time. Returns 0 or `EINVAL`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_until(
    clock: c_int,
    time: *const Timespec,
    is_span: c_int,
    instant: *mut u64,
) -> c_int {
    // SAFETY: C passes a time.
    let time = unsafe { &*time };
    let instant_or_error = if time.seconds < 0 {
        Err(EINVAL)
    } else if cputime::is_one(clock) {
        cputime::until(clock, time, is_span != 0)
    } else if is_span == 0 {
        until(clock, time).map(Time::as_nanos)
    } else {
        let end = |span: Time| _flyball_now() + span.since(Time::ZERO);
        until(MONOTONIC, time).map(|span| end(span).as_nanos())
    };
    match instant_or_error {
        Ok(at) => {
            // SAFETY: C passes a place.
            unsafe { instant.write(at) };
            0
        }
        Err(error) => error,
    }
}

/// What `clock` shows, in nanoseconds.
pub(crate) fn read(clock: c_int) -> Option<u64> {
    let now = _flyball_now().as_nanos();
    Some(match clock {
        REALTIME => u64::try_from(now.cast_signed() + ahead()).unwrap_or(0),
        MONOTONIC => now,
        PROCESS => {
            // Of all CPUs, up to one instant: otherwise it could go back.
            let (now, idle) = _flyball_c_idle_time();
            (now.as_nanos() * u64::from(_flyball_c_cpus())).saturating_sub(idle.as_nanos())
        }
        THREAD => thread::cpu_time(Control::current().name())?,
        clock => thread::cpu_time(!clock.cast_unsigned())?,
    })
}

/// The CPU time of a thread, in nanoseconds.
pub(crate) fn cpu_time(id: flyball_kernel::ThreadId) -> Option<u64> {
    _flyball_cpu_time(id).ok().map(Duration::as_nanos)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int {
    match read(clock) {
        Some(nanos) => {
            // SAFETY: C passes a place.
            unsafe { time.write(Timespec::of(nanos)) };
            0
        }
        None => fail(EINVAL),
    }
}

/// Calls that wait already until an instant of `CLOCK_REALTIME` go on waiting as long as they would
/// have. CPU time that has been used has been used: no program may set that.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_settime(clock: c_int, time: *const Timespec) -> c_int {
    // SAFETY: C passes a time.
    let nanos = unsafe { *time }.nanos().filter(|nanos| *nanos >= 0);
    match nanos {
        Some(nanos) if clock == REALTIME => {
            let now = _flyball_now().as_nanos().cast_signed();
            AHEAD.with(|ahead| *ahead = Some(nanos - now));
            0
        }
        Some(_) if read(clock).is_some() && cputime::is_one(clock) => fail(EPERM),
        _ => fail(EINVAL),
    }
}

/// Of CPU time it is that of waits and timers.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_getres(clock: c_int, time: *mut Timespec) -> c_int {
    if read(clock).is_none() {
        return fail(EINVAL);
    }
    let resolution = if cputime::is_one(clock) {
        Timespec::of(cputime::STEP)
    } else {
        Timespec {
            seconds: 0,
            nanos: RESOLUTION,
        }
    };
    // SAFETY: C passes a place, or none.
    if let Some(time) = unsafe { time.as_mut() } {
        *time = resolution;
    }
    0
}

/// Sleeps until `until`; may be cancelled. Returns 0 or `EINTR`.
pub(crate) fn sleep_until(until: Time) -> c_int {
    cancel::wait(OnSignal::End, |due, set| {
        _flyball_sleep_unless(until, due, set)
    })
}

/// Sleeps for so many nanoseconds; returns how many are left if a handler of a signal has interrupted it.
fn sleep(nanos: u64) -> u64 {
    let until = _flyball_now() + Duration::from_nanos(nanos);
    match sleep_until(until) {
        0 => 0,
        // At least one: it has not slept to the end.
        _ => until.since(_flyball_now()).as_nanos().max(1),
    }
}

/// As [`nanosleep`]; returns 0, `EINTR` or `EINVAL`.
///
/// # Safety
/// `left` is a place, or none.
unsafe fn sleep_for(time: &Timespec, left: *mut Timespec) -> c_int {
    let nanos = time.nanos().and_then(|nanos| u64::try_from(nanos).ok());
    let Some(nanos) = nanos else {
        return EINVAL;
    };
    match sleep(nanos) {
        0 => 0,
        nanos => {
            // SAFETY: as the caller promises.
            if let Some(left) = unsafe { left.as_mut() } {
                *left = Timespec::of(nanos);
            }
            EINTR
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    time: *const Timespec,
    left: *mut Timespec,
) -> c_int {
    const ABSOLUTE: c_int = 4;
    // SAFETY: C passes a time.
    let time = unsafe { &*time };
    let is_absolute = flags & ABSOLUTE != 0;
    if cputime::is_one(clock) {
        // SAFETY: as C promises.
        return unsafe { cputime::sleep(clock, time, is_absolute, left) };
    }
    if clock != REALTIME && clock != MONOTONIC {
        return EINVAL;
    }
    if is_absolute {
        return until(clock, time).map_or_else(|error| error, sleep_until);
    }
    // SAFETY: as C promises.
    unsafe { sleep_for(time, left) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(time: *const Timespec, left: *mut Timespec) -> c_int {
    // SAFETY: as C promises; it passes a time.
    or_fail(unsafe { sleep_for(&*time, left) })
}

#[unsafe(no_mangle)]
extern "C" fn usleep(micros: c_uint) -> c_int {
    match sleep(u64::from(micros) * 1000) {
        0 => 0,
        _ => fail(EINTR),
    }
}

/// Returns how many seconds are left, rounded.
#[unsafe(export_name = "sleep")]
extern "C" fn sleep_seconds(seconds: c_uint) -> c_uint {
    let left = (sleep(u64::from(seconds) * SECOND) + SECOND / 2) / SECOND;
    c_uint::try_from(left).unwrap_or(seconds)
}

/// Returns `base`, or 0 if that is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn timespec_get(time: *mut Timespec, base: c_int) -> c_int {
    const UTC: c_int = 1;
    // SAFETY: as C promises.
    if base == UTC && unsafe { clock_gettime(REALTIME, time) } == 0 {
        base
    } else {
        0
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _gettimeofday(time: *mut Timeval, _: *mut ()) -> c_int {
    // That clock is there.
    let now = Timespec::of(read(REALTIME).unwrap_or(0));
    // SAFETY: C passes a place.
    unsafe {
        time.write(Timeval {
            seconds: now.seconds,
            micros: now.nanos / 1000,
        });
    };
    0
}

/// The time that the CPU was not idle, in milliseconds; returns the time since the start.
#[unsafe(no_mangle)]
unsafe extern "C" fn _times(times: *mut Tms) -> usize {
    const TICK: u64 = SECOND / 1000;
    // Both clocks are there. What is too large for a `clock_t` is -1, which POSIX has for that.
    let ticks = |clock| usize::try_from(read(clock).unwrap_or(0) / TICK).unwrap_or(usize::MAX);
    // SAFETY: C passes a place, or none.
    if let Some(place) = unsafe { times.as_mut() } {
        place.times = [ticks(PROCESS), 0, 0, 0];
    }
    ticks(MONOTONIC)
}
