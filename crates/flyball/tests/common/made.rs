//! Crates that `flyball new` makes, for the tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// Where all applications are built.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("new")
}

/// Runs the command in a folder.
pub(crate) fn flyball(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flyball"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_NET_OFFLINE", "true")
        .env_remove("FLYBALL_SOURCES")
        .output()
        .expect("the command starts")
}

/// Makes a crate in a temporary folder. Each has a name of its own, because crates that are called the
/// same would take each other's programs out of the target folder that all of them share.
pub(crate) fn made(arguments: &[&str]) -> (TempDir, PathBuf) {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let name = format!("{}-{}", arguments[0], MADE.fetch_add(1, Ordering::Relaxed));
    let arguments = [&["new", &name], &arguments[1..]].concat();
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    let output = flyball(folder.path(), &arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let path = folder.path().join(name);
    (folder, path)
}

/// What a crate is called.
pub(crate) fn name(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.expect("the folder of a crate has its name")
}

/// A change of one of its files.
pub(crate) fn edit(path: &Path, file: &str, from: &str, to: &str) {
    let file = path.join(file);
    let source = fs::read_to_string(&file).expect("it is there");
    let changed = source.replace(from, to);
    assert_ne!(changed, source, "{from:?} is in {}", file.display());
    fs::write(&file, changed).expect("it can be written");
}
