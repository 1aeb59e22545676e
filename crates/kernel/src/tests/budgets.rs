//! What servers have, as threads ask for it; and semaphores that are signalled where it is used up.

use super::world::{CPU, Fixed, ROWS, Table, World, at, ns};
use crate::{Attributes, Error, SemaphoreId, ThreadId, Timing};
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_policy::servers::{ConstantBandwidth, Reservation, Rule, SchedDeadline, Seat, Servers};
use flyball_policy::{Budget, FixedPriority, Priority};
use flyball_trace::{Kind, Time};
use proptest::prelude::*;

type Served<R> = World<Servers<R, Fixed, Table>>;

fn world<R: Rule>(rule: R) -> Served<R> {
    let background = Fixed::new(FixedPriority, ROWS);
    World::new(Servers::new(rule, background, ROWS), Timing::Tickless)
}

impl<R: Rule> Served<R> {
    fn serve(&mut self, attributes: Attributes, seat: Seat<Priority>) -> ThreadId {
        let thread = self.core.spawn(CPU, attributes, seat, self.now).unwrap();
        self.settle();
        thread
    }

    fn budget(&mut self, thread: ThreadId) -> Option<Budget> {
        self.core.budget(thread, self.now).unwrap()
    }

    fn left(&mut self, thread: ThreadId) -> Option<u64> {
        self.budget(thread).map(|budget| budget.left.as_nanos())
    }

    fn signals(&self, semaphore: SemaphoreId) -> u32 {
        self.core.semaphore_value(semaphore).unwrap()
    }
}

const BACKGROUND: Seat<Priority> = Seat::Background(Priority(1));

fn own(period: u64, budget: u64) -> Seat<Priority> {
    Seat::Own(Reservation::every(ns(period), ns(budget)))
}

/// A server of 30 in 100 whose thread never ends.
#[test]
fn a_budget_falls_while_its_thread_runs() {
    let mut world = world(ConstantBandwidth::HARD);
    let other = world.serve(Attributes::THREAD, BACKGROUND);
    let thread = world.serve(Attributes::THREAD, own(100, 30));
    let overrun = world.core.semaphore(0).unwrap();
    assert_eq!(
        world.core.on_exhaust(other, Some(overrun)),
        Err(Error::Invalid)
    );
    world.core.on_exhaust(thread, Some(overrun)).unwrap();
    assert_eq!(world.budget(other), None);
    for (time, left, signals) in [(0, 30, 0), (10, 20, 0), (29, 1, 0), (31, 0, 1), (99, 0, 1)] {
        world.run_until(at(time));
        assert_eq!(world.left(thread), Some(left), "at {time}");
        assert_eq!(world.signals(overrun), signals, "at {time}");
    }
    assert_eq!(world.running(), Some(other.task().0));
    world.run_until(at(110));
    let budget = world.budget(thread).unwrap();
    assert_eq!((budget.left, budget.deadline), (ns(20), at(200)));
    world.core.on_exhaust(thread, None).unwrap();
    world.run_until(at(150));
    assert_eq!((world.left(thread), world.signals(overrun)), (Some(0), 1));
}

/// The handler of an overrun preempts the thread whose budget was used up, if it is more urgent.
#[test]
fn a_thread_handles_overruns() {
    let mut world = world(ConstantBandwidth::SOFT);
    let overrun = world.core.semaphore(0).unwrap();
    let handler = world.serve(Attributes::THREAD, own(40, 5));
    let waits = world.core.wait(CPU, overrun, Time::NEVER, world.now);
    world.waits(&waits);
    let hog = world.serve(Attributes::THREAD, own(100, 30));
    world.core.on_exhaust(hog, Some(overrun)).unwrap();
    world.run_until(at(29));
    assert_eq!(world.running(), Some(hog.task().0));
    world.run_until(at(30));
    assert_eq!(world.running(), Some(handler.task().0));
}

/// What a thread left behind is not the next one's, which has its row.
#[test]
fn a_new_server_signals_nothing() {
    let mut world = world(ConstantBandwidth::HARD);
    let overrun = world.core.semaphore(0).unwrap();
    let thread = world.serve(Attributes::THREAD, own(100, 30));
    world.core.on_exhaust(thread, Some(overrun)).unwrap();
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    assert_eq!(world.core.budget(thread, world.now), Err(Error::Dead));
    // Rows are given away in turn.
    let others: Vec<_> = (0..ROWS)
        .map(|_| world.serve(Attributes::THREAD, own(100, 10)))
        .collect();
    assert!(others.iter().any(|other| other.task() == thread.task()));
    world.run_until(at(500));
    assert_eq!(world.signals(overrun), 0);
}

/// A thread that waits for the semaphore of its own server, with the last of the budget, is woken by it.
#[test]
fn a_thread_waits_for_the_end_of_its_own_budget() {
    let mut world = world(ConstantBandwidth::SOFT);
    let overrun = world.core.semaphore(0).unwrap();
    let thread = world.serve(Attributes::THREAD, own(10, 4));
    world.core.on_exhaust(thread, Some(overrun)).unwrap();
    world.now = at(4);
    let waits = world.core.wait(CPU, overrun, Time::NEVER, world.now);
    world.waits(&waits);
    assert_eq!(world.running(), Some(thread.task().0));
    assert_eq!(world.signals(overrun), 0);
}

/// Two servers, one of them shared, and threads that compute and sleep at random: there is a signal for
/// each budget that is used up. Returns how many.
fn signals_are_exhaustions<R: Rule>(rule: R, steps: &[(u64, Option<u64>)]) -> u32 {
    let mut world = world(rule);
    let overrun = world.core.semaphore(0).unwrap();
    let shared = Seat::Shared(7, Reservation::every(ns(20), ns(6)));
    for seat in [shared, shared, own(9, 3)] {
        let thread = world.serve(Attributes::THREAD, seat);
        world.core.on_exhaust(thread, Some(overrun)).unwrap();
    }
    world.serve(Attributes::THREAD, BACKGROUND);
    for &(length, sleep) in steps {
        let until = world.now + ns(length);
        world.run_until(until);
        if let Some(sleep) = sleep.filter(|_| world.running().is_some()) {
            let until = world.now + ns(sleep);
            let sleeps = world.core.sleep_until(CPU, until, world.now);
            world.waits(&sleeps);
        }
        let events = world.core.trace().iter();
        let exhausted = events.filter(|event| matches!(event.kind, Kind::Exhaust { .. }));
        let exhausted = u32::try_from(exhausted.count()).unwrap();
        assert_eq!(world.signals(overrun), exhausted);
    }
    world.signals(overrun)
}

#[test]
fn each_exhaustion_is_signalled() {
    let signals = AtomicU32::new(0);
    let sleep = proptest::option::weighted(0.3, 1_u64..26);
    let steps = proptest::collection::vec((0_u64..8, sleep), 100);
    // Miri takes a thousand times as long.
    let cases = if cfg!(miri) { 1 } else { 256 };
    proptest!(ProptestConfig::with_cases(cases), |(steps in steps)| {
        let all = signals_are_exhaustions(ConstantBandwidth::SOFT, &steps)
            + signals_are_exhaustions(ConstantBandwidth::HARD, &steps)
            + signals_are_exhaustions(SchedDeadline, &steps);
        signals.fetch_add(all, Ordering::Relaxed);
    });
    assert!(signals.into_inner() > 4 * cases);
}
