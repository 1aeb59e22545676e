//! What the clock does to threads: releases, deadlines and misses.

use super::world::{CPU, World, at, edf, fixed, ns};
use crate::{Attributes, Entry, Error, OnMiss, Release, Timing};
use core::task::Poll;
use flyball_policy::{EarliestDeadline, Policy};
use flyball_trace::{Duration, Time};

/// The job is done; settles.
fn done<P: Policy>(world: &mut World<P>) {
    let _ = world.core.wait_next(CPU, world.now).unwrap();
    world.settle();
}

#[test]
fn all_that_is_due_is_released_before_anyone_runs() {
    let mut world = edf();
    for deadline in [30, 20, 10] {
        world.spawn(Attributes {
            start: at(5),
            deadline: Some(ns(deadline)),
            ..Attributes::periodic(ns(100))
        });
    }
    world.run_until(at(5));
    assert_eq!(
        world.story()[3..],
        [
            "5ns release task 0 job 1 deadline 35ns",
            "5ns release task 1 job 1 deadline 25ns",
            "5ns release task 2 job 1 deadline 15ns",
            "5ns dispatch task 2 job 1",
        ]
    );
}

#[test]
fn deadlines_count_from_the_release_and_not_from_the_tick() {
    // Gracioli et al., section 3.1: a period of 15 ms on a tick of 10 ms waits until 20 ms.
    let edf = flyball_policy::Ranked::new(EarliestDeadline, 8);
    let mut world: World<super::world::Edf> = World::new(edf, Timing::Tick(ns(10)));
    world.spawn(Attributes::periodic(ns(15)));
    done(&mut world);
    world.run_until(at(20));
    let story = world.story();
    assert!(
        story.contains(&"20ns release task 0 job 2 deadline 30ns".into()),
        "{story:#?}"
    );
    assert_eq!(world.running(), Some(0));
    // Between two ticks it is not noticed that the deadline has passed, but the end of the job
    // does.
    world.run_until(at(30));
    assert_eq!(world.core.misses(), 1);
    world.now = at(31);
    done(&mut world);
    world.run_until(at(39));
    done(&mut world);
    assert_eq!(world.core.misses(), 1);
}

#[test]
fn late_jobs_go_on_by_default_and_others_wait() {
    let mut world = edf();
    world.spawn(Attributes::periodic(ns(10)));
    world.run_until(at(35));
    assert_eq!(world.core.misses(), 3);
    for _ in 0..3 {
        assert_eq!(world.core.wait_next(CPU, world.now), Ok(Poll::Ready(())));
        world.settle();
    }
    assert_eq!(world.core.wait_next(CPU, world.now), Ok(Poll::Pending));
    world.settle();
    assert_eq!(world.core.misses(), 3);
    let misses: Vec<_> = world
        .story()
        .into_iter()
        .filter(|line| line.contains("miss"))
        .collect();
    assert_eq!(
        misses,
        [
            "10ns miss task 0 job 1",
            "20ns miss task 0 job 2",
            "30ns miss task 0 job 3"
        ]
    );
}

#[test]
fn late_threads_may_skip() {
    let mut world = edf();
    world.spawn(Attributes {
        on_miss: OnMiss::Skip,
        ..Attributes::periodic(ns(10))
    });
    world.run_until(at(35));
    assert_eq!(world.core.misses(), 1);
    done(&mut world);
    assert_eq!(world.running(), None);
    world.run_until(at(40));
    assert_eq!(world.running(), Some(0));
    assert_eq!(
        world.story()[3..],
        [
            "10ns miss task 0 job 1",
            "10ns skip task 0 job 2",
            "20ns skip task 0 job 3",
            "30ns skip task 0 job 4",
            "35ns complete task 0 job 1",
            "35ns idle",
            "40ns release task 0 job 5 deadline 50ns",
            "40ns dispatch task 0 job 5",
        ]
    );
}

