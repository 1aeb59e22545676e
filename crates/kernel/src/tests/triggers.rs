//! Messages and signals release jobs.

use super::world::{CPU, World, at, fixed, ns};
use crate::{Attributes, Error, OnMiss, QueueId, ThreadId, Trigger};
use core::task::Poll;
use flyball_trace::Time;

type Fixed = World<super::world::Fixed>;

/// A thread whose jobs messages to a queue of that capacity release, and the queue.
fn filter(world: &mut Fixed, capacity: u16, on_miss: OnMiss) -> (ThreadId, QueueId) {
    let queue = world.core.queue(capacity).unwrap();
    let attributes = Attributes {
        on_miss,
        ..Attributes::sporadic(ns(10))
    };
    let thread = world.spawn(attributes, 1);
    let trigger = Trigger::Queue(queue);
    assert_eq!(world.core.release_by(thread, trigger), Ok(()));
    assert_eq!(world.core.release_by(thread, trigger), Err(Error::Taken));
    (thread, queue)
}

/// Puts messages in, from an interrupt.
fn post(world: &mut Fixed, queue: QueueId, messages: impl IntoIterator<Item = u32>) {
    for message in messages {
        assert_eq!(world.core.post(CPU, queue, &message, world.now), Ok(()));
    }
    world.settle();
}

/// The job is done: the message of the next one, if there is one.
fn next(world: &mut Fixed) -> Option<u32> {
    let ended = world.core.wait_next(CPU, world.now).unwrap();
    world.settle();
    ended.is_ready().then(|| *world.core.received(CPU).unwrap())
}

#[test]
fn each_job_takes_its_message() {
    let mut world = fixed();
    let (thread, queue) = filter(&mut world, 2, OnMiss::Continue);
    post(&mut world, queue, [7]);
    assert_eq!(world.running(), Some(thread.task().0));
    assert_eq!(world.core.received(CPU), Ok(&7));
    // Two more wait, as they come too early; then the queue is full.
    post(&mut world, queue, [8, 9]);
    assert_eq!(
        world.core.post(CPU, queue, &10, world.now),
        Err(Error::Full)
    );
    assert_eq!(next(&mut world), None);
    assert_eq!(world.core.queue_len(queue), Ok(2));
    world.run_until(at(10));
    assert_eq!(world.core.received(CPU), Ok(&8));
    world.run_until(at(20));
    // The third was released while the second worked.
    assert_eq!(next(&mut world), Some(9));
    assert_eq!(next(&mut world), None);
    assert_eq!(world.core.queue_len(queue), Ok(0));
}

#[test]
fn deadlines_count_from_the_message() {
    let mut world = fixed();
    let (_, queue) = filter(&mut world, 2, OnMiss::Continue);
    world.run_until(at(3));
    post(&mut world, queue, [1]);
    post(&mut world, queue, [2]);
    next(&mut world);
    world.run_until(at(20));
    let story = world.story();
    let is_about = |line: &&String| {
        ["arrive", "release", "miss"]
            .iter()
            .any(|it| line.contains(it))
    };
    let story: Vec<&String> = story.iter().filter(is_about).collect();
    assert_eq!(
        story,
        [
            "3ns arrive task 0 job 1",
            "3ns release task 0 job 1 deadline 13ns",
            "3ns arrive task 0 job 2 by task 0",
            "13ns release task 0 job 2 deadline 23ns",
        ]
        .iter()
        .collect::<Vec<_>>()
    );
}

#[test]
fn what_is_left_out_loses_its_message() {
    // The first job is late at 10, and what comes until the thread has caught up is left out.
    let mut world = fixed();
    let (_, queue) = filter(&mut world, 4, OnMiss::Skip);
    post(&mut world, queue, [1, 2]);
    world.run_until(at(12));
    assert_eq!(world.core.queue_len(queue), Ok(0));
    assert_eq!(next(&mut world), None);
    world.run_until(at(20));
    post(&mut world, queue, [3]);
    assert_eq!(world.core.received(CPU), Ok(&3));
    // Of those that are late, only the newest is done.
    let mut world = fixed();
    let (_, queue) = filter(&mut world, 4, OnMiss::Latest);
    post(&mut world, queue, [1, 2, 3, 4]);
    world.run_until(at(31));
    assert_eq!(next(&mut world), Some(4));
    assert_eq!(next(&mut world), None);
}

