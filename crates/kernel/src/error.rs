//! What can go wrong in a call to the kernel.

use crate::Core;
use crate::config::Config;
use core::fmt;
use flyball_policy::{Denied, Refused};

/// Why a call had no effect. Whenever a call returns an error, nothing has changed (but for a job
/// that is lost, see [`Core::release`](crate::Core::release)).
///
/// It fits into one byte, as every call returns it. So it has no figures: of a refusal they are
/// [`Core::refusal`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// The table is full: of threads, of objects of this kind, or of waiting arrivals. Or a queue was made for
    /// fewer messages.
    Full,
    /// The thread has ended.
    Dead,
    /// There is no such thread or object, and there never was.
    Unknown,
    /// No thread runs on this CPU, so none can block or yield. (An interrupt handler can signal and
    /// send, but it cannot wait.)
    NoThread,
    /// The mutex does not belong to the calling thread.
    NotOwner,
    /// The wait would never end: the calling thread owns the mutex, or it owns one that the
    /// mutex's owner waits for, directly or through others; or it would wait for its own end.
    Deadlock,
    /// What was waited for did not come in time. This and the next are the errors that come after a wait.
    TimedOut,
    /// The wait was ended early ([`Core::rouse`]).
    Roused,
    /// The thread is not sporadic, so its jobs are released by the clock alone.
    NotSporadic,
    /// A period, a separation or a deadline of zero, or a queue without room.
    Invalid,
    /// The stack belongs to a thread already; or the queue or semaphore does, whose jobs it
    /// releases, or it is in use otherwise.
    Taken,
    /// The thread waits for, or owns, what belongs to its cluster, so it cannot move to another
    /// one.
    Bound,
    /// The policy does not take the thread or its parameters.
    Refused(Refused<()>),
}

impl Error {
    /// What is wrong, in words.
    pub const fn text(self) -> &'static str {
        match self {
            Error::Full => "the table is full",
            Error::Dead => "the thread has ended",
            Error::Unknown => "there is no such object",
            Error::NoThread => "no thread runs here, so nobody can wait",
            Error::NotOwner => "the mutex belongs to another thread, or to none",
            Error::Deadlock => "the wait would never end",
            Error::TimedOut => "the wait took too long",
            Error::Roused => "the wait was ended early",
            Error::NotSporadic => "the thread is not released by events",
            Error::Invalid => "a length of time or a capacity is zero, or a stack is too small",
            Error::Taken => "the stack, queue or semaphore belongs to a thread already",
            Error::Bound => "the thread is bound to its cluster by what it waits for or owns",
            Error::Refused(refused) => refused.text(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl core::error::Error for Error {}

impl<C: Config> Core<C> {
    /// The error that stands for a refusal of the policy, whose figure is kept.
    pub(crate) fn refused(&mut self, refused: Refused) -> Error {
        Error::Refused(refused.map(|excess| self.excess = excess))
    }

    /// The refusal behind an [`Error::Refused`] that a call of this core has just returned, with
    /// its figure.
    pub fn refusal(&self, refused: Refused<()>) -> Refused {
        refused.map(|()| self.excess)
    }

    /// What a controller is told of an error that a call of this core has just returned.
    /// [`Error::Unknown`] is a task that is not there.
    pub(crate) fn denied(&self, error: Error) -> Denied {
        match error {
            Error::Refused(refused) => Denied::Refused(self.refusal(refused)),
            Error::Full => Denied::Refused(Refused::Full),
            Error::Bound => Denied::Bound,
            // No other error comes from `adjust`, `emigrate` or `immigrate`, nor from a machine
            // that does as `Cores::carry` says.
            _ => Denied::Gone,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_byte() {
        assert_eq!(size_of::<Error>(), 1);
        assert_eq!(size_of::<Result<(), Error>>(), 1);
    }
}
