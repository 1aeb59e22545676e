//! The capacity of queues changes while they are used.

use super::world::{CPU, Fixed, World, at, fixed, ns};
use crate::{Attributes, Error, QueueId, Trigger};
use core::task::Poll;
use flyball_trace::Time;
#[cfg(not(miri))]
use proptest::prelude::*;
#[cfg(not(miri))]
use std::collections::VecDeque;

const FOREVER: Time = Time::NEVER;

fn resize(world: &mut World<Fixed>, queue: QueueId, capacity: u16) -> Result<(), Error> {
    let resized = world.core.resize(CPU, queue, capacity, world.now);
    world.core.audit();
    world.settle();
    resized
}

fn post(world: &mut World<Fixed>, queue: QueueId, message: u32) -> Result<(), Error> {
    world.core.post(CPU, queue, &message, world.now)
}

/// The running thread takes a message out, which is there.
fn receive(world: &mut World<Fixed>, queue: QueueId) -> u32 {
    let received = world.core.receive(CPU, queue, 0, FOREVER, world.now);
    assert_eq!(received, Ok(Poll::Ready(())));
    let message = *world.core.received(CPU).unwrap();
    world.core.audit();
    world.settle();
    message
}

#[test]
fn a_queue_takes_one_message_up_to_as_many_as_it_was_made_for() {
    let mut world = fixed();
    let queue = world.core.queue(3).unwrap();
    assert_eq!(resize(&mut world, queue, 0), Err(Error::Invalid));
    assert_eq!(resize(&mut world, queue, 4), Err(Error::Full));
    let unknown = QueueId::from_number(1);
    assert_eq!(resize(&mut world, unknown, 1), Err(Error::Unknown));
    // None of them has changed anything.
    for (capacity, expected) in [(3, 3), (1, 1), (2, 2), (3, 3)] {
        assert_eq!(resize(&mut world, queue, capacity), Ok(()));
        let posted = (0..4).filter(|&message| post(&mut world, queue, message).is_ok());
        assert_eq!(posted.count(), expected);
        let drained = world.core.drain(CPU, queue, u16::MAX, world.now, |_| ());
        assert_eq!(drained, Ok(()));
    }
}

#[test]
fn messages_beyond_a_lower_capacity_stay() {
    let mut world = fixed();
    let other = world.core.queue(1).unwrap();
    let queue = world.core.queue(4).unwrap();
    world.thread(1);
    post(&mut world, other, 100).unwrap();
    // So that the messages go round the end of the rows.
    for message in [8, 9] {
        post(&mut world, queue, message).unwrap();
        assert_eq!(receive(&mut world, queue), message);
    }
    for message in 1..=4 {
        post(&mut world, queue, message).unwrap();
    }
    assert_eq!(resize(&mut world, queue, 2), Ok(()));
    assert_eq!(world.core.messages_of(queue), [1, 2, 3, 4]);
    // No other is put in before there is room: not with three messages, nor with two.
    for expected in 1..=3 {
        assert_eq!(post(&mut world, queue, 5), Err(Error::Full));
        assert_eq!(world.core.try_send(queue, &5, Some(CPU)), Ok(false));
        assert_eq!(receive(&mut world, queue), expected);
    }
    assert_eq!(post(&mut world, queue, 5), Ok(()));
    assert_eq!(post(&mut world, queue, 6), Err(Error::Full));
    assert_eq!(receive(&mut world, queue), 4);
    assert_eq!(receive(&mut world, queue), 5);
    assert_eq!(world.core.messages_of(other), [100]);
}

/// By the first half of the call, or by the second one where the first leaves it.
#[test]
fn a_message_is_taken_out_whatever_the_capacity() {
    let mut world = fixed();
    let queue = world.core.queue(3).unwrap();
    world.thread(1);
    for message in 1..=3 {
        post(&mut world, queue, message).unwrap();
    }
    assert_eq!(resize(&mut world, queue, 1), Ok(()));
    let mut message = 0;
    for expected in 1..=3 {
        if world.core.try_receive(queue, &mut message, Some(CPU)) == Ok(true) {
            assert_eq!(message, expected);
        } else {
            assert_eq!(receive(&mut world, queue), expected);
        }
    }
    assert_eq!(
        world.core.try_receive(queue, &mut message, Some(CPU)),
        Ok(false)
    );
    assert_eq!(world.core.queue_len(queue), Ok(0));
}

