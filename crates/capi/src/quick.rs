//! A free mutex is locked and given back by as few instructions as the processor needs. All else is for
//! the functions in `mutex`, which begin anew.
//!
//! It is what [`Mutex::lock`](crate::mutex::Mutex::lock) and `unlock` do first; as functions that call others
//! the compiler has them save registers.
#![cfg(target_arch = "arm")]

use crate::control::REENT;
use core::ffi::c_int;

/// Where [`Control::quick`](crate::control::Control::quick) is.
const NAME: usize = REENT + 4;
const _: () = assert!(core::mem::offset_of!(crate::control::Control, quick) == NAME);

#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_lock(mutex: *mut u32) -> c_int {
    core::arch::naked_asm!(
        "ldr   r1, =_impure_ptr",
        "ldr   r1, [r1]",
        "ldr   r1, [r1, #{name}]",
        "1:",
        "ldrex r2, [r0]",
        // Owned; or the thread has no name and has to ask the kernel.
        "cbnz  r2, 2f",
        "cbz   r1, 2f",
        "strex r2, r1, [r0]",
        "cmp   r2, #0",
        "bne   1b",
        "dmb",
        "ldr   r1, [r0, #8]",
        // It has a ceiling.
        "cbnz  r1, 3f",
        "mov   r0, r2",
        "bx    lr",
        "2:",
        "clrex",
        "b.w   __flyball_lock",
        "3:",
        "b.w   __flyball_locked",
        ".ltorg",
        name = const NAME,
    )
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_unlock(mutex: *mut u32) -> c_int {
    core::arch::naked_asm!(
        "ldr   r1, =_impure_ptr",
        // How often a recursive mutex has been locked again, and whether it has a ceiling.
        "ldr   r2, [r0, #8]",
        "cbnz  r2, 2f",
        "ldr   r1, [r1]",
        "ldr   r1, [r1, #{name}]",
        "dmb",
        "1:",
        "ldrex r3, [r0]",
        // Another thread's; or threads wait; or the thread has no name.
        "cmp   r3, r1",
        "bne   2f",
        "strex r3, r2, [r0]",
        "cmp   r3, #0",
        "bne   1b",
        "mov   r0, r3",
        "bx    lr",
        "2:",
        "clrex",
        "b.w   __flyball_unlock",
        ".ltorg",
        name = const NAME,
    )
}
