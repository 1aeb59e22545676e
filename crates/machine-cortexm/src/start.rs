//! How scheduling starts.

use crate::config::BoardConfig;
use crate::context::Context;
use crate::cpu::CPU;
use crate::guard;
use crate::kernel::Kernel;
use crate::mask::rest;
use crate::vectors;
use cortex_m::peripheral::scb::SystemHandler;
use flyball_policy::Time;
use flyball_port::{Stack, StackArea, Stacks};
use static_cell::ConstStaticCell;

impl<C: BoardConfig> Kernel<C> {
    /// Starts scheduling. The second time it panics, with
    /// [`CHECKS`](flyball_kernel::Config::CHECKS).
    pub(crate) fn run(&'static self) -> ! {
        // Only what an exception keeps of a thread that sleeps is ever on it: 8 words of the
        // processor's and one to align them, 8 of `PendSV`'s, and the guard's 8. That is
        // independent of how this function is compiled, and the least that a stack may have is
        // more.
        const BOOT_WORDS: usize = 64;
        const _: () = assert!(8 + 1 + 8 + guard::GUARD <= BOOT_WORDS);
        static BOOT: ConstStaticCell<Stack<BOOT_WORDS>> = ConstStaticCell::new(Stack::new());
        let Some(boot) = BOOT.try_take() else {
            assert!(!C::CHECKS, "the kernel has been started already");
            rest();
        };
        let boot = StackArea::of(boot, C::STACKS).range();
        // SAFETY: nothing runs that would rely on other priorities, and nothing else sets any.
        unsafe {
            let mut core = cortex_m::Peripherals::steal();
            core.SCB.set_priority(SystemHandler::PendSV, 0xff);
            vectors::enable_timers::<C::Board>(&mut core.NVIC);
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
            state.enter_and_end(switch, |_| ());
            if state.armed == Time::ZERO {
                // It has not been set yet. No thread needs it, but the clock does.
                state.armed = Time::NEVER;
                let _ = state.clock.set_timer(Time::NEVER);
            }
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
