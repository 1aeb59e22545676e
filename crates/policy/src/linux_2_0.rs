//! Linux 2.0's scheduler, on one CPU.
//!
//! Each task has *credits*, and each tick of the clock takes one from the task that runs. The task with
//! the most credits runs next. When no task that can run has any left, every task gets new ones, and a
//! task that waits keeps half of its old ones. So a task that waits often has more credits than one that
//! computes, and comes first when it is ready again.
//!
//! ```text
//!   run queue     [a 0] [b 7] [c 12]     the order of arrival; c has the most credits and runs
//!   no credits    [a 0] [b 0] [c 0]      every task: credits ÷ 2 + priority, and the first, a, runs
//! ```
//!
//! | rule | function of Linux |
//! |---|---|
//! | a tick takes a credit from the task that runs; if the task had none, the CPU must reschedule | `update_process_times` |
//! | the goodness of a task is its credits; the task that runs has 1 more, if it has any | `goodness` |
//! | the task with the highest goodness runs; of equals, the first in the run queue | `schedule` |
//! | if that goodness is 0, each task's credits become half of what they were plus its priority. The choice stays | `schedule` |
//! | a task that wakes goes to the end of the run queue. The CPU must reschedule if the task has over 3 credits more than the one that runs | `add_to_runqueue` |
//! | a task that yields goes to the end of the run queue, and loses its credits | `sys_sched_yield` |
//! | a task's priority is the credits of its time slice, from 1 at nice 19 to twice those of nice 0 at nice −20 | `sys_setpriority` |
//! | a task of `SCHED_FIFO` or `SCHED_RR` comes before any other, by its `rt_priority`, whatever its credits are; where it wakes, the CPU must reschedule | `goodness`, `add_to_runqueue` |
//! | a task of `SCHED_RR` without credits gets as many as its priority, and goes to the end of the run queue | `schedule` |
//! | a task that changes its class goes to the end of the run queue | `setscheduler` |
//!
//! A task that has a credit for each tick of its time slice is interrupted one tick later, at the tick
//! that finds none. So two tasks that compute and never wait take turns of 210 ms, where a slice is
//! 200 ms long.
//!
//! # Beyond Linux
//!
//! * There is no fork: a task begins with as many credits as its priority is.
//! * All ticks up to an instant are charged before anything else that happens then.
//! * A job that begins as the one before it ends puts its task at the end of the run queue.
//! * Tasks that wait for the same thing are served in the order of arrival, and no task inherits
//!   anything, as Linux 2.0 had no priority inheritance.
//! * The bonus for the CPU on which a task ran last (`PROC_CHANGE_PENALTY`) is that of several CPUs, and
//!   is left out.
//!
//! Source: `kernel/sched.c` and `kernel/sys.c` of Linux 2.0. Two copies without a version number were
//! read. In the older one `sys_sched_yield` takes no credits away, and a real-time task that wakes
//! preempts by its credits alone; the rules above are those of the newer one.
//!
//! Complexity: a decision is O(ready tasks), and O(all tasks) where credits are given. All else is O(1).

use crate::encode::Encode;
use crate::linux_o1::{LinuxClass, LinuxTask};
use crate::policy::{
    Dispatch, ONLY_CPU, Parameter, Policy, Ready, Refused, Resched, Stop, Usage, Wants,
};
use crate::queue::links::{Links, List};
use crate::storage::{Storage, Table};
use core::cmp::Reverse;
use flyball_trace::{CpuId, Duration, Slot, TaskId, Time};

/// By how many credits a task that wakes has to exceed the one that runs, to preempt it.
const MARGIN: u32 = 3;

/// The numbers of Linux 2.0's scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Linux20Rules {
    /// The length of a tick, which a credit is for. The policy takes a nanosecond for zero.
    pub tick: Duration,
    /// The priority at nice 0, which is a time slice in credits (`DEF_PRIORITY`), within
    /// [`Linux20Rules::CREDITS`]. The policy takes the nearest one there for any other.
    pub credits: u32,
}

impl Default for Linux20Rules {
    /// A tick of 10 ms, and a time slice of 200 ms.
    fn default() -> Linux20Rules {
        Linux20Rules {
            tick: Duration::from_millis(10),
            credits: 20,
        }
    }
}

impl Linux20Rules {
    /// How many credits a time slice may have at nice 0.
    pub const CREDITS: core::ops::RangeInclusive<u32> = 1..=1_000_000;

