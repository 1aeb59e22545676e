//! How long it takes to interrupt another CPU.
//!
//! A kernel that schedules several CPUs interrupts those that have to look again. The processor's
//! part of that is the same under every operating system, but a process may not send interrupts. It
//! can have them sent: `membarrier(2)` interrupts every CPU on which a thread of the caller's
//! process runs, and comes back when all have answered.
//!
//! One thread runs on another CPU and does nothing but read the clock. Where two readings are far
//! apart, it was interrupted in between. So the *latency* is the time from before the call to the
//! last reading before the gap, as it is defined by Brandenburg ("Scheduling and locking in
//! multiprocessor real-time operating systems", 2011, section 3.5). It has the way into Linux's
//! system call in it, which a kernel without privileges would not have, and in a virtual machine
//! the hypervisor's part of an interrupt.
//!
//! The counters of both CPUs have to agree. They do on processors whose counter never changes its
//! speed, unless one of them has been set; then most interrupts seem to come before they are asked
//! for, which is an error.

use super::Pinned;
use crate::clock::{Clock, stamp};
use crate::stats::Samples;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use rustix::thread::{MembarrierCommand, membarrier};
use std::thread;

/// Readings as far apart as that have something in between, in nanoseconds. One follows the other
/// after some ten, and no interrupt is as short.
const GAP: f64 = 100.0;

/// How often a thread looks whether the gap that it waits for has been told.
const LOOKS: usize = 100_000;

/// A gap that is waited for.
#[derive(Default)]
struct Gap {
    /// When the interrupt was asked for; zero if none is.
    asked: AtomicU64,
    /// The last reading before the gap; zero until it is known.
    taken: AtomicU64,
    over: AtomicBool,
}

/// Measures from the first CPU to the second.
pub(super) fn measure(
    cpus: &[usize],
    repetitions: usize,
    clock: &Clock,
) -> Result<Samples, String> {
    let &[here, there, ..] = cpus else {
        return Err("there is only one CPU".into());
    };
    membarrier(MembarrierCommand::RegisterPrivateExpedited).map_err(said)?;
    let gap = Gap::default();
    thread::scope(|scope| {
        scope.spawn(|| {
            let _pinned = Pinned::on(there);
            gap.watch(clock);
        });
        let _pinned = Pinned::on(here);
        let samples = gap.interrupt(repetitions, clock);
        gap.over.store(true, Ordering::Relaxed);
        samples
    })
}

impl Gap {
    /// Reads the clock until it is over, and tells of the gaps that were asked for.
    fn watch(&self, clock: &Clock) {
        let mut last = stamp();
        while !self.over.load(Ordering::Relaxed) {
            let now = stamp();
            if clock.between(last, now) > GAP {
                let asked = self.asked.load(Ordering::Acquire);
                // A gap that was over before is another one.
                if asked != 0 && now > asked && self.taken.load(Ordering::Relaxed) == 0 {
                    self.taken.store(last, Ordering::Release);
                }
                last = stamp();
            } else {
                last = now;
            }
        }
    }

    fn interrupt(&self, repetitions: usize, clock: &Clock) -> Result<Samples, String> {
        let mut samples = Samples::with_capacity(repetitions);
        let mut early = 0;
        // Where the other thread does not run just now it is not interrupted, so nothing is told.
        for _ in 0..repetitions.saturating_mul(2) {
            if samples.len() == repetitions {
                break;
            }
            self.taken.store(0, Ordering::Relaxed);
            let asked = stamp();
            self.asked.store(asked, Ordering::Release);
            membarrier(MembarrierCommand::PrivateExpedited).map_err(said)?;
            let told = (0..LOOKS).find_map(|_| {
                std::hint::spin_loop();
                Some(self.taken.load(Ordering::Acquire)).filter(|&taken| taken != 0)
            });
            self.asked.store(0, Ordering::Relaxed);
            match told {
                Some(taken) if taken >= asked => samples.push(clock.net(asked, taken)),
                // Something else had interrupted it before.
                Some(_) => early += 1,
                None => {}
            }
        }
        if early > repetitions {
            return Err("the time-stamp counters of two CPUs do not agree".into());
        }
        if samples.len() < repetitions {
            return Err("the other CPU is not to be had".into());
        }
        Ok(samples)
    }
}

fn said(error: rustix::io::Errno) -> String {
    format!("there is no membarrier: {error}")
}
