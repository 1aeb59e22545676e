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

/// The exit code for a fault in Flyball itself.
pub(crate) const FAULT: u8 = 3;

/// Why the command could not do what it was asked.
#[derive(Debug)]
pub enum Failure {
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
    /// `flyball cluster`, which the package for Python has, was asked of the command without it.
    Cluster,
}

impl Failure {
    /// Something is wrong with a file; and what to do about it.
    pub fn file(path: &Path, what: impl fmt::Display, help: Option<&str>) -> Failure {
        Failure::File {
            path: path.to_owned(),
            what: what.to_string(),
            help: help.map(str::to_owned),
        }
    }

    /// The study of the task set in `file` cannot be made.
    pub fn lab(file: &str, error: StudyError) -> Failure {
        Failure::Lab {
            file: file.to_owned(),
            error,
        }
    }

    /// The task set in `file` cannot be run on a machine.
    pub fn target(file: &str, error: BoardError) -> Failure {
        Failure::Target {
            file: file.to_owned(),
            error,
        }
    }

    /// Whether it was ended on purpose.
    pub fn is_interrupted(&self) -> bool {
        matches!(
            self,
            Failure::Lab {
                error: StudyError::Interrupted,
                ..
            } | Failure::Target {
                error: BoardError::Interrupted,
                ..
            } | Failure::Board(BoardError::Interrupted)
                | Failure::Interrupted
        )
    }

    /// Whether it is a fault in Flyball itself.
    pub fn is_fault(&self) -> bool {
        let contradiction = |error: &StudyError| matches!(error, StudyError::Contradiction { .. });
        matches!(self, Failure::Lab { error, .. } if contradiction(error))
    }

    /// Prints what is wrong to the standard error, and tells the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
        match self {
            // The result is not read any more: `flyball policies | head -1`.
            Failure::Print(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            failure if failure.is_interrupted() => {
                eprintln!("{}", progress::last_word());
                return ExitCode::from(130);
            }
            Failure::Model(fault) => {
                eprintln!("{red}error:{red:#} {}", fault.coloured().trim_end());
            }
            Failure::Lab {
                error: StudyError::Model(fault),
                ..
            } => eprintln!("{red}error:{red:#} {}", fault.coloured().trim_end()),
            failure => eprintln!("{red}error:{red:#} {failure}"),
        }
        if self.is_fault() {
            ExitCode::from(FAULT)
        } else {
            ExitCode::from(2)
        }
    }

    /// What can be done about it.
    fn remedy(&self) -> Option<String> {
        match self {
            Failure::Lab { error, .. } => error.remedy().map(str::to_owned),
            Failure::Target { error, .. } | Failure::Board(error) => error.remedy(),
            Failure::Sweep(error) => Some(error.remedy().to_owned()),
            Failure::File { help, .. } => help.clone(),
            Failure::Cluster => Some(
                "`pip install './python[cluster]'` in a clone of Flyball, and then `flyball cluster` as the first words; \
                 docs/cluster.md"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

/// What is wrong and what can be done about it, as the command says it behind `error:`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Model(fault)
            | Failure::Lab {
                error: StudyError::Model(fault),
                ..
            } => return f.write_str(fault.to_string().trim_end()),
            Failure::Lab { file, error } => {
                let place = error.place();
                let place = place.map(|at| format!(":{}:{}", at.line, at.column));
                let place = place.unwrap_or_default();
                write!(f, "{file}{place}: {}", words::error(error))
            }
            Failure::Target { file, error } => write!(f, "{file}: {error}"),
            Failure::Board(error) => error.fmt(f),
            Failure::Generate(error) => error.fmt(f),
            Failure::Sweep(error) => error.fmt(f),
            Failure::File { path, what, .. } => {
                write!(f, "{}: {what}", printable(&path.to_string_lossy()))
            }
            Failure::Interrupted => f.write_str("interrupted"),
            Failure::Print(error) => write!(f, "the result cannot be printed: {error}"),
            Failure::Usage(what) => f.write_str(what),
            Failure::Cluster => {
                f.write_str("`flyball cluster` comes with the package for Python, and this is the command without it")
            }
        }?;
        match self.remedy() {
            Some(help) => write!(f, "\n   = help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

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
