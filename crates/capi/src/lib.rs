//! Flyball's kernel for C and C++: POSIX threads, and what newlib and libstdc++ want of a system.
//!
//! The functions here have the names that C knows, and are defined in terms of the
//! [seam](flyball_app::seam) between applications and machines. The headers are in `sdk/include`.
//!
//! | module | what |
//! |---|---|
//! | `control` | what is kept of each thread, at the end of its stack |
//! | `mutex` (and `quick`, `mutexattr`, `ceiling`), `condition`, `semaphore`, `rwlock`, `barrier`, `spin`, `once` | what threads share |
//! | `thread`, `attributes`, `sched`, `cancel`, `key` | threads |
//! | `clock` | clocks, sleep, and instants until which a call waits |
//! | `newlib`, `files`, `semihosting` | the C library's locks and system calls |
//! | `atomic`, `tls` | what the compiler calls |
//! | [`start`] | the thread that runs `main` |
//! | [`binding`] | what an image defines for its policy |
//!
//! A mutex, a semaphore or a condition variable is a [`Word`](flyball_kernel::Word) in the program's
//! memory, and what can be done to it without waiting is done without the kernel. A C program is
//! trusted: a wrong pointer does here what it does in C.
#![no_std]

mod atomic;
mod attributes;
mod barrier;
pub mod binding;
mod cancel;
mod ceiling;
mod clock;
mod condition;
mod control;
mod errno;
mod files;
mod key;
mod latch;
mod mutex;
mod mutexattr;
mod newlib;
mod once;
mod quick;
mod rwlock;
mod sched;
mod semaphore;
mod semihosting;
mod spin;
pub mod start;
mod thread;
mod tls;

/// What C passes a pointer to.
///
/// # Safety
/// There is a `T` for as long as a thread waits for it, which is changed by atomic operations only.
/// C programs are told so: an object is destroyed when no thread uses it any more.
#[inline]
pub(crate) unsafe fn refer<T>(pointer: *const T) -> &'static T {
    // SAFETY: as the caller promises.
    unsafe { &*pointer }
}
