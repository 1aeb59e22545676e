//! The trait that every policy implements.
//!
//! After Leva and Maggio's view of a scheduler as a controller (the thesis behind I+PI builds on
//! it), the pool of tasks is the *plant*. A policy hears of it through its sensors
//! ([`Policy::ready`], [`Policy::stopped`], [`Policy::alarm`]) and acts on it through one actuator,
//! [`Policy::pick`].
//!
//! ```text
//!            admit, adjust, retire     tune
//!                     |                 |
//!   ready  ------>  +---------------------+
//!   stopped ----->  |       policy        |  ---- pick ---->  which task runs on this CPU,
//!   alarm  ------>  +---------------------+                   and for how long
//! ```
//!
//! # The rule for feedback
//!
//! Every policy has `ready`, `stopped` and `pick`. All else is optional, and is one of three
//! things:
//!
//! * A *sensor* is a method with an empty default ([`Policy::alarm`]) or a field of what a method
//!   is handed ([`Usage::time`]), and a flag of [`Wants`]. Without the flag the method is not
//!   called, and the field is zero.
//! * An *actuator* is a field of [`Dispatch`] ([`Dispatch::burst`]) and a flag. Without the flag
//!   the field is ignored.
//! * A *knob* is [`Policy::adjust`] for one task, or [`Policy::tune`] for the whole policy. It has
//!   no flag: the caller turns it, and is refused where there is none. [`Policy::control`] is one, too: it says when
//!   controllers run that the policy does not run by itself.
//!
//! The kernel reads the flags when it is compiled, so what a policy does not want costs no
//! instruction. To add a sensor or an actuator changes no policy that there is: [`Wants`] is made
//! of its constants, [`Dispatch`] and [`Usage`] by functions, and a method has a default.
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
//! * [`Policy::ended`] is called once for each job that is completed, and not for one that is given
//!   up, just before [`Policy::stopped`] with [`Stop::Completed`].
//! * [`Policy::waits`] is called with the owner just before [`Policy::stopped`] with [`Stop::Blocked`],
//!   or for a task that is blocked already (on a condition variable, whose mutex it has to take
//!   again); again with another one whenever the mutex is handed over and the task goes on waiting;
//!   and with none before [`Policy::ready`], or if its job is given up. Owners that others wait for
//!   are members.
//! * Time never goes backwards from call to call, for a policy that wants it
//!   ([`Wants::clock`]).
//! * After a call that returned a [`Resched`], the caller picks again on the CPUs it names; it
//!   may collect several calls (all releases of one instant) before it does.

use core::cmp::Ordering;
use flyball_trace::{CpuId, Duration, ServerId, Speed, TaskId, Time};

pub use crate::counts::Counts;
pub use crate::refused::{Excess, Parameter, Refused};
pub use crate::resched::{CpuSet, Resched};

/// The CPU of a policy that has one.
pub(crate) const ONLY_CPU: CpuId = CpuId(0);

/// A scheduling policy for the CPUs of one cluster.
pub trait Policy {
    /// What a task tells this policy about itself: a priority, a deadline, a share and its
    /// importance…
    type Params: Copy;

    /// What the user tells the whole policy: a quantum, gains… `()` if there is nothing to tell.
    type Settings;

    /// Which sensors and actuators this policy uses. What it does not ask for costs nothing: the
    /// kernel leaves out the code, down to reading the clock.
    const WANTS: Wants;

    /// How many tasks can be members; their ids are below this number.
    fn capacity(&self) -> usize;

    // ---- membership ----------------------------------------------------------------------------

    /// Makes `task` a member. It is not ready yet.
    ///
    /// # Errors
    /// [`Refused::Full`], [`Refused::Member`]; [`Refused::Invalid`] or [`Refused::Overload`] if the
    /// policy cannot serve `params`.
    fn admit(&mut self, task: TaskId, params: Self::Params, now: Time) -> Result<(), Refused>;

