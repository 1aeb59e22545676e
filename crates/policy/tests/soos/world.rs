//! Tasks, what they do, and the policy that is called as the kernel calls it.

use flyball_policy::servers::{Alpha, Bids, ConstantBandwidth, Mode, Reservation, Seat};
use flyball_policy::soos::{Reactivation, Slack, Soos, Switches};
use flyball_policy::{
    Boxed, CpuId, Duration, Fifo, Policy, Queue, Ranked, Ready, Resched, SortedList, Stop, TaskId,
    Time, Usage,
};
use proptest::prelude::*;
use std::collections::VecDeque;

pub(crate) const CPU: CpuId = CpuId(0);
pub(crate) const END: u64 = 200;

pub(crate) type Background = Ranked<Fifo, SortedList<(), Boxed>>;
/// Which task had the CPU in each unit of time.
pub(crate) type Schedule = Vec<Option<usize>>;

pub(crate) fn units(count: u64) -> Duration {
    Duration::from_nanos(count)
}

#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) at: u64,
    pub(crate) length: u64,
    /// Each time it has done so much of it, the task waits for so long.
    pub(crate) pause: Option<(u64, u64)>,
    pub(crate) result: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(crate) seat: Seat<()>,
    pub(crate) jobs: Vec<Job>,
}

impl Work {
    pub(crate) fn reservation(&self) -> Option<Reservation> {
        match self.seat {
            Seat::Own(reservation) | Seat::Shared(_, reservation) => Some(reservation),
            Seat::Background(()) => None,
        }
    }
}

pub(crate) fn reservation() -> impl Strategy<Value = Reservation> {
    // Whole periods, which are whole slots where these are.
    let alpha = prop::option::of((0_u32..3).prop_map(|alpha| Alpha::of(alpha * 1_000_000)));
    (1_u64..5, 0_u64..20, 0_u64..10, alpha).prop_map(|(budget, slack, rest, alpha)| Reservation {
        budget: units(budget),
        deadline: units(budget + slack),
        period: units(budget + slack + rest),
        mode: Mode::OfRule,
        alpha: alpha.unwrap_or_default(),
    })
}

/// Jobs that come at any time and compute for whatever they like or, if they behave, no more often
/// than their period and for no longer than their budget.
pub(crate) fn jobs(of: Reservation, behaves: bool) -> impl Strategy<Value = Vec<Job>> {
    let pause = prop::option::weighted(0.5, (1_u64..6, 0_u64..10));
    prop::collection::vec((0_u64..20, 1_u64..8, pause, 0_u8..4), 0..14).prop_map(move |jobs| {
        let mut next = 0;
        let job = |(gap, length, pause, result): (u64, u64, Option<(u64, u64)>, u8)| {
            let at = next + gap;
            let pause = pause.filter(|&(after, _)| after < length);
            next = at;
            if !behaves {
                return Job {
                    at,
                    length,
                    pause,
                    result,
                };
            }
            next += of.period.as_nanos();
            let length = length.min(of.budget.as_nanos());
            Job {
                at,
                length,
                pause: None,
                result: 0,
            }
        };
        jobs.into_iter().map(job).collect()
    })
}

pub(crate) fn works() -> impl Strategy<Value = Vec<Work>> {
    let work = (0_u16..6, reservation(), any::<bool>()).prop_flat_map(|(kind, own, behaves)| {
        jobs(own, behaves).prop_map(move |jobs| (kind, own, jobs))
    });
    prop::collection::vec(work, 1..6).prop_map(|works| {
        let seat = |(number, (kind, own, jobs)): (u16, (u16, Reservation, Vec<Job>))| {
            let seat = match kind {
                0..4 => Seat::Own(own),
                4 => Seat::Shared(number, own),
                _ => Seat::Background(()),
            };
            Work { seat, jobs }
        };
        (0..).zip(works).map(seat).collect()
    })
}

pub(crate) fn switches() -> impl Strategy<Value = Switches> {
    (
        1_u64..5,
        prop_oneof![Just(Reactivation::EverySlot), Just(Reactivation::Next)],
        prop_oneof![Just(Slack::None), Just(Slack::One), Just(Slack::All)],
        any::<bool>(),
        (0_u32..4, 0_u8..3),
    )
        .prop_map(
            |(slot, reactivation, slack, is_hard, (alpha, levels))| Switches {
                slot: units(slot),
                reactivation,
                slack,
                bids: Bids {
                    budgets: ConstantBandwidth { is_hard },
                    alpha: alpha * 500_000,
                    levels,
                    ..Bids::default()
                },
            },
        )
}

