//! Why a sweep stops.

use crate::draw::DrawError;
use flyball_report::write::WriteError;
use flyball_study::StudyError;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// Why a sweep stops, or why its results cannot be read. What was finished before is kept.
#[derive(Debug)]
#[non_exhaustive]
pub enum SweepError {
    /// A set cannot be drawn.
    Draw {
        /// Of which scenario and cap.
        of: String,
        /// Why.
        error: DrawError,
    },
    /// The study has a policy that is not known.
    Policy(StudyError),
    /// A simulation may have too many jobs.
    TooLong {
        /// Of which set.
        of: String,
        /// How many jobs, and ends of time slices.
        jobs: u64,
    },
    /// A simulation did not go on.
    Simulation {
        /// Of which set.
        of: String,
        /// Why.
        error: StudyError,
    },
    /// The folder has the results of another study.
    OtherStudy(PathBuf),
    /// Folders that are to be read together have the results of different studies.
    OtherStudies {
        /// The first folder.
        one: PathBuf,
        /// A folder with another study's.
        other: PathBuf,
    },
    /// Another sweep is writing to the folder.
    Busy(PathBuf),
    /// There is no study in the folder.
    NoStudy(PathBuf),
    /// The study in the folder cannot be read.
    Model(Box<flyball_model::ModelError>),
    /// A file of results is not what was written, or not of this study.
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Nothing is finished yet.
    Empty(PathBuf),
    /// A file cannot be written.
    Write(WriteError),
    /// A file or a folder cannot be read or made.
    Io {
        /// Which one.
        path: PathBuf,
        /// What was the matter.
        error: io::Error,
    },
    /// This is a file, where a folder is to be.
    NoFolder(PathBuf),
    /// No threads can be had.
    Threads(String),
}

impl SweepError {
    /// What the user can do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            SweepError::Draw { .. } => "allow more slack, or choose other caps",
            SweepError::Policy(_) => "`flyball policies` lists them",
            SweepError::TooLong { .. } => "shorten the `horizon`, or lengthen time slices",
            SweepError::Simulation { error, .. } => error
                .remedy()
                .unwrap_or("leave the policy out, and report it"),
            SweepError::OtherStudy(_) => "choose another folder with --out, or remove this one",
            SweepError::OtherStudies { .. } => {
                "name the folders of one study, its shards; plot another with an --out of its own"
            }
            SweepError::NoFolder(_) => "choose another folder with --out",
            SweepError::Busy(_) => "wait until it is done, or choose another folder with --out",
            SweepError::NoStudy(_) => "name a folder that `flyball sweep --out` has made",
            SweepError::Model(_) => "correct the file",
            SweepError::Damaged { .. } => {
                "`flyball sweep` with the same study computes it again, and only it"
            }
            SweepError::Empty(_) => "let `flyball sweep` finish a part of it at least",
            SweepError::Write(error) => error.remedy(),
            SweepError::Io { error, .. } => match error.kind() {
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                    "choose a folder that you may write to"
                }
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    "the disk is full; make room, or choose another disk"
                }
                _ => "try again, or choose another folder",
            },
            SweepError::Threads(_) => "choose fewer with --threads",
        }
    }
}

impl fmt::Display for SweepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SweepError::Draw { of, error } => write!(f, "{of}: {error}"),
            SweepError::Policy(error) => error.fmt(f),
            SweepError::TooLong { of, jobs } => {
                write!(
                    f,
                    "{of}: a simulation would have about {jobs} jobs and time slices"
                )
            }
            SweepError::Simulation { of, error } => write!(f, "{of}: {error}"),
            SweepError::OtherStudy(folder) => {
                write!(f, "{} has the results of another study", folder.display())
            }
            SweepError::OtherStudies { one, other } => write!(
                f,
                "{} and {} have the results of different studies",
                one.display(),
                other.display()
            ),
            SweepError::NoFolder(path) => {
                write!(f, "{} is a file, not a folder", path.display())
            }
            SweepError::Busy(folder) => {
                write!(f, "another sweep is writing to {}", folder.display())
            }
            SweepError::NoStudy(folder) => write!(f, "there is no study in {}", folder.display()),
            SweepError::Model(error) => error.fmt(f),
            SweepError::Damaged { path, what } => {
                write!(f, "{} is damaged: {what}", path.display())
            }
            SweepError::Empty(folder) => write!(f, "nothing is finished in {}", folder.display()),
            SweepError::Write(error) => error.fmt(f),
            SweepError::Io { path, error } => write!(f, "{}: {error}", path.display()),
            SweepError::Threads(why) => write!(f, "no threads can be had: {why}"),
        }
    }
}

impl std::error::Error for SweepError {}

impl From<WriteError> for SweepError {
    fn from(error: WriteError) -> SweepError {
        SweepError::Write(error)
    }
}
