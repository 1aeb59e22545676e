//! The usual schedulers, ready to be simulated.
//!
//! Threads without a period or a deadline run behind all others where the order is by period or by
//! deadline.

use crate::scheduler::{Missing, Scheduler, Sustainable};
use flyball_model::{Arrival, Task};
use flyball_policy::i_plus_pi::{Fraction, Settings, Share};
use flyball_policy::order::Level;
use flyball_policy::pfair::{ByGroupDeadline, BySuccessors, Pfair, Weight};
use flyball_policy::{
    Affine as AffinePolicy, Bitmap, Boxed, CpuId, CpuSet, Deadline, DeadlineMonotonic, Duration,
    EarliestDeadline, Fifo as FifoOrder, FixedPriority, Global, Heap, Laxity, LeastLaxity, Period,
    Pinned, Priority, Queue, Ranked, RateMonotonic, RoundRobin, Time, Uniprocessor,
};
use flyball_policy::{IPlusPi, Order, Policy};
use std::marker::PhantomData;

type On<O, Q> = Ranked<O, Q, Uniprocessor>;

/// A task's relative deadline, or one that never comes.
fn deadline(task: &Task) -> Duration {
    task.deadline.unwrap_or(Duration::MAX)
}

/// An order of tasks with a queue that suits it. It is a scheduler by itself where each CPU has its own
/// queue, and another one where several CPUs share one ([`Clustered`]).
pub trait Rule {
    /// The order.
    type Order: Order;
    /// What keeps it.
    type Queue: Queue<<Self::Order as Order>::Key>;

    /// What [`Scheduler::SUSTAINABLE`] is on one CPU.
    ///
    /// Rules that give each job one key, for good and at its release, are sustainable in execution
    /// times on any number of CPUs (*predictable*: Ha and Liu, "Validating timing constraints in
    /// multiprocessor and distributed real-time systems", ICDCS 1994). At no instant has a job more
    /// left than in the schedule of longer times: while that is so the jobs that are ready are some
    /// of those that are ready there, and a job that is among the first *m* there is among them here.
    /// Queues keep equals by release and then by number, preempted ones ahead, so that equals have an
    /// order for good, too.
    const SUSTAINABLE: Sustainable = Sustainable::NO;

    /// The order, with its settings.
    fn order(&self) -> Self::Order;

    /// What `task` tells the policy.
    ///
    /// # Errors
    /// As [`Scheduler::params`].
    fn params(&self, task: &Task) -> Result<<Self::Order as Order>::Params, Missing>;
}

macro_rules! on_one_cpu {
    ($($rule:ty),*) => {$(
        impl Scheduler for $rule {
            type Policy = On<<$rule as Rule>::Order, <$rule as Rule>::Queue>;
            const MEMORYLESS: bool = true;
            const SUSTAINABLE: Sustainable = <$rule as Rule>::SUSTAINABLE;

            fn policy(&self, capacity: usize, _: usize) -> Self::Policy {
                Ranked::new(self.order(), capacity)
            }

            fn params(&self, task: &Task) -> Result<<Self::Policy as Policy>::Params, Missing> {
                Rule::params(self, task)
            }
        }
    )*};
}

on_one_cpu!(Edf, Rm, Dm, Fp, FpRr, Rr, Fifo, Llf);

/// The most urgent tasks run, as many as the cluster has CPUs, wherever that is: clustered scheduling, and
/// global scheduling where there is one cluster.
#[derive(Clone, Copy, Debug)]
pub struct Clustered<R> {
    /// Who is urgent.
    pub rule: R,
    /// How many CPUs a cluster has.
    pub cpus: usize,
}

impl<R> Clustered<R> {
    /// One cluster of all CPUs.
    pub fn global(rule: R) -> Clustered<R> {
        Clustered {
            rule,
            cpus: usize::MAX,
        }
    }
}

impl<R: Rule> Scheduler for Clustered<R> {
    type Policy = Global<R::Order, R::Queue, Boxed>;
    const MEMORYLESS: bool = true;
    /// Not in arrivals: two tasks of 1 ms in 2 and 3 ms and one of 6 ms in 7 ms meet their deadlines
    /// under global EDF on two CPUs, and do not where the first one comes every 3 ms.
    const SUSTAINABLE: Sustainable = Sustainable {
        arrivals: false,
        ..R::SUSTAINABLE
    };

    fn cluster(&self) -> usize {
        self.cpus
    }

    fn policy(&self, capacity: usize, cpus: usize) -> Self::Policy {
        Global::new(self.rule.order(), capacity, cpus)
    }

    fn params(&self, task: &Task) -> Result<<R::Order as Order>::Params, Missing> {
        self.rule.params(task)
    }
}

/// The most urgent tasks run wherever they may: global scheduling for tasks that may run on some CPUs only
/// ([`Task::cpus`](flyball_model::Task::cpus)).
#[derive(Clone, Copy, Debug)]
pub struct Affine<R>(
    /// Who is urgent.
    pub R,
);

