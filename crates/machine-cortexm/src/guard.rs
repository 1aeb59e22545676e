//! Stacks that are too small, and how that is noticed.
//!
//! ```text
//!   low                                       end
//!    | canary | painted …        | used …      |
//!    \- guard, 8 words -/        <- grows
//! ```
//!
//! An overflow is noticed in one of two ways. A *canary*, the last word of a painted stack, is
//! compared whenever the thread stops: that takes 5 instructions, and is late, when a neighbour's
//! memory may be damaged. A *guard* is the last 32 bytes (the smallest region there is), which the
//! memory protection unit lets no code touch while the thread runs: the very store is stopped. To
//! move that region takes 3 instructions in each context switch. Where threads' stacks are guarded,
//! the main stack of `main` and of interrupts has a guard of its own.
//!
//! Neither sees a function that steps over those words without touching them, with a large array
//! that it does not use: the compiler has no probes for this processor.
//!
//! Armv7-M Architecture Reference Manual (DDI 0403), B3.5: the registers of the unit.

use core::ops::Range;
use cortex_m::peripheral::MPU;
use flyball_port::Stacks;

/// The words of a stack that a guard takes.
pub const GUARD: usize = 8;

/// The words at the low end that a thread may not use.
pub(crate) const fn reserved(stacks: Stacks) -> usize {
    match stacks {
        Stacks::Guarded => GUARD,
        Stacks::Canary | Stacks::Unwatched => 0,
    }
}

/// Guards the words from `low` on, from now on. `PendSV` moves the guard: it writes the address
/// register only, so the region that is selected here has to stay selected.
///
/// # Safety
/// These words are not needed, and no other code uses the unit.
pub(crate) unsafe fn switch_on(low: *mut usize) {
    /// The last region: it has precedence over any other.
    const REGION: u32 = 7;
    // SAFETY: as the caller promises.
    unsafe { forbid(REGION, low) };
}

/// Guards the low end of the main stack, which `main`, handlers of interrupts and reports of faults
/// share, for ever. Below it are the program's statics.
///
/// # Safety
/// As [`switch_on`], which comes afterwards. Less of the main stack is in use than all but a guard.
pub(crate) unsafe fn guard_main() {
    /// The last but one.
    const REGION: u32 = 6;
    // SAFETY: as the caller promises.
    unsafe { forbid(REGION, main_stack().start) };
}

/// The main stack: from its guard to its end.
pub(crate) fn main_stack() -> Range<*mut usize> {
    unsafe extern "C" {
        // Of the linker's script.
        static mut _stack_end: usize;
        static mut _stack_start: usize;
    }
    let low = &raw mut _stack_end;
    // The region's address is a multiple of its size.
    low.map_addr(|low| low.next_multiple_of(GUARD * 4))..&raw mut _stack_start
}

/// No code may touch the words from `low` on as long as a guard is.
///
/// # Safety
/// As [`switch_on`].
unsafe fn forbid(region: u32, low: *mut usize) {
    /// No code may execute, read or write; 2⁵ bytes; enabled.
    const NO_ACCESS: u32 = 1 << 28 | 4 << 1 | 1;
    /// Enabled; everything else is as if there was no unit. It is off in a hard fault.
    const ON: u32 = 1 << 2 | 1;
    // SAFETY: as the caller promises; every other address stays as it is.
    unsafe {
        let unit = &*MPU::PTR;
        unit.rnr.write(region);
        unit.rbar.write(low as u32);
        unit.rasr.write(NO_ACCESS);
        unit.ctrl.write(ON);
    }
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// Guards nothing any more.
pub(crate) fn switch_off() {
    // SAFETY: everything may be touched as if there was no unit.
    unsafe { (*MPU::PTR).ctrl.write(0) };
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}
