//! What a study cannot do.

use flyball_analysis::{Fit, Stop};
use flyball_model::ModelError;
use flyball_sim::{Missing, SimError};
use std::fmt;

/// Why there is no study.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LabError {
    /// Something is wrong with the task set's file.
    Model(Box<ModelError>),
    /// The simulation cannot be made.
    Sim(SimError),
    /// There is no policy of that name.
    UnknownPolicy {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// None of the policies that were asked for fits the task set; why each does not.
    NothingFits(Vec<(String, LabError)>),
    /// A task may run on some CPUs only, and the policy lets tasks run anywhere.
    Affinity {
        /// The task.
        task: String,
    },
    /// Tasks could not be divided among the CPUs.
    NoRoom {
        /// The first task that no CPU has room for.
        task: String,
        /// Which CPU was to be taken.
        fit: Fit,
        /// How many CPUs share a kernel.
        cluster: u8,
        /// Why a test of a CPU stopped, if one did: then there may be room.
        stopped: Option<Stop>,
    },
    /// The overheads that are to be charged were not measured for the policy.
    NotMeasured {
        /// The policy.
        policy: String,
        /// The policies for which they were.
        measured: Vec<String>,
    },
    /// An exact test says one thing and the simulation another. One of the two is wrong, so
    /// neither is to be believed.
    Contradiction {
        /// The policy.
        policy: String,
        /// What the test says.
        analysis: String,
        /// What the simulation did.
        simulation: String,
    },
    /// A bench of somebody else's could not run a trial; what it says.
    Bench(String),
    /// Data that an experiment is compared with cannot be used.
    Data {
        /// The file.
        file: String,
        /// What is wrong with it.
        what: String,
    },
    /// Whoever asked wanted no more.
    Interrupted,
}

impl LabError {
    /// What the user can do about it.
    pub fn remedy(&self) -> Option<&'static str> {
        Some(match self {
            LabError::Sim(SimError::Missing {
                missing: Missing::Priority,
                ..
            }) => {
                "give each task a `priority = …` (larger is more urgent), or choose another policy"
            }
            LabError::Sim(SimError::NoCpu { .. }) => {
                "add `cpu = …` to the task, or choose a global policy such as g-edf"
            }
            LabError::Affinity { .. } => {
                "leave out its `cpus`, or choose a partitioned policy such as p-edf, or a global one such as g-edf"
            }
            LabError::NoRoom { .. } => {
                "try another `--partition`, give tasks a `cpu = …`, or choose a global policy such as g-edf"
            }
            LabError::Sim(SimError::NoSuchCpu { .. }) => {
                "change the task's `cpu`, or the number of CPUs"
            }
            LabError::NotMeasured { .. } => {
                "measure them: `flyball overheads --policy … --out FILE`"
            }
            LabError::Sim(SimError::SharedAcrossCpus { .. }) => {
                "bind the tasks that share it to one CPU"
            }
            _ => return None,
        })
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabError::Model(error) => error.fmt(f),
            LabError::Sim(error) => error.fmt(f),
            LabError::UnknownPolicy { name, known } => {
                write!(
                    f,
                    "there is no policy \"{name}\"; there are: {}",
                    known.join(", ")
                )
            }
            LabError::NothingFits(policies) => {
                f.write_str("no policy fits the task set")?;
                for (policy, error) in policies {
                    write!(f, "\n  {policy}: {error}")?;
                }
                Ok(())
            }
            LabError::Contradiction {
                policy,
                analysis,
                simulation,
            } => write!(
                f,
                "analysis and simulation contradict each other under {policy}: {analysis}, but \
                 {simulation}. This is a fault in Flyball; please report it with the task set"
            ),
            LabError::Affinity { task } => write!(
                f,
                "task \"{task}\" may not run on all CPUs, which the policy does not know of"
            ),
            LabError::NotMeasured { policy, measured } => write!(
                f,
                "the overheads of {policy} were not measured, those of {} were",
                measured.join(", ")
            ),
            LabError::NoRoom {
                task,
                fit,
                cluster,
                stopped,
            } => {
                let place = match cluster {
                    1 => "CPU".to_owned(),
                    _ => format!("cluster of {cluster} CPUs"),
                };
                let fit = fit.name();
                match stopped {
                    None => write!(
                        f,
                        "no {place} has room for task \"{task}\" (tasks were assigned {fit})"
                    ),
                    Some(stop) => write!(
                        f,
                        "no {place} is known to have room for task \"{task}\", as a test {stop} (tasks were assigned {fit})"
                    ),
                }
            }
            LabError::Bench(what) => f.write_str(what),
            LabError::Data { file, what } => write!(f, "{file}: {what}"),
            LabError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for LabError {}

impl From<SimError> for LabError {
    fn from(error: SimError) -> LabError {
        LabError::Sim(error)
    }
}

impl From<ModelError> for LabError {
    fn from(error: ModelError) -> LabError {
        LabError::Model(Box::new(error))
    }
}
