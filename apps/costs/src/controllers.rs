//! What controllers of reservations cost once in an interval, and what a message costs them: the policy alone, with
//! a pipeline as long as there are tasks. And how many bytes the policy takes.

use crate::mark::Mark;
use crate::nth;
use crate::output::{self, Tally, fail};
use flyball_app::policy::proportion_period::{ProportionPeriod, Request, Settings};
use flyball_app::policy::{CpuId, Fifo, Fill, Policy, Ready, Role, Stop, TaskId, Usage};
use flyball_app::{Bitmap, Duration, Error, Inline, Ranked, Time, println, shut_down};

/// How many intervals.
const TIMES: u32 = 300;
const CPU: CpuId = CpuId(0);
const CAPACITY: u16 = 20;

type Background<const N: usize> = Ranked<Fifo, Bitmap<(), Inline<N>, 1>>;
type Sized<const N: usize> = ProportionPeriod<Background<N>, Inline<N>>;

/// Measures what the command line says: `calm TASKS`, where there is enough CPU time for all; `busy TASKS`, where there is not; or
/// `bytes 64`: how many bytes that many more threads take.
///
/// # Errors
/// None, but that is what an application may begin with.
pub fn measure() -> Result<(), Error> {
    let (is_busy, tasks) = output::asked(|name| match name {
        "calm" => Some(Some(false)),
        "busy" => Some(Some(true)),
        "bytes" => Some(None),
        _ => None,
    });
    if let Some(is_busy) = is_busy {
        let background = Ranked::new(Fifo, 128);
        let policy = ProportionPeriod::new(Settings::DEFAULT, background, 128);
        run(policy, tasks, is_busy);
    } else {
        let all = size_of::<Sized<128>>() - size_of::<Sized<64>>();
        println!("all {all} 64 {all}");
    }
    shut_down(0);
}

/// A queue between two tasks.
#[derive(Clone, Copy)]
struct Between {
    note: u16,
    level: u16,
}

impl Between {
    /// The level is by one higher, or lower, which `task` has done.
    #[inline(never)]
    fn moves(&mut self, policy: &mut Sized<128>, task: usize, role: Role, now: Time) -> u32 {
        self.level = match role {
            Role::Producer => self.level + 1,
            Role::Consumer => self.level - 1,
        };
        let begin = Mark::now();
        policy.filled(
            Fill {
                note: &mut self.note,
                level: self.level,
                capacity: CAPACITY,
                by: Some((TaskId(nth(task)), role)),
            },
            now,
        );
        Mark::now().since(begin)
    }
}

/// How many intervals pass first: reservations become what tasks need.
const BEFORE: u32 = 60;

/// Each task hands on a message in every interval, and is ready for a part of it, or always.
#[inline(never)]
fn run(mut policy: Sized<128>, tasks: usize, is_busy: bool) {
    let mut now = Time::ZERO;
    for task in 0..tasks {
        if policy
            .admit(TaskId(nth(task)), Request::NOTHING, now)
            .is_err()
        {
            fail("the policy refuses a task");
        }
    }
    let mut is_ready = [false; crate::MOST];
    let mut queues = [Between { note: 0, level: 5 }; crate::MOST + 1];
    let (mut controls, mut fills) = (Tally::default(), Tally::default());
    let interval = Settings::DEFAULT.interval;
    let each = interval.as_nanos() / (2 * u64::from(nth(tasks)));
    for round in 0..BEFORE + TIMES {
        let next = now + interval;
        for task in 0..tasks {
            if !core::mem::replace(&mut is_ready[task], true) {
                let why = Ready::Released { release: now };
                let _ = policy.ready(CPU, TaskId(nth(task)), why, now);
            }
            let run = Duration::from_nanos(each);
            now = work(&mut policy, now, now + run, |task| {
                is_ready[task] = is_busy;
                !is_busy
            });
            // The first and the last queue have a device at their other ends.
            let before = &mut queues[task];
            before.level += u16::from(task == 0);
            let takes = before.moves(&mut policy, task, Role::Consumer, now);
            let puts = queues[task + 1].moves(&mut policy, task, Role::Producer, now);
            queues[task + 1].level -= u16::from(task + 1 == tasks);
            // The first messages tie a task to its queues.
            if round >= BEFORE {
                fills.add(takes);
                fills.add(puts);
            }
        }
        let _ = work(&mut policy, now, next, |_| false);
        now = next;
        let begin = Mark::now();
        let _ = policy.alarm(CPU, now);
        let end = Mark::now();
        if round >= BEFORE {
            controls.add(end.since(begin));
        }
    }
    controls.print("control");
    fills.print("message");
}

/// What is ready runs up to an instant, or until a task that has run up to then blocks. Returns the instant.
fn work(
    policy: &mut Sized<128>,
    mut now: Time,
    until: Time,
    mut blocks: impl FnMut(usize) -> bool,
) -> Time {
    while now < until {
        let dispatch = policy.pick(CPU, now);
        let ends = dispatch.and_then(|dispatch| dispatch.burst);
        let ends = ends.map_or(Time::NEVER, |burst| now + burst);
        let alarm = policy.next_alarm(CPU).unwrap_or(Time::NEVER);
        let at = ends.min(alarm).min(until);
        if let Some(dispatch) = dispatch {
            let why = if at == ends {
                Stop::BurstEnd
            } else if at == until && blocks(dispatch.task.index()) {
                Stop::Blocked
            } else {
                Stop::Preempted
            };
            let _ = policy.stopped(CPU, dispatch.task, Usage::time(at.since(now)), why, at);
        }
        now = at;
        if now < until && now >= alarm {
            let _ = policy.alarm(CPU, now);
        }
    }
    now
}
