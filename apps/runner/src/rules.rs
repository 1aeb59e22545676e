//! The orders that there are images of: what each needs of an image, and what each task tells it. One CPU
//! for itself ([`Alone`]), or several that share a queue ([`Together`]), where tasks may be kept to some of
//! them ([`Affine`]).

use crate::Scheduler;
use crate::machine::{Cpus, Rows};
use core::marker::PhantomData;
use flyball_policy::order::Level;
use flyball_policy::pfair::{ByGroupDeadline, BySuccessors, Pfair, Weight};
use flyball_policy::{
    Affine as AffinePolicy, Bitmap, CpuSet, Deadline, DeadlineMonotonic, Duration,
    EarliestDeadline, Fifo as FifoOrder, FixedPriority, Global, Heap, Laxity, LeastLaxity, Order,
    Period, Pinned, Priority, Queue, Ranked, RateMonotonic, RoundRobin, Time,
};
use flyball_script::image::{Common, Task};

/// An order of tasks with a queue that suits it.
pub trait Rule: 'static {
    /// The order.
    type Order: Order;
    /// What keeps it.
    type Queue: Queue<<Self::Order as Order>::Key>;

    /// The order, with its settings.
    fn order(common: &Common) -> Self::Order;

    /// What a task tells it.
    fn params(task: &Task) -> <Self::Order as Order>::Params;
}

/// Each CPU has its own tasks.
pub struct Alone<R>(PhantomData<R>);

impl<R: Rule> Scheduler for Alone<R> {
    type Policy = Ranked<R::Order, R::Queue>;

    fn policy(common: &Common, threads: usize, _: usize) -> Self::Policy {
        Ranked::new(R::order(common), threads)
    }

    fn params(task: &Task) -> <R::Order as Order>::Params {
        R::params(task)
    }
}

/// The CPUs of a cluster share its tasks.
pub struct Together<R>(PhantomData<R>);

impl<R: Rule> Scheduler for Together<R> {
    type Policy = Global<R::Order, R::Queue, Cpus>;

    fn policy(common: &Common, threads: usize, cpus: usize) -> Self::Policy {
        Global::new(R::order(common), threads, cpus)
    }

    fn params(task: &Task) -> <R::Order as Order>::Params {
        R::params(task)
    }
}

/// The CPUs of a cluster share its tasks, some of which may run on some of these CPUs only.
pub struct Affine<R>(PhantomData<R>);

impl<R: Rule> Scheduler for Affine<R> {
    type Policy = AffinePolicy<R::Order, Rows, Cpus>;

    fn policy(common: &Common, threads: usize, cpus: usize) -> Self::Policy {
        AffinePolicy::new(R::order(common), threads, cpus)
    }

    fn params(task: &Task) -> Pinned<<R::Order as Order>::Params> {
        Pinned {
            params: R::params(task),
            cpus: if task.cpus.is_empty() {
                CpuSet::ALL
            } else {
                task.cpus
            },
        }
    }
}

/// Earliest deadline first.
pub struct Edf;

impl Rule for Edf {
    type Order = EarliestDeadline;
    type Queue = Heap<Time, Rows>;

    fn order(_: &Common) -> Self::Order {
        EarliestDeadline
    }

    fn params(task: &Task) -> Deadline {
        Deadline(task.deadline)
    }
}

/// Rate monotonic.
pub struct Rm;

impl Rule for Rm {
    type Order = RateMonotonic;
    type Queue = Heap<Duration, Rows>;

    fn order(_: &Common) -> Self::Order {
        RateMonotonic
    }

    fn params(task: &Task) -> Period {
        Period(task.period_or_never())
    }
}

/// Deadline monotonic.
pub struct Dm;

impl Rule for Dm {
    type Order = DeadlineMonotonic;
    type Queue = Heap<Duration, Rows>;

    fn order(_: &Common) -> Self::Order {
        DeadlineMonotonic
    }

    fn params(task: &Task) -> Deadline {
        Deadline(task.deadline)
    }
}

/// Fixed priorities; equals are served first in, first out.
pub struct Fp;

impl Rule for Fp {
    type Order = FixedPriority;
    type Queue = Bitmap<Level, Rows>;

    fn order(_: &Common) -> Self::Order {
        FixedPriority
    }

    fn params(task: &Task) -> Priority {
        Priority(task.priority)
    }
}

/// Fixed priorities; equals take turns.
pub struct FpRr;

impl Rule for FpRr {
    type Order = RoundRobin<FixedPriority>;
    type Queue = Bitmap<Level, Rows>;

    fn order(common: &Common) -> Self::Order {
        RoundRobin {
            order: FixedPriority,
            quantum: common.settings.quantum(),
        }
    }

    fn params(task: &Task) -> Priority {
        Priority(task.priority)
    }
}

/// Round robin.
pub struct Rr;

impl Rule for Rr {
    type Order = RoundRobin<FifoOrder>;
    type Queue = Bitmap<(), Rows>;

    fn order(common: &Common) -> Self::Order {
        RoundRobin {
            order: FifoOrder,
            quantum: common.settings.quantum(),
        }
    }

    fn params(_: &Task) {}
}

/// First in, first out.
pub struct Fifo;

impl Rule for Fifo {
    type Order = FifoOrder;
    type Queue = Bitmap<(), Rows>;

    fn order(_: &Common) -> Self::Order {
        FifoOrder
    }

    fn params(_: &Task) {}
}

/// Least laxity first.
pub struct Llf;

impl Rule for Llf {
    type Order = LeastLaxity;
    type Queue = Heap<Time, Rows>;

    fn order(common: &Common) -> Self::Order {
        LeastLaxity {
            quantum: common.settings.quantum(),
        }
    }

    fn params(task: &Task) -> Laxity {
        Laxity {
            deadline: task.deadline,
            wcet: task.wcet.min(task.deadline),
        }
    }
}

fn weight(task: &Task) -> Weight {
    Weight {
        wcet: task.wcet,
        period: task.period_or_never().min(task.deadline),
    }
}

/// PD².
pub struct Pd2;

impl Scheduler for Pd2 {
    type Policy = Pfair<ByGroupDeadline, Rows, Cpus>;

    fn policy(common: &Common, threads: usize, cpus: usize) -> Self::Policy {
        Pfair::new(common.settings.quantum(), threads, cpus)
    }

    fn params(task: &Task) -> Weight {
        weight(task)
    }
}

/// PF.
pub struct Pf;

impl Scheduler for Pf {
    type Policy = Pfair<BySuccessors, Rows, Cpus>;

    fn policy(common: &Common, threads: usize, cpus: usize) -> Self::Policy {
        Pfair::new(common.settings.quantum(), threads, cpus)
    }

    fn params(task: &Task) -> Weight {
        weight(task)
    }
}
