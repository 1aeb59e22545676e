//! Several things in one kernel entry.

use crate::port::Port;
use crate::stack::EntryPoint;
use flyball_kernel::{Attributes, Config, Core, Error, PlaceOf, ThreadId};
use flyball_policy::{CpuId, Policy, Time};

/// The kernel during one entry; see [`Machine::with_kernel`](crate::Machine::with_kernel).
pub struct LockedKernel<'a, C: Config, P> {
    /// The core.
    pub core: &'a mut Core<C>,
    /// When the entry began.
    pub now: Time,
    cpu: CpuId,
    port: P,
}

impl<'a, C: Config, P: Port<C::Stamp>> LockedKernel<'a, C, P> {
    /// The kernel during an entry of `cpu` that began at `now`.
    #[inline]
    pub fn new(core: &'a mut Core<C>, cpu: CpuId, now: Time, port: P) -> LockedKernel<'a, C, P> {
        LockedKernel {
            core,
            now,
            cpu,
            port,
        }
    }

    /// Makes a thread that begins at `entry` with `argument`. O(log threads).
    ///
    /// # Errors
    /// As [`Core::spawn`].
    ///
    /// # Safety
    /// As [`Machine::spawn_on`](crate::Machine::spawn_on).
    pub unsafe fn spawn_on(
        &mut self,
        stack: P::Stack,
        attributes: Attributes<PlaceOf<C>>,
        params: <C::Policy as Policy>::Params,
        entry: EntryPoint,
        argument: usize,
    ) -> Result<ThreadId, Error> {
        let thread = self.core.spawn(self.cpu, attributes, params, self.now)?;
        let name = self.core.quick_name(thread.task());
        // SAFETY: as the caller promises.
        unsafe { self.port.begin(thread, name, stack, entry, argument) };
        Ok(thread)
    }
}