#[test]
fn as_many_senders_as_fit_are_let_in_the_most_urgent_first() {
    let mut world = fixed();
    let queue = world.core.queue(4).unwrap();
    assert_eq!(resize(&mut world, queue, 1), Ok(()));
    post(&mut world, queue, 0).unwrap();
    let mut senders = Vec::new();
    for (priority, message) in [(4, 41), (6, 62), (5, 53), (6, 64)] {
        senders.push(world.thread(priority).task().0);
        let sent = world.core.send(CPU, queue, &message, FOREVER, world.now);
        world.waits(&sent);
    }
    // To the capacity that there is already: nothing happens.
    assert_eq!(resize(&mut world, queue, 1), Ok(()));
    assert_eq!(world.running(), None);
    assert_eq!(resize(&mut world, queue, 3), Ok(()));
    assert_eq!(world.core.messages_of(queue), [0, 62, 64]);
    assert_eq!(world.running(), Some(senders[1]));
    assert_eq!(world.core.outcome(CPU), Ok(()));
    // The others wait, and a lower capacity keeps them waiting for longer.
    assert_eq!(resize(&mut world, queue, 2), Ok(()));
    assert_eq!(receive(&mut world, queue), 0);
    assert_eq!(world.core.messages_of(queue), [62, 64]);
    assert_eq!(receive(&mut world, queue), 62);
    assert_eq!(world.core.messages_of(queue), [64, 53]);
    let mut taken = Vec::new();
    let drained = world
        .core
        .drain(CPU, queue, 3, world.now, |&message| taken.push(message));
    assert_eq!((drained, taken), (Ok(()), vec![64, 53, 41]));
}

#[test]
fn receivers_wait_on() {
    let mut world = fixed();
    let queue = world.core.queue(2).unwrap();
    let receiver = world.thread(3);
    let received = world.core.receive(CPU, queue, 0, at(9), world.now);
    world.waits(&received);
    for capacity in [1, 2] {
        assert_eq!(resize(&mut world, queue, capacity), Ok(()));
        assert_eq!(world.running(), None);
    }
    post(&mut world, queue, 7).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(receiver.task().0));
    assert_eq!(world.core.received(CPU), Ok(&7));
}

/// A queue of four rows whose messages release jobs, which come at least 10 ns apart.
fn triggering(world: &mut World<Fixed>) -> QueueId {
    let queue = world.core.queue(4).unwrap();
    let filter = world.spawn(Attributes::sporadic(ns(10)), 1);
    let trigger = Trigger::Queue(queue);
    assert_eq!(world.core.release_by(filter, trigger), Ok(()));
    queue
}

