//! Masking interrupts: the lock of a machine with one CPU.

use core::arch::asm;

/// Interrupts are masked until this is lifted. To be lifted by whoever set it, or whom he gave it.
#[must_use]
pub(crate) struct Mask {
    before: u32,
}

impl Mask {
    /// Masks interrupts.
    #[inline(always)]
    pub(crate) fn set() -> Mask {
        let before;
        // SAFETY: masking interrupts hurts nobody. Memory is not said to be left alone, so the
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
