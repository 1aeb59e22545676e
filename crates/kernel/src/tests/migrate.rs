//! Threads move between two cores.

use super::world::{CPU, World, at, fixed, ns};
use crate::{Attributes, Error, Protocol, ThreadId};
use core::task::Poll;
use flyball_policy::Priority;
use flyball_trace::Time;

#[cfg(not(miri))]
mod walk;

type Fixed = super::world::Fixed;

/// Moves a thread, at the time of both worlds; both settle.
fn bring(
    from: &mut World<Fixed>,
    to: &mut World<Fixed>,
    thread: ThreadId,
    priority: u8,
) -> Result<ThreadId, Error> {
    assert_eq!(from.now, to.now);
    let migrant = from.core.emigrate(CPU, thread, from.now)?;
    from.core.audit_all(false);
    let moved = to
        .core
        .immigrate(CPU, migrant, Priority(priority), to.now, |_, _| ())
        .map_err(|(_, error)| error);
    to.core.audit_all(false);
    from.settle();
    to.settle();
    moved
}

fn two() -> (World<Fixed>, World<Fixed>) {
    (fixed(), fixed())
}

#[test]
fn a_running_thread_goes_on_elsewhere_with_its_time() {
    let (mut a, mut b) = two();
    let low = a.thread(1);
    let high = a.thread(2);
    for world in [&mut a, &mut b] {
        world.run_until(at(10));
    }
    let moved = bring(&mut a, &mut b, high, 2).unwrap();
    assert_eq!(a.running(), Some(low.task().0));
    assert_eq!(b.running(), Some(moved.task().0));
    assert_eq!(a.core.cpu_time(high, at(10)), Err(Error::Dead));
    for world in [&mut a, &mut b] {
        world.run_until(at(15));
    }
    assert_eq!(b.core.cpu_time(moved, at(15)), Ok(ns(15)));
    assert_eq!(a.core.cpu_time(low, at(15)), Ok(ns(5)));
}

#[test]
fn a_periodic_thread_keeps_its_releases_deadlines_and_job_numbers() {
    let (mut a, mut b) = two();
    let thread = a.spawn(Attributes::periodic(ns(10)), 1);
    a.run_until(at(4));
    b.run_until(at(4));
    let result = a.core.wait_next(CPU, at(4));
    a.waits(&result);
    let moved = bring(&mut a, &mut b, thread, 1).unwrap();
    assert!(!b.core.has_job(moved));
    b.run_until(at(25));
    assert!(b.core.has_job(moved));
    assert_eq!((a.core.misses(), b.core.misses()), (0, 1));
    assert_eq!(b.core.job_number(moved.task()), 2);
}

#[test]
fn a_sleeper_wakes_elsewhere_and_a_token_goes_along() {
    let (mut a, mut b) = two();
    let thread = a.thread(1);
    let result = a.core.sleep_until(CPU, at(20), at(0));
    a.waits(&result);
    let moved = bring(&mut a, &mut b, thread, 1).unwrap();
    b.core.unpark(CPU, moved, at(0)).unwrap();
    b.run_until(at(19));
    assert_eq!(b.running(), None);
    b.run_until(at(20));
    assert_eq!(b.running(), Some(moved.task().0));
    a.run_until(at(20));
    let back = bring(&mut b, &mut a, moved, 1).unwrap();
    assert_eq!(a.core.park(CPU, Time::NEVER, at(20)), Ok(Poll::Ready(())));
    // The row is used again, and the first name of the thread means no thread.
    assert_ne!(back, thread);
    assert_eq!(a.core.unpark(CPU, thread, at(20)), Err(Error::Dead));
}

#[test]
fn what_belongs_to_a_cluster_keeps_a_thread() {
    let (mut a, mut b) = two();
    let mutex = a.core.mutex(Protocol::Inherit).unwrap();
    let semaphore = a.core.semaphore(0).unwrap();
    let owner = a.thread(1);
    let _ = a.core.lock(CPU, mutex, Time::NEVER, a.now).unwrap();
    assert_eq!(bring(&mut a, &mut b, owner, 1), Err(Error::Bound));
    a.core.unlock(CPU, mutex, a.now).unwrap();
    let joiner = a.thread(2);
    let result = a.core.join(CPU, owner, Time::NEVER, a.now);
    a.waits(&result);
    assert_eq!(bring(&mut a, &mut b, joiner, 2), Err(Error::Bound));
    assert_eq!(bring(&mut a, &mut b, owner, 1), Err(Error::Bound));
    let waiter = a.thread(3);
    let result = a.core.wait(CPU, semaphore, Time::NEVER, a.now);
    a.waits(&result);
    assert_eq!(bring(&mut a, &mut b, waiter, 3), Err(Error::Bound));
    let alerting = Attributes {
        alert: Some(semaphore),
        ..Attributes::periodic(ns(10))
    };
    let alerting = a.spawn(alerting, 4);
    assert_eq!(bring(&mut a, &mut b, alerting, 4), Err(Error::Bound));
}

#[test]
fn a_thread_that_finds_no_room_can_go_back() {
    let (mut a, mut b) = two();
    for _ in 0..super::world::ROWS {
        b.thread(1);
    }
    let thread = a.thread(1);
    let migrant = a.core.emigrate(CPU, thread, a.now).unwrap();
    let Err((migrant, error)) = b
        .core
        .immigrate(CPU, migrant, Priority(1), b.now, |_, _| ())
    else {
        panic!("there is no room");
    };
    assert_eq!(error, Error::Full);
    let back = a
        .core
        .immigrate(CPU, migrant, Priority(1), a.now, |_, _| ());
    a.settle();
    assert_eq!(a.core.running(CPU), back.ok());
}
