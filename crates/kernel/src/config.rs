//! The choices that are made when a kernel is compiled.

use crate::message::Message;
use crate::objects::ObjectStore;
use crate::stamp::Stamp;
use flyball_policy::{Policy, Storage};
use flyball_trace::{Duration, Sink};

/// What a kernel consists of. A type that implements this is all that a kernel is generic over.
///
/// ```
/// use flyball_kernel::{Config, Numbered};
/// use flyball_policy::{Bitmap, FixedPriority, Inline, Nothing, Ranked};
/// use flyball_policy::order::Level;
/// use flyball_trace::{NoTrace, Time};
///
/// struct Small;
/// impl Config for Small {
///     type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<16>>>;
///     type Trace = NoTrace;
///     type Message = u32;
///     type Stamp = Time;
///     type Cpus = Inline<1>;
///     type Threads = Inline<16>;
///     type Objects = Numbered<Inline<4>, Inline<4>, Inline<1>>;
///     type Owned = Nothing;
///     type Ceilings = Nothing;
///     type Queues = Inline<2>;
///     type Messages = Inline<8>;
///     type Jobs = Inline<16>;
///     type Arrivals = Inline<4>;
///     type Accounts = Inline<16>;
///     type Counts = Nothing;
///     type Budgets = Nothing;
/// }
/// ```
pub trait Config {
    /// The policy that decides.
    type Policy: Policy;
    /// Where events go.
    type Trace: Sink;
    /// What the message queues carry.
    type Message: Message;
    /// What is read of the machine's clock to count CPU time.
    type Stamp: Stamp;
    /// The table of CPUs.
    type Cpus: Storage;
    /// The tables of threads.
    type Threads: Storage;
    /// Where mutexes, semaphores and condition variables are: [`Numbered`](crate::Numbered) or
    /// [`InMemory`](crate::InMemory).
    type Objects: ObjectStore<Place: 'static>;
    /// Mutexes of [`InMemory`](crate::InMemory) that threads may own, or wait for, whose late jobs are given up;
    /// [`Nothing`](flyball_policy::Nothing) where there are no such threads, or they lock nothing.
    type Owned: Storage;
    /// The priority ceilings of threads ([`Core::raise`](crate::Core::raise)): as many rows as [`Config::Threads`] has, or
    /// [`Nothing`](flyball_policy::Nothing) where there are none.
    type Ceilings: Storage;
    /// The table of message queues.
    type Queues: Storage;
    /// The messages in all queues together.
    type Messages: Storage;
    /// The jobs of threads that are released by the clock or by events, or whose deadlines are
    /// watched: as many rows as [`Config::Threads`] has, or
    /// [`Nothing`](flyball_policy::Nothing) where all threads just start and run.
    type Jobs: Storage;
    /// Jobs of sporadic threads that wait for an earlier job of the same thread to end.
    type Arrivals: Storage;
    /// The CPU time of threads: as many rows as [`Config::Threads`] has, or
    /// [`Nothing`](flyball_policy::Nothing) where no caller asks for it.
    type Accounts: Storage;
    /// What the processor's counters say of threads: as many rows as [`Config::Threads`] has, where the
    /// policy wants to know ([`Wants::counts`](flyball_policy::Wants::counts)) or a caller asks
    /// ([`Core::counts`](crate::Core::counts)). Otherwise [`Nothing`](flyball_policy::Nothing).
    type Counts: Storage;
    /// What is kept of servers, where their budgets are traced ([`Sink::BUDGETS`]) or with
    /// [`Config::OVERRUNS`]: as many rows as [`Config::Threads`] has. Otherwise
    /// [`Nothing`](flyball_policy::Nothing).
    type Budgets: Storage;

    /// Whether CPU time is counted. Where it is not, and neither policy nor trace need the clock,
    /// the times that a machine passes to most calls are not looked at.
    const ACCOUNTING: bool = true;

    /// Whether there are mutexes, semaphores and condition variables that threads wait for. Where there are not, there
    /// is no code for it.
    const OBJECTS: bool = true;

    /// Whether there are condition variables that threads wait on.
    const CONDITIONS: bool = Self::OBJECTS;

    /// Whether waits may have limits: calls that wait until some instant. Where they may not, a call with one that would
    /// have to wait says [`Error::Full`](crate::Error::Full); threads may sleep all the same, and not wait at all.
    const TIMEOUTS: bool = true;

    /// Whether semaphores can be signalled where budgets of servers are used up
    /// ([`Core::on_exhaust`](crate::Core::on_exhaust)).
    const OVERRUNS: bool = false;

    /// Whether threads may note their ceilings in memory, which are applied lazily ([`Core::register_ceilings`](crate::Core::register_ceilings)).
    const LAZY_CEILINGS: bool = false;

    /// A thread that has these [`Ceilings`](crate::Ceilings) is at least as urgent as a task with the parameters returned; `None`:
    /// it has none.
    fn ceiling(_bits: u32) -> Option<<Self::Policy as Policy>::Params> {
        None
    }

    /// Whether calls make sure that there is a caller, and that the objects they name exist. Where
    /// they do not, such a mistake hits another thread or object, but no other memory. To a machine
    /// this is also the promise that there are no calls before the kernel is set up, as
    /// applications that are made by `flyball_app::kernel!` cannot.
    const CHECKS: bool = true;

    /// Whether there may be a periodic tick. Where there may not, [`Timing::Tick`] is taken for
    /// [`Timing::Tickless`].
    const TICKS: bool = true;
}

/// How many rows the tables have whose storage does not say so by its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// CPUs of the cluster.
    pub cpus: usize,
    /// Threads.
    pub threads: usize,
    /// Mutexes.
    pub mutexes: usize,
    /// Semaphores.
    pub semaphores: usize,
    /// Condition variables.
    pub conditions: usize,
    /// Message queues.
    pub queues: usize,
    /// Messages in all queues together.
    pub messages: usize,
    /// Waiting jobs of sporadic threads.
    pub arrivals: usize,
}

impl Sizes {
    /// One CPU, and nothing else that the types of the tables do not say: they are all arrays.
    pub const FIXED: Sizes = Sizes {
        cpus: 1,
        threads: 0,
        mutexes: 0,
        semaphores: 0,
        conditions: 0,
        queues: 0,
        messages: 0,
        arrivals: 0,
    };
}

/// When the kernel looks at the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Timing {
    /// The timer is set to the very instant of the next release, deadline, end of a wait or end of
    /// a burst.
    #[default]
    Tickless,
    /// A periodic tick of this length. What falls between two ticks happens at the later one: a
    /// job with a period of 15 ms on a tick of 10 ms waits until 20 ms (Gracioli et al., 3.1).
    Tick(Duration),
}
