//! Constant bandwidth servers, and Linux's.

use super::textbook::{Promise, Textbook, model};
use super::world::{run, works};
use flyball_policy::servers::{ConstantBandwidth, SchedDeadline};
use proptest::prelude::*;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Rules {
    Soft,
    Hard,
    Linux,
}

/// A server as the textbook has it.
struct Plain {
    promise: Promise,
    /// What is left, and up to when; `None`: it has never had a budget.
    now: Option<(u64, u64)>,
    throttled: Option<u64>,
}

pub(crate) struct Book {
    rules: Rules,
    servers: Vec<Plain>,
}

impl Book {
    pub(crate) fn new(rules: Rules) -> Book {
        let servers = Vec::new();
        Book { rules, servers }
    }

    pub(crate) fn promise(&self, i: usize) -> Promise {
        self.servers[i].promise
    }

    /// What is left of the budget, and up to when.
    pub(crate) fn now(&self, i: usize) -> (u64, u64) {
        self.servers[i].now.unwrap()
    }

    /// The server recharges by so much earlier.
    pub(crate) fn advance(&mut self, i: usize, by: u64) {
        if let Some(until) = &mut self.servers[i].throttled {
            *until -= by;
        }
    }

    /// A whole budget, from now on.
    pub(crate) fn recharge(&mut self, i: usize, t: u64) {
        let server = &mut self.servers[i];
        server.throttled = None;
        server.now = Some((server.promise.q, t + server.promise.p));
    }

    /// The server is as if it had never had a budget.
    pub(crate) fn forget(&mut self, i: usize) {
        self.servers[i].now = None;
    }
}

impl Textbook for Book {
    fn add(&mut self, promise: Promise) {
        self.servers.push(Plain {
            promise,
            now: None,
            throttled: None,
        });
    }

    fn arrives(&mut self, i: usize, t: u64, _: bool) {
        let server = &mut self.servers[i];
        let Promise { q, d, p } = server.promise;
        let fresh = Some((q, t + d));
        server.throttled = None;
        let Some((left, until)) = server.now else {
            server.now = fresh;
            return;
        };
        let too_much = until <= t || left * d > (until - t) * q;
        match self.rules {
            Rules::Soft | Rules::Hard if too_much => server.now = fresh,
            Rules::Soft | Rules::Hard => {}
            Rules::Linux if d == p => {
                if too_much {
                    server.now = fresh;
                }
            }
            Rules::Linux if until < t && t < until + p - d => server.now = Some((0, until)),
            Rules::Linux if until < t => server.now = fresh,
            Rules::Linux => server.now = Some((left.min(q * (until - t) / d), until)),
        }
        if self.is_exhausted(i) {
            self.exhaust(i, t);
        }
    }

    fn used(&mut self, i: usize, _: u64) {
        if let Some((left, _)) = &mut self.servers[i].now {
            *left -= 1;
        }
    }

    fn is_exhausted(&self, i: usize) -> bool {
        self.servers[i].now.is_some_and(|(left, _)| left == 0)
    }

    fn exhaust(&mut self, i: usize, t: u64) {
        let server = &mut self.servers[i];
        let (_, until) = server.now.unwrap();
        let again = match self.rules {
            Rules::Soft => t,
            Rules::Hard => until,
            Rules::Linux => until + server.promise.p - server.promise.d,
        };
        if again > t {
            server.throttled = Some(again);
        } else {
            self.refill(i, t);
        }
    }

    fn throttled(&self, i: usize) -> Option<u64> {
        self.servers[i].throttled
    }

    fn refill(&mut self, i: usize, t: u64) {
        let server = &mut self.servers[i];
        let Promise { q, d, p } = server.promise;
        server.throttled = None;
        let until = server.now.unwrap().1 + p;
        server.now = Some((q, if until > t { until } else { t + d }));
    }

    fn key(&self, i: usize) -> u64 {
        self.servers[i].now.unwrap().1
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn constant_bandwidth_does_what_the_textbook_says(works in works()) {
        let soft = model(&mut Book::new(Rules::Soft), &works);
        prop_assert_eq!(run(ConstantBandwidth::SOFT, &works).schedule, soft);
        let hard = model(&mut Book::new(Rules::Hard), &works);
        prop_assert_eq!(run(ConstantBandwidth::HARD, &works).schedule, hard);
    }

    #[test]
    fn sched_deadline_does_what_linux_does(works in works()) {
        let linux = model(&mut Book::new(Rules::Linux), &works);
        prop_assert_eq!(run(SchedDeadline, &works).schedule, linux);
    }
}