    /// Gives a member new parameters.
    ///
    /// # Errors
    /// [`Refused::NotAdmitted`]; [`Refused::Invalid`] or [`Refused::Overload`] if the policy cannot
    /// serve `params`; [`Refused::Busy`] if it cannot now. Nothing has changed then.
    fn adjust(&mut self, task: TaskId, params: Self::Params, now: Time)
    -> Result<Resched, Refused>;

    /// Gives the whole policy other settings while it runs.
    ///
    /// # Errors
    /// [`Refused::Invalid`], or [`Refused::Fixed`] if the policy keeps those that it was made with
    /// (the default). Nothing has changed then.
    fn tune(&mut self, _settings: Self::Settings, _now: Time) -> Result<Resched, Refused> {
        Err(Refused::Fixed)
    }

    /// Runs the policy's controllers now, where a thread decides when they run. `cpu` is the one that the call is made on.
    /// A policy without controllers, or that runs them at its alarm, does nothing (the default).
    fn control(&mut self, _cpu: CpuId, _now: Time) -> Resched {
        Resched::None
    }

    /// Ends the membership of a task that is not queued.
    fn retire(&mut self, task: TaskId, now: Time);

    // ---- sensors -------------------------------------------------------------------------------

    /// `task` can run from now on. `here` is the CPU that the kernel works on: it decides anew
    /// before it goes on, and need not be interrupted for that.
    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched;

    /// `task`, which ran on `cpu`, has stopped after `used`; see [`Stop`] for whether it is still
    /// queued. Also called, with `used` zero, for a queued task that does not run and is taken out
    /// ([`Stop::Blocked`], [`Stop::Completed`]); `cpu` has no meaning then.
    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched;

    /// The job of `task` is done, and says `result` of itself: a number whose meaning is between the
    /// application and the policy, 0 if it says nothing. Called right before [`Policy::stopped`] with
    /// [`Stop::Completed`], for policies that want it ([`Wants::results`]). A job that is given up
    /// has no result.
    fn ended(&mut self, _task: TaskId, _result: u8, _now: Time) {}

    /// What the processor has counted while `task` ran, since this was last said of it. Called right before
    /// [`Policy::stopped`], for policies that want it ([`Wants::counts`]) and say so ([`Policy::takes_counts`]),
    /// where the kernel keeps counts (`Config::Counts`). All numbers are zero where the processor counts
    /// nothing. A task that is preempted without a [`Policy::stopped`] goes on being counted when it runs again.
    fn counted(&mut self, _cpu: CpuId, _task: TaskId, _counts: &Counts, _now: Time) -> Resched {
        Resched::None
    }

    /// Whether [`Policy::counted`] is called, of a policy that may want that ([`Wants::counts`]). It is
    /// always the same; only one of several policies that share a type says no.
    #[inline]
    fn takes_counts(&self) -> bool {
        Self::WANTS.counts
    }