    /// Returns the rules with the nearest value in range for each that is out of it.
    fn in_range(self) -> Linux20Rules {
        let (least, most) = Linux20Rules::CREDITS.into_inner();
        Linux20Rules {
            tick: self.tick.max(Duration::from_nanos(1)),
            credits: self.credits.clamp(least, most),
        }
    }

    /// Returns the priority of a task in credits, from 1 to twice the one at nice 0.
    pub fn priority(self, task: LinuxTask) -> u32 {
        let steps = u32::from(task.nice.unsigned_abs()).min(20);
        let more = (steps * self.credits + 10) / 20;
        if task.nice < 0 {
            self.credits + more
        } else {
            (self.credits - more).max(1)
        }
    }
}

impl Encode for Linux20Rules {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.tick, self.credits).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Linux20Rules> {
        let (tick, credits) = <(Duration, u32)>::parse(bytes)?;
        let rules = Linux20Rules { tick, credits };
        (rules == rules.in_range()).then_some(rules)
    }
}

/// What the scheduler knows of a task.
#[derive(Clone, Copy)]
struct Member {
    is_admitted: bool,
    task: LinuxTask,
    priority: u32,
    credits: u32,
}

impl Member {
    const NONE: Member = Member {
        is_admitted: false,
        task: LinuxTask::normal(0),
        priority: 0,
        credits: 0,
    };
}

/// Linux 2.0's scheduler on one CPU.
pub struct Linux20<S: Storage> {
    rules: Linux20Rules,
    /// The task that the last decision chose, if it can still run.
    running: Slot,
    /// The tasks that can run, in the order of arrival.
    queue: List,
    links: Links<S>,
    members: S::Table<Member>,
    /// The first tick that no task has paid for; [`Time::NEVER`]: no task runs.
    next_tick: Time,
}

impl<S: Storage> Linux20<S> {
    /// Makes the policy without tasks, with room for task ids below `capacity` (storages whose size is
    /// part of their type have room for that many instead).
    pub fn new(rules: Linux20Rules, capacity: usize) -> Self {
        Linux20 {
            rules: rules.in_range(),
            running: Slot::EMPTY,
            queue: List::EMPTY,
            links: Links::new(capacity),
            members: Table::new(capacity, Member::NONE),
            next_tick: Time::NEVER,
        }
    }

    /// Returns the credits of a task below the policy's capacity, as of the last tick that was charged;
    /// 0 for a task that is no member.
    pub fn credits(&self, task: TaskId) -> u32 {
        self.members[task.index()].credits
    }

    /// Returns the goodness of a task: that of a real-time task is its priority, that of any other its
    /// credits.
    fn goodness(&self, task: TaskId) -> (u8, u32) {
        let member = &self.members[task.index()];
        match member.task.class {
            LinuxClass::Fifo(priority) | LinuxClass::RoundRobin(priority) => (priority, 0),
            LinuxClass::Normal if member.credits == 0 => (0, 0),
            LinuxClass::Normal => (0, member.credits + u32::from(self.running.holds(task))),
        }
    }

    /// Returns the first tick after `now`.
    fn tick_after(&self, now: Time) -> Time {
        let tick = self.rules.tick.as_nanos();
        let ticks = (now.as_nanos() / tick).saturating_add(1);
        Time::from_nanos(ticks.saturating_mul(tick))
    }

    /// Charges the task that runs for all ticks up to `now`. Returns the CPU if the task lacked a credit.
    fn charge(&mut self, now: Time) -> Resched {
        if now < self.next_tick {
            return Resched::None;
        }
        let ticks = 1 + now.since(self.next_tick) / self.rules.tick;
        self.next_tick = self.tick_after(now);
        let Some(task) = self.running.get() else {
            return Resched::None;
        };
        let credits = &mut self.members[task.index()].credits;
        let paid = u32::try_from(ticks).ok();
        let rest = paid.and_then(|ticks| credits.checked_sub(ticks));
        *credits = rest.unwrap_or(0);
        match rest {
            Some(_) => Resched::None,
            None => Resched::One(ONLY_CPU),
        }
    }

    /// Gives a queued task of `SCHED_RR` new credits if it has none, and puts it at the end of the queue.
    fn renew(&mut self, task: TaskId) {
        let member = &mut self.members[task.index()];
        if member.credits == 0 && matches!(member.task.class, LinuxClass::RoundRobin(_)) {
            member.credits = member.priority;
            self.links.rotate(&mut self.queue, task);
        }
    }

