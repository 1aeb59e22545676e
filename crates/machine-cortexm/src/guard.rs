//! Stacks that are too small, and how that is noticed.
//!
//! ```text
//!   low                                       end
//!    | canary | painted …        | used …      |
//!    \- guard, 8 words -/        <- grows
//! ```
//!
//! A stack is painted when its thread is made, so what has kept its colour was never used. An
//! overflow is noticed in one of two ways. A *canary*, the last word, is looked at whenever the
//! thread is left: cheap, but late, when a neighbour's memory may be damaged. A *guard* is the last
//! 32 bytes (the smallest region there is), which the memory protection unit lets no code touch
//! while the thread runs: the very store is stopped. Where threads' stacks are guarded, the main
//! stack of `main` and of interrupts has a guard of its own.
//!
//! Neither sees a function that steps over those words without touching them, with a large array
//! that it does not use: the compiler has no probes for this processor.
//!
//! Armv7-M Architecture Reference Manual (DDI 0403), B3.5: the registers of the unit.

use core::ops::Range;
use cortex_m::peripheral::MPU;

/// What is done about stacks that are too small. What is not chosen costs nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stacks {
    /// Nothing.
    Unwatched,
    /// They are painted, and the canary is looked at in each context switch: 5 instructions.
    Canary,
    /// They are painted, and guarded by the memory protection unit, whose region is moved in each
    /// context switch: 3 instructions. A thread has [`GUARD`] words less.
    Guarded,
}

/// The words of a stack that a guard takes.
pub const GUARD: usize = 8;

/// What an unused word contains. An address at which nothing is, and no likely number.
#[doc(hidden)]
pub const PAINT: u32 = 0xC5A5_5AC5;

impl Stacks {
    /// The best that this machine can do.
    pub const BEST: Stacks = Stacks::Guarded;

    /// Whether stacks are painted.
    pub(crate) const fn is_painted(self) -> bool {
        !matches!(self, Stacks::Unwatched)
    }

    /// The words at the low end that a thread may not use.
    pub(crate) const fn reserved(self) -> usize {
        match self {
            Stacks::Guarded => GUARD,
            Stacks::Canary | Stacks::Unwatched => 0,
        }
    }
}

/// Paints a stack. O(words).
///
/// # Safety
/// The stack is not in use yet.
pub(crate) unsafe fn paint(stack: &Range<*mut u32>) {
    let mut word = stack.start;
    while word < stack.end {
        // SAFETY: it is a word of the stack.
        unsafe {
            word.write_volatile(PAINT);
            word = word.add(1);
        }
    }
}

/// How many words of a painted stack were ever used; those reserved are not looked at. O(words).
///
/// # Safety
/// The stack is one, and stays.
pub(crate) unsafe fn used(stack: &Range<*mut u32>, reserved: usize) -> usize {
    // SAFETY: no more words are reserved than a stack has. Its thread may be writing them; each is
    // read once, and any value will do.
    unsafe {
        let mut word = stack.start.add(reserved);
        while word < stack.end && word.read_volatile() == PAINT {
            word = word.add(1);
        }
        usize::try_from(stack.end.offset_from(word)).unwrap_or(0)
    }
}

/// Guards the words from `low` on, from now on. `PendSV` moves the guard: it writes the address
/// register only, so the region that is selected here has to stay selected.
///
/// # Safety
/// These words are not needed, and no other code uses the unit.
pub(crate) unsafe fn switch_on(low: *mut u32) {
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
pub(crate) fn main_stack() -> Range<*mut u32> {
    unsafe extern "C" {
        // Of the linker's script.
        static mut _stack_end: u32;
        static mut _stack_start: u32;
    }
    let low = &raw mut _stack_end;
    // The region's address is a multiple of its size.
    low.map_addr(|low| low.next_multiple_of(GUARD * 4))..&raw mut _stack_start
}

/// No code may touch the words from `low` on as long as a guard is.
///
/// # Safety
/// As [`switch_on`].
unsafe fn forbid(region: u32, low: *mut u32) {
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