    /// A queue holds another number of messages than before. Called right after the change, for policies that
    /// want it ([`Wants::levels`]) and say so ([`Policy::takes_levels`]). What follows from it the policy
    /// decides when it is asked anyway.
    fn filled(&mut self, _fill: Fill<'_>, _now: Time) {}

    /// The short way of the same, for a message that goes in or out and that no thread waits for: before that has happened,
    /// and without the time. `false`: nothing is noted, and [`Policy::filled`] is called afterwards.
    fn refilled(&mut self, _fill: Fill<'_>) -> bool {
        false
    }

    /// Whether [`Policy::filled`] is called, of a policy that may want that ([`Wants::levels`]). It is
    /// always the same; only one of several policies that share a type says no.
    #[inline]
    fn takes_levels(&self) -> bool {
        Self::WANTS.levels
    }

    /// The instant that [`Policy::next_alarm`] asked for on `cpu` has come.
    fn alarm(&mut self, _cpu: CpuId, _now: Time) -> Resched {
        Resched::None
    }

    /// When the policy wants to be called on `cpu` although nothing happens: a budget is
    /// replenished, a server reactivated. Only asked of policies that want it ([`Wants::alarms`]).
    /// What one alarm is for, such as a slot of all CPUs, belongs to CPU 0. A call made on another
    /// CPU that changes the alarm of `cpu` returns a [`Resched`] that names `cpu`, unless `cpu` is
    /// CPU 0.
    fn next_alarm(&self, _cpu: CpuId) -> Option<Time> {
        None
    }

    /// Whether there may be an alarm now, and [`Policy::next_alarm`] need be asked. If not, a timer that
    /// was set for an alarm before may stay as it is, and fire for nothing.
    #[inline]
    fn has_alarms(&self) -> bool {
        Self::WANTS.alarms
    }

    /// How many times controllers of the policy have run that run by the clock, modulo 2³²: their work is not that of
    /// a decision.
    fn control_runs(&self) -> u32 {
        0
    }

    // ---- actuator ------------------------------------------------------------------------------

    /// Chooses the task that runs on `cpu` from now on; `None`: the CPU idles.
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch>;

    /// Returns the CPUs that wait for the task which `cpu`, having just picked, runs no more. Only
    /// asked of policies that want it ([`Wants::released_cpu`]): those that decide on a CPU for a
    /// task while it still runs on another.
    fn released_cpu(&mut self, _cpu: CpuId) -> Resched {
        Resched::None
    }

    // ---- servers, for traces and applications --------------------------------------------------

    /// Whether it has servers, of a policy that may have some ([`Wants::budgets`]). It is always the same;
    /// only one of several policies that share a type says no.
    #[inline]
    fn has_budgets(&self) -> bool {
        Self::WANTS.budgets
    }

    /// The server on whose budget `task` runs, or would run if it were picked; `None`: it has none.
    /// Asked of policies that say so ([`Wants::budgets`]).
    fn server_of(&self, _task: TaskId) -> Option<ServerId> {
        None
    }

    /// What a server has at `now`, if it has used this much of the CPU since it was picked, and that is
    /// not known to the policy yet; `None`: there is no such server, or it has not had a budget yet.
    /// O(1). Asked of policies that say so ([`Wants::budgets`]).
    fn budget(&self, _server: ServerId, _used: Duration, _now: Time) -> Option<Budget> {
        None
    }

    // ---- urgency, for mutexes and queues of waiting tasks --------------------------------------

    /// Which of two members is more urgent now: [`Ordering::Less`] if `a` is. A policy that knows
    /// no urgency says [`Ordering::Equal`], and tasks are then served in the order of arrival.
    fn compare(&self, _a: TaskId, _b: TaskId) -> Ordering {
        Ordering::Equal
    }

    /// Priority inheritance: from now on `to` is as urgent as `from`, if that is more urgent than
    /// it is itself; `None` ends this. `from` is not queued. A policy that knows no urgency does
    /// nothing. Not called for a policy that wants [`Policy::waits`] instead.
    fn inherit(&mut self, _to: TaskId, _from: Option<TaskId>, _now: Time) -> Resched {
        Resched::None
    }

    /// Priority ceilings: until [`Policy::inherit`] is called for it the next time, `task` is at least as urgent as a task
    /// with these parameters whose job was released at `since`. For fixed priorities that is a priority; for earliest
    /// deadlines a deadline, `since` and the relative one (the deadline floor of Burns, Gutiérrez, Aldea Rivas and González
    /// Harbour, 2015).
    ///
    /// # Errors
    /// [`Refused::Fixed`] of a policy that knows no such thing, which is what policies do unless they say otherwise;
    /// [`Refused::Invalid`].
    fn raise(
        &mut self,
        _task: TaskId,
        _ceiling: Self::Params,
        _since: Time,
        _now: Time,
    ) -> Result<Resched, Refused> {
        Err(Refused::Fixed)
    }

    /// `task` waits for a mutex with inheritance that `owner` has, and is about to stop, if it has not
    /// stopped yet; `None`: it waits no more. So a policy knows all that wait for a task, at any time, and not only the most
    /// urgent one at the time of a call. Called for policies that want it ([`Wants::waits`]), instead
    /// of [`Policy::inherit`].
    ///
    /// An owner may wait for another one, and with condition variables even, in a ring, for itself.
    fn waits(&mut self, _task: TaskId, _owner: Option<TaskId>, _now: Time) -> Resched {
        Resched::None
    }

    /// Whether [`Policy::waits`] is called, and not [`Policy::inherit`], of a policy that may want
    /// that ([`Wants::waits`]). It is always the same; only one of several policies that share a type
    /// says no.
    #[inline]
    fn takes_waits(&self) -> bool {
        Self::WANTS.waits
    }
}

/// Which sensors and actuators a policy uses. It is made of the constants below:
///
/// ```
/// # use flyball_policy::Wants;
/// const ROTATES: bool = true;
/// const WANTS: Wants = Wants::ALARMS.and(Wants::BURSTS.when(ROTATES));
/// assert!(WANTS.alarms && WANTS.bursts && !WANTS.usage);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of wishes")]
#[non_exhaustive]
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
    /// [`Stop::Preempted`]; otherwise the policy does not hear of a pick while the running task
    /// could go on.
    pub preempted: bool,
    /// [`Policy::released_cpu`].
    pub released_cpu: bool,
    /// [`Policy::ended`].
    pub results: bool,
    /// [`Policy::waits`], instead of [`Policy::inherit`].
    pub waits: bool,
    /// [`Dispatch::speed`]; otherwise it is ignored.
    pub speeds: bool,
    /// [`Policy::counted`].
    pub counts: bool,
    /// [`Policy::filled`].
    pub levels: bool,
    /// Nothing by itself: the policy has servers, and answers [`Policy::server_of`] and
    /// [`Policy::budget`].
    pub budgets: bool,
}