#[test]
fn late_threads_may_go_on_with_the_newest_job() {
    let mut world = edf();
    let thread = world.spawn(Attributes {
        on_miss: OnMiss::Latest,
        ..Attributes::periodic(ns(10))
    });
    world.run_until(at(35));
    // A job waits, so the clock of the next one is set already.
    assert_eq!(world.core.retime(thread, ns(7), ns(6)), Err(Error::Invalid));
    done(&mut world);
    assert_eq!(world.core.retime(thread, ns(7), ns(6)), Ok(()));
    assert_eq!(world.core.next_release(thread), at(40));
    world.run_until(at(36));
    done(&mut world);
    world.run_until(at(47));
    assert_eq!(world.core.next_release(thread), at(54));
    assert_eq!(
        world.story()[3..],
        [
            "10ns miss task 0 job 1",
            "10ns release task 0 job 2 deadline 20ns",
            "20ns miss task 0 job 2",
            "20ns skip task 0 job 2",
            "20ns release task 0 job 3 deadline 30ns",
            "30ns miss task 0 job 3",
            "30ns skip task 0 job 3",
            "30ns release task 0 job 4 deadline 40ns",
            "35ns complete task 0 job 1",
            "35ns dispatch task 0 job 4",
            // It was released at 30, and is due six later now.
            "36ns miss task 0 job 4",
            "36ns complete task 0 job 4",
            "36ns idle",
            "40ns release task 0 job 5 deadline 46ns",
            "40ns dispatch task 0 job 5",
            "46ns miss task 0 job 5",
            "47ns release task 0 job 6 deadline 53ns",
        ]
    );
}

#[test]
fn late_jobs_may_be_given_up_with_all_they_own() {
    let mut world = fixed();
    let mutex = world.core.mutex(crate::Protocol::Inherit).unwrap();
    let abort = Attributes {
        on_miss: OnMiss::Abort,
        deadline: Some(ns(20)),
        ..Attributes::periodic(ns(50))
    };
    world.spawn(abort, 2);
    assert!(world.core.lock(CPU, mutex, Time::NEVER, world.now).is_ok());
    world.now = at(5);
    world.thread(3);
    let locked = world.core.lock(CPU, mutex, Time::NEVER, world.now);
    world.waits(&locked);
    world.run_until(at(19));
    assert_eq!(world.running(), Some(0));
    world.run_until(at(20));
    assert_eq!(world.running(), Some(1));
    assert_eq!(world.core.outcome(CPU), Ok(()));
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    world.run_until(at(49));
    assert_eq!(world.running(), None);
    world.now = at(50);
    world.core.timer(CPU, world.now);
    let decided = Entry::instant(CPU, world.now).decide(&mut world.core);
    assert!(decided.restart(&world.core));
    let next = decided.leave(&mut world.core, world.now);
    assert!(next.rest.is_needed(&world.core), "there is more to do");
    let more = next.rest.take(&mut world.core, world.now);
    assert!(more.restart, "the program begins anew");
    assert_eq!(more.timer, Some(world.core.next_timer(CPU)));
    done(&mut world);
    world.now = at(100);
    world.core.timer(CPU, world.now);
    let next = Entry::instant(CPU, world.now).end(&mut world.core, world.now);
    assert!(!next.rest.take(&mut world.core, world.now).restart);
}

#[test]
fn a_job_may_be_given_up_while_it_waits() {
    let mut world = fixed();
    let semaphore = world.core.semaphore(0).unwrap();
    world.spawn(
        Attributes {
            on_miss: OnMiss::Abort,
            ..Attributes::periodic(ns(20))
        },
        2,
    );
    let waited = world.core.wait(CPU, semaphore, at(25), world.now);
    world.waits(&waited);
    world.run_until(at(30));
    assert_eq!(world.running(), Some(0));
    // The wait is over without an outcome, and the semaphore has no waiters any more.
    world.core.signal(CPU, semaphore, world.now).unwrap();
    assert_eq!(
        world.core.wait(CPU, semaphore, world.now, world.now),
        Ok(Poll::Ready(()))
    );
}

#[test]
fn a_thread_with_one_job_ends_with_it() {
    let mut world = fixed();
    let abort = Attributes {
        on_miss: OnMiss::Abort,
        deadline: Some(ns(20)),
        ..Attributes::THREAD
    };
    let thread = world.spawn(abort, 2);
    world.run_until(at(20));
    assert_eq!(world.running(), None);
    assert_eq!(world.core.cpu_time(thread, world.now), Err(Error::Dead));
}

#[test]
fn sporadic_threads_keep_their_distance() {
    let mut world = fixed();
    let periodic = world.thread(1);
    assert_eq!(
        world.core.release(CPU, periodic, world.now, world.now),
        Err(Error::NotSporadic)
    );
    world.core.exit(CPU, world.now).unwrap();
    world.settle();
    let thread = world.spawn(Attributes::sporadic(ns(10)), 1);
    assert_eq!(world.running(), None);
    world.run_until(at(3));
    for _ in 0..3 {
        world
            .core
            .release(CPU, thread, world.now, world.now)
            .unwrap();
        world.settle();
    }
    for release in [3, 13, 23] {
        world.run_until(at(release));
        assert_eq!(world.running(), Some(thread.task().0), "at {release}");
        done(&mut world);
        assert_eq!(world.running(), None);
    }
    world.run_until(at(100));
    assert_eq!(world.running(), None);
    world
        .core
        .release(CPU, thread, world.now, world.now)
        .unwrap();
    world.settle();
    assert_eq!(world.running(), Some(thread.task().0));
}

