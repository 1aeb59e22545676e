//! Order × queue on several CPUs: global scheduling.
//!
//! At every instant the most urgent tasks run, as many as there are CPUs, on whichever CPUs.
//! `Global<EarliestDeadline, Heap<…>, …>` is G-EDF; on one CPU it is what [`Ranked`](crate::Ranked)
//! is.
//!
//! # Links
//!
//! Which task *should* run where is decided at once, and a CPU does it when it reschedules. So a
//! task is *linked* to a CPU as soon as it is among the most urgent, and *runs* there once the CPU
//! has picked it (Brandenburg, "Scheduling and locking in multiprocessor real-time operating
//! systems", 2011, section 3.3.3). Until then the task that ran there still does: for all others it
//! waits already, but its registers are still in use.
//!
//! ```text
//!               linked (should run)     runs (does)
//!   CPU 0       a                       a
//!   CPU 1       b                       x      <- must reschedule
//!   CPU 2       -                       -      idle
//!   waiting:    none, while a CPU has no link
//! ```
//!
//! The rest follows:
//!
//! * No waiting task is more urgent than a linked one, and none waits while a CPU is free.
//! * A task that becomes ready takes a free CPU, or the link of the *least* urgent task (of equals,
//!   the one that came last) if that is less urgent than itself. This CPU must reschedule, and no
//!   other.
//! * A CPU whose task has just stopped is free, and reschedules anyway, so no CPU is interrupted
//!   for what this one can do.
//! * A task that gets a link while it still runs on some CPU stays there, and the task that was
//!   linked to that CPU meanwhile takes the other one: no task moves because two things happened in
//!   an unlucky order.
//! * Of several free CPUs a task gets the one where it ran last, or else the one where the kernel
//!   works.

use crate::grouping::Grouping;
use crate::linked::{Keys, Linked};
use crate::member::Members;
use crate::order::Order;
use crate::policy::{Dispatch, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use crate::queue::{End, Queue};
use crate::storage::Storage;
use core::cmp::Ordering;
use flyball_trace::{CpuId, TaskId, Time};

/// A policy for all CPUs of a cluster, made of an order and a queue of the waiting tasks. `C` is
/// where the tables of CPUs are.
pub struct Global<O: Order, Q: Queue<O::Key>, C: Storage> {
    order: O,
    members: Members<O, Q::Storage>,
    linked: Linked<O::Key, Q, C>,
}

/// The keys of the tasks at an instant.
struct At<'a, O: Order, S: Storage> {
    order: &'a O,
    members: &'a Members<O, S>,
    now: Time,
}

impl<'a, O: Order, S: Storage> At<'a, O, S> {
    #[inline]
    fn new(order: &'a O, members: &'a Members<O, S>, now: Time) -> Self {
        At {
            order,
            members,
            now,
        }
    }
}

impl<O: Order, S: Storage> Keys<O::Key> for At<'_, O, S> {
    const DYNAMIC: bool = O::DYNAMIC;

    #[inline]
    fn key(&self, task: TaskId) -> O::Key {
        self.members.key(task)
    }

    #[inline]
    fn running(&self, task: TaskId, since: Time) -> O::Key {
        self.members.key_at(self.order, task, since, self.now)
    }
}

impl<O: Order, Q: Queue<O::Key>, C: Storage> Global<O, Q, C> {
    /// The policy without tasks, for the CPUs 0 to `cpus` - 1, at most 128, with room for task ids
    /// below `capacity` (storages whose size is part of their type have room for that many
    /// instead).
    pub fn new(order: O, capacity: usize, cpus: usize) -> Self {
        Global {
            order,
            members: Members::new(capacity),
            linked: Linked::new(capacity, cpus),
        }
    }

    /// The task that is linked to a CPU.
    pub fn linked(&self, cpu: CpuId) -> Option<TaskId> {
        self.linked.on(cpu)
    }

    fn check(&self, params: &O::Params) -> Result<(), Refused> {
        Members::<O, Q::Storage>::check(&self.order, params, |key| self.linked.accepts(key))
    }

    fn requeue(&mut self, task: TaskId, now: Time) -> Resched {
        let keys = At::new(&self.order, &self.members, now);
        self.linked.requeue(&keys, task)
    }
}

/// It takes no notice.
impl<O: Order, Q: Queue<O::Key>, C: Storage> Grouping for Global<O, Q, C> {}

impl<O: Order, Q: Queue<O::Key>, C: Storage> Policy for Global<O, Q, C> {
    type Params = O::Params;
    /// Another order of the same type.
    type Settings = O;

    const WANTS: Wants = Members::<O, Q::Storage>::WANTS;

    fn capacity(&self) -> usize {
        self.linked.capacity()
    }

    fn admit(&mut self, task: TaskId, params: O::Params, _: Time) -> Result<(), Refused> {
        self.check(&params)?;
        self.members.admit(&self.order, task, params)?;
        self.linked.forget(task);
        Ok(())
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
        let has_level = |key| self.linked.accepts(key);
        self.members.tune(&mut self.order, order, has_level)?;
        Ok(Resched::None)
    }

    fn retire(&mut self, task: TaskId, _: Time) {
        debug_assert!(!self.linked.is_queued(task), "{task:?} is still queued");
        self.members.retire(task);
    }

    #[inline]
    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.members.ready(&self.order, task, why);
        let keys = At::new(&self.order, &self.members, now);
        self.linked.enqueue(&keys, here, task, End::Tail)
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let slice_is_over = self.members.stopped(&self.order, task, used, why);
        let keys = At::new(&self.order, &self.members, now);
        if matches!(why, Stop::Blocked | Stop::Completed) {
            let left = self.linked.leave(task);
            return left.and(self.linked.dequeue(&keys, task));
        }
        let end = if slice_is_over { End::Tail } else { End::Head };
        let mut resched = Resched::One(cpu);
        if slice_is_over || O::DYNAMIC {
            resched = self.linked.rotate(&keys, task, end).and(resched);
        }
        resched
    }

    #[inline]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        let task = self.linked.pick(cpu, now)?;
        Some(self.members.dispatch(&self.order, task))
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
