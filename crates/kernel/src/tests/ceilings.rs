//! Priority ceilings, a call at a time.

use super::world::{CPU, Edf, Fixed, World, at, edf, fixed, ns};
use crate::{Attributes, Error, Protocol};
use core::task::Poll;
use flyball_policy::{Deadline, Parameter, Policy, Priority, Refused};
use flyball_trace::Time;

impl World<Fixed> {
    fn ceiling(&mut self, ceiling: Option<u8>) -> Result<(), Error> {
        let ceiling = ceiling.map(|level| (Priority(level), self.now));
        let raised = self.core.raise(CPU, ceiling, self.now);
        self.settle();
        raised
    }
}

impl World<Edf> {
    fn floor(&mut self, deadline: Option<u64>) {
        let floor = deadline.map(|deadline| (Deadline(ns(deadline)), self.now));
        self.core.raise(CPU, floor, self.now).unwrap();
        self.settle();
    }

    fn job(&mut self, deadline: u64) -> u16 {
        let attributes = Attributes {
            deadline: Some(ns(deadline)),
            ..Attributes::THREAD
        };
        self.spawn(attributes).task().0
    }
}

#[test]
fn a_thread_acts_with_its_ceiling() {
    let mut world = fixed();
    let low = world.thread(1).task().0;
    world.ceiling(Some(4)).unwrap();
    let middle = world.thread(3).task().0;
    assert_eq!(world.running(), Some(low));
    // A thread at the ceiling does not preempt; one above it does.
    world.thread(4);
    assert_eq!(world.running(), Some(low));
    let high = world.thread(5);
    assert_eq!(world.running(), Some(high.task().0));
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    assert_eq!(world.running(), Some(low));
    world.ceiling(Some(3)).unwrap();
    assert_ne!(world.running(), Some(low));
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    // It is as urgent as the other one, and was there first.
    assert_eq!(world.running(), Some(low));
    world.ceiling(None).unwrap();
    assert_eq!(world.running(), Some(middle));
}

/// What a thread inherits and its ceiling count both, and each alone is left when the other ends.
#[test]
fn ceilings_and_inheritance_go_together() {
    let mut world = fixed();
    let mutex = world.core.mutex(Protocol::Inherit).unwrap();
    let low = world.thread(1).task().0;
    let lock = |world: &mut World<Fixed>| {
        let locked = world.core.lock(CPU, mutex, Time::NEVER, world.now);
        world.settle();
        locked
    };
    assert_eq!(lock(&mut world), Ok(Poll::Ready(())));
    world.ceiling(Some(2)).unwrap();
    let high = world.thread(5).task().0;
    assert_eq!(lock(&mut world), Ok(Poll::Pending));
    let middle = world.thread(4).task().0;
    assert_eq!(world.running(), Some(low));
    // The ceiling ends, and changes, while it inherits.
    world.ceiling(None).unwrap();
    world.ceiling(Some(3)).unwrap();
    assert_eq!(world.running(), Some(low));
    world.core.unlock(CPU, mutex, world.now).unwrap();
    world.settle();
    for (thread, next) in [(high, middle), (middle, low)] {
        assert_eq!(world.running(), Some(thread));
        world.core.exit(CPU, world.now).unwrap();
        world.settle();
        assert_eq!(world.running(), Some(next));
    }
    world.thread(2);
    assert_eq!(world.running(), Some(low));
    world.ceiling(None).unwrap();
    assert_ne!(world.running(), Some(low));
}

/// Under earliest deadlines a ceiling is a deadline that counts from when it was said.
#[test]
fn a_floor_is_a_deadline() {
    let mut world = edf();
    let long = world.job(100);
    world.run_until(at(5));
    world.floor(Some(10));
    world.run_until(at(8));
    let short = world.job(8);
    assert_eq!(world.running(), Some(long), "due at 15 and at 16");
    world.floor(None);
    assert_eq!(world.running(), Some(short));
}

#[test]
fn a_ceiling_that_makes_no_sense_is_refused() {
    let mut world = edf();
    let long = world.job(100);
    world.floor(Some(10));
    let none = Some((Deadline(ns(0)), world.now));
    let refused = Error::Refused(Refused::Invalid(Parameter::Deadline));
    assert_eq!(world.core.raise(CPU, none, world.now), Err(refused));
    // The one before counts.
    world.job(20);
    assert_eq!(world.running(), Some(long));
}

/// A new thread in the row of one that ended with a ceiling has none.
#[test]
fn a_ceiling_ends_with_its_thread() {
    let mut world = fixed();
    for _ in 0..2 * super::world::ROWS {
        let thread = world.thread(1).task().0;
        let other = world.thread(2).task().0;
        assert_eq!(world.running(), Some(other));
        world.core.exit(CPU, world.now).unwrap();
        world.settle();
        assert_eq!(world.running(), Some(thread));
        world.ceiling(Some(4)).unwrap();
        world.core.exit(CPU, world.now).unwrap();
        world.settle();
    }
    assert_eq!(world.core.raise(CPU, None, world.now), Err(Error::NoThread));
}

/// A policy says so if it knows no ceilings.
#[test]
fn most_policies_have_none() {
    let mut policy = flyball_policy::servers::Servers::new(
        flyball_policy::servers::ConstantBandwidth::HARD,
        Fixed::new(flyball_policy::FixedPriority, super::world::ROWS),
        super::world::ROWS,
    );
    let seat = flyball_policy::servers::Seat::Background(Priority(1));
    let _: &mut flyball_policy::servers::Servers<_, Fixed, super::world::Table> = &mut policy;
    let task = flyball_trace::TaskId(0);
    policy.admit(task, seat, Time::ZERO).unwrap();
    let raised = policy.raise(task, seat, Time::ZERO, Time::ZERO);
    assert_eq!(raised.map(drop), Err(Refused::Fixed));
}
