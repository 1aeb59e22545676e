//! Linux's O(1) scheduler, of the versions 2.6.8 and 2.6.11, on one CPU.
//!
//! Each of 140 levels has a list, and a bitmap says which lists have a task. There are two such arrays.
//! A task runs for its time slice in the *active* one and goes to the *expired* one with a new slice;
//! when the active one is empty, the two are swapped. So every task has had its slice before any has
//! a second one, and no operation depends on the number of tasks.
//!
//! ```text
//!   level      0 … 99   real-time tasks: SCHED_FIFO and SCHED_RR, always in the active array
//!            100 … 139  normal tasks: 120 + nice − bonus + 5
//!
//!   active   [a] [b c]     [d]          expired   [e] [f]
//!             |                                    ^
//!             +---- slice used up -----------------+
//! ```
//!
//! * A task that sleeps earns *bonus*, from 0 to 10 (5 is neutral), by an average of its sleep of at most
//!   about a second. Running uses it up. The bonus changes the level when the task is woken, when it is
//!   dispatched for the first time then (waiting for the CPU counts as sleep), and when its slice ends.
//! * A task whose bonus is that much better than its nice value is *interactive*: at the end of its slice it
//!   stays in the active array, unless tasks have waited in the expired one for too long. Every
//!   *granularity* it goes behind its equals.
//! * Time slices are counted in ticks: the task that runs when the clock ticks pays for a whole one.
//!   Averages of sleep are in nanoseconds.
//!
//! | | 2.6.8 | 2.6.11 |
//! |---|---|---|
//! | slice at nice −20, 0, 19 and 1000 Hz | 200, 102, 10 ms | 800, 100, 5 ms |
//! | running uses up sleep | 1 : 1; 1 : bonus with much credit | 1 : bonus |
//! | sleep is worth at most a slice | with little credit | never |
//! | a granularity is over | put in again, at its new level | put behind its equals |
//!
//! # Beyond Linux
//!
//! * There is no fork: a task begins with a whole slice, and without sleep or credit. A task that ends
//!   gives nothing to a parent.
//! * Every wait is an interruptible one of a user's program. A release of a job is an interrupt, and so is
//!   whatever wakes a task while none runs; all other tasks are woken by the one that runs. A job that
//!   begins as the one before it ends has not slept, and its task is not woken.
//! * Priority inheritance: the owner of a mutex has the level of the most urgent task that waits for it,
//!   and so long it is in the active array.
//! * A queue of [`double_sorted`](crate::double_sorted) orders equals by group, in both arrays. That
//!   concerns `enqueue_task`; `requeue_task`, which 2.6.11 rotates interactive tasks with, is
//!   [`Queue::rotate`].
//!
//! Sources: `kernel/sched.c` of Linux 2.6.8 and 2.6.11; Finster, *Double-sorted scheduling in process
//! cruise control environments*, Universität Karlsruhe 2005, section 2.1. Finster describes 2.6.8 and
//! measured 2.6.11.
//!
//! Complexity: O(1), with queues that are.

mod arrays;
mod member;
mod rules;
mod task;

pub use rules::{LinuxRules, LinuxVersion};
pub use task::{LinuxClass, LinuxTask};

