//! The board `lm3s6965evb`: a Stellaris LM3S6965, a Cortex-M3 at 50 MHz with 256 KB of flash and
//! 64 KB of RAM, as QEMU emulates it.
//!
//! Texas Instruments, Stellaris LM3S6965 Microcontroller, data sheet: the chapters on system
//! control, general-purpose timers and the watchdog timer.
//!
//! The counter is the watchdog's, which is the only one of 32 bits that QEMU lets a program read.
//! It counts down from its largest value, and would interrupt at its end (and stop for good the
//! second time, in QEMU), so it is begun anew long before. Its interrupt is not enabled, and it
//! resets nothing.

use super::{Board, Timer};
use core::ops::Range;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};

/// The board.
pub struct Lm3s6965;

/// System control. Registers are named by how many bytes they are behind the block's beginning.
const SYSTEM: *mut u32 = 0x400f_e000 as *mut u32;
/// Raw interrupt status: bit 6 says that the PLL is stable.
const RIS: usize = 0x50;
/// Run-mode clock configuration.
const RCC: usize = 0x60;
/// Clock gates: bit 3 is the watchdog's,
const RCGC0: usize = 0x100;
/// and bits 16 and 17 those of the first two timers.
const RCGC1: usize = 0x104;

/// The watchdog.
const WATCHDOG: *mut u32 = 0x4000_0000 as *mut u32;
const WDTLOAD: usize = 0;
const WDTVALUE: usize = 4;
const WDTCTL: usize = 8;

/// The first two general-purpose timers. The kernel has the first one, the application the second.
const TIMERS: [*mut u32; 2] = [0x4003_0000 as *mut u32, 0x4003_1000 as *mut u32];
const CFG: usize = 0;
const TAMR: usize = 0x04;
const CTL: usize = 0x0c;
const IMR: usize = 0x18;
const ICR: usize = 0x24;
const TAILR: usize = 0x28;
/// The bit of TAMR that says once, of CTL that enables, and of the interrupt that says it is over.
const ONE: u32 = 1;

/// The ticks up to when the counter was last begun anew.
static BEFORE: AtomicU32 = AtomicU32::new(0);

/// Writes the register of a block that is so many bytes behind its beginning.
fn write(block: *mut u32, register: usize, value: u32) {
    // SAFETY: the block has that register, and nothing but this file touches it.
    unsafe { ptr::write_volatile(block.byte_add(register), value) }
}

/// Reads such a register.
fn read(block: *mut u32, register: usize) -> u32 {
    // SAFETY: the block has that register, which can be read at any time, without side effect.
    unsafe { ptr::read_volatile(block.byte_add(register)) }
}

/// 50 MHz: 200 MHz of the PLL, by four. The order is that of the data sheet: around the PLL; its
/// input; when it is stable, the divider and the PLL.
fn set_clock() {
    const USESYSDIV: u32 = 1 << 22;
    const PWRDN: u32 = 1 << 13;
    const BYPASS: u32 = 1 << 11;
    /// A crystal of 8 MHz, at the main oscillator.
    const CRYSTAL: u32 = 0xe << 6;
    const INPUT: u32 = 0xf << 6 | 3 << 4 | 1;
    const SYSDIV: u32 = 0xf << 23;
    const BY_FOUR: u32 = 3 << 23;
    let around = (read(SYSTEM, RCC) | BYPASS) & !USESYSDIV;
    write(SYSTEM, RCC, around);
    let with_pll = around & !(INPUT | PWRDN) | CRYSTAL;
    write(SYSTEM, RCC, with_pll);
    while read(SYSTEM, RIS) & 1 << 6 == 0 {}
    let divided = with_pll & !SYSDIV | BY_FOUR | USESYSDIV;
    write(SYSTEM, RCC, divided);
    write(SYSTEM, RCC, divided & !BYPASS);
}

// SAFETY: lines and registers are those of the data sheet, and the memory is flash that the linker
// leaves free (`memory/lm3s6965.x`).
unsafe impl Board for Lm3s6965 {
    const TICK_NS: u32 = 20;
    const LINES: u16 = 44;
    const TIMER_LINES: [u16; 2] = [19, 21];
    /// The last quarter of the flash.
    const LOADED: Range<usize> = 0x0003_4000..0x0004_0000;
    const SPARE: Range<usize> = 0..0;

    fn init() {
        set_clock();
        write(SYSTEM, RCGC0, read(SYSTEM, RCGC0) | 1 << 3);
        write(SYSTEM, RCGC1, read(SYSTEM, RCGC1) | 0b11 << 16);
        // A block may be touched some cycles after its clock runs.
        read(SYSTEM, RCGC1);
        for timer in TIMERS {
            write(timer, CTL, 0);
            // As one of 32 bits.
            write(timer, CFG, 0);
            write(timer, TAMR, ONE);
            write(timer, IMR, ONE);
        }
        write(WATCHDOG, WDTLOAD, u32::MAX);
        write(WATCHDOG, WDTCTL, 1);
    }

    fn counter() -> u32 {
        let left = read(WATCHDOG, WDTVALUE);
        let now = BEFORE.load(Ordering::Relaxed).wrapping_add(!left);
        if left < 1 << 31 {
            core::hint::cold_path();
            // Every 43 s; less than a tick is lost.
            write(WATCHDOG, WDTLOAD, u32::MAX);
            BEFORE.store(now, Ordering::Relaxed);
        }
        now
    }

    fn one_shot(timer: Timer, ticks: u32) {
        let timer = TIMERS[timer as usize];
        write(timer, CTL, 0);
        write(timer, TAILR, ticks);
        write(timer, CTL, ONE);
    }

    fn clear(timer: Timer) {
        write(TIMERS[timer as usize], ICR, ONE);
    }
}
