//! A place for the handler of an interrupt.

use core::mem::transmute;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A place for the handler of an interrupt, empty at first. It is attached and called from
/// anywhere.
pub struct Handler(AtomicPtr<()>);

impl Handler {
    /// No handler.
    #[expect(clippy::new_without_default, reason = "it is a static")]
    pub const fn new() -> Handler {
        Handler(AtomicPtr::new(null_mut()))
    }

    /// From now on `handler` is called.
    pub fn attach(&self, handler: extern "C" fn()) {
        self.0.store(handler as *mut (), Ordering::Release);
    }

    /// The handler, if there is one.
    #[inline]
    pub fn get(&self) -> Option<extern "C" fn()> {
        let handler = self.0.load(Ordering::Acquire);
        // SAFETY: null, or `attach` has put it there; and that is how such an option is laid out.
        unsafe { transmute::<*mut (), Option<extern "C" fn()>>(handler) }
    }
}