use crate::group::Group;
use crate::grouping::Grouping;
use crate::order::{Level, Priority};
use crate::policy::{Dispatch, Parameter, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use crate::queue::{End, Queue};
use crate::storage::{Storage, Table};
use core::cmp::Ordering;
use flyball_trace::{CpuId, Duration, Slot, TaskId, Time};
use member::{Member, Woken};
use task::LEVELS;

/// Linux's O(1) scheduler on one CPU, with two queues `Q` of 140 levels.
pub struct LinuxO1<Q: Queue<Level>> {
    running: Slot,
    /// Which of the arrays is the active one.
    active: usize,
    arrays: [Q; 2],
    members: <Q::Storage as Storage>::Table<Member>,
    rules: LinuxRules,
    /// How many members are queued.
    ready: u32,
    /// The next tick that the running task takes notice of; [`Time::NEVER`]: none.
    next_tick: Time,
    /// The tick at which the first task expired since the arrays were swapped.
    expired_at: Option<u64>,
    /// The most urgent level by nice value in the expired array; [`LEVELS`]: none.
    best_expired: u8,
}

impl<Q: Queue<Level>> LinuxO1<Q> {
    /// The policy without tasks, with room for task ids below `capacity` (storages whose size is
    /// part of their type have room for that many instead).
    pub fn new(rules: LinuxRules, capacity: usize) -> Self {
        LinuxO1::with_queues(rules, Q::new(capacity), Q::new(capacity))
    }

    /// The policy without tasks, with queues that have settings of their own and are empty.
    pub fn with_queues(rules: LinuxRules, active: Q, expired: Q) -> Self {
        let (least, most) = LinuxRules::HZ.into_inner();
        let hz = rules.hz.clamp(least, most);
        let capacity = active.capacity().min(expired.capacity());
        LinuxO1 {
            running: Slot::EMPTY,
            active: 0,
            arrays: [active, expired],
            members: Table::new(capacity, Member::NONE),
            rules: LinuxRules { hz, ..rules },
            ready: 0,
            next_tick: Time::NEVER,
            expired_at: None,
            best_expired: LEVELS,
        }
    }

    /// The level of a task below the policy's capacity, from 0 to 139, as of when it was last determined;
    /// what it inherits counts. 139 for a task that is no member.
    pub fn level(&self, task: TaskId) -> u8 {
        self.members[task.index()].key().number()
    }

    /// The average of sleep of a task below the policy's capacity, as of when it last stopped or was
    /// woken: from nothing to about a second.
    pub fn average_sleep(&self, task: TaskId) -> Duration {
        Duration::from_nanos(self.members[task.index()].sleep)
    }

    /// # Errors
    /// [`Refused::Invalid`].
    fn check(&self, task: LinuxTask) -> Result<(), Refused> {
        let [best, worst] = [0, LEVELS - 1].map(|level| Priority(u8::MAX - level).into());
        if task.is_valid() && self.arrays[0].accepts(best) && self.arrays[0].accepts(worst) {
            return Ok(());
        }
        Err(Refused::Invalid(Parameter::Priority))
    }
}

impl<Q: Queue<Level>> Grouping for LinuxO1<Q> {
    /// A running task stays ahead of its equals; any other that is queued goes behind those of its new
    /// group. No level changes, so no task is preempted.
    fn regroup(&mut self, task: TaskId, group: Group, _: Time) -> Resched {
        if Q::GROUPS == 1 || self.group(task) == group {
            return Resched::None;
        }
        let array = self.remove(task);
        for queue in &mut self.arrays {
            queue.regroup(task, group);
        }
        let Some(array) = array else {
            return Resched::None;
        };
        let key = self.members[task.index()].key();
        if self.running.holds(task) {
            self.arrays[array].put(task, key, End::Head);
            self.serve(task);
        } else {
            self.arrays[array].put(task, key, End::Tail);
        }
        Resched::None
    }

    fn group(&self, task: TaskId) -> Group {
        self.arrays[0].group(task)
    }

    fn prefer(&mut self, _: CpuId, group: Group) {
        if self.running.is_empty() {
            for queue in &mut self.arrays {
                queue.prefer(group);
            }
        }
    }
}

impl<Q: Queue<Level>> Policy for LinuxO1<Q> {
    type Params = LinuxTask;
    type Settings = ();

    const WANTS: Wants = Wants::CLOCK.and(Wants::ALARMS).and(Wants::PREEMPTED);

    fn capacity(&self) -> usize {
        self.members.capacity()
    }

    /// # Errors
    /// [`Refused::Invalid`] of [`Parameter::Priority`] for a nice value or a priority that Linux does
    /// not have, or for which the queue has no level.
    fn admit(&mut self, task: TaskId, params: LinuxTask, _: Time) -> Result<(), Refused> {
        self.check(params)?;
        let mut member = Member {
            is_admitted: true,
            task: params,
            level: params.base_level(),
            slice: self.rules.slice(params),
            ..Member::NONE
        };
        member.rank(self.rules);
        match self.members.find_mut(task.index()) {
            None => Err(Refused::Full),
            Some(row) if row.is_admitted => Err(Refused::Member),
            Some(row) => {
                *row = member;
                Ok(())
            }
        }
    }

    /// The task has no bonus until it is woken or its slice ends. The rest of its slice stays.
    ///
    /// # Errors
    /// [`Refused::NotAdmitted`], and as [`Policy::admit`].
    fn adjust(&mut self, task: TaskId, params: LinuxTask, _: Time) -> Result<Resched, Refused> {
        self.check(params)?;
        match self.members.find_mut(task.index()) {
            Some(row) if row.is_admitted => {
                row.task = params;
                row.level = params.base_level();
            }
            _ => return Err(Refused::NotAdmitted),
        }
        // If it runs, it may need ticks from now on, or no more, which the next decision finds out.
        Ok(self.requeue(task))
    }

    fn retire(&mut self, task: TaskId, _: Time) {
        self.members[task.index()] = Member::NONE;
    }

    fn ready(&mut self, _: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        let (rules, idles) = (self.rules, self.running.is_empty());
        let member = &mut self.members[task.index()];
        let slept = now.since(member.since).as_nanos();
        if member.has_begun {
            member.slept(rules, slept);
            member.woken = match why {
                _ if slept == 0 => Woken::No,
                Ready::Unblocked if !idles => Woken::ByTask,
                Ready::Unblocked | Ready::Released { .. } => Woken::ByInterrupt,
            };
        }
        member.has_begun = true;
        member.since = now;
        let key = member.key();
        self.ready += 1;
        self.active().put(task, key, End::Tail);
        self.preempts(key)
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, _: Usage, why: Stop, now: Time) -> Resched {
        let rules = self.rules;
        let member = &mut self.members[task.index()];
        if self.running.holds(task) {
            member.ran(rules, now.since(member.since).as_nanos());
            self.running = Slot::EMPTY;
        }
        match why {
            Stop::Blocked | Stop::Completed => {
                member.since = now;
                member.woken = Woken::No;
                self.ready -= 1;
                self.remove(task);
            }
            Stop::Yielded => self.give_way(task),
            Stop::Preempted | Stop::BurstEnd => {}
        }
        Resched::One(cpu)
    }

    /// The clock ticks.
    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        if now < self.next_tick {
            return Resched::None;
        }
        self.next_tick = self.tick_after(now);
        let Some(task) = self.running.get() else {
            return Resched::None;
        };
        let reschedules = !self.is_active(task)
            || match self.members[task.index()].task.class {
                LinuxClass::Normal => self.tick_normal(task, now),
                LinuxClass::RoundRobin(_) => self.tick_round_robin(task),
                LinuxClass::Fifo(_) => false,
            };
        if reschedules {
            Resched::One(cpu)
        } else {
            Resched::None
        }
    }

    fn next_alarm(&self, _: CpuId) -> Option<Time> {
        Some(self.next_tick).filter(|tick| !tick.is_never())
    }

    fn has_alarms(&self) -> bool {
        !self.next_tick.is_never()
    }

    fn pick(&mut self, _: CpuId, now: Time) -> Option<Dispatch> {
        if self.active().first().is_none() {
            self.active = 1 - self.active;
            self.expired_at = None;
            self.best_expired = LEVELS;
        }
        let first = self.active().first();
        self.running = first.into();
        let Some(task) = first else {
            self.next_tick = Time::NEVER;
            return None;
        };
        self.serve(task);
        self.dispatched(task, now);
        if matches!(self.members[task.index()].task.class, LinuxClass::Fifo(_)) {
            self.next_tick = Time::NEVER;
        } else if self.next_tick.is_never() {
            self.next_tick = self.tick_after(now);
        }
        Some(Dispatch::of(task))
    }

    /// By the levels that count; which array a task is in does not matter.
    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        let key = |task: TaskId| self.members[task.index()].key();
        key(a).cmp(&key(b))
    }

    /// A queued task that inherits a level goes to the active array, and stays there.
    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, _: Time) -> Resched {
        let inherited = from.map(|from| &self.members[from.index()]);
        let inherited = inherited.map_or(LEVELS, |from| from.level.min(from.inherited));
        let member = &mut self.members[to.index()];
        if core::mem::replace(&mut member.inherited, inherited) == inherited {
            return Resched::None;
        }
        self.requeue(to)
    }
}
