//! Two threads that hand over to each other.

use super::class::Under;
use crate::clock::{Clock, stamp};
use crate::measurements::Class;
use crate::stats::Samples;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use rustix::thread::futex;
use std::thread;

/// The thread whose turn it is, and when the other one gave it away.
pub(super) struct Baton {
    turn: AtomicU32,
    stamp: AtomicU64,
}

/// The value of a baton that ends it.
const OVER: u32 = u32::MAX;

impl Baton {
    pub(super) const fn new() -> Baton {
        Baton {
            turn: AtomicU32::new(0),
            stamp: AtomicU64::new(0),
        }
    }

    /// It is `whose` turn now.
    #[inline]
    pub(super) fn give(&self, whose: u32) {
        self.stamp.store(stamp(), Ordering::Relaxed);
        let turn = self.turn.load(Ordering::Relaxed);
        let (new, old) = (Ordering::Release, Ordering::Relaxed);
        if turn == OVER || self.turn.compare_exchange(turn, whose, new, old).is_err() {
            // Only the end can come in between.
            return;
        }
        // Where no thread waits none is woken.
        let _ = futex::wake(&self.turn, futex::Flags::PRIVATE, 1);
    }

    /// Waits until it is `whose` turn; returns when it was given and when it was taken; `None`: it
    /// is over.
    #[inline]
    pub(super) fn take(&self, whose: u32) -> Option<(u64, u64)> {
        loop {
            match self.turn.load(Ordering::Acquire) {
                OVER => return None,
                turn if turn == whose => {
                    return Some((self.stamp.load(Ordering::Relaxed), stamp()));
                }
                // Woken, interrupted, or too late to wait: it looks again.
                turn => {
                    let _ = futex::wait(&self.turn, futex::Flags::PRIVATE, turn, None);
                }
            }
        }
    }

    /// No thread has to wait any more.
    pub(super) fn end(&self) {
        self.turn.store(OVER, Ordering::Release);
        let _ = futex::wake(&self.turn, futex::Flags::PRIVATE, u32::MAX >> 1);
    }
}

/// Measures hand-overs between two threads on the first CPU.
pub(super) fn measure(
    class: Class,
    cpus: &[usize],
    repetitions: usize,
    clock: &Clock,
) -> Result<Samples, String> {
    let cpu = cpus.first().copied();
    let baton = Baton::new();
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            let under = Under::new(class, cpu);
            while under.is_ok() && baton.take(1).is_some() {
                baton.give(0);
            }
            baton.end();
            under.map(drop)
        });
        let samples = Under::new(class, cpu).map(|_under| {
            let mut samples = Samples::with_capacity(repetitions);
            while samples.len() < repetitions {
                baton.give(1);
                let Some((given, taken)) = baton.take(0) else {
                    break;
                };
                samples.push(clock.net(given, taken));
            }
            samples
        });
        baton.end();
        let permitted = other.join().map_err(|_| "a thread has failed".to_owned());
        permitted??;
        samples
    })
}