#[test]
fn senders_wait_while_the_queue_is_full() {
    let mut world = fixed();
    let (filter, queue) = filter(&mut world, 1, OnMiss::Continue);
    let sender = world.thread(9);
    let send = |world: &mut Fixed, message: u32| {
        let sent = world
            .core
            .send(CPU, queue, &message, Time::NEVER, world.now);
        world.settle();
        sent
    };
    assert_eq!(world.running(), Some(sender.task().0));
    assert_eq!(send(&mut world, 1), Ok(Poll::Ready(())));
    assert_eq!(send(&mut world, 2), Ok(Poll::Ready(())));
    assert_eq!(send(&mut world, 3), Ok(Poll::Pending));
    // The first job ends; the second may come at 10 only, and until then there is no room.
    assert_eq!(world.running(), Some(filter.task().0));
    assert_eq!(next(&mut world), None);
    assert_eq!(world.running(), None);
    world.run_until(at(10));
    assert_eq!(world.running(), Some(sender.task().0));
    assert_eq!(world.core.queue_len(queue), Ok(1));
    // When the thread ends, its queue is one like any other.
    assert_eq!(send(&mut world, 4), Ok(Poll::Pending));
    assert_eq!(world.core.received(CPU), Ok(&2));
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    let other = world.thread(3);
    assert_eq!(world.running(), Some(other.task().0));
    for message in [3, 4] {
        let received = world.core.receive(CPU, queue, 0, Time::NEVER, world.now);
        assert_eq!(received, Ok(Poll::Ready(())));
        assert_eq!(world.core.received(CPU), Ok(&message));
    }
}

#[test]
fn signals_release_jobs_and_no_thread_waits_for_them() {
    let mut world = fixed();
    let semaphore = world.core.semaphore(0).unwrap();
    let trigger = Trigger::Semaphore(semaphore);
    let thread = world.spawn(Attributes::sporadic(ns(10)), 1);
    assert_eq!(world.core.release_by(thread, trigger), Ok(()));
    assert_eq!(
        world.core.release(CPU, thread, world.now, world.now),
        Err(Error::Taken)
    );
    assert_eq!(world.core.signal(CPU, semaphore, world.now), Ok(()));
    assert_eq!(world.core.signal(CPU, semaphore, world.now), Ok(()));
    world.settle();
    assert_eq!(world.running(), Some(thread.task().0));
    let waited = world.core.wait(CPU, semaphore, Time::NEVER, world.now);
    assert_eq!(waited, Err(Error::Taken));
    assert_eq!(next(&mut world), None);
    world.run_until(at(10));
    assert_eq!(world.running(), Some(thread.task().0));
    // Only sporadic threads that have had no job can be triggered, by what is not in use.
    let other = world.core.semaphore(1).unwrap();
    let fresh = world.spawn(Attributes::sporadic(ns(10)), 1);
    let refused = world.core.release_by(fresh, Trigger::Semaphore(other));
    assert_eq!(refused, Err(Error::Taken));
    assert_eq!(world.core.release_by(fresh, trigger), Err(Error::Taken));
    let plain = world.spawn(Attributes::periodic(ns(10)), 1);
    let refused = world.core.release_by(plain, Trigger::Semaphore(other));
    assert_eq!(refused, Err(Error::NotSporadic));
    // The thread ends, and the semaphore counts again.
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    assert_eq!(world.core.signal(CPU, semaphore, world.now), Ok(()));
    assert_eq!(world.core.semaphore_value(semaphore), Ok(1));
}

#[test]
fn no_thread_receives_what_releases_jobs() {
    let mut world = fixed();
    let (_, queue) = filter(&mut world, 2, OnMiss::Continue);
    post(&mut world, queue, [1]);
    post(&mut world, queue, [2]);
    let mut message = 0;
    assert_eq!(
        world.core.try_receive(queue, &mut message, Some(CPU)),
        Ok(false)
    );
    let received = world.core.receive(CPU, queue, 0, Time::NEVER, world.now);
    assert_eq!(received, Err(Error::Taken));
    assert_eq!(world.core.queue_len(queue), Ok(1));
}

/// The test's kernel has four rows for jobs that wait, beside the first of each thread.
#[test]
fn a_job_without_room_to_wait_is_lost_with_its_message() {
    let mut world = fixed();
    let (_, queue) = filter(&mut world, 8, OnMiss::Continue);
    for message in 1..=7 {
        post(&mut world, queue, [message]);
        world.run_until(world.now + ns(10));
    }
    // The first is under way, and the last found no room.
    assert_eq!(world.core.queue_len(queue), Ok(5));
    assert!(
        world
            .story()
            .iter()
            .any(|line| line.ends_with("skip task 0 job 7"))
    );
    let sent = world.core.send(CPU, queue, &8, Time::NEVER, world.now);
    assert_eq!(sent, Ok(Poll::Ready(())));
    assert_eq!(world.core.queue_len(queue), Ok(5));
    assert_eq!(next(&mut world), Some(2));
}
