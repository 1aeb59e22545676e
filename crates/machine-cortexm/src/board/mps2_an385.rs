//! The board `mps2-an385`: a Cortex-M3 at 25 MHz, as QEMU emulates it.
//!
//! Arm Application Note AN385. Registers of the CMSDK timer: Cortex-M System Design Kit, Technical
//! Reference Manual (DDI 0479), section 4.4.
//!
//! QEMU's *periodic* timers fire at twice their period while the processor sleeps under
//! `-icount sleep=off`; one-shots are exact, so one-shots are all that is used here.

use super::{Board, Timer};
use core::ops::Range;
use core::ptr;

/// The board.
pub struct Mps2An385;

/// FPGAIO: a counter that runs freely.
const COUNTER: *const u32 = 0x4002_8018 as *const u32;

/// The CMSDK timers. The kernel has the first one, the application the second.
const TIMERS: [*mut u32; 2] = [0x4000_0000 as *mut u32, 0x4000_1000 as *mut u32];
const CTRL: usize = 0;
const VALUE: usize = 1;
const RELOAD: usize = 2;
const CLEAR: usize = 3;
/// Enabled, with an interrupt.
const ONE_SHOT: u32 = 0b1001;

fn set(timer: Timer, register: usize, value: u32) {
    // SAFETY: `register` is one of the four of a timer, which nothing but this file touches.
    unsafe { ptr::write_volatile(TIMERS[timer as usize].add(register), value) }
}

// SAFETY: lines and registers are those of the timers, and the external memory is none of the
// linker's (`memory/mps2-an385.x`).
unsafe impl Board for Mps2An385 {
    const TICK_NS: u32 = 40;
    const LINES: u16 = 32;
    const TIMER_LINES: [u16; 2] = [8, 9];
    /// The external memory.
    const LOADED: Range<usize> = 0x2100_0000..0x2140_0000;
    const SPARE: Range<usize> = 0x2140_0000..0x2200_0000;

    /// The timers stop at zero.
    fn init() {
        for timer in [Timer::Kernel, Timer::Application] {
            set(timer, RELOAD, 0);
        }
    }

    fn counter() -> u32 {
        // SAFETY: the address is that of a register that can be read at any time, without side
        // effect.
        unsafe { ptr::read_volatile(COUNTER) }
    }

    fn one_shot(timer: Timer, ticks: u32) {
        // Stopped meanwhile, so that a short time does not pass in between.
        set(timer, CTRL, 0);
        set(timer, VALUE, ticks);
        set(timer, CTRL, ONE_SHOT);
    }

    fn clear(timer: Timer) {
        set(timer, CLEAR, 1);
    }
}
