//! Why there is no random task set.

use crate::check::{MOST_CPUS, MOST_TASKS};
use core::fmt;
use flyball_trace::Duration;

/// Why [`generate`](super::generate()) made no task set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum GenerateError {
    /// The number of tasks is zero or above [`MOST_TASKS`].
    Tasks(usize),
    /// The number of CPUs is zero or above [`MOST_CPUS`].
    Cpus(u8),
    /// This utilisation is not above zero, or this number of tasks cannot use so much.
    Utilisation(f64, usize),
    /// The shortest period is zero, or above the longest one.
    Periods(Duration, Duration),
    /// No multiple of the granularity lies between the shortest and the longest period.
    Granularity(Duration, Duration, Duration),
    /// Where deadlines begin is not a number from 0 to 1.
    Deadlines(f64),
    /// In so many vectors of utilisations, and one more, a task needed more than one CPU.
    Discarded(u32),
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::Tasks(tasks) => {
                write!(f, "the number of tasks is 1 to {MOST_TASKS}, not {tasks}")
            }
            GenerateError::Cpus(cpus) => {
                write!(f, "the number of CPUs is 1 to {MOST_CPUS}, not {cpus}")
            }
            GenerateError::Utilisation(utilisation, tasks) => write!(
                f,
                "the utilisation of a set of {tasks} is above 0 and at most {tasks}, not \
                 {utilisation}"
            ),
            GenerateError::Periods(shortest, longest) => write!(
                f,
                "periods go from above 0 to a time that is not shorter, not from {shortest} to \
                 {longest}"
            ),
            GenerateError::Granularity(shortest, longest, granularity) => write!(
                f,
                "no multiple of the granularity, {granularity}, lies between {shortest} and \
                 {longest}"
            ),
            GenerateError::Deadlines(from) => {
                write!(f, "deadlines begin at a portion from 0 to 1, not at {from}")
            }
            GenerateError::Discarded(limit) => write!(
                f,
                "none of {} random sets had only tasks that need one CPU or less; lower the \
                 utilisation, or try another seed",
                u64::from(*limit) + 1
            ),
        }
    }
}

impl std::error::Error for GenerateError {}
