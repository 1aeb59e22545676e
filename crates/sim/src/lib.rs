//! The simulator: a virtual machine that drives the real kernel core.
//!
//! There is no second implementation of scheduling here. A task is a script instead of machine
//! code ([`program`]); whatever it calls (lock, wait, send, the end of its job) is a call to
//! [`flyball_kernel::Core`], and which task runs is decided by the same policies that boot on
//! hardware. What this crate adds is what hardware would: CPUs that take time to compute, a clock,
//! a timer, and what the kernel's own work costs ([`machine`]).
//!
//! A simulation is a function of task set, policy and seed: the same bytes come out each time, on
//! every machine.
//!
//! ```
//! use flyball_model::{Task, TaskSet};
//! use flyball_sim::{Options, simulate};
//! use flyball_catalogue::Edf;
//! use flyball_trace::{Duration, Event};
//!
//! let ms = Duration::from_millis;
//! let set = TaskSet {
//!     tasks: vec![Task::periodic("a", ms(4), ms(1)), Task::periodic("b", ms(6), ms(3))],
//!     ..TaskSet::default()
//! };
//! let mut events: Vec<Event> = Vec::new();
//! let options = Options::until(ms(12));
//! let outcome = simulate(&set, &Edf, &options, &mut events)?;
//! assert_eq!(outcome.misses, 0);
//! assert_eq!(outcome.jobs, 5);
//! # Ok::<(), flyball_sim::SimError>(())
//! ```
//!
//! | to find | look in |
//! |---|---|
//! | [`simulate`], its options and its outcome | [`run`] |
//! | task sets that change while they run | [`modes`] |
//! | simulations that follow what a machine did | [`seen`] |
//! | CPUs, clock, timer, overheads, operating points | [`machine`] |
//! | how operating points were used | [`energy`] |
//! | a controller above the policies of several CPUs | [`supervised`] |
//! | tasks that are split between CPUs | [`split`] |
//! | what a job does, step by step | [`program`] |
//! | how a policy is made from a task set | [`flyball_catalogue`] |

mod called;
pub mod energy;
mod error;
pub mod machine;
pub mod modes;
mod partition;
pub mod program;
pub mod run;
pub mod seen;
pub mod split;
pub mod supervised;
mod tap;

pub use called::Called;
pub use energy::{CpuSpeeds, Energy, SpeedUse, TaskEnergy};
pub use error::SimError;
pub use flyball_catalogue::{Missing, Scheduler, Sustainable};
pub use flyball_policy::Boxed;
pub use modes::Modes;
pub use program::is_fixed;
pub use run::{
    Deadlock, Ended, Options, Outcome, fits, simulate, simulate_modes, simulate_with_progress,
};
pub use seen::Seen;
pub use split::{Subtask, may_be_split, simulate_split};
pub use supervised::simulate_controlled;
