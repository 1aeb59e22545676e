//! The total bandwidth server.

use super::textbook::{Promise, Textbook, model};
use super::world::{Job, Work, fitting, run, units, works};
use flyball_policy::servers::{Reservation, Seat, TotalBandwidth};
use proptest::prelude::*;

/// Of each server the promise, and the deadline of the task that is next.
#[derive(Default)]
struct Book(Vec<(Promise, u64)>);

impl Textbook for Book {
    fn add(&mut self, promise: Promise) {
        self.0.push((promise, 0));
    }

    fn arrives(&mut self, i: usize, t: u64, is_job: bool) {
        assert!(is_job);
        self.goes_on(i, t);
    }

    fn used(&mut self, _: usize, _: u64) {}

    fn goes_on(&mut self, i: usize, t: u64) -> bool {
        let (promise, deadline) = &mut self.0[i];
        *deadline = t.max(*deadline) + promise.d;
        true
    }

    fn is_exhausted(&self, _: usize) -> bool {
        false
    }

    fn exhaust(&mut self, _: usize, _: u64) {
        unreachable!("it has no budget");
    }

    fn throttled(&self, _: usize) -> Option<u64> {
        None
    }

    fn refill(&mut self, _: usize, _: u64) {
        unreachable!("it has no budget");
    }

    fn key(&self, i: usize) -> u64 {
        self.0[i].1
    }
}

/// The same tasks, none of which asks for more than its server's budget in a job.
fn modest(works: &[Work]) -> Vec<Work> {
    let mut works = works.to_vec();
    for work in &mut works {
        if let Seat::Own(reservation) | Seat::Shared(_, reservation) = work.seat {
            for job in &mut work.jobs {
                job.length = job.length.min(reservation.budget.as_nanos());
            }
        }
    }
    works
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn deadlines_are_as_published(works in works()) {
        let book = model(&mut Book::default(), &works);
        prop_assert_eq!(run(TotalBandwidth, &works).schedule, book);
    }

    /// As long as no job asks for more than the budget.
    #[test]
    fn deadlines_are_met(works in works()) {
        prop_assert_eq!(run(TotalBandwidth, &modest(&fitting(&works, 100))).late, 0);
    }
}

/// What the others lack: a job that asks for more takes it from them.
#[test]
fn a_job_that_computes_for_too_long_hurts_others() {
    let task = |period, budget, length| Work {
        seat: Seat::Own(Reservation::every(units(period), units(budget))),
        jobs: vec![Job::new(0, length)],
    };
    let ran = run(TotalBandwidth, &[task(8, 2, 10), task(9, 2, 2)]);
    assert_eq!(ran.schedule[..10], [Some(0); 10]);
    assert!(ran.late > 0);
}
