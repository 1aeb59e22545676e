//! What a policy may read about a task.

use core::fmt;
use flyball_policy::i_plus_pi::Fraction;
use flyball_policy::servers::Reservation;
use flyball_policy::{CpuSet, Duration, Speed};

/// How the jobs of a task arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// A single job.
    Once,
    /// A job every period.
    Periodic,
    /// A job a period after the one before, or later.
    Sporadic,
}

/// What any policy may read about a task. Times are relative: phases to the start of the task set,
/// deadlines to the release of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Facts {
    /// How its jobs arrive.
    pub arrival: Arrival,
    /// The period, or the least time between two releases; `None` for a single job.
    pub period: Option<Duration>,
    /// The instant of the first release.
    pub phase: Duration,
    /// The relative deadline, if there is one.
    pub deadline: Option<Duration>,
    /// The worst-case execution time of a job.
    pub wcet: Duration,
    /// The priority: the larger, the more urgent.
    pub priority: Option<u8>,
    /// The nice value of Linux, from −20, the most urgent, to 19.
    pub nice: Option<i8>,
    /// The part of a CPU that the task asks for, if it says so itself.
    pub share: Option<Fraction>,
    /// What it asks to have reserved, by proportion and period.
    pub reserve: Option<Reserve>,
    /// The relative importance in overload.
    pub importance: Option<u16>,
    /// The CPUs that the task may run on: its processor affinity mask.
    pub affinity: CpuSet,
    /// What gives the task its CPU time, under policies with servers.
    pub service: Service,
    /// Its jobs run the policy's controllers, of policies that leave that to a task.
    pub controls: bool,
    /// To which group the task belongs.
    pub groups: Groups,
    /// The operating point that it is to run at: the one that it says, or else the fastest; `None`:
    /// there are none to choose from.
    pub speed: Option<Speed>,
    /// The operating point that it says itself, if there are any to choose from.
    pub pinned: Option<Speed>,
}

/// What a task asks to have reserved: one of the two at least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserve {
    /// The part of a CPU; more than nothing.
    pub share: Option<Fraction>,
    /// How often it is to get that part; not zero.
    pub period: Option<Duration>,
}

/// To which group a task belongs, in each of three ways. Which of them counts is up to the policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Groups {
    /// The group that the task names by its number; 0 where it names none.
    pub number: u8,
    /// The place of the task's program among those that tasks name, in the order in which they name
    /// them first. Tasks that name none come behind all that do.
    pub program: u16,
    /// The same of the device that the task needs.
    pub device: u16,
}

/// What gives a task its CPU time, under policies with servers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Service {
    /// A server of its own, made from its execution time, period and deadline: there are no others.
    #[default]
    Own,
    /// The server of this number, which it may share with others.
    Shared(u16, Reservation),
    /// None: there are servers, and it names none of them. It runs when no server does.
    Background,
}

impl Facts {
    /// The facts of a periodic task whose deadline is its period, and that says no more.
    pub const fn periodic(period: Duration, wcet: Duration) -> Facts {
        Facts {
            arrival: Arrival::Periodic,
            period: Some(period),
            phase: Duration::ZERO,
            deadline: Some(period),
            wcet,
            priority: None,
            nice: None,
            share: None,
            reserve: None,
            importance: None,
            affinity: CpuSet::ALL,
            service: Service::Own,
            controls: false,
            groups: Groups {
                number: 0,
                program: 0,
                device: 0,
            },
            speed: None,
            pinned: None,
        }
    }

    /// The relative deadline; [`Duration::MAX`], behind all others, where there is none.
    pub fn deadline_or_never(&self) -> Duration {
        self.deadline.unwrap_or(Duration::MAX)
    }

    /// The period; [`Duration::MAX`], behind all others, where there is none.
    pub fn period_or_never(&self) -> Duration {
        self.period.unwrap_or(Duration::MAX)
    }
}

/// Why a policy cannot serve a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// The task has no `priority`.
    Priority,
    /// The task has neither a period nor a separation.
    Period,
    /// The task would be in a ninth group or beyond, by this key.
    Group(&'static str),
    /// The policy's `costs` have no row for the task's group.
    Row,
    /// Another reason, in words that go on after "task "x"".
    Other(&'static str),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Priority => f.write_str("has no `priority`"),
            Missing::Period => f.write_str("has no `period`"),
            Missing::Group(key) => write!(f, "is beyond the eighth group, by its `{key}`"),
            Missing::Row => f.write_str("is in a group for which `costs` has no row"),
            Missing::Other(other) => f.write_str(other),
        }
    }
}

impl core::error::Error for Missing {}

#[cfg(feature = "model")]
impl Facts {
    /// What a task set says about one of its tasks.
    pub fn of(set: &flyball_model::TaskSet, task: &flyball_model::Task) -> Facts {
        let may = |cpu: &u8| task.cpus.as_ref().is_none_or(|cpus| cpus.contains(cpu));
        let share = |share: flyball_model::Share| {
            let all = flyball_model::Share::ONE.millionths();
            Fraction::ratio(share.millionths().into(), all.into())
        };
        Facts {
            arrival: match task.arrival {
                flyball_model::Arrival::Once => Arrival::Once,
                flyball_model::Arrival::Periodic { .. } => Arrival::Periodic,
                flyball_model::Arrival::Sporadic { .. } | flyball_model::Arrival::Event { .. } => {
                    Arrival::Sporadic
                }
            },
            period: task.arrival.period(),
            phase: task.phase,
            deadline: task.deadline,
            wcet: task.wcet,
            priority: task.priority,
            nice: task.nice,
            share: task.share.map(share),
            reserve: task.reserve.map(|reserve| Reserve {
                share: reserve.share.map(share),
                period: reserve.period,
            }),
            importance: task.importance,
            affinity: (0..=CpuSet::LARGEST.0)
                .filter(may)
                .map(flyball_policy::CpuId)
                .fold(CpuSet::EMPTY, CpuSet::with),
            service: match set.server_of(task) {
                Some((number, server)) => Service::Shared(number, reservation(server)),
                None if set.servers.is_empty() => Service::Own,
                None => Service::Background,
            },
            controls: flyball_model::behaviour::count(&task.behaviour, &|step| {
                matches!(step, flyball_model::Step::Control)
            }) > 0,
            groups: Groups {
                number: task.groups.number,
                program: place(task.groups.program, &set.programs),
                device: place(task.groups.device, &set.devices),
            },
            speed: set.platform.speeds.as_ref().map(|speeds| speeds.of(task)),
            pinned: task.speed.filter(|_| set.platform.speeds.is_some()),
        }
    }
}

/// The place itself, or the one behind all these names.
#[cfg(feature = "model")]
fn place(number: Option<u16>, names: &[String]) -> u16 {
    number.unwrap_or_else(|| u16::try_from(names.len()).unwrap_or(u16::MAX))
}

#[cfg(feature = "model")]
fn reservation(server: &flyball_model::Server) -> Reservation {
    use flyball_policy::servers::{Alpha, Mode};
    Reservation {
        budget: server.budget,
        period: server.period,
        deadline: server.deadline,
        mode: match server.mode {
            None => Mode::OfRule,
            Some(flyball_model::ServerMode::Hard) => Mode::Hard,
            Some(flyball_model::ServerMode::Soft) => Mode::Soft,
        },
        alpha: server.alpha.map_or(Alpha::OF_RULE, Alpha::of),
    }
}