#[test]
fn a_queue_that_releases_jobs_has_another_capacity() {
    let mut world = fixed();
    let queue = triggering(&mut world);
    assert_eq!(resize(&mut world, queue, 1), Ok(()));
    assert_eq!(resize(&mut world, queue, 5), Err(Error::Full));
    // The first one's job begins; the second waits in the queue, and the third finds no room.
    for message in [1, 2] {
        assert_eq!(world.core.try_send(queue, &message, Some(CPU)), Ok(false));
        assert_eq!(post(&mut world, queue, message), Ok(()));
        world.settle();
    }
    assert_eq!(post(&mut world, queue, 3), Err(Error::Full));
    // Three senders wait, and two of them fit.
    let senders = [(5, 30), (7, 50), (6, 40)].map(|(priority, message)| {
        let sender = world.thread(priority).task().0;
        let sent = world.core.send(CPU, queue, &message, FOREVER, world.now);
        world.waits(&sent);
        sender
    });
    assert_eq!(resize(&mut world, queue, 3), Ok(()));
    assert_eq!(world.core.messages_of(queue), [2, 50, 40]);
    let story = world.story();
    let arrivals = story.iter().filter(|line| line.contains("arrive"));
    assert_eq!(arrivals.count(), 4);
    // With a lower capacity all messages stay and each releases its job. The last sender waits until there
    // is room.
    assert_eq!(resize(&mut world, queue, 1), Ok(()));
    let exit = |world: &mut World<Fixed>, thread| {
        assert_eq!(world.running(), Some(thread));
        world.core.exit(CPU, world.now).unwrap();
        world.settle();
    };
    exit(&mut world, senders[1]);
    exit(&mut world, senders[2]);
    assert_eq!(world.core.received(CPU), Ok(&1));
    let rests = [&[50, 40][..], &[40], &[30], &[]];
    for ((begin, message), rest) in [(10, 2), (20, 50), (30, 40), (40, 30)]
        .into_iter()
        .zip(rests)
    {
        let ended = world.core.wait_next(CPU, world.now);
        world.waits(&ended);
        world.run_until(at(begin));
        if begin == 30 {
            exit(&mut world, senders[0]);
        }
        assert_eq!(world.core.received(CPU), Ok(&message));
        assert_eq!(world.core.messages_of(queue), rest);
    }
}

#[cfg(not(miri))]
#[derive(Clone, Debug)]
enum Step {
    Post,
    TrySend,
    Receive,
    TryReceive,
    Resize(u16),
}

#[cfg(not(miri))]
fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => Just(Step::Post),
        3 => Just(Step::TrySend),
        2 => Just(Step::Receive),
        2 => Just(Step::TryReceive),
        2 => (0_u16..7).prop_map(Step::Resize),
    ]
}

#[cfg(not(miri))]
proptest! {
    /// Without threads that wait: a list with a limit.
    #[test]
    fn a_queue_is_a_list_with_a_limit(
        steps in proptest::collection::vec(step(), 0..300),
        has_jobs_elsewhere: bool,
    ) {
        let mut world = fixed();
        let other = world.core.queue(2).unwrap();
        let queue = world.core.queue(5).unwrap();
        if has_jobs_elsewhere {
            let filter = world.spawn(Attributes::sporadic(ns(10)), 1);
            world.core.release_by(filter, Trigger::Queue(other)).unwrap();
        }
        world.thread(9);
        let (mut model, mut limit) = (VecDeque::new(), 5);
        for (step, message) in steps.into_iter().zip(0_u32..) {
            let has_room = model.len() < limit;
            let now = world.now;
            match step {
                Step::Post => {
                    let posted = world.core.post(CPU, queue, &message, now);
                    prop_assert_eq!(posted, has_room.then_some(()).ok_or(Error::Full));
                }
                Step::TrySend => {
                    prop_assert_eq!(world.core.try_send(queue, &message, Some(CPU)), Ok(has_room));
                }
                Step::Receive => {
                    let received = world.core.receive_now(CPU, queue, 0, now).unwrap();
                    let received = received.then(|| *world.core.received(CPU).unwrap());
                    prop_assert_eq!(received, model.pop_front());
                }
                Step::TryReceive => {
                    let mut taken = 0;
                    if world.core.try_receive(queue, &mut taken, Some(CPU)).unwrap() {
                        prop_assert_eq!(Some(taken), model.pop_front());
                    } else {
                        // The second half is for more than fit.
                        prop_assert!(model.is_empty() || model.len() > limit);
                    }
                }
                Step::Resize(capacity) => {
                    let expected = match capacity {
                        0 => Err(Error::Invalid),
                        1..=5 => Ok(()),
                        _ => Err(Error::Full),
                    };
                    prop_assert_eq!(world.core.resize(CPU, queue, capacity, now), expected);
                    if expected.is_ok() {
                        limit = usize::from(capacity);
                    }
                }
            }
            if has_room && matches!(step, Step::Post | Step::TrySend) {
                model.push_back(message);
            }
            prop_assert_eq!(world.core.messages_of(queue), model.make_contiguous());
            world.core.audit();
        }
    }
}
