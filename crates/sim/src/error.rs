//! What a simulation cannot do.

use flyball_catalogue::Missing;
use flyball_kernel::Error;
use flyball_policy::Refused;
use flyball_trace::Time;
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
            SimError::Missing { task, missing } => write!(f, "task \"{task}\" {missing}"),
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
