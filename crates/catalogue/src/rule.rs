//! Orders of tasks, each with a queue that suits it.
//!
//! Threads without a period or a deadline run behind all others where the order is by period or by
//! deadline.

use crate::facts::{Facts, Missing};
use crate::settings::{Configured, Setting, Values, with_quantum, without_settings};
use crate::sustainable::Sustainable;
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, Deadline, DeadlineMonotonic, Duration, EarliestDeadline, Encode, Fifo as FifoOrder,
    FixedPriority, FromOrder, Laxity, LeastLaxity, Order, Period, Priority, Queue, Ranked,
    RateMonotonic, Storage, Time, Weighted, WeightedRoundRobin,
};

/// An order of tasks with a queue that suits it. It is a [`Scheduler`](crate::Scheduler) by itself,
/// where each CPU has its own queue. Where several CPUs share a queue it is another one: see
/// [`Clustered`](crate::Clustered) and [`Affine`](crate::Affine).
pub trait Rule: Configured {
    /// Its name, as on the command line.
    const NAME: &'static str;
    /// Its name in words.
    const TITLE: &'static str;
    /// The order in a few words.
    const ABOUT: &'static str;
    /// Where it was published: authors, title, place, section. Empty: nothing is said.
    const SOURCE: &'static str = "";

    /// What [`Scheduler::SUSTAINABLE`](crate::Scheduler::SUSTAINABLE) is on one CPU.
    ///
    /// Rules that give each job one key, for good and at its release, are sustainable in execution
    /// times on any number of CPUs (*predictable*: Ha and Liu, "Validating timing constraints in
    /// multiprocessor and distributed real-time systems", ICDCS 1994). At no instant has a job more
    /// left than in the schedule of longer times: while that is so the jobs that are ready are some
    /// of those that are ready there, and a job that is among the first *m* there is among them
    /// here. Queues keep equals by release and then by number, preempted ones ahead, so that equals
    /// have an order for good, too.
    const SUSTAINABLE: Sustainable = Sustainable::NO;

    /// What a task tells the order.
    type Params: Copy + Encode;
    /// The order.
    type Order: Order<Params = Self::Params>;
    /// The queue, with its tables in `S`.
    type Queue<S: Storage>: Queue<<Self::Order as Order>::Key, Storage = S>;
    /// The policy of one CPU, with its tables in `S`: the order with its queue, or what is faster.
    type Policy<S: Storage>: FromOrder<Self::Order>;

    /// Makes the order, with its settings.
    fn order(&self) -> Self::Order;

    /// What a task tells the order.
    ///
    /// # Errors
    /// As [`Scheduler::params`](crate::Scheduler::params).
    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Self::Params, Missing>;
}

/// Earliest deadline first.
#[derive(Clone, Copy, Default, Debug)]
pub struct Edf;
/// Rate monotonic.
#[derive(Clone, Copy, Default, Debug)]
pub struct Rm;
/// Deadline monotonic.
#[derive(Clone, Copy, Default, Debug)]
pub struct Dm;
/// Fixed priorities; equals are served first in, first out.
#[derive(Clone, Copy, Default, Debug)]
pub struct Fp;
/// First in, first out.
#[derive(Clone, Copy, Default, Debug)]
pub struct Fifo;

/// Fixed priorities; equals have time slices, but for tasks that say they have none. Not sustainable:
/// when a job has its time slices depends on how long its equals compute.
#[derive(Clone, Copy, Debug)]
pub struct FpRr {
    /// The length of a time slice, where a task does not say another.
    pub quantum: Duration,
}

/// Round robin. Not sustainable: when a job has its time slices depends on how long others compute.
#[derive(Clone, Copy, Debug)]
pub struct Rr {
    /// The length of a time slice, where a task does not say another.
    pub quantum: Duration,
}

/// Least laxity first. Not sustainable: keys change while jobs run, and are compared once a quantum
/// only, counted from when a job was dispatched.
#[derive(Clone, Copy, Debug)]
pub struct Llf {
    /// How long a job runs before laxities are compared again.
    pub quantum: Duration,
}

