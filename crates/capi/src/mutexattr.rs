//! Attributes of mutexes: bits 0-1 type, 2-3 protocol, 4 robust, 5 process-shared, 8-31 ceiling, or the number of a
//! floor.

use crate::binding::HIGHEST;
use crate::errno::{EINVAL, ENOTSUP};
use crate::{floor, sched};
use core::ffi::c_int;

const TYPES: c_int = 3;
const PROTOCOL: u32 = 2;
const PROTOCOLS: u32 = 3 << PROTOCOL;
const ROBUST: u32 = 4;
const SHARED: u32 = 1 << 5;
const CEILING: u32 = 8;

/// `PTHREAD_PRIO_NONE` and `PTHREAD_PRIO_PROTECT`.
pub(crate) const NONE: u32 = 0;
const PROTECT: u32 = 2;

pub(crate) fn protocol(attributes: u32) -> u32 {
    (attributes & PROTOCOLS) >> PROTOCOL
}

pub(crate) fn is_robust(attributes: u32) -> bool {
    attributes & 1 << ROBUST != 0
}

/// The ceiling of a mutex with these attributes, if it has one.
pub(crate) fn ceiling(attributes: u32) -> Option<u32> {
    (protocol(attributes) == PROTECT).then(|| said(attributes))
}

/// The ceiling that attributes say, with and without that protocol.
pub(crate) fn said(attributes: u32) -> u32 {
    match attributes >> CEILING {
        0 => u32::from(HIGHEST),
        ceiling => ceiling,
    }
}

/// Attributes say this ceiling.
pub(crate) fn set_ceiling(attributes: &mut u32, to: u32) {
    *attributes = *attributes & !(u32::MAX << CEILING) | to << CEILING;
}

/// A ceiling, if it is the priority of a thread.
pub(crate) fn valid(ceiling: c_int) -> Option<u32> {
    let ceiling = u32::try_from(ceiling).ok()?;
    (1..=u32::from(HIGHEST))
        .contains(&ceiling)
        .then_some(ceiling)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_init(attributes: *mut u32) -> c_int {
    // SAFETY: C passes memory for attributes.
    unsafe { attributes.write(0) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_mutexattr_destroy(_: *mut u32) -> c_int {
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_settype(attributes: *mut u32, of: c_int) -> c_int {
    match u32::try_from(of) {
        Ok(of @ 0..=2) => {
            // SAFETY: C passes attributes.
            unsafe { *attributes = *attributes & !3 | of };
            0
        }
        _ => EINVAL,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_gettype(attributes: *const u32, of: *mut c_int) -> c_int {
    // SAFETY: C passes attributes, and a place.
    unsafe { *of = (*attributes).cast_signed() & TYPES };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_setprotocol(attributes: *mut u32, to: c_int) -> c_int {
    match u32::try_from(to) {
        Ok(PROTECT) if !sched::has_priorities() && !floor::are_known() => ENOTSUP,
        Ok(to @ 0..=2) => {
            // SAFETY: C passes attributes.
            unsafe { *attributes = *attributes & !PROTOCOLS | to << PROTOCOL };
            0
        }
        _ => EINVAL,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_setprioceiling(attributes: *mut u32, to: c_int) -> c_int {
    match valid(to) {
        _ if floor::are_known() => ENOTSUP,
        Some(to) => {
            // SAFETY: C passes attributes.
            unsafe { set_ceiling(&mut *attributes, to) };
            0
        }
        None => EINVAL,
    }
}

/// The highest priority, unless a program has said another one.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_getprioceiling(
    attributes: *const u32,
    to: *mut c_int,
) -> c_int {
    if floor::are_known() {
        return ENOTSUP;
    }
    // SAFETY: C passes attributes, and a place.
    unsafe { *to = said(*attributes).cast_signed() };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_getprotocol(
    attributes: *const u32,
    to: *mut c_int,
) -> c_int {
    // SAFETY: C passes attributes, and a place.
    unsafe { *to = protocol(*attributes).cast_signed() };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_setpshared(attributes: *mut u32, to: c_int) -> c_int {
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
unsafe extern "C" fn pthread_mutexattr_getpshared(attributes: *const u32, to: *mut c_int) -> c_int {
    // SAFETY: C passes attributes, and a place.
    unsafe { *to = c_int::from(*attributes & SHARED != 0) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_setrobust(attributes: *mut u32, to: c_int) -> c_int {
    match u32::try_from(to) {
        Ok(to @ 0..=1) => {
            // SAFETY: C passes attributes.
            unsafe { *attributes = *attributes & !(1 << ROBUST) | to << ROBUST };
            0
        }
        _ => EINVAL,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_getrobust(attributes: *const u32, to: *mut c_int) -> c_int {
    // SAFETY: C passes attributes, and a place.
    unsafe { *to = c_int::from(is_robust(*attributes)) };
    0
}
