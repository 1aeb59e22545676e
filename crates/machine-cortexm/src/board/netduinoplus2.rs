//! The board `netduinoplus2`: an STM32F405, a Cortex-M4 with 1 MB of flash and 128 KB of RAM, as
//! QEMU emulates it. It has not run on hardware; `docs/porting.md` says what a chip needs beyond
//! this.
//!
//! STMicroelectronics RM0090, reference manual of the STM32F405: the chapters on reset and clock
//! control, on the general-purpose timers TIM2 to TIM5, and on the USART.
//!
//! What of this is QEMU's (7.2), and not a chip's:
//!
//! * Its timers count at 1 GHz divided by their prescaler, however the clocks of the chip are set. A
//!   chip's count at 84 MHz divided by their prescaler if the processor has 168 MHz.
//! * TIM3 has 32 bits. A chip's has 16.
//! * A timer interrupts so many ticks after the store to its ARR as that says, plus what its CNT lags
//!   behind the time since the start. So CNT is set to that time once, and then left alone. A chip
//!   interrupts when CNT comes to ARR, so there CNT has to be set to zero before ARR.

use super::{Board, Timer};
use core::ops::Range;
use core::ptr;

/// The board.
pub struct NetduinoPlus2;

/// What the frequency of all timers is divided by.
const PRESCALER: u32 = 100;

/// Reset and clock control: the clock gates of the two peripheral buses.
const RCC: *mut u32 = 0x4002_3800 as *mut u32;
/// Bits 0, 1 and 3 are those of TIM2, TIM3 and TIM5,
const APB1ENR: usize = 0x40;
/// and bit 4 is that of USART1.
#[cfg(not(feature = "semihosting"))]
const APB2ENR: usize = 0x44;

/// TIM5, of 32 bits, is the counter.
const COUNTER: *mut u32 = 0x4000_0c00 as *mut u32;
/// TIM2, of 32 bits, is the kernel's timer, and TIM3 the application's.
const TIMERS: [*mut u32; 2] = [0x4000_0000 as *mut u32, 0x4000_0400 as *mut u32];
const CR1: usize = 0;
const DIER: usize = 0x0c;
const SR: usize = 0x10;
const EGR: usize = 0x14;
const CNT: usize = 0x24;
const PSC: usize = 0x28;
const ARR: usize = 0x2c;
/// Of CR1: the counter is enabled.
const ENABLED: u32 = 1;
/// Of CR1: the counter stops at its end.
const ONE_PULSE: u32 = 1 << 3;
/// The bit of DIER, SR and EGR that is about the counter's end.
const UPDATE: u32 = 1;

/// Writes the register of a block that is so many bytes behind its beginning.
fn write(block: *mut u32, register: usize, value: u32) {
    // SAFETY: the block has that register, and nothing but this file touches it.
    unsafe { ptr::write_volatile(block.byte_add(register), value) }
}

/// Reads such a register.
fn read(block: *mut u32, register: usize) -> u32 {
    // SAFETY: the block has that register, which can be read at any time. Nothing but this file
    // looks at what that may clear.
    unsafe { ptr::read_volatile(block.byte_add(register)) }
}

// SAFETY: lines and registers are those of the reference manual, and the memory is flash that the
// linker leaves free (`memory/netduinoplus2.x`).
unsafe impl Board for NetduinoPlus2 {
    const TICK_NS: u32 = PRESCALER;
    const LINES: u16 = 82;
    const TIMER_LINES: [u16; 2] = [28, 29];
    /// The last quarter of the flash.
    const LOADED: Range<usize> = 0x080c_0000..0x0810_0000;
    const SPARE: Range<usize> = 0..0;

    fn init() {
        write(RCC, APB1ENR, read(RCC, APB1ENR) | 0b1011);
        // A block may be touched some cycles after its clock runs.
        read(RCC, APB1ENR);
        for timer in TIMERS {
            write(timer, CR1, 0);
            // It has counted since the start, without a prescaler.
            let now = read(timer, CNT) / PRESCALER;
            write(timer, PSC, PRESCALER - 1);
            write(timer, CNT, now);
            write(timer, DIER, UPDATE);
        }
        write(COUNTER, PSC, PRESCALER - 1);
        write(COUNTER, ARR, u32::MAX);
        // The prescaler counts from the next update on.
        write(COUNTER, EGR, UPDATE);
        write(COUNTER, CR1, ENABLED);
        #[cfg(not(feature = "semihosting"))]
        usart::init();
    }

    fn counter() -> u32 {
        read(COUNTER, CNT)
    }

    fn one_shot(timer: Timer, ticks: u32) {
        let timer = TIMERS[timer as usize];
        write(timer, CR1, 0);
        write(timer, ARR, ticks);
        write(timer, CR1, ONE_PULSE | ENABLED);
    }

    fn clear(timer: Timer) {
        let timer = TIMERS[timer as usize];
        write(timer, CR1, 0);
        write(timer, SR, 0);
    }

    /// Without a debugger or an emulator that takes text it goes out of USART1.
    #[cfg(not(feature = "semihosting"))]
    fn print(text: &str) {
        usart::print(text);
    }
}

/// Text at 115,200 baud.
#[cfg(not(feature = "semihosting"))]
mod usart {
    use super::{APB2ENR, RCC, read, write};

    /// USART1, which sends on pin PA9 or PB6.
    const USART: *mut u32 = 0x4001_1000 as *mut u32;
    const SR: usize = 0;
    const DR: usize = 4;
    const BRR: usize = 8;
    const CR1: usize = 0x0c;
    /// Of SR: the next byte may be written.
    const EMPTY: u32 = 1 << 7;
    /// Of CR1: the block and its sender are enabled.
    const SENDS: u32 = 1 << 13 | 1 << 3;

    pub(super) fn init() {
        write(RCC, APB2ENR, read(RCC, APB2ENR) | 1 << 4);
        read(RCC, APB2ENR);
        // 16 MHz, which the chip has after a reset, by 115,200.
        write(USART, BRR, 139);
        write(USART, CR1, SENDS);
    }

    pub(super) fn print(text: &str) {
        for byte in text.bytes() {
            while read(USART, SR) & EMPTY == 0 {}
            write(USART, DR, byte.into());
        }
    }
}