impl<R: Rule> Scheduler for Affine<R> {
    type Policy = AffinePolicy<R::Order, Boxed, Boxed>;
    const MEMORYLESS: bool = true;
    /// Which jobs run depends on where others run, and not on keys alone.
    const SUSTAINABLE: Sustainable = Sustainable::NO;

    fn cluster(&self) -> usize {
        usize::MAX
    }

    fn policy(&self, capacity: usize, cpus: usize) -> Self::Policy {
        AffinePolicy::new(self.0.order(), capacity, cpus)
    }

    fn params(&self, task: &Task) -> Result<Pinned<<R::Order as Order>::Params>, Missing> {
        let may = |cpu: &u8| task.cpus.as_ref().is_none_or(|cpus| cpus.contains(cpu));
        let cpus = (0..=CpuSet::LARGEST.0).filter(may);
        Ok(Pinned {
            params: self.0.params(task)?,
            cpus: cpus.fold(CpuSet::EMPTY, |cpus, cpu| cpus.with(CpuId(cpu))),
        })
    }
}

/// A rule with another queue than its own. Its schedules are the same; only what it costs is not.
#[derive(Clone, Copy, Debug)]
pub struct Queued<R, Q> {
    rule: R,
    queue: PhantomData<Q>,
}

impl<R, Q> Queued<R, Q> {
    /// The rule, with a queue of this type.
    pub fn new(rule: R) -> Queued<R, Q> {
        Queued {
            rule,
            queue: PhantomData,
        }
    }
}

impl<R: Rule, Q: Queue<<R::Order as Order>::Key>> Rule for Queued<R, Q> {
    type Order = R::Order;
    type Queue = Q;
    const SUSTAINABLE: Sustainable = R::SUSTAINABLE;

    fn order(&self) -> R::Order {
        self.rule.order()
    }

    fn params(&self, task: &Task) -> Result<<R::Order as Order>::Params, Missing> {
        self.rule.params(task)
    }
}

/// Earliest deadline first.
#[derive(Clone, Copy, Debug)]
pub struct Edf;

impl Rule for Edf {
    type Order = EarliestDeadline;
    type Queue = Heap<Time, Boxed>;
    /// In arrivals, since tasks ask for the most in an interval when they begin all at once (Baruah,
    /// Rosier and Howell 1990), and EDF meets all deadlines that can be met.
    const SUSTAINABLE: Sustainable = Sustainable {
        execution: true,
        arrivals: true,
    };

    fn order(&self) -> Self::Order {
        EarliestDeadline
    }

    fn params(&self, task: &Task) -> Result<Deadline, Missing> {
        Ok(Deadline(deadline(task)))
    }
}

/// Rate monotonic.
#[derive(Clone, Copy, Debug)]
pub struct Rm;

impl Rule for Rm {
    type Order = RateMonotonic;
    type Queue = Heap<Duration, Boxed>;
    /// Not in arrivals: of two equals another one comes first where they come apart.
    const SUSTAINABLE: Sustainable = Sustainable::EXECUTION;

    fn order(&self) -> Self::Order {
        RateMonotonic
    }

    fn params(&self, task: &Task) -> Result<Period, Missing> {
        Ok(Period(task.arrival.period().unwrap_or(Duration::MAX)))
    }
}

/// Deadline monotonic.
#[derive(Clone, Copy, Debug)]
pub struct Dm;

impl Rule for Dm {
    type Order = DeadlineMonotonic;
    type Queue = Heap<Duration, Boxed>;
    /// Not in arrivals: of two equals another one comes first where they come apart.
    const SUSTAINABLE: Sustainable = Sustainable::EXECUTION;

