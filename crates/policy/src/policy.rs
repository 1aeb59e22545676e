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
//! * Time never goes backwards from call to call, for a policy that wants it ([`Wants::clock`]).
//! * After a call that returned an [`Resched`], the caller picks again on the CPUs it names; it
//!   may collect several calls (all releases of one instant) before it does.

use core::cmp::Ordering;
use core::fmt;
use flyball_trace::{CpuId, Duration, TaskId, Time};

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
    /// The time, in every call. Otherwise `now` may be anything, [`Time::ZERO`] above all, wherever
    /// the application does without accounting and a trace: the clock is not read then.
    pub clock: bool,
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
        clock: false,
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

/// Which CPUs have to pick again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use = "the CPUs it names have to pick again"]
pub enum Resched {
    /// None.
    #[default]
    None,
    /// This one.
    One(CpuId),
    /// All of these.
    Many(CpuSet),
}

/// A set of CPUs of one cluster, up to number 127.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CpuSet(u128);

/// Why a policy does not take a task or its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// It has no room for a task with this id.
    Full,
    /// The task is a member already.
    Member,
    /// The task is no member.
    NotAdmitted,
    /// The parameters make no sense for this policy, or ask for more than it can give.
    Invalid,
}

impl Usage {
    /// This much processor time.
    pub const fn time(time: Duration) -> Usage {
        Usage { time }
    }
}

impl Resched {
    /// Whether `cpu` has to pick again.
    pub fn includes(self, cpu: CpuId) -> bool {
        match self {
            Resched::None => false,
            Resched::One(one) => one == cpu,
            Resched::Many(set) => set.contains(cpu),
        }
    }

    /// All CPUs that either of the two names.
    pub fn and(self, other: Resched) -> Resched {
        match (self, other) {
            (Resched::None, rest) | (rest, Resched::None) => rest,
            (a, b) if a == b => a,
            (a, b) => Resched::Many(a.set().union(b.set())),
        }
    }

    fn set(self) -> CpuSet {
        match self {
            Resched::None => CpuSet::EMPTY,
            Resched::One(cpu) => CpuSet::EMPTY.with(cpu),
            Resched::Many(set) => set,
        }
    }
}

impl CpuSet {
    /// No CPU.
    pub const EMPTY: CpuSet = CpuSet(0);
    /// The largest CPU number that fits.
    pub const LARGEST: CpuId = CpuId(127);
    /// All CPUs that fit.
    pub const ALL: CpuSet = CpuSet(u128::MAX);

    /// The set as a number: bit `n` is CPU `n`.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The set that [`CpuSet::bits`] makes this of.
    pub const fn from_bits(bits: u128) -> CpuSet {
        CpuSet(bits)
    }

    /// This set and `cpu`, which has to be at most [`CpuSet::LARGEST`].
    #[must_use]
    pub fn with(self, cpu: CpuId) -> CpuSet {
        debug_assert!(cpu <= CpuSet::LARGEST);
        CpuSet(self.0 | 1_u128.checked_shl(u32::from(cpu.0)).unwrap_or(0))
    }

    /// This set without `cpu`.
    #[must_use]
    pub fn without(self, cpu: CpuId) -> CpuSet {
        CpuSet(self.0 & !CpuSet::EMPTY.with(cpu).0)
    }

    /// The CPUs in either set.
    #[must_use]
    pub fn union(self, other: CpuSet) -> CpuSet {
        CpuSet(self.0 | other.0)
    }

    /// Whether `cpu` is in the set.
    pub fn contains(self, cpu: CpuId) -> bool {
        self.0
            .checked_shr(u32::from(cpu.0))
            .is_some_and(|bits| bits & 1 == 1)
    }

    /// Whether no CPU is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The first CPU in the set from `cpu` on.
    #[inline]
    pub fn first_from(self, cpu: CpuId) -> Option<CpuId> {
        let rest = self.0.checked_shr(u32::from(cpu.0))?;
        let ahead = u8::try_from(rest.trailing_zeros()).ok()?;
        (rest != 0).then(|| CpuId(cpu.0 + ahead))
    }

    /// The CPUs in the set, by rising number.
    pub fn iter(self) -> impl Iterator<Item = CpuId> {
        let mut bits = self.0;
        core::iter::from_fn(move || {
            let cpu = u8::try_from(bits.trailing_zeros())
                .ok()
                .filter(|_| bits != 0)?;
            bits &= bits - 1;
            Some(CpuId(cpu))
        })
    }
}

impl Refused {
    /// Why, in words.
    pub const fn text(self) -> &'static str {
        match self {
            Refused::Full => "the policy has no room for another task",
            Refused::Member => "the task is scheduled by the policy already",
            Refused::NotAdmitted => "the task is not scheduled by the policy",
            Refused::Invalid => "the policy cannot serve a task with these parameters",
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl core::error::Error for Refused {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attention_adds_up() {
        let zero = Resched::One(CpuId(0));
        assert_eq!(Resched::None.and(zero), zero);
        assert_eq!(zero.and(zero), zero);
        let both = zero.and(Resched::One(CpuId(127)));
        assert!(both.includes(CpuId(0)) && both.includes(CpuId(127)) && !both.includes(CpuId(1)));
        let Resched::Many(set) = both else {
            panic!("two CPUs are many")
        };
        assert_eq!(set.iter().collect::<Vec<_>>(), [CpuId(0), CpuId(127)]);
        assert!(!set.contains(CpuId(128)));
        let from = |cpu| set.first_from(CpuId(cpu));
        assert_eq!([from(0), from(1)], [Some(CpuId(0)), Some(CpuId(127))]);
        assert_eq!([from(127), from(128)], [Some(CpuId(127)), None]);
        assert_eq!(CpuSet::EMPTY.first_from(CpuId(0)), None);
        assert!(CpuSet::EMPTY.is_empty() && !set.is_empty());
        assert_eq!(set.bits(), 1 | 1 << 127);
        assert_eq!(CpuSet::from_bits(set.bits()), set);
        assert_eq!(CpuSet::ALL.iter().count(), 128);
    }
}