without_settings!(Edf, Rm, Dm, Fp, Fifo);
/// What a task can say of its time slices.
pub(crate) const TIME_SLICES: &[Setting] = &[Setting::optional_duration(
    "quantum",
    "how long a time slice of the task is; \"0\": it has none, and runs until it waits, as with \
     SCHED_FIFO",
    "as the policy's quantum",
)];

/// How long the time slices of a task are whose table has these values, under a policy with this
/// quantum.
pub(crate) fn time_slice(values: &dyn Values, quantum: Duration) -> Duration {
    match values.optional_duration("quantum") {
        None => quantum,
        Some(Duration::ZERO) => Weighted::<()>::ENDLESS,
        Some(own) => own,
    }
}

with_quantum! {
    FpRr: "how long a time slice is", 10, TIME_SLICES;
    Rr: "how long a time slice is", 10, TIME_SLICES;
    Llf: "how long a job runs before laxities are compared again", 1;
}

impl Rule for Edf {
    const NAME: &'static str = "edf";
    const TITLE: &'static str = "Earliest deadline first";
    const ABOUT: &'static str = "the nearest absolute deadline first";
    const SOURCE: &'static str = "Liu and Layland, \"Scheduling algorithms for multiprogramming in \
                                  a hard-real-time environment\", JACM 20(1), 1973, section 7";
    /// In arrivals, since tasks ask for the most in an interval when they begin all at once
    /// (Baruah, Rosier and Howell 1990), and EDF meets all deadlines that can be met.
    const SUSTAINABLE: Sustainable = Sustainable {
        execution: true,
        arrivals: true,
    };
    type Params = Deadline;
    type Order = EarliestDeadline;
    type Queue<S: Storage> = S::Sorted<Time>;
    type Policy<S: Storage> = Ranked<Self::Order, Self::Queue<S>>;

    fn order(&self) -> EarliestDeadline {
        EarliestDeadline
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Deadline, Missing> {
        Ok(Deadline(task.deadline_or_never()))
    }
}

impl Rule for Rm {
    const NAME: &'static str = "rm";
    const TITLE: &'static str = "Rate monotonic";
    const ABOUT: &'static str = "the shortest period first";
    const SOURCE: &'static str = "Liu and Layland, \"Scheduling algorithms for multiprogramming in \
                                  a hard-real-time environment\", JACM 20(1), 1973, section 4";
    /// Not in arrivals: of two equals another one comes first where they come apart.
    const SUSTAINABLE: Sustainable = Sustainable::EXECUTION;
    type Params = Period;
    type Order = RateMonotonic;
    type Queue<S: Storage> = S::Sorted<Duration>;
    type Policy<S: Storage> = S::Static<Self::Order>;

    fn order(&self) -> RateMonotonic {
        RateMonotonic
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Period, Missing> {
        Ok(Period(task.period_or_never()))
    }
}

impl Rule for Dm {
    const NAME: &'static str = "dm";
    const TITLE: &'static str = "Deadline monotonic";
    const ABOUT: &'static str = "the shortest relative deadline first";
    const SOURCE: &'static str = "Leung and Whitehead, \"On the complexity of fixed-priority \
                                  scheduling of periodic, real-time tasks\", Performance \
                                  Evaluation 2(4), 1982";
    /// Not in arrivals: of two equals another one comes first where they come apart.
    const SUSTAINABLE: Sustainable = Sustainable::EXECUTION;
    type Params = Deadline;
    type Order = DeadlineMonotonic;
    type Queue<S: Storage> = S::Sorted<Duration>;
    type Policy<S: Storage> = S::Static<Self::Order>;

    fn order(&self) -> DeadlineMonotonic {
        DeadlineMonotonic
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Deadline, Missing> {
        Ok(Deadline(task.deadline_or_never()))
    }
}

pub(crate) fn priority(task: &Facts) -> Result<Priority, Missing> {
    task.priority.map(Priority).ok_or(Missing::Priority)
}

impl Rule for Fp {
    const NAME: &'static str = "fp";
    const TITLE: &'static str = "Fixed priorities";
    const ABOUT: &'static str = "the largest `priority` first";
    const SOURCE: &'static str = "POSIX.1-2017, System Interfaces, section 2.8.4, SCHED_FIFO";
    /// Not in arrivals: of two equals another one comes first where they come apart.
    const SUSTAINABLE: Sustainable = Sustainable::EXECUTION;
    type Params = Priority;
    type Order = FixedPriority;
    type Queue<S: Storage> = Bitmap<Level, S>;
    type Policy<S: Storage> = Ranked<Self::Order, Self::Queue<S>>;