impl Wants {
    /// A policy that needs to know which tasks are ready and nothing else.
    pub const NOTHING: Wants = Wants {
        clock: false,
        usage: false,
        bursts: false,
        alarms: false,
        preempted: false,
        released_cpu: false,
        results: false,
        waits: false,
        speeds: false,
        counts: false,
        levels: false,
        budgets: false,
    };
    /// [`Wants::clock`] alone.
    pub const CLOCK: Wants = Wants {
        clock: true,
        ..Wants::NOTHING
    };
    /// [`Wants::usage`] alone.
    pub const USAGE: Wants = Wants {
        usage: true,
        ..Wants::NOTHING
    };
    /// [`Wants::bursts`] alone.
    pub const BURSTS: Wants = Wants {
        bursts: true,
        ..Wants::NOTHING
    };
    /// [`Wants::alarms`] alone.
    pub const ALARMS: Wants = Wants {
        alarms: true,
        ..Wants::NOTHING
    };
    /// [`Wants::preempted`] alone.
    pub const PREEMPTED: Wants = Wants {
        preempted: true,
        ..Wants::NOTHING
    };
    /// [`Wants::released_cpu`] alone.
    pub const RELEASED_CPU: Wants = Wants {
        released_cpu: true,
        ..Wants::NOTHING
    };
    /// [`Wants::results`] alone.
    pub const RESULTS: Wants = Wants {
        results: true,
        ..Wants::NOTHING
    };
    /// [`Wants::waits`] alone.
    pub const WAITS: Wants = Wants {
        waits: true,
        ..Wants::NOTHING
    };
    /// [`Wants::speeds`] alone.
    pub const SPEEDS: Wants = Wants {
        speeds: true,
        ..Wants::NOTHING
    };
    /// [`Wants::counts`] alone.
    pub const COUNTS: Wants = Wants {
        counts: true,
        ..Wants::NOTHING
    };
    /// [`Wants::levels`] alone.
    pub const LEVELS: Wants = Wants {
        levels: true,
        ..Wants::NOTHING
    };
    /// [`Wants::budgets`] alone.
    pub const BUDGETS: Wants = Wants {
        budgets: true,
        ..Wants::NOTHING
    };

