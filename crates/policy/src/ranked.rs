//! Order × queue on one CPU: most schedulers there are.
//!
//! The split is that of EPOS, which keeps the *criterion* of a scheduler apart from its *mechanism*
//! (Gracioli et al., section 4.1); here the compiler puts the two together.
//! `Ranked<EarliestDeadline, Heap<…>>` is EDF, `Ranked<FixedPriority, Bitmap<…>>` the scheduler of
//! most small kernels. On several CPUs [`Global`](crate::Global) is made of the same two, and
//! [`Affine`](crate::Affine) of an order alone.
//!
//! The running task stays in its queue, at the place it has there. So a task that becomes ready and
//! is less urgent costs one insertion, a preemption costs no queue operation at all, and a
//! preempted task is ahead of its equals without further ado. Each call costs at most two
//! operations of the queue.

use crate::group::Group;
use crate::grouping::Grouping;
use crate::member::Members;
use crate::order::Order;
use crate::policy::{Dispatch, ONLY_CPU, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use crate::queue::{Bitmap, End, Levelled, Queue};
use crate::storage::Storage;
use core::cmp::Ordering;
use flyball_trace::{CpuId, Slot, TaskId, Time};

/// A policy for one CPU, made of an order and a queue of the ready tasks.
#[repr(C)]
pub struct Ranked<O: Order, Q: Queue<O::Key>> {
    // What is small comes first, see `Bitmap`.
    running: Slot,
    /// Since when, where keys change meanwhile.
    since: Time,
    order: O,
    queue: Q,
    members: Members<O, Q::Storage>,
}

impl<O: Order, Q: Queue<O::Key>> Ranked<O, Q> {
    /// The policy without tasks, with room for task ids below `capacity` (storages whose size is
    /// part of their type have room for that many instead).
    pub fn new(order: O, capacity: usize) -> Self {
        Ranked::with_queue(order, Q::new(capacity))
    }

    /// The policy without tasks, with a queue that has settings of its own and is empty.
    pub fn with_queue(order: O, queue: Q) -> Self {
        let capacity = queue.capacity();
        Ranked {
            running: Slot::EMPTY,
            since: Time::ZERO,
            order,
            queue,
            members: Members::new(capacity),
        }
    }

    fn check(&self, params: &O::Params) -> Result<(), Refused> {
        Members::<O, Q::Storage>::check(&self.order, params, |key| self.queue.accepts(key))
    }

    /// Queues `task` under the key that it has now. Returns whether it is the first then.
    fn queue(&mut self, task: TaskId, end: End) -> bool {
        self.queue.insert(task, self.members.key(task), end)
    }

    /// Queues `task` anew, if it is queued, after its key has changed. A running task is ahead of
    /// its equals there; any other is behind them, as one that has just become ready.
    fn requeue(&mut self, task: TaskId, now: Time) -> Resched {
        if self.queue.remove(task).is_none() {
            return Resched::None;
        }
        let runs = self.running.holds(task);
        self.queue(task, if runs { End::Head } else { End::Tail });
        let first = self.queue.first();
        first.map_or(Resched::None, |first| self.preempts(first, true, now))
    }

    /// Returns the CPU if it must reschedule because `task` was queued; `first`: before all others.
    #[inline]
    fn preempts(&self, task: TaskId, first: bool, now: Time) -> Resched {
        let preempts = if O::DYNAMIC {
            // What the queue knows of the running task is out of date.
            self.running.get().is_none_or(|running| {
                let running = self.members.key_at(&self.order, running, self.since, now);
                self.members.key(task) < running
            })
        } else {
            // If it is second to a task that does not run yet, the CPU must reschedule already.
            first
        };
        if preempts {
            Resched::One(ONLY_CPU)
        } else {
            Resched::None
        }
    }

    /// From now on `task` runs; `None`: the CPU idles.
    #[inline]
    fn run(&mut self, task: Option<TaskId>, now: Time) {
        self.running = task.into();
        if O::DYNAMIC {
            self.since = now;
        }
    }
}

/// A policy for one CPU that is made of an order.
pub trait FromOrder<O: Order>: Policy<Params = O::Params> {
    /// The policy without tasks, with room for task ids below `capacity` (storages whose size is
    /// part of their type have room for that many instead).
    fn from_order(order: O, capacity: usize) -> Self;
}

impl<O: Order, Q: Queue<O::Key>> FromOrder<O> for Ranked<O, Q> {
    fn from_order(order: O, capacity: usize) -> Self {
        Ranked::new(order, capacity)
    }
}

impl<O: Order<Params = K, Key = K>, K: Levelled, S: Storage, const WORDS: usize>
    Ranked<O, Bitmap<K, S, WORDS>>
{
    /// Tells all keys that are of any importance. O(tasks).
    pub(crate) fn each_key(&self, tell: impl FnMut(K)) {
        self.members.each_key(tell);
    }

    /// Gives each key another one, in the same order. O(tasks + levels).
    pub(crate) fn renumber(&mut self, new: impl Fn(K) -> K) {
        self.members.renumber(&new);
        self.queue.renumber(new);
    }
}

impl<O: Order, Q: Queue<O::Key>> Grouping for Ranked<O, Q> {
    /// A running task stays ahead of its equals, in its own level; any other that is queued goes behind
    /// those of its new group.
    fn regroup(&mut self, task: TaskId, group: Group, now: Time) -> Resched {
        if Q::GROUPS == 1 || self.queue.group(task) == group {
            return Resched::None;
        }
        let key = self.queue.remove(task);
        self.queue.regroup(task, group);
        let Some(key) = key else {
            return Resched::None;
        };
        if !self.running.holds(task) {
            let first = self.queue.insert(task, key, End::Tail);
            return self.preempts(task, first, now);
        }
        let first = self.queue.insert(task, key, End::Head);
        self.queue.serve(task);
        if first {
            Resched::None
        } else {
            Resched::One(ONLY_CPU)
        }
    }

    fn group(&self, task: TaskId) -> Group {
        self.queue.group(task)
    }

    fn prefer(&mut self, _: CpuId, group: Group) {
        if self.running.is_empty() {
            self.queue.prefer(group);
        }
    }
}

impl<O: Order, Q: Queue<O::Key>> Policy for Ranked<O, Q> {
    type Params = O::Params;
    /// Another order of the same type.
    type Settings = O;

    const WANTS: Wants = Members::<O, Q::Storage>::WANTS;

    fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    fn admit(&mut self, task: TaskId, params: O::Params, _: Time) -> Result<(), Refused> {
        self.check(&params)?;
        self.members.admit(&self.order, task, params)
    }

    fn adjust(&mut self, task: TaskId, params: O::Params, now: Time) -> Result<Resched, Refused> {
        self.check(&params)?;
        self.members.adjust(&self.order, task, params)?;
        Ok(self.requeue(task, now))
    }

    /// The new order counts from the next job and the next time slice of each task on. O(tasks).
    ///
    /// # Errors
    /// What it refuses of a member's parameters.
    fn tune(&mut self, order: O, _: Time) -> Result<Resched, Refused> {
        let has_level = |key| self.queue.accepts(key);
        self.members.tune(&mut self.order, order, has_level)?;
        Ok(Resched::None)
    }

    fn retire(&mut self, task: TaskId, _: Time) {
        debug_assert!(self.queue.key(task).is_none(), "{task:?} is still queued");
        self.members.retire(task);
    }

    fn ready(&mut self, _: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.members.ready(&self.order, task, why);
        let first = self.queue(task, End::Tail);
        self.preempts(task, first, now)
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let slice_is_over = self.members.stopped(&self.order, task, used, why);
        match why {
            Stop::Blocked | Stop::Completed => {
                self.queue.take(task);
                // Who blocks runs.
                if why == Stop::Blocked || self.running.holds(task) {
                    self.run(None, now);
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

    fn pick(&mut self, _: CpuId, now: Time) -> Option<Dispatch> {
        let first = self.queue.first();
        self.run(first, now);
        self.queue.serve(first?);
        Some(self.members.dispatch(&self.order, first?))
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.members.compare(a, b)
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        if self.members.inherit(to, from) {
            self.requeue(to, now)
        } else {
            Resched::None
        }
    }

    fn raise(
        &mut self,
        task: TaskId,
        ceiling: O::Params,
        since: Time,
        now: Time,
    ) -> Result<Resched, Refused> {
        self.check(&ceiling)?;
        Ok(if self.members.raise(&self.order, task, &ceiling, since) {
            self.requeue(task, now)
        } else {
            Resched::None
        })
    }
}