#[test]
fn arrivals_that_find_no_room_are_reported() {
    let mut world = fixed();
    let attributes = Attributes {
        deadline: None,
        ..Attributes::sporadic(ns(10))
    };
    let thread = world.spawn(attributes, 1);
    // One runs, one is the oldest that waits, four are in the table.
    for n in 0..6 {
        world.run_until(at(n * 10));
        assert_eq!(
            world.core.release(CPU, thread, world.now, world.now),
            Ok(()),
            "arrival {n}"
        );
        world.settle();
    }
    world.run_until(at(60));
    assert_eq!(
        world.core.release(CPU, thread, world.now, world.now),
        Err(Error::Full)
    );
}

#[test]
fn times_must_not_be_zero() {
    let mut world = edf();
    let zero = Duration::ZERO;
    let deadline = flyball_policy::Deadline(ns(1));
    for release in [
        Release::Periodic { period: zero },
        Release::Sporadic { separation: zero },
    ] {
        let attributes = Attributes {
            release,
            ..Attributes::THREAD
        };
        assert_eq!(
            world.core.spawn(CPU, attributes, deadline, world.now),
            Err(Error::Invalid)
        );
    }
}

#[test]
fn a_miss_wakes_its_handler() {
    let mut world = fixed();
    let alert = world.core.semaphore(0).unwrap();
    world.thread(9);
    let waited = world.core.wait(CPU, alert, Time::NEVER, world.now);
    world.waits(&waited);
    let watched = Attributes {
        alert: Some(alert),
        ..Attributes::periodic(ns(10))
    };
    world.spawn(watched, 1);
    world.run_until(at(10));
    assert_eq!(world.running(), Some(0));
    assert_eq!(
        world.story()[6..],
        [
            "0 release task 1 job 1 deadline 10ns",
            "0 dispatch task 1 job 1",
            "10ns miss task 1 job 1",
            "10ns wake task 0 job 1",
            "10ns release task 1 job 2 deadline 20ns",
            "10ns preempt task 1 job 1",
            "10ns dispatch task 0 job 1",
        ]
    );
    // What no thread has waited for yet is counted.
    world.run_until(at(30));
    assert_eq!(world.core.semaphore_value(alert), Ok(2));
}

#[test]
fn a_miss_that_only_the_end_of_the_job_shows_is_told_as_well() {
    let edf = flyball_policy::Ranked::new(EarliestDeadline, 8);
    let mut world: World<super::world::Edf> = World::new(edf, Timing::Tick(ns(10)));
    let alert = world.core.semaphore(0).unwrap();
    world.spawn(Attributes {
        alert: Some(alert),
        deadline: Some(ns(15)),
        ..Attributes::periodic(ns(50))
    });
    world.run_until(at(18));
    assert_eq!(world.core.semaphore_value(alert), Ok(0));
    done(&mut world);
    assert_eq!(world.core.semaphore_value(alert), Ok(1));
}

#[test]
fn an_alert_has_to_be_there() {
    let mut other = fixed();
    let alert = other.core.semaphore(0).unwrap();
    let mut world = fixed();
    let attributes = Attributes {
        alert: Some(alert),
        ..Attributes::THREAD
    };
    let spawned = world
        .core
        .spawn(CPU, attributes, flyball_policy::Priority(1), world.now);
    assert_eq!(spawned, Err(Error::Unknown));
}

#[test]
fn a_tick_may_get_another_length() {
    let edf = flyball_policy::Ranked::new(EarliestDeadline, 8);
    let mut world: World<super::world::Edf> = World::new(edf, Timing::Tick(ns(10)));
    world.run_until(at(25));
    assert_eq!(
        (world.core.ticks(), world.core.next_timer(CPU)),
        (2, at(30))
    );
    // From the last tick, at 20.
    world.core.set_tick(ns(4)).unwrap();
    assert_eq!(world.core.next_timer(CPU), at(24));
    assert!(!world.core.is_settled(CPU), "the timer has to be set");
    world.settle();
    world.run_until(at(33));
    // At once, as 24 was over, and at 28 and 32.
    assert_eq!(world.core.ticks(), 5);
    world.core.set_tick(ns(100)).unwrap();
    world.settle();
    assert_eq!(world.core.next_timer(CPU), at(132));
    assert_eq!(world.core.set_tick(ns(0)), Err(Error::Invalid));
    let mut tickless = super::world::edf();
    assert_eq!(tickless.core.set_tick(ns(10)), Err(Error::Invalid));
}