/// What a task does, in units of time.
#[derive(Default)]
pub(crate) struct Program {
    jobs: VecDeque<Job>,
    /// The job under way, what is left of it, and when it goes on.
    job: Option<(Job, u64)>,
    wakes: Option<u64>,
}

/// What happens to a program at an instant.
pub(crate) enum Event {
    Ends(u8),
    Pauses,
    Comes(u64),
    Wakes,
}

impl Program {
    pub(crate) fn all(works: &[Work]) -> Vec<Program> {
        let program = |work: &Work| Program {
            jobs: work.jobs.clone().into(),
            ..Program::default()
        };
        works.iter().map(program).collect()
    }

    /// What comes of having run in the unit before `now`.
    pub(crate) fn ran(&mut self, now: u64) -> Option<Event> {
        let (job, left) = self.job.as_mut().unwrap();
        *left -= 1;
        let done = job.length - *left;
        if *left == 0 {
            let result = job.result;
            self.job = None;
            return Some(Event::Ends(result));
        }
        let (_, pause) = job.pause.filter(|&(after, _)| done % after == 0)?;
        self.wakes = Some(now + pause);
        Some(Event::Pauses)
    }

    pub(crate) fn arrives(&mut self, now: u64) -> Option<Event> {
        if self.wakes.is_some_and(|at| at <= now) {
            self.wakes = None;
            return Some(Event::Wakes);
        }
        if self.job.is_none() && self.jobs.front()?.at <= now {
            let job = self.jobs.pop_front()?;
            let at = job.at;
            self.job = Some((job.clone(), job.length));
            return Some(Event::Comes(at));
        }
        None
    }
}

/// The policy, called as the kernel calls it: what the running task does, arrivals, the alarm, the
/// end of a burst, the decision.
pub(crate) fn run<Q: Queue<Time>>(switches: Switches, works: &[Work]) -> Schedule {
    let background = Background::new(Fifo, works.len());
    let mut policy = Soos::new(switches, Q::new(works.len()), background);
    for (task, work) in works.iter().enumerate() {
        policy
            .admit(TaskId::from_index(task), work.seat, Time::ZERO)
            .unwrap();
    }
    let mut programs = Program::all(works);
    let mut schedule = Schedule::new();
    let mut running: Option<(TaskId, Option<Duration>, u64)> = None;
    for unit in 0..END {
        let now = Time::from_nanos(unit);
        let mut resched = Resched::None;
        if let Some((task, _, used)) = &mut running {
            *used += 1;
            let (task, usage) = (*task, Usage::time(units(*used)));
            let why = match programs[task.index()].ran(unit) {
                Some(Event::Ends(result)) => {
                    policy.ended(task, result, now);
                    Some(Stop::Completed)
                }
                Some(_) => Some(Stop::Blocked),
                None => None,
            };
            if let Some(why) = why {
                resched = policy.stopped(CPU, task, usage, why, now);
                running = None;
            }
        }
        for (task, program) in programs.iter_mut().enumerate() {
            let why = match program.arrives(unit) {
                Some(Event::Comes(at)) => Ready::Released {
                    release: Time::from_nanos(at),
                },
                Some(_) => Ready::Unblocked,
                None => continue,
            };
            resched = resched.and(policy.ready(CPU, TaskId::from_index(task), why, now));
        }
        if policy.next_alarm(CPU).is_some_and(|at| at <= now) {
            resched = resched.and(policy.alarm(CPU, now));
        }
        if let Some((task, burst, used)) = running
            && burst == Some(units(used))
        {
            let usage = Usage::time(units(used));
            resched = resched.and(policy.stopped(CPU, task, usage, Stop::BurstEnd, now));
            running = None;
        }
        if resched.includes(CPU) {
            if let Some((task, _, used)) = running {
                let used = Usage::time(units(used));
                let _ = policy.stopped(CPU, task, used, Stop::Preempted, now);
            }
            let picked = policy.pick(CPU, now);
            running = picked.map(|it| (it.task, it.burst, 0));
            assert!(picked.is_none_or(|it| it.burst != Some(Duration::ZERO)));
        }
        schedule.push(running.map(|(task, ..)| task.index()));
    }
    schedule
}
