//! What a thread does is a closure; it is kept at the top of the thread's own stack. What an
//! interrupt does is a closure that has nothing to keep.

use super::{_flyball_exit, Binding};
use core::ptr;
use flyball_kernel::{At, Attributes, Error, ThreadId};

/// Puts `body` at the top of `stack`, and lets a thread run it on the rest.
pub(crate) fn spawn_once<B: Binding, F: FnOnce() + Send + 'static>(
    stack: &'static mut [usize],
    attributes: Attributes<At>,
    params: B::Params,
    body: F,
) -> Result<ThreadId, Error> {
    extern "C" fn run<F: FnOnce()>(place: usize) -> ! {
        // SAFETY: `place` is where `put` has put it. It is taken away once, as a thread whose jobs
        // are not given up begins once.
        let body = unsafe { ptr::with_exposed_provenance::<F>(place).read() };
        body();
        _flyball_exit()
    }
    let (stack, place) = put(stack, body)?;
    // SAFETY: `run` is called once, with a body that may be sent to another thread.
    unsafe { B::spawn(stack, attributes, params, run::<F>, place) }
}

/// The same for a body that may be begun anew.
///
/// # Safety
/// As for [`Binding::spawn`], with what `body` does.
pub(crate) unsafe fn spawn_again<B: Binding, F: Fn() + Send + 'static>(
    stack: &'static mut [usize],
    attributes: Attributes<At>,
    params: B::Params,
    body: F,
) -> Result<ThreadId, Error> {
    extern "C" fn run<F: Fn()>(place: usize) -> ! {
        // SAFETY: `place` is where `put` has put it, it stays there, and no other code has it.
        let body = unsafe { &*ptr::with_exposed_provenance::<F>(place) };
        body();
        _flyball_exit()
    }
    let (stack, place) = put(stack, body)?;
    // SAFETY: as the caller promises; the body may be sent to another thread.
    unsafe { B::spawn(stack, attributes, params, run::<F>, place) }
}

/// Puts `body` at the top of `stack`. Returns the rest, and where the body is.
fn put<F: Send + 'static>(
    stack: &'static mut [usize],
    body: F,
) -> Result<(&'static mut [usize], usize), Error> {
    /// What has to be left of a stack, in words.
    const LEAST: usize = 64;
    /// Stacks are aligned to so many bytes.
    const ALIGNED: usize = 8;
    const {
        assert!(
            align_of::<F>() <= ALIGNED,
            "a thread's body is aligned to more than 8 bytes"
        );
    };
    let words = size_of::<F>().next_multiple_of(ALIGNED) / size_of::<usize>();
    let rest = stack.len().checked_sub(words).filter(|&rest| rest >= LEAST);
    let rest = rest.ok_or(Error::Invalid)?;
    let (stack, top) = stack.split_at_mut(rest);
    let place = top.as_mut_ptr().cast::<F>();
    debug_assert!(place.is_aligned());
    // SAFETY: there are as many bytes; the stack begins and ends at a multiple of eight, and so
    // does its top. Both are borrowed for ever, so no other code touches them.
    unsafe { place.write(body) };
    Ok((stack, place.expose_provenance()))
}

/// A handler as a processor calls it: a function that has `body` in it.
pub(crate) fn handler<F: Fn() + Copy + Send + 'static>(_: F) -> extern "C" fn() {
    extern "C" fn run<F: Fn()>() {
        // SAFETY: there was an `F`, which may be copied and sent; and a value that has no bytes is
        // anywhere.
        let body = unsafe { ptr::NonNull::<F>::dangling().as_ref() };
        body();
    }
    const {
        assert!(
            size_of::<F>() == 0,
            "a handler is a function, or a closure that captures nothing"
        );
    }
    run::<F>
}
