//! Mutexes, inheritance and condition variables, a call at a time.

use super::world::{CPU, at, fixed};
use crate::{Error, Protocol};
use core::task::Poll;
use flyball_trace::Time;

const FOREVER: Time = Time::NEVER;

#[test]
fn mutexes_know_their_owner() {
    let mut world = fixed();
    let mutex = world.core.mutex(Protocol::Inherit).unwrap();
    assert_eq!(
        world.core.lock(CPU, mutex, FOREVER, world.now),
        Err(Error::NoThread)
    );
    world.thread(1);
    assert_eq!(
        world.core.unlock(CPU, mutex, world.now),
        Err(Error::NotOwner)
    );
    assert_eq!(
        world.core.lock(CPU, mutex, FOREVER, world.now),
        Ok(Poll::Ready(()))
    );
    assert_eq!(
        world.core.lock(CPU, mutex, FOREVER, world.now),
        Err(Error::Deadlock)
    );
    world.thread(2);
    assert_eq!(
        world.core.unlock(CPU, mutex, world.now),
        Err(Error::NotOwner)
    );
    assert_eq!(
        world.core.lock(CPU, mutex, world.now, world.now),
        Err(Error::TimedOut)
    );
    let locked = world.core.lock(CPU, mutex, FOREVER, world.now);
    world.waits(&locked);
    assert_eq!(world.running(), Some(0));
    // The mutex is handed over, so the old owner cannot take it back.
    world.core.unlock(CPU, mutex, world.now).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(1));
    assert_eq!(world.core.outcome(CPU), Ok(()));
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    // Ending unlocks.
    assert_eq!(
        world.core.lock(CPU, mutex, FOREVER, world.now),
        Ok(Poll::Ready(()))
    );
}

#[test]
fn a_ring_of_mutexes_is_refused() {
    let mut world = fixed();
    let mutexes = [(); 3].map(|()| world.core.mutex(Protocol::Inherit).unwrap());
    // Thread n locks mutex n and is preempted by the next; then each asks for the next one's.
    for (n, mutex) in mutexes.into_iter().enumerate() {
        world.thread(u8::try_from(n).unwrap());
        assert!(world.core.lock(CPU, mutex, FOREVER, world.now).is_ok());
    }
    // Thread 2 waits for thread 1's mutex; thread 1 then runs and waits for thread 0's.
    for mutex in [mutexes[1], mutexes[0]] {
        let locked = world.core.lock(CPU, mutex, FOREVER, world.now);
        world.waits(&locked);
    }
    assert_eq!(world.running(), Some(0));
    assert_eq!(
        world.core.lock(CPU, mutexes[2], FOREVER, world.now),
        Err(Error::Deadlock)
    );
}

#[test]
fn urgency_is_inherited_along_a_chain_and_given_back() {
    let mut world = fixed();
    let [a, b] = [(); 2].map(|()| world.core.mutex(Protocol::Inherit).unwrap());
    world.thread(1);
    assert!(world.core.lock(CPU, a, FOREVER, world.now).is_ok());
    world.thread(3);
    assert!(world.core.lock(CPU, b, FOREVER, world.now).is_ok());
    let locked = world.core.lock(CPU, a, FOREVER, world.now);
    world.waits(&locked);
    assert_eq!(world.running(), Some(0));
    world.thread(4);
    assert_eq!(world.running(), Some(2));
    world.thread(9);
    let locked = world.core.lock(CPU, b, FOREVER, world.now);
    world.waits(&locked);
    // Thread 3 waits for 1, which waits for 0; so 0 runs before 2, which is the more urgent by
    // itself.
    assert_eq!(world.running(), Some(0));
    world.core.unlock(CPU, a, world.now).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(1));
    world.core.unlock(CPU, b, world.now).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(3));
    for expected in [2, 1, 0] {
        world.core.exit(CPU, world.now).unwrap();
        world.settle();
        assert_eq!(world.running(), Some(expected));
    }
    let inherits: Vec<_> = world
        .story()
        .into_iter()
        .filter(|line| line.contains("inherit"))
        .collect();
    assert_eq!(
        inherits,
        [
            "0 inherit task 0 from task 1",
            "0 inherit task 1 from task 3",
            "0 inherit task 0 no more",
            "0 inherit task 1 no more",
        ]
    );
}

