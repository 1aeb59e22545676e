//! Jobs that end and jobs that come: the *hold model*, by which priority queues are compared
//! (Jones, "An empirical comparison of priority-queue and event-set implementations", 1986).
//!
//! All threads have jobs, but for a few. In each round a running thread's job ends, and it is
//! decided which thread runs there; then an event releases a job of a thread that has none. So the
//! queue always has about as many threads as there are, each round is one removal and one insertion
//! somewhere in it (under EDF anywhere; under fixed priorities near its head, as a thread that is
//! not urgent waits for ever where there is always another one), and there is a deadline to be
//! watched for each of them.

use super::{Kind, Measured, Random, Results, Sampled, Task};
use crate::Error;
use crate::clock::{Clock, stamp};
use crate::measurements::Quantity;
use flyball_kernel::{Attributes, Core, Entry, Sizes, ThreadId, Timing};
use flyball_policy::{CpuId, Duration, Time};

/// How long it takes until as many jobs have ended as there are threads. It is less than the mean
/// of the deadlines, so that under EDF no job is late, and so much that all threads have their
/// turns.
const ROUND: Duration = Duration::from_millis(10);

/// A kernel and the threads in it.
struct Ring<K: Kind, const CPUS: usize> {
    core: Box<Core<Measured<K, CPUS>>>,
    now: Time,
    /// By row.
    threads: Vec<ThreadId>,
    /// Those without a job.
    resting: Vec<usize>,
    cpus: u8,
    /// How much time passes between the end of a job and the next.
    step: Duration,
    random: Random,
}

/// Measures how jobs end and are released.
pub(super) fn measure<K: Kind, const CPUS: usize>(task: Task<'_>) -> Result<Results, Error> {
    let mut ring = Ring::<K, CPUS>::new(task)?;
    let quantities = [
        Quantity::Scheduling,
        Quantity::Call,
        Quantity::Decision,
        Quantity::WakeUp,
    ];
    let mut sampled = Sampled::new(quantities, task.repetitions);
    for round in 0..task.repetitions + task.repetitions / 10 {
        let times = ring.round(task.clock)?;
        // Before that caches and branch predictors learn.
        if round >= task.repetitions / 10 {
            sampled.push(times);
        }
    }
    Ok(sampled.results())
}

impl<K: Kind, const CPUS: usize> Ring<K, CPUS> {
    fn new(task: Task<'_>) -> Result<Self, Error> {
        let mut ring = Ring {
            core: Box::new(Core::new(
                K::policy(task.cpus)?,
                flyball_trace::NoTrace,
                Timing::Tickless,
                &Sizes::FIXED,
            )),
            now: Time::ZERO,
            threads: Vec::with_capacity(task.threads),
            resting: Vec::new(),
            cpus: task.cpus,
            step: Duration::from_nanos(ROUND.as_nanos() / task.threads.max(1) as u64),
            random: Random::new(),
        };
        for row in 0..task.threads {
            let period = ring.random.period();
            let attributes = Attributes {
                deadline: Some(period),
                ..Attributes::sporadic(Duration::from_nanos(1))
            };
            let params = K::params(period)?;
            let thread = ring.core.spawn(CpuId(0), attributes, params, ring.now)?;
            ring.threads.push(thread);
            debug_assert_eq!(thread.task().index(), row);
            if row % 8 == 7 {
                ring.resting.push(row);
            } else {
                ring.core.release(CpuId(0), thread, ring.now, ring.now)?;
            }
        }
        ring.settle();
        Ok(ring)
    }

    /// Every CPU that was told to looks.
    fn settle(&mut self) {
        for cpu in (0..self.cpus).map(CpuId) {
            if self.core.needs_resched(cpu) {
                let now = self.now;
                let entry = Entry::begin(&mut self.core, cpu, true, now);
                let _next = entry.end(&mut self.core, now);
            }
        }
    }

    /// A job ends, and one comes. Returns how long it took: both halves of the former together,
    /// each, and the latter.
    fn round(&mut self, clock: &Clock) -> Result<[f64; 4], Error> {
        self.now += self.step;
        let now = self.now;
        let cpu = self.busy();
        let row = self
            .core
            .running_task(cpu)
            .map(flyball_policy::TaskId::index);

        let before = stamp();
        let entry = Entry::begin(&mut self.core, cpu, true, now);
        let ended = self.core.wait_next(cpu, now);
        let called = stamp();
        let next = entry.end(&mut self.core, now);
        let decided = stamp();

        let _ = core::hint::black_box((ended?, next));
        self.settle();
        self.resting.extend(row);
        let place = self.random.below(self.resting.len() as u64);
        let place = usize::try_from(place).unwrap_or(0);
        let thread = self.threads[self.resting.swap_remove(place)];

        let event = stamp();
        let entry = Entry::begin(&mut self.core, cpu, true, now);
        let released = self.core.release(cpu, thread, now, now);
        let next = entry.end(&mut self.core, now);
        let served = stamp();

        released?;
        let _ = core::hint::black_box(next);
        self.settle();
        let call = clock.net(before, called);
        let decision = clock.net(called, decided);
        Ok([call + decision, call, decision, clock.net(event, served)])
    }

    /// A CPU that is busy: a random one, or the next. There is one, as some thread has a job.
    fn busy(&mut self) -> CpuId {
        let first = self.random.below(u64::from(self.cpus));
        let first = u8::try_from(first).unwrap_or(0);
        let mut cpus = (0..self.cpus).map(|next| CpuId((first + next) % self.cpus));
        let busy = cpus.find(|&cpu| self.core.running_task(cpu).is_some());
        busy.unwrap_or(CpuId(0))
    }
}
