//! A random walk through two cores. Too long for Miri.

use super::super::world::{CPU, World, ns};
use super::{Fixed, bring, two};
use crate::thread::State;
use crate::{Attributes, Error, OnMiss, Protocol, Release, ThreadId};
use flyball_policy::{Policy, Priority};
use flyball_trace::{Duration, Object};
use proptest::prelude::*;

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
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// All that must hold in a core at any time holds in both, whichever thread moves when; a
    /// thread can move exactly if nothing binds it; and no time is lost or counted twice.
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
                    let owns = from.core.owns(thread.task(), 0).unwrap();
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
                world.core.audit_all(false);
                world.settle();
                world.core.audit_all(true);
            }
        }
    }
}

/// What the threads of a world have used.
fn used<P: Policy>(world: &World<P>) -> Duration {
    let is_alive = |&row: &usize| world.core.threads[row].state != State::Absent;
    let alive = (0..super::super::world::ROWS).filter(is_alive);
    Duration::from_nanos(alive.map(|row| world.core.used[row]).sum())
}
