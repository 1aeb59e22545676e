//! The policies and queues that are measured. A new queue is a line in each table that it suits, and a
//! name in [`Queue`].

use super::{Kind, Results, Task, all};
use crate::Error;
use crate::plan::{Policy, Queue};
use core::marker::PhantomData;
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, Calendar, Deadline, Duration, EarliestDeadline, FixedPriority, Global, Heap, Inline,
    Order, Period, Priority, Ranked, RateMonotonic, SortedList, Time,
};

/// Where tables are.
type Rows = Inline<1024>;

/// An order, and what a task of a period tells it.
pub(super) trait Ordered: Order + Default + Sized {
    fn of(period: Duration) -> Self::Params;
}

/// One CPU and its queue.
struct Partitioned<O, Q>(PhantomData<(O, Q)>);

/// `CPUS` CPUs and one queue.
struct Shared<O, Q, const CPUS: usize>(PhantomData<(O, Q)>);

impl<O: Ordered, Q: flyball_policy::Queue<O::Key>> Kind for Partitioned<O, Q> {
    type Policy = Ranked<O, Q>;

    fn policy(_: u8) -> Self::Policy {
        Ranked::new(O::default(), crate::plan::MOST_THREADS)
    }

    fn params(period: Duration) -> O::Params {
        O::of(period)
    }
}

impl<O: Ordered, Q: flyball_policy::Queue<O::Key>, const CPUS: usize> Kind for Shared<O, Q, CPUS> {
    type Policy = Global<O, Q, Inline<CPUS>>;

    fn policy(cpus: u8) -> Self::Policy {
        Global::new(
            O::default(),
            crate::plan::MOST_THREADS,
            usize::from(cpus).min(CPUS),
        )
    }

    fn params(period: Duration) -> O::Params {
        O::of(period)
    }
}

/// Each policy with each of its queues.
macro_rules! kinds {
    ($policy:ident, $queue:ident, $task:ident:
     $($global:ident / $partitioned:ident: $order:ty { $($name:ident: $type:ty),* })*) => {
        match ($policy, $queue) {
            $($(
                (Policy::$global, Queue::$name) => {
                    all::<Shared<$order, $type, 8>, Shared<$order, $type, 1>, 8>($task)
                }
                (Policy::$partitioned, Queue::$name) => {
                    all::<Partitioned<$order, $type>, Partitioned<$order, $type>, 1>($task)
                }
            )*)*
            // The plan was checked.
            _ => Ok(Vec::new()),
        }
    };
}

/// Measures a policy with a queue that it can have.
pub(super) fn measure(policy: Policy, queue: Queue, task: Task<'_>) -> Result<Results, Error> {
    kinds! { policy, queue, task:
        GlobalEdf / PartitionedEdf: EarliestDeadline {
            Heap: Heap<Time, Rows>,
            Calendar: Calendar<Time, Rows>,
            List: SortedList<Time, Rows>
        }
        GlobalRm / PartitionedRm: RateMonotonic {
            Heap: Heap<Duration, Rows>,
            Calendar: Calendar<Duration, Rows>,
            List: SortedList<Duration, Rows>
        }
        GlobalFp / PartitionedFp: FixedPriority {
            Bitmap: Bitmap<Level, Rows>,
            List: SortedList<Level, Rows>
        }
    }
}

impl Ordered for EarliestDeadline {
    fn of(period: Duration) -> Deadline {
        Deadline(period)
    }
}

impl Ordered for RateMonotonic {
    fn of(period: Duration) -> Period {
        Period(period)
    }
}

impl Ordered for FixedPriority {
    /// As rate monotonic has it, in the levels that there are: one for every 128 µs.
    fn of(period: Duration) -> Priority {
        let level = period.as_nanos() / 128_000;
        Priority(u8::MAX - u8::try_from(level).unwrap_or(u8::MAX))
    }
}
