//! Where a thread has its memory.

use crate::attributes::{LEAST, STACK};
use crate::control::{Control, Routine};
use crate::errno::{EAGAIN, EINVAL};
use crate::tls;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::Ordering;

/// How the lowest byte of a stack is aligned.
const ALIGNMENT: usize = 8;

unsafe extern "C" {
    safe fn malloc(size: usize) -> *mut c_void;
}

/// What a thread has of memory: its stack, and above it what is kept of it.
pub(crate) struct Place {
    stack: &'static mut [usize],
    control: *mut Control,
    /// What was allocated; null: nothing.
    block: *mut c_void,
}

impl Place {
    /// The bytes that a thread takes beside its stack.
    pub(crate) fn overhead() -> usize {
        // To align it.
        size_of::<Control>() + tls::size() + align_of::<Control>()
    }

    /// That of a thread to which the program gives a stack, or none (null) of which it has said the size, or not (0).
    ///
    /// # Errors
    /// `EAGAIN`: there is no memory. `EINVAL`: the variables of a thread need more than the stack has.
    ///
    /// # Safety
    /// The stack is there, and the thread's alone for as long as there is one.
    pub(crate) unsafe fn of(low: *mut c_void, size: usize) -> Result<Place, c_int> {
        let (mut block, mut low, mut size) = (ptr::null_mut(), low, size);
        if low.is_null() {
            size = if size == 0 { STACK } else { size.max(LEAST) } + Place::overhead();
            block = malloc(size);
            low = block;
        }
        if low.is_null() {
            return Err(EAGAIN);
        }
        // SAFETY: it has just been allocated, or as the caller promises.
        let place = unsafe { Place::divide(low, size) }.ok_or(EINVAL)?;
        Ok(Place { block, ..place })
    }

    /// Divides memory; `None` if that is too little.
    ///
    /// # Safety
    /// The memory is there, and the thread's alone for as long as there is one.
    pub(crate) unsafe fn divide(low: *mut c_void, size: usize) -> Option<Place> {
        // A program may give any.
        let unused = low.addr().next_multiple_of(ALIGNMENT) - low.addr();
        let room = size.checked_sub(Place::overhead() + unused)?;
        // SAFETY: both are within the memory.
        let (low, control) = unsafe { (low.byte_add(unused), low.byte_add(unused + room)) };
        let aligned = tls::place(control.addr());
        let control = control.with_addr(aligned).cast::<Control>();
        let words = (aligned - low.addr()) / size_of::<usize>();
        // SAFETY: the words below are the thread's alone, and they may be written before they are read.
        let stack = unsafe { core::slice::from_raw_parts_mut(low.cast::<usize>(), words) };
        Some(Place {
            stack,
            control,
            block: ptr::null_mut(),
        })
    }

    /// Makes what is kept of the thread, and its variables.
    ///
    /// # Safety
    /// No thread knows the place.
    pub(crate) unsafe fn init(
        self,
        routine: Routine,
        argument: *mut c_void,
    ) -> (&'static Control, &'static mut [usize]) {
        // SAFETY: the control block is the new thread's.
        let control = unsafe {
            Control::init(self.control, routine, argument);
            &*self.control
        };
        tls::init(control);
        let low = self.stack.as_ptr().addr();
        control.block.store(self.block, Ordering::Relaxed);
        control.low.store(low, Ordering::Relaxed);
        (control, self.stack)
    }
}
