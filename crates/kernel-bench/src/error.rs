//! What can go wrong.

use flyball_board::BoardError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why there are no figures.
#[derive(Debug)]
pub(crate) enum BenchError {
    /// An image could not be built, run or read.
    Board(BoardError),
    /// An image printed what is no figure.
    Figure(String),
    /// A file could not be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A command that builds C programs has failed.
    Command(String),
    /// The file with the peers' figures is not as it should be.
    Peers(toml::de::Error),
    /// The report cannot be written.
    Json(serde_json::Error),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchError::Board(error) => error.fmt(f),
            BenchError::Figure(line) => write!(f, "the image printed {line:?}, which is no figure"),
            BenchError::File { path, error } => write!(f, "{}: {error}", path.display()),
            BenchError::Command(why) => f.write_str(why),
            BenchError::Peers(error) => write!(f, "benches/kernel-peers.toml: {error}"),
            BenchError::Json(error) => write!(f, "the report cannot be written: {error}"),
        }
    }
}

impl std::error::Error for BenchError {}

impl From<BoardError> for BenchError {
    fn from(error: BoardError) -> BenchError {
        BenchError::Board(error)
    }
}
