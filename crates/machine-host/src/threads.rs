//! Threads are coroutines: each runs until it gives the processor back of its own accord, inside a
//! call of the kernel.

use core::cell::Cell;
use core::convert::Infallible;
use core::ptr::null;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};
use flyball_kernel::{Error, ThreadId};
use flyball_policy::Duration;
use flyball_port::EntryPoint;

/// The stack of a coroutine, in bytes. Pages that are not used take no memory.
pub const STACK: usize = 256 << 10;

/// A thread's code, and how far it is.
pub(crate) type Body = Coroutine<(), (), Infallible>;

thread_local! {
    /// How the coroutine that runs on this thread of the operating system is left; null: none runs.
    static YIELDER: Cell<*const Yielder<(), ()>> = const { Cell::new(null()) };
}

/// A thread of the kernel.
pub(crate) struct Thread {
    pub(crate) id: ThreadId,
    entry: EntryPoint,
    argument: usize,
    /// What it still has to compute before its code goes on.
    pub(crate) left: Duration,
    /// Away while it runs. In a box, as it goes away and comes back at every switch.
    body: Option<Box<Body>>,
}

impl Thread {
    /// A thread that begins at `entry` with `argument`.
    pub(crate) fn new(
        stack: DefaultStack,
        id: ThreadId,
        entry: EntryPoint,
        argument: usize,
    ) -> Thread {
        Thread {
            id,
            entry,
            argument,
            left: Duration::ZERO,
            body: Some(Box::new(body(stack, entry, argument))),
        }
    }

    /// It begins anew, on the same stack; what it had there is forgotten, not dropped.
    ///
    /// # Safety
    /// Nothing on the stack has to be dropped, and nothing else refers to it.
    pub(crate) unsafe fn restart(&mut self) {
        self.left = Duration::ZERO;
        if let Some(mut old) = self.body.take() {
            // SAFETY: as the caller promises.
            unsafe { old.force_reset() };
            let body = body((*old).into_stack(), self.entry, self.argument);
            self.body = Some(Box::new(body));
        }
    }

    /// It ends, and its stack is freed; what it had there is forgotten, not dropped.
    ///
    /// # Safety
    /// Nothing on the stack has to be dropped, and nothing else refers to it.
    pub(crate) unsafe fn discard(mut self) {
        if let Some(mut old) = self.body.take() {
            // SAFETY: as the caller promises.
            unsafe { old.force_reset() };
        }
    }

    /// Takes the coroutine out, to run it.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<Box<Body>> {
        self.body.take()
    }

    /// Puts it back.
    #[inline]
    pub(crate) fn put(&mut self, body: Box<Body>) {
        self.body = Some(body);
    }
}

/// A thread that has ended leaves its stack behind: it was not unwound, so there may still be
/// references to what is there. No program makes more threads than it has stacks, so that is
/// bounded.
impl Drop for Thread {
    fn drop(&mut self) {
        core::mem::forget(self.body.take());
    }
}

/// A new stack.
///
/// # Errors
/// [`Error::Full`] if there is no memory for it.
pub(crate) fn stack() -> Result<DefaultStack, Error> {
    DefaultStack::new(STACK).map_err(|_| Error::Full)
}

fn body(stack: DefaultStack, entry: EntryPoint, argument: usize) -> Body {
    Coroutine::with_stack(stack, move |yielder, ()| {
        YIELDER.set(yielder);
        entry(argument)
    })
}

/// Runs a coroutine until it suspends itself.
#[inline]
pub(crate) fn resume(body: &mut Body) {
    // One kernel may run inside a thread of another.
    let outer = YIELDER.get();
    body.resume(());
    YIELDER.set(outer);
}

/// The coroutine that runs gives the processor back until it is resumed. Does nothing where none
/// runs.
#[inline]
pub(crate) fn suspend() {
    let yielder = YIELDER.get();
    // SAFETY: it is null, or set by the coroutine that runs: when it began, and below whenever it
    // went on. So its stack, where the yielder is, exists.
    if let Some(inside) = unsafe { yielder.as_ref() } {
        inside.suspend(());
        YIELDER.set(yielder);
    }
}
