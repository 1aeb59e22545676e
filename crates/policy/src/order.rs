//! Orders: what makes one task more urgent than another.
//!
//! An order turns a task's parameters and the release of its job into a *key*; the smaller the
//! key, the more urgent. Keys are compared and nothing else, so any queue can keep any order.

use crate::by_rank::StaticOrder;
use crate::policy::{Excess, Parameter, Refused};
use flyball_trace::{Duration, Time};

/// A rule by which tasks are ranked.
pub trait Order {
    /// What a task tells about itself. The default stands where no task is, and is never ranked.
    type Params: Copy + Default;

    /// The rank of a job: smaller is more urgent.
    type Key: Copy + Ord + Default;

    /// What is left of a task's time slice: `()` where there are none, a [`Duration`] where a task
    /// that has used up its quantum goes behind its equals.
    type Slice: TimeSlice;

    /// Whether a job's key changes while it runs; if so, [`Order::ran`] says how, and the choice is
    /// made again every [`Order::quantum`].
    const DYNAMIC: bool = false;

    /// The key of a job released at `release`.
    fn key(&self, params: &Self::Params, release: Time) -> Self::Key;

    /// The key of the present job, which had `key`, after its task got new parameters. Orders in
    /// which the job matters leave it as it is: the new parameters count from the next job on.
    fn adjusted(&self, _params: &Self::Params, key: Self::Key) -> Self::Key {
        key
    }

    /// The key of a job that had `key` and then ran for `time`. Only used where [`Order::DYNAMIC`].
    fn ran(&self, key: Self::Key, _time: Duration) -> Self::Key {
        key
    }

    /// How long a task with these parameters may run before the choice is made again; `None`: until
    /// something happens. So tasks with and without time slices may stand side by side, as those of
    /// `SCHED_RR` and `SCHED_FIFO` do.
    fn quantum(&self, _params: &Self::Params) -> Option<Duration> {
        None
    }

    /// Checks whether a task may have these parameters.
    ///
    /// # Errors
    /// [`Refused::Invalid`], [`Refused::Overload`].
    fn check(&self, _params: &Self::Params) -> Result<(), Refused> {
        Ok(())
    }
}

/// What is left of a task's time slice.
pub trait TimeSlice: Copy {
    /// Whether there are time slices: a task that has used up its own goes behind its equals.
    const ROTATES: bool;

    /// A time slice of this length; `None`: one that does not end.
    fn full(quantum: Option<Duration>) -> Self;

    /// What is left after running for `time`.
    #[must_use]
    fn spend(self, time: Duration) -> Self;

    /// What is left; `None`: there are no time slices.
    fn remaining(self) -> Option<Duration>;

    /// Whether nothing is left.
    fn is_spent(self) -> bool {
        self.remaining().is_some_and(Duration::is_zero)
    }
}

/// No time slices.
impl TimeSlice for () {
    const ROTATES: bool = false;

    fn full(_: Option<Duration>) -> Self {}

    fn spend(self, _: Duration) -> Self {}

    fn remaining(self) -> Option<Duration> {
        None
    }
}

/// [`Duration::MAX`], 584 years, does not end.
impl TimeSlice for Duration {
    const ROTATES: bool = true;

    fn full(quantum: Option<Duration>) -> Duration {
        quantum.unwrap_or(Duration::MAX)
    }

    fn spend(self, time: Duration) -> Duration {
        self.saturating_sub(time)
    }

    fn remaining(self) -> Option<Duration> {
        Some(self)
    }
}

/// A fixed priority: the larger, the more urgent (as in POSIX, `FreeRTOS` and Cheddar).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Priority(pub u8);

/// A period, or the least time between two releases.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Period(pub Duration);

/// A relative deadline, counted from a job's release. [`Duration::MAX`] puts a thread that has no
/// deadline behind all others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Deadline(pub Duration);

/// What least laxity has to know of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Laxity {
    /// The relative deadline.
    pub deadline: Duration,
    /// The worst-case execution time of one job, at most the deadline.
    pub wcet: Duration,
}

/// # Errors
/// [`Refused::Invalid`] if the length is zero.
fn not_zero(length: Duration, parameter: Parameter) -> Result<(), Refused> {
    if length.is_zero() {
        return Err(Refused::Invalid(parameter));
    }
    Ok(())
}

/// Fixed priorities: the user says which task is urgent.
#[derive(Clone, Copy, Default, Debug)]
pub struct FixedPriority;

/// A fixed priority as a key: its complement, so that the most urgent is the smallest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Level(u8);

impl Level {
    /// The number of the level: 0 is the most urgent, 255 the least.
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl From<Priority> for Level {
    fn from(priority: Priority) -> Level {
        Level(u8::MAX - priority.0)
    }
}

impl Order for FixedPriority {
    type Params = Priority;
    type Key = Level;
    type Slice = ();

    fn key(&self, &priority: &Priority, _: Time) -> Level {
        priority.into()
    }

    fn adjusted(&self, &priority: &Priority, _: Level) -> Level {
        priority.into()
    }
}

/// Rate monotonic: the shorter the period, the more urgent. Optimal among fixed priorities where
/// deadlines equal periods (Liu and Layland 1973).
#[derive(Clone, Copy, Default, Debug)]
pub struct RateMonotonic;

impl Order for RateMonotonic {
    type Params = Period;
    type Key = Duration;
    type Slice = ();

    fn key(&self, period: &Period, _: Time) -> Duration {
        period.0
    }

