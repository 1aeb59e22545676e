//! Cache-related preemption and migration delay by the size of a job's working set (Gracioli et
//! al., section 5.3).
//!
//! A job writes its working set and reads it twice; the second reading is *warm*. Then it is
//!
//! * *preempted*: another job reads and writes a working set twice as large as the last-level
//!   cache;
//! * or *migrated*: it goes on on another CPU. As it has written its working set, that CPU's caches
//!   have nothing of it.
//!
//! It reads its working set again, and the delay is by how much this takes longer than a warm
//! reading does. The paper's authors had `wbinvd` empty the caches, which only a kernel may do. As
//! there, memory is read from its beginning to its end, so that what the processor fetches in
//! advance is in the result.

use crate::clock::{Clock, stamp};
use crate::counters::Misses;
use crate::linux;
use crate::measurements::{Delay, Delayed, Interference};
use crate::plan::Plan;
use crate::stats::Samples;
use crate::{Error, Pace};
use std::hint::black_box;

/// What is taken for the size of the last-level cache where it cannot be found out.
const LAST_LEVEL: usize = 32 << 20;

/// No more than this is read to empty the caches.
const MOST: usize = 256 << 20;

/// Into how many parts the measurement falls.
pub(crate) fn parts(plan: &Plan) -> usize {
    plan.working_sets.len()
}

/// Measures all of it: both delays of each working set, from 10 to 200 times each.
pub(crate) fn measure(
    plan: &Plan,
    cpus: &[usize],
    clock: &Clock,
    pace: &mut Pace<'_, '_>,
) -> Result<(Vec<Delay>, Option<String>), Error> {
    let mut delays = Vec::new();
    if plan.working_sets.is_empty() {
        return Ok((delays, None));
    }
    let mut counter = Misses::new();
    let repetitions = (plan.repetitions / 2_000).clamp(10, 200);
    let mut polluter = vec![1_u64; (2 * last_level()).min(MOST) / size_of::<u64>()];
    for &bytes in &plan.working_sets {
        pace.next("cache")?;
        let mut job = Job {
            set: vec![1; bytes.div_ceil(size_of::<u64>())],
            polluter: &mut polluter,
            counter: counter.as_mut().ok(),
            cpus,
        };
        for interference in Interference::ALL {
            delays.push(Delay {
                bytes,
                interference,
                result: job.measure(interference, repetitions, clock),
            });
        }
    }
    Ok((delays, counter.err()))
}

/// The size of the last-level cache, in bytes.
fn last_level() -> usize {
    let size = |level: u8| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{level}/size");
        let text = std::fs::read_to_string(path).ok()?;
        let kilobytes: usize = text.trim().strip_suffix('K')?.parse().ok()?;
        Some(kilobytes << 10)
    };
    (2..=4).rev().find_map(size).unwrap_or(LAST_LEVEL)
}

struct Job<'a> {
    set: Vec<u64>,
    polluter: &'a mut [u64],
    counter: Option<&'a mut Misses>,
    cpus: &'a [usize],
}

impl Job<'_> {
    fn measure(
        &mut self,
        interference: Interference,
        repetitions: usize,
        clock: &Clock,
    ) -> Result<Delayed, String> {
        let first = self.cpus.first().copied();
        if interference == Interference::Migration && self.cpus.len() < 2 {
            return Err("there is only one CPU".into());
        }
        let mut warm = Samples::with_capacity(repetitions);
        let mut cold = Vec::with_capacity(repetitions);
        let mut misses = 0;
        for _ in 0..repetitions {
            let place = first.map(linux::Pinned::on);
            write(&mut self.set);
            self.read(clock);
            let (before, expected) = self.read(clock);
            warm.push(before);
            let moved = match interference {
                Interference::Preemption => {
                    write(self.polluter);
                    None
                }
                Interference::Migration => self.cpus.get(1).copied().map(linux::Pinned::on),
            };
            let (after, counted) = self.read(clock);
            cold.push(after);
            misses += counted.saturating_sub(expected);
            drop((moved, place));
        }
        let warm = warm.summary().median;
        let mut delay = Samples::with_capacity(repetitions);
        for time in cold {
            delay.push(time - warm);
        }
        #[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^53")]
        let misses = self
            .counter
            .is_some()
            .then(|| misses as f64 / repetitions as f64);
        Ok(Delayed {
            warm,
            delay: delay.summary(),
            misses,
        })
    }

    /// Reads the working set: how long it takes, and how many misses there are.
    fn read(&mut self, clock: &Clock) -> (f64, u64) {
        let count = |counter: &mut Option<&mut Misses>| counter.as_mut()?.count();
        let begin = count(&mut self.counter);
        let before = stamp();
        black_box(
            black_box(&self.set)
                .iter()
                .copied()
                .fold(0, u64::wrapping_add),
        );
        let after = stamp();
        let end = count(&mut self.counter);
        let misses = end.unwrap_or(0).saturating_sub(begin.unwrap_or(0));
        (clock.net(before, after), misses)
    }
}

/// Reads and writes all of it, so that it is in this CPU's caches and in no other's.
fn write(set: &mut [u64]) {
    for word in black_box(set) {
        *word = word.wrapping_add(1);
    }
}
