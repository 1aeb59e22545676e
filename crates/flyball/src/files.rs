//! Reading and writing files: whole, or not at all.

use crate::args::ChargeArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress::Disposable;
use flyball_board::program::Program;
use flyball_model::{TaskSet, printable, read_file, read_overheads};
use flyball_report::write::write_atomically;
use flyball_study::{Charges, NoDelay};
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Reads a task set; of a program in C or C++, what it says of its threads. Its names are made printable, so that none does anything to a terminal or a
/// page.
pub(crate) fn read_set(path: &Path, quiet: bool) -> Result<TaskSet, Failure> {
    let _reading = Reading::begin(path, quiet);
    if is_program(path) {
        let set = Program::open(path).and_then(|program| program.task_set());
        let set = set.map_err(|error| Failure::target(&shown(path), error))?;
        return Ok(set.with_printable_names());
    }
    Ok(read_file(path)?.with_printable_names())
}

/// Whether a file is a program, by its first bytes.
pub(crate) fn is_program(path: &Path) -> bool {
    use std::io::Read;
    let mut first = [0; 4];
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    is_file
        && fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut first).is_ok())
        && first == *b"\x7fELF"
}

/// A file is read, which takes as long as it likes where it is a pipe: the user may end it, and is
/// told what it waits for.
pub(crate) struct Reading {
    _may_end: Disposable,
}

impl Reading {
    pub(crate) fn begin(path: &Path, quiet: bool) -> Reading {
        let is_pipe = |found: fs::Metadata| found.file_type().is_fifo();
        if fs::metadata(path).is_ok_and(is_pipe) {
            let what = "is a pipe: waiting for a program to write into it";
            output::note(quiet, &format!("{} {what} …", shown(path)));
        }
        Reading {
            _may_end: Disposable::begin(),
        }
    }
}

/// The overheads that are to be charged, if the user has any.
pub(crate) fn charges(args: &ChargeArgs, quiet: bool) -> Result<Option<Charges>, Failure> {
    let Some(path) = &args.overheads else {
        return Ok(None);
    };
    let file = {
        let _reading = Reading::begin(path, quiet);
        read_overheads(path)?
    };
    let charges = Charges::new(file, args.charge, args.working_set);
    charges
        .map(Some)
        .map_err(|error| Failure::file(path, error, Some(NoDelay::REMEDY)))
}

/// A file as the user named it, as far as that can be printed.
pub(crate) fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy()).into_owned()
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
    let help = Some("choose another one with --out");
    let first = path.ancestors().find(|path| path.exists());
    if let Some(file) = first.filter(|path| !path.is_dir()) {
        return Err(Failure::file(file, "is a file, not a folder", help));
    }
    fs::create_dir_all(path).map_err(|error| {
        let what = format!("the folder cannot be made: {error}");
        Failure::file(path, what, help)
    })
}
