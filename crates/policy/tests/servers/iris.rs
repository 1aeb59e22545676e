//! Idle time that is reclaimed.

use super::constant_bandwidth::{Book as Bandwidth, Rules};
use super::textbook::{Promise, Textbook, model};
use super::world::{Job, Work, run, units, works};
use flyball_policy::servers::{ConstantBandwidth, Iris, Reservation, Seat};
use proptest::prelude::*;

/// Hard servers, whose instants are all made earlier when the CPU would idle.
struct Book {
    budgets: Bandwidth,
    count: usize,
    /// Servers without tasks do not recharge.
    has_task: Vec<bool>,
}

impl Book {
    fn new() -> Book {
        Book {
            budgets: Bandwidth::new(Rules::Hard),
            count: 0,
            has_task: Vec::new(),
        }
    }
}

impl Textbook for Book {
    fn add(&mut self, promise: Promise) {
        self.budgets.add(promise);
        self.has_task.push(false);
        self.count += 1;
    }

    fn arrives(&mut self, i: usize, t: u64, is_job: bool) {
        self.budgets.arrives(i, t, is_job);
        self.has_task[i] = true;
    }

    fn used(&mut self, i: usize, t: u64) {
        self.budgets.used(i, t);
    }

    fn empties(&mut self, i: usize, _: u64) {
        self.has_task[i] = false;
    }

    fn is_exhausted(&self, i: usize) -> bool {
        self.budgets.is_exhausted(i)
    }

    fn exhaust(&mut self, i: usize, t: u64) {
        self.budgets.exhaust(i, t);
    }

    fn throttled(&self, i: usize) -> Option<u64> {
        self.budgets.throttled(i).filter(|_| self.has_task[i])
    }

    /// The deadline is a period after the instant of recharging.
    fn refill(&mut self, i: usize, t: u64) {
        self.budgets.recharge(i, t);
    }

    fn key(&self, i: usize) -> u64 {
        self.budgets.key(i)
    }

    fn idle(&mut self, t: u64) -> bool {
        let waiting = (0..self.count).filter_map(|i| self.throttled(i));
        let Some(first) = waiting.min() else {
            return false;
        };
        for i in 0..self.count {
            if self.has_task[i] {
                self.budgets.advance(i, first - t);
            }
        }
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn idle_time_is_reclaimed_as_reconstructed(works in works()) {
        let ran = run(Iris::default(), &works).schedule;
        prop_assert_eq!(&ran, &model(&mut Book::new(), &works));
        // The CPU never idles where it would have work.
        let asked = |schedule: &[Option<usize>]| schedule.iter().flatten().count();
        let soft = run(ConstantBandwidth::SOFT, &works).schedule;
        for end in 0..ran.len() {
            prop_assert_eq!(asked(&ran[..end]), asked(&soft[..end]));
        }
    }
}

/// Derived by hand. Both have work without end: 2 in 8 and 1 in 8 are used up at 3. What the CPU
/// would idle away is theirs in the same proportion, 2 : 1.
#[test]
fn what_is_left_over_is_shared_in_proportion() {
    let task = |budget| Work {
        seat: Seat::Own(Reservation::every(units(8), units(budget))),
        jobs: vec![Job::new(0, 200)],
    };
    let ran = run(Iris::default(), &[task(2), task(1)]).schedule;
    let used = |task| ran[..150].iter().filter(|&&it| it == Some(task)).count();
    assert_eq!([used(0), used(1)], [100, 50]);
}
