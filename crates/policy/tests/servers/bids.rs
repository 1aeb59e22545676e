//! Servers that come later after jobs of little importance.

use super::constant_bandwidth::{Book as Bandwidth, Rules};
use super::textbook::{Promise, Textbook, model};
use super::world::{Job, Work, fitting, run, units, works};
use flyball_policy::servers::{Bids, ConstantBandwidth, Reservation, Seat};
use proptest::prelude::*;

const ONE: u32 = 1_000_000;

/// Budgets are those of servers of constant bandwidth; this says when a server comes again.
struct Book {
    rule: Bids,
    budgets: Bandwidth,
    /// When each comes again, if its job has ended; and whether a task waits for that.
    next: Vec<Option<u64>>,
    waits: Vec<bool>,
}

impl Book {
    fn new(rule: Bids) -> Book {
        let rules = if rule.budgets.is_hard {
            Rules::Hard
        } else {
            Rules::Soft
        };
        Book {
            rule,
            budgets: Bandwidth::new(rules),
            next: Vec::new(),
            waits: Vec::new(),
        }
    }
}

impl Textbook for Book {
    fn add(&mut self, promise: Promise) {
        self.budgets.add(promise);
        self.next.push(None);
        self.waits.push(false);
    }

    /// last + P · (1 + α · φ), and no earlier than last + the least part of P.
    fn ended(&mut self, i: usize, result: u8) {
        let Bids {
            alpha,
            levels,
            least,
            ..
        } = self.rule;
        let Promise {
            d, p, alpha: own, ..
        } = self.budgets.promise(i);
        let alpha = own.unwrap_or(alpha);
        let last = self.budgets.now(i).1 - d;
        let advances = least < ONE;
        let value = match i32::from(result) {
            result if advances && result > 127 => result - 256,
            result => result,
        };
        let (value, levels) = (i128::from(value), i128::from(levels));
        let phi = if value < 0 {
            value.max(-levels)
        } else {
            value.min(levels)
        };
        let one = i128::from(ONE);
        let parts = (one + i128::from(alpha) * phi).max(least.into());
        // Up to the next whole unit.
        let separation = (i128::from(p) * parts + one - 1) / one;
        self.next[i] = Some(last + u64::try_from(separation).unwrap());
    }

    fn arrives(&mut self, i: usize, t: u64, is_job: bool) {
        match self.next[i] {
            Some(next) if next > t => self.waits[i] = true,
            Some(_) => self.refill(i, t),
            None => self.budgets.arrives(i, t, is_job),
        }
    }

    fn used(&mut self, i: usize, t: u64) {
        self.budgets.used(i, t);
    }

    fn is_exhausted(&self, i: usize) -> bool {
        self.budgets.is_exhausted(i)
    }

    fn exhaust(&mut self, i: usize, t: u64) {
        self.budgets.exhaust(i, t);
    }

    fn throttled(&self, i: usize) -> Option<u64> {
        if self.waits[i] {
            self.next[i]
        } else {
            self.budgets.throttled(i)
        }
    }

    fn refill(&mut self, i: usize, t: u64) {
        self.waits[i] = false;
        if self.next[i].take().is_some() {
            self.budgets.forget(i);
            self.budgets.arrives(i, t, true);
        } else {
            self.budgets.refill(i, t);
        }
    }

    fn key(&self, i: usize) -> u64 {
        self.budgets.key(i)
    }
}

/// Of the first version, of the later one, and of BIPS.
fn rules() -> impl Strategy<Value = Bids> {
    let alpha = 0_u32..=20;
    (any::<bool>(), alpha, 1_u8..6, 1_u32..=20).prop_map(|(is_hard, alpha, levels, least)| Bids {
        budgets: ConstantBandwidth { is_hard },
        alpha: alpha * ONE / 10,
        levels,
        least: (least * ONE / 10).min(ONE),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn servers_come_again_as_reconstructed(rule in rules(), works in works()) {
        let book = model(&mut Book::new(rule), &works);
        prop_assert_eq!(run(rule, &works).schedule, book);
    }

    /// A server that comes no earlier than after its period asks for no more than one of constant
    /// bandwidth.
    #[test]
    fn budgets_are_had_by_their_deadlines(rule in rules(), works in works()) {
        let rule = Bids { least: ONE, ..rule };
        prop_assert_eq!(run(rule, &fitting(&works, 100)).late, 0);
    }
}

fn task(results: &[u8]) -> Work {
    let job = |(number, &result): (usize, &u8)| Job {
        result,
        ..Job::new(4 * number as u64, 1)
    };
    Work {
        seat: Seat::Own(Reservation::every(units(4), units(1))),
        jobs: results.iter().enumerate().map(job).collect(),
    }
}

/// Derived by hand: 1 in 4, α = 1. In the first version any result above 0 makes the server skip a
/// period: it comes at 0, 8 (after a 1), 16 (after a 3), 20 (after a 0).
#[test]
fn a_job_of_little_importance_makes_its_server_skip_a_period() {
    let first = Bids {
        budgets: ConstantBandwidth::HARD,
        alpha: ONE,
        levels: 1,
        least: ONE,
    };
    let works = [task(&[1, 3, 0, 0])];
    assert_eq!(run(first, &works).drawn(21), "0-------0-------0---0");
    // With three levels it skips three periods after the 3.
    let later = Bids { levels: 3, ..first };
    let drawn = "0-------0---------------0---0";
    assert_eq!(run(later, &works).drawn(29), drawn);
    // Jobs that are half a period late, and a result of −1 with α = 1/2: the server comes half a
    // period earlier.
    let advance = Bids {
        alpha: ONE / 2,
        least: ONE / 4,
        ..first
    };
    let mut works = [task(&[255, 0])];
    works[0].jobs[1].at = 2;
    assert_eq!(run(advance, &works).drawn(4), "0-0-");
    assert_eq!(run(first, &works).drawn(9), "0-------0");
}