#[test]
fn without_a_protocol_nothing_is_inherited() {
    let mut world = fixed();
    let mutex = world.core.mutex(Protocol::None).unwrap();
    world.thread(1);
    assert!(world.core.lock(CPU, mutex, FOREVER, world.now).is_ok());
    world.thread(3);
    let locked = world.core.lock(CPU, mutex, FOREVER, world.now);
    world.waits(&locked);
    world.thread(2);
    assert_eq!(world.running(), Some(2));
}

#[test]
fn a_thread_that_gives_up_waiting_takes_its_urgency_along() {
    let mut world = fixed();
    let mutex = world.core.mutex(Protocol::Inherit).unwrap();
    world.thread(1);
    assert!(world.core.lock(CPU, mutex, FOREVER, world.now).is_ok());
    world.thread(2);
    world.thread(3);
    let locked = world.core.lock(CPU, mutex, at(10), world.now);
    world.waits(&locked);
    assert_eq!(world.running(), Some(0));
    world.run_until(at(10));
    assert_eq!(world.core.outcome(CPU), Err(Error::TimedOut));
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(1));
}

#[test]
fn a_condition_gives_the_mutex_back() {
    let mut world = fixed();
    let mutex = world.core.mutex(Protocol::Inherit).unwrap();
    let condition = world.core.condition().unwrap();
    world.thread(2);
    let waited = world
        .core
        .wait_condition(CPU, condition, mutex, FOREVER, world.now);
    assert_eq!(waited, Err(Error::NotOwner));
    assert!(world.core.lock(CPU, mutex, FOREVER, world.now).is_ok());
    let waited = world
        .core
        .wait_condition(CPU, condition, mutex, FOREVER, world.now);
    world.waits(&waited);
    world.thread(1);
    assert_eq!(
        world.core.lock(CPU, mutex, FOREVER, world.now),
        Ok(Poll::Ready(()))
    );
    world
        .core
        .signal_condition(CPU, condition, world.now)
        .unwrap();
    world.settle();
    // Signalled, but the mutex is not free; the owner has inherited.
    assert_eq!(world.running(), Some(1));
    world.core.unlock(CPU, mutex, world.now).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(0));
    assert_eq!(world.core.outcome(CPU), Ok(()));
    world.core.unlock(CPU, mutex, world.now).unwrap();
}

#[test]
fn a_condition_that_takes_too_long_gives_the_mutex_back_too() {
    let mut world = fixed();
    let mutex = world.core.mutex(Protocol::Inherit).unwrap();
    let condition = world.core.condition().unwrap();
    world.thread(2);
    assert!(world.core.lock(CPU, mutex, FOREVER, world.now).is_ok());
    let waited = world
        .core
        .wait_condition(CPU, condition, mutex, at(10), world.now);
    world.waits(&waited);
    world.thread(1);
    assert!(world.core.lock(CPU, mutex, FOREVER, world.now).is_ok());
    world.run_until(at(20));
    assert_eq!(world.running(), Some(1));
    world.core.unlock(CPU, mutex, world.now).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(0));
    assert_eq!(world.core.outcome(CPU), Err(Error::TimedOut));
    world.core.unlock(CPU, mutex, world.now).unwrap();
}

#[test]
fn a_broadcast_wakes_all() {
    let mut world = fixed();
    let mutex = world.core.mutex(Protocol::Inherit).unwrap();
    let condition = world.core.condition().unwrap();
    for priority in [1, 2, 3] {
        world.thread(priority);
        assert!(world.core.lock(CPU, mutex, FOREVER, world.now).is_ok());
        let waited = world
            .core
            .wait_condition(CPU, condition, mutex, FOREVER, world.now);
        world.waits(&waited);
    }
    world.core.broadcast(CPU, condition, world.now).unwrap();
    world.settle();
    for expected in [2, 1, 0] {
        assert_eq!(world.running(), Some(expected));
        world.core.unlock(CPU, mutex, world.now).unwrap();
        world.core.exit(CPU, world.now).unwrap();
        world.settle();
    }
}
