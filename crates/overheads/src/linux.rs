//! What the operating system needs for what the kernel does: changing threads, and waking them.
//!
//! Each is measured under `SCHED_OTHER`, `SCHED_FIFO` and `SCHED_DEADLINE`; where one of these is
//! not permitted the result says so, with the system's own words.
//!
//! * *Thread switch*: two threads on one CPU hand over to each other by a futex, so each hand-over
//!   is a call that wakes, a call that waits, and the switch. It is timed from before the one's
//!   wake-up to after the other's wait. (`SCHED_DEADLINE` does not let a thread be bound to a CPU,
//!   except by a set of CPUs of its own; there both threads run where the system puts them, so it
//!   is a wake-up rather than a switch.)
//! * *Sleep*: how much later than asked for a thread comes that sleeps 100 µs by `clock_nanosleep`.
//! * *Wake-up*: a thread waits on one CPU, another one wakes it from another CPU, by a futex or an
//!   eventfd; from before the call that wakes to after the call that waits.
//! * *Interrupt*: what it takes to interrupt another CPU, which knows no policy. It is what a
//!   kernel for several CPUs has to expect on this processor, too, so it is in the file of
//!   overheads.
//!
//! `deadline` has no part in that: it says what Linux does with threads that have budgets. Nor has
//! `pipeline`: it says how often a thread finds the queue to another one full.

#[cfg(target_os = "linux")]
mod class;
#[cfg(target_os = "linux")]
pub mod deadline;
#[cfg(target_os = "linux")]
mod interrupt;
#[cfg(target_os = "linux")]
pub mod pipeline;
#[cfg(target_os = "linux")]
mod switch;
#[cfg(target_os = "linux")]
mod wake;

use crate::clock::Clock;
use crate::measurements::{Act, Class, Linux};
use crate::plan::Plan;
use crate::stats::Summary;
use crate::{Error, Pace};

/// Keeps the calling thread on the CPU where it is, as long as this exists.
pub(crate) struct Pinned {
    #[cfg(target_os = "linux")]
    before: Option<rustix::thread::CpuSet>,
}

impl Pinned {
    /// Binds the calling thread to its CPU. Where that is not permitted it stays unbound.
    #[cfg(target_os = "linux")]
    pub(crate) fn here() -> Pinned {
        Pinned::on(rustix::thread::sched_getcpu())
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn here() -> Pinned {
        Pinned {}
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn on(_: usize) -> Pinned {
        Pinned {}
    }

    /// Binds the calling thread to a CPU. Where that is not permitted it stays unbound.
    #[cfg(target_os = "linux")]
    pub(crate) fn on(cpu: usize) -> Pinned {
        let before = rustix::thread::sched_getaffinity(None).ok();
        let mut only = rustix::thread::CpuSet::new();
        only.set(cpu);
        let is_bound = rustix::thread::sched_setaffinity(None, &only).is_ok();
        Pinned {
            before: before.filter(|_| is_bound),
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // It was permitted before; an error now could not be reported.
            let _ = rustix::thread::sched_setaffinity(None, before);
        }
    }
}

/// The CPUs that this process may use.
#[cfg(target_os = "linux")]
pub(crate) fn cpus() -> Vec<usize> {
    let Ok(set) = rustix::thread::sched_getaffinity(None) else {
        return Vec::new();
    };
    let all = 0..rustix::thread::CpuSet::MAX_CPU;
    all.filter(|&cpu| set.is_set(cpu)).collect()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn cpus() -> Vec<usize> {
    Vec::new()
}

/// A system call takes longer than the kernel's, so there are fewer: a tenth of the repetitions.
fn repetitions(plan: &Plan) -> usize {
    (plan.repetitions / 10).max(1)
}

/// Into how many parts the measurement falls.
pub(crate) fn parts(plan: &Plan) -> usize {
    if plan.linux {
        Act::ALL.iter().map(|act| act.classes().len()).sum()
    } else {
        0
    }
}

/// Measures all of it. `cpus` are those that this process may use.
pub(crate) fn measure(
    plan: &Plan,
    cpus: &[usize],
    clock: &Clock,
    pace: &mut Pace<'_, '_>,
) -> Result<Vec<Linux>, Error> {
    let mut results = Vec::new();
    if !plan.linux {
        return Ok(results);
    }
    for what in Act::ALL {
        for &class in what.classes() {
            pace.next(what.name())?;
            results.push(Linux {
                what,
                class,
                result: one(what, class, cpus, repetitions(plan), clock),
            });
        }
    }
    Ok(results)
}

#[cfg(target_os = "linux")]
fn one(
    what: Act,
    class: Class,
    cpus: &[usize],
    repetitions: usize,
    clock: &Clock,
) -> Result<Summary, String> {
    let samples = match what {
        Act::Switch => switch::measure(class, cpus, repetitions, clock),
        // It sleeps for 100 µs each time.
        Act::Sleep => wake::sleep(class, cpus, repetitions.div_ceil(10).min(20_000)),
        // Here it sleeps for 50 µs.
        Act::Wake | Act::Event => wake::wake(
            what,
            class,
            cpus,
            repetitions.div_ceil(10).min(20_000),
            clock,
        ),
        Act::Interrupt => interrupt::measure(cpus, repetitions, clock),
    }?;
    Ok(samples.summary())
}

#[cfg(not(target_os = "linux"))]
fn one(_: Act, _: Class, _: &[usize], _: usize, _: &Clock) -> Result<Summary, String> {
    Err("this is not Linux".into())
}
