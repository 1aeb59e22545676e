//! What a study cannot do.

use crate::reason::{Because, Seen};
use flyball_analysis::{Fit, Stop};
use flyball_catalogue::Unserved;
use flyball_model::{ModelError, Place, closest};
use flyball_sim::{Missing, SimError};
use std::fmt;

/// Why there is no study.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StudyError {
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
    NothingFits(Vec<(String, StudyError)>),
    /// A task may run on some CPUs only, and the policy lets tasks run anywhere.
    Affinity {
        /// The task.
        task: String,
    },
    /// Tasks could not be divided among the CPUs.
    NoRoom {
        /// The first task that no CPU has room for, and those that have to be with it, as they
        /// share mutexes, semaphores or queues.
        tasks: Vec<String>,
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
        /// Why the test says what it says.
        analysis: Box<Because>,
        /// What the simulation did.
        simulation: Box<Seen>,
    },
    /// A bench of another crate could not run a trial; what it says.
    Bench(String),
    /// Data that an experiment is compared with cannot be used.
    Data {
        /// The file.
        file: String,
        /// What is wrong with it.
        what: String,
    },
    /// The caller has interrupted the study.
    Interrupted,
}

impl StudyError {
    /// Where the file says what is wrong, if that is known and not part of the text.
    pub fn place(&self) -> Option<Place> {
        match self {
            StudyError::Sim(
                SimError::Unserved { location, .. } | SimError::Missing { location, .. },
            ) => location.0,
            _ => None,
        }
    }

    /// What the user can do about it.
    pub fn remedy(&self) -> Option<&'static str> {
        Some(match self {
            StudyError::Sim(SimError::Missing {
                missing: Missing::Priority,
                ..
            }) => {
                "give each task a `priority = …` (larger is more urgent), or choose another policy"
            }
            StudyError::Sim(SimError::Missing {
                missing: Missing::Group(_),
                ..
            }) => {
                "let tasks share it with others (tasks without one share a group), or choose another `by`"
            }
            StudyError::Sim(SimError::Missing {
                missing: Missing::Row,
                ..
            }) => {
                "add a row and a column to `costs`, or leave it out: then all changes cost the same"
            }
            StudyError::Sim(SimError::NoCpu { .. }) => {
                "add `cpu = …` to the task, or choose a global policy such as g-edf"
            }
            StudyError::Affinity { .. } => {
                "leave out its `cpus`, or choose a partitioned policy such as p-edf, or a global one such as g-edf"
            }
            StudyError::NoRoom { .. } => {
                "try another `--partition`, give tasks a `cpu = …`, or choose a global policy such as g-edf"
            }
            StudyError::Sim(SimError::NoSuchCpu { .. }) => {
                "change the task's `cpu`, or the number of CPUs"
            }
            StudyError::NotMeasured { .. } => {
                "measure them: `flyball overheads --policy … --out FILE`"
            }
            StudyError::Sim(SimError::Unserved { why, .. }) => match why {
                Unserved::Overfull { .. } => {
                    "lower what it asks for, or raise the policy's `limit`"
                }
                Unserved::Overload { .. } => {
                    "shorten its execution time, or choose `edf`, which takes any task"
                }
                Unserved::Uncontrolled => {
                    "add \"control\" to the behaviour of a task that comes every `interval`, or leave `controller` out"
                }
                Unserved::Shared => "give each task a server of its own, or choose another policy",
            },
            StudyError::Sim(SimError::SharedAcrossCpus { .. }) => {
                "bind the tasks that share it to one CPU"
            }
            _ => return None,
        })
    }
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StudyError::Model(error) => error.fmt(f),
            StudyError::Sim(error) => error.fmt(f),
            StudyError::UnknownPolicy { name, known } => {
                write!(f, "there is no policy {name:?}")?;
                if let Some(meant) = closest(name, known.iter().map(String::as_str)) {
                    write!(f, " (did you mean \"{meant}\"?)")?;
                }
                write!(f, "; there are: {}", known.join(", "))
            }
            StudyError::NothingFits(policies) => {
                f.write_str("no policy fits the task set")?;
                for (policy, error) in policies {
                    write!(f, "\n  {policy}: {error}")?;
                }
                Ok(())
            }
            StudyError::Contradiction {
                policy,
                analysis,
                simulation,
            } => write!(
                f,
                "analysis and simulation contradict each other under {policy}: {analysis:?}, but \
                 {simulation:?}. This is a fault in Flyball; please report it with the task set"
            ),
            StudyError::Affinity { task } => write!(
                f,
                "task \"{task}\" may not run on all CPUs, which the policy does not know of"
            ),
            StudyError::NotMeasured { policy, measured } => write!(
                f,
                "the overheads of {policy} were not measured, those of {} were",
                measured.join(", ")
            ),
            StudyError::NoRoom {
                tasks,
                fit,
                cluster,
                stopped,
            } => {
                let place = match cluster {
                    1 => "CPU".to_owned(),
                    _ => format!("cluster of {cluster} CPUs"),
                };
                let tasks = match &tasks[..] {
                    [task] => format!("task \"{task}\""),
                    tasks => format!(
                        "{} together, as they share a mutex, a semaphore or a queue",
                        quoted(tasks)
                    ),
                };
                let fit = fit.name();
                match stopped {
                    None => write!(
                        f,
                        "no {place} has room for {tasks} (tasks were assigned {fit})"
                    ),
                    Some(stop) => write!(
                        f,
                        "no {place} is known to have room for {tasks}, as a test {stop} (tasks were assigned {fit})"
                    ),
                }
            }
            StudyError::Bench(what) => f.write_str(what),
            StudyError::Data { file, what } => write!(f, "{file}: {what}"),
            StudyError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for StudyError {}

impl From<SimError> for StudyError {
    fn from(error: SimError) -> StudyError {
        StudyError::Sim(error)
    }
}

impl From<ModelError> for StudyError {
    fn from(error: ModelError) -> StudyError {
        StudyError::Model(Box::new(error))
    }
}

/// Names as in a sentence.
fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    names.join(", ")
}
