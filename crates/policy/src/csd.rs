//! CSD: the combined static and dynamic scheduler of EMERALDS.
//!
//! Tasks with short periods are served by EDF, ahead of all others, and these by rate monotonic
//! priorities. So few tasks are in the queue that is searched at each choice, and those that fixed
//! priorities would not hold are not served by them.
//!
//! ```text
//!   dynamic queue, no order      static queue, by period
//!   [a until 7][b until 5]       [c 20 ms][d 50 ms]           b, a, c, d
//! ```
//!
//! Source: Zuberi, Pillai and Shin, *EMERALDS: a small-memory real-time microkernel*, SOSP 1999,
//! with one queue of each kind (CSD-2).

use crate::encode::Encode;
use crate::order::{Deadline, Order, Period};
use crate::policy::{Parameter, Refused};
use crate::queue::{End, Queue, SortedList, Unsorted};
use crate::storage::Storage;
use flyball_trace::{Duration, TaskId, Time};

/// The order: tasks of the dynamic queue by their absolute deadlines, and behind them those of the
/// static one by their periods.
#[derive(Clone, Copy, Default, Debug)]
pub struct StaticAndDynamic;

/// In which queue a task is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InQueue {
    /// In the dynamic one, with this relative deadline.
    Dynamic(Deadline),
    /// In the static one, with this period.
    Static(Period),
}

impl Default for InQueue {
    fn default() -> InQueue {
        InQueue::Static(Period::default())
    }
}

impl Encode for InQueue {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        match *self {
            InQueue::Dynamic(Deadline(deadline)) => (true, deadline).emit(put),
            InQueue::Static(Period(period)) => (false, period).emit(put),
        }
    }

    fn parse(bytes: &mut &[u8]) -> Option<InQueue> {
        let (is_dynamic, length) = <(bool, Duration)>::parse(bytes)?;
        Some(if is_dynamic {
            InQueue::Dynamic(Deadline(length))
        } else {
            InQueue::Static(Period(length))
        })
    }
}

/// The key of a job; those of the dynamic queue are the smaller ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Urgency {
    /// An absolute deadline.
    Dynamic(Time),
    /// A period, as an instant.
    Static(Time),
}

impl Default for Urgency {
    fn default() -> Urgency {
        Urgency::Dynamic(Time::ZERO)
    }
}

impl Order for StaticAndDynamic {
    type Params = InQueue;
    type Key = Urgency;
    type Slice = ();

    fn key(&self, params: &InQueue, release: Time) -> Urgency {
        match *params {
            InQueue::Dynamic(deadline) => Urgency::Dynamic(release + deadline.0),
            InQueue::Static(period) => Urgency::Static(Time::ZERO + period.0),
        }
    }

    /// A present job in the dynamic queue keeps its deadline. One that comes from the static queue has
    /// the key of its period until the next release.
    fn adjusted(&self, params: &InQueue, key: Urgency) -> Urgency {
        match *params {
            InQueue::Dynamic(_) => key,
            InQueue::Static(period) => Urgency::Static(Time::ZERO + period.0),
        }
    }

    fn check(&self, params: &InQueue) -> Result<(), Refused> {
        let (length, parameter) = match *params {
            InQueue::Dynamic(deadline) => (deadline.0, Parameter::Deadline),
            InQueue::Static(period) => (period.0, Parameter::Period),
        };
        if length.is_zero() {
            return Err(Refused::Invalid(parameter));
        }
        Ok(())
    }
}

/// The two queues as one: an unsorted list, which is searched for the nearest deadline, ahead of a
/// sorted one. A task that inherits the urgency of the other queue is in that one.
pub struct TwoQueues<S: Storage> {
    dynamic: Unsorted<Time, S>,
    fixed: SortedList<Time, S>,
}

impl<S: Storage> Queue<Urgency> for TwoQueues<S> {
    const NAME: &'static str = "unsorted list, then list";
    const COMPLEXITY: &'static str =
        "dynamic: O(n) for the first, else O(1); static: O(n) to put in, else O(1)";
    type Storage = S;

    fn new(capacity: usize) -> Self {
        TwoQueues {
            dynamic: Unsorted::new(capacity),
            fixed: SortedList::new(capacity),
        }
    }

    fn capacity(&self) -> usize {
        self.fixed.capacity()
    }

    #[inline(never)]
    fn insert(&mut self, task: TaskId, key: Urgency, end: End) -> bool {
        match key {
            Urgency::Dynamic(deadline) => self.dynamic.insert(task, deadline, end),
            Urgency::Static(period) => {
                self.fixed.insert(task, period, end) && self.dynamic.first().is_none()
            }
        }
    }

    #[inline(never)]
    fn remove(&mut self, task: TaskId) -> Option<Urgency> {
        let dynamic = self.dynamic.remove(task).map(Urgency::Dynamic);
        dynamic.or_else(|| self.fixed.remove(task).map(Urgency::Static))
    }

    #[inline(never)]
    fn first(&self) -> Option<TaskId> {
        self.dynamic.first().or_else(|| self.fixed.first())
    }

    fn key(&self, task: TaskId) -> Option<Urgency> {
        let dynamic = self.dynamic.key(task).map(Urgency::Dynamic);
        dynamic.or_else(|| self.fixed.key(task).map(Urgency::Static))
    }
}
