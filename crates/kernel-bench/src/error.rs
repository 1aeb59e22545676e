//! What can go wrong.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why there are no figures.
#[derive(Debug)]
pub(crate) enum BenchError {
    /// A program could not be started.
    Start {
        /// Which.
        program: &'static str,
        /// Why.
        error: io::Error,
    },
    /// A program has failed.
    Failed {
        /// What it was to do.
        what: String,
        /// What it said.
        said: String,
    },
    /// An image printed what is no figure.
    Figure(String),
    /// A file could not be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// An image is no program that can be understood.
    Elf(object::Error),
    /// The file with the peers' figures is not as it should be.
    Peers(toml::de::Error),
    /// The report cannot be written.
    Json(serde_json::Error),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchError::Start { program, error } => {
                write!(f, "`{program}` does not start: {error}")
            }
            BenchError::Failed { what, said } => write!(f, "{what} failed:\n{said}"),
            BenchError::Figure(line) => write!(f, "the image printed {line:?}, which is no figure"),
            BenchError::File { path, error } => write!(f, "{}: {error}", path.display()),
            BenchError::Elf(error) => write!(f, "the image cannot be read: {error}"),
            BenchError::Peers(error) => write!(f, "benches/kernel-peers.toml: {error}"),
            BenchError::Json(error) => write!(f, "the report cannot be written: {error}"),
        }
    }
}

impl std::error::Error for BenchError {}
