//! The trait that every policy implements.
//!
//! After Leva and Maggio's view of a scheduler as a controller (the thesis behind I+PI builds on
//! it), the pool of tasks is the *plant*. A policy hears of it through its sensors ([`Policy::ready`],
//! [`Policy::stopped`], [`Policy::alarm`]) and acts on it through one actuator, [`Policy::pick`].
//!
//! ```text
//!            admit, adjust, retire
//!                     |
//!   ready  ------>  +--------+
//!   stopped ----->  | policy |  ---- pick ---->  who runs on this CPU, for how long
//!   alarm  ------>  +--------+
//! ```
//!
//! # Contract between a policy and its caller
//!
//! * Between [`Policy::admit`] and [`Policy::retire`] a task is a *member*. All other calls name
//!   members only.
//! * A member is *queued* (ready or running) or not. [`Policy::ready`] queues it; it is not called
//!   for a queued one. [`Policy::stopped`] with [`Stop::Blocked`] or [`Stop::Completed`] takes it
//!   out.
//! * [`Policy::pick`] makes its answer the running task of that CPU until [`Policy::stopped`] is
//!   called for it. Before `pick` is called again for a CPU, the task that runs there has been
//!   stopped, unless it could go on and the policy does not want to know ([`Wants::preempted`]).
//! * Time never goes backwards from call to call.
//! * After a call that returned an [`Resched`], the caller picks again on the CPUs it names; it
//!   may collect several calls (all releases of one instant) before it does.

use core::cmp::Ordering;
use flyball_trace::{CpuId, Duration, TaskId, Time};

pub use crate::refused::{Excess, Parameter, Refused};
pub use crate::resched::{CpuSet, Resched};

/// The CPU of a policy that has one.
pub(crate) const ONLY_CPU: CpuId = CpuId(0);

/// A scheduling policy for the CPUs of one cluster.
pub trait Policy {
    /// What a task tells this policy about itself: a priority, a deadline, a share and its
    /// importance…
    type Params: Copy;

    /// Which sensors and actuators this policy uses. What it does not ask for costs nothing: the
    /// kernel leaves out the code, down to reading the clock.
    const WANTS: Wants;

    /// How many tasks can be members; their ids are below this number.
    fn capacity(&self) -> usize;

    // ---- membership ----------------------------------------------------------------------------

    /// Makes `task` a member. It is not ready yet.
    ///
    /// # Errors
    /// [`Refused`] if the policy has no room, or cannot serve `params`.
    fn admit(&mut self, task: TaskId, params: Self::Params, now: Time) -> Result<(), Refused>;

    /// Gives a member new parameters.
    ///
    /// # Errors
    /// [`Refused`] if it is no member or the policy cannot serve `params`; nothing has changed then.
    fn adjust(&mut self, task: TaskId, params: Self::Params, now: Time)
    -> Result<Resched, Refused>;

    /// Ends the membership of a task that is not queued.
    fn retire(&mut self, task: TaskId, now: Time);

    // ---- sensors -------------------------------------------------------------------------------

    /// `task` can run from now on. `here` is the CPU that the kernel works on: it decides anew before it
    /// goes on, and need not be interrupted for that.
    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched;

    /// `task`, which ran on `cpu`, has stopped after `used`; see [`Stop`] for whether it is still
    /// queued. Also called, with `used` zero, for a queued task that does not run and is taken out
    /// ([`Stop::Blocked`], [`Stop::Completed`]); `cpu` has no meaning then.
    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched;

    /// The instant that [`Policy::next_alarm`] asked for has come.
    fn alarm(&mut self, _now: Time) -> Resched {
        Resched::None
    }

    /// When the policy wants to be called although nothing happens: a budget is replenished, a
    /// server reactivated. Only asked of policies that want it ([`Wants::alarms`]).
    fn next_alarm(&self) -> Option<Time> {
        None
    }

    // ---- actuator ------------------------------------------------------------------------------

    /// Chooses the task that runs on `cpu` from now on; `None`: the CPU idles.
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch>;

    /// `cpu` has just picked, and whoever it let go can run elsewhere now: who has to look? Only asked of
    /// policies that want it ([`Wants::released_cpu`]): those that decide on a CPU for a task while it still runs
    /// on another.
    fn released_cpu(&mut self, _cpu: CpuId) -> Resched {
        Resched::None
    }

    // ---- urgency, for whoever lets tasks wait for each other -----------------------------------

    /// Which of two members is more urgent now: [`Ordering::Less`] if `a` is. A policy that knows
    /// no urgency says [`Ordering::Equal`], and tasks are then served in the order of arrival.
    fn compare(&self, _a: TaskId, _b: TaskId) -> Ordering {
        Ordering::Equal
    }

    /// Priority inheritance: from now on `to` is as urgent as `from`, if that is more urgent than
    /// it is itself; `None` ends this. `from` is not queued. A policy that knows no urgency does
    /// nothing.
    fn inherit(&mut self, _to: TaskId, _from: Option<TaskId>, _now: Time) -> Resched {
        Resched::None
    }
}

/// Which sensors and actuators a policy uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of wishes")]
pub struct Wants {
    /// [`Usage::time`] in [`Policy::stopped`]; otherwise it is zero.
    pub usage: bool,
    /// [`Dispatch::burst`]; otherwise it is ignored.
    pub bursts: bool,
    /// [`Policy::next_alarm`] and [`Policy::alarm`].
    pub alarms: bool,
    /// [`Stop::Preempted`]; otherwise it is not told that it is about to be asked about a task that
    /// could go on.
    pub preempted: bool,
    /// [`Policy::released_cpu`].
    pub released_cpu: bool,
}

impl Wants {
    /// A policy that needs to know who is ready and nothing else.
    pub const NOTHING: Wants = Wants {
        usage: false,
        bursts: false,
        alarms: false,
        preempted: false,
        released_cpu: false,
    };
}

/// Why a task can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ready {
    /// A new job was released.
    Released {
        /// The instant that the job's deadline counts from. With a periodic tick it may lie
        /// before the instant at which the kernel noticed.
        release: Time,
    },
    /// Its job goes on after a wait.
    Unblocked,
}

/// Why a task stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The caller is about to pick again; the task is still queued, and may be picked.
    Preempted,
    /// Its burst has elapsed; it is still queued.
    BurstEnd,
    /// It offered the CPU to its equals; it is still queued.
    Yielded,
    /// It waits for something; it is queued no more.
    Blocked,
    /// Its job is done, or has been given up; it is queued no more.
    Completed,
}

/// What a task used of a CPU since it was picked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Processor time.
    pub time: Duration,
}

/// A policy's choice for one CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dispatch {
    /// Who runs.
    pub task: TaskId,
    /// After how much of the CPU's time at the latest the task is stopped with
    /// [`Stop::BurstEnd`]; `None`: it runs until something happens.
    pub burst: Option<Duration>,
}

impl Usage {
    /// This much processor time.
    pub const fn time(time: Duration) -> Usage {
        Usage { time }
    }
}
