//! What the kernel's own work costs on this very processor, in nanoseconds, and what Linux's costs
//! beside it, measured in one run.
//!
//! The kernel core is a state machine without hardware, so the code that drives it can time it: a
//! call, a release, a decision. The processor's time-stamp counter is read before and after, and
//! what reading it costs is subtracted. Nothing is left out of the results: what the host
//! interrupts is counted as an outlier, told apart by a rule that is stated ([`stats`]), and the
//! mean is given with and without.
//!
//! | module | what |
//! |---|---|
//! | [`plan`] | what is measured, and how often |
//! | [`measurements`] | what came out, as plain data |
//! | [`stats`] | samples, and what is said of them |
//! | [`clock`] | the time-stamp counter |
//! | [`kernel`](mod@kernel) | the kernel core, and the host machine's switch |
//! | [`counters`] | what the processor's counters count |
//! | [`generators`] | programs whose behaviour is known, to be counted |
//! | [`linux`] | threads and wake-ups of the operating system |
//! | [`cache`] | what a preemption or a migration does to a job's working set |
//!
//! The counter is that of x86-64 processors. Elsewhere this crate compiles, and [`measure`] says
//! that it cannot; on systems other than Linux the kernel is measured, and the operating system is
//! not.
//!
//! This is a crate near the machine: it has `unsafe` code, in [`clock`], in `kernel::host` and in
//! `linux`, each block with its reason.

pub mod cache;
pub mod clock;
pub mod counters;
pub mod generators;
pub mod kernel;
pub mod linux;
pub mod measurements;
pub mod plan;
mod processor;
pub mod stats;

pub use clock::Clock;
pub use generators::Generator;
pub use measurements::Measurements;
pub use plan::{Plan, PlanError, Policy, Queue};
pub use stats::{Samples, Summary};

use core::fmt;
use core::ops::ControlFlow;

/// How far a measurement has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress<'a> {
    /// What is being measured.
    pub what: &'a str,
    /// How many parts are done.
    pub done: usize,
    /// How many there are.
    pub of: usize,
}

/// Told how far a measurement has come; may end it.
pub type Watch<'a> = dyn FnMut(Progress<'_>) -> ControlFlow<()> + 'a;

/// Why nothing was measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// The plan asks for what there is not.
    Plan(PlanError),
    /// This processor has no counter that can be read as is needed here, for this reason.
    Processor(&'static str),
    /// The kernel refused a call that it cannot refuse: a fault in Flyball.
    Kernel(flyball_kernel::Error),
    /// A measured policy has to know more of a task than a measurement says: a fault in Flyball.
    Missing(flyball_catalogue::Missing),
    /// The default settings of a measured policy do not go together: a fault in Flyball.
    Settings(&'static str),
    /// The watcher wanted no more.
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Plan(error) => error.fmt(f),
            Error::Processor(why) => write!(f, "this processor cannot be measured: {why}"),
            Error::Kernel(error) => write!(f, "the kernel refused a call: {error}"),
            Error::Missing(missing) => write!(f, "a measured task {missing}"),
            Error::Settings(why) => write!(f, "the default settings of a policy: {why}"),
            Error::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl core::error::Error for Error {}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Error {
        Error::Plan(error)
    }
}

impl From<flyball_kernel::Error> for Error {
    fn from(error: flyball_kernel::Error) -> Error {
        Error::Kernel(error)
    }
}

/// Counts the parts of a measurement, and asks after each whether to go on.
pub(crate) struct Pace<'a, 'w> {
    watch: &'a mut Watch<'w>,
    done: usize,
    of: usize,
}

impl Pace<'_, '_> {
    /// The next part begins, which measures `what`.
    pub(crate) fn next(&mut self, what: &str) -> Result<(), Error> {
        let progress = Progress {
            what,
            done: self.done,
            of: self.of,
        };
        self.done += 1;
        match (self.watch)(progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Interrupted),
        }
    }
}

/// Measures what the plan asks for. It takes the calling thread, and threads of its own for what
/// needs several; the caller's affinity is restored in the end.
///
/// # Errors
/// [`Error`]. What Linux does not permit is no error: the result says so.
pub fn measure(plan: &Plan, watch: &mut Watch<'_>) -> Result<Measurements, Error> {
    plan.check()?;
    let clock = Clock::calibrate().map_err(Error::Processor)?;
    let mut pace = Pace {
        watch,
        done: 0,
        of: kernel::parts(plan) + linux::parts(plan) + cache::parts(plan),
    };
    let cpus = linux::cpus();
    let costs = {
        let _pinned = linux::Pinned::here();
        kernel::measure(plan, &clock, &mut pace)?
    };
    let linux = linux::measure(plan, &cpus, &clock, &mut pace)?;
    let (cache, no_counters) = cache::measure(plan, &cpus, &clock, &mut pace)?;
    Ok(Measurements {
        processor: processor::describe(&clock),
        cpus: plan.cpus,
        repetitions: plan.repetitions,
        is_optimised: !cfg!(debug_assertions),
        costs,
        linux,
        cache,
        no_counters,
    })
}
