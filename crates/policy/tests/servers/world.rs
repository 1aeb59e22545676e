//! Tasks at random, and what a policy does with them.

use flyball_policy::servers::{Alpha, Mode, Reservation, Rule, Seat, Servers};
use flyball_policy::{
    Boxed, CpuId, Duration, Fifo, Policy, Ranked, Ready, Resched, SortedList, Stop, TaskId, Time,
    Usage,
};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::VecDeque;

pub(crate) const CPU: CpuId = CpuId(0);
pub(crate) const END: u64 = 150;

pub(crate) type Background = Ranked<Fifo, SortedList<(), Boxed>>;
pub(crate) type Under<R> = Servers<R, Background, Boxed>;

pub(crate) fn units(count: u64) -> Duration {
    Duration::from_nanos(count)
}

/// A task: its server and its jobs.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(crate) seat: Seat<()>,
    pub(crate) jobs: Vec<Job>,
}

/// When it arrives, what it computes, and what it says of itself when it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) at: u64,
    pub(crate) length: u64,
    pub(crate) result: u8,
}

impl Job {
    pub(crate) const fn new(at: u64, length: u64) -> Job {
        let result = 0;
        Job { at, length, result }
    }
}

/// What came out.
pub(crate) struct Run {
    /// What ran in each unit of time.
    pub(crate) schedule: Vec<Option<usize>>,
    /// By how much a deadline of a server was over at most, that had a task and a budget.
    pub(crate) late: u64,
}

impl Run {
    /// What ran in the first so many units of time, a character for each.
    pub(crate) fn drawn(&self, units: usize) -> String {
        let letter = |task: &Option<usize>| task.map_or("-".into(), |task| task.to_string());
        self.schedule[..units].iter().map(letter).collect()
    }
}

/// With at most so many units of budget.
fn reservation(most: u64) -> impl Strategy<Value = Reservation> {
    let alpha = proptest::option::of((0_u32..=20).prop_map(|tenths| Alpha::of(tenths * 100_000)));
    (1..=most, 0_u64..4, 0_u64..8, alpha).prop_map(|(budget, slack, rest, alpha)| Reservation {
        budget: units(budget),
        deadline: units(budget + slack),
        period: units(budget + slack + rest),
        mode: Mode::OfRule,
        alpha: alpha.unwrap_or_default(),
    })
}

/// With servers that say whether they are hard or soft, or do not.
pub(crate) fn works_with_modes() -> impl Strategy<Value = Vec<Work>> {
    let mode = select(&[Mode::OfRule, Mode::Hard, Mode::Soft][..]);
    (works(), prop::collection::vec(mode, 16)).prop_map(|(mut works, modes)| {
        for (number, work) in works.iter_mut().enumerate() {
            match &mut work.seat {
                Seat::Own(reservation) => reservation.mode = modes[number],
                Seat::Shared(name, reservation) => {
                    reservation.mode = modes[15 - usize::from(*name) % 8];
                }
                Seat::Background(()) => {}
            }
        }
        works
    })
}

fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let result = prop_oneof![0_u8..4, any::<u8>()];
    prop::collection::vec((0_u64..20, 1_u64..8, result), 0..12).prop_map(|gaps| {
        let mut at = 0;
        let job = |(gap, length, result)| {
            at += gap;
            Job { at, length, result }
        };
        gaps.into_iter().map(job).collect()
    })
}

/// Up to five tasks with servers of their own, in two that they share, and in the background.
pub(crate) fn works() -> impl Strategy<Value = Vec<Work>> {
    works_of(3)
}

/// The same, with at most so many units of budget.
pub(crate) fn works_of(most: u64) -> impl Strategy<Value = Vec<Work>> {
    let shared = [reservation(most), reservation(most)];
    (
        shared,
        prop::collection::vec((0_u8..6, reservation(most), jobs()), 1..6),
    )
        .prop_map(|(shared, tasks)| {
            let work = |(kind, own, jobs): (u8, Reservation, Vec<Job>)| {
                let seat = match kind {
                    0..3 => Seat::Own(own),
                    3 => Seat::Shared(7, shared[0]),
                    4 => Seat::Shared(9, shared[1]),
                    _ => Seat::Background(()),
                };
                Work { seat, jobs }
            };
            tasks.into_iter().map(work).collect()
        })
}

