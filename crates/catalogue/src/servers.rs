//! Servers, by any of their rules.
//!
//! Each task has a server of its own, whose budget is the worst-case execution time and an allowance,
//! in each period and up to the deadline. A task that arrives once runs in the background, by its priority and in
//! turn with its equals.

mod allowance;
mod global;
mod rules;

pub use allowance::Allowance;
pub use global::{Everywhere, GlobalCbs, GlobalRule, GlobalSchedDeadline};
pub use rules::{Deferrable, Linux, Polling, Reclaim};

use crate::facts::{Facts, Missing, Service};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size, Unserved};
use crate::settings::{Configured, Setting, Values};
use core::fmt;
use flyball_policy::order::Level;
use flyball_policy::servers::{
    self, Admission, Inheriting, Mode, Reservation, Rule, Seat, Servers,
};
use flyball_policy::{
    Bitmap, Duration, Encode, FixedPriority, Heap, Nothing, Priority, Ranked, RoundRobin, Storage,
    Time,
};

/// Constant bandwidth servers.
pub type Cbs = OwnServers<servers::ConstantBandwidth>;
/// Linux's `SCHED_DEADLINE`.
pub type SchedDeadline = OwnServers<Linux>;
/// Constant bandwidth servers that use what others leave over.
pub type Grub = OwnServers<Reclaim>;
/// Hard constant bandwidth servers that use what the CPU would idle away.
pub type Iris = OwnServers<servers::Iris>;
/// Total bandwidth servers.
pub type Tbs = OwnServers<servers::TotalBandwidth>;
/// Servers that come again later after jobs of little importance.
pub type Bids = OwnServers<servers::Bids>;
/// Polling servers.
pub type PollingServers = OwnServers<Polling>;
/// Deferrable servers.
pub type DeferrableServers = OwnServers<Deferrable>;
/// Sporadic servers.
pub type SporadicServers = OwnServers<servers::Sporadic>;

/// What runs where no server does: fixed priorities, and round robin among equals.
pub(crate) type Background<S> = Ranked<RoundRobin<FixedPriority>, Bitmap<Level, S>>;

pub(crate) const QUANTUM: Setting = Setting::duration(
    "quantum",
    "how long a time slice is of tasks that arrive once, which run in the background",
    Duration::from_millis(10),
);

pub(crate) fn background<S: Storage>(quantum: Duration, size: Size) -> Background<S> {
    Ranked::new(in_turn(quantum), size.tasks)
}

/// Fixed priorities, and round robin among equals.
const fn in_turn(quantum: Duration) -> RoundRobin<FixedPriority> {
    RoundRobin {
        order: FixedPriority,
        quantum,
    }
}

/// The server that the task names, of one of these modes, or one of its own, whose deadline is no later than the period, so
/// that budgets never overlap.
pub(crate) fn seat(
    task: &Facts,
    allowance: Allowance,
    modes: &[Mode],
) -> Result<Seat<Priority>, Missing> {
    let period = match (task.service, task.period) {
        (Service::Shared(number, reservation), _) => {
            if !modes.contains(&reservation.mode) {
                return Err(Missing::Other(
                    "has a server of a `mode` that there is not under it",
                ));
            }
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
        budget: allowance.budget(task.wcet, deadline),
        deadline,
        ..Reservation::every(period, Duration::ZERO)
    }))
}

/// Whether one of these tasks has the server of this number.
fn is_taken(tasks: &[Facts], number: u16) -> bool {
    let mut tasks = tasks.iter();
    tasks.any(|task| matches!(task.service, Service::Shared(other, _) if other == number))
}

/// The first of the tasks whose server is not admitted beside those of the tasks before.
/// O(tasks²) where tasks share servers.
fn overfull(
    tasks: &[Facts],
    mut admission: Admission,
    seat: impl Fn(&Facts) -> Option<Seat<Priority>>,
) -> Option<(usize, Unserved)> {
    let nothing = Reservation::default();
    let seats = tasks.iter().enumerate();
    for (position, seat) in seats.filter_map(|(position, task)| Some((position, seat(task)?))) {
        let reservation = match seat {
            Seat::Shared(number, _) if is_taken(&tasks[..position], number) => continue,
            Seat::Own(reservation) | Seat::Shared(_, reservation) => reservation,
            Seat::Background(_) => continue,
        };
        if admission.change(&nothing, &reservation).is_err() {
            let fits = admission.left(reservation.period);
            return Some((position, Unserved::Overfull { reservation, fits }));
        }
    }
    None
}

