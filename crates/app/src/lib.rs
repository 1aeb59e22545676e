//! What an application for Flyball's kernel is written with.
//!
//! ```
//! use flyball_app::prelude::*;
//! use flyball_app::println;
//! # // The program's `main` is made by a macro, which rustdoc has to be told.
//! # macro_rules! made { () => { fn main() {} } }
//!
//! flyball_app::kernel! {
//!     machine: flyball_machine_host,
//!     policy: FixedPriorities<8> = FixedPriorities::new(FixedPriority, 8),
//!     init: init,
//! }
//!
//! static BLINK: Stack<512> = Stack::new();
//!
//! fn init() -> Result<(), Error> {
//!     let blink = Thread::periodic(Duration::from_millis(250));
//!     spawn(&BLINK, blink, Priority(1), || {
//!         for light in ["on", "off", "on", "off"] {
//!             println!("light {light}");
//!             wait_next();
//!         }
//!     })?;
//!     Ok(())
//! }
//! ```
//!
//! Threads are made from a static [`Stack`], a [`Thread`] that says when its jobs are released,
//! what the policy wants to know (here a [`Priority`]), and a body. What they share are statics as
//! well:
//!
//! | | |
//! |---|---|
//! | [`Mutex`] | data for one thread at a time, with priority inheritance |
//! | [`Semaphore`] | to wait for something that another thread or an interrupt tells |
//! | [`Condition`] | to wait, under a mutex, until something has changed |
//! | [`Queue`] | messages |
//! | [`Interrupt`], [`set_timer`] | handlers, and a timer |
//! | [`wait_next`], [`wait_next_with`], [`sleep`], [`now`], … | the thread's own time |
//! | [`Server`], [`budget_left`] | CPU time that is kept for some threads, under policies with servers |
//! | [`Task`], [`policy_of`] | tasks described once, for any policy of the catalogue |
//! | [`Schedule`] | what happened, in a file that `flyball inspect` reads |
//! | [`kernel!`] | the one place that chooses policy, sizes, tracing and accounting |
//!
//! Nothing here needs a heap, and nothing is generic over the kernel, whose functions the linker
//! finds ([`seam`]); so libraries can use all this without knowing for which policy or machine.
//!
//! # Unsafe code
//!
//! There is some in two places: in the seam, and where data is kept (`mutex`, `queue` and
//! `message`). Besides, one function is unsafe to call, [`spawn_abortable`].
//!
//! The kernel's table of mutexes can trust its callers because no code can name the kernel that
//! [`kernel!`] makes. Policies and sinks that an application brings itself run *inside* the kernel,
//! and must not call these functions.
#![no_std]

mod condition;
mod configuration;
mod gauge;
mod interrupt;
#[doc(hidden)]
pub mod message;
mod mutex;
mod queue;
mod schedule;
#[doc(hidden)]
pub mod seam;
mod semaphore;
mod server;
mod task;
#[doc(hidden)]
pub mod text;
mod thread;
mod time;

pub use condition::Condition;
pub use configuration::Settings;
pub use flyball_catalogue as catalogue;
pub use flyball_kernel::{Error, Protocol, ThreadId, Timing};
pub use flyball_policy as policy;
pub use flyball_policy::order::Level;
pub use flyball_policy::servers::{Reservation, Seat};
pub use flyball_policy::{
    Bitmap, Budget, ByRank, Deadline, EarliestDeadline, FixedPriority, Global, Heap, Inline,
    Policy, Priority, Ranked, SortedRing,
};
pub use flyball_trace::{Duration, NoTrace, Ring, Sink, Time};
pub use gauge::Gauge;
pub use interrupt::{Interrupt, set_timer};
pub use mutex::{Mutex, MutexGuard};
pub use queue::Queue;
pub use schedule::{Described, Schedule, ScheduleBuffer};
pub use semaphore::Semaphore;
pub use server::Server;
pub use task::{PolicyOf, Task, policy_of};
pub use text::shut_down;
pub use thread::{Handle, Stack, Thread, spawn, spawn_abortable};
pub use time::{
    budget_left, compute, control, counters, cpu_time, exit, idle_time, misses, now, park,
    park_until, set_tick, sleep, sleep_until, wait_next, wait_next_with, yield_now,
};

/// Fixed priorities for up to `N` threads.
pub type FixedPriorities<const N: usize> = Ranked<FixedPriority, Bitmap<Level, Inline<N>>>;

/// Earliest deadline first for up to `N` threads.
pub type EarliestDeadlines<const N: usize> =
    Ranked<EarliestDeadline, <Inline<N> as policy::Storage>::Sorted<Time>>;

/// Fixed priorities for up to `N` threads on up to `CPUS` CPUs, all of which run any of them.
pub type GlobalFixedPriorities<const N: usize, const CPUS: usize> =
    Global<FixedPriority, Bitmap<Level, Inline<N>>, Inline<CPUS>>;

/// Earliest deadline first for up to `N` threads on up to `CPUS` CPUs, all of which run any of
/// them.
pub type GlobalEarliestDeadlines<const N: usize, const CPUS: usize> =
    Global<EarliestDeadline, Heap<Time, Inline<N>>, Inline<CPUS>>;

/// What an application usually needs. (`spawn` comes from its [`kernel!`].)
pub mod prelude {
    pub use crate::{
        Condition, Deadline, Duration, EarliestDeadline, EarliestDeadlines, Error, FixedPriorities,
        FixedPriority, Interrupt, Mutex, Priority, Queue, Semaphore, Stack, Thread, Time, compute,
        exit, now, park, set_timer, shut_down, sleep, sleep_until, wait_next, wait_next_with,
        yield_now,
    };
}

/// What [`kernel!`] needs, wherever it is called.
#[doc(hidden)]
pub mod __private {
    pub use crate::configuration::{Choice, If};
    pub use crate::message::Message;
    pub use crate::seam::Object;
    pub use core::ffi::CStr;
    pub use core::sync::atomic::{AtomicBool, AtomicI16, AtomicU32, Ordering};
    pub use core::task::Poll;
    pub use flyball_kernel::{
        At, Attributes, ConditionId, Config, Core, Error, GaugeId, InMemory, MutexId, QueueId,
        SemaphoreId, ThreadId,
    };
    pub use flyball_policy::{Budget, Counts, Nothing};
    pub use flyball_port::{FileContents, Machine};
    pub use flyball_trace::{Duration, NoTrace, Time};
}
