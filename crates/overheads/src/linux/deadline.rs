//! Threads under Linux's `SCHED_DEADLINE`: which of them it admits, how much CPU time they get, and
//! how many of their jobs are late. They compute, so this is what its rule does on this machine.
//!
//! Linux stops a thread whose budget is used up at its next tick, and takes what was too much from
//! the next budgets. So instants say little, and sums over a second or so do.

use super::class::Under;
use core::fmt;
use flyball_trace::Duration;
use rustix::thread::{ClockId, clock_nanosleep_absolute};
use rustix::time::{Timespec, clock_gettime};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// A thread with a budget, whose jobs come with the period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thread {
    /// How much CPU time it has in each period: Linux's `runtime`.
    pub budget: Duration,
    /// How long after the begin of a period that is to be had at the latest, and its jobs done.
    pub deadline: Duration,
    /// The period.
    pub period: Duration,
    /// How much each job computes.
    pub length: Duration,
    /// Whether it may use what other threads leave over: Linux's flag `SCHED_FLAG_RECLAIM`.
    pub reclaims: bool,
}

/// Why Linux does not admit a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Its numbers make no sense (`EINVAL`).
    Invalid,
    /// All threads together would ask for too much (`EBUSY`).
    Busy,
    /// This process may not ask for it (`EPERM`), or there is no such policy (`ENOSYS`).
    NotPermitted,
    /// An error of this number.
    Other(i32),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Invalid => f.write_str("the numbers make no sense"),
            Refusal::Busy => f.write_str("together the threads ask for too much"),
            Refusal::NotPermitted => f.write_str("SCHED_DEADLINE is not permitted here"),
            Refusal::Other(number) => io::Error::from_raw_os_error(*number).fmt(f),
        }
    }
}

impl core::error::Error for Refusal {}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        match error.raw_os_error() {
            Some(libc::EINVAL) => Refusal::Invalid,
            Some(libc::EBUSY) => Refusal::Busy,
            Some(libc::EPERM | libc::ENOSYS) => Refusal::NotPermitted,
            other => Refusal::Other(other.unwrap_or(0)),
        }
    }
}

/// What a thread has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ran {
    /// The CPU time that it got.
    pub cpu_time: Duration,
    /// The jobs whose deadlines were within the time.
    pub jobs: u64,
    /// Those of them that were late.
    pub late: u64,
}

/// Lets threads ask Linux for their budgets, one after the other, and those that it admits compute
/// for `time`; their first jobs come together. With no time this says which are admitted.
///
/// It takes about `time` and the longest period, as Linux keeps a budget until its period is over.
///
/// # Errors
/// For each thread why it is not admitted.
pub fn run(threads: &[Thread], time: Duration) -> Vec<Result<Ran, Refusal>> {
    let results: Vec<Result<Ran, Refusal>> = thread::scope(|scope| {
        let mut running = Vec::new();
        for &thread in threads {
            let (admitted, answer) = channel();
            let (begin, begun) = channel();
            let handle = scope.spawn(move || thread.run(&admitted, &begun, time));
            // A thread that ends without an answer has failed, and `join` says so.
            let _ = answer.recv();
            running.push((handle, begin));
        }
        let now = clock_gettime(ClockId::Monotonic);
        let first = instant(now) + PREPARATION.as_nanos();
        for (_, begin) in &running {
            // One that is not admitted waits for no begin.
            let _ = begin.send(first);
        }
        let ended = running.into_iter();
        let results = ended.map(|(handle, _)| handle.join().unwrap_or(Err(Refusal::Other(0))));
        results.collect()
    });
    let admitted = threads.iter().zip(&results).filter(|(_, it)| it.is_ok());
    let longest = admitted.map(|(thread, _)| thread.period).max();
    let rest = longest.unwrap_or_default() + PREPARATION;
    thread::sleep(std::time::Duration::from_nanos(rest.as_nanos()));
    results
}

