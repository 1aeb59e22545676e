//! Priorities and policies of threads.
//!
//! `SCHED_FIFO` and `SCHED_RR` have the priorities from 1 to 32, under a policy of the kernel that has any.
//! `SCHED_OTHER` has 0, and is like `SCHED_RR` of priority 1.

use crate::binding::{_flyball_c_adjust, _flyball_c_knows, HIGHEST, QUANTUM, Terms};
use crate::clock::Timespec;
use crate::control::Control;
use crate::errno::{EINVAL, ENOTSUP, ESRCH, fail, number};
use crate::jobs::Jobs;
use crate::thread;
use core::ffi::c_int;
use core::ops::RangeInclusive;
use flyball_app::seam::_flyball_yield_now;
use flyball_trace::Duration;

const OTHER: c_int = 0;
const FIFO: c_int = 1;
const ROUND_ROBIN: c_int = 2;
const SPORADIC: c_int = 4;

/// Whether threads have priorities under the policy.
pub(crate) fn has_priorities() -> bool {
    let mut terms = Terms::LEAST;
    terms.facts.priority = Some(HIGHEST);
    _flyball_c_knows(&terms)
}

/// The priorities of a policy; `None`: there is no such policy.
pub(crate) fn range(policy: c_int) -> Option<RangeInclusive<c_int>> {
    match policy {
        OTHER => Some(0..=0),
        FIFO | ROUND_ROBIN if has_priorities() => Some(1..=c_int::from(HIGHEST)),
        _ => None,
    }
}

/// The priorities of a policy.
///
/// # Errors
/// `ENOTSUP` if there is no such policy here, `EINVAL` if POSIX has none of this number.
pub(crate) fn supported(policy: c_int) -> Result<RangeInclusive<c_int>, c_int> {
    range(policy).ok_or(match policy {
        OTHER | FIFO | ROUND_ROBIN | SPORADIC => ENOTSUP,
        _ => EINVAL,
    })
}

/// What the kernel is told of a thread.
///
/// # Errors
/// Those of [`supported`]; `EINVAL` for a priority that the policy has not.
pub(crate) fn terms(policy: c_int, priority: c_int) -> Result<Terms, c_int> {
    let range = supported(policy)?;
    if !range.contains(&priority) {
        return Err(EINVAL);
    }
    let mut terms = Terms::LEAST;
    terms.facts.priority = u8::try_from(priority.max(1)).ok();
    if policy == FIFO {
        terms.slice = Duration::ZERO;
    }
    Ok(terms)
}

/// Schedules a thread in another way. A policy that has priorities looks at nothing else, so a thread that
/// gets another one loses nothing; where threads have none, they keep what they have.
fn set(name: u32, policy: Option<c_int>, priority: c_int) -> c_int {
    if !has_priorities() && policy.unwrap_or(OTHER) == OTHER && priority == 0 {
        return thread::find(name, |_| 0).unwrap_or(ESRCH);
    }
    adjust(name, policy, priority, &Jobs::NONE)
}

/// The same with all that a policy can be told.
pub(crate) fn adjust(name: u32, policy: Option<c_int>, priority: c_int, jobs: &Jobs) -> c_int {
    let set = thread::find(name, |thread| {
        let policy = policy.unwrap_or_else(|| thread.policy().0);
        let terms = match terms(policy, priority).and_then(|terms| jobs.complete(terms)) {
            Ok(terms) => terms,
            Err(error) => return error,
        };
        // SAFETY: `find` has locked the list.
        let Some(id) = (unsafe { thread.id() }) else {
            return ESRCH;
        };
        let error = number(_flyball_c_adjust(id, &terms));
        if error == 0 {
            thread.set_policy(policy, priority);
            // SAFETY: as above.
            unsafe { thread.set_deadline(jobs.deadline()) };
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
            (*policy, *parameters) = thread.policy();
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
    let (before, _) = me.policy();
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