    fn adjusted(&self, period: &Period, _: Duration) -> Duration {
        period.0
    }

    fn check(&self, period: &Period) -> Result<(), Refused> {
        not_zero(period.0, Parameter::Period)
    }
}

impl StaticOrder for RateMonotonic {}

/// Deadline monotonic: the shorter the relative deadline, the more urgent. Optimal among fixed
/// priorities where deadlines are at most the periods (Leung and Whitehead 1982).
#[derive(Clone, Copy, Default, Debug)]
pub struct DeadlineMonotonic;

impl Order for DeadlineMonotonic {
    type Params = Deadline;
    type Key = Duration;
    type Slice = ();

    fn key(&self, deadline: &Deadline, _: Time) -> Duration {
        deadline.0
    }

    fn adjusted(&self, deadline: &Deadline, _: Duration) -> Duration {
        deadline.0
    }

    fn check(&self, deadline: &Deadline) -> Result<(), Refused> {
        not_zero(deadline.0, Parameter::Deadline)
    }
}

impl StaticOrder for DeadlineMonotonic {}

/// Earliest deadline first: the nearer the absolute deadline, the more urgent. Optimal on one CPU
/// (Liu and Layland 1973; Dertouzos 1974).
#[derive(Clone, Copy, Default, Debug)]
pub struct EarliestDeadline;

impl Order for EarliestDeadline {
    type Params = Deadline;
    type Key = Time;
    type Slice = ();

    fn key(&self, deadline: &Deadline, release: Time) -> Time {
        release + deadline.0
    }

    fn check(&self, deadline: &Deadline) -> Result<(), Refused> {
        not_zero(deadline.0, Parameter::Deadline)
    }
}

/// Least laxity first: the less time a job could still afford to wait, the more urgent (Mok 1983).
///
/// At any instant, laxity = absolute deadline − now − remaining execution. Since `now` is the same
/// for all, the order is that of *deadline − remaining*, the latest instant at which a job that is
/// not served yet could start. This is constant while a job waits and grows while it runs, so the
/// key of a waiting task never changes in its queue. Two jobs of equal laxity would preempt each
/// other without end; the choice is therefore made only at events and every
/// [`LeastLaxity::quantum`], and the running job keeps the CPU in a tie.
///
/// A job without a deadline ([`Duration::MAX`]) runs behind all others. One that runs beyond its
/// `wcet` sinks behind its deadline, and so yields to jobs that keep to theirs.
#[derive(Clone, Copy, Debug)]
pub struct LeastLaxity {
    /// How long a job runs before laxities are compared again; not zero.
    pub quantum: Duration,
}

impl Default for LeastLaxity {
    fn default() -> LeastLaxity {
        LeastLaxity {
            quantum: Duration::from_millis(1),
        }
    }
}

impl Order for LeastLaxity {
    type Params = Laxity;
    type Key = Time;
    type Slice = ();

    const DYNAMIC: bool = true;

    fn key(&self, params: &Laxity, release: Time) -> Time {
        match release + params.deadline {
            // Without a deadline there is no latest start, however much there is to do.
            Time::NEVER => Time::NEVER,
            deadline => deadline - params.wcet,
        }
    }

    fn ran(&self, latest_start: Time, time: Duration) -> Time {
        latest_start + time
    }

    fn quantum(&self, _: &Self::Params) -> Option<Duration> {
        Some(self.quantum)
    }

    /// # Errors
    /// [`Refused::Overload`] if a job alone on a CPU would miss its deadline.
    fn check(&self, &Laxity { deadline, wcet }: &Laxity) -> Result<(), Refused> {
        not_zero(deadline, Parameter::Deadline)?;
        if wcet > deadline {
            let excess = Excess::of(wcet, deadline);
            return Err(Refused::Overload { excess });
        }
        Ok(())
    }
}

/// First in, first out: the task that became ready first runs until it is done or waits.
#[derive(Clone, Copy, Default, Debug)]
pub struct Fifo;

impl Order for Fifo {
    type Params = ();
    type Key = ();
    type Slice = ();

    fn key(&self, (): &(), _: Time) {}
}

/// Another order with time slices: a task that has used up its own goes behind the others with the
/// same key. Preemption by a more urgent task does not cost a task its slice: it goes on ahead of
/// its equals with what is left of it (as `SCHED_RR` does in POSIX). Blocking does: a task that
/// comes back starts at the end with a whole slice.
#[derive(Clone, Copy, Default, Debug)]
pub struct RoundRobin<O> {
    /// The order between tasks that are not equal.
    pub order: O,
    /// The length of a time slice; not zero.
    pub quantum: Duration,
}

impl<O: Order> Order for RoundRobin<O> {
    type Params = O::Params;
    type Key = O::Key;
    type Slice = Duration;

    const DYNAMIC: bool = O::DYNAMIC;

    fn key(&self, params: &O::Params, release: Time) -> O::Key {
        self.order.key(params, release)
    }

    fn adjusted(&self, params: &O::Params, key: O::Key) -> O::Key {
        self.order.adjusted(params, key)
    }

    fn ran(&self, key: O::Key, time: Duration) -> O::Key {
        self.order.ran(key, time)
    }

    fn quantum(&self, _: &Self::Params) -> Option<Duration> {
        Some(self.quantum)
    }

    fn check(&self, params: &O::Params) -> Result<(), Refused> {
        self.order.check(params)
    }
}
