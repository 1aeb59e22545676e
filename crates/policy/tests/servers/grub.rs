//! Reclaiming, as published and as Linux has it.

use super::constant_bandwidth::{Book as Bandwidth, Rules};
use super::textbook::{Promise, Textbook, model};
use super::world::{Background, CPU, Job, Under, Work, run, run_until, units, works};
use flyball_policy::servers::{Grub, Reservation, Seat};
use flyball_policy::{Fifo, Policy, Ready, Refused, Stop, TaskId, Time, Usage};
use proptest::prelude::*;

/// Parts of a unit of time, and of the CPU.
const ONE: u64 = 1 << 20;

/// A server beside what a constant bandwidth server is.
struct Lag {
    bandwidth: u64,
    /// What has been charged of a unit.
    fraction: u64,
    is_active: bool,
    /// The 0-lag time of a server without tasks.
    until: u64,
}

/// Budgets are those of servers of constant bandwidth; this says how they are used.
struct Book {
    budgets: Bandwidth,
    /// Parts of the CPU that Linux's servers may use.
    limit: Option<u64>,
    lags: Vec<Lag>,
}

impl Book {
    fn new(limit: Option<u64>) -> Book {
        let rules = if limit.is_some() {
            Rules::Linux
        } else {
            Rules::Soft
        };
        Book {
            budgets: Bandwidth::new(rules),
            limit,
            lags: Vec::new(),
        }
    }

    fn sum(&self, only_active: bool) -> u64 {
        let counted = self.lags.iter().filter(|it| it.is_active || !only_active);
        counted.map(|it| it.bandwidth).sum()
    }
}

impl Textbook for Book {
    fn add(&mut self, promise: Promise) {
        self.budgets.add(promise);
        self.lags.push(Lag {
            bandwidth: (promise.q * ONE).div_ceil(promise.d),
            fraction: 0,
            is_active: false,
            until: 0,
        });
    }

    fn arrives(&mut self, i: usize, t: u64, is_job: bool) {
        let was_active = std::mem::replace(&mut self.lags[i].is_active, true);
        if !was_active && self.limit.is_none() {
            self.budgets.forget(i);
        }
        self.budgets.arrives(i, t, is_job);
    }

    /// A unit costs the bandwidth of the active; in Linux: max(u, limit − inactive − what is not
    /// given to any) ÷ limit.
    fn used(&mut self, i: usize, _: u64) {
        let active = self.sum(true);
        let rate = match self.limit {
            None => active,
            Some(limit) => {
                let all = self.sum(false);
                let (inactive, extra) = (all - active, limit.saturating_sub(all));
                let left = limit.saturating_sub(inactive + extra);
                (left.max(self.lags[i].bandwidth) * ONE).div_ceil(limit)
            }
        };
        let charged = self.lags[i].fraction + rate.min(ONE);
        self.lags[i].fraction = charged % ONE;
        if charged >= ONE {
            self.budgets.used(i, 0);
        }
        // Less than a unit of the budget is nothing.
        if self.lags[i].fraction > 0 && self.budgets.now(i).0 == 1 {
            self.budgets.used(i, 0);
        }
        if self.budgets.is_exhausted(i) {
            self.lags[i].fraction = 0;
        }
    }

    fn empties(&mut self, i: usize, t: u64) {
        if std::mem::take(&mut self.lags[i].fraction) > 0 {
            self.budgets.used(i, t);
        }
        let Promise { q, d, .. } = self.budgets.promise(i);
        let (left, deadline) = self.budgets.now(i);
        let lag = &mut self.lags[i];
        lag.until = deadline - left * d / q;
        lag.is_active = lag.until > t;
    }

    fn settle(&mut self, i: usize, t: u64, is_idle: bool) {
        let lag = &mut self.lags[i];
        lag.is_active &= !is_idle || lag.until > t;
    }

    fn is_exhausted(&self, i: usize) -> bool {
        self.budgets.is_exhausted(i)
    }

    fn exhaust(&mut self, i: usize, t: u64) {
        self.budgets.exhaust(i, t);
    }

    fn throttled(&self, i: usize) -> Option<u64> {
        self.budgets.throttled(i)
    }

    fn refill(&mut self, i: usize, t: u64) {
        self.budgets.refill(i, t);
    }

