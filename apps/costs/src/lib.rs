//! What the kernel's calls cost, in instructions of an emulated processor.
//!
//! There is an image for each policy. What is measured, and with how many threads, is on the
//! emulator's command line:
//!
//! | | |
//! |---|---|
//! | `calls N` | calls, while `N` less urgent threads are ready (`calls`) |
//! | `decision N` | the policy alone, with `N` less urgent threads ready (`decision`) |
//! | `adjust N` | the policy alone, one of `N` ready tasks gets other parameters |
//! | `release N` | `N` threads are released at one instant (`releases`) |
//! | `first N` | the same, up to the first of them |
//! | `tick N` | a tick with nothing to do, while `N` threads sleep; needs the feature `tick` |
//!
//! Others have no policy of interest, but queues: `QUEUE N` ([`queues`]); servers whose budgets are used
//! up: `hard N` or `soft N` ([`budgets`]); controllers of reservations: `calm N` or `busy N` ([`controllers`]); SOOS with tasks that compute:
//! `SLOTS PERIOD TURNS PERIOD TURNS …` ([`slots`]); and the policy of SOOS alone, activity by activity
//! ([`activities`]).
//!
//! A figure is a line of four words, `name sum count worst`: what `count` of them took together,
//! and the longest of them. All are instructions of an emulated core, not times of any hardware; an
//! exception's entry and exit count for none.
#![no_std]
#![allow(
    clippy::inline_always,
    reason = "what is between two marks has to be what is measured, and nothing else"
)]

pub mod activities;
pub mod budgets;
mod calls;
pub mod controllers;
pub mod decision;
mod mark;
mod output;
pub mod queues;
mod releases;
pub mod slots;

#[doc(hidden)]
pub use flyball_app;

use flyball_app::policy::{Group, Grouped, LinuxTask, Policy};
use flyball_app::seam::Binding;
use flyball_app::{Duration, Error, Priority, Stack, Thread, Time, Timing, spawn};

/// Whether calls make sure that what they name exists.
pub const CHECKS: bool = cfg!(feature = "checks");
/// Whether CPU time is counted.
pub const ACCOUNTING: bool = cfg!(feature = "accounting");
/// Whether stacks are guarded.
pub const GUARDED: bool = cfg!(feature = "guarded");
/// Whether threads have jobs.
pub const JOBS: bool = cfg!(feature = "jobs");

/// Where events go.
#[cfg(feature = "traced")]
pub type Trace = flyball_trace::Ring<64>;
/// Where events go.
#[cfg(not(feature = "traced"))]
pub type Trace = flyball_trace::NoTrace;

/// When the kernel looks at the clock.
pub const TIMING: Timing = if cfg!(feature = "tick") {
    Timing::Tick(PERIOD)
} else {
    Timing::Tickless
};

/// When all threads start: so late that they have all been made by then, which takes about 1 µs an
/// instruction.
const START: Time = Time::from_nanos(1_000_000_000);

/// How far releases, and ticks, are apart: the longest round of releases is shorter by far.
const PERIOD: Duration = Duration::from_millis(200);

/// The most threads beside those that measure.
const MOST: usize = 125;

/// So many words are enough for a thread that does not print.
static STACKS: [Stack<128>; MOST] = [const { Stack::new() }; MOST];
static PARTNERS: [Stack<128>; 2] = [const { Stack::new() }; 2];
static MEASURER: Stack<1024> = Stack::new();

/// How urgent a thread is. For a policy without urgency all are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rank {
    /// More urgent than the thread that measures; the smaller the number, the more.
    High(u16),
    /// As urgent as the thread that measures.
    Middle,
    /// Less urgent; the smaller the number, the more.
    Low(u16),
}

impl Rank {
    /// A number, the smaller, the more urgent: from 1 to 1,000.
    pub fn number(self) -> u64 {
        match self {
            Rank::High(n) => 1 + u64::from(n),
            Rank::Middle => 500,
            Rank::Low(n) => 501 + u64::from(n),
        }
    }

    /// A length of time, the shorter, the more urgent.
    pub fn length(self) -> Duration {
        Duration::from_secs(self.number())
    }

    /// A priority of those from 0 to 31: one for all of a kind.
    pub fn level(self) -> u8 {
        match self {
            Rank::High(_) => 9,
            Rank::Middle => 5,
            Rank::Low(_) => 1,
        }
    }
}