    fn order(&self) -> FixedPriority {
        FixedPriority
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Priority, Missing> {
        priority(task)
    }
}

impl Rule for FpRr {
    const NAME: &'static str = "fp-rr";
    const TITLE: &'static str = "Fixed priorities, round robin among equals";
    const ABOUT: &'static str = "the largest `priority` first; equals take turns, as with SCHED_RR";
    const SOURCE: &'static str = "POSIX.1-2017, System Interfaces, section 2.8.4, SCHED_RR";
    type Params = Weighted<Priority>;
    type Order = WeightedRoundRobin<FixedPriority>;
    type Queue<S: Storage> = Bitmap<Level, S>;
    type Policy<S: Storage> = Ranked<Self::Order, Self::Queue<S>>;

    fn order(&self) -> WeightedRoundRobin<FixedPriority> {
        WeightedRoundRobin {
            order: FixedPriority,
        }
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Weighted<Priority>, Missing> {
        Ok(Weighted {
            params: priority(task)?,
            quantum: time_slice(values, self.quantum),
        })
    }
}

impl Rule for Rr {
    const NAME: &'static str = "rr";
    const TITLE: &'static str = "Round robin";
    const ABOUT: &'static str = "all tasks take turns";
    const SOURCE: &'static str = "Coffman and Kleinrock, \"Computer scheduling methods and their \
                                  countermeasures\", AFIPS Spring Joint Computer Conference, 1968";
    type Params = Weighted<()>;
    type Order = WeightedRoundRobin<FifoOrder>;
    type Queue<S: Storage> = Bitmap<(), S, 1>;
    type Policy<S: Storage> = Ranked<Self::Order, Self::Queue<S>>;

    fn order(&self) -> WeightedRoundRobin<FifoOrder> {
        WeightedRoundRobin { order: FifoOrder }
    }

    fn params(&self, _: &Facts, values: &dyn Values) -> Result<Weighted<()>, Missing> {
        Ok(Weighted {
            params: (),
            quantum: time_slice(values, self.quantum),
        })
    }
}

impl Rule for Fifo {
    const NAME: &'static str = "fifo";
    const TITLE: &'static str = "First in, first out";
    const ABOUT: &'static str = "the task that became ready first, to its end";
    const SOURCE: &'static str = "Coffman and Kleinrock, \"Computer scheduling methods and their \
                                  countermeasures\", AFIPS Spring Joint Computer Conference, 1968";
    /// The key is the instant of the release. Not in arrivals: a job that comes a little later
    /// waits for one more.
    const SUSTAINABLE: Sustainable = Sustainable::EXECUTION;
    type Params = ();
    type Order = FifoOrder;
    type Queue<S: Storage> = Bitmap<(), S, 1>;
    type Policy<S: Storage> = Ranked<Self::Order, Self::Queue<S>>;

    fn order(&self) -> FifoOrder {
        FifoOrder
    }

    fn params(&self, _: &Facts, _: &dyn Values) -> Result<(), Missing> {
        Ok(())
    }
}

impl Rule for Llf {
    const NAME: &'static str = "llf";
    const TITLE: &'static str = "Least laxity first";
    const ABOUT: &'static str =
        "the job that could wait the shortest time, compared once a quantum";
    const SOURCE: &'static str = "Mok, \"Fundamental design problems of distributed systems for the \
                                  hard-real-time environment\", PhD thesis, MIT, 1983";
    type Params = Laxity;
    type Order = LeastLaxity;
    type Queue<S: Storage> = S::Sorted<Time>;
    type Policy<S: Storage> = Ranked<Self::Order, Self::Queue<S>>;

    fn order(&self) -> LeastLaxity {
        LeastLaxity {
            quantum: self.quantum,
        }
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Laxity, Missing> {
        let deadline = task.deadline_or_never();
        Ok(Laxity {
            deadline,
            wcet: task.wcet.min(deadline),
        })
    }
}
