//! How a kernel gets its threads, and starts.

use crate::config::MachineConfig;
use crate::context::{Context, Entry, Stack};
use crate::entry::CPU;
use crate::fault;
use crate::guard::{self, Stacks};
use crate::kernel::Kernel;
use crate::together::Prepared;
use crate::vectors;
use cortex_m::peripheral::scb::SystemHandler;
use flyball_kernel::{Attributes, Error, OnMiss, ThreadId};
use flyball_policy::Policy;
use static_cell::ConstStaticCell;

impl<C: MachineConfig> Kernel<C> {
    /// Makes a thread that begins at `entry` with `argument`.
    ///
    /// # Errors
    /// As [`Core::spawn`](flyball_kernel::Core::spawn); [`Error::Invalid`] if its late jobs were to
    /// be given up, for which there is [`Kernel::spawn_on`].
    pub fn spawn<const N: usize>(
        &'static self,
        stack: &'static mut Stack<N>,
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

    /// The same on any words of memory, of which there have to be 64 at least.
    ///
    /// # Errors
    /// As [`Core::spawn`](flyball_kernel::Core::spawn); [`Error::Invalid`] if there are not so many
    /// words.
    ///
    /// # Safety
    /// `entry` may be called with `argument` in a thread of its own. If a late job is given up
    /// ([`OnMiss::Abort`]), `entry` may be called again and again, and
    /// whatever its calls had on the stack is forgotten, at any instant.
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

    /// Starts scheduling; `main` ends here. To be called once.
    ///
    /// # Panics
    /// The second time, with [`CHECKS`](flyball_kernel::Config::CHECKS).
    pub fn start(&'static self) -> ! {
        // Only what an exception keeps of a thread that sleeps is ever on it: 8 words of the
        // processor's and one to align them, 8 of `PendSV`'s, and the guard's 8. That is
        // independent of how this function is compiled, and the least that a stack may have is
        // more.
        const BOOT_WORDS: usize = 64;
        const _: () = assert!(8 + 1 + 8 + guard::GUARD <= BOOT_WORDS);
        static BOOT: ConstStaticCell<Stack<BOOT_WORDS>> = ConstStaticCell::new(Stack::new());
        let Some(boot) = BOOT.try_take() else {
            assert!(!C::CHECKS, "the kernel has been started already");
            fault::rest();
        };
        let words = boot.words().as_mut_ptr_range();
        let boot = words.start.cast()..words.end.cast();
        // SAFETY: nothing runs that would rely on other priorities, and nothing else sets any.
        unsafe {
            let mut core = cortex_m::Peripherals::steal();
            core.SCB.set_priority(SystemHandler::PendSV, 0xff);
            vectors::enable_timers::<C::Board>(&mut core.NVIC);
        }
        if C::STACKS.is_painted() {
            // SAFETY: it is not in use yet.
            unsafe { guard::paint(&boot) };
        }
        let (low, end) = (boot.start, boot.end);
        // SAFETY: it is not in use yet.
        unsafe { cortex_m::register::psp::write(end as u32) };
        self.with(|switch, state| {
            state.idle = Context::on(boot);
            switch.run_on(&raw mut state.idle);
        });
        if C::STACKS == Stacks::Guarded {
            // SAFETY: these words are never used, and `guard_main` has left the region to this one.
            unsafe { guard::switch_on(low) };
        }
        // Interrupts are masked, so the first thread is chosen now and switched to further below.
        self.with(|switch, state| {
            state.started = true;
            state.enter_and_end(switch, |_, _, _, _| ());
            // Without checks it may have been decided before now, when no thread could begin.
            if let Some(task) = state.core.running_task(CPU) {
                switch.change_to(&raw mut state.contexts[task.index()]);
            }
        });
        // From here on `main` is what a thread is that sleeps, on a stack of its own, and the main
        // stack is that of interrupts.
        // SAFETY: all is in place, `main` never returns, and needs nothing any more.
        unsafe {
            core::arch::asm!(
                "msr control, {threads}",
                "isb",
                "cpsie i",
                "2:",
                "wfi",
                "b 2b",
                threads = in(reg) 2,
                options(noreturn),
            );
        }
    }
}