impl Rank {
    /// What it tells Linux's scheduler: a nice value for all of a kind.
    pub fn nice(self) -> LinuxTask {
        LinuxTask::normal(match self {
            Rank::High(_) => -10,
            Rank::Middle => 0,
            Rank::Low(_) => 10,
        })
    }

    /// What it tells a double-sorted policy with so many groups. The most urgent thread is in the
    /// first group and the one that measures in the last, so to go from the one to the other takes
    /// the most steps.
    pub fn in_group(self, groups: u8) -> Grouped<Priority> {
        let group = match self {
            Rank::High(_) => 0,
            Rank::Middle => groups.saturating_sub(1),
            // Below `groups`.
            #[expect(clippy::cast_possible_truncation)]
            Rank::Low(n) => (n % u16::from(groups.max(1))) as u8,
        };
        Grouped {
            speed: None,
            params: Priority(self.level()),
            group: Group(group),
        }
    }
}

/// What a policy knows of urgency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Urgency {
    /// Nothing: no thread is preempted, and a call that wakes a thread goes on.
    None,
    /// A thread that is as urgent as another stays so.
    Constant,
    /// It changes while a thread runs, so that no thread is another's equal for long, and to yield
    /// means nothing.
    Moving,
}

/// The `n`-th of many.
fn nth(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

/// Makes the threads for what the command line says.
///
/// # Errors
/// What the kernel says.
pub fn prepare<B: Binding, P: Policy<Params = B::Params>>(
    make: impl FnOnce() -> P,
    params: impl Fn(Rank) -> B::Params,
    urgency: Urgency,
) -> Result<(), Error> {
    let (what, n) = output::asked(output::What::find);
    let once = Thread::once().start(START);
    let make_thread =
        |stack, rank, body: fn()| spawn::<B, 128>(stack, once, params(rank), body).map(drop);
    match what {
        output::What::Calls => {
            // Those that are equals run in the order in which they are made.
            calls::attach()?;
            if urgency != Urgency::None {
                make_thread(&PARTNERS[0], Rank::High(0), calls::higher)?;
            }
            spawn::<B, 1024>(&MEASURER, once, params(Rank::Middle), move || {
                calls::measure(urgency);
            })?;
            if urgency != Urgency::Moving {
                make_thread(&PARTNERS[1], Rank::Middle, calls::equal)?;
            }
            for (k, stack) in STACKS.iter().enumerate().take(n) {
                make_thread(stack, Rank::Low(nth(k)), calls::ready)?;
            }
        }
        output::What::Decision => decision::measure(make, params, n, urgency),
        output::What::Adjust => decision::adjust(make, params, n),
        output::What::Release | output::What::First | output::What::Tick
            if urgency == Urgency::None =>
        {
            output::fail("the policy has no urgency");
        }
        output::What::Release | output::What::First | output::What::Tick => {
            let body = match what {
                output::What::First => releases::first_sleeper,
                output::What::Tick => releases::long_sleeper,
                _ => releases::sleeper,
            };
            let released = if JOBS {
                Thread::periodic(PERIOD).start(START)
            } else {
                once
            };
            for (k, stack) in STACKS.iter().enumerate().take(n) {
                spawn::<B, 128>(stack, released, params(Rank::High(nth(k))), body)?;
            }
            let low = params(Rank::Low(0));
            spawn::<B, 1024>(&MEASURER, once, low, move || releases::measure(what))?;
        }
    }
    Ok(())
}

/// An image for a policy: its type, how it is made, what it knows of [`Urgency`], and what a thread
/// of some [`Rank`] tells it.
#[macro_export]
macro_rules! image {
    (policy: $policy:ty = $make:expr, urgency: $urgency:expr, params: $params:expr $(,)?) => {
        type Measured = $policy;

        $crate::flyball_app::kernel! {
            machine: flyball_machine_cortexm,
            policy: Measured = $make,
            trace: $crate::Trace = $crate::Trace::default(),
            init: init,
            conditions: false,
            threads: 128,
            queues: 2,
            messages: 16,
            jobs: $crate::JOBS,
            arrivals: 0,
            accounting: $crate::ACCOUNTING,
            checks: $crate::CHECKS,
            guarded: $crate::GUARDED,
            timing: $crate::TIMING,
        }

        fn init() -> Result<(), $crate::flyball_app::Error> {
            $crate::prepare::<Application, Measured>(|| $make, $params, $urgency)
        }
    };
}
