//! Which CPUs are about to look by themselves.
//!
//! A CPU in the kernel may find that another CPU has to look which thread runs there. If that one
//! is on its way into the kernel already it will look without being interrupted: it has said that
//! it comes before it waited for the lock, and it takes that back only while it has the lock, after
//! it has looked.
//!
//! ```text
//!   a CPU comes in:   arrive   lock   … look …   depart   unlock
//!   another one:               lock   … "look!"; ring unless it is here …   unlock
//! ```
//!
//! The two stretches with the lock exclude each other. If ours comes first, the other one looks
//! afterwards, as it has arrived or is rung for. If it comes second, the other one has departed,
//! and is rung for.

use crate::Doorbell;
use crate::atomic::{AtomicBool, Ordering};

/// Which of at most `CPUS` CPUs are inside.
#[derive(Debug)]
pub struct Presence<const CPUS: usize> {
    inside: [AtomicBool; CPUS],
}

impl<const CPUS: usize> Presence<CPUS> {
    /// No CPU is.
    #[cfg(not(loom))]
    pub const fn new() -> Presence<CPUS> {
        Presence {
            inside: [const { AtomicBool::new(false) }; CPUS],
        }
    }

    /// No CPU is.
    #[cfg(loom)]
    pub fn new() -> Presence<CPUS> {
        Presence {
            inside: std::array::from_fn(|_| AtomicBool::new(false)),
        }
    }

    /// `cpu` comes, and is going to look. To be said before it waits for the lock.
    ///
    /// # Panics
    /// If there is no such CPU.
    #[inline]
    pub fn arrive(&self, cpu: u8) {
        self.inside[usize::from(cpu)].store(true, Ordering::SeqCst);
    }

    /// `cpu`, which has the lock, has looked.
    ///
    /// # Panics
    /// If there is no such CPU.
    #[inline]
    pub fn depart(&self, cpu: u8) {
        self.inside[usize::from(cpu)].store(false, Ordering::SeqCst);
    }

    /// Has `cpu` look: rings unless it does so by itself. To be called with the lock, by another
    /// CPU, after what there is to see. Returns whether it rang.
    ///
    /// # Panics
    /// If there is no such CPU.
    #[inline]
    pub fn call(&self, cpu: u8, bell: &impl Doorbell) -> bool {
        let absent = !self.inside[usize::from(cpu)].load(Ordering::SeqCst);
        if absent {
            bell.ring(cpu);
        }
        absent
    }
}

impl<const CPUS: usize> Default for Presence<CPUS> {
    fn default() -> Self {
        Presence::new()
    }
}
