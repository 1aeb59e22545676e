//! Reads a task set from a file or a text, in whichever format it is.

use crate::csv;
use crate::error::{Kind, ModelError};
use crate::source::Source;
use crate::taskset::TaskSet;
use crate::toml;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Longest file that is read, in bytes. A set of 65,535 tasks, each with a dozen steps, takes half.
pub const LARGEST_FILE: u64 = 64 << 20;

/// A format of files with task sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Flyball's own, which holds everything.
    Toml,
    /// A table of tasks without behaviour, one a line.
    Csv,
}

impl Format {
    /// The format of a file by the ending of its name, `.toml` or `.csv`.
    pub fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "toml" => Some(Format::Toml),
            "csv" => Some(Format::Csv),
            _ => None,
        }
    }
}

/// Reads a task set from a file, whose name ends in `.toml` or `.csv`.
///
/// # Errors
/// If the file cannot be read, or if it is no task set; the error says where and why.
pub fn read_file(path: impl AsRef<Path>) -> Result<TaskSet, ModelError> {
    let path = path.as_ref();
    let name = &*path.to_string_lossy();
    let Some(format) = Format::of(path) else {
        if path.is_dir() {
            return Err(io_error(name, &io::Error::from(ErrorKind::IsADirectory)));
        }
        let error = ModelError::new(Kind::Format, "the file's format is not known").in_file(name);
        return Err(error.help("the name of a task set ends in `.toml` or `.csv`"));
    };
    let text = read_text(path, name, "split the set into several files")?;
    read_str(&text, format, name)
}

/// The text of a file that is called `name` in messages; `smaller` says what to do if it is too
/// large.
pub(crate) fn read_text(path: &Path, name: &str, smaller: &str) -> Result<String, ModelError> {
    let bytes = read_bytes(path).map_err(|error| io_error(name, &error))?;
    if bytes.len() as u64 > LARGEST_FILE {
        let message = format!("the file is larger than {} MiB", LARGEST_FILE >> 20);
        let error = ModelError::new(Kind::TooMany, message).in_file(name);
        return Err(error.help(smaller));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        encoding(name, error.as_bytes(), valid)
    })
}

/// Reads a task set from a text. `name` stands for the file in messages; a set that has no name of
/// its own is called after it, without folders and ending.
///
/// Takes time O(n log n) in the length of the text, and some ten times its memory.
///
/// # Errors
/// If the text is no task set; the error says where and why.
pub fn read_str(text: &str, format: Format, name: &str) -> Result<TaskSet, ModelError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text); // a byte order mark says nothing here
    if text.trim().is_empty() {
        let error = ModelError::new(Kind::Missing, "the file is empty").in_file(name);
        return Err(error.help(match format {
            Format::Toml => "begin it with `schema = 1`, and add tasks with `[[task]]`",
            Format::Csv => "begin it with the names of the columns, as in `name,period,wcet`",
        }));
    }
    let stem = Path::new(name)
        .file_stem()
        .map(|stem| stem.to_string_lossy())
        .unwrap_or_default();
    let source = Source::new(name, text);
    match format {
        Format::Toml => toml::read(&source, &stem),
        Format::Csv => csv::read(&source, &stem),
    }
}

/// The file's bytes, but not many more than there may be, even where it has no end.
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::from(ErrorKind::IsADirectory));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn io_error(name: &str, error: &io::Error) -> ModelError {
    let (message, help) = match error.kind() {
        ErrorKind::NotFound => (
            "there is no such file".to_owned(),
            "check the spelling; the path starts from the current folder",
        ),
        ErrorKind::PermissionDenied => (
            "the file may not be read".to_owned(),
            "give yourself the permission to read it",
        ),
        ErrorKind::IsADirectory => (
            "this is a folder, not a file".to_owned(),
            "name a file in it that ends in `.toml` or `.csv`",
        ),
        _ => (
            format!("the file cannot be read: {error}"),
            "try again, or copy the file elsewhere",
        ),
    };
    ModelError::new(Kind::Io, message).in_file(name).help(help)
}

fn encoding(name: &str, bytes: &[u8], valid: usize) -> ModelError {
    let (good, bad) = bytes.split_at(valid);
    let good = str::from_utf8(good).unwrap_or_default();
    let message = match bad.first() {
        Some(byte) => format!("not text in UTF-8: byte 0x{byte:02x}"),
        None => "not text in UTF-8".to_owned(),
    };
    let mut error = Source::new(name, good).error(Kind::Encoding, &(valid..valid), message);
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if utf16 || bytes.contains(&0) {
        // A line number would mean little in a file that is no text at all.
        (error.place, error.excerpt) = (None, None);
    }
    error.help(if utf16 {
        "this looks like UTF-16; save the file as UTF-8"
    } else {
        "save the file as UTF-8"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_may_not_be_read_says_so() {
        // Not by way of a real file: for a privileged user, there is none.
        let error = io_error("x.toml", &io::Error::from(ErrorKind::PermissionDenied));
        assert_eq!(error.headline(), "x.toml: the file may not be read");
        assert_eq!(
            error.help.as_deref(),
            Some("give yourself the permission to read it")
        );
        let error = io_error("x.toml", &io::Error::other("the disk is on fire"));
        assert_eq!(
            error.headline(),
            "x.toml: the file cannot be read: the disk is on fire"
        );
    }

    #[test]
    fn formats_go_by_the_ending() {
        assert_eq!(Format::of(Path::new("a/b.toml")), Some(Format::Toml));
        assert_eq!(Format::of(Path::new("B.CSV")), Some(Format::Csv));
        assert_eq!(Format::of(Path::new("toml")), None);
        assert_eq!(Format::of(Path::new("a.toml/b")), None);
    }
}
