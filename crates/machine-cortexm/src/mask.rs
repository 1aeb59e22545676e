//! Masking interrupts: the lock of a machine with one CPU.

use core::arch::asm;

/// Calls `f` with interrupts masked; afterwards they are as they were. Three instructions.
#[inline(always)]
pub(crate) fn masked<R>(f: impl FnOnce() -> R) -> R {
    let before: u32;
    // SAFETY: masking interrupts hurts nobody. Memory is not said to be left alone, so the compiler
    // moves no access out of here.
    unsafe {
        asm!(
            "mrs {before}, PRIMASK",
            "cpsid i",
            before = out(reg) before,
            options(nostack, preserves_flags)
        );
    }
    let result = f();
    // SAFETY: what was there before.
    unsafe { asm!("msr PRIMASK, {before}", before = in(reg) before, options(nostack, preserves_flags)) };
    result
}
