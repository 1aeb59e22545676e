//! Flyball's kernel for C and C++: POSIX threads, and what newlib and libstdc++ want of a system.
//!
//! The functions here have the names that C knows, and are defined in terms of the
//! [seam](flyball_app::seam) between applications and machines. The headers are in `sdk/include`.
//!
//! | module | what |
//! |---|---|
//! | `control` | what is kept of each thread, at the end of its stack |
//! | `mutex` (and `quick`, `mutexattr`, `ceiling`, `floor`, `robust`), `condition`, `semaphore`, `rwlock`, `barrier`, `spin`, `once` | what threads share |
//! | `thread`, `new`, `attributes`, `sched`, `cancel`, `key` | threads |
//! | `signal` | how a thread learns of a signal; the rest is in C |
//! | `jobs`, `declared` | periods, deadlines, and what else a policy can be told |
//! | `service` | threads of this crate that serve those of the program |
//! | `late` | the thread that cancels others whose jobs are late |
//! | `clock`, `cputime` | clocks, sleep, and instants until which a call waits, or CPU time |
//! | `newlib`, `files`, `stat`, `storage`, `semihosting` | the C library's locks and system calls |
//! | `atomic`, `tls`, `floating` | what the compiler and its programs rely on |
//! | [`start`] | the thread that runs `main` |
//! | [`last`] | programs that cannot go on: which thread, and where |
//! | `shake` | preemption at random instants, to find races |
//! | `recorder` | with the feature of that name: what happens, in a file of the host's |
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
mod cputime;
mod declared;
mod errno;
mod files;
mod floating;
mod floor;
mod interrupt;
mod jobs;
mod key;
pub mod last;
mod latch;
mod late;
mod mutex;
mod mutexattr;
mod new;
mod newlib;
mod once;
mod place;
mod quick;
#[cfg(feature = "recorder")]
pub mod recorder;
mod robust;
mod rwlock;
mod sched;
mod semaphore;
mod semihosting;
mod service;
mod shake;
pub mod signal;
mod spin;
pub mod start;
mod stat;
mod storage;
mod thread;
mod tls;

pub use flyball_script::Note;

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
