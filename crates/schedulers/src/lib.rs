//! Every policy of the catalogue, ready to be used by name.
//!
//! [`Schedulers`] is a policy whose type has been forgotten. A task set configures it ([`Values`]);
//! then it is simulated, into a [`Recorder`], or written for an image of a machine. This crate is
//! where a simulator is compiled for each policy, so that what stands above it need not be.
//!
//! | to find | look in |
//! |---|---|
//! | a policy's settings, and what a task set says about them | [`settings`] |
//! | how long time slices are, of the policy and of tasks | [`quantum`] |
//! | the schedulers of a policy of the catalogue | `standard` |
//! | what a policy reads from a task | [`reads`] |
//! | what is kept of a simulation | `recorder` |

mod erased;
mod group_changes;
pub mod quantum;
pub mod reads;
mod recorder;
pub mod settings;
mod standard;

pub use erased::Schedulers;
pub use recorder::{Phase, Recorder, Watch};
pub use settings::Values;
pub use standard::{CLUSTER, PARTITION, SEQUENCE, listed};
