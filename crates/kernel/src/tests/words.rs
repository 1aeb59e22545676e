//! Objects in memory, where they differ from those in tables: threads that end or are given up with a mutex,
//! names of threads, and numbers in traces.

use super::world::{CPU, Fixed, ROWS, TestObjects, World, at, ns};
use crate::{
    At, Attributes, ConditionId, Error, InMemory, MutexId, OnMiss, Protocol, SemaphoreId, State,
    ThreadId, Timing,
};
use core::task::Poll;
use flyball_policy::{FixedPriority, Priority};
use flyball_trace::{Kind, Object, TaskId, Time};

type Words = World<Fixed, true, InMemory>;

fn words() -> Words {
    World::new(Fixed::new(FixedPriority, ROWS), Timing::Tickless)
}

impl Words {
    fn begin(&mut self, attributes: Attributes<At>, priority: u8) -> ThreadId {
        let priority = Priority(priority);
        let thread = self.core.spawn(CPU, attributes, priority, self.now);
        self.settle();
        thread.unwrap()
    }

    fn mutex(&mut self) -> MutexId<At> {
        // Numbers of traces are given by the test's words; here the trace gives them.
        let at = self.core.objects.mutex(0, Protocol::Inherit);
        at.word().describe(crate::about::mutex(Protocol::Inherit));
        MutexId(at)
    }

    fn locks(&mut self, mutex: MutexId<At>, until: Time) -> Result<Poll<()>, Error> {
        let locked = self.core.lock(CPU, mutex, until, self.now);
        self.settle();
        locked
    }

    fn ends(&mut self) {
        self.core.exit(CPU, self.now).unwrap();
        self.settle();
    }

    fn name_of(&self, thread: ThreadId) -> u32 {
        self.core.name(thread.task())
    }
}

#[test]
fn the_next_thread_in_a_row_has_another_name() {
    let mut world = words();
    let first = world.begin(Attributes::THREAD, 3);
    let name = world.name_of(first);
    assert_eq!(world.core.named(name), Some(first.task()));
    assert!(name != 0 && name.is_multiple_of(2));
    world.ends();
    assert_eq!(world.core.named(name), None);
    // Rows are used in turn.
    let others: Vec<_> = (0..ROWS)
        .map(|_| world.begin(Attributes::THREAD, 3))
        .collect();
    let again = others
        .iter()
        .find(|other| other.task() == first.task())
        .unwrap();
    assert_ne!(world.name_of(*again), name);
    let names: std::collections::BTreeSet<_> =
        others.iter().map(|&other| world.name_of(other)).collect();
    assert_eq!(names.len(), ROWS);
    assert_eq!(world.core.named(u32::MAX - 1), None);
}

#[test]
fn a_thread_that_ends_leaves_its_mutex_locked() {
    let mut world = words();
    let mutex = world.mutex();
    let owner = world.begin(Attributes::THREAD, 5);
    assert!(mutex.0.word().try_lock(world.name_of(owner)));
    world.ends();
    let waiter = world.begin(Attributes::THREAD, 3);
    assert_eq!(world.locks(mutex, at(10)), Ok(Poll::Pending));
    // No thread has inherited anything.
    assert!(
        world
            .core
            .trace()
            .iter()
            .all(|event| !matches!(event.kind, Kind::Inherit { .. }))
    );
    world.run_until(at(10));
    assert_eq!(world.core.outcome(CPU), Err(Error::TimedOut));
    assert_eq!(
        world.core.unlock(CPU, mutex, world.now),
        Err(Error::NotOwner)
    );
    assert!(!mutex.0.word().try_lock(world.name_of(waiter)));
    assert_eq!(mutex.0.word().state(), State::ORPHAN);
    world.core.audit();
}

#[test]
fn a_thread_that_ends_while_others_wait_for_its_mutex_leaves_it_locked() {
    let mut world = words();
    let mutex = world.mutex();
    let owner = world.begin(Attributes::THREAD, 3);
    assert_eq!(world.locks(mutex, Time::NEVER), Ok(Poll::Ready(())));
    world.begin(Attributes::THREAD, 5);
    assert_eq!(world.locks(mutex, at(10)), Ok(Poll::Pending));
    assert_eq!(world.running(), Some(owner.task().0));
    world.ends();
    world.core.audit();
    world.run_until(at(10));
    assert_eq!(world.core.outcome(CPU), Err(Error::TimedOut));
    assert_eq!(mutex.0.word().state(), State::ORPHAN);
    world.core.audit();
}

