//! What a thread has of the floating-point unit besides registers: how it rounds, and what has happened. A
//! thread begins with that of the thread that creates it.
#![cfg_attr(
    not(target_arch = "riscv64"),
    expect(unused_variables, reason = "the processor has no such unit")
)]

use crate::control::Control;
#[cfg(target_arch = "riscv64")]
use core::{arch::asm, sync::atomic::Ordering};

/// A new thread gets that of the calling one.
pub(crate) fn inherit(thread: &Control) {
    #[cfg(target_arch = "riscv64")]
    {
        let environment;
        // SAFETY: this reads a register.
        unsafe { asm!("frcsr {}", out(reg) environment, options(nomem, nostack)) };
        thread.floating.store(environment, Ordering::Relaxed);
    }
}

/// The calling thread, which begins, has the one that it was given. From now on the context switch keeps it, too.
pub(crate) fn begin(me: &Control) {
    #[cfg(target_arch = "riscv64")]
    {
        let environment = me.floating.load(Ordering::Relaxed);
        // SAFETY: it is what a thread has had.
        unsafe { asm!("fscsr {}", in(reg) environment, options(nomem, nostack)) };
    }
}
