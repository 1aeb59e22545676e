//! How a thread is created.

use crate::control::Control;
use crate::errno::EINVAL;
use crate::jobs::Jobs;
use crate::sched;
use core::ffi::{c_int, c_void};

/// `pthread_attr_t`: zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Attributes {
    pub(crate) address: *mut c_void,
    pub(crate) size: usize,
    guard: usize,
    pub(crate) detached: c_int,
    pub(crate) explicit: c_int,
    scope: c_int,
    pub(crate) policy: c_int,
    pub(crate) priority: c_int,
    pub(crate) jobs: Jobs,
}

impl Attributes {
    pub(crate) const DEFAULT: Attributes = Attributes {
        address: core::ptr::null_mut(),
        size: 0,
        guard: 0,
        detached: 0,
        explicit: 0,
        scope: 0,
        policy: 0,
        priority: 0,
        jobs: Jobs::NONE,
    };
}

/// The size of a stack unless a program says another one, in bytes.
pub(crate) const STACK: usize = 32 << 10;

/// `PTHREAD_STACK_MIN`. Of a stack that a program gives, what is kept of the thread takes a part.
pub(crate) const LEAST: usize = if size_of::<usize>() == 4 { 3072 } else { 7168 };

/// What a thread needs that waits, and is cancelled.
const NEEDED: usize = if size_of::<usize>() == 4 { 2048 } else { 6144 };
/// The bytes of variables (`thread_local`) that have room in the least stack, of up to 16 bytes' alignment.
const VARIABLES: usize = 128;
const _: () = assert!(NEEDED + VARIABLES + 64 + size_of::<Control>() <= LEAST);

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_attr_init(attributes: *mut Attributes) -> c_int {
    // SAFETY: C passes memory for attributes.
    unsafe { attributes.write(Attributes::DEFAULT) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_attr_destroy(_: *mut Attributes) -> c_int {
    0
}

/// Defines a function that returns a field, and one that sets it to a value that `$valid` accepts.
macro_rules! field {
    ($get:ident, $set:ident, $field:ident: $type:ty, $value:ident => $valid:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $get(attributes: *const Attributes, to: *mut $type) -> c_int {
            // SAFETY: C passes attributes, and a place.
            unsafe { *to = (*attributes).$field };
            0
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $set(attributes: *mut Attributes, $value: $type) -> c_int {
            let error = $valid;
            if error == 0 {
                // SAFETY: C passes attributes.
                unsafe { (*attributes).$field = $value };
            }
            error
        }
    };
}

/// `EINVAL` unless the value is 0 or 1.
fn flag(value: c_int) -> c_int {
    if value == 0 || value == 1 { 0 } else { EINVAL }
}

field!(pthread_attr_getdetachstate, pthread_attr_setdetachstate, detached: c_int, value => flag(value));
field!(pthread_attr_getinheritsched, pthread_attr_setinheritsched, explicit: c_int, value => flag(value));
field!(pthread_attr_getschedpolicy, pthread_attr_setschedpolicy, policy: c_int, value => sched::supported(value).err().unwrap_or(0));
// There is one process, so it makes no difference with which threads one competes.
field!(pthread_attr_getscope, pthread_attr_setscope, scope: c_int, value => flag(value));
// The guard is part of the stack, and as large as the machine has it.
field!(pthread_attr_getguardsize, pthread_attr_setguardsize, guard: usize, _value => 0);

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_attr_getstacksize(
    attributes: *const Attributes,
    to: *mut usize,
) -> c_int {
    // SAFETY: C passes attributes.
    let size = unsafe { (*attributes).size };
    // SAFETY: C passes a place.
    unsafe { to.write(if size == 0 { STACK } else { size }) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_attr_setstacksize(attributes: *mut Attributes, size: usize) -> c_int {
    if size < LEAST {
        return EINVAL;
    }
    // SAFETY: C passes attributes.
    unsafe { (*attributes).size = size };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_attr_getstack(
    attributes: *const Attributes,
    address: *mut *mut c_void,
    size: *mut usize,
) -> c_int {
    // SAFETY: C passes attributes, and places.
    unsafe {
        *address = (*attributes).address;
        *size = (*attributes).size;
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_attr_setstack(
    attributes: *mut Attributes,
    address: *mut c_void,
    size: usize,
) -> c_int {
    if size < LEAST {
        return EINVAL;
    }
    // SAFETY: C passes attributes.
    unsafe {
        (*attributes).address = address;
        (*attributes).size = size;
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_attr_getschedparam(
    attributes: *const Attributes,
    to: *mut c_int,
) -> c_int {
    // SAFETY: C passes attributes, and a place.
    unsafe { *to = (*attributes).priority };
    0
}

/// The priority has to be one of some policy; whether it is one of the thread's, is seen when that is created.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_attr_setschedparam(
    attributes: *mut Attributes,
    from: *const c_int,
) -> c_int {
    // SAFETY: C passes attributes, and parameters.
    let priority = unsafe { *from };
    let is_any = [0, 1, 2]
        .into_iter()
        .filter_map(sched::range)
        .any(|range| range.contains(&priority));
    if !is_any {
        return EINVAL;
    }
    // SAFETY: as above.
    unsafe { (*attributes).priority = priority };
    0
}
