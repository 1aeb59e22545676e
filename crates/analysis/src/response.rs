//! What an analysis knows about a task's worst-case response time.

use crate::Stop;
use core::fmt;
use flyball_trace::Duration;

/// A task's worst-case response time, counted from the arrival of a job to its completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Response {
    /// No job takes longer. It may be beyond the deadline.
    Bounded(Duration),
    /// There is no bound: more than a whole CPU is asked for, and the backlog grows for ever.
    Unbounded,
    /// The analysis stopped. The bound that it was looking for is not below `at_least`.
    Stopped {
        /// The largest response time found so far.
        at_least: Duration,
        /// Why it stopped.
        why: Stop,
    },
}

impl Response {
    /// The bound, if it is known.
    pub fn bound(self) -> Option<Duration> {
        match self {
            Response::Bounded(response) => Some(response),
            Response::Unbounded | Response::Stopped { .. } => None,
        }
    }

    /// Whether it is within `deadline`; `None` if the analysis stopped before that was clear.
    pub fn is_within(self, deadline: Duration) -> Option<bool> {
        match self {
            Response::Bounded(response) => Some(response <= deadline),
            Response::Unbounded => Some(false),
            Response::Stopped { at_least, .. } => (at_least > deadline).then_some(false),
        }
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Response::Bounded(response) => response.fmt(f),
            Response::Unbounded => f.pad("unbounded"),
            Response::Stopped { at_least, .. } => write!(f, "{at_least} or more"),
        }
    }
}
