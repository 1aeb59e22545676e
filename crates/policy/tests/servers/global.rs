//! Servers on several CPUs, against budgets as textbooks have them, in unit steps.

use super::constant_bandwidth::{Book, Rules};
use super::textbook::{Promise, Textbook};
use super::world::{END, Work, run, units, works_with_modes};
use flyball_policy::servers::{
    Admission, ConstantBandwidth, GlobalServers, Reservation, Rule, SchedDeadline, Seat,
};
use flyball_policy::{
    Boxed, CpuId, CpuSet, Duration, Fifo, Parameter, Policy, Ready, Refused, Resched, Stop, TaskId,
    Time, Usage,
};
use proptest::prelude::*;
use std::collections::VecDeque;

type Global<R> = GlobalServers<R, Fifo, Boxed, Boxed>;

/// What ran.
struct Ran {
    /// On each CPU, in each unit of time.
    schedule: Vec<Vec<Option<usize>>>,
    /// By how much a deadline of a server was over at most, that had a task and a budget.
    late: u64,
}

impl Ran {
    /// What ran at this instant.
    fn at(&self, t: usize) -> Vec<usize> {
        self.schedule[t].iter().copied().flatten().collect()
    }
}

fn id(task: usize) -> TaskId {
    TaskId::from_index(task)
}

/// Each task has a server of its own, or runs in the background.
fn alone(works: &[Work]) -> Vec<Work> {
    let mut works = works.to_vec();
    for work in &mut works {
        if let Seat::Shared(_, reservation) = work.seat {
            work.seat = Seat::Own(reservation);
        }
    }
    works
}

/// CPUs with what runs there: the task, its burst, and what it has used of that.
struct Cpus {
    running: Vec<Option<(usize, Option<Duration>, u64)>>,
    pending: CpuSet,
}

impl Cpus {
    fn ids(&self) -> impl Iterator<Item = CpuId> + use<> {
        (0..u8::try_from(self.running.len()).unwrap()).map(CpuId)
    }

    fn note(&mut self, resched: Resched) {
        for cpu in self.ids().filter(|&cpu| resched.includes(cpu)) {
            self.pending = self.pending.with(cpu);
        }
    }

    /// Ends what runs on a CPU.
    fn stop<R: Rule>(&mut self, policy: &mut Global<R>, cpu: CpuId, why: Stop, now: Time) {
        if let Some((task, _, used)) = self.running[cpu.index()].take() {
            let used = Usage::time(units(used));
            let resched = policy.stopped(cpu, id(task), used, why, now);
            self.note(resched);
        }
    }

    /// All CPUs that must pick do, the last ones first.
    fn pick<R: Rule>(&mut self, policy: &mut Global<R>, now: Time) {
        while let Some(cpu) = self.ids().filter(|&cpu| self.pending.contains(cpu)).last() {
            self.stop(policy, cpu, Stop::Preempted, now);
            self.pending = self.pending.without(cpu);
            let picked = policy.pick(cpu, now);
            assert!(picked.is_none_or(|it| it.burst != Some(Duration::ZERO)));
            let picked = picked.map(|it| (it.task.index(), it.burst, 0));
            let is_there = |it: &Option<(usize, Option<Duration>, u64)>| {
                it.is_some_and(|it| picked.is_some_and(|picked| picked.0 == it.0))
            };
            assert!(!self.running.iter().any(is_there), "it runs twice");
            self.running[cpu.index()] = picked;
        }
    }
}

/// Executes the tasks on so many CPUs.
fn run_on<R: Rule>(rule: R, works: &[Work], cpus: usize) -> Ran {
    let mut policy = Global::new(rule, Fifo, Admission::UNLIMITED, works.len(), cpus);
    for (task, work) in works.iter().enumerate() {
        policy.admit(id(task), work.seat, Time::ZERO).unwrap();
    }
    let mut jobs: Vec<VecDeque<_>> = works.iter().map(|it| it.jobs.clone().into()).collect();
    let mut left = vec![0; works.len()];
    let mut all = Cpus {
        running: vec![None; cpus],
        pending: CpuSet::EMPTY,
    };
    let (mut schedule, mut late) = (Vec::new(), 0);
    for unit in 0..END {
        let now = Time::from_nanos(unit);
        for cpu in all.ids() {
            let Some((task, burst, used)) = all.running[cpu.index()] else {
                continue;
            };
            if left[task] == 0 {
                all.stop(&mut policy, cpu, Stop::Completed, now);
            } else if burst == Some(units(used)) {
                all.stop(&mut policy, cpu, Stop::BurstEnd, now);
            }
        }
        for task in 0..works.len() {
            if left[task] == 0 && jobs[task].front().is_some_and(|job| job.at <= unit) {
                let job = jobs[task].pop_front().unwrap();
                left[task] = job.length;
                let release = Time::from_nanos(job.at);
                let resched = policy.ready(CpuId(0), id(task), Ready::Released { release }, now);
                all.note(resched);
            }
        }
        if policy.next_alarm(CpuId(0)).is_some_and(|at| at <= now) {
            let resched = policy.alarm(CpuId(0), now);
            all.note(resched);
        }
        all.pick(&mut policy, now);
        for task in (0..works.len()).filter(|&task| left[task] > 0) {
            let account = policy.account(id(task)).filter(|it| !it.is_exhausted());
            late = late.max(account.map_or(0, |it| {
                now.since(it.deadline).as_nanos() + u64::from(now >= it.deadline)
            }));
        }
        for (task, _, used) in all.running.iter_mut().flatten() {
            left[*task] -= 1;
            *used += 1;
        }
        let ran = all.running.iter().map(|it| it.map(|it| it.0));
        schedule.push(ran.collect());
    }
    Ran { schedule, late }
}

