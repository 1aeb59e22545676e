//! The emulator: it gets an image and a task set, and leaves a trace.

use crate::child;
use crate::{BoardError, Machine, Phase, Watch};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What the image calls the trace of a cluster of CPUs.
fn trace_name(cluster: usize) -> String {
    format!("flyball-trace-{cluster:03}.bin")
}
/// What it calls the file in which it says what is wrong.
const ERROR: &str = "flyball-error.txt";
/// What it calls the file in which it says why it went no further than the trace.
const FAULT: &str = "flyball-fault.txt";
/// What it calls the file in which it says what it has counted.
const COUNTS: &str = "flyball-counts.txt";
/// What it calls the file in which it says what a supervisor sees.
const OBSERVATIONS: &str = "flyball-observations.bin";
/// What we call the task set.
const BLOB: &str = "taskset.bin";
/// The emulator's time ends of itself. If it does not, something is wrong with it.
const LIMIT: Duration = Duration::from_mins(10);

/// What the image left behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The bytes of its traces, one for each cluster of CPUs.
    pub traces: Vec<Vec<u8>>,
    /// What it says about a fault that ended it.
    pub fault: Option<String>,
    /// What it has counted, if it does.
    pub counts: Option<String>,
    /// What a supervisor saw, if there is one.
    pub observations: Option<Vec<u8>>,
}

/// Runs the image `elf` with the task set `blob` on so many CPUs.
///
/// # Errors
/// [`BoardError`].
pub fn run(
    machine: Machine,
    cpus: u8,
    elf: &Path,
    blob: &[u8],
    watch: &mut Watch<'_>,
) -> Result<Output, BoardError> {
    let host = |what| move |error| BoardError::Host { what, error };
    let folder = tempfile::tempdir().map_err(host("a temporary folder cannot be made"))?;
    let file = |name| folder.path().join(name);
    fs::write(file(BLOB), blob).map_err(host("a temporary file cannot be written"))?;
    let (program, flags) = machine.emulator(cpus);
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
        return Err(BoardError::Board(
            String::from_utf8_lossy(&said).into_owned(),
        ));
    }
    let failed = BoardError::Emulator {
        program,
        status: ended.status.to_string(),
        said: ended.said,
    };
    // Written after the trace, so that it is there if this is.
    let fault = fs::read(file(FAULT)).ok();
    if fault.is_none() && !ended.status.success() {
        return Err(failed);
    }
    let mut traces = Vec::new();
    loop {
        match fs::read(folder.path().join(trace_name(traces.len()))) {
            Ok(trace) => traces.push(trace),
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(BoardError::Host {
                    what: "the board's trace cannot be read",
                    error,
                });
            }
            Err(_) if traces.is_empty() => return Err(failed),
            Err(_) => break,
        }
    }
    Ok(Output {
        traces,
        fault: fault.map(|said| String::from_utf8_lossy(&said).into_owned()),
        counts: fs::read_to_string(file(COUNTS)).ok(),
        observations: fs::read(file(OBSERVATIONS)).ok(),
    })
}