    fn order(&self) -> Self::Order {
        DeadlineMonotonic
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

impl Rule for Fp {
    type Order = FixedPriority;
    type Queue = Bitmap<Level, Boxed>;
    /// Not in arrivals: of two equals another one comes first where they come apart.
    const SUSTAINABLE: Sustainable = Sustainable::EXECUTION;

    fn order(&self) -> Self::Order {
        FixedPriority
    }

    fn params(&self, task: &Task) -> Result<Priority, Missing> {
        priority(task)
    }
}

/// Fixed priorities; equals take turns. Not sustainable: when a job has its turns depends on how long
/// its equals compute.
#[derive(Clone, Copy, Debug)]
pub struct FpRr {
    /// How long a turn is.
    pub quantum: Duration,
}

impl Rule for FpRr {
    type Order = RoundRobin<FixedPriority>;
    type Queue = Bitmap<Level, Boxed>;

    fn order(&self) -> Self::Order {
        RoundRobin {
            order: FixedPriority,
            quantum: self.quantum,
        }
    }

    fn params(&self, task: &Task) -> Result<Priority, Missing> {
        priority(task)
    }
}

/// Round robin. Not sustainable: when a job has its turns depends on how long others compute.
#[derive(Clone, Copy, Debug)]
pub struct Rr {
    /// How long a turn is.
    pub quantum: Duration,
}

impl Rule for Rr {
    type Order = RoundRobin<FifoOrder>;
    type Queue = Bitmap<(), Boxed>;

    fn order(&self) -> Self::Order {
        RoundRobin {
            order: FifoOrder,
            quantum: self.quantum,
        }
    }

    fn params(&self, _: &Task) -> Result<(), Missing> {
        Ok(())
    }
}

/// First in, first out.
#[derive(Clone, Copy, Debug)]
pub struct Fifo;

impl Rule for Fifo {
    type Order = FifoOrder;
    type Queue = Bitmap<(), Boxed>;
    /// The key is the instant of the release. Not in arrivals: a job that comes a little later waits
    /// for one more.
    const SUSTAINABLE: Sustainable = Sustainable::EXECUTION;

    fn order(&self) -> Self::Order {
        FifoOrder
    }

    fn params(&self, _: &Task) -> Result<(), Missing> {
        Ok(())
    }
}

/// Least laxity first. Not sustainable: keys change while jobs run, and are compared once a quantum
/// only, counted from when a job was dispatched.
#[derive(Clone, Copy, Debug)]
pub struct Llf {
    /// How long a job runs before laxities are compared again.
    pub quantum: Duration,
}

impl Rule for Llf {
    type Order = LeastLaxity;
    type Queue = Heap<Time, Boxed>;

    fn order(&self) -> Self::Order {
        LeastLaxity {
            quantum: self.quantum,
        }
    }

    fn params(&self, task: &Task) -> Result<Laxity, Missing> {
        let deadline = deadline(task);
        Ok(Laxity {
            deadline,
            wcet: task.wcet.min(deadline),
        })
    }
}

/// PD² on all CPUs. Its proof by theory is one for shorter jobs, too, since PD² is optimal where
/// subtasks are left out (Srinivasan and Anderson, "Optimal rate-based scheduling on multiprocessors",
/// STOC 2002). Sustainability is not claimed: where theory has no proof, execution times are cut into
/// slots of which there are too few.
#[derive(Clone, Copy, Debug)]
pub struct Pd2 {
    /// How long a slot is.
    pub quantum: Duration,
}

/// PF on all CPUs. Of sustainability is true what is true of [`Pd2`].
#[derive(Clone, Copy, Debug)]
pub struct Pf {
    /// How long a slot is.
    pub quantum: Duration,
}

/// A task's weight where slots are this long; one without a period cannot have any. A job that is released
/// within a slot waits for the next one, so it has less time.
fn weight(task: &Task, quantum: Duration) -> Result<Weight, Missing> {
    let period = task.arrival.period().ok_or(Missing::Period)?;
    let time = period.min(deadline(task));
    let whole = quantum * task.wcet.as_nanos().div_ceil(quantum.as_nanos().max(1));
    if whole > time {
        return Err(Missing::Other(
            "computes for more whole slots than it has time for (a shorter `quantum` may do)",
        ));
    }
    Ok(Weight {
        wcet: task.wcet,
        // Who has no time to wait for a slot is served all the same, and may be late.
        period: time.saturating_sub(until_slot(task, quantum)).max(whole),
    })
}

/// The longest time from a release of `task` to the beginning of a slot, of which each is a `quantum`
/// long: zero for a task whose phase and period are whole slots.
pub fn until_slot(task: &Task, quantum: Duration) -> Duration {
    let q = quantum.as_nanos();
    let grain = match task.arrival {
        Arrival::Periodic { period } => gcd(q, gcd(period.as_nanos(), task.phase.as_nanos())),
        Arrival::Sporadic { .. } | Arrival::Once => 1,
    };
    Duration::from_nanos(q.saturating_sub(grain))
}

/// The greatest common divisor; of zero and a number, that number.
fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

impl Scheduler for Pd2 {
    type Policy = Pfair<ByGroupDeadline, Boxed, Boxed>;
    const MEMORYLESS: bool = true;

    fn cluster(&self) -> usize {
        usize::MAX
    }

    fn policy(&self, capacity: usize, cpus: usize) -> Self::Policy {
        Pfair::new(self.quantum, capacity, cpus)
    }

    fn params(&self, task: &Task) -> Result<Weight, Missing> {
        weight(task, self.quantum)
    }
}

impl Scheduler for Pf {
    type Policy = Pfair<BySuccessors, Boxed, Boxed>;
    const MEMORYLESS: bool = true;

    fn cluster(&self) -> usize {
        usize::MAX
    }

    fn policy(&self, capacity: usize, cpus: usize) -> Self::Policy {
        Pfair::new(self.quantum, capacity, cpus)
    }

    fn params(&self, task: &Task) -> Result<Weight, Missing> {
        weight(task, self.quantum)
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

    fn policy(&self, capacity: usize, _: usize) -> Self::Policy {
        IPlusPi::new(self.settings, capacity)
    }

    fn params(&self, task: &Task) -> Result<Share, Missing> {
        Ok(Ipi::share(task))
    }
}
