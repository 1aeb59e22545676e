//! Servers against a model that goes from one unit of time to the next and knows the rules only as
//! textbooks have them; and what servers promise.

use flyball_policy::servers::{ConstantBandwidth, Reservation, Rule, SchedDeadline, Seat, Servers};
use flyball_policy::{
    Boxed, CpuId, Duration, Fifo, Policy, Ranked, Ready, Resched, SortedList, Stop, TaskId, Time,
    Usage,
};
use proptest::prelude::*;
use std::collections::VecDeque;

const CPU: CpuId = CpuId(0);
const END: u64 = 150;

type Background = Ranked<Fifo, SortedList<(), Boxed>>;
type Under<R> = Servers<R, Background, Boxed>;

fn units(count: u64) -> Duration {
    Duration::from_nanos(count)
}

/// A task: its server, and its jobs by the instants of arrival, with what they compute.
#[derive(Clone, Debug)]
struct Work {
    seat: Seat<()>,
    jobs: Vec<(u64, u64)>,
}

fn reservation() -> impl Strategy<Value = Reservation> {
    (1_u64..4, 0_u64..4, 0_u64..8).prop_map(|(budget, slack, rest)| Reservation {
        budget: units(budget),
        deadline: units(budget + slack),
        period: units(budget + slack + rest),
    })
}

fn jobs() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((0_u64..20, 1_u64..8), 0..12).prop_map(|gaps| {
        let mut at = 0;
        let job = |(gap, length)| {
            at += gap;
            (at, length)
        };
        gaps.into_iter().map(job).collect()
    })
}

