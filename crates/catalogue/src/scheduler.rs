//! What a scheduler is: a policy, how it is configured, and what each task tells it.

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::settings::{Configured, Values};
use crate::sustainable::Sustainable;
use flyball_policy::servers::Reservation;
use flyball_policy::{Duration, Encode, Policy, Storage};

/// A policy together with its configuration and with what each task tells it. The simulator, the
/// laboratory and the images of all machines make the policy from this one description.
pub trait Scheduler: Configured {
    /// Its name, as in an image. A policy that the user names differently with each placement has
    /// the same name with each, and another [`Shape`].
    const NAME: &'static str;

    /// How many CPUs share it, and whether it knows affinities.
    const SHAPE: Shape = Shape::One;

    /// Whether the policy forgets everything at an instant when no job is waiting or running. Only
    /// then does a simulation over a hyperperiod prove anything about the time after it. (A policy
    /// that learns from the past is not memoryless.)
    const MEMORYLESS: bool = false;

    /// What a schedule without a miss says about jobs that ask for less than in it. Only with
    /// [`Sustainable::execution`] does a schedule that repeats itself prove anything about jobs
    /// that compute for less than their worst-case execution time.
    const SUSTAINABLE: Sustainable = Sustainable::NO;

    /// Whether the policy chooses operating points by itself, whatever `speed` tasks say. A machine of one point cannot run it
    /// then, since each computation is as long there as at its task's point.
    const SCALES: bool = false;

    /// How it works and where it was published, for a reader.
    const PROFILE: Profile = Profile::UNKNOWN;

    /// What a task tells the policy.
    type Params: Copy + Encode;

    /// The policy, with tables of tasks in `S` and tables of CPUs in `C`.
    type Policy<S: Storage, C: Storage>: Policy<Params = Self::Params>;

    /// How many CPUs share one kernel and one policy, a *cluster*: 1 is partitioned scheduling, as
    /// many as there are or more is global scheduling, and what lies between is clustered.
    fn cluster(&self) -> usize {
        1
    }

    /// Makes the policy of a cluster.
    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C>;

    /// What a task tells the policy: its facts, and `values` of [`Configured::TASK_SETTINGS`].
    ///
    /// # Errors
    /// [`Missing`] if the facts lack what the policy has to know.
    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Self::Params, Missing>;

    /// Runs a simulation of it. A scheduler whose policy needs something in all of its methods, such as the lock of an
    /// interpreter, has it for as long as that takes.
    fn during<R>(&self, simulation: impl FnOnce() -> R) -> R {
        simulation()
    }

    /// Called from time to time in such a simulation: others may need the same.
    fn pause(&self) {}

    /// Of these tasks, which share a kernel with so many CPUs, the first that is not served beside
    /// those before, by its position, and why not; `None`: all are served.
    fn unserved(&self, _tasks: &[Facts], _cpus: usize) -> Option<(usize, Unserved)> {
        None
    }
}

/// Why a task, or its server, is not served beside others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unserved {
    /// It asks for more than is left.
    Overfull {
        /// What it asks for.
        reservation: Reservation,
        /// The longest budget in its period that would be admitted.
        fits: Duration,
    },
    /// There is no server: the task asks for more of its CPU than is left.
    Overload {
        /// What it asks for, as a budget in every window.
        reservation: Reservation,
        /// An execution time in its window that would be admitted, and almost the longest.
        fits: Duration,
    },
    /// Another task has it, and a server is one task's.
    Shared,
    /// Controllers would have to set its share or its period, and no task runs them.
    Uncontrolled,
}

/// How large the tables of a policy are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Size {
    /// Ids of tasks are below this number.
    pub tasks: usize,
    /// Ids of CPUs are below this number, at most 128.
    pub cpus: usize,
}

impl Size {
    /// Tables for so many tasks on so many CPUs.
    pub const fn new(tasks: usize, cpus: usize) -> Size {
        Size { tasks, cpus }
    }
}

/// How many CPUs share a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Shape {
    /// Each CPU has one of its own.
    One = 0,
    /// The CPUs of a cluster share one.
    Several = 1,
    /// The CPUs of a cluster share one, and each task may be kept to some of them.
    Affine = 2,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 3] = [Shape::One, Shape::Several, Shape::Affine];

    /// The shape as a byte of an image.
    pub const fn to_byte(self) -> u8 {
        self as u8
    }

    /// The shape that [`Shape::to_byte`] makes this byte of.
    pub fn from_byte(byte: u8) -> Option<Shape> {
        Shape::ALL.into_iter().find(|shape| shape.to_byte() == byte)
    }
}
