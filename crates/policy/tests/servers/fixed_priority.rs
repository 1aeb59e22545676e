//! Servers by fixed priorities: polling, deferrable, sporadic.

use super::textbook::{Promise, Textbook, model};
use super::world::{Background, CPU, Job, Under, Work, run, units, works};
use flyball_policy::servers::{Periodic, Reservation, Seat, Sporadic};
use flyball_policy::{Fifo, Policy, Ready, Stop, TaskId, Time, Usage};
use proptest::prelude::*;
use std::cmp::Ordering;

/// A server whose budget is whole again at the begin of each period.
struct Server {
    promise: Promise,
    left: u64,
    /// The begin of its first period, when it has had a task.
    begun: Option<u64>,
    throttled: bool,
}

/// Polling and deferrable servers.
struct Periods {
    keeps: bool,
    servers: Vec<Server>,
}

impl Periods {
    fn new(keeps: bool) -> Periods {
        let servers = Vec::new();
        Periods { keeps, servers }
    }
}

impl Textbook for Periods {
    fn add(&mut self, promise: Promise) {
        self.servers.push(Server {
            promise,
            left: promise.q,
            begun: None,
            throttled: false,
        });
    }

    fn tick(&mut self, t: u64) {
        for server in &mut self.servers {
            let Promise { q, p, .. } = server.promise;
            if server
                .begun
                .is_some_and(|begun| (t - begun).is_multiple_of(p))
            {
                server.left = q;
            }
        }
    }

    fn arrives(&mut self, i: usize, t: u64, _: bool) {
        let server = &mut self.servers[i];
        server.begun.get_or_insert(t);
        server.throttled = server.left == 0;
    }

    fn used(&mut self, i: usize, _: u64) {
        self.servers[i].left -= 1;
    }

    fn settle(&mut self, i: usize, _: u64, is_idle: bool) {
        let server = &mut self.servers[i];
        if is_idle && !self.keeps && server.begun.is_some() {
            server.left = 0;
        }
    }

    fn is_exhausted(&self, i: usize) -> bool {
        self.servers[i].left == 0
    }

    fn exhaust(&mut self, i: usize, _: u64) {
        self.servers[i].throttled = true;
    }

    /// It may go on as soon as there is a budget.
    fn throttled(&self, i: usize) -> Option<u64> {
        let server = &self.servers[i];
        let until = if server.left > 0 { 0 } else { u64::MAX };
        server.throttled.then_some(until)
    }

    fn refill(&mut self, i: usize, _: u64) {
        self.servers[i].throttled = false;
    }

    fn key(&self, i: usize) -> u64 {
        self.servers[i].promise.d
    }
}

/// Sporadic servers: each unit of a budget by itself, with the instant from which it can be used.
#[derive(Default)]
struct Units {
    now: u64,
    servers: Vec<(Promise, Vec<u64>)>,
    throttled: Vec<Option<u64>>,
}

impl Units {
    fn first(&self, i: usize) -> u64 {
        *self.servers[i].1.iter().min().unwrap()
    }
}

impl Textbook for Units {
    fn add(&mut self, promise: Promise) {
        let units = vec![0; usize::try_from(promise.q).unwrap()];
        self.servers.push((promise, units));
        self.throttled.push(None);
    }

    fn tick(&mut self, t: u64) {
        self.now = t;
    }

    fn arrives(&mut self, i: usize, t: u64, _: bool) {
        for unit in &mut self.servers[i].1 {
            *unit = t.max(*unit);
        }
        self.throttled[i] = self.is_exhausted(i).then(|| self.first(i));
    }

    fn used(&mut self, i: usize, _: u64) {
        let (promise, units) = &mut self.servers[i];
        *units.iter_mut().min().unwrap() += promise.p;
    }

    fn is_exhausted(&self, i: usize) -> bool {
        self.first(i) > self.now
    }

    fn exhaust(&mut self, i: usize, _: u64) {
        self.throttled[i] = Some(self.first(i));
    }

    fn throttled(&self, i: usize) -> Option<u64> {
        self.throttled[i]
    }

    fn refill(&mut self, i: usize, _: u64) {
        self.throttled[i] = None;
    }

    fn key(&self, i: usize) -> u64 {
        self.servers[i].0.d
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn polling_servers_do_what_the_textbook_says(works in works()) {
        let book = model(&mut Periods::new(false), &works);
        prop_assert_eq!(run(Periodic::POLLING, &works).schedule, book);
    }

    #[test]
    fn deferrable_servers_do_what_the_textbook_says(works in works()) {
        let book = model(&mut Periods::new(true), &works);
        prop_assert_eq!(run(Periodic::DEFERRABLE, &works).schedule, book);
    }

    /// A budget of so few units is never in more pieces than there is room for.
    #[test]
    fn each_unit_of_a_sporadic_server_comes_back_a_period_later(works in works()) {
        let book = model(&mut Units::default(), &works);
        prop_assert_eq!(run(Sporadic, &works).schedule, book);
    }
}

/// Derived by hand: 1 in 4, 2 in 5 and 2 in 6 in this order of priorities, where the second one has
/// 1 to do at 0, 2 at 3 and 1 at 8, and the others a budget in each period. The polling server has
/// lost what was left at 2 and at 7, and waits for 5 and 10. The deferrable one goes on at 3 and at
/// 8; the third server's first job is late by that, and its second one has no budget from 8 to 12.
/// The sporadic one has used 1 of its budget at 0, which is back at 5, and 1 at 3, back at 8; the
/// third server became active again at 7, with a whole budget.
#[test]
fn three_servers_at_fixed_priorities() {
    let task = |period, budget, jobs: &[(u64, u64)]| Work {
        seat: Seat::Own(Reservation::every(units(period), units(budget))),
        jobs: jobs
            .iter()
            .map(|&(at, length)| Job::new(at, length))
            .collect(),
    };
    let works = [
        task(4, 1, &[(0, 1), (4, 1), (8, 1), (12, 1)]),
        task(5, 2, &[(0, 1), (3, 2), (8, 1)]),
        task(6, 2, &[(0, 2), (6, 2)]),
    ];
    assert_eq!(run(Periodic::POLLING, &works).drawn(13), "01220112021-0");
    assert_eq!(run(Periodic::DEFERRABLE, &works).drawn(13), "0121012201--0");
    assert_eq!(run(Sporadic, &works).drawn(13), "01210122012-0");
}

/// A server that gets a longer period gives way to others at once.
#[test]
fn another_reservation_is_another_priority() {
    let mut policy = Under::new(Periodic::DEFERRABLE, Background::new(Fifo, 2), 2);
    let every = |period| Seat::Own(Reservation::every(units(period), units(2)));
    let [first, second] = [0, 1].map(TaskId);
    let now = Time::ZERO;
    for (task, period) in [(first, 4), (second, 6)] {
        policy.admit(task, every(period), now).unwrap();
        let _ = policy.ready(CPU, task, Ready::Released { release: now }, now);
    }
    assert_eq!(policy.compare(first, second), Ordering::Less);
    assert_eq!(policy.pick(CPU, now).unwrap().task, first);
    let nothing = Usage::time(units(0));
    let _ = policy.stopped(CPU, first, nothing, Stop::Preempted, now);
    assert!(policy.adjust(first, every(8), now).unwrap().includes(CPU));
    assert_eq!(policy.pick(CPU, now).unwrap().task, second);
    assert_eq!(policy.compare(first, second), Ordering::Greater);
}
