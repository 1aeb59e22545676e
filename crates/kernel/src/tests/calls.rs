//! Calls that threads make, one at a time, and what they answer.

use super::informed::Informed;
use super::world::{CPU, Fixed, ROWS, Table, World, at, edf, fixed, ns, round_robin};
use crate::{Attributes, Error, OnMiss, Protocol, ThreadId, Timing};
use core::task::Poll;
use flyball_policy::{
    Deadline, Excess, FixedPriority, Heap, Laxity, LeastLaxity, Parameter, Priority, Ranked,
    Refused, RoundRobin,
};
use flyball_trace::{Duration, Time};

const FOREVER: Time = Time::NEVER;

#[test]
fn a_more_urgent_thread_takes_over_at_once() {
    let mut world = fixed();
    world.thread(1);
    assert_eq!(world.running(), Some(0));
    world.thread(3);
    assert_eq!(world.running(), Some(1));
    world.thread(2);
    assert_eq!(world.running(), Some(1));
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(2));
}

#[test]
fn yielding_goes_round_among_equals_only() {
    let mut world = fixed();
    for priority in [5, 5, 5, 1] {
        world.thread(priority);
    }
    let mut order = Vec::new();
    for _ in 0..6 {
        order.extend(world.running());
        world.core.yield_now(CPU, world.now).unwrap();
        world.settle();
    }
    assert_eq!(order, [0, 1, 2, 0, 1, 2]);
}

#[test]
fn a_semaphore_serves_the_most_urgent_and_then_the_first() {
    let mut world = fixed();
    let semaphore = world.core.semaphore(1).unwrap();
    let waiting = [2, 7, 7, 4].map(|priority| {
        let thread = world.thread(priority);
        if priority == 2 {
            assert_eq!(
                world.core.wait(CPU, semaphore, FOREVER, world.now),
                Ok(Poll::Ready(()))
            );
        }
        let waited = world.core.wait(CPU, semaphore, FOREVER, world.now);
        world.waits(&waited);
        thread.task().0
    });
    assert_eq!(world.running(), None);
    for expected in [waiting[1], waiting[2], waiting[3], waiting[0]] {
        world.core.signal(CPU, semaphore, world.now).unwrap();
        world.settle();
        assert_eq!(world.running(), Some(expected));
        world.core.exit(CPU, world.now).unwrap();
        world.settle();
    }
}

#[test]
fn waits_end_in_time() {
    let mut world = fixed();
    let semaphore = world.core.semaphore(0).unwrap();
    world.thread(1);
    let now = world.now;
    assert_eq!(
        world.core.wait(CPU, semaphore, now, now),
        Err(Error::TimedOut)
    );
    let waited = world.core.wait(CPU, semaphore, at(50), now);
    world.waits(&waited);
    world.run_until(at(49));
    assert_eq!(world.running(), None);
    world.run_until(at(50));
    assert_eq!(world.running(), Some(0));
    assert_eq!(world.core.outcome(CPU), Err(Error::TimedOut));
    // The signal is not lost: no thread waited for it.
    world.core.signal(CPU, semaphore, world.now).unwrap();
    assert_eq!(
        world.core.wait(CPU, semaphore, world.now, world.now),
        Ok(Poll::Ready(()))
    );
    let slept = world.core.sleep_until(CPU, at(60), world.now);
    world.waits(&slept);
    world.run_until(at(60));
    assert_eq!(world.core.outcome(CPU), Ok(()));
    assert_eq!(
        world.core.sleep_until(CPU, at(60), world.now),
        Ok(Poll::Ready(()))
    );
}

#[test]
fn the_outcome_is_that_of_the_last_wait() {
    let mut world = fixed();
    let semaphore = world.core.semaphore(0).unwrap();
    world.thread(1);
    let waited = world.core.wait(CPU, semaphore, at(5), world.now);
    world.waits(&waited);
    world.run_until(at(5));
    // It has timed out, and the outcome is not asked for.
    let waited = world.core.wait(CPU, semaphore, FOREVER, world.now);
    world.waits(&waited);
    world.core.signal(CPU, semaphore, world.now).unwrap();
    world.settle();
    assert_eq!(world.core.outcome(CPU), Ok(()));
}

