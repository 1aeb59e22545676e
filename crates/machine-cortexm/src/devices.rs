//! What every machine has besides a kernel: interrupts, a timer for the application, text, and an end.

use crate::board::{self, Interrupt, TICK_NS, Timer};
use crate::config::MachineConfig;
use crate::kernel::Kernel;
use flyball_kernel::Error;
use flyball_policy::Duration;

impl<C: MachineConfig> Kernel<C> {
    /// Whether a thread calls, so that it can wait; no handler of an interrupt. (`main` is told that
    /// it cannot wait by the core, which knows of no thread then.)
    #[inline]
    pub fn in_thread(&'static self) -> bool {
        board::exception() == 0
    }

    /// Keeps the CPU busy for so long, a nanosecond an instruction.
    #[inline]
    pub fn compute(&'static self, length: Duration) {
        crate::compute(length.as_nanos());
    }

    /// From now on `handler` is called at every interrupt of `line`. It may signal, post and release,
    /// and it cannot wait.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no such line, or the kernel has it.
    pub fn attach(&'static self, line: u16, handler: extern "C" fn()) -> Result<(), Error> {
        if Interrupt(line).attach(handler) {
            Ok(())
        } else {
            Err(Error::Unknown)
        }
    }

    /// `line` interrupts now.
    pub fn pend(&'static self, line: u16) {
        Interrupt(line).pend();
    }

    /// The line of the application's timer.
    pub fn timer_line(&'static self) -> u16 {
        Timer::Application.interrupt().0
    }

    /// The application's timer interrupts once, after `after`; after 171 s at the latest, as it has
    /// no more bits. What was set before is forgotten.
    pub fn set_timer(&'static self, after: Duration) {
        // Never early: what is left of a tick is waited for as well.
        let ticks = after.as_nanos().div_ceil(u64::from(TICK_NS)).max(1);
        Timer::Application.one_shot(u32::try_from(ticks).unwrap_or(u32::MAX));
    }

    /// Writes text through the debugger. Without the feature `semihosting` it is lost.
    pub fn print(&'static self, text: &str) {
        #[cfg(feature = "semihosting")]
        semihosting::print!("{text}");
        #[cfg(not(feature = "semihosting"))]
        let _ = text;
    }

    /// Ends the program; an emulator ends with the exit code. Without the feature `semihosting`
    /// nobody listens, and the processor sleeps for ever.
    pub fn shut_down(&'static self, code: u8) -> ! {
        #[cfg(feature = "semihosting")]
        semihosting::process::exit(i32::from(code));
        #[cfg(not(feature = "semihosting"))]
        {
            let _ = code;
            cortex_m::interrupt::disable();
            loop {
                cortex_m::asm::wfi();
            }
        }
    }
}
