//! What a board adds to the processor: memory, a counter, two timers, interrupt lines.
//!
//! A board is a type that implements [`Board`], in a file of its own: [`mps2_an385`], `lm3s6965` and
//! `netduinoplus2` come with this crate, and `docs/porting.md` shows how the last one was made. An application that runs on another one brings
//!
//! 1. that type, which it names in its kernel (`board: MyBoard`, below `machine`);
//! 2. a `memory.x`, as is usual with `cortex-m-rt`: a folder of its own, which its build script
//!    tells the linker;
//! 3. this crate without its default features, so that there is no other `memory.x`.
//!
//! All of it is known when the application is compiled, so another board costs no instruction.

#[cfg(feature = "lm3s6965")]
pub mod lm3s6965;
#[cfg(feature = "mps2-an385")]
pub mod mps2_an385;
#[cfg(feature = "netduinoplus2")]
pub mod netduinoplus2;

#[cfg(all(feature = "lm3s6965", not(feature = "netduinoplus2")))]
pub use lm3s6965::Lm3s6965 as Chosen;
#[cfg(all(
    feature = "mps2-an385",
    not(any(feature = "lm3s6965", feature = "netduinoplus2"))
))]
pub use mps2_an385::Mps2An385 as Chosen;
#[cfg(feature = "netduinoplus2")]
pub use netduinoplus2::NetduinoPlus2 as Chosen;

use core::ops::Range;

/// One of the timers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timer {
    /// That of the kernel.
    Kernel = 0,
    /// One that the application may use as it likes.
    Application = 1,
}

impl Timer {
    /// Both, in the order of their numbers.
    pub const ALL: [Timer; 2] = [Timer::Kernel, Timer::Application];
}

/// A board with a Cortex-M3.
///
/// The kernel calls all of this with interrupts masked, but for [`print`](Board::print).
///
/// # Safety
/// There are [`LINES`](Board::LINES) lines at least, [`TIMER_LINES`](Board::TIMER_LINES) are those
/// of the timers, [`LOADED`](Board::LOADED) and [`SPARE`](Board::SPARE) are memory that nothing
/// else uses, and no function touches what is not the board's own.
pub unsafe trait Board: 'static {
    /// Nanoseconds a tick of the counter and of both timers.
    const TICK_NS: u32;

    /// How many interrupt lines there are, at most 112. The processor's own exceptions do not
    /// count.
    const LINES: u16;

    /// The interrupt lines of the timers, by their numbers. The two differ.
    const TIMER_LINES: [u16; 2];

    /// Where a loader may have put data before the start, not at address zero. The linker leaves it
    /// free.
    const LOADED: Range<usize>;

    /// Memory to be written that the linker leaves free, and no loader writes; it may be empty.
    const SPARE: Range<usize>;

    /// Sets the clocks, and starts the counter. Called once, before anything else.
    fn init();

    /// The ticks of a counter that counts up, modulo 2³². It is read at least every 4.3 s.
    fn counter() -> u32;

    /// `timer` interrupts once, after `ticks`, which is not zero. What was set before is forgotten.
    fn one_shot(timer: Timer, ticks: u32);

    /// The interrupt of `timer` has been seen.
    fn clear(timer: Timer);

    /// Writes text. Unless a board has something better it goes through a debugger or an emulator;
    /// without the feature `semihosting` it is lost.
    fn print(text: &str) {
        #[cfg(feature = "semihosting")]
        semihosting::print!("{text}");
        #[cfg(not(feature = "semihosting"))]
        let _ = text;
    }

    /// Ends the program. Unless a board has something better an emulator ends with the exit code;
    /// without the feature `semihosting` nothing listens, and the processor sleeps for ever.
    fn end(code: u8) -> ! {
        #[cfg(feature = "semihosting")]
        semihosting::process::exit(i32::from(code));
        #[cfg(not(feature = "semihosting"))]
        {
            let _ = code;
            crate::mask::rest()
        }
    }
}

/// The memory that the linker leaves free: what a loader may have written, and the rest. Only once.
pub fn take_memory<B: Board>() -> Option<(&'static [u8], &'static mut [u8])> {
    // SAFETY: as the board promises.
    unsafe { flyball_port::memory::take_memory(B::LOADED, B::SPARE) }
}