/// A late job is given up, and its mutex goes to the thread that waits for it; the next one too.
#[test]
fn what_a_late_job_owned_is_unlocked() {
    let mut world = words();
    let (mutex, other) = (world.mutex(), world.mutex());
    let attributes = Attributes {
        deadline: Some(ns(10)),
        on_miss: OnMiss::Abort,
        ..Attributes::periodic(ns(100))
    };
    let late = world.begin(attributes, 3);
    assert_eq!(world.core.quick_name(late.task()), 0);
    assert_eq!(world.locks(mutex, Time::NEVER), Ok(Poll::Ready(())));
    assert_eq!(world.locks(other, Time::NEVER), Ok(Poll::Ready(())));
    assert_eq!(world.core.unlock(CPU, other, world.now), Ok(()));
    assert_eq!(world.core.reserved, 1);
    let waiter = world.begin(Attributes::THREAD, 5);
    assert_eq!(world.locks(mutex, Time::NEVER), Ok(Poll::Pending));
    world.run_until(at(10));
    assert_eq!(world.running(), Some(waiter.task().0));
    assert_eq!(
        mutex.0.word().state(),
        State::owned_by(world.name_of(waiter))
    );
    assert_eq!(world.core.reserved, 0);
    world.core.audit();
}

/// There is room for as many mutexes as a kernel is made for, with those that are waited for.
#[test]
fn threads_that_may_be_given_up_own_as_many_mutexes_as_there_is_room_for() {
    let mut world = words();
    let attributes = Attributes {
        deadline: Some(ns(50)),
        on_miss: OnMiss::Abort,
        ..Attributes::periodic(ns(100))
    };
    let mutexes: Vec<_> = (0..=ROWS).map(|_| world.mutex()).collect();
    world.begin(attributes, 3);
    for &mutex in &mutexes[..ROWS] {
        assert_eq!(world.locks(mutex, Time::NEVER), Ok(Poll::Ready(())));
    }
    assert_eq!(world.locks(mutexes[ROWS], Time::NEVER), Err(Error::Full));
    assert_eq!(world.locks(mutexes[0], Time::NEVER), Err(Error::Full));
    assert_eq!(world.core.unlock(CPU, mutexes[0], world.now), Ok(()));
    // One that is refused takes no room, and one that is waited for in vain gives it back.
    let condition = ConditionId(world.core.objects.condition(0));
    let waits = world
        .core
        .wait_condition(CPU, condition, mutexes[1], at(20), world.now);
    world.waits(&waits);
    assert_eq!(usize::from(world.core.reserved), ROWS - 1);
    world.run_until(at(20));
    assert_eq!(world.core.outcome(CPU), Err(Error::TimedOut));
    assert_eq!(world.locks(mutexes[1], Time::NEVER), Err(Error::Deadlock));
    assert_eq!(usize::from(world.core.reserved), ROWS - 1);
    assert_eq!(world.core.wait_next(CPU, world.now), Ok(Poll::Pending));
    world.settle();
    assert_eq!(usize::from(world.core.reserved), ROWS - 1);
    world.core.audit();
}

/// Each thread waits for another object, and there are more than any table has rows.
#[test]
fn there_are_as_many_objects_as_one_likes() {
    let mut world = words();
    let step = if cfg!(miri) { 4 } else { 100 };
    let mutexes: Vec<_> = (0..10 * step).map(|_| world.mutex()).collect();
    world.begin(Attributes::THREAD, 1);
    for &mutex in &mutexes {
        assert_eq!(world.locks(mutex, Time::NEVER), Ok(Poll::Ready(())));
    }
    let waiters: Vec<_> = (1..ROWS)
        .map(|n| {
            let priority = u8::try_from(n).unwrap() + 2;
            let waiter = world.begin(Attributes::THREAD, priority);
            assert_eq!(
                world.locks(mutexes[step * n], Time::NEVER),
                Ok(Poll::Pending)
            );
            waiter
        })
        .collect();
    world.core.audit();
    for &mutex in &mutexes {
        world.core.unlock(CPU, mutex, world.now).unwrap();
        world.settle();
        while let Some(running) = world.running().filter(|&row| row != 0) {
            assert!(
                waiters
                    .iter()
                    .any(|waiter| waiter.task() == TaskId(running))
            );
            world.ends();
        }
    }
    assert!(mutexes.iter().all(|mutex| {
        let state = mutex.0.word().state();
        state == State::FREE || state.owner().is_some()
    }));
}