/// What each task's server is, by its number in the book.
fn added(book: &mut Book, works: &[Work]) -> Vec<Option<usize>> {
    let mut count = 0;
    let add = |work: &Work| {
        let Seat::Own(reservation) = work.seat else {
            return None;
        };
        book.add(Promise {
            q: reservation.budget.as_nanos(),
            d: reservation.deadline.as_nanos(),
            p: reservation.period.as_nanos(),
            mode: reservation.mode,
            alpha: reservation.alpha.millionths(),
        });
        count += 1;
        Some(count - 1)
    };
    works.iter().map(add).collect()
}

/// Checks that at each instant the servers with the earliest deadlines run, and then what is in the
/// background, as many as there are CPUs; budgets and deadlines are the book's.
fn check(mut book: Book, works: &[Work], ran: &Ran, cpus: usize) {
    /// Behind all servers.
    const LAST: u64 = u64::MAX;
    let servers = added(&mut book, works);
    let mut jobs: Vec<VecDeque<_>> = works.iter().map(|it| it.jobs.clone().into()).collect();
    let mut left = vec![0_u64; works.len()];
    // With its key, and whether its job goes on.
    let mut before: Vec<(usize, u64, bool)> = Vec::new();
    for t in 0..END {
        for &(task, ..) in &before {
            let Some(server) = servers[task] else {
                continue;
            };
            book.used(server, t);
            if left[task] > 0 && book.is_exhausted(server) {
                book.exhaust(server, t);
            }
        }
        for task in 0..works.len() {
            if left[task] > 0 || jobs[task].front().is_none_or(|job| job.at > t) {
                continue;
            }
            left[task] = jobs[task].pop_front().unwrap().length;
            if let Some(server) = servers[task] {
                book.arrives(server, t, true);
            }
        }
        for (task, server) in servers.iter().enumerate() {
            if let Some(server) = *server
                && left[task] > 0
                && book.throttled(server).is_some_and(|at| at <= t)
            {
                book.refill(server, t);
            }
        }
        let going_on = before.iter().filter(|it| it.2);
        let going_on: Vec<_> = going_on.map(|it| (it.0, it.1)).collect();
        let key = |task: usize| servers[task].map_or(LAST, |server| book.key(server));
        let is_ready = |task: &usize| {
            left[*task] > 0 && servers[*task].is_none_or(|it| book.throttled(it).is_none())
        };
        let ready: Vec<usize> = (0..works.len()).filter(is_ready).collect();
        let now = ran.at(usize::try_from(t).unwrap());
        assert_eq!(now.len(), ready.len().min(cpus), "a CPU idles at {t}");
        assert!(
            now.iter().all(|task| ready.contains(task)),
            "{now:?} at {t}"
        );
        let least = now.iter().map(|&task| key(task)).max();
        for &waits in ready.iter().filter(|task| !now.contains(task)) {
            assert!(Some(key(waits)) >= least, "{waits} waits at {t}");
            // A job that runs goes on until another one is more urgent.
            let ran_before = |task: usize| going_on.contains(&(task, key(task)));
            let is_new = |&&task: &&usize| key(task) == key(waits) && !ran_before(task);
            assert!(
                !ran_before(waits) || now.iter().find(is_new).is_none(),
                "{waits} made way for its equal at {t}"
            );
        }
        for &task in &now {
            left[task] -= 1;
        }
        let with_key = |&task: &usize| (task, key(task), left[task] > 0);
        before = now.iter().map(with_key).collect();
    }
}

