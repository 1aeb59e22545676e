//! Controllers above a policy.
//!
//! A policy decides at each instant. A *controller* acts on policies from time to time: it reads
//! what happened, and turns knobs. What it reads and turns is the *plant*; that is the same object
//! for a controller in the simulator, in a thread of a machine, or in the kernel core. After Leva
//! and Maggio's view of a scheduler as a controller (F. Terraneo's thesis, chapter 2): the outer
//! loop of a cascade whose inner loop is the policy.
//!
//! ```text
//!              used, misses, lost
//!   plant  ──────────────────────────>  controller
//!     ^                                     │
//!     └───────── adjust, migrate <──────────┘
//! ```
//!
//! Readings are on one side and knobs on the other, as in [`Policy`]: a reading is a method of
//! [`Plant`] and a flag of [`Reads`], so that a plant can leave out what its controller does not
//! read. Tasks and CPUs have the numbers of the whole machine here, and keep them wherever a task
//! goes.

use crate::policy::{Policy, Refused};
use core::fmt;
use flyball_trace::{CpuId, Duration, TaskId, Time};

/// What acts on a plant from time to time. Pure: it knows time only as it is told.
pub trait Controller<P: Policy> {
    /// What it reads. What it does not read a plant need not know.
    const READS: Reads;

    /// Returns when it runs next; [`Time::NEVER`]: not any more. Changes in [`Controller::run`]
    /// only.
    fn next(&self) -> Time;

    /// Reads and acts once, at `now`, which is [`Controller::next`] or later if the caller could
    /// not come sooner. [`Controller::next`] is later than `now` afterwards.
    fn run(&mut self, plant: &mut impl Plant<P>, now: Time);
}

/// Which readings of a [`Plant`] a [`Controller`] needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reads {
    /// [`Plant::used`].
    pub used: bool,
    /// [`Plant::misses`].
    pub misses: bool,
    /// [`Plant::lost`].
    pub lost: bool,
}

impl Reads {
    /// A controller that acts without looking.
    pub const NOTHING: Reads = Reads {
        used: false,
        misses: false,
        lost: false,
    };
}

/// What controllers act on: tasks on one or more CPUs, scheduled by policies `P`.
///
/// A reading that the plant does not keep is zero, and so is that of a task that is not there.
pub trait Plant<P: Policy> {
    /// Returns the CPU that a task is on, or on its way to; `None` if it has ended or never was.
    fn place(&mut self, task: TaskId) -> Option<CpuId>;

    // ---- readings ------------------------------------------------------------------------------

    /// Returns the CPU time that a task has used so far, on all CPUs together.
    fn used(&mut self, task: TaskId) -> Duration;

    /// Returns how many of a task's jobs have missed their deadlines so far.
    fn misses(&mut self, task: TaskId) -> u32;

    /// Returns the time that a CPU had for no task so far: its kernel's. Time in which it idles is
    /// not lost.
    fn lost(&mut self, cpu: CpuId) -> Duration;

    // ---- knobs ---------------------------------------------------------------------------------

    /// Gives a task new parameters, where it is.
    ///
    /// # Errors
    /// [`Denied::Gone`], [`Denied::Refused`]; nothing has changed then.
    fn adjust(&mut self, task: TaskId, params: P::Params) -> Result<(), Denied>;

    /// Moves a task to another CPU, with new parameters. On the CPU where it is already this is
    /// [`Plant::adjust`].
    ///
    /// # Errors
    /// [`Denied`]; the task stays where it is then, as it was.
    fn migrate(&mut self, task: TaskId, to: CpuId, params: P::Params) -> Result<(), Denied>;
}

/// Why a plant did not do what a controller said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Denied {
    /// The task has ended, or never was.
    Gone,
    /// There is no such CPU.
    NoCpu,
    /// The task cannot leave its CPU now: it waits for, owns or is released by what belongs there.
    Bound,
    /// The policy there does not take the task or its parameters.
    Refused(Refused),
}

impl Denied {
    /// Returns why, in words; [`fmt::Display`] adds the figures that there are.
    pub const fn text(self) -> &'static str {
        match self {
            Denied::Gone => "the task has ended",
            Denied::NoCpu => "there is no such CPU",
            Denied::Bound => "the task cannot leave its CPU now",
            Denied::Refused(refused) => refused.text(),
        }
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Denied::Refused(refused) => refused.fmt(f),
            _ => f.write_str(self.text()),
        }
    }
}

impl core::error::Error for Denied {}

/// No controller.
impl<P: Policy> Controller<P> for () {
    const READS: Reads = Reads::NOTHING;

    fn next(&self) -> Time {
        Time::NEVER
    }

    fn run(&mut self, _: &mut impl Plant<P>, _: Time) {}
}
