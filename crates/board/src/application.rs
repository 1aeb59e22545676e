//! Applications of the user's own: crates that cargo builds and runs, as `flyball new` makes them.

use crate::child;
use crate::elf::FOREIGN;
use crate::{BoardError, Machine, Phase, Watch};
use flyball_trace::file::{Trace, TraceError};
use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// An application that does not end by itself is ended after this long.
const LIMIT: Duration = Duration::from_mins(10);

/// Where an application runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Where plain `cargo run` runs it.
    Usual,
    /// On this computer, on a virtual clock.
    Host,
    /// On a board with the processor of this machine. Which board it is, the crate says.
    Like(Machine),
}

impl Place {
    /// The tool chain's name for it.
    const fn target(self) -> Option<&'static str> {
        match self {
            Place::Usual => None,
            Place::Host => Some("host-tuple"),
            Place::Like(machine) => Some(machine.triple()),
        }
    }
}

/// What an application printed, and its schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    /// What it printed.
    pub printed: String,
    /// What happened.
    pub trace: Trace,
}

/// Why an application cannot be run.
#[derive(Debug)]
pub enum ApplicationError {
    /// There is no crate in this folder.
    NoCrate(PathBuf),
    /// It cannot be built, or ended with an exit code that is not zero.
    Failed {
        /// How cargo ended.
        status: String,
        /// What cargo and the application said.
        said: String,
    },
    /// It has written no schedule to this folder, which is its own.
    NoSchedule(PathBuf),
    /// Its schedule is not what it should be.
    Schedule(TraceError),
}

impl ApplicationError {
    /// What the user can do about it.
    pub(crate) fn remedy(&self) -> Option<&'static str> {
        match self {
            ApplicationError::NoCrate(_) => {
                Some("`flyball new my-app` makes an application, and --app takes its folder")
            }
            ApplicationError::NoSchedule(_) => Some(
                "with its feature `trace` an application of `flyball new` writes it when it ends",
            ),
            ApplicationError::Failed { .. } | ApplicationError::Schedule(_) => None,
        }
    }
}

impl fmt::Display for ApplicationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApplicationError::NoCrate(folder) => write!(
                f,
                "{}: expected the folder of an application, and there is no Cargo.toml",
                folder.display()
            ),
            ApplicationError::Failed { status, said } => {
                write!(f, "the application failed ({status}):\n{}", said.trim_end())
            }
            ApplicationError::NoSchedule(folder) => write!(
                f,
                "{}: the application has written no schedule (.fbtrace) to its folder",
                folder.display()
            ),
            ApplicationError::Schedule(error) => {
                write!(f, "the application's schedule is damaged: {error}")
            }
        }
    }
}

impl std::error::Error for ApplicationError {}

impl From<ApplicationError> for BoardError {
    fn from(error: ApplicationError) -> BoardError {
        BoardError::Application(error)
    }
}

/// Builds the application in `folder`, optimised and with its feature `trace`, and runs it until it
/// ends. Its schedule stays in `folder`, as after `cargo run --features trace`.
///
/// # Errors
/// [`BoardError::Application`], and what may go wrong with any program.
pub fn run(folder: &Path, place: Place, watch: &mut Watch<'_>) -> Result<Ran, BoardError> {
    let host = |what| move |error| BoardError::Host { what, error };
    if !folder.join("Cargo.toml").is_file() {
        return Err(ApplicationError::NoCrate(folder.to_owned()).into());
    }
    let before = schedules(folder);
    let said = tempfile::tempdir().map_err(host("a temporary folder cannot be made"))?;
    let mut cargo = Command::new("cargo");
    cargo
        .args(["run", "--release", "--quiet", "--features", "trace"])
        // Plain `cargo` reads the crate's `.cargo/config.toml` here and nowhere else.
        .current_dir(folder);
    if let Some(target) = place.target() {
        cargo.args(["--target", target]);
    }
    for variable in FOREIGN {
        cargo.env_remove(variable);
    }
    let mut watch = || watch(Phase::Running);
    let ended = child::run(cargo, "cargo", said.path(), Some(LIMIT), &mut watch)?;
    if !ended.status.success() {
        let failed = ApplicationError::Failed {
            status: ended.status.to_string(),
            said: ended.printed + &ended.said,
        };
        return Err(failed.into());
    }
    let written = schedules(folder);
    let mut written = written
        .into_iter()
        .filter(|(path, time)| before.get(path) != Some(time));
    let none = || ApplicationError::NoSchedule(folder.to_owned());
    let (path, _) = written.next().ok_or_else(none)?;
    let bytes = fs::read(path).map_err(host("the application's schedule cannot be read"))?;
    Ok(Ran {
        printed: ended.printed,
        trace: Trace::from_bytes(&bytes).map_err(ApplicationError::Schedule)?,
    })
}

/// The schedules in a folder, with the instants at which they were written.
fn schedules(folder: &Path) -> HashMap<PathBuf, Option<SystemTime>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let schedules = entries.filter(|entry| {
        let path = entry.path();
        path.extension().is_some_and(|ending| ending == "fbtrace")
    });
    let written = |entry: &fs::DirEntry| entry.metadata().and_then(|data| data.modified()).ok();
    schedules
        .map(|entry| (entry.path(), written(&entry)))
        .collect()
}
