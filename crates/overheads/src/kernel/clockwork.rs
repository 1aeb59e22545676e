//! Jobs that the clock releases: periodic ticks, and the timer's interrupt.

use super::{Kind, Measured, Random, Results, Sampled, Task};
use crate::Error;
use crate::clock::stamp;
use crate::measurements::Quantity;
use flyball_kernel::{Attributes, Core, Entry, Sizes, Timing};
use flyball_policy::{CpuId, Duration, Time};
use flyball_trace::NoTrace;

/// The length of a tick.
const TICK: Duration = Duration::from_millis(1);

/// A kernel of periodic threads with short periods, all of which sleep until `start` or a while
/// later.
struct Clockwork<K: Kind, const CPUS: usize> {
    core: Box<Core<Measured<K, CPUS>>>,
    now: Time,
    cpus: u8,
}

/// Measures ticks and releases.
pub(super) fn measure<K: Kind, const CPUS: usize>(task: Task<'_>) -> Result<Results, Error> {
    let mut results = quiet::<K, CPUS>(task)?;
    results.extend(ticks::<K, CPUS>(task)?);
    results.extend(releases::<K, CPUS>(task)?);
    Ok(results)
}

/// Ticks at which nothing happens: all threads sleep for longer than that.
fn quiet<K: Kind, const CPUS: usize>(task: Task<'_>) -> Result<Results, Error> {
    let mut work =
        Clockwork::<K, CPUS>::new(task, Timing::Tick(TICK), Duration::from_secs(1 << 30))?;
    let mut sampled = Sampled::new([Quantity::Tick], task.repetitions);
    for _ in 0..task.repetitions {
        let (_, nanoseconds) = work.interrupt(work.now + TICK, task);
        sampled.push([nanoseconds]);
    }
    Ok(sampled.results())
}

/// Ticks, each with what has become due since the last one. There are as many ticks as repetitions,
/// or fewer, if so many jobs have been released before.
fn ticks<K: Kind, const CPUS: usize>(task: Task<'_>) -> Result<Results, Error> {
    let mut work = Clockwork::<K, CPUS>::new(task, Timing::Tick(TICK), Duration::ZERO)?;
    let mut sampled = Sampled::new([Quantity::TickAndReleases], task.repetitions);
    let mut released = 0;
    for _ in 0..task.repetitions {
        let (jobs, nanoseconds) = work.interrupt(work.now + TICK, task);
        sampled.push([nanoseconds]);
        work.work_off()?;
        released += jobs as usize;
        if released >= task.repetitions {
            break;
        }
    }
    Ok(sampled.results())
}

/// Interrupts of a timer that is set to the next release.
fn releases<K: Kind, const CPUS: usize>(task: Task<'_>) -> Result<Results, Error> {
    let mut work = Clockwork::<K, CPUS>::new(task, Timing::Tickless, Duration::ZERO)?;
    let mut sampled = Sampled::new([Quantity::Release], task.repetitions);
    for _ in 0..task.repetitions {
        let (jobs, nanoseconds) = work.interrupt(work.core.next_timer(CpuId(0)), task);
        if jobs > 0 {
            sampled.push([nanoseconds / f64::from(jobs)]);
        }
        work.work_off()?;
    }
    Ok(sampled.results())
}

impl<K: Kind, const CPUS: usize> Clockwork<K, CPUS> {
    fn new(task: Task<'_>, timing: Timing, start: Duration) -> Result<Self, Error> {
        let policy = K::policy(task.cpus)?;
        let mut core = Box::new(Core::new(policy, NoTrace, timing, &Sizes::FIXED));
        let mut random = Random::new();
        for _ in 0..task.threads {
            let period = random.period();
            // Not at once: no thread runs yet.
            let phase = Duration::from_micros(1 + random.below(period.as_nanos() / 1_000));
            let attributes = Attributes {
                start: Time::ZERO + start + phase,
                ..Attributes::periodic(period)
            };
            core.spawn(CpuId(0), attributes, K::params(period)?, Time::ZERO)?;
        }
        Ok(Clockwork {
            core,
            now: Time::ZERO,
            cpus: task.cpus,
        })
    }

    /// The timer interrupts at `at`: how many jobs are released, and how long its handler takes.
    fn interrupt(&mut self, at: Time, task: Task<'_>) -> (u32, f64) {
        self.now = at.max(self.now);
        let before = stamp();
        let now = self.now;
        let entry = Entry::begin(&mut self.core, CpuId(0), true, now);
        let jobs = self.core.timer(CpuId(0), now);
        let after = stamp();
        // It is decided when the jobs are worked off.
        let _next = entry.defer(&mut self.core, now);
        (jobs, task.clock.net(before, after))
    }

    /// All jobs run and end, at once.
    fn work_off(&mut self) -> Result<(), Error> {
        let now = self.now;
        loop {
            let mut is_busy = false;
            for cpu in (0..self.cpus).map(CpuId) {
                let entry = Entry::begin(&mut self.core, cpu, true, now);
                if self.core.running_task(cpu).is_some() {
                    let _ = self.core.wait_next(cpu, now)?;
                }
                let _next = entry.end(&mut self.core, now);
                is_busy |= self.core.running_task(cpu).is_some();
            }
            if !is_busy {
                return Ok(());
            }
        }
    }
}
