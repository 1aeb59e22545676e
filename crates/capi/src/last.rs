//! Programs that cannot go on: which thread it was, where, and why.

use crate::binding::_flyball_c_fail;
use crate::control::Control;
use crate::interrupt;
use core::ffi::{CStr, c_void};
use core::slice;
use flyball_app::seam::{_flyball_current, _flyball_now};
use flyball_kernel::ThreadId;
use flyball_port::Fault;
use flyball_port::fault::Cause;
use flyball_trace::TaskId;

/// With what a program ends that has called `abort`: 128 and the number of the signal, as shells have it.
pub(crate) const ABORTED: u8 = 134;

/// The name of a thread that cannot go on, if it has been given one.
pub fn name(thread: TaskId) -> Option<&'static str> {
    if interrupt::calls() {
        return None;
    }
    let control = Control::current();
    // SAFETY: the thread does not go on, and it is its own state that is read here.
    let (id, label) = unsafe { (control.id(), CStr::from_ptr(control.label.get().cast())) };
    // The kernel may have switched to another one already.
    let is_current = id.is_some_and(|id| id.task() == thread);
    label
        .to_str()
        .ok()
        .filter(|label| is_current && !label.is_empty())
}

/// The calling thread cannot go on.
fn fail(cause: Cause, address: Option<usize>, callers: &[usize]) -> ! {
    let thread = _flyball_current()
        .filter(|_| !interrupt::calls())
        .map(ThreadId::task);
    let fault = Fault {
        thread,
        name: thread.and_then(name),
        cpu: None,
        time: _flyball_now(),
        cause,
        address,
        pc: None,
        caller: None,
    };
    _flyball_c_fail(&fault, callers, ABORTED)
}

/// `abort`, where no handler has dealt with it: `places` has `count` return addresses, from the innermost on.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_abort(places: *const usize, count: usize) -> ! {
    // SAFETY: `sdk/flyball.c` passes what it has on its stack.
    fail(Cause::Abort, None, unsafe {
        slice::from_raw_parts(places, count)
    })
}

/// The heap is not as it has to be, at this block, which a function has passed that returns to `caller`.
#[unsafe(no_mangle)]
extern "C" fn __flyball_corrupt_heap(block: *const c_void, caller: *const c_void) -> ! {
    fail(Cause::CorruptHeap, Some(block.addr()), &[caller.addr()])
}