    fn key(&self, i: usize) -> u64 {
        self.budgets.key(i)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn grub_does_what_was_published(works in works()) {
        let book = model(&mut Book::new(None), &works);
        prop_assert_eq!(run(Grub::published(), &works).schedule, book);
    }

    #[test]
    fn grub_does_what_linux_does(works in works(), limit in 1_u32..=20) {
        let limit = limit * 50_000;
        let parts = u64::from(limit) * ONE / 1_000_000;
        let book = model(&mut Book::new(Some(parts)), &works);
        prop_assert_eq!(run(Grub::linux(limit), &works).schedule, book);
    }
}

/// Units of time in a step of the drawings: with less than one a rest of a budget is lost.
const STEP: u64 = 1_000;

/// A task with a server of its own, and its jobs, in steps.
fn task(period: u64, budget: u64, jobs: &[(u64, u64)]) -> Work {
    let job = |&(at, length): &(u64, u64)| Job::new(at * STEP, length * STEP);
    Work {
        seat: Seat::Own(Reservation::every(
            units(period * STEP),
            units(budget * STEP),
        )),
        jobs: jobs.iter().map(job).collect(),
    }
}

/// What runs in the middle of each step.
fn drawn(rule: Grub, works: &[Work], steps: u64) -> String {
    let mut ran = run_until(rule, works, steps * STEP);
    let middle = (STEP / 2).try_into().unwrap();
    ran.schedule = ran
        .schedule
        .into_iter()
        .skip(middle)
        .step_by(2 * middle)
        .collect();
    ran.drawn(ran.schedule.len())
}

/// The example of Linux's documentation: two servers of 4 in 8; one blocks at 2, so it counts up to
/// 8 − 2 · 8 ÷ 4 = 4, and from then on the other one is charged a half. It has used 2 of its 4 at 4,
/// so the rest lasts for 4 more. What comes behind is derived by hand: alone it is charged a half. A
/// third task, with 1 in 20 that is no server's, would have the CPU from 6 to 8 without reclaiming.
#[test]
fn a_server_that_blocks_counts_up_to_its_zero_lag_time() {
    let mut works = vec![task(8, 4, &[(0, 2)]), task(8, 4, &[(0, 20)])];
    works.push(Work {
        seat: Seat::Background(()),
        jobs: vec![Job::new(0, STEP)],
    });
    for rule in [Grub::published(), Grub::linux(1_000_000)] {
        assert_eq!(drawn(rule, &works, 24), "00111111111111111111112-");
    }
    // A task that comes at 3 has what was left, up to 8, and so the other one is charged in full.
    works[0] = task(8, 4, &[(0, 2), (3, 2)]);
    for rule in [Grub::published(), Grub::linux(1_000_000)] {
        assert_eq!(drawn(rule, &works, 12), "001111001111");
    }
}

/// Alone with a fifth of the CPU, of which Linux gives away 95 %: it runs for 19 of 20 steps, and waits
/// for the next period.
#[test]
fn linux_leaves_a_part_of_the_cpu() {
    let works = [task(20, 4, &[(0, 140)])];
    let ran = run_until(Grub::linux(950_000), &works, 100 * STEP).schedule;
    let used = ran.iter().flatten().count();
    assert!((94_950..=95_000).contains(&used), "{used}");
}

/// The row of a server that is gone is not given away before its 0-lag time: here it has used 2 of
/// its 4 in 8 at 2.
#[test]
fn a_server_that_is_gone_counts_up_to_its_zero_lag_time() {
    let mut policy = Under::new(Grub::published(), Background::new(Fifo, 2), 2);
    let seat = Seat::Own(Reservation::every(units(8), units(4)));
    let [first, second] = [0, 1].map(TaskId);
    let at = Time::from_nanos;
    let release = Ready::Released { release: at(0) };
    for task in [first, second] {
        policy.admit(task, seat, at(0)).unwrap();
        let _ = policy.ready(CPU, task, release, at(0));
    }
    assert_eq!(policy.pick(CPU, at(0)).unwrap().task, first);
    let _ = policy.stopped(CPU, first, Usage::time(units(2)), Stop::Completed, at(2));
    policy.retire(first, at(2));
    assert_eq!(policy.admit(first, seat, at(2)), Err(Refused::Full));
    assert_eq!(policy.next_alarm(CPU), Some(at(4)));
    // Both counted: 4 units of the budget last for 4.
    let burst = |policy: &mut Under<Grub>, now| policy.pick(CPU, at(now)).unwrap().burst;
    assert_eq!(burst(&mut policy, 2), Some(units(4)));
    let used = Usage::time(units(2));
    let _ = policy.stopped(CPU, second, used, Stop::Preempted, at(4));
    assert!(policy.alarm(CPU, at(4)).includes(CPU));
    assert_eq!(policy.next_alarm(CPU), None);
    // Of the 2 that are left, a rest of less than one is lost.
    assert_eq!(burst(&mut policy, 4), Some(units(3)));
    assert_eq!(policy.admit(first, seat, at(4)), Ok(()));
}
