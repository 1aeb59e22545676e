//! What makes the command fail, and how it says so.

use crate::progress;
use anstream::eprintln;
use anstyle::{AnsiColor, Style};
use flyball_board::BoardError;
use flyball_model::generate::GenerateError;
use flyball_model::{ModelError, printable};
use flyball_report::words;
use flyball_study::StudyError;
use flyball_sweep::SweepError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why the command could not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The task set is wrong.
    Model(Box<ModelError>),
    /// The study cannot be made.
    Lab {
        /// Of which task set.
        file: String,
        /// Why.
        error: StudyError,
    },
    /// The task set cannot be run on a machine.
    Target {
        /// Which task set.
        file: String,
        /// Why.
        error: BoardError,
    },
    /// The images cannot be built, or Flyball's sources are not there.
    Board(BoardError),
    /// No random set can be like this.
    Generate(GenerateError),
    /// A schedulability study cannot be made or read.
    Sweep(SweepError),
    /// A file cannot be read or written.
    File {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// The user wanted no more.
    Interrupted,
    /// The result cannot be printed.
    Print(io::Error),
    /// The arguments contradict each other or the input.
    Usage(String),
}

impl Failure {
    pub(crate) fn file(path: &Path, what: impl fmt::Display, help: Option<&str>) -> Failure {
        Failure::File {
            path: path.to_owned(),
            what: what.to_string(),
            help: help.map(str::to_owned),
        }
    }

    /// The study of the task set in `file` cannot be made.
    pub(crate) fn lab(file: &str, error: StudyError) -> Failure {
        Failure::Lab {
            file: file.to_owned(),
            error,
        }
    }

    /// The task set in `file` cannot be run on a machine.
    pub(crate) fn target(file: &str, error: BoardError) -> Failure {
        Failure::Target {
            file: file.to_owned(),
            error,
        }
    }

    /// Prints what is wrong to the standard error, and tells the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
        let error = format!("{red}error:{red:#}");
        match self {
            // The result is not read any more: `flyball policies | head -1`.
            Failure::Print(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Failure::Lab {
                error: StudyError::Interrupted,
                ..
            }
            | Failure::Target {
                error: BoardError::Interrupted,
                ..
            }
            | Failure::Board(BoardError::Interrupted)
            | Failure::Interrupted => {
                eprintln!("{}", progress::last_word());
                return ExitCode::from(130);
            }
            Failure::Model(fault) => eprintln!("{error} {}", fault.coloured().trim_end()),
            Failure::Lab {
                error: StudyError::Model(fault),
                ..
            } => {
                eprintln!("{error} {}", fault.coloured().trim_end());
            }
            Failure::Lab { file, error: fault } => {
                let place = fault.place();
                let place = place.map(|at| format!(":{}:{}", at.line, at.column));
                let place = place.unwrap_or_default();
                eprintln!("{error} {file}{place}: {}", words::error(fault));
                if let Some(help) = fault.remedy() {
                    eprintln!("   = help: {help}");
                }
            }
            Failure::Target { file, error: fault } => {
                eprintln!("{error} {file}: {fault}");
                if let Some(help) = fault.remedy() {
                    eprintln!("   = help: {help}");
                }
            }
            Failure::Board(fault) => {
                eprintln!("{error} {fault}");
                if let Some(help) = fault.remedy() {
                    eprintln!("   = help: {help}");
                }
            }
            Failure::Generate(fault) => eprintln!("{error} {fault}"),
            Failure::Sweep(fault) => {
                eprintln!("{error} {fault}");
                eprintln!("   = help: {}", fault.remedy());
            }
            Failure::File { path, what, help } => {
                eprintln!("{error} {}: {what}", printable(&path.to_string_lossy()));
                if let Some(help) = help {
                    eprintln!("   = help: {help}");
                }
            }
            Failure::Print(fault) => eprintln!("{error} the result cannot be printed: {fault}"),
            Failure::Usage(what) => eprintln!("{error} {what}"),
        }
        match self {
            Failure::Lab {
                error: StudyError::Contradiction { .. },
                ..
            } => ExitCode::from(3),
            _ => ExitCode::from(2),
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Failure {
        Failure::Model(Box::new(error))
    }
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Failure {
        Failure::Board(error)
    }
}

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Failure {
        Failure::Generate(error)
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Failure {
        match error {
            SweepError::Model(error) => Failure::Model(error),
            error => Failure::Sweep(error),
        }
    }
}
