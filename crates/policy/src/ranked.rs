//! Order × queue × placement: most schedulers there are.
//!
//! The split is that of EPOS, which keeps the *criterion* of a scheduler apart from its *mechanism*
//! (Gracioli et al., section 4.1); here the compiler puts the three together. `Ranked<EarliestDeadline,
//! Heap<…>, Uniprocessor>` is EDF, `Ranked<FixedPriority, Bitmap<…>, Uniprocessor>` the scheduler of
//! most small kernels.
//!
//! The running task stays in its queue, at the place it has there. So a task that becomes ready and
//! is less urgent costs one insertion, a preemption costs no queue operation at all, and a
//! preempted task is ahead of its equals without further ado. Each call costs at most two
//! operations of the queue.

use crate::member::Member;
use crate::order::{Order, TimeSlice};
use crate::placement::Placement;
use crate::policy::{Dispatch, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use crate::queue::{End, Queue};
use crate::storage::{Storage, Table};
use core::cmp::Ordering;
use flyball_trace::{CpuId, TaskId, Time};

/// A policy made of an order, a queue and a placement.
#[repr(C)]
pub struct Ranked<O: Order, Q: Queue<O::Key>, P: Placement> {
    // What is small comes first, see `Bitmap`.
    placement: P,
    order: O,
    queue: Q,
    members: <Q::Storage as Storage>::Table<Member<O>>,
}

impl<O: Order, Q: Queue<O::Key>, P: Placement + Default> Ranked<O, Q, P> {
    /// The policy without tasks, with room for task ids below `capacity` (storages whose size is
    /// part of their type have room for that many instead).
    pub fn new(order: O, capacity: usize) -> Self {
        Ranked {
            order,
            queue: Q::new(capacity),
            placement: P::default(),
            members: Table::new(capacity, Member::absent()),
        }
    }
}

impl<O: Order, Q: Queue<O::Key>, P: Placement> Ranked<O, Q, P> {
    /// The key that a running task has after running from `since` to `now`.
    fn key_now(&self, task: TaskId, since: Time, now: Time) -> O::Key {
        let member = &self.members[task.index()];
        if O::DYNAMIC {
            member.with(self.order.ran(member.own, now.since(since)))
        } else {
            member.key
        }
    }

    /// Whether order and queue can serve a task with these parameters. (What a queue cares for, a
    /// level, does not depend on when a job is released.)
    fn accepts(&self, params: &O::Params) -> bool {
        self.order.accepts(params) && self.queue.accepts(self.order.key(params, Time::ZERO))
    }

    /// Queues `task` under the key that it has now. Returns whether it is the first then.
    fn queue(&mut self, task: TaskId, end: End) -> bool {
        self.queue.insert(task, self.members[task.index()].key, end)
    }

    /// If `task` is queued: queues it anew, after its key has changed. If it runs it is ahead of its
    /// equals there; otherwise it is behind them, as everyone who comes.
    fn requeue(&mut self, task: TaskId, now: Time) -> Resched {
        if self.queue.remove(task).is_none() {
            return Resched::None;
        }
        let runs = self.placement.runs(task);
        self.queue(task, if runs { End::Head } else { End::Tail });
        let first = self.queue.first();
        first.map_or(Resched::None, |first| self.preempts(first, true, now))
    }

    /// Which CPU has to look because `task` came; `first`: before all others.
    #[inline]
    fn preempts(&self, task: TaskId, first: bool, now: Time) -> Resched {
        let key = self.members[task.index()].key;
        if O::DYNAMIC {
            // What the queue knows of the running task is out of date.
            let key_of = |running: TaskId, since| self.key_now(running, since, now);
            self.placement.preempts(key, key_of)
        } else {
            let key_of = |running: TaskId| self.members[running.index()].key;
            self.placement.preempts_first(key, first, key_of)
        }
    }
}

impl<O: Order, Q: Queue<O::Key>, P: Placement> Policy for Ranked<O, Q, P> {
    type Params = O::Params;

    const WANTS: Wants = Wants {
        clock: O::DYNAMIC,
        usage: O::Slice::ROTATES || O::DYNAMIC,
        bursts: O::Slice::ROTATES || O::DYNAMIC,
        preempted: O::Slice::ROTATES || O::DYNAMIC,
        ..Wants::NOTHING
    };

    fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    fn admit(&mut self, task: TaskId, params: O::Params, _: Time) -> Result<(), Refused> {
        if task.index() >= self.queue.capacity() {
            return Err(Refused::Full);
        }
        if self.members[task.index()].params.is_some() {
            return Err(Refused::Member);
        }
        if !self.accepts(&params) {
            return Err(Refused::Invalid);
        }
        self.members[task.index()] = Member::new(params, self.order.quantum());
        Ok(())
    }

    fn adjust(&mut self, task: TaskId, params: O::Params, now: Time) -> Result<Resched, Refused> {
        if !self.accepts(&params) {
            return Err(Refused::Invalid);
        }
        if task.index() >= self.queue.capacity() {
            return Err(Refused::NotAdmitted);
        }
        self.members[task.index()].adjust(&self.order, params)?;
        Ok(self.requeue(task, now))
    }

    fn retire(&mut self, task: TaskId, _: Time) {
        debug_assert!(self.queue.key(task).is_none(), "{task:?} is still queued");
        self.members[task.index()].params = None;
    }

    fn ready(&mut self, _: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.members[task.index()].begin(&self.order, why);
        let first = self.queue(task, End::Tail);
        self.preempts(task, first, now)
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let mut slice_is_over = why == Stop::Yielded;
        if Self::WANTS.usage {
            let member = &mut self.members[task.index()];
            slice_is_over = member.ran(&self.order, used.time, slice_is_over);
        }
        match why {
            Stop::Blocked | Stop::Completed => {
                self.queue.take(task);
                if self.placement.runs(task) {
                    self.placement.place(cpu, None, O::DYNAMIC.then_some(now));
                }
            }
            Stop::Preempted | Stop::BurstEnd | Stop::Yielded if O::DYNAMIC => {
                self.queue.remove(task);
                self.queue(task, if slice_is_over { End::Tail } else { End::Head });
            }
            Stop::Preempted | Stop::BurstEnd | Stop::Yielded if slice_is_over => {
                self.queue.rotate(task);
            }
            Stop::Preempted | Stop::BurstEnd | Stop::Yielded => {}
        }
        Resched::One(cpu)
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        let first = self.queue.first();
        self.placement.place(cpu, first, O::DYNAMIC.then_some(now));
        let task = first?;
        let burst = if O::Slice::ROTATES {
            self.members[task.index()].slice.remaining()
        } else {
            self.order.quantum()
        };
        Some(Dispatch { task, burst })
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        let key = |task: TaskId| self.members[task.index()].key;
        key(a).cmp(&key(b))
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        let lent = from.map(|from| self.members[from.index()].key);
        if self.members[to.index()].inherit(lent) {
            self.requeue(to, now)
        } else {
            Resched::None
        }
    }
}
