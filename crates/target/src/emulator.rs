//! The emulator: it gets an image and a task set, and leaves a trace.

use crate::child;
use crate::{Machine, Phase, TargetError, Watch};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What the image calls its trace.
const TRACE: &str = "flyball-trace.bin";
/// What it calls the file in which it says what is wrong.
const ERROR: &str = "flyball-error.txt";
/// What it calls the file in which it says why it went no further than the trace.
const FAULT: &str = "flyball-fault.txt";
/// What we call the task set.
const BLOB: &str = "taskset.bin";
/// The emulator's time ends of itself. If it does not, something is wrong with it.
const LIMIT: Duration = Duration::from_mins(10);

/// What the image left behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The bytes of its trace.
    pub trace: Vec<u8>,
    /// What it says about a fault that ended it.
    pub fault: Option<String>,
}

/// Runs the image `elf` with the task set `blob`.
///
/// # Errors
/// [`TargetError`].
pub fn run(
    machine: Machine,
    elf: &Path,
    blob: &[u8],
    watch: &mut Watch<'_>,
) -> Result<Output, TargetError> {
    let host = |what| move |error| TargetError::Host { what, error };
    let folder = tempfile::tempdir().map_err(host("a temporary folder cannot be made"))?;
    let file = |name| folder.path().join(name);
    fs::write(file(BLOB), blob).map_err(host("a temporary file cannot be written"))?;
    let (program, flags) = machine.emulator();
    let mut command = Command::new(program);
    // A relative name, since a comma in a name would end it here.
    let loader = format!(
        "loader,file={BLOB},addr={:#x},force-raw=on",
        machine.address()
    );
    command
        .args(flags)
        .arg("-kernel")
        .arg(elf)
        .args(["-device", &loader])
        .current_dir(folder.path());
    let mut watch = || watch(Phase::Running);
    let ended = child::run(command, program, folder.path(), Some(LIMIT), &mut watch)?;
    if let Ok(said) = fs::read(file(ERROR)) {
        return Err(TargetError::Board(
            String::from_utf8_lossy(&said).into_owned(),
        ));
    }
    let failed = TargetError::Emulator {
        program,
        status: ended.status.to_string(),
        said: ended.said,
    };
    // Written after the trace, so that it is there if this is.
    let fault = fs::read(file(FAULT)).ok();
    if fault.is_none() && !ended.status.success() {
        return Err(failed);
    }
    let trace = fs::read(file(TRACE)).map_err(|error| match error.kind() {
        ErrorKind::NotFound => failed,
        _ => TargetError::Host {
            what: "the board's trace cannot be read",
            error,
        },
    })?;
    Ok(Output {
        trace,
        fault: fault.map(|said| String::from_utf8_lossy(&said).into_owned()),
    })
}
