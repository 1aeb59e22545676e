//! Applications of the user's own: crates that cargo builds and runs, as `flyball new` makes them.

use crate::child;
use crate::elf::FOREIGN;
use crate::{BoardError, Machine, Phase, Watch};
use flyball_trace::file::Trace;
use std::collections::HashMap;
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

/// Builds the application in `folder`, optimised and with its feature `trace`, and runs it until it
/// ends. Its schedule stays in `folder`, as after `cargo run --features trace`.
///
/// # Errors
/// [`BoardError::NoApplication`], [`BoardError::Application`], [`BoardError::NoSchedule`], and what
/// may go wrong with any program.
pub fn run(folder: &Path, place: Place, watch: &mut Watch<'_>) -> Result<Ran, BoardError> {
    let host = |what| move |error| BoardError::Host { what, error };
    if !folder.join("Cargo.toml").is_file() {
        return Err(BoardError::NoApplication(folder.to_owned()));
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
        return Err(BoardError::Application {
            status: ended.status.to_string(),
            said: ended.printed + &ended.said,
        });
    }
    let written = schedules(folder);
    let mut written = written
        .into_iter()
        .filter(|(path, time)| before.get(path) != Some(time));
    let (path, _) = written
        .next()
        .ok_or_else(|| BoardError::NoSchedule(folder.to_owned()))?;
    let bytes = fs::read(path).map_err(host("the application's schedule cannot be read"))?;
    Ok(Ran {
        printed: ended.printed,
        trace: Trace::from_bytes(&bytes).map_err(BoardError::Schedule)?,
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
