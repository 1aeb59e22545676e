//! Threads that the program's image says something of: `FLYBALL_THREAD`. They have exactly what it says.

use crate::attributes::Attributes;
use crate::control::Routine;
use crate::errno::EINVAL;
use crate::jobs::Jobs;
use crate::thread::{pthread_create, pthread_setname_np};
use core::ffi::{c_int, c_void};
use flyball_script::Declared;

/// `SCHED_FIFO`.
const FIFO: c_int = 1;

/// The attributes that a declaration says; `None` if it makes no sense.
fn attributes(declared: &Declared) -> Option<Attributes> {
    declared.check(0).ok()?;
    let mut attributes = Attributes::DEFAULT;
    attributes.jobs = Jobs::declared(declared);
    if declared.stack_size != 0 {
        let size = usize::try_from(declared.stack_size).ok()?;
        attributes.size = size;
    }
    if declared.priority != 0 {
        attributes.explicit = 1;
        attributes.policy = FIFO;
        attributes.priority = declared.priority.into();
    }
    Some(attributes)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn flyball_attr_init_from(to: *mut Attributes, from: *const Declared) -> c_int {
    // SAFETY: C passes a declaration.
    let Some(attributes) = attributes(unsafe { &*from }) else {
        return EINVAL;
    };
    // SAFETY: C passes memory for attributes.
    unsafe { to.write(attributes) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn flyball_create(
    name: *mut u32,
    declared: *const Declared,
    routine: Routine,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: C passes a declaration.
    let declared = unsafe { &*declared };
    let Some(attributes) = attributes(declared) else {
        return EINVAL;
    };
    // SAFETY: as C promises; the attributes are read before this returns.
    let created = unsafe { pthread_create(name, &raw const attributes, routine, argument) };
    if created == 0 {
        // The thread may have ended already; then it needs no name.
        // SAFETY: `pthread_create` has written it, and the name ends with a zero.
        unsafe { pthread_setname_np(*name, declared.label().as_ptr().cast()) };
    }
    created
}
