//! Scheduling policies.
//!
//! A policy is a *controller*: it hears what happened (its sensors) and answers one question, which
//! task runs on this CPU and for how long (its actuator). It knows time, tasks, CPUs and its own
//! parameters, and nothing else: no threads, no timers, no hardware, no heap. The same source is
//! simulated, analysed and booted.
//!
//! Most schedulers are an *order* of tasks and a *queue* that keeps the ready ones, combined in one
//! type:
//!
//! ```
//! use flyball_policy::{EarliestDeadline, Heap, Inline, Ranked, Time};
//!
//! // Earliest deadline first on one CPU, for up to 16 tasks. The keys are absolute deadlines.
//! type Edf = Ranked<EarliestDeadline, Heap<Time, Inline<16>>>;
//! let policy = Edf::new(EarliestDeadline, 16);
//! ```
//!
//! | to find | look in |
//! |---|---|
//! | the trait every policy implements, and its vocabulary | [`policy`] |
//! | what makes one task more urgent than another | [`order`] |
//! | how the ready tasks are kept | [`queue`] |
//! | equals ordered by a second key: double-sorted scheduling | [`double_sorted`], [`queue`] |
//! | tasks at the frequencies that their counters ask for: process cruise control | [`cruise`] |
//! | the lowest frequency at which no deadline is missed | [`scaled`] |
//! | what it costs to go from one group of tasks to another | [`costs`] |
//! | order × queue on one CPU | [`ranked`] |
//! | an order that does not change, at the price of fixed priorities | [`by_rank`] |
//! | EDF above rate monotonic priorities, each with its queue: CSD | [`csd`] |
//! | order × queue on several CPUs | [`global`] |
//! | an order on several CPUs, with affinities | [`affine`] |
//! | fairness in every slot of time: PD² and PF | [`pfair`] |
//! | any of these on one CPU without preemption | [`non_preemptive`] |
//! | a scheduler that is a controller: I+PI | [`i_plus_pi`] |
//! | credits for time, which tasks that wait save: Linux 2.0's scheduler | [`linux_2_0`] |
//! | two arrays, time slices and a bonus for sleep: Linux's O(1) scheduler | [`linux_o1`] |
//! | servers with budgets: temporal isolation | [`servers`] |
//! | servers that set themselves, for pipelines | [`proportion_period`] |
//! | a kernel of servers in slots, as published | [`soos`] |
//! | what acts on policies from time to time | [`control`] |
//! | such a controller above I+PI, for several CPUs | [`supervisor`] |
//! | where the jobs of a split task are: semi-partitioned scheduling | [`split_task`] |
//! | settings and parameters as bytes | [`encode`] |
//! | tables that live in place or on a heap, as the user of a policy likes | [`storage`] |
//!
//! **Ties** are broken by one rule everywhere: equal keys are served first in, first out; the
//! running task keeps the CPU until another is *more* urgent; a preempted task goes back ahead of
//! its equals.
#![cfg_attr(
    feature = "small",
    allow(
        clippy::inline_always,
        reason = "found by trying: the compiler guesses otherwise"
    )
)]
#![cfg_attr(not(test), no_std)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod affine;
#[cfg(feature = "alloc")]
mod boxed;
pub mod by_rank;
pub mod control;
pub mod costs;
mod counts;
pub mod cruise;
pub mod csd;
pub mod double_sorted;
pub mod encode;
mod forward;
pub mod global;
mod group;
mod grouping;
pub mod i_plus_pi;
mod linked;
pub mod linux_2_0;
pub mod linux_o1;
mod member;
pub mod non_preemptive;
pub mod order;
pub mod pfair;
pub mod policy;
pub mod proportion_period;
pub mod queue;
pub mod ranked;
mod refused;
mod resched;
pub mod scaled;
pub mod servers;
pub mod soos;
pub mod split_task;
pub mod storage;
pub mod supervisor;
pub mod weighted;

pub use affine::{Affine, Pinned};
#[cfg(feature = "alloc")]
pub use boxed::Boxed;
pub use by_rank::{ByRank, StaticOrder};
pub use control::{Controller, Denied, Plant, Reads};
pub use costs::{BadCosts, Costs, History, Kept, Path, Round, Visits, Weight};
pub use counts::Counts;
pub use cruise::{Cruise, Paced};
pub use double_sorted::{DoubleSorted, Grouped, Sorts, Tune};
pub use encode::Encode;
pub use flyball_trace::{CpuId, Duration, ServerId, Slot, Speed, TaskId, Time};
pub use global::Global;
pub use group::{Group, MOST_GROUPS};
pub use grouping::Grouping;
pub use i_plus_pi::IPlusPi;
pub use linux_2_0::{Linux20, Linux20Rules};
pub use linux_o1::{LinuxClass, LinuxO1, LinuxRules, LinuxTask, LinuxVersion};
pub use non_preemptive::NonPreemptive;
pub use order::{
    Deadline, DeadlineMonotonic, EarliestDeadline, Fifo, FixedPriority, Laxity, LeastLaxity, Order,
    Period, Priority, RateMonotonic, RoundRobin, TimeSlice,
};
pub use pfair::{Pd2, Pf, Pfair};
pub use policy::{
    Budget, CpuSet, Dispatch, Excess, Fill, Parameter, Policy, Ready, Refused, Resched, Reserve,
    Role, Stop, Usage, Wants,
};
pub use proportion_period::ProportionPeriod;
pub use queue::{
    AnyDesign, Bitmap, Breadth, Calendar, Design, End, Flagged, Heap, LooseLists, LooseWalk, Queue,
    Scope, SortedList, SortedRing, StrictLists, StrictWalk, TopTwo, TourLists, Unsorted, Windows,
};
pub use ranked::{FromOrder, Ranked};
pub use scaled::{Scaled, Timed};
pub use soos::Soos;
pub use split_task::{SplitTask, Subtask};
pub use storage::{Inline, Many, Nothing, Storage, Table, UpTo};
pub use supervisor::Supervisor;
pub use weighted::{Weighted, WeightedRoundRobin};