/// The same tasks, but only as many with servers as are sure to be in time on so many CPUs: the sum
/// of budget ÷ deadline is at most m − (m − 1) · the largest (Goossens, Funk and Baruah 2003).
fn fitting_on(works: &[Work], cpus: usize) -> Vec<Work> {
    let m = cpus as u128;
    let parts = |it: &Reservation| {
        let [budget, deadline] = [it.budget, it.deadline].map(|it| u128::from(it.as_nanos()));
        (budget << 40).div_ceil(deadline)
    };
    let (mut sum, mut most) = (0, 0);
    let mut works = works.to_vec();
    for work in &mut works {
        let Seat::Own(reservation) = work.seat else {
            continue;
        };
        let part = parts(&reservation);
        if sum + part + (m - 1) * most.max(part) <= m << 40 {
            (sum, most) = (sum + part, most.max(part));
        } else {
            work.seat = Seat::Background(());
        }
    }
    works
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_earliest_deadlines_run(works in works_with_modes(), cpus in 1_usize..=4) {
        let works = alone(&works);
        let soft = run_on(ConstantBandwidth::SOFT, &works, cpus);
        check(Book::new(Rules::Soft), &works, &soft, cpus);
        let hard = run_on(ConstantBandwidth::HARD, &works, cpus);
        check(Book::new(Rules::Hard), &works, &hard, cpus);
        let linux = run_on(SchedDeadline, &works, cpus);
        check(Book::new(Rules::Linux), &works, &linux, cpus);
    }

    /// Ties, too, are broken as on one CPU.
    #[test]
    fn on_one_cpu_it_is_the_policy_of_one_cpu(works in works_with_modes()) {
        let works = alone(&works);
        let first = |ran: Ran| ran.schedule.iter().map(|cpus| cpus[0]).collect::<Vec<_>>();
        let soft = run_on(ConstantBandwidth::SOFT, &works, 1);
        prop_assert_eq!(first(soft), run(ConstantBandwidth::SOFT, &works).schedule);
        let hard = run_on(ConstantBandwidth::HARD, &works, 1);
        prop_assert_eq!(first(hard), run(ConstantBandwidth::HARD, &works).schedule);
        let linux = run_on(SchedDeadline, &works, 1);
        prop_assert_eq!(first(linux), run(SchedDeadline, &works).schedule);
    }

    /// Whatever tasks ask for, servers that together are few enough have their budgets in time.
    #[test]
    fn budgets_are_had_by_their_deadlines(works in works_with_modes(), cpus in 1_usize..=4) {
        let works = fitting_on(&alone(&works), cpus);
        prop_assert_eq!(run_on(ConstantBandwidth::SOFT, &works, cpus).late, 0);
        prop_assert_eq!(run_on(ConstantBandwidth::HARD, &works, cpus).late, 0);
        prop_assert_eq!(run_on(SchedDeadline, &works, cpus).late, 0);
    }
}

/// The test above can fail: one CPU too few makes servers late.
#[test]
fn too_many_servers_are_late() {
    let server = |budget| Seat::Own(Reservation::every(units(10), units(budget)));
    let job = super::world::Job::new(0, 100);
    let work = |budget| Work {
        seat: server(budget),
        jobs: vec![job],
    };
    let works = [work(9), work(9), work(9)];
    assert!(run_on(ConstantBandwidth::HARD, &works, 2).late > 0);
    assert_eq!(run_on(ConstantBandwidth::HARD, &works, 3).late, 0);
}

/// Two and a half CPUs are given, and no more.
#[test]
fn all_cpus_are_admitted_up_to_the_limit() {
    let admission = Admission::limited(950_000, 3);
    let mut policy = Global::new(SchedDeadline, Fifo, admission, 8, 3);
    let half = Seat::Own(Reservation::every(units(10), units(5)));
    let all = |policy: &mut Global<SchedDeadline>, tasks: core::ops::Range<usize>| {
        let admit = |task| policy.admit(id(task), half, Time::ZERO).is_ok();
        tasks.map(admit).collect::<Vec<_>>()
    };
    // 2.85 CPUs.
    let [yes, no] = [true, false];
    assert_eq!(all(&mut policy, 0..7), [yes, yes, yes, yes, yes, no, no]);
    // One more of 0.35, and that may not become 0.36.
    let more = |budget| Seat::Own(Reservation::every(units(100), units(budget)));
    assert_eq!(policy.admit(id(5), more(35), Time::ZERO), Ok(()));
    let refused = policy.adjust(id(5), more(36), Time::ZERO);
    assert!(
        matches!(refused, Err(Refused::Overload { .. })),
        "{refused:?}"
    );
    let kept = policy.account(id(5)).unwrap().reservation;
    assert_eq!(kept, Reservation::every(units(100), units(35)));
    policy.retire(id(0), Time::ZERO);
    assert!(policy.adjust(id(5), more(36), Time::ZERO).is_ok());
}

#[test]
fn a_server_is_one_task_s() {
    let mut policy = Global::new(SchedDeadline, Fifo, Admission::UNLIMITED, 4, 2);
    let seat = |name| Seat::Shared(name, Reservation::every(units(10), units(5)));
    let invalid = Refused::Invalid(Parameter::Server);
    assert_eq!(policy.admit(id(0), seat(3), Time::ZERO), Ok(()));
    assert_eq!(policy.admit(id(1), seat(3), Time::ZERO), Err(invalid));
    assert_eq!(policy.admit(id(1), seat(4), Time::ZERO), Ok(()));
    assert_eq!(policy.adjust(id(1), seat(3), Time::ZERO), Err(invalid));
    assert_eq!(
        policy.admit(id(0), seat(5), Time::ZERO),
        Err(Refused::Member)
    );
    assert_eq!(policy.admit(id(4), seat(5), Time::ZERO), Err(Refused::Full));
    policy.retire(id(0), Time::ZERO);
    assert_eq!(policy.admit(id(2), seat(3), Time::ZERO), Ok(()));
}
