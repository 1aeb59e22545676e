//! What the kernel knows of one thread.
//!
//! ```text
//!             spawn                      release
//!   Absent ---------->  Dormant ----------------------> Ready <-- wake --- Blocked
//!      ^                   ^                             |  |                 ^
//!      |                   +---- wait_next, abort -------+  +---- wait, … ----+
//!      +-------------------------- exit ------------------+
//! ```
//!
//! A running thread is a ready one that a CPU has.

use crate::SemaphoreId;
use crate::jobs::{OnMiss, Release};
use crate::objects::Held;
use flyball_policy::queue::links::List;
use flyball_trace::{Duration, Object, Slot, TaskId, Time};

/// A thread, as its users name it. It stays unique after the thread has ended, when its row in the
/// table may belong to another one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadId {
    pub(crate) task: TaskId,
    pub(crate) generation: u32,
}

impl ThreadId {
    /// The thread that was the `generation`-th in its row. Calls that name one that there is not
    /// say [`Error::Dead`](crate::Error::Dead) or [`Error::Unknown`](crate::Error::Unknown).
    pub const fn new(task: TaskId, generation: u32) -> ThreadId {
        ThreadId { task, generation }
    }

    /// Which thread in its row it is.
    pub const fn generation(self) -> u32 {
        self.generation
    }

    /// The row of the thread, by which policy and trace know it.
    pub fn task(self) -> TaskId {
        self.task
    }
}

/// How a thread's jobs are released and watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attributes<P = u16> {
    /// How its jobs are released.
    pub release: Release,
    /// When the first job is released, or the earliest instant at which it may be.
    pub start: Time,
    /// Relative deadline of each job; `None`: deadlines are not watched.
    pub deadline: Option<Duration>,
    /// What happens when a job is late.
    pub on_miss: OnMiss,
    /// A semaphore that is signalled once for each job that is late, so that the thread which waits
    /// for it handles the miss. `None`: no semaphore is signalled.
    pub alert: Option<SemaphoreId<P>>,
}

impl<P> Attributes<P> {
    /// Whether there is nothing to keep of its jobs: there is one, whose deadline is not watched.
    pub(crate) fn is_trivial(&self) -> bool {
        self.release == Release::Once && self.deadline.is_none_or(|length| length == Duration::MAX)
    }

    /// A thread that starts at once and runs until it ends.
    pub const THREAD: Attributes<P> = Attributes {
        release: Release::Once,
        start: Time::ZERO,
        deadline: None,
        on_miss: OnMiss::Continue,
        alert: None,
    };

    /// A periodic thread whose deadline is the next release.
    pub const fn periodic(period: Duration) -> Attributes<P> {
        Attributes {
            release: Release::Periodic { period },
            deadline: Some(period),
            ..Attributes::THREAD
        }
    }

    /// A sporadic thread whose deadline is the earliest instant of the next release.
    pub const fn sporadic(separation: Duration) -> Attributes<P> {
        Attributes {
            release: Release::Sporadic { separation },
            deadline: Some(separation),
            ..Attributes::THREAD
        }
    }
}

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// There is no such thread.
    Absent,
    /// It waits for the release of its next job.
    Dormant,
    /// It can run, or it runs.
    Ready,
    /// It waits in the middle of a job. For which mutex, semaphore or condition variable, [`Thread::place`] says.
    Blocked(Object),
}

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// What was waited for has come.
    Done,
    /// It has not come in time.
    TimedOut,
    /// [`Core::rouse`](crate::Core::rouse).
    Roused,
}

/// One row of the table of threads.
#[derive(Clone, Copy)]
pub(crate) struct Thread<P> {
    pub(crate) state: State,
    pub(crate) generation: u32,
    /// Whether its wait has an end. That is its alarm; or, if it has [`crate::jobs::Jobs`] and so
    /// more than one thing to be alarmed for, kept there.
    pub(crate) limited: bool,
    /// It has been unparked, and it has not parked since.
    pub(crate) token: bool,
    /// How its last wait ended.
    pub(crate) outcome: Outcome,
    /// Whether its last job was given up, so that its program has to begin the next job anew.
    pub(crate) restart: bool,
    /// The mutex to take again after waiting on a condition variable.
    pub(crate) reacquire: Option<P>,
    /// The mutex, semaphore or condition variable that it waits for.
    pub(crate) place: Option<P>,
    /// If it is the first that waits for a mutex.
    pub(crate) held: Held,
    /// The first waiter of a mutex that it owns; those of others follow in [`Held::next`].
    pub(crate) wanted: Slot,
    /// The thread whose urgency it inherits.
    pub(crate) donor: Slot,
    /// The threads that wait for its end.
    pub(crate) joiners: List,
}

impl<P> Default for Thread<P> {
    fn default() -> Thread<P> {
        Thread {
            state: State::Absent,
            generation: 0,
            limited: false,
            token: false,
            outcome: Outcome::Done,
            restart: false,
            reacquire: None,
            place: None,
            held: Held::NONE,
            wanted: Slot::EMPTY,
            donor: Slot::EMPTY,
            joiners: List::EMPTY,
        }
    }
}
