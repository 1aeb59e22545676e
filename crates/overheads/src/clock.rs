//! The processor's time-stamp counter.
//!
//! It is calibrated against the monotonic clock of the operating system, and what reading it costs
//! is known: the mean of readings one right behind the other, where nothing interrupted them.
//!
//! A reading stands between two `lfence`, so that nothing of what is timed is done before the first
//! reading or after the second one (Intel, "How to Benchmark Code Execution Times", 2010, has
//! `cpuid` for that, which a virtual machine hands to its host and which costs a thousand times as
//! much).

use std::time::{Duration, Instant};

/// The counter of this processor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    nanoseconds: f64,
    reading: f64,
}

impl Clock {
    /// For how long the counter is compared with the clock of the operating system.
    const CALIBRATION: Duration = Duration::from_millis(100);

    /// How many readings are taken together to find out what one costs.
    const BATCH: usize = 1_000;

    /// Finds out how fast the counter counts, and what it costs to read it.
    ///
    /// # Errors
    /// Why this processor's counter is of no use.
    pub fn calibrate() -> Result<Clock, &'static str> {
        check()?;
        let begin = both();
        while begin.1.elapsed() < Clock::CALIBRATION {
            std::hint::spin_loop();
        }
        let end = both();
        let passed = end.1.duration_since(begin.1).as_nanos();
        #[expect(clippy::cast_precision_loss, reason = "both are below 2^53")]
        let nanoseconds = passed as f64 / (end.0 - begin.0) as f64;
        if !nanoseconds.is_finite() || nanoseconds <= 0.0 {
            return Err("its time-stamp counter stands still");
        }
        let mut clock = Clock {
            nanoseconds,
            reading: 0.0,
        };
        // The counter of some processors counts in large steps, so that single readings say little:
        // of many means, the one with the least disturbance.
        let batch = |_| {
            let before = stamp();
            for _ in 1..Clock::BATCH {
                stamp();
            }
            #[expect(clippy::cast_precision_loss, reason = "it is small")]
            let each = clock.between(before, stamp()) / Clock::BATCH as f64;
            each
        };
        clock.reading = (0..200).map(batch).fold(f64::INFINITY, f64::min);
        Ok(clock)
    }

    /// What it costs to read the counter, in nanoseconds: it is in every stretch between two
    /// stamps.
    pub fn reading(&self) -> f64 {
        self.reading
    }

    /// How many millions of times the counter counts in a second.
    pub fn megahertz(&self) -> f64 {
        1e3 / self.nanoseconds
    }

    /// The nanoseconds between two stamps, as they are.
    #[inline]
    pub fn between(&self, before: u64, after: u64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "stretches are short")]
        let ticks = after.saturating_sub(before) as f64;
        ticks * self.nanoseconds
    }

    /// The nanoseconds that whatever stands between two stamps takes: without the reading.
    #[inline]
    pub fn net(&self, before: u64, after: u64) -> f64 {
        self.between(before, after) - self.reading
    }
}

/// A stamp and the instant of the operating system's clock that belongs to it: of some pairs the
/// one that was taken fastest, so that nothing interrupted it.
fn both() -> (u64, Instant) {
    let pair = |_| {
        let before = stamp();
        let instant = Instant::now();
        let after = stamp();
        (after - before, (before + (after - before) / 2, instant))
    };
    let pairs = (0..32).map(pair);
    // There are 32 of them.
    pairs
        .min_by_key(|pair| pair.0)
        .map_or_else(|| (stamp(), Instant::now()), |pair| pair.1)
}

/// Reads the counter.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn stamp() -> u64 {
    use core::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: both instructions are there on every x86-64 processor; should the operating system
    // not permit `rdtsc`, it ends the process.
    unsafe {
        _mm_lfence();
        let stamp = _rdtsc();
        _mm_lfence();
        stamp
    }
}

/// There is no counter: see [`Clock::calibrate`], without which this has no use.
#[cfg(not(target_arch = "x86_64"))]
pub fn stamp() -> u64 {
    0
}

/// Whether the counter counts at the same speed whatever the processor does.
#[cfg(target_arch = "x86_64")]
fn check() -> Result<(), &'static str> {
    use core::arch::x86_64::__cpuid;
    let leaf = |number| __cpuid(number);
    if leaf(0x8000_0000).eax < 0x8000_0007 || leaf(0x8000_0007).edx & (1 << 8) == 0 {
        return Err("its time-stamp counter changes its speed with the processor's");
    }
    Ok(())
}

#[cfg(not(target_arch = "x86_64"))]
fn check() -> Result<(), &'static str> {
    Err("it is no x86-64, whose time-stamp counter this needs")
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Not how long anything takes, which depends on what else is at work.
    #[test]
    fn the_counter_keeps_the_time_of_the_operating_system() {
        let clock = Clock::calibrate().unwrap();
        let (before, since) = both();
        std::thread::sleep(Duration::from_millis(50));
        let (after, until) = both();
        let here = clock.between(before, after);
        let there = until.duration_since(since).as_secs_f64() * 1e9;
        assert!((here / there - 1.0).abs() < 0.01, "{here} and {there}");
        assert!(clock.reading() > 0.0);
    }
}
