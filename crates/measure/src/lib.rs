//! What a machine's kernel spends, and the simulation beside it.
//!
//! | to find | look in |
//! |---|---|
//! | a task set that runs on a machine instead of in the simulator | [`measured`] |
//! | something that runs a task set and tells what happened, be it the simulator or a machine | [`bench`](mod@bench) |
//! | what the machine spent, and the simulation beside it | [`calibrate`](mod@calibrate), [`side_by_side`] |
//! | why the two part, where they do | `parting` |
//! | what a machine's kernel is known to spend | [`costs`] |
//! | what the kernel spends on this processor | [`overheads`] |
//! | what it spends on an emulated machine, in instructions | [`instructions`] |
//! | how long CPUs wait for a lock that they share | [`contention`] |

pub mod bench;
pub mod calibrate;
pub mod contention;
pub mod costs;
pub mod instructions;
pub mod measured;
pub mod overheads;
mod parting;
pub mod side_by_side;

pub use bench::{Bench, BenchError, RunResult, Simulator, Trial};
pub use measured::{Measured, Measurement};
