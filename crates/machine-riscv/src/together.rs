//! Several things in one kernel entry, threads that begin among them.

use crate::cluster::Contexts;
use crate::config::MachineConfig;
use crate::context::{Entry, usable};
use crate::kernel::Kernel;
use crate::probe::Path;
use core::ops::Range;
use flyball_kernel::{Attributes, Core, Error, OnMiss, ThreadId};
use flyball_policy::{CpuId, Policy, Table, TaskId, Time};

/// What unused stack looks like.
pub(crate) const PAINT: usize = 0xf1fb_a11f_f1fb_a11f;

/// The kernel during one entry; see [`Kernel::together`].
pub struct Together<'a, C: MachineConfig> {
    /// The core.
    pub core: &'a mut Core<C>,
    /// When the entry began.
    pub now: Time,
    cpu: CpuId,
    contexts: &'a mut Contexts<C>,
}

impl<C: MachineConfig> Together<'_, C> {
    /// Makes a thread that begins at `entry` with `argument`. O(log threads).
    ///
    /// # Errors
    /// As [`Core::spawn`].
    ///
    /// # Safety
    /// As [`Kernel::spawn_on`].
    pub unsafe fn spawn_on(
        &mut self,
        stack: Prepared,
        attributes: Attributes,
        params: <C::Policy as Policy>::Params,
        entry: Entry,
        argument: usize,
    ) -> Result<ThreadId, Error> {
        let thread = self.core.spawn(self.cpu, attributes, params, self.now)?;
        self.contexts[thread.task().index()].begin(stack.0, entry, argument);
        Ok(thread)
    }
}

/// A stack on which a thread can begin.
pub struct Prepared(Range<*mut usize>);

// SAFETY: the words have no other owner.
unsafe impl Send for Prepared {}

impl Prepared {
    /// Prepares any words of memory, of which there have to be 128 at least: they are painted if
    /// the application `C` wants that. O(words).
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are not so many words.
    pub fn new<C: MachineConfig>(stack: &'static mut [usize]) -> Result<Prepared, Error> {
        if C::STACKS.is_painted() {
            stack.fill(PAINT);
        }
        usable(stack).map(Prepared).ok_or(Error::Invalid)
    }
}

impl<C: MachineConfig> Kernel<C> {
    /// Several things at one instant, on the cluster of the CPU that calls: it is decided once
    /// which thread runs, when all are done. May come from an interrupt.
    pub fn together<R>(&'static self, f: impl FnOnce(&mut Together<'_, C>) -> R) -> R {
        self.enter(Path::Call, true, |state, cpu, now| {
            f(&mut Together {
                core: &mut state.core,
                now,
                cpu,
                contexts: &mut state.contexts,
            })
        })
    }

    /// The same on the `number`-th cluster, before [`Kernel::start`]. `None` if there is no such
    /// cluster, or it is too late.
    pub fn prepare<R>(
        &'static self,
        number: u8,
        f: impl FnOnce(&mut Together<'_, C>) -> R,
    ) -> Option<R> {
        let now = self.now();
        self.with_cluster(number, |state| {
            f(&mut Together {
                core: &mut state.core,
                now,
                cpu: CpuId(0),
                contexts: &mut state.contexts,
            })
        })
    }

    /// Makes a thread that begins at `entry` with `argument`.
    ///
    /// # Errors
    /// As [`Core::spawn`]; [`Error::Invalid`] if its late jobs were to be given up, for which there
    /// is [`Kernel::spawn_on`].
    pub fn spawn<const N: usize>(
        &'static self,
        stack: &'static mut crate::Stack<N>,
        attributes: Attributes,
        params: <C::Policy as Policy>::Params,
        entry: Entry,
        argument: usize,
    ) -> Result<ThreadId, Error> {
        if attributes.on_miss == OnMiss::Abort {
            return Err(Error::Invalid);
        }
        // SAFETY: `entry` is safe to call, and may be called anywhere; once, as its job is not
        // given up.
        unsafe { self.spawn_on(stack.words(), attributes, params, entry, argument) }
    }

    /// The same on any words of memory, of which there have to be 128 at least.
    ///
    /// # Errors
    /// As [`Core::spawn`]; [`Error::Invalid`] if there are not so many words.
    ///
    /// # Safety
    /// `entry` may be called with `argument` in a thread of its own. If a late job is given up
    /// ([`OnMiss::Abort`]), `entry` may be called again and again, and whatever its calls had on
    /// the stack is forgotten, at any instant.
    pub unsafe fn spawn_on(
        &'static self,
        stack: &'static mut [usize],
        attributes: Attributes,
        params: <C::Policy as Policy>::Params,
        entry: Entry,
        argument: usize,
    ) -> Result<ThreadId, Error> {
        let stack = Prepared::new::<C>(stack)?;
        // SAFETY: as the caller promises.
        self.together(|kernel| unsafe {
            kernel.spawn_on(stack, attributes, params, entry, argument)
        })
    }

    /// How many words of its stack a thread has ever used. `None` where stacks are not painted, or
    /// there never was such a thread. O(words).
    pub fn high_water(&'static self, thread: TaskId) -> Option<usize> {
        let number = thread.index();
        let stack = self.with(|state, _| {
            (number < state.contexts.capacity()).then(|| state.contexts[number].stack())
        })?;
        if !C::STACKS.is_painted() || stack.is_empty() {
            return None;
        }
        let words = (stack.end.addr() - stack.start.addr()) / size_of::<usize>();
        // SAFETY: a thread keeps its stack for ever.
        let painted = (0..words)
            .take_while(|&word| unsafe { stack.start.add(word).read_volatile() } == PAINT);
        Some(words - painted.count())
    }
}
