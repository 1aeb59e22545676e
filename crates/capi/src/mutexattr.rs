//! Attributes of mutexes: bits 0-1 type, 2-3 protocol, 5 process-shared, 8-31 ceiling.

use crate::binding::HIGHEST;
use crate::errno::EINVAL;
use core::ffi::c_int;

const TYPES: c_int = 3;
const PROTOCOL: u32 = 2;
const PROTOCOLS: u32 = 3 << PROTOCOL;
const SHARED: u32 = 1 << 5;
const CEILING: u32 = 8;

/// `PTHREAD_PRIO_NONE` and `PTHREAD_PRIO_PROTECT`.
pub(crate) const NONE: u32 = 0;
const PROTECT: u32 = 2;

pub(crate) fn protocol(attributes: u32) -> u32 {
    (attributes & PROTOCOLS) >> PROTOCOL
}

/// The ceiling of a mutex with these attributes, if it has one.
pub(crate) fn ceiling(attributes: u32) -> Option<u32> {
    (protocol(attributes) == PROTECT).then(|| said(attributes))
}

fn said(attributes: u32) -> u32 {
    match attributes >> CEILING {
        0 => u32::from(HIGHEST),
        ceiling => ceiling,
    }
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
        Some(to) => {
            // SAFETY: C passes attributes.
            unsafe { *attributes = *attributes & !(u32::MAX << CEILING) | to << CEILING };
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
