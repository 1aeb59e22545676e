//! A kernel in which no wait has a limit.

use super::world::{CPU, Edf, Numbers, Table};
use crate::{Attributes, Config, Core, Error, Protocol, Sizes, ThreadId, Timing};
use core::task::Poll;
use flyball_policy::{Deadline, EarliestDeadline, Inline, Nothing, Ranked};
use flyball_trace::{Duration, NoTrace, Time};

struct Unlimited;

impl Config for Unlimited {
    type Policy = Edf;
    type Trace = NoTrace;
    type Message = u32;
    type Stamp = Time;
    type Cpus = Inline<1>;
    type Threads = Table;
    type Objects = Numbers;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Inline<1>;
    type Messages = Inline<1>;
    type Jobs = Nothing;
    type Arrivals = Nothing;
    type Accounts = Nothing;
    type Counts = Nothing;
    type Budgets = Nothing;
    const TIMEOUTS: bool = false;
}

const LATER: Time = Time::from_nanos(50);
const NOW: Time = Time::from_nanos(10);

fn settle(core: &mut Core<Unlimited>, now: Time) {
    let _ = core.decide(CPU, now);
}

/// A thread that runs.
fn kernel() -> (Core<Unlimited>, ThreadId) {
    let policy = Ranked::new(EarliestDeadline, 8);
    let mut core = Core::new(policy, NoTrace, Timing::Tickless, &Sizes::FIXED);
    let deadline = Deadline(Duration::from_nanos(100));
    let thread = core.spawn(CPU, Attributes::THREAD, deadline, NOW).unwrap();
    settle(&mut core, NOW);
    (core, thread)
}

#[test]
fn waits_with_a_limit_are_refused_and_change_nothing() {
    let (mut core, thread) = kernel();
    let semaphore = core.semaphore(0).unwrap();
    let queue = core.queue(1).unwrap();
    let full = Err(Error::Full);
    assert_eq!(core.wait(CPU, semaphore, LATER, NOW), full);
    assert_eq!(core.receive(CPU, queue, 0, LATER, NOW), full);
    assert_eq!(core.park(CPU, LATER, NOW), full);
    // Where no thread has to wait there is no limit, either; and not to wait at all is none.
    core.signal(CPU, semaphore, NOW).unwrap();
    assert_eq!(core.wait(CPU, semaphore, LATER, NOW), Ok(Poll::Ready(())));
    assert_eq!(
        core.wait(CPU, semaphore, Time::ZERO, NOW),
        Err(Error::TimedOut)
    );
    assert_eq!(core.running(CPU), Some(thread));
    assert_eq!(core.next_timer(CPU), Time::NEVER);
    assert_eq!(
        core.wait(CPU, semaphore, Time::NEVER, NOW),
        Ok(Poll::Pending)
    );
}

#[test]
fn a_mutex_that_is_not_free_is_waited_for_without_a_limit() {
    let (mut core, first) = kernel();
    let mutex = core.mutex(Protocol::Inherit).unwrap();
    assert_eq!(core.lock(CPU, mutex, LATER, NOW), Ok(Poll::Ready(())));
    let urgent = Deadline(Duration::from_nanos(20));
    let second = core.spawn(CPU, Attributes::THREAD, urgent, NOW).unwrap();
    settle(&mut core, NOW);
    assert_eq!(core.running(CPU), Some(second));
    assert_eq!(core.lock(CPU, mutex, LATER, NOW), Err(Error::Full));
    assert_eq!(core.lock(CPU, mutex, Time::NEVER, NOW), Ok(Poll::Pending));
    settle(&mut core, NOW);
    assert_eq!(core.running(CPU), Some(first));
    core.unlock(CPU, mutex, NOW).unwrap();
    settle(&mut core, NOW);
    assert_eq!(core.running(CPU), Some(second));
}

#[test]
fn threads_sleep_all_the_same_and_are_roused() {
    let (mut core, thread) = kernel();
    assert_eq!(core.sleep_until(CPU, LATER, NOW), Ok(Poll::Pending));
    settle(&mut core, NOW);
    assert_eq!((core.running(CPU), core.next_timer(CPU)), (None, LATER));
    assert_eq!(core.timer(CPU, LATER), 1);
    settle(&mut core, LATER);
    assert_eq!(core.running(CPU), Some(thread));
    let longer = Time::from_nanos(90);
    assert_eq!(core.sleep_until(CPU, longer, LATER), Ok(Poll::Pending));
    settle(&mut core, LATER);
    assert_eq!(core.rouse(CPU, thread, LATER), Ok(true));
    settle(&mut core, LATER);
    // Its alarm is gone.
    assert_eq!(core.running(CPU), Some(thread));
    assert_eq!(core.next_timer(CPU), Time::NEVER);
    assert_eq!(core.outcome(CPU), Err(Error::Roused));
    assert_eq!(core.timer(CPU, longer), 0);
}
