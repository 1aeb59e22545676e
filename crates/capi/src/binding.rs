//! What an image defines for its policy: how threads are made, and how urgent they are.

use flyball_kernel::{Error, ThreadId};
use flyball_trace::Duration;

/// How a thread is scheduled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scheduling {
    /// From 1 to [`HIGHEST`]; the larger, the more urgent.
    pub priority: u8,
    /// How long a time slice among equals is; [`Duration::MAX`]: without end.
    pub quantum: Duration,
}

/// The highest priority of a thread.
pub const HIGHEST: u8 = 32;

/// A time slice of `SCHED_RR`.
pub const QUANTUM: Duration = Duration::from_millis(1);

// SAFETY: an image defines these with these types, as safe Rust functions.
unsafe extern "Rust" {
    /// Makes a thread that begins at `entry` with `argument` on `stack`, of which no word is lost at the end.
    ///
    /// # Errors
    /// As [`Core::spawn`](flyball_kernel::Core::spawn).
    pub(crate) safe fn _flyball_c_spawn(
        stack: &'static mut [usize],
        scheduling: Scheduling,
        entry: extern "C" fn(usize) -> !,
        argument: usize,
    ) -> Result<ThreadId, Error>;

    /// The calling thread is at least as urgent as one of this priority, as long as the next call says
    /// another one.
    ///
    /// # Errors
    /// As [`Core::raise`](flyball_kernel::Core::raise).
    pub(crate) safe fn _flyball_c_raise(priority: Option<u8>) -> Result<(), Error>;

    /// Schedules a thread in another way from now on.
    ///
    /// # Errors
    /// As [`Core::adjust`](flyball_kernel::Core::adjust).
    pub(crate) safe fn _flyball_c_adjust(
        thread: ThreadId,
        scheduling: Scheduling,
    ) -> Result<(), Error>;
}
