//! Why bytes are not an image.

use super::VERSION;
use core::fmt;

/// Why bytes are not an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageError {
    /// They do not begin like one.
    Magic,
    /// It is one of another version.
    Version(u32),
    /// Something lies beyond the end.
    Truncated,
    /// A task's operation is none.
    Operation,
    /// A repetition leads nowhere.
    Jump,
    /// A change is none, or is about something that there is not.
    Change,
    /// A subtask of a task is for a CPU that there is not, or of a task that does not come again.
    Subtask,
    /// An interrupt is for no task and no queue, or comes after a later one.
    Interrupt,
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::Magic => f.write_str("this is no task-set image"),
            ImageError::Version(version) => {
                write!(f, "the task-set image has version {version}, not {VERSION}")
            }
            ImageError::Truncated => f.write_str("the task-set image is cut off"),
            ImageError::Operation => f.write_str("the task-set image has an unknown operation"),
            ImageError::Jump => f.write_str("the task-set image has a repetition of nothing"),
            ImageError::Change => f.write_str("the task-set image has a change of nothing"),
            ImageError::Subtask => {
                f.write_str("the task-set image has a subtask of a task for nobody")
            }
            ImageError::Interrupt => f.write_str("the task-set image has an interrupt for nothing"),
        }
    }
}

impl core::error::Error for ImageError {}
