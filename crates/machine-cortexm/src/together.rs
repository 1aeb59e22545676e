//! Several things in one kernel entry.

use crate::config::MachineConfig;
use crate::context::{Entry, Switch, usable};
use crate::entry::{CPU, Contexts};
use crate::guard;
use core::ops::Range;
use flyball_kernel::{Attributes, Core, Error, ThreadId};
use flyball_policy::{Policy, Time};

/// The kernel during one entry; see [`Kernel::together`](crate::Kernel::together).
pub struct Together<'a, C: MachineConfig> {
    /// The core.
    pub core: &'a mut Core<C>,
    /// When the entry began.
    pub now: Time,
    pub(crate) contexts: &'a mut Contexts<C>,
    pub(crate) switch: &'a mut Switch,
}

impl<C: MachineConfig> Together<'_, C> {
    /// Makes a thread that begins at `entry` with `argument`. O(log threads).
    ///
    /// # Errors
    /// As [`Core::spawn`].
    ///
    /// # Safety
    /// As [`Kernel::spawn_on`](crate::Kernel::spawn_on).
    pub unsafe fn spawn_on(
        &mut self,
        stack: Prepared,
        attributes: Attributes,
        params: <C::Policy as Policy>::Params,
        entry: Entry,
        argument: usize,
    ) -> Result<ThreadId, Error> {
        let thread = self.core.spawn(CPU, attributes, params, self.now)?;
        let context = &mut self.contexts[thread.task().index()];
        // SAFETY: the stack is big enough, it has no other owner any more, and interrupts are
        // masked.
        unsafe { context.begin(stack.0, entry, argument, self.switch) };
        Ok(thread)
    }
}

/// A stack on which a thread can begin.
pub struct Prepared(Range<*mut u32>);

// SAFETY: the words have no other owner.
unsafe impl Send for Prepared {}

impl Prepared {
    /// Prepares any words of memory, of which there have to be 64 at least: they are painted if the
    /// application `C` wants that. O(words).
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are not so many words.
    pub fn new<C: MachineConfig>(stack: &'static mut [usize]) -> Result<Prepared, Error> {
        let stack = usable(stack).ok_or(Error::Invalid)?;
        if C::STACKS.is_painted() {
            // SAFETY: it has no other owner any more, and its thread is not there yet.
            unsafe { guard::paint(&stack) };
        }
        Ok(Prepared(stack))
    }
}
