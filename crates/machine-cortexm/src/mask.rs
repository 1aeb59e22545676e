//! Masking interrupts: the lock of a machine with one CPU.

use core::arch::asm;

/// Interrupts are masked until this is lifted. The code that set it lifts it, or code that it was
/// passed to.
#[must_use]
pub(crate) struct Mask {
    before: u32,
}

impl Mask {
    /// Masks interrupts.
    #[inline(always)]
    pub(crate) fn set() -> Mask {
        let before;
        // SAFETY: masking interrupts does no harm. Memory is not said to be left alone, so the
        // compiler moves no access across.
        unsafe {
            asm!(
                "mrs {before}, PRIMASK",
                "cpsid i",
                before = out(reg) before,
                options(nostack, preserves_flags)
            );
        }
        Mask { before }
    }

    /// Interrupts are masked, or not, as they were before.
    #[inline(always)]
    pub(crate) fn lift(self) {
        // SAFETY: what was there before.
        unsafe {
            asm!("msr PRIMASK, {before}", before = in(reg) self.before, options(nostack, preserves_flags));
        }
    }
}

/// Nothing ever happens again.
pub(crate) fn rest() -> ! {
    cortex_m::interrupt::disable();
    loop {
        cortex_m::asm::wfi();
    }
}