/// What Linux lets all threads ask for together, in millionths of a CPU, to about a thousandth of a
/// CPU: found by asking for it.
///
/// # Errors
/// Why it lets them ask for nothing.
pub fn limit() -> Result<u64, Refusal> {
    /// What one thread asks for at most, in millionths of a CPU.
    const MOST: u64 = 500_000;
    let thread = |millionths: u64| Thread {
        budget: Duration::from_nanos(millionths * 20),
        deadline: Duration::from_millis(20),
        period: Duration::from_millis(20),
        length: Duration::ZERO,
        reclaims: false,
    };
    let ask = |sum: u64| {
        let rest = sum % MOST;
        let all = (0..sum / MOST).map(|_| MOST);
        let all = all.chain((rest > 0).then_some(rest)).map(thread);
        let threads: Vec<_> = all.collect();
        let answers = run(&threads, Duration::ZERO);
        answers
            .into_iter()
            .try_for_each(|answer| answer.map(|_| ()))
    };
    let mut sum = 0;
    ask(1_000)?;
    for halved in 0..10 {
        let step = MOST >> halved;
        while ask(sum + step).is_ok() {
            sum += step;
        }
    }
    Ok(sum)
}

/// The time from when all threads are there to their first jobs.
const PREPARATION: Duration = Duration::from_millis(20);

impl Thread {
    /// Asks for the budget, says when that is answered, and computes from the instant on that it is told.
    fn run(
        &self,
        admitted: &Sender<()>,
        begin: &Receiver<u64>,
        time: Duration,
    ) -> Result<Ran, Refusal> {
        let lengths = [self.budget, self.deadline, self.period].map(Duration::as_nanos);
        let [budget, deadline, period] = lengths;
        let under = Under::reservation(budget, deadline, period, self.reclaims);
        // The caller waits for it.
        let _ = admitted.send(());
        let _under = under?;
        match begin.recv() {
            Ok(first) if !time.is_zero() => Ok(self.compute(first, time.as_nanos())),
            _ => Ok(Ran::default()),
        }
    }

    /// Jobs from the instant `first` on, up to where `time` is over.
    fn compute(&self, first: u64, time: u64) -> Ran {
        let lengths = [self.length, self.deadline, self.period].map(Duration::as_nanos);
        let [length, deadline, period] = lengths;
        let end = first + time;
        let mut ran = Ran {
            cpu_time: Duration::ZERO,
            // Those whose deadlines are not after the end.
            jobs: (time + period).saturating_sub(deadline) / period,
            late: 0,
        };
        let (mut before, mut in_time) = (None, 0);
        let releases = (0..).map(|job| first + job * period);
        for release in releases.take_while(|&release| release < end) {
            // If it is over this returns at once.
            let _ = clock_nanosleep_absolute(ClockId::Monotonic, &timespec(release));
            let used = cpu_time();
            before.get_or_insert(used);
            while cpu_time() < used + length && now() < end {}
            let done = now();
            in_time += u64::from(done <= release + deadline && release + deadline <= end);
        }
        let used = cpu_time() - before.unwrap_or_default();
        ran.cpu_time = Duration::from_nanos(used);
        ran.late = ran.jobs.saturating_sub(in_time);
        ran
    }
}

fn now() -> u64 {
    instant(clock_gettime(ClockId::Monotonic))
}

/// What the calling thread has used.
fn cpu_time() -> u64 {
    instant(clock_gettime(ClockId::ThreadCPUTime))
}

/// In nanoseconds. No clock here is negative.
fn instant(time: Timespec) -> u64 {
    let [seconds, nanoseconds] =
        [time.tv_sec, time.tv_nsec].map(|it| u64::try_from(it).unwrap_or(0));
    seconds * 1_000_000_000 + nanoseconds
}

fn timespec(instant: u64) -> Timespec {
    // It lies within moments of a time that was one.
    let [tv_sec, tv_nsec] =
        [instant / 1_000_000_000, instant % 1_000_000_000].map(|it| i64::try_from(it).unwrap_or(0));
    Timespec { tv_sec, tv_nsec }
}