/// The first of the tasks whose server another one has, under policies where it is one task's.
/// O(tasks²) where there are servers.
pub(crate) fn shared(tasks: &[Facts]) -> Option<(usize, Unserved)> {
    let is_second = |&(position, task): &(usize, &Facts)| match task.service {
        Service::Shared(number, _) => is_taken(&tasks[..position], number),
        Service::Own | Service::Background => false,
    };
    let (position, _) = tasks.iter().enumerate().find(is_second)?;
    Some((position, Unserved::Shared))
}

/// A rule of servers as the user knows it.
pub trait ServerRule: Copy + fmt::Debug {
    /// Its name on the command line and in task sets.
    const NAME: &'static str;
    /// Where it was published.
    const SOURCE: &'static str;
    /// What it can be told, with what all rules have.
    const SETTINGS: &'static [Setting] = &[Allowance::JOB, Allowance::INTERRUPTS, QUANTUM];
    /// The rule.
    type Rule: Rule;
    /// What a task set may say of a server.
    const MODES: &'static [Mode] = &[Mode::OfRule, Mode::Hard];
    /// What an image has of it.
    type Encoded: Encode;

    /// The rule with these settings.
    ///
    /// # Errors
    /// Says why the values do not go together.
    fn new(values: &dyn Values) -> Result<Self, &'static str>;

    /// The rule, with nothing done yet.
    fn rule(&self) -> Self::Rule;

    /// How much servers on so many CPUs may ask for.
    fn admission(&self, _cpus: usize) -> Admission {
        Admission::UNLIMITED
    }

    /// For an image.
    fn encoded(&self) -> Self::Encoded;

    /// From an image; `None`: these are no settings.
    fn decoded(encoded: Self::Encoded) -> Option<Self>;
}

/// A server for each task, by this rule.
#[derive(Clone, Copy, Debug)]
pub struct OwnServers<R> {
    /// The rule of the servers.
    pub rule: R,
    /// How much more than its execution time a task's budget is.
    pub allowance: Allowance,
    /// The time slices of tasks in the background.
    pub quantum: Duration,
}

impl<R: ServerRule> Configured for OwnServers<R> {
    const SETTINGS: &'static [Setting] = R::SETTINGS;

    fn new(values: &dyn Values, _: &[Facts]) -> Result<OwnServers<R>, &'static str> {
        Ok(OwnServers {
            rule: R::new(values)?,
            allowance: Allowance::of(values),
            quantum: values.duration("quantum"),
        })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.rule.encoded(), self.allowance, self.quantum).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<OwnServers<R>> {
        let (rule, allowance, quantum) = <(R::Encoded, Allowance, Duration)>::parse(bytes)?;
        let servers = OwnServers {
            rule: R::decoded(rule)?,
            allowance,
            quantum,
        };
        (!quantum.is_zero()).then_some(servers)
    }
}

impl<R: ServerRule> Scheduler for OwnServers<R> {
    const NAME: &'static str = R::NAME;
    const PROFILE: Profile = Profile {
        decision: "O(1): the first task of the first server",
        ..Profile::ranked::<Heap<Time, Nothing>, Time>(R::SOURCE)
    };
    type Params = Seat<Priority>;
    type Policy<S: Storage, C: Storage> = Inheriting<Servers<R::Rule, Background<S>, S>, S>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        let background = background(self.quantum, size);
        let mut servers = Servers::new(self.rule.rule(), background, size.tasks);
        servers.limit(self.rule.admission(size.cpus));
        Inheriting::new(servers)
    }

    fn unserved(&self, tasks: &[Facts], cpus: usize) -> Option<(usize, Unserved)> {
        let seat = |task: &Facts| seat(task, self.allowance, R::MODES).ok();
        overfull(tasks, self.rule.admission(cpus), seat)
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Seat<Priority>, Missing> {
        seat(task, self.allowance, R::MODES)
    }
}
