//! Waits for CPU time. Each is one of real time: when the clock can show it at the earliest, it is looked at, and the wait
//! goes on if it does not show it yet.

use crate::binding::_flyball_c_cpus;
use crate::clock::{PROCESS, THREAD, Timespec, read, sleep_until};
use crate::control::Control;
use crate::errno::{EINTR, EINVAL, ESRCH};
use crate::{cancel, thread};
use core::ffi::{c_int, c_long};
use core::sync::atomic::Ordering;
use flyball_app::seam::_flyball_now;
use flyball_trace::Duration;

/// How finely waits and timers tell CPU time, in nanoseconds: what they wait for is rounded up to a multiple of this,
/// and they do not look more often.
pub(crate) const STEP: u64 = 1_000_000;

/// Whether `clock` counts CPU time: of the program, of the calling thread, or of any thread.
pub(crate) fn is_one(clock: c_int) -> bool {
    clock == PROCESS || clock == THREAD || clock < 0
}

/// What a clock of CPU time shows when `time` has come, or so much more time has been used (`is_span`).
///
/// # Errors
/// `EINVAL`, also if it is of a thread that has ended.
pub(crate) fn until(clock: c_int, time: &Timespec, is_span: bool) -> Result<u64, c_int> {
    let time = time.nanos().and_then(|nanos| u64::try_from(nanos).ok());
    let time = time.ok_or(EINVAL)?;
    let shown = read(clock).ok_or(EINVAL)?;
    let at = if is_span {
        shown.saturating_add(time)
    } else {
        time
    };
    let rounded = at.checked_next_multiple_of(STEP).unwrap_or(u64::MAX);
    // What is too far away is cut off, as in `Timespec::nanos`.
    Ok(rounded.min(i64::MAX.cast_unsigned()))
}

/// How long it takes at least until so much CPU time more has been used, but for what nothing looks more often.
fn least_wait(clock: c_int, left: u64) -> u64 {
    let cpus = match clock {
        PROCESS => _flyball_c_cpus(),
        _ => 1,
    };
    (left / u64::from(cpus)).max(STEP)
}

/// What is left until a clock of CPU time shows `at`, and when that can be at the earliest, in nanoseconds since the
/// start. Returns 0, or `EINVAL`: its thread has ended.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_left(
    clock: c_int,
    at: u64,
    left: *mut i64,
    earliest: *mut u64,
) -> c_int {
    let Some(shown) = read(clock) else {
        return EINVAL;
    };
    let rest = at.wrapping_sub(shown).cast_signed();
    let wait = least_wait(clock, u64::try_from(rest).unwrap_or(0));
    // SAFETY: C passes places.
    unsafe {
        left.write(rest);
        earliest.write(_flyball_now().as_nanos() + wait);
    }
    0
}

/// The clock of a thread's CPU time is its name with all bits inverted: no other clock has such a number.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_getcpuclockid(name: u32, clock: *mut c_long) -> c_int {
    let lives = thread::find(name, |thread| !thread.has_ended.load(Ordering::Relaxed));
    if lives != Some(true) {
        return ESRCH;
    }
    // SAFETY: C passes a place.
    unsafe { clock.write((!name).cast_signed().into()) };
    0
}

/// That of the only process.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_getcpuclockid(process: c_int, clock: *mut c_long) -> c_int {
    if !(0..=1).contains(&process) {
        return ESRCH;
    }
    // SAFETY: C passes a place.
    unsafe { clock.write(PROCESS.into()) };
    0
}

/// Sleeps until a clock of CPU time shows `at`. Returns 0, `EINTR`, or `EINVAL`: its thread has ended.
fn wait(clock: c_int, at: u64) -> c_int {
    cancel::point();
    loop {
        match read(clock) {
            None => return EINVAL,
            Some(shown) if shown >= at => return 0,
            Some(shown) => {
                let wait = Duration::from_nanos(least_wait(clock, at - shown));
                let error = sleep_until(_flyball_now() + wait);
                if error != 0 {
                    return error;
                }
            }
        }
    }
}

/// As `clock_nanosleep`. A thread that waits for its own CPU time would wait for ever: `EINVAL`.
///
/// # Safety
/// `left` is a place, or none.
pub(crate) unsafe fn sleep(
    clock: c_int,
    time: &Timespec,
    is_absolute: bool,
    left: *mut Timespec,
) -> c_int {
    if clock == THREAD || clock == !Control::current().name().cast_signed() {
        return EINVAL;
    }
    let at = match until(clock, time, !is_absolute) {
        Ok(at) => at,
        Err(error) => return error,
    };
    let error = wait(clock, at);
    // SAFETY: as the caller promises.
    if let (EINTR, false, Some(left)) = (error, is_absolute, unsafe { left.as_mut() }) {
        let shown = read(clock).unwrap_or(at);
        *left = Timespec::of(at.saturating_sub(shown).max(1));
    }
    error
}