#[test]
fn messages_keep_their_order() {
    let mut world = fixed();
    let queue = world.core.queue(2).unwrap();
    world.thread(1);
    let now = world.now;
    for message in [10, 11] {
        assert_eq!(
            world.core.send(CPU, queue, &message, FOREVER, now),
            Ok(Poll::Ready(()))
        );
    }
    assert_eq!(
        world.core.send(CPU, queue, &12, now, now),
        Err(Error::TimedOut)
    );
    assert_eq!(world.core.post(CPU, queue, &12, now), Err(Error::Full));
    let sent = world.core.send(CPU, queue, &12, FOREVER, now);
    world.waits(&sent);
    // The second thread makes room; the first one's message goes in behind the others.
    world.thread(2);
    for expected in [10, 11, 12] {
        assert_eq!(
            world.core.receive(CPU, queue, 0, FOREVER, now),
            Ok(Poll::Ready(()))
        );
        assert_eq!(world.core.received(CPU), Ok(&expected));
    }
    assert_eq!(
        world.core.receive(CPU, queue, 0, now, now),
        Err(Error::TimedOut)
    );
    let received = world.core.receive(CPU, queue, 0, FOREVER, now);
    world.waits(&received);
    assert_eq!(world.running(), Some(0));
    assert_eq!(world.core.outcome(CPU), Ok(()));
    assert_eq!(
        world.core.send(CPU, queue, &13, FOREVER, now),
        Ok(Poll::Ready(()))
    );
    world.settle();
    assert_eq!(world.running(), Some(1));
    assert_eq!(world.core.outcome(CPU), Ok(()));
    assert_eq!(world.core.received(CPU), Ok(&13));
}

#[test]
fn tables_fill_up_and_say_so() {
    let mut world = fixed();
    assert_eq!(world.core.queue(0), Err(Error::Invalid));
    assert_eq!(world.core.queue(9), Err(Error::Full));
    world.core.queue(8).unwrap();
    assert_eq!(world.core.queue(1), Err(Error::Full));
    for _ in 0..4 {
        world.core.mutex(Protocol::None).unwrap();
        world.core.semaphore(0).unwrap();
    }
    assert_eq!(world.core.mutex(Protocol::None), Err(Error::Full));
    assert_eq!(world.core.semaphore(0), Err(Error::Full));
    world.core.condition().unwrap();
    world.core.condition().unwrap();
    assert_eq!(world.core.condition(), Err(Error::Full));
    for _ in 0..8 {
        world.thread(1);
    }
    let ninth = world
        .core
        .spawn(CPU, Attributes::THREAD, Priority(1), world.now);
    assert_eq!(ninth, Err(Error::Full));
}

#[test]
fn a_handle_outlives_its_thread() {
    let mut world = fixed();
    let first = world.thread(1);
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    let now = world.now;
    assert_eq!(
        world.core.adjust(CPU, first, Priority(2), now),
        Err(Error::Dead)
    );
    assert_eq!(world.core.release(CPU, first, now, now), Err(Error::Dead));
    assert_eq!(world.core.cpu_time(first, now), Err(Error::Dead));
    let mut other: Vec<ThreadId> = Vec::new();
    for _ in 0..8 {
        other.push(world.thread(1));
    }
    // The row belongs to another thread by now, and still the old handle is dead.
    let heir = *other
        .iter()
        .find(|thread| thread.task() == first.task())
        .unwrap();
    assert_ne!(heir, first);
    assert_eq!(world.core.cpu_time(first, now), Err(Error::Dead));
    assert_eq!(world.core.cpu_time(heir, now), Ok(Duration::ZERO));
    // Waiting for the end of a thread that has ended is no wait.
    assert_eq!(
        world.core.join(CPU, first, FOREVER, now),
        Ok(Poll::Ready(()))
    );
}

#[test]
fn objects_of_another_kernel_are_unknown() {
    let mut other = fixed();
    let semaphore = other.core.semaphore(0).unwrap();
    let mutex = other.core.mutex(Protocol::None).unwrap();
    let mut world = fixed();
    world.thread(1);
    assert_eq!(
        world.core.signal(CPU, semaphore, world.now),
        Err(Error::Unknown)
    );
    assert_eq!(
        world.core.lock(CPU, mutex, FOREVER, world.now),
        Err(Error::Unknown)
    );
}

#[test]
fn joining_waits_for_the_end() {
    let mut world = fixed();
    let low = world.thread(1);
    let high = world.thread(2);
    assert_eq!(
        world.core.join(CPU, high, FOREVER, world.now),
        Err(Error::Deadlock)
    );
    let joined = world.core.join(CPU, low, FOREVER, world.now);
    world.waits(&joined);
    assert_eq!(world.running(), Some(0));
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(1));
    assert_eq!(world.core.outcome(CPU), Ok(()));
}

