//! The usual schedulers, ready to be simulated.
//!
//! Threads without a period or a deadline run behind all others where the order is by period or by
//! deadline.

use crate::boxed::Boxed;
use crate::scheduler::{Missing, Scheduler};
use flyball_model::Task;
use flyball_policy::i_plus_pi::{Fraction, Settings, Share};
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, Deadline, DeadlineMonotonic, Duration, EarliestDeadline, Fifo as FifoOrder,
    FixedPriority, Heap, Laxity, LeastLaxity, Period, Priority, Queue, Ranked, RateMonotonic,
    RoundRobin as RoundRobinOrder, Sliced, Time, Uniprocessor,
};
use flyball_policy::{IPlusPi, Order, Policy};

type On<O, Q> = Ranked<O, Q, Uniprocessor>;

/// A task's relative deadline, or one that never comes.
fn deadline(task: &Task) -> Duration {
    task.deadline.unwrap_or(Duration::MAX)
}

fn on<O: Order, Q: Queue<O::Key>>(order: O, capacity: usize) -> On<O, Q> {
    Ranked::new(order, capacity)
}

/// Earliest deadline first.
#[derive(Clone, Copy, Debug)]
pub struct Edf;

impl Scheduler for Edf {
    type Policy = On<EarliestDeadline, Heap<Time, Boxed>>;
    const MEMORYLESS: bool = true;

    fn policy(&self, capacity: usize) -> Self::Policy {
        on(EarliestDeadline, capacity)
    }

    fn params(&self, task: &Task) -> Result<Deadline, Missing> {
        Ok(Deadline(deadline(task)))
    }
}

/// Rate monotonic.
#[derive(Clone, Copy, Debug)]
pub struct Rm;

impl Scheduler for Rm {
    type Policy = On<RateMonotonic, Heap<Duration, Boxed>>;
    const MEMORYLESS: bool = true;

    fn policy(&self, capacity: usize) -> Self::Policy {
        on(RateMonotonic, capacity)
    }

    fn params(&self, task: &Task) -> Result<Period, Missing> {
        Ok(Period(task.arrival.period().unwrap_or(Duration::MAX)))
    }
}

/// Deadline monotonic.
#[derive(Clone, Copy, Debug)]
pub struct Dm;

impl Scheduler for Dm {
    type Policy = On<DeadlineMonotonic, Heap<Duration, Boxed>>;
    const MEMORYLESS: bool = true;

    fn policy(&self, capacity: usize) -> Self::Policy {
        on(DeadlineMonotonic, capacity)
    }

    fn params(&self, task: &Task) -> Result<Deadline, Missing> {
        Ok(Deadline(deadline(task)))
    }
}

fn priority(task: &Task) -> Result<Priority, Missing> {
    task.priority.map(Priority).ok_or(Missing::Priority)
}

/// Fixed priorities; equals are served first in, first out.
#[derive(Clone, Copy, Debug)]
pub struct Fp;

impl Scheduler for Fp {
    type Policy = On<FixedPriority, Bitmap<Level, Boxed>>;
    const MEMORYLESS: bool = true;

    fn policy(&self, capacity: usize) -> Self::Policy {
        on(FixedPriority, capacity)
    }

    fn params(&self, task: &Task) -> Result<Priority, Missing> {
        priority(task)
    }
}

/// Fixed priorities; equals take turns.
#[derive(Clone, Copy, Debug)]
pub struct FpRr {
    /// How long a turn is.
    pub quantum: Duration,
}

impl Scheduler for FpRr {
    type Policy = On<Sliced<FixedPriority>, Bitmap<Level, Boxed>>;
    const MEMORYLESS: bool = true;

    fn policy(&self, capacity: usize) -> Self::Policy {
        on(
            Sliced {
                order: FixedPriority,
                quantum: self.quantum,
            },
            capacity,
        )
    }

    fn params(&self, task: &Task) -> Result<Priority, Missing> {
        priority(task)
    }
}

/// Round robin.
#[derive(Clone, Copy, Debug)]
pub struct Rr {
    /// How long a turn is.
    pub quantum: Duration,
}

impl Scheduler for Rr {
    type Policy = On<RoundRobinOrder, Bitmap<(), Boxed>>;
    const MEMORYLESS: bool = true;

    fn policy(&self, capacity: usize) -> Self::Policy {
        on(
            Sliced {
                order: FifoOrder,
                quantum: self.quantum,
            },
            capacity,
        )
    }

    fn params(&self, _: &Task) -> Result<(), Missing> {
        Ok(())
    }
}

/// First in, first out.
#[derive(Clone, Copy, Debug)]
pub struct Fifo;

impl Scheduler for Fifo {
    type Policy = On<FifoOrder, Bitmap<(), Boxed>>;
    const MEMORYLESS: bool = true;

    fn policy(&self, capacity: usize) -> Self::Policy {
        on(FifoOrder, capacity)
    }

    fn params(&self, _: &Task) -> Result<(), Missing> {
        Ok(())
    }
}

/// Least laxity first.
#[derive(Clone, Copy, Debug)]
pub struct Llf {
    /// How long a job runs before laxities are compared again.
    pub quantum: Duration,
}

impl Scheduler for Llf {
    type Policy = On<LeastLaxity, Heap<Time, Boxed>>;
    const MEMORYLESS: bool = true;

    fn policy(&self, capacity: usize) -> Self::Policy {
        on(
            LeastLaxity {
                quantum: self.quantum,
            },
            capacity,
        )
    }

    fn params(&self, task: &Task) -> Result<<Self::Policy as Policy>::Params, Missing> {
        let deadline = deadline(task);
        Ok(Laxity {
            deadline,
            wcet: task.wcet.min(deadline),
        })
    }
}

/// I+PI.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ipi {
    /// How it works.
    pub settings: Settings,
}

impl Ipi {
    /// What a task tells the policy, wherever it runs. If it does not say what `share` it needs it
    /// needs its utilisation, and if it has a single job 5 %, as the main thread has in the benchmarks
    /// of I+PI's authors.
    pub fn share(task: &Task) -> Share {
        let cpu = match (task.share, task.arrival.period()) {
            (Some(share), _) => Fraction::ratio(
                share.millionths().into(),
                flyball_model::Share::ONE.millionths().into(),
            ),
            (None, Some(period)) => Fraction::ratio(task.wcet.as_nanos(), period.as_nanos()),
            (None, None) => Fraction::percent(5),
        };
        Share {
            cpu,
            importance: task.importance.unwrap_or(1),
            deadline: deadline(task),
            wcet: task.wcet,
        }
    }
}

impl Scheduler for Ipi {
    type Policy = IPlusPi<Boxed>;

    fn policy(&self, capacity: usize) -> Self::Policy {
        IPlusPi::new(self.settings, capacity)
    }

    fn params(&self, task: &Task) -> Result<Share, Missing> {
        Ok(Ipi::share(task))
    }
}
