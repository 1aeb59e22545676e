//! Priorities and policies of threads.
//!
//! `SCHED_FIFO` and `SCHED_RR` have the priorities from 1 to 32. `SCHED_OTHER` has 0, and is like
//! `SCHED_RR` of priority 1.

use crate::binding::{_flyball_c_adjust, HIGHEST, QUANTUM, Scheduling};
use crate::clock::Timespec;
use crate::control::Control;
use crate::errno::{EINVAL, ENOTSUP, ESRCH, fail, number};
use crate::thread;
use core::ffi::c_int;
use core::ops::RangeInclusive;
use core::sync::atomic::Ordering;
use flyball_app::seam::_flyball_yield_now;
use flyball_trace::Duration;

const OTHER: c_int = 0;
const FIFO: c_int = 1;
const ROUND_ROBIN: c_int = 2;

/// The priorities of a policy; `None`: there is no such policy.
pub(crate) fn range(policy: c_int) -> Option<RangeInclusive<c_int>> {
    match policy {
        OTHER => Some(0..=0),
        FIFO | ROUND_ROBIN => Some(1..=c_int::from(HIGHEST)),
        _ => None,
    }
}

/// What the kernel is told.
///
/// # Errors
/// `ENOTSUP` for a policy that there is not, `EINVAL` for a priority that it has not.
pub(crate) fn scheduling(policy: c_int, priority: c_int) -> Result<Scheduling, c_int> {
    let range = range(policy).ok_or(ENOTSUP)?;
    if !range.contains(&priority) {
        return Err(EINVAL);
    }
    Ok(Scheduling {
        priority: u8::try_from(priority.max(1)).unwrap_or(1),
        quantum: if policy == FIFO {
            Duration::MAX
        } else {
            QUANTUM
        },
    })
}

/// Schedules a thread in another way.
fn set(name: u32, policy: Option<c_int>, priority: c_int) -> c_int {
    let set = thread::find(name, |thread| {
        let policy = policy.unwrap_or_else(|| thread.policy.load(Ordering::Relaxed));
        let scheduling = match scheduling(policy, priority) {
            Ok(scheduling) => scheduling,
            Err(error) => return error,
        };
        // SAFETY: `find` has locked the list.
        let Some(id) = (unsafe { thread.id() }) else {
            return ESRCH;
        };
        let error = number(_flyball_c_adjust(id, scheduling));
        if error == 0 {
            thread.policy.store(policy, Ordering::Relaxed);
            thread.priority.store(priority, Ordering::Relaxed);
        }
        error
    });
    set.unwrap_or(ESRCH)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_setschedparam(
    name: u32,
    policy: c_int,
    parameters: *const c_int,
) -> c_int {
    // SAFETY: C passes parameters, of which the priority is the first.
    set(name, Some(policy), unsafe { *parameters })
}

#[unsafe(no_mangle)]
extern "C" fn pthread_setschedprio(name: u32, priority: c_int) -> c_int {
    set(name, None, priority)
}

/// What a program has said, not what the thread inherits from others.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_getschedparam(
    name: u32,
    policy: *mut c_int,
    parameters: *mut c_int,
) -> c_int {
    let found = thread::find(name, |thread: &Control| {
        // SAFETY: C passes places, of parameters of which the priority is the first.
        unsafe {
            policy.write(thread.policy.load(Ordering::Relaxed));
            parameters.write(thread.priority.load(Ordering::Relaxed));
        }
    });
    if found.is_some() { 0 } else { ESRCH }
}

#[unsafe(no_mangle)]
extern "C" fn sched_yield() -> c_int {
    _flyball_yield_now();
    0
}

/// Schedules the calling thread, if `process` is 0 or the number of the only process. Returns its policy
/// before.
#[unsafe(no_mangle)]
unsafe extern "C" fn sched_setscheduler(
    process: c_int,
    policy: c_int,
    parameters: *const c_int,
) -> c_int {
    if !(0..=1).contains(&process) {
        return fail(ESRCH);
    }
    let me = Control::current();
    let before = me.policy.load(Ordering::Relaxed);
    // SAFETY: C passes parameters, of which the priority is the first.
    match set(me.name(), Some(policy), unsafe { *parameters }) {
        0 => before,
        ENOTSUP => fail(EINVAL),
        error => fail(error),
    }
}

#[unsafe(no_mangle)]
extern "C" fn sched_get_priority_min(policy: c_int) -> c_int {
    range(policy).map_or_else(|| fail(EINVAL), |range| *range.start())
}

#[unsafe(no_mangle)]
extern "C" fn sched_get_priority_max(policy: c_int) -> c_int {
    range(policy).map_or_else(|| fail(EINVAL), |range| *range.end())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sched_rr_get_interval(_: c_int, time: *mut Timespec) -> c_int {
    // SAFETY: C passes a place.
    unsafe { time.write(Timespec::of(QUANTUM.as_nanos())) };
    0
}
