//! What the CPUs of a machine need to share a kernel, without any hardware.
//!
//! | module | what |
//! |---|---|
//! | [`lock`] | a lock for which CPUs wait in line, asleep |
//! | [`presence`] | which CPUs are about to look by themselves, and need no interrupt |
//! | [`word`] | mutexes and semaphores that no thread waits for, in the program's memory |
//!
//! The first two are all that is between the CPUs of a cluster: the CPU that has the lock has the
//! kernel's core, and before it gives the lock back it interrupts the CPUs that must reschedule and
//! would not. They are made of atomics and of a [`Doorbell`], so that all orders in which things
//! can happen are tried by a model checker
//! (`RUSTFLAGS="--cfg loom" cargo test -p flyball-multicore --release`).
#![cfg_attr(not(any(test, loom)), no_std)]

#[cfg(target_has_atomic = "64")]
pub mod lock;
pub mod presence;
pub mod word;

#[cfg(target_has_atomic = "64")]
pub use lock::FairLock;
pub use presence::Presence;
pub use word::{State, Word};

/// What atomics are made of.
pub(crate) mod atomic {
    #[cfg(not(loom))]
    pub(crate) use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    #[cfg(all(not(loom), target_has_atomic = "64"))]
    pub(crate) use core::sync::atomic::{AtomicU8, AtomicU64};
    #[cfg(loom)]
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
}

/// A signal that one CPU sends to another: an interprocessor interrupt, which is remembered until
/// it is seen.
pub trait Doorbell {
    /// Rings at `cpu`. What was written before is seen by the CPU that sees the signal.
    fn ring(&self, cpu: u8);

    /// `cpu`, which is the one that calls, sleeps until it has been rung for, unless that has
    /// happened already, and forgets the signal. It may come back without one.
    fn wait(&self, cpu: u8);

    /// `cpu`, which is the one that calls, waits a moment for another CPU to do its next few
    /// instructions. No signal is lost.
    fn pause(&self, cpu: u8);
}