    /// Gives credits to every task.
    fn give(&mut self) {
        for row in 0..self.members.capacity() {
            let member = &mut self.members[row];
            member.credits = member.credits / 2 + member.priority;
        }
    }
}

impl<S: Storage> Policy for Linux20<S> {
    type Params = LinuxTask;
    type Settings = ();

    const WANTS: Wants = Wants::CLOCK.and(Wants::ALARMS);

    fn capacity(&self) -> usize {
        self.members.capacity()
    }

    /// # Errors
    /// [`Refused::Invalid`] of [`Parameter::Priority`] for a nice value or a priority that Linux does
    /// not have; [`Refused::Full`], [`Refused::Member`].
    fn admit(&mut self, task: TaskId, params: LinuxTask, _: Time) -> Result<(), Refused> {
        if !params.is_valid() {
            return Err(Refused::Invalid(Parameter::Priority));
        }
        let priority = self.rules.priority(params);
        match self.members.find_mut(task.index()) {
            None => Err(Refused::Full),
            Some(row) if row.is_admitted => Err(Refused::Member),
            Some(row) => {
                *row = Member {
                    is_admitted: true,
                    task: params,
                    priority,
                    credits: priority,
                };
                Ok(())
            }
        }
    }

    /// Changes the class of a task at once, and its nice value from the next credits on. The credits that it
    /// has stay.
    ///
    /// # Errors
    /// [`Refused::NotAdmitted`], and as [`Policy::admit`].
    fn adjust(&mut self, task: TaskId, params: LinuxTask, _: Time) -> Result<Resched, Refused> {
        if !params.is_valid() {
            return Err(Refused::Invalid(Parameter::Priority));
        }
        let priority = self.rules.priority(params);
        let row = self.members.find_mut(task.index());
        let Some(row) = row.filter(|row| row.is_admitted) else {
            return Err(Refused::NotAdmitted);
        };
        let is_same = row.task.class == params.class;
        (row.task, row.priority) = (params, priority);
        if is_same || !self.links.linked(task) {
            return Ok(Resched::None);
        }
        self.links.rotate(&mut self.queue, task);
        Ok(Resched::One(ONLY_CPU))
    }

    fn retire(&mut self, task: TaskId, _: Time) {
        self.members[task.index()] = Member::NONE;
    }

    fn ready(&mut self, _: CpuId, task: TaskId, _: Ready, now: Time) -> Resched {
        let resched = self.charge(now);
        self.links.push_back(&mut self.queue, task);
        let member = &self.members[task.index()];
        let preempts = self.running.get().is_none_or(|running| {
            !member.task.is_normal() || member.credits > self.credits(running) + MARGIN
        });
        if preempts {
            Resched::One(ONLY_CPU)
        } else {
            resched
        }
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, _: Usage, why: Stop, now: Time) -> Resched {
        let _ = self.charge(now);
        match why {
            Stop::Blocked | Stop::Completed => {
                if self.running.holds(task) {
                    self.renew(task);
                    self.running = Slot::EMPTY;
                }
                self.links.remove(&mut self.queue, task);
            }
            Stop::Yielded => {
                self.members[task.index()].credits = 0;
                self.links.rotate(&mut self.queue, task);
            }
            Stop::Preempted | Stop::BurstEnd => {}
        }
        Resched::One(cpu)
    }

    /// Charges the task that runs for the tick.
    fn alarm(&mut self, _: CpuId, now: Time) -> Resched {
        self.charge(now)
    }

    fn next_alarm(&self, _: CpuId) -> Option<Time> {
        Some(self.next_tick).filter(|tick| !tick.is_never())
    }

    fn has_alarms(&self) -> bool {
        !self.next_tick.is_never()
    }

    fn pick(&mut self, _: CpuId, now: Time) -> Option<Dispatch> {
        if let Some(running) = self.running.get() {
            self.renew(running);
        }
        let tasks = self.links.iter(self.queue);
        let best = tasks.min_by_key(|&task| Reverse(self.goodness(task)));
        if best.is_some_and(|best| self.goodness(best) == (0, 0)) {
            self.give();
        }
        self.running = best.into();
        if best.is_none() {
            self.next_tick = Time::NEVER;
        } else if self.next_tick.is_never() {
            self.next_tick = self.tick_after(now);
        }
        best.map(Dispatch::of)
    }
}
