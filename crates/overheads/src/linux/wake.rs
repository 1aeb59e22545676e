//! How long it takes until a thread runs that sleeps, or that is woken from another CPU.

use super::class::Under;
use super::switch::Baton;
use crate::clock::{Clock, stamp};
use crate::measurements::{Act, Class};
use crate::stats::Samples;
use core::sync::atomic::{AtomicU64, Ordering};
use rustix::event::{EventfdFlags, eventfd};
use rustix::thread::{ClockId, clock_nanosleep_absolute};
use rustix::time::{Timespec, clock_gettime};
use std::thread;
use std::time::Duration;

/// For how long a thread sleeps, in nanoseconds.
const SLEEP: i64 = 100_000;

/// How late a thread comes that sleeps until an instant, by the clock by which it sleeps.
pub(super) fn sleep(class: Class, cpus: &[usize], repetitions: usize) -> Result<Samples, String> {
    let _under = Under::new(class, cpus.first().copied())?;
    let mut samples = Samples::with_capacity(repetitions);
    while samples.len() < repetitions {
        let until = later(clock_gettime(ClockId::Monotonic), SLEEP);
        if clock_nanosleep_absolute(ClockId::Monotonic, &until).is_ok() {
            let now = clock_gettime(ClockId::Monotonic);
            samples.push(nanoseconds(until, now));
        }
    }
    Ok(samples)
}

fn later(time: Timespec, nanoseconds: i64) -> Timespec {
    let sum = time.tv_nsec + nanoseconds;
    Timespec {
        tv_sec: time.tv_sec + sum / 1_000_000_000,
        tv_nsec: sum % 1_000_000_000,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "both are within moments of each other"
)]
fn nanoseconds(from: Timespec, to: Timespec) -> f64 {
    (to.tv_sec - from.tv_sec) as f64 * 1e9 + (to.tv_nsec - from.tv_nsec) as f64
}

/// How long it takes from the call that wakes, on the first CPU, until the thread runs on the
/// second.
pub(super) fn wake(
    what: Act,
    class: Class,
    cpus: &[usize],
    repetitions: usize,
    clock: &Clock,
) -> Result<Samples, String> {
    let &[here, there, ..] = cpus else {
        return Err("there is only one CPU".into());
    };
    match what {
        Act::Event => by_eventfd(class, [here, there], repetitions, clock),
        _ => by_futex(class, [here, there], repetitions, clock),
    }
}

/// Lets some time pass, so that the thread that is to be woken sleeps.
fn pause() {
    thread::sleep(Duration::from_micros(50));
}

fn by_futex(
    class: Class,
    [here, there]: [usize; 2],
    repetitions: usize,
    clock: &Clock,
) -> Result<Samples, String> {
    let baton = Baton::new();
    thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            let under = Under::new(class, Some(there));
            let mut samples = Samples::with_capacity(repetitions);
            while under.is_ok()
                && let Some((given, taken)) = baton.take(1)
            {
                samples.push(clock.net(given, taken));
                baton.give(0);
            }
            baton.end();
            under.map(|_| samples)
        });
        let waker = Under::new(class, Some(here)).map(|_under| {
            for _ in 0..repetitions {
                pause();
                baton.give(1);
                if baton.take(0).is_none() {
                    break;
                }
            }
        });
        baton.end();
        let samples = sleeper
            .join()
            .map_err(|_| "a thread has failed".to_owned())?;
        waker.and(samples)
    })
}

fn by_eventfd(
    class: Class,
    [here, there]: [usize; 2],
    repetitions: usize,
    clock: &Clock,
) -> Result<Samples, String> {
    let event = eventfd(0, EventfdFlags::empty()).map_err(said)?;
    let given = AtomicU64::new(OVER);
    let back = Baton::new();
    thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            let under = Under::new(class, Some(there));
            let mut samples = Samples::with_capacity(repetitions);
            let mut count = [0; 8];
            while under.is_ok() && rustix::io::read(&event, &mut count).is_ok() {
                let taken = stamp();
                let given = given.load(Ordering::Acquire);
                if given == OVER {
                    break;
                }
                samples.push(clock.net(given, taken));
                back.give(1);
            }
            back.end();
            under.map(|_| samples)
        });
        let tell = |stamp| {
            given.store(stamp, Ordering::Release);
            rustix::io::write(&event, &1_u64.to_ne_bytes()).map_err(said)
        };
        let waker = Under::new(class, Some(here)).and_then(|_under| {
            for _ in 0..repetitions {
                pause();
                tell(stamp())?;
                if back.take(1).is_none() {
                    break;
                }
                back.give(0);
            }
            Ok(())
        });
        tell(OVER)?;
        let samples = sleeper
            .join()
            .map_err(|_| "a thread has failed".to_owned())?;
        waker.and(samples)
    })
}

/// No stamp: it is over.
const OVER: u64 = u64::MAX;

fn said(error: rustix::io::Errno) -> String {
    format!("there is no eventfd: {error}")
}
