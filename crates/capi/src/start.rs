//! The thread that runs `main`.

use crate::binding::{_flyball_c_spawn, Terms};
use crate::place::Place;
use crate::thread::{LISTS, begin};
use crate::{newlib, shake};
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::Ordering;
use flyball_app::seam::_flyball_name_of;
use flyball_kernel::{Attributes, Error};

unsafe extern "C" {
    /// Constructs what the program has of static objects, calls its `main`, and `exit` with its result.
    safe fn __flyball_main();

    // Of the linker's script: a value.
    static __main_stack_size: u8;
}

extern "C" fn run(_: *mut c_void) -> *mut c_void {
    shake::begin();
    __flyball_main();
    ptr::null_mut()
}

/// Makes the thread that runs `main`, on the heap. Has to be called once, when the kernel has been
/// initialised and before it starts.
///
/// # Errors
/// [`Error::Full`] if there is no memory; what the policy says.
///
/// # Panics
/// If a thread runs already.
pub fn make_main() -> Result<(), Error> {
    let stack = (&raw const __main_stack_size).addr();
    let size = stack + Place::overhead();
    let low = isize::try_from(size).ok().and_then(newlib::extend);
    let low = low.ok_or(Error::Full)?;
    // SAFETY: nothing else has this memory.
    let place = unsafe { Place::divide(low, size) };
    // SAFETY: no thread knows it yet.
    let (control, stack) = unsafe { place.ok_or(Error::Full)?.init(run, ptr::null_mut()) };
    let address = control.address();
    let id = _flyball_c_spawn(stack, Attributes::THREAD, &Terms::LEAST, begin, address)?;
    control.note(id);
    control.name.store(_flyball_name_of(id), Ordering::Relaxed);
    // SAFETY: no thread runs yet.
    unsafe {
        control.set_id(id);
        LISTS.at_start(|lists| lists.add(control));
    }
    Ok(())
}

/// Gives the front of what is left of the heap away for ever; `None`: there is no room.
///
/// # Safety
/// No thread runs yet.
pub unsafe fn extend(size: isize) -> Option<*mut u8> {
    newlib::extend(size).map(<*mut c_void>::cast)
}