/// Up to five tasks with servers of their own, in two that they share, and in the background.
fn works() -> impl Strategy<Value = Vec<Work>> {
    let shared = [reservation(), reservation()];
    (
        shared,
        prop::collection::vec((0_u8..6, reservation(), jobs()), 1..6),
    )
        .prop_map(|(shared, tasks)| {
            let work = |(kind, own, jobs): (u8, Reservation, Vec<(u64, u64)>)| {
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

/// What runs in each unit of time, and whether a server had its deadline behind it and a budget.
fn run<R: Rule>(rule: R, works: &[Work]) -> (Vec<Option<usize>>, bool) {
    let background = Background::new(Fifo, works.len());
    let mut policy = Under::new(rule, background, works.len());
    for (task, work) in works.iter().enumerate() {
        policy
            .admit(TaskId::from_index(task), work.seat, Time::ZERO)
            .unwrap();
    }
    let mut jobs: Vec<VecDeque<_>> = works.iter().map(|it| it.jobs.clone().into()).collect();
    let mut left = vec![0; works.len()];
    let mut schedule = Vec::new();
    let mut running: Option<(usize, Option<Duration>, u64)> = None;
    let mut is_late = false;
    for unit in 0..END {
        let now = Time::from_nanos(unit);
        let mut resched = Resched::None;
        if let Some((task, burst, used)) = running {
            let is_over = burst == Some(units(used));
            let why = match left[task] {
                0 => Some(Stop::Completed),
                _ if is_over => Some(Stop::BurstEnd),
                _ => None,
            };
            if let Some(why) = why {
                let used = Usage::time(units(used));
                resched = policy.stopped(CPU, TaskId::from_index(task), used, why, now);
                running = None;
            }
        }
        for task in 0..works.len() {
            if left[task] == 0 && jobs[task].front().is_some_and(|&(at, _)| at <= unit) {
                let (release, length) = jobs[task].pop_front().unwrap();
                left[task] = length;
                let why = Ready::Released {
                    release: Time::from_nanos(release),
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
            is_late |= account.is_some_and(|it| it.deadline <= now && !it.is_exhausted());
        }
        if let Some((task, _, used)) = &mut running {
            left[*task] -= 1;
            *used += 1;
        }
        schedule.push(running.map(|(task, ..)| task));
    }
    (schedule, is_late)
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Rules {
    Soft,
    Hard,
    Linux,
}

/// A server of the model.
struct Plain {
    name: Option<u16>,
    /// Budget, deadline and period.
    q: u64,
    d: u64,
    p: u64,
    /// What is left, and up to when; `None`: it has never had a budget.
    now: Option<(u64, u64)>,
    throttled: Option<u64>,
    queue: Vec<usize>,
    /// The number of the event that queued it.
    since: u64,
}

impl Plain {
    fn arrives(&mut self, rules: Rules, t: u64) {
        let fresh = Some((self.q, t + self.d));
        let Some((left, until)) = self.now else {
            self.now = fresh;
            return;
        };
        let too_much = until <= t || left * self.d > (until - t) * self.q;
        match rules {
            Rules::Soft | Rules::Hard if too_much => self.now = fresh,
            Rules::Soft | Rules::Hard => {}
            Rules::Linux if self.d == self.p => {
                if too_much {
                    self.now = fresh;
                }
            }
            Rules::Linux if until < t && t < until + self.p - self.d => {
                self.now = Some((0, until));
            }
            Rules::Linux if until < t => self.now = fresh,
            Rules::Linux => self.now = Some((left.min(self.q * (until - t) / self.d), until)),
        }
        if self.now.is_some_and(|(left, _)| left == 0) {
            self.empty(rules, t);
        }
    }

    /// The budget is used up.
    fn empty(&mut self, rules: Rules, t: u64) {
        let (_, until) = self.now.unwrap();
        let again = match rules {
            Rules::Soft => t,
            Rules::Hard => until,
            Rules::Linux => until + self.p - self.d,
        };
        if again > t {
            self.throttled = Some(again);
        } else {
            self.refill(t);
        }
    }

    fn refill(&mut self, t: u64) {
        self.throttled = None;
        let until = self.now.unwrap().1 + self.p;
        self.now = Some((self.q, if until > t { until } else { t + self.d }));
    }
}

fn model(rules: Rules, works: &[Work]) -> Vec<Option<usize>> {
    let mut servers: Vec<Plain> = Vec::new();
    let mut server_of = Vec::new();
    for work in works {
        let (name, reservation) = match work.seat {
            Seat::Own(reservation) => (None, reservation),
            Seat::Shared(name, reservation) => (Some(name), reservation),
            Seat::Background(()) => {
                server_of.push(None);
                continue;
            }
        };
        let there = servers
            .iter()
            .position(|it| name.is_some() && it.name == name);
        server_of.push(Some(there.unwrap_or(servers.len())));
        if there.is_none() {
            servers.push(Plain {
                name,
                q: reservation.budget.as_nanos(),
                d: reservation.deadline.as_nanos(),
                p: reservation.period.as_nanos(),
                now: None,
                throttled: None,
                queue: Vec::new(),
                since: 0,
            });
        }
    }
    let mut jobs: Vec<VecDeque<_>> = works.iter().map(|it| it.jobs.clone().into()).collect();
    let mut left = vec![0; works.len()];
    let mut background = Vec::new();
    let mut schedule: Vec<Option<usize>> = Vec::new();
    let mut event = 0;
    for t in 0..END {
        event += 1;
        // What ran in the unit before.
        if let Some(task) = schedule.last().copied().flatten() {
            match server_of[task] {
                None if left[task] == 0 => background.retain(|&it| it != task),
                None => {}
                Some(number) => {
                    let server = &mut servers[number];
                    let (budget, until) = server.now.unwrap();
                    server.now = Some((budget - 1, until));
                    if left[task] == 0 {
                        server.queue.remove(0);
                    }
                    if budget == 1 && !server.queue.is_empty() {
                        server.empty(rules, t);
                        server.since = event;
                    }
                }
            }
        }
        for task in 0..works.len() {
            event += 1;
            if left[task] > 0 || jobs[task].front().is_none_or(|&(at, _)| at > t) {
                continue;
            }
            left[task] = jobs[task].pop_front().unwrap().1;
            match server_of[task] {
                None => background.push(task),
                Some(number) => {
                    let server = &mut servers[number];
                    server.queue.push(task);
                    if server.queue.len() == 1 {
                        server.arrives(rules, t);
                        server.since = event;
                    }
                }
            }
        }
        // By the instant, and those of one instant in the order in which they were throttled.
        let mut due: Vec<_> = (0..servers.len())
            .filter(|&it| servers[it].throttled.is_some_and(|at| at <= t))
            .collect();
        due.sort_by_key(|&it| (servers[it].throttled, servers[it].since));
        for number in due {
            event += 1;
            if !servers[number].queue.is_empty() {
                servers[number].refill(t);
                servers[number].since = event;
            }
        }
        for server in servers.iter_mut().filter(|it| it.queue.is_empty()) {
            server.throttled = None;
        }
        let ready = servers
            .iter()
            .filter(|it| !it.queue.is_empty() && it.throttled.is_none());
        let first = ready.min_by_key(|it| (it.now.unwrap().1, it.since));
        let task = first.map(|it| it.queue[0]).or(background.first().copied());
        if let Some(task) = task {
            left[task] -= 1;
        }
        schedule.push(task);
    }
    schedule
}

/// The same tasks, but only as many with servers as fit on the CPU by budget over deadline; the
/// others run in the background.
fn fitting(works: &[Work]) -> Vec<Work> {
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
        if more <= ALL {
            density = more;
            names.extend(name);
        }
        more <= ALL
    };
    let mut works = works.to_vec();
    for work in &mut works {
        if !fits(work) {
            work.seat = Seat::Background(());
        }
    }
    works
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn constant_bandwidth_does_what_the_textbook_says(works in works()) {
        prop_assert_eq!(run(ConstantBandwidth::SOFT, &works).0, model(Rules::Soft, &works));
        prop_assert_eq!(run(ConstantBandwidth::HARD, &works).0, model(Rules::Hard, &works));
    }

    #[test]
    fn sched_deadline_does_what_linux_does(works in works()) {
        prop_assert_eq!(run(SchedDeadline, &works).0, model(Rules::Linux, &works));
    }

    /// Whatever their tasks ask for, servers that fit have their budgets by their deadlines.
    #[test]
    fn budgets_are_had_by_their_deadlines(works in works()) {
        let works = fitting(&works);
        prop_assert!(!run(ConstantBandwidth::SOFT, &works).1);
        prop_assert!(!run(ConstantBandwidth::HARD, &works).1);
        prop_assert!(!run(SchedDeadline, &works).1);
    }
}
