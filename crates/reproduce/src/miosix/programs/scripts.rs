//! The scripts that build and run the programs.

use flyball_measure::bench::BenchError;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// Why programs could not be built or run.
#[derive(Debug)]
enum ScriptError {
    /// There is no such script: the sources are not here.
    Sources(PathBuf),
    /// It cannot be started.
    Start(io::Error),
    /// It has failed, and has written this.
    Failed(ExitStatus, String),
    /// It has written a line that it should not.
    Line(String),
    /// A file that a program writes.
    File(PathBuf, io::Error),
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScriptError::Sources(path) => write!(
                f,
                "programs in C are built from Flyball's sources, which are not here: {} is missing",
                path.display()
            ),
            ScriptError::Start(error) => write!(f, "bash cannot be started: {error}"),
            ScriptError::Failed(status, text) => write!(f, "{status}: {text}"),
            ScriptError::Line(line) => write!(f, "\"{line}\" is no row of a program"),
            ScriptError::File(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for ScriptError {}

fn failed(error: ScriptError) -> BenchError {
    BenchError::Machine(Box::new(error))
}

/// Where programs are built, and the sources that they are built from.
pub(super) struct Programs<'a> {
    folder: &'a Path,
}

/// What a program has taken, and whether it has written what it writes on the host.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) nanoseconds: u64,
    /// Code, initialised data, other data, stack and heap, in bytes.
    pub(super) bytes: [u64; 5],
    /// "as on the host", or why not.
    pub(super) result: String,
}

impl Row {
    pub(super) fn is_right(&self) -> bool {
        self.result == "as on the host"
    }
}

impl<'a> Programs<'a> {
    /// Programs that are built in `folder`, with the kernel and these policies.
    pub(super) fn new(folder: &'a Path, policies: &[&str]) -> Result<Programs<'a>, BenchError> {
        let programs = Programs { folder };
        let missing = policies.iter().any(|policy| {
            let specs = format!("sdk/lib/flyball-{policy}.specs");
            !folder.join(specs).exists()
        });
        if missing {
            let sdk = folder.join("sdk");
            let mut arguments: Vec<&OsStr> = vec!["arm".as_ref(), sdk.as_os_str()];
            arguments.extend(policies.iter().map(AsRef::<OsStr>::as_ref));
            script("install", &arguments, 0)?;
        }
        Ok(programs)
    }

    /// Builds programs for the host or a policy; without names, all.
    pub(super) fn build(&self, target: &str, names: &[&str]) -> Result<(), BenchError> {
        let mut arguments = vec![target.as_ref(), self.folder.as_os_str()];
        arguments.extend(names.iter().map(AsRef::<OsStr>::as_ref));
        script("programs/build", &arguments, 0).map(drop)
    }

    /// Runs rows under a policy, on a processor with an instruction every 2 to the power of `shift`
    /// nanoseconds.
    pub(super) fn run(
        &self,
        policy: &str,
        rows: &[&str],
        shift: u8,
    ) -> Result<BTreeMap<String, Row>, BenchError> {
        let mut arguments = vec![self.folder.as_os_str(), policy.as_ref()];
        arguments.extend(rows.iter().map(AsRef::<OsStr>::as_ref));
        let text = script("programs/run", &arguments, shift)?;
        let lines = text.lines().skip(1);
        lines
            .map(|line| row(line).ok_or_else(|| failed(ScriptError::Line(line.to_owned()))))
            .collect()
    }

    /// The seconds that `together` says of each of its programs, and of all, by name.
    pub(super) fn times(
        &self,
        policy: &str,
        row: &str,
    ) -> Result<BTreeMap<String, f64>, BenchError> {
        let path = self.folder.join("run").join(policy).join(row).join("times");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| failed(ScriptError::File(path, error)))?;
        text.lines()
            .map(|line| time(line).ok_or_else(|| failed(ScriptError::Line(line.to_owned()))))
            .collect()
    }
}

/// Runs a script, and returns what it prints. One that finds programs that are not right prints them, too.
fn script(name: &str, arguments: &[&OsStr], shift: u8) -> Result<String, BenchError> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../sdk")
        .join(name);
    if !path.exists() {
        return Err(failed(ScriptError::Sources(path)));
    }
    let output = Command::new("bash")
        .arg(&path)
        .args(arguments)
        .env("SHIFT", shift.to_string())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(ScriptError::Start(error)))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let has_rows = name.ends_with("run") && text.lines().count() > 1;
    if output.status.success() || has_rows {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let why = format!("{text}{}", errors.trim_end());
    Err(failed(ScriptError::Failed(output.status, why)))
}

/// A line of `programs/run`.
fn row(line: &str) -> Option<(String, Row)> {
    let mut words = line.split_whitespace();
    let name = words.next()?.to_owned();
    let mut number = || words.next()?.parse().ok();
    let nanoseconds = number()?;
    let bytes = [number()?, number()?, number()?, number()?, number()?];
    let result: Vec<_> = words.collect();
    let row = Row {
        nanoseconds,
        bytes,
        result: result.join(" "),
    };
    Some((name, row))
}

/// A line of `together`: a name, a number, and "s".
fn time(line: &str) -> Option<(String, f64)> {
    let mut words = line.split_whitespace();
    Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_time_five_sizes_and_a_result() {
        let (name, found) = row("susan  7512 90 1 2 3 4  as on the host ").unwrap();
        assert_eq!(name, "susan");
        assert_eq!(found.bytes, [90, 1, 2, 3, 4]);
        assert!(found.is_right());
        let (_, wrong) = row("susan 7512 90 1 2 3 4 susan: status 1, ").unwrap();
        assert!(!wrong.is_right());
        assert_eq!(row("susan 7512 90"), None);
    }

    #[test]
    fn a_time_is_a_name_and_seconds() {
        assert_eq!(time("jpeg            1.250 s"), Some(("jpeg".into(), 1.25)));
        assert_eq!(time("jpeg"), None);
    }
}