/// Executes the tasks under the rule up to [`END`].
pub(crate) fn run<R: Rule>(rule: R, works: &[Work]) -> Run {
    run_until(rule, works, END)
}

/// Executes the tasks under the rule up to `end`.
pub(crate) fn run_until<R: Rule>(rule: R, works: &[Work], end: u64) -> Run {
    let background = Background::new(Fifo, works.len());
    let mut policy = Under::new(rule, background, works.len());
    for (task, work) in works.iter().enumerate() {
        policy
            .admit(TaskId::from_index(task), work.seat, Time::ZERO)
            .unwrap();
    }
    let mut jobs: Vec<VecDeque<_>> = works.iter().map(|it| it.jobs.clone().into()).collect();
    let mut left = vec![0; works.len()];
    let mut results = vec![0; works.len()];
    let mut schedule = Vec::new();
    let mut running: Option<(usize, Option<Duration>, u64)> = None;
    let mut late = 0;
    for unit in 0..end {
        let now = Time::from_nanos(unit);
        let mut resched = Resched::None;
        if let Some((task, burst, used)) = running {
            let is_over = burst == Some(units(used));
            let why = match left[task] {
                0 => Some(Stop::Completed),
                _ if is_over => Some(Stop::BurstEnd),
                _ => None,
            };
            if why == Some(Stop::Completed) && Under::<R>::WANTS.results {
                policy.ended(TaskId::from_index(task), results[task], now);
            }
            if let Some(why) = why {
                let used = Usage::time(units(used));
                resched = policy.stopped(CPU, TaskId::from_index(task), used, why, now);
                running = None;
            }
        }
        for task in 0..works.len() {
            if left[task] == 0 && jobs[task].front().is_some_and(|job| job.at <= unit) {
                let job = jobs[task].pop_front().unwrap();
                (left[task], results[task]) = (job.length, job.result);
                let why = Ready::Released {
                    release: Time::from_nanos(job.at),
                };
                resched = resched.and(policy.ready(CPU, TaskId::from_index(task), why, now));
            }
        }
        if policy.next_alarm(CPU).is_some_and(|at| at <= now) {
            resched = resched.and(policy.alarm(CPU, now));
        }
        if resched.includes(CPU) {
            if let Some((task, _, used)) = running {
                let used = Usage::time(units(used));
                let task = TaskId::from_index(task);
                let _ = policy.stopped(CPU, task, used, Stop::Preempted, now);
            }
            let picked = policy.pick(CPU, now);
            running = picked.map(|it| (it.task.index(), it.burst, 0));
            assert!(picked.is_none_or(|it| it.burst != Some(Duration::ZERO)));
        }
        for task in (0..works.len()).filter(|&task| left[task] > 0) {
            let account = policy.account(TaskId::from_index(task));
            let account = account.filter(|it| !it.is_exhausted());
            late = late.max(account.map_or(0, |it| {
                now.since(it.deadline).as_nanos() + u64::from(now >= it.deadline)
            }));
        }
        if let Some((task, _, used)) = &mut running {
            left[*task] -= 1;
            *used += 1;
        }
        schedule.push(running.map(|(task, ..)| task));
    }
    Run { schedule, late }
}

/// The same tasks, but only as many with servers as fit on so many percent of the CPU by budget over
/// deadline; the others run in the background.
pub(crate) fn fitting(works: &[Work], percent: u128) -> Vec<Work> {
    /// Parts of the CPU.
    const ALL: u128 = 1 << 40;
    let mut names: Vec<u16> = Vec::new();
    let mut density = 0;
    let mut fits = |work: &Work| {
        let (name, reservation) = match work.seat {
            Seat::Own(reservation) => (None, reservation),
            Seat::Shared(name, _) if names.contains(&name) => return true,
            Seat::Shared(name, reservation) => (Some(name), reservation),
            Seat::Background(()) => return true,
        };
        let parts = |length: Duration| u128::from(length.as_nanos()) * ALL;
        let deadline = u128::from(reservation.deadline.as_nanos());
        let more = density + parts(reservation.budget).div_ceil(deadline);
        if more <= ALL * percent / 100 {
            density = more;
            names.extend(name);
        }
        more <= ALL * percent / 100
    };
    let mut works = works.to_vec();
    for work in &mut works {
        if !fits(work) {
            work.seat = Seat::Background(());
        }
    }
    works
}