/// The trace numbers objects of a kind as it sees them.
#[test]
fn the_trace_numbers_what_it_sees() {
    let mut world = words();
    let [a, b, c] = [(); 3].map(|()| world.mutex());
    world.begin(Attributes::THREAD, 1);
    for mutex in [b, a, b] {
        assert_eq!(world.locks(mutex, Time::NEVER), Ok(Poll::Ready(())));
        world.core.unlock(CPU, mutex, world.now).unwrap();
    }
    let locked = |event: &flyball_trace::Event| match event.kind {
        Kind::Lock { mutex, .. } => Some(mutex),
        _ => None,
    };
    let seen: Vec<_> = world.core.trace().iter().filter_map(locked).collect();
    assert_eq!(seen, [0, 1, 0]);
    assert_eq!(crate::objects::about::number(c.0.word().about()), None);
    let semaphore = SemaphoreId(world.core.objects.semaphore(7, 0));
    let waits = world.core.wait(CPU, semaphore, at(5), world.now);
    world.waits(&waits);
    let blocked = world.core.trace().iter().any(|event| {
        matches!(
            event.kind,
            Kind::Block {
                on: Object::Semaphore(7),
                ..
            }
        )
    });
    assert!(blocked);
}

/// A wait that is ended early; a thread that waits for a mutex waits on.
#[test]
fn a_roused_thread_goes_on() {
    let mut world = words();
    let mutex = world.mutex();
    let condition = ConditionId(world.core.objects.condition(0));
    let first = world.begin(Attributes::THREAD, 5);
    assert_eq!(world.locks(mutex, Time::NEVER), Ok(Poll::Ready(())));
    let waits = world
        .core
        .wait_condition(CPU, condition, mutex, Time::NEVER, world.now);
    world.waits(&waits);
    world.begin(Attributes::THREAD, 3);
    assert_eq!(world.locks(mutex, Time::NEVER), Ok(Poll::Ready(())));
    assert_eq!(world.core.rouse(CPU, first, world.now), Ok(true));
    // It waits for its mutex now, and that cannot be ended.
    assert_eq!(world.core.rouse(CPU, first, world.now), Ok(false));
    assert!(!condition.0.word().is_waited_for());
    world.core.audit();
    world.core.unlock(CPU, mutex, world.now).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(first.task().0));
    assert_eq!(world.core.outcome(CPU), Err(Error::Roused));
    assert_eq!(world.core.unlock(CPU, mutex, world.now), Ok(()));
    world.ends();
    assert_eq!(world.core.rouse(CPU, first, world.now), Err(Error::Dead));
}

#[test]
fn a_thread_that_waits_for_a_mutex_alone_can_be_roused() {
    let mut world = words();
    let mutex = world.mutex();
    let first = world.begin(Attributes::THREAD, 3);
    assert_eq!(world.locks(mutex, Time::NEVER), Ok(Poll::Ready(())));
    let second = world.begin(Attributes::THREAD, 5);
    let waits = world.locks(mutex, Time::NEVER);
    world.waits(&waits);
    assert_eq!(world.running(), Some(first.task().0));
    let rouse = |world: &mut Words, thread| {
        let now = world.now;
        world.core.rouse_from_mutex(CPU, thread, now)
    };
    assert_eq!(rouse(&mut world, first), Ok(false));
    assert_eq!(rouse(&mut world, second), Ok(true));
    world.core.audit();
    world.settle();
    assert_eq!(world.running(), Some(second.task().0));
    assert_eq!(world.core.outcome(CPU), Err(Error::Roused));
    assert_eq!(
        world.core.unlock(CPU, mutex, world.now),
        Err(Error::NotOwner)
    );
    let name = world.name_of(second);
    assert_eq!(world.core.thread_named(name), Some(second));
    assert_eq!(world.core.thread_named(0), None);
    assert_eq!(world.core.living(second), Ok(second.task()));
    world.ends();
    assert_eq!(world.core.living(second), Err(Error::Dead));
    assert_eq!(world.core.thread_named(name), None);
    assert_eq!(rouse(&mut world, second), Err(Error::Dead));
    assert_eq!(world.core.unlock(CPU, mutex, world.now), Ok(()));
}
