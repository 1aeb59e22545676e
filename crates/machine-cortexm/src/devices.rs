//! What every machine has besides a kernel: interrupts, a timer for the application, text, and an
//! end.

use crate::board::{Board, Timer};
use crate::config::MachineConfig;
use crate::kernel::Kernel;
use crate::vectors;
use flyball_kernel::Error;
use flyball_policy::Duration;

impl<C: MachineConfig> Kernel<C> {
    /// Whether a thread calls, so that it can wait; no handler of an interrupt. (`main` is told
    /// that it cannot wait by the core, which knows of no thread then.)
    #[inline]
    pub fn in_thread(&'static self) -> bool {
        vectors::exception() == 0
    }

    /// Keeps the CPU busy for so long, a nanosecond an instruction.
    #[inline]
    pub fn compute(&'static self, length: Duration) {
        crate::compute(length.as_nanos());
    }

    /// From now on `handler` is called at every interrupt of `line`. It may signal, post and
    /// release, and it cannot wait.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no such line, or the kernel has it.
    pub fn attach(&'static self, line: u16, handler: extern "C" fn()) -> Result<(), Error> {
        if vectors::attach::<C::Board>(line, handler) {
            Ok(())
        } else {
            Err(Error::Unknown)
        }
    }

    /// `line` interrupts now.
    pub fn pend(&'static self, line: u16) {
        vectors::pend::<C::Board>(line);
    }

    /// The line of the application's timer.
    pub fn timer_line(&'static self) -> u16 {
        C::Board::TIMER_LINES[Timer::Application as usize]
    }

    /// The application's timer interrupts once, after `after`; after 2³² ticks of the board at the
    /// latest, as it has no more bits (171 s at 25 MHz). What was set before is forgotten.
    pub fn set_timer(&'static self, after: Duration) {
        // Never early: what is left of a tick is waited for as well.
        let ticks = after.as_nanos().div_ceil(u64::from(C::Board::TICK_NS));
        let ticks = u32::try_from(ticks.max(1)).unwrap_or(u32::MAX);
        C::Board::one_shot(Timer::Application, ticks);
    }

    /// Writes text, as the board does.
    pub fn print(&'static self, text: &str) {
        C::Board::print(text);
    }

    /// Ends the program, as the board does.
    pub fn shut_down(&'static self, code: u8) -> ! {
        C::Board::end(code)
    }
}
