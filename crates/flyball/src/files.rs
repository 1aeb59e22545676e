//! Reading and writing files: whole, or not at all.

use crate::failure::Failure;
use flyball_model::{TaskSet, read_file};
use flyball_report::write::write_atomically;
use std::fs;
use std::path::{Path, PathBuf};

/// Reads a task set.
pub(crate) fn read_set(path: &Path) -> Result<TaskSet, Failure> {
    Ok(read_file(path)?)
}

/// A file as the user named it.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The files of one run. They are written one by one, each of them whole or not at all.
pub(crate) fn write_all(files: &[(PathBuf, Vec<u8>)]) -> Result<(), Failure> {
    for (path, bytes) in files {
        write_atomically(path, bytes).map_err(|error| {
            Failure::file(
                path,
                format!("cannot be written: {}", error.error),
                Some(error.remedy()),
            )
        })?;
    }
    Ok(())
}

/// Makes a folder, and the folders that it is in.
pub(crate) fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| {
        let what = format!("the folder cannot be made: {error}");
        Failure::file(path, what, Some("choose another one with --out"))
    })
}
