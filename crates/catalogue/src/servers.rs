//! Servers: constant bandwidth, and Linux's `SCHED_DEADLINE`.
//!
//! Each task has a server of its own, whose budget is the worst-case execution time and an allowance,
//! in each period and up to the deadline. A task that arrives once runs in the background, by its priority and in
//! turn with its equals.

use crate::facts::{Facts, Missing, Service};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size};
use crate::settings::{Configured, Setting, Values};
use flyball_policy::order::Level;
use flyball_policy::servers::{self, ConstantBandwidth, Reservation, Seat, Servers};
use flyball_policy::{
    Bitmap, Duration, Encode, FixedPriority, Heap, Nothing, Priority, Ranked, RoundRobin, Storage,
    Time,
};

/// What runs where no server does: fixed priorities, and round robin among equals.
pub(crate) type Background<S> = Ranked<RoundRobin<FixedPriority>, Bitmap<Level, S>>;

pub(crate) const QUANTUM: Setting = Setting::duration(
    "quantum",
    "how long a time slice is of tasks that arrive once, which run in the background",
    Duration::from_millis(10),
);

/// On a machine it is not zero if nothing else is said: a job computes for as long as it says, and
/// then it still has to tell the kernel that it is done.
pub(crate) const ALLOWANCE: Setting = Setting::duration_or_zero(
    "allowance",
    "how much more than its execution time a task's budget is, for work that is charged to its jobs",
    Duration::ZERO,
);

pub(crate) fn background<S: Storage>(quantum: Duration, size: Size) -> Background<S> {
    let order = RoundRobin {
        order: FixedPriority,
        quantum,
    };
    Ranked::new(order, size.tasks)
}

/// The server that the task names, or one of its own, whose deadline is no later than the period, so
/// that budgets never overlap.
pub(crate) fn seat(task: &Facts, allowance: Duration) -> Result<Seat<Priority>, Missing> {
    let period = match (task.service, task.period) {
        (Service::Shared(number, reservation), _) => {
            return Ok(Seat::Shared(number, reservation));
        }
        (Service::Own, Some(period)) => period,
        (Service::Own, None) | (Service::Background, _) => {
            return Ok(Seat::Background(Priority(task.priority.unwrap_or(0))));
        }
    };
    let deadline = period.min(task.deadline_or_never());
    if task.wcet > deadline {
        return Err(Missing::Other("computes for more than its period"));
    }
    Ok(Seat::Own(Reservation {
        budget: (task.wcet + allowance).min(deadline),
        period,
        deadline,
    }))
}

const fn profile(source: &'static str) -> Profile {
    Profile {
        decision: "O(1): the first task of the first server",
        ..Profile::ranked::<Heap<Time, Nothing>, Time>(source)
    }
}

/// A constant bandwidth server for each task.
#[derive(Clone, Copy, Debug)]
pub struct Cbs {
    /// What happens when a budget is used up.
    pub rule: ConstantBandwidth,
    /// How much more than its execution time a task's budget is.
    pub allowance: Duration,
    /// The time slices of tasks in the background.
    pub quantum: Duration,
}

impl Configured for Cbs {
    const SETTINGS: &'static [Setting] = &[
        Setting::choice(
            "mode",
            "a used up budget is replenished at once with a later deadline (soft), or at its \
             deadline (hard)",
            &["soft", "hard"],
        ),
        ALLOWANCE,
        QUANTUM,
    ];

    fn new(values: &dyn Values, _: &[Facts]) -> Result<Cbs, &'static str> {
        let is_hard = values.text("mode") == "hard";
        Ok(Cbs {
            rule: ConstantBandwidth { is_hard },
            allowance: values.duration("allowance"),
            quantum: values.duration("quantum"),
        })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.rule.is_hard, self.allowance, self.quantum).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Cbs> {
        let (is_hard, allowance, quantum) = <(bool, Duration, Duration)>::parse(bytes)?;
        let cbs = Cbs {
            rule: ConstantBandwidth { is_hard },
            allowance,
            quantum,
        };
        (!quantum.is_zero()).then_some(cbs)
    }
}

impl Scheduler for Cbs {
    const NAME: &'static str = "cbs";
    const PROFILE: Profile = profile(
        "Abeni and Buttazzo, \"Integrating multimedia applications in hard real-time systems\", \
         RTSS 1998",
    );
    type Params = Seat<Priority>;
    type Policy<S: Storage, C: Storage> = Servers<ConstantBandwidth, Background<S>, S>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        Servers::new(self.rule, background(self.quantum, size), size.tasks)
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Seat<Priority>, Missing> {
        seat(task, self.allowance)
    }
}

/// Linux's `SCHED_DEADLINE`.
#[derive(Clone, Copy, Debug)]
pub struct SchedDeadline {
    /// How much more than its execution time a task's budget is.
    pub allowance: Duration,
    /// The time slices of tasks in the background.
    pub quantum: Duration,
}

impl Configured for SchedDeadline {
    const SETTINGS: &'static [Setting] = &[ALLOWANCE, QUANTUM];

    fn new(values: &dyn Values, _: &[Facts]) -> Result<SchedDeadline, &'static str> {
        Ok(SchedDeadline {
            allowance: values.duration("allowance"),
            quantum: values.duration("quantum"),
        })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.allowance, self.quantum).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<SchedDeadline> {
        let (allowance, quantum) = <(Duration, Duration)>::parse(bytes)?;
        (!quantum.is_zero()).then_some(SchedDeadline { allowance, quantum })
    }
}

impl Scheduler for SchedDeadline {
    const NAME: &'static str = "sched-deadline";
    const PROFILE: Profile = profile("Linux, Documentation/scheduler/sched-deadline.rst");
    type Params = Seat<Priority>;
    type Policy<S: Storage, C: Storage> = Servers<servers::SchedDeadline, Background<S>, S>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        Servers::new(
            servers::SchedDeadline,
            background(self.quantum, size),
            size.tasks,
        )
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Seat<Priority>, Missing> {
        seat(task, self.allowance)
    }
}
