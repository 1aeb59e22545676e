//! Bandwidth inheritance (Lamastra, Lipari and Abeni, *A bandwidth inheritance algorithm for real-time
//! task synchronization in open systems*, RTSS 2001).
//!
//! A task that waits for a mutex keeps its place in its server. When its turn comes the task runs in
//! that place that is at the end of the chain of owners, on the budget of that server:
//!
//! ```text
//!   H waits for --> mutex 1, owned by M, waits for --> mutex 2, owned by L
//!   L runs in the places of H, of M, and in its own, always on that of the server that is scheduled
//! ```
//!
//! Promises: a server with a small budget does not hold up one with a large one for longer than a
//! critical section takes; and a server is hurt by critical sections of tasks alone that share mutexes with its own, directly or
//! through others: what they take in its place is charged to it. To all other servers it
//! is as if each task computed for itself.
//! Does not promise: that a server's budget is enough. It has to hold the critical sections of others
//! that may be in its tasks' way.
//! Derived here: if the task at the end of a chain cannot run (it sleeps, or its job is over),
//! then those that wait for it leave their servers, and come back when it can. That is decided when
//! the CPU is, so what comes to the same within an instant changes nothing.

use crate::policy::{Dispatch, ONLY_CPU, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use crate::storage::{Storage, Table};
use core::cmp::Ordering;
use flyball_trace::{CpuId, Slot, TaskId, Time};

/// The policy `P` of one CPU, in which a task that waits for a mutex is not out of the way: the task
/// that it waits for runs in its place.
///
/// Complexity: that of `P`, and O(tasks) more when a task begins to wait for a mutex or ceases to.
#[repr(C)]
pub struct Inheriting<P, S: Storage> {
    /// The task that runs, and in whose place.
    running: Slot,
    place: Slot,
    /// Whether tasks may have to leave or enter their places.
    is_open: bool,
    rows: S::Table<Row>,
    policy: P,
}

/// What is known of a task.
#[derive(Clone, Copy)]
struct Row {
    /// The task that has the mutex that this one waits for.
    owner: Slot,
    /// How many tasks wait for this one.
    waiters: u16,
    is_ready: bool,
    /// Whether it is queued as far as the policy knows.
    is_placed: bool,
}

impl<P: Policy, S: Storage> Inheriting<P, S> {
    /// The same policy, with inheritance.
    pub fn new(policy: P) -> Inheriting<P, S> {
        let row = Row {
            owner: Slot::EMPTY,
            waiters: 0,
            is_ready: false,
            is_placed: false,
        };
        Inheriting {
            running: Slot::EMPTY,
            place: Slot::EMPTY,
            is_open: false,
            rows: Table::new(policy.capacity(), row),
            policy,
        }
    }

    /// The policy in which tasks have their places.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The task that runs in the place of `task`: the first one in its chain that can; `None`: none
    /// of them can. A chain may be a ring, but no chain has more tasks than there are.
    fn end(&self, mut task: TaskId) -> Option<TaskId> {
        for _ in 0..self.rows.capacity() {
            let row = &self.rows[task.index()];
            if row.is_ready {
                return Some(task);
            }
            task = row.owner.get()?;
        }
        None
    }

    /// Takes tasks out of their places in which no task can run, and puts others into theirs.
    #[cold]
    #[inline(never)]
    fn settle(&mut self, cpu: CpuId, now: Time) {
        self.is_open = false;
        for task in (0..self.rows.capacity()).map(TaskId::from_index) {
            let is_placed = self.rows[task.index()].is_placed;
            if is_placed == self.end(task).is_some() {
                continue;
            }
            self.rows[task.index()].is_placed = !is_placed;
            // The CPU is about to be decided.
            let _ = if is_placed {
                self.policy
                    .stopped(cpu, task, Usage::default(), Stop::Blocked, now)
            } else {
                self.policy.ready(cpu, task, Ready::Unblocked, now)
            };
        }
    }

    /// Whether `task` can run has changed, and so it may have for those that wait for it.
    fn open_for_waiters(&mut self, task: TaskId) -> Resched {
        if self.rows[task.index()].waiters == 0 {
            return Resched::None;
        }
        self.open()
    }

    fn open(&mut self) -> Resched {
        self.is_open = true;
        Resched::One(ONLY_CPU)
    }
}

impl<P: Policy, S: Storage> Policy for Inheriting<P, S> {
    type Params = P::Params;
    type Settings = P::Settings;
    const WANTS: Wants = {
        assert!(P::WANTS.preempted, "a place may go to another task");
        P::WANTS.and(Wants::WAITS)
    };

    fn capacity(&self) -> usize {
        self.policy.capacity()
    }

    fn admit(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<(), Refused> {
        self.policy.admit(task, params, now)
    }

    fn adjust(&mut self, task: TaskId, params: P::Params, now: Time) -> Result<Resched, Refused> {
        self.policy.adjust(task, params, now)
    }

    fn tune(&mut self, settings: P::Settings, now: Time) -> Result<Resched, Refused> {
        self.policy.tune(settings, now)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        if core::mem::take(&mut self.rows[task.index()].is_placed) {
            // Its job was given up while it waited. The CPU is decided anyway.
            let _ = self
                .policy
                .stopped(ONLY_CPU, task, Usage::default(), Stop::Completed, now);
        }
        if self.place.holds(task) {
            // What runs there has used nothing of a server that is still there.
            self.place = Slot::EMPTY;
        }
        self.policy.retire(task, now);
    }

    #[inline(never)]
    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        let row = &mut self.rows[task.index()];
        row.is_ready = true;
        let resched = if core::mem::replace(&mut row.is_placed, true) {
            // It waited, and another task may run in its place.
            Resched::One(ONLY_CPU)
        } else {
            self.policy.ready(here, task, why, now)
        };
        resched.and(self.open_for_waiters(task))
    }

    #[inline(never)]
    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let leaves = matches!(why, Stop::Blocked | Stop::Completed);
        let runs = self.running.holds(task);
        if leaves {
            self.rows[task.index()].is_ready = false;
            if self.place.holds(task) && !runs {
                // Another one runs in its place, and has to stop first.
                return self.open();
            }
        }
        let place = if runs {
            self.running = Slot::EMPTY;
            core::mem::take(&mut self.place).get()
        } else {
            Some(task)
        };
        let is_gone = leaves && self.end(task).is_none();
        let is_own = place == Some(task);
        let mut resched = Resched::One(cpu);
        if let Some(place) = place
            && !(is_own && is_gone)
        {
            // What a task does is its own affair in its own place alone.
            let why = match why {
                Stop::Yielded if is_own => why,
                Stop::BurstEnd => why,
                _ => Stop::Preempted,
            };
            resched = resched.and(self.policy.stopped(cpu, place, used, why, now));
        }
        if is_gone && core::mem::take(&mut self.rows[task.index()].is_placed) {
            let used = if is_own { used } else { Usage::default() };
            resched = resched.and(self.policy.stopped(cpu, task, used, why, now));
        }
        if leaves {
            resched = resched.and(self.open_for_waiters(task));
        }
        resched
    }

    fn ended(&mut self, task: TaskId, result: u8, now: Time) {
        self.policy.ended(task, result, now);
    }

    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        self.policy.alarm(cpu, now)
    }

    fn next_alarm(&self, cpu: CpuId) -> Option<Time> {
        self.policy.next_alarm(cpu)
    }

    fn has_alarms(&self) -> bool {
        self.policy.has_alarms()
    }

    #[inline(never)]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        if self.is_open {
            self.settle(cpu, now);
        }
        let mut dispatch = self.policy.pick(cpu, now)?;
        let place = dispatch.task;
        // In a place that has been settled some task can run.
        let task = self.end(place).unwrap_or(place);
        (self.running, self.place) = (Slot::of(task), Slot::of(place));
        dispatch.task = task;
        Some(dispatch)
    }

    /// By their places.
    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.policy.compare(a, b)
    }

    fn waits(&mut self, task: TaskId, owner: Option<TaskId>, _now: Time) -> Resched {
        let before = core::mem::replace(&mut self.rows[task.index()].owner, owner.into());
        if let Some(before) = before.get() {
            self.rows[before.index()].waiters -= 1;
        }
        if let Some(owner) = owner {
            self.rows[owner.index()].waiters += 1;
        }
        self.open()
    }
}