#[test]
fn new_parameters_count_at_once() {
    let mut world = fixed();
    let low = world.thread(1);
    world.thread(2);
    world.core.adjust(CPU, low, Priority(3), world.now).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(0));
    let mut world = edf();
    let thread = world.spawn(Attributes::periodic(ns(10)));
    let adjusted = world
        .core
        .adjust(CPU, thread, Deadline(Duration::ZERO), world.now);
    assert_eq!(
        adjusted,
        Err(Error::Refused(Refused::Invalid(Parameter::Deadline)))
    );
}

#[test]
fn a_new_quantum_counts_from_the_next_slice_on() {
    let mut world = round_robin(7);
    for _ in 0..2 {
        let spawned = world
            .core
            .spawn(CPU, Attributes::THREAD, Priority(1), world.now);
        spawned.unwrap();
    }
    world.settle();
    world.run_until(at(10));
    assert_eq!(world.running(), Some(1));
    let order = |quantum| RoundRobin {
        order: FixedPriority,
        quantum: ns(quantum),
    };
    assert_eq!(world.core.tune(order(20), world.now), Ok(()));
    // The slices that they have got are as long as before: to 14, and to 21.
    for (now, running) in [(15, 0), (22, 1), (40, 1), (42, 0), (60, 0), (62, 1)] {
        world.run_until(at(now));
        assert_eq!(world.running(), Some(running), "at {now} ns");
    }
    let refused = Err(Error::Refused(Refused::Invalid(Parameter::Quantum)));
    assert_eq!(world.core.tune(order(0), world.now), refused);
}

#[test]
fn the_figure_of_a_refusal_is_kept() {
    let llf = Ranked::<_, Heap<Time, Table>>::new(LeastLaxity::default(), ROWS);
    let World { mut core, .. }: World<_> = World::new(llf, Timing::Tickless);
    for (wcet, deadline) in [(9, 8), (15, 10)].map(|(wcet, deadline)| (ns(wcet), ns(deadline))) {
        let params = Laxity { deadline, wcet };
        let refused = match core.spawn(CPU, Attributes::THREAD, params, Time::ZERO) {
            Err(Error::Refused(refused)) => core.refusal(refused),
            other => panic!("{other:?}"),
        };
        let excess = Excess::of(wcet, deadline);
        assert_eq!(refused, Refused::Overload { excess });
    }
}

#[test]
fn cpu_time_is_exact() {
    let mut world = round_robin(7);
    let mut spawn = |priority| {
        let params = Priority(priority);
        let thread = world
            .core
            .spawn(CPU, Attributes::THREAD, params, world.now)
            .unwrap();
        world.settle();
        thread
    };
    let (a, b) = (spawn(1), spawn(1));
    world.run_until(at(100));
    // RoundRobinFixed of 7 ns: a has 0–7, 14–21, …, 98–100.
    assert_eq!(world.core.cpu_time(a, world.now), Ok(ns(7 * 7 + 2)));
    assert_eq!(world.core.cpu_time(b, world.now), Ok(ns(7 * 7)));
    world.core.enter(CPU, world.now);
    world.now += ns(5);
    world.core.leave(CPU, world.now);
    assert_eq!(world.core.cpu_time(a, world.now), Ok(ns(7 * 7 + 2)));
    assert_eq!(world.core.kernel_time(CPU), ns(5));
}

/// What a job says of itself reaches the policy; a job that is given up says nothing.
#[test]
fn results_of_jobs() {
    let policy = Informed::new(Fixed::new(FixedPriority, ROWS));
    let mut world: World<Informed<Fixed>> = World::new(policy, Timing::Tickless);
    let attributes = Attributes {
        deadline: Some(ns(5)),
        on_miss: OnMiss::Abort,
        ..Attributes::periodic(ns(10))
    };
    let thread = world.core.spawn(CPU, attributes, Priority(1), world.now);
    let task = thread.unwrap().task();
    world.settle();
    let next = world.core.wait_next_with(CPU, 7, world.now);
    world.waits(&next);
    world.run_until(at(12));
    let next = world.core.wait_next(CPU, world.now);
    world.waits(&next);
    world.run_until(at(26));
    assert_eq!(world.running(), None, "its third job has been given up");
    world.run_until(at(31));
    world.core.exit_with(CPU, 255, world.now).unwrap();
    let results = &world.core.policy().policy.results;
    assert_eq!(results[..], [(task, 7), (task, 0), (task, 255)]);
}

#[test]
fn idle_time_is_no_threads() {
    let mut world = fixed();
    let thread = world.spawn(Attributes::periodic(ns(50)), 1);
    world.run_until(at(20));
    assert!(world.core.wait_next(CPU, world.now).is_ok());
    world.settle();
    world.run_until(at(60));
    assert_eq!(world.core.idle_time(CPU), ns(30));
    assert_eq!(world.core.cpu_time(thread, world.now), Ok(ns(30)));
}