    /// What either of the two wants.
    #[must_use]
    pub const fn and(self, other: Wants) -> Wants {
        Wants {
            clock: self.clock || other.clock,
            usage: self.usage || other.usage,
            bursts: self.bursts || other.bursts,
            alarms: self.alarms || other.alarms,
            preempted: self.preempted || other.preempted,
            released_cpu: self.released_cpu || other.released_cpu,
            results: self.results || other.results,
            waits: self.waits || other.waits,
            speeds: self.speeds || other.speeds,
            counts: self.counts || other.counts,
            levels: self.levels || other.levels,
            budgets: self.budgets || other.budgets,
        }
    }

    /// The same if `wanted`, otherwise nothing.
    #[must_use]
    pub const fn when(self, wanted: bool) -> Wants {
        if wanted { self } else { Wants::NOTHING }
    }
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
#[non_exhaustive]
pub struct Usage {
    /// Processor time.
    pub time: Duration,
}

/// How many messages a queue holds, or what a gauge says, right after that has changed.
#[derive(Debug)]
pub struct Fill<'a> {
    /// A number that the policy keeps with the queue: the kernel makes it 0 with the queue, and does not look at it.
    pub note: &'a mut u16,
    /// How many messages there are.
    pub level: u16,
    /// How many there can be; there may be more where that has just become less.
    pub capacity: u16,
    /// The task that has put messages in, or taken some out; `None`: an interrupt.
    pub by: Option<(TaskId, Role)>,
}

/// What a task does with a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It puts messages in.
    Producer,
    /// It takes messages out.
    Consumer,
}

/// What a server may use of a CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// How much CPU time is left.
    pub left: Duration,
    /// Up to when it counts.
    pub deadline: Time,
    /// How much of what the server has used since it was picked was not charged to it: it had what
    /// others left over.
    pub reclaimed: Duration,
    /// The reservation, of a policy that changes reservations by itself. `None`: it does not.
    pub reserve: Option<Reserve>,
}

/// What a task is entitled to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reserve {
    /// The share of a CPU, in parts of 2⁻²⁸.
    pub share: u32,
    /// In each period the task may use `share` of it.
    pub period: Duration,
    /// The task asks for more: the policy has reduced the share, because the CPU is overloaded.
    pub is_squished: bool,
}

/// A policy's choice for one CPU: `Dispatch::of(task).for_at_most(burst).at(speed)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Dispatch {
    /// The task that runs.
    pub task: TaskId,
    /// After how much of the CPU's time at the latest the task is stopped with
    /// [`Stop::BurstEnd`]; `None`: it runs until something happens.
    pub burst: Option<Duration>,
    /// The operating point at which the CPU is to run; `None`: it stays where it is. While no task
    /// is picked it stays there, too.
    pub speed: Option<Speed>,
}

impl Dispatch {
    /// `task` runs until something happens.
    #[inline]
    pub const fn of(task: TaskId) -> Dispatch {
        Dispatch {
            task,
            burst: None,
            speed: None,
        }
    }

    /// The same, but after `burst` of the CPU's time the task is stopped ([`Stop::BurstEnd`]).
    #[inline]
    #[must_use]
    pub const fn for_at_most(self, burst: Duration) -> Dispatch {
        Dispatch {
            burst: Some(burst),
            ..self
        }
    }

    /// The same, but the CPU is to run at this operating point.
    #[inline]
    #[must_use]
    pub const fn at(self, speed: Speed) -> Dispatch {
        Dispatch {
            speed: Some(speed),
            ..self
        }
    }
}

impl Usage {
    /// This much processor time.
    pub const fn time(time: Duration) -> Usage {
        Usage { time }
    }
}
