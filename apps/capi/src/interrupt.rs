//! Threads that are interrupted in the middle of their program: for signals, and to be cancelled. On the Cortex-M3 the
//! caller makes a thread call a function. On RISC-V each thread looks, after an interrupt, whether it has to call it.

use crate::{KERNEL, machine};
use core::sync::atomic::AtomicU32;
use flyball_kernel::ThreadId;

#[cfg(target_arch = "arm")]
#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_interrupt(thread: ThreadId, gate: &AtomicU32) {
    unsafe extern "C" {
        safe fn __flyball_interrupt(before: usize) -> !;
    }
    // SAFETY: a thread of C may run a handler wherever it is outside of sections that defer that, which is
    // what the gate says. If it cannot now, it does when such a section ends.
    unsafe { KERNEL.begin_call(thread, gate, __flyball_interrupt) };
}

#[cfg(target_arch = "arm")]
#[unsafe(no_mangle)]
unsafe extern "Rust" fn _flyball_c_end_interrupt(before: usize) -> ! {
    // SAFETY: as the caller promises.
    unsafe { KERNEL.end_call(before) }
}

#[cfg(target_arch = "riscv64")]
#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_interrupt(thread: ThreadId, _: &AtomicU32) {
    KERNEL.interrupt_thread(thread);
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_line() -> u16 {
    machine::line()
}
