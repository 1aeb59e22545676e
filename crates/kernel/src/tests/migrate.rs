//! Threads move between two cores.

use super::world::{CPU, World, at, fixed, ns};
use crate::thread::State;
use crate::{Attributes, Error, OnMiss, Protocol, Release, ThreadId};
use core::task::Poll;
use flyball_policy::{Policy, Priority};
use flyball_trace::{Duration, Object, Time};
use proptest::prelude::*;

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
    from.core.audit(false);
    let moved = to
        .core
        .immigrate(CPU, migrant, Priority(priority), to.now)
        .map_err(|(_, error)| error);
    to.core.audit(false);
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
    // The row is used again, and the first name of the thread means nobody.
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
fn who_finds_no_room_can_go_back() {
    let (mut a, mut b) = two();
    for _ in 0..super::world::ROWS {
        b.thread(1);
    }
    let thread = a.thread(1);
    let migrant = a.core.emigrate(CPU, thread, a.now).unwrap();
    let Err((migrant, error)) = b.core.immigrate(CPU, migrant, Priority(1), b.now) else {
        panic!("there is no room");
    };
    assert_eq!(error, Error::Full);
    let back = a.core.immigrate(CPU, migrant, Priority(1), a.now);
    a.settle();
    assert_eq!(a.core.running(CPU), back.ok());
}

#[derive(Clone, Debug)]
enum Step {
    Spawn(usize, u8, Option<u64>, OnMiss),
    /// The running thread of a world does something.
    Sleep(usize, u64),
    Next(usize),
    Lock(usize),
    Unlock(usize),
    Exit(usize),
    /// The n-th thread moves.
    Move(usize, u8),
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let world = || 0..2_usize;
    let on_miss = prop_oneof![
        Just(OnMiss::Continue),
        Just(OnMiss::Skip),
        Just(OnMiss::Abort)
    ];
    let period = proptest::option::of(1..30_u64);
    prop_oneof![
        2 => (world(), 0..4_u8, period, on_miss).prop_map(|(w, p, t, m)| Step::Spawn(w, p, t, m)),
        2 => (world(), 0..20_u64).prop_map(|(w, t)| Step::Sleep(w, t)),
        2 => world().prop_map(Step::Next),
        1 => world().prop_map(Step::Lock),
        1 => world().prop_map(Step::Unlock),
        1 => world().prop_map(Step::Exit),
        6 => (0..16_usize, 0..4_u8).prop_map(|(n, p)| Step::Move(n, p)),
        4 => (0..15_u64).prop_map(Step::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 1_000 }))]

    /// All that must hold in a core at any time holds in both, whoever moves when; a thread can move
    /// exactly if nothing binds it; and no time is lost or counted twice.
    #[test]
    fn threads_wander(steps in proptest::collection::vec(step(), 0..120)) {
        let (mut a, mut b) = two();
        let mutex = [&mut a, &mut b].map(|world| world.core.mutex(Protocol::Inherit).unwrap());
        let mut worlds = [a, b];
        let mut threads: Vec<(usize, ThreadId)> = Vec::new();
        for step in steps {
            let now = worlds[0].now;
            match step {
                Step::Spawn(w, priority, period, on_miss) => {
                    let attributes = Attributes {
                        release: period.map_or(Release::Once, |period| Release::Periodic { period: ns(period) }),
                        deadline: period.map(ns),
                        on_miss,
                        ..Attributes::THREAD
                    };
                    let spawned = worlds[w].core.spawn(CPU, attributes, Priority(priority), now);
                    threads.extend(spawned.ok().map(|thread| (w, thread)));
                }
                Step::Sleep(w, time) => drop(worlds[w].core.sleep_until(CPU, now + ns(time), now)),
                Step::Next(w) => drop(worlds[w].core.wait_next(CPU, now)),
                Step::Lock(w) => drop(worlds[w].core.lock(CPU, mutex[w], now + ns(7), now)),
                Step::Unlock(w) => drop(worlds[w].core.unlock(CPU, mutex[w], now)),
                Step::Exit(w) => drop(worlds[w].core.exit(CPU, now)),
                Step::Move(n, priority) => {
                    let Some(n) = n.checked_rem(threads.len()) else { continue };
                    let (w, thread) = threads[n];
                    let [a, b] = &mut worlds;
                    let (from, to) = if w == 0 { (a, b) } else { (b, a) };
                    let used = from.core.cpu_time(thread, now);
                    let job = from.core.job_number(thread.task());
                    let owns = from.core.mutexes.rows[0].owner.holds(thread.task());
                    let state = from.core.threads[thread.task().index()].state;
                    let waits = matches!(state, State::Blocked(object) if object != Object::Clock);
                    match bring(from, to, thread, priority) {
                        Ok(moved) => {
                            prop_assert!(!owns && !waits);
                            prop_assert_eq!(to.core.cpu_time(moved, now), used);
                            prop_assert_eq!(to.core.job_number(moved.task()), job);
                            threads[n] = (1 - w, moved);
                        }
                        Err(Error::Bound) => prop_assert!(owns || waits),
                        Err(Error::Full) => { threads.remove(n); }
                        Err(error) => {
                            prop_assert_eq!(error, Error::Dead);
                            threads.remove(n);
                        }
                    }
                }
                Step::Pass(time) => {
                    for world in &mut worlds {
                        let idle = |world: &World<Fixed>| world.core.idle_time(CPU);
                        let before = (idle(world), used(world));
                        world.run_until(now + ns(time));
                        world.core.enter(CPU, now + ns(time));
                        world.core.leave(CPU, now + ns(time));
                        let after = (idle(world), used(world));
                        let passed = after.0.saturating_sub(before.0) + after.1.saturating_sub(before.1);
                        prop_assert_eq!(passed, ns(time));
                    }
                }
            }
            for world in &mut worlds {
                world.core.audit(false);
                world.settle();
                world.core.audit(true);
            }
        }
    }
}

/// What the threads of a world have used.
fn used<P: Policy>(world: &World<P>) -> Duration {
    let is_alive = |&row: &usize| world.core.threads[row].state != State::Absent;
    let alive = (0..super::world::ROWS).filter(is_alive);
    alive.map(|row| world.core.used[row]).sum()
}
