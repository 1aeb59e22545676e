//! A free mutex is locked and given back, and a semaphore passed and counted up, by as few instructions as the
//! processor needs. All else is for the functions in `mutex` and `semaphore`, which begin anew.
//!
//! It is what [`Mutex::lock`](crate::mutex::Mutex::lock) and `unlock`, `Word::try_pass` and `try_give` do first; in
//! functions that call others the compiler saves registers.
#![cfg(target_arch = "arm")]

use crate::control::{Control, REENT};
use crate::mutex::{RECURSIVE, SPECIAL};
use core::ffi::c_int;

/// Where [`Control::quick`](crate::control::Control::quick) is.
const NAME: usize = REENT + 4;
const _: () = assert!(core::mem::offset_of!(Control, quick) == NAME);

// The highest bits alone, which are shifted down below.
const _: () = assert!(SPECIAL == 3 << 30);

#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_lock(mutex: *mut u32) -> c_int {
    core::arch::naked_asm!(
        "ldr   r1, =_impure_ptr",
        "ldr   r1, [r1]",
        "ldr   r1, [r1, #{name}]",
        "1:",
        "ldrex r2, [r0]",
        "cbnz  r2, 4f",
        // The thread has no name and has to ask the kernel.
        "cbz   r1, 2f",
        "strex r2, r1, [r0]",
        "cbnz  r2, 5f",
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
        // Owned: by this thread, which may lock it again, and which no thread waits for?
        "4:",
        "cmp   r2, r1",
        "bne   2b",
        "ldr   r2, [r0, #4]",
        "tst   r2, #{recursive}",
        "beq   2b",
        "ldr   r3, [r0, #8]",
        "adds  r3, r3, #1",
        // Not so often; or it is robust, or has a ceiling.
        "lsrs  r2, r3, #30",
        "bne   2b",
        "clrex",
        "str   r3, [r0, #8]",
        "mov   r0, r2",
        "bx    lr",
        "5:",
        "b     1b",
        ".ltorg",
        name = const NAME,
        recursive = const RECURSIVE,
    )
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_unlock(mutex: *mut u32) -> c_int {
    core::arch::naked_asm!(
        "ldr   r1, =_impure_ptr",
        "ldr   r1, [r1]",
        "ldr   r1, [r1, #{name}]",
        // How often a recursive mutex has been locked again, and whether it has a ceiling.
        "ldr   r2, [r0, #8]",
        "cbnz  r2, 4f",
        // The thread has no name and has to ask the kernel.
        "cbz   r1, 2f",
        "dmb",
        "1:",
        "ldrex r3, [r0]",
        // Free, or another thread's; or threads wait.
        "cmp   r3, r1",
        "bne   2f",
        "strex r3, r2, [r0]",
        "cbnz  r3, 3f",
        "mov   r0, r3",
        "bx    lr",
        "3:",
        "b     1b",
        "2:",
        "clrex",
        "b.w   __flyball_unlock",
        "3:",
        "b     1b",
        // Of the calling thread, without a ceiling and not robust, and no thread waits for it?
        "4:",
        "lsrs  r3, r2, #30",
        "bne   2b",
        "ldr   r3, [r0]",
        "cmp   r3, r1",
        "bne   2b",
        "subs  r2, r2, #1",
        "str   r2, [r0, #8]",
        "movs  r0, #0",
        "bx    lr",
        ".ltorg",
        name = const NAME,
    )
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn sem_wait(semaphore: *mut u32) -> c_int {
    core::arch::naked_asm!(
        "ldr   r1, =_impure_ptr",
        "ldr   r1, [r1]",
        "ldr   r1, [r1, #{due}]",
        // It is to be cancelled, or to run a handler.
        "cbnz  r1, 2f",
        "1:",
        "ldrex r1, [r0]",
        "subs  r2, r1, #2",
        // The count is 0; or threads wait, or signals release jobs.
        "blo   2f",
        "lsls  r3, r1, #31",
        "bmi   2f",
        "strex r1, r2, [r0]",
        "cbnz  r1, 3f",
        "dmb",
        "mov   r0, r1",
        "bx    lr",
        "2:",
        "clrex",
        "b.w   __flyball_sem_wait",
        "3:",
        "b     1b",
        ".ltorg",
        due = const core::mem::offset_of!(Control, signals.due),
    )
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn sem_post(semaphore: *mut u32) -> c_int {
    core::arch::naked_asm!(
        "dmb",
        "1:",
        "ldrex r1, [r0]",
        // Threads wait, or signals release jobs; or the count is at its end.
        "lsls  r2, r1, #31",
        "bmi   2f",
        "adds  r1, r1, #2",
        "bcs   2f",
        "strex r2, r1, [r0]",
        "cbnz  r2, 3f",
        "mov   r0, r2",
        "bx    lr",
        "2:",
        "clrex",
        "b.w   __flyball_sem_post",
        "3:",
        "b     1b",
    )
}
