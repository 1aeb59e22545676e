//! Why a task set cannot be run on a machine.

use crate::Fault;
use crate::application::ApplicationError;
use crate::fault::FaultError;
use crate::program::declared::NoTaskSet;
use crate::recording::ReadError;
use flyball_catalogue::Missing;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a task set cannot be run on a machine.
#[derive(Debug)]
pub enum BoardError {
    /// The task set has something that the machine cannot do yet.
    Unsupported {
        /// The machine's name.
        machine: &'static str,
        /// Which task has it; `None`: the set as a whole.
        task: Option<String>,
        /// What it is.
        what: String,
    },
    /// The task set has more of something than the machine can hold.
    TooMany {
        /// The machine's name.
        machine: &'static str,
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// The task set with all its random numbers does not fit into the board's memory.
    TooLarge {
        /// How many bytes there may be.
        most: usize,
    },
    /// There is no image for the policy.
    NoImage {
        /// The machine's name.
        machine: &'static str,
        /// The policy.
        policy: String,
        /// Those that there are images for.
        known: Vec<&'static str>,
    },
    /// A task does not say what the policy has to know.
    Missing {
        /// The task.
        task: String,
        /// What it does not say.
        missing: Missing,
    },
    /// Flyball's sources are not where they should be.
    NoSources {
        /// Where they should be.
        folder: PathBuf,
        /// What says so.
        said_by: &'static str,
        /// What is not there.
        missing: &'static str,
    },
    /// An application cannot be run.
    Application(ApplicationError),
    /// A program is missing: the emulator, or cargo.
    NoProgram(&'static str),
    /// The Rust tool chain cannot build for the machine.
    NoTriple(&'static str),
    /// The image cannot be built; what cargo said.
    Build(String),
    /// The image cannot be read; why.
    Image(String),
    /// What a program says of its threads is no task set.
    NoTaskSet(NoTaskSet),
    /// A program has a kernel that does not record what happens.
    NoRecorder {
        /// The policy's name, if it is known.
        policy: Option<String>,
    },
    /// The image has not counted anything.
    NoCounts,
    /// The image has not said what its supervisor sees.
    NoObservations,
    /// The image says what is wrong.
    Board(String),
    /// The emulator ended without a trace; how, and what it said.
    Emulator {
        /// Its name.
        program: &'static str,
        /// How it ended.
        status: String,
        /// What it said.
        said: String,
    },
    /// The board cannot run for so long.
    TooFar {
        /// The machine's name.
        machine: &'static str,
        /// How long it was to run.
        until: flyball_trace::Duration,
        /// How long it can.
        most: flyball_trace::Duration,
    },
    /// The emulator ran for too long.
    TooLong(Duration),
    /// The trace is not what it should be.
    Trace(ReadError),
    /// The report of a fault is not what it should be.
    Report(FaultError),
    /// A task did what no task may, and the whole schedule was wanted.
    Fault {
        /// The task's name; `None`: it was the board itself.
        task: Option<String>,
        /// What it did.
        fault: Box<Fault>,
    },
    /// Something that any computer can do was refused.
    Host {
        /// What.
        what: &'static str,
        /// Why.
        error: io::Error,
    },
    /// The caller has interrupted the run.
    Interrupted,
}

impl BoardError {
    /// What the user can do about it.
    pub fn remedy(&self) -> Option<String> {
        Some(match self {
            BoardError::Unsupported { .. } | BoardError::TooMany { .. } => {
                "`flyball simulate` takes the same task set".into()
            }
            BoardError::TooLarge { .. } => {
                "run it for a shorter time: `--until 100ms`; it is random lengths and releases that \
                 take memory"
                    .into()
            }
            BoardError::NoImage { known, .. } => {
                format!(
                    "there are images for: {}; a policy of one's own says where its source is",
                    known.join(", ")
                )
            }
            BoardError::NoRecorder { policy } => {
                let policy = policy.as_ref().map(|name| format!("-{name}"));
                format!(
                    "link it with -specs=PREFIX/lib/flyball{}-traced.specs",
                    policy.unwrap_or_default()
                )
            }
            BoardError::NoTaskSet(error) => return error.remedy().map(str::to_owned),
            BoardError::NoSources { .. } => crate::sources::REMEDY.into(),
            BoardError::Application(error) => return error.remedy().map(str::to_owned),
            BoardError::NoProgram("cargo") => {
                "install Rust (https://rustup.rs): it builds the image".into()
            }
            BoardError::NoProgram("qemu-system-riscv64") => {
                "sudo apt-get install qemu-system-misc (qemu-system-riscv in newer distributions)"
                    .into()
            }
            BoardError::NoProgram(program) => format!("sudo apt-get install {program}"),
            BoardError::NoTriple(triple) => format!("rustup target add {triple}"),
            BoardError::TooLong(_) | BoardError::TooFar { .. } => {
                "run it for a shorter time: `--until 100ms`".into()
            }
            _ => return None,
        })
    }
}

impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardError::Unsupported {
                machine,
                task,
                what,
            } => {
                if let Some(task) = task {
                    write!(f, "task \"{task}\": ")?;
                }
                write!(f, "{what} on machine {machine} yet")
            }
            BoardError::TooMany {
                machine,
                what,
                found,
                most,
            } => write!(f, "{found} {what}, and machine {machine} holds {most}"),
            BoardError::TooLarge { most } => {
                let (size, unit) = match most >> 20 {
                    0 => (most >> 10, "KiB"),
                    size => (size, "MiB"),
                };
                write!(
                    f,
                    "the task set with all its random lengths and releases does not fit into the {size} {unit} that \
                     the board has for it"
                )
            }
            BoardError::NoImage {
                machine, policy, ..
            } => write!(
                f,
                "there is no image of policy \"{policy}\" for machine {machine}"
            ),
            BoardError::Missing { task, missing } => write!(f, "task \"{task}\" {missing}"),
            BoardError::NoSources {
                folder,
                said_by,
                missing,
            } => write!(
                f,
                "expected Flyball's sources in {} ({said_by}), and there is no {missing}",
                folder.display()
            ),
            BoardError::Application(error) => error.fmt(f),
            BoardError::NoProgram(program) => write!(f, "{program} is not installed"),
            BoardError::NoTriple(triple) => {
                write!(f, "the Rust tool chain lacks the target {triple}")
            }
            BoardError::Build(said) => {
                write!(f, "the board's image cannot be built:\n{}", said.trim_end())
            }
            BoardError::Image(error) => write!(f, "the board's image cannot be read: {error}"),
            BoardError::NoTaskSet(error) => error.fmt(f),
            BoardError::NoRecorder { .. } => {
                f.write_str("the program's kernel does not record what happens")
            }
            BoardError::NoCounts => f.write_str("the image has not counted anything"),
            BoardError::NoObservations => {
                f.write_str("the image has not said what its supervisor sees")
            }
            BoardError::Board(said) => write!(f, "the board says: {}", said.trim_end()),
            BoardError::Emulator {
                program,
                status,
                said,
            } => {
                write!(f, "{program} ended without a trace ({status})")?;
                match said.trim_end() {
                    "" => Ok(()),
                    said => write!(f, ":\n{said}"),
                }
            }
            BoardError::TooFar {
                machine,
                until,
                most,
            } => write!(
                f,
                "machine {machine} runs for {most} at most, and this is {until}"
            ),
            BoardError::TooLong(limit) => write!(
                f,
                "the board did not come to the end within {} minutes",
                limit.as_secs() / 60
            ),
            BoardError::Report(error) => {
                write!(f, "the board's report of a fault is damaged: {error}")
            }
            BoardError::Fault { task, fault } => match task {
                Some(task) => write!(f, "task \"{task}\" failed: {fault}"),
                None => write!(f, "the board failed: {fault}"),
            },
            BoardError::Trace(error) => write!(f, "the board's trace is damaged: {error}"),
            BoardError::Host { what, error } => write!(f, "{what}: {error}"),
            BoardError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for BoardError {}

impl From<FaultError> for BoardError {
    fn from(error: FaultError) -> BoardError {
        BoardError::Report(error)
    }
}

impl From<ReadError> for BoardError {
    fn from(error: ReadError) -> BoardError {
        BoardError::Trace(error)
    }
}
