//! What a simulation cannot do.

use flyball_catalogue::{Missing, Unserved};
use flyball_kernel::Error;
use flyball_model::Location;
use flyball_policy::Refused;
use flyball_trace::{Duration, Time};
use std::fmt;

/// Why a simulation did not start, or did not go on. Tasks are named as the user named them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SimError {
    /// The values of the policy's settings do not go together.
    Settings(
        /// Why.
        &'static str,
    ),
    /// The policy has to know something about a task that the task set does not say.
    Missing {
        /// Which task.
        task: String,
        /// What.
        missing: Missing,
        /// Where the task stands.
        location: Location,
    },
    /// There are several CPUs, and it is not said on which one the task runs.
    NoCpu {
        /// Which task.
        task: String,
    },
    /// A task is bound to a CPU that there is not.
    NoSuchCpu {
        /// Which task.
        task: String,
        /// The CPU, from 0.
        cpu: u8,
        /// How many there are.
        cpus: u8,
    },
    /// Tasks on different CPUs share a resource.
    SharedAcrossCpus {
        /// Which resource.
        resource: String,
    },
    /// A task becomes what it cannot become: see [`Modes::impossible`](crate::Modes::impossible).
    Change {
        /// Which task.
        task: String,
    },
    /// The kernel refused a task or a resource when the simulation was set up.
    Refused {
        /// Which task or resource.
        what: String,
        /// Why.
        error: Error,
    },
    /// The policy did not take a task or its parameters.
    NotAdmitted {
        /// Which task.
        task: String,
        /// Why.
        refused: Refused,
    },
    /// The policy does not serve a server beside others.
    Unserved {
        /// The server, or else the task whose own it is: `server "video"`.
        what: String,
        /// Where that stands.
        location: Location,
        /// Why not.
        why: Unserved,
    },
    /// A call of a task failed that should not fail: it signals a semaphore that is at its largest
    /// value.
    Call {
        /// Which task.
        task: String,
        /// When.
        at: Time,
        /// What the kernel said.
        error: Error,
    },
    /// Tasks go on calling the kernel, and no time passes.
    Stuck {
        /// One of the tasks.
        task: String,
        /// When.
        at: Time,
    },
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimError::Settings(why) => write!(f, "the policy's settings: {why}"),
            SimError::Missing { task, missing, .. } => write!(f, "task \"{task}\" {missing}"),
            SimError::NoCpu { task } => write!(
                f,
                "task \"{task}\" is bound to no CPU: partitioned scheduling needs `cpu = …` for each task \
                 (global scheduling does not)"
            ),
            SimError::NoSuchCpu { task, cpu, cpus } => {
                let there_is = match cpus {
                    1 => "there is only CPU 0".to_owned(),
                    _ => format!("there are only CPUs 0 to {}", cpus - 1),
                };
                write!(f, "task \"{task}\" is bound to CPU {cpu}, but {there_is}")
            }
            SimError::SharedAcrossCpus { resource } => write!(
                f,
                "\"{resource}\" is used by tasks on different CPUs, which partitioned scheduling \
                 does not support yet"
            ),
            SimError::Change { task } => write!(
                f,
                "task \"{task}\" cannot change like that: how it arrives, where it is and what happens \
                 when it is late stay, and all of a sporadic task"
            ),
            SimError::Refused { what, error } => write!(f, "\"{what}\": {error}"),
            SimError::Unserved { what, why, .. } => write!(f, "{what}: {}", Why(*why)),
            SimError::NotAdmitted { task, refused } => write!(f, "\"{task}\": {refused}"),
            SimError::Call {
                task,
                at,
                error: Error::Full,
            } => write!(
                f,
                "task \"{task}\" at {at} signals a semaphore that is at its largest value, {}",
                u32::MAX
            ),
            SimError::Call { task, at, error } => write!(f, "task \"{task}\" at {at}: {error}"),
            SimError::Stuck { task, at } => write!(
                f,
                "task \"{task}\" calls the kernel without end at {at}, and no time passes: let it \
                 compute or suspend"
            ),
        }
    }
}

impl std::error::Error for SimError {}

/// Why a server is not served, in words.
struct Why(Unserved);

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reservation, fits) = match self.0 {
            Unserved::Shared => {
                return f.write_str("several tasks name it, and here a server is one task's");
            }
            Unserved::Uncontrolled => {
                return f.write_str(
                    "controllers are to find out what to reserve, `controller = \"thread\"` leaves it to a task to \
                     run them, and no task on this CPU has the step \"control\"",
                );
            }
            Unserved::Overfull { reservation, fits } | Unserved::Overload { reservation, fits } => {
                (reservation, fits)
            }
        };
        let parts = |budget: Duration| u128::from(budget.as_nanos()) * PLACES;
        let period = u128::from(reservation.period.as_nanos().max(1));
        write!(
            f,
            "asks for {} of a CPU, and {} is left",
            Part(parts(reservation.budget).div_ceil(period)),
            Part(parts(fits) / period)
        )?;
        if fits.is_zero() {
            return Ok(());
        }
        write!(f, ": up to {fits} in {} would fit", reservation.period)
    }
}

/// What is shown of a part.
const PLACES: u128 = 10_000;

/// So many ten-thousandths.
struct Part(u128);

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:04}", self.0 / PLACES, self.0 % PLACES)
    }
}
