//! The laboratory: policies by name, and studies of task sets.
//!
//! ```
//! use flyball_lab::{Registry, StudyOptions, study};
//! use flyball_model::{Format, read_str};
//! use std::ops::ControlFlow;
//!
//! let text = r#"
//!     schema = 1
//!     [[task]]
//!     name = "a"
//!     period = "4ms"
//!     wcet = "1ms"
//! "#;
//! let set = read_str(text, Format::Toml, "small.toml")?;
//! let registry = Registry::standard();
//! let study = study(&registry, "small.toml", set, &StudyOptions::default(), &mut |_| ControlFlow::Continue(()))?;
//! assert!(study.policies.iter().all(|policy| policy.verdict.holds() == Some(true)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to find | look in |
//! |---|---|
//! | which policies there are, and how to add one | [`registry`] |
//! | a policy's settings | [`settings`] |
//! | how long a simulation has to be | [`horizon`] |
//! | what theory can prove | [`theory`] |
//! | one task set under several policies | [`study`] |
//! | one that runs on a machine instead | [`measure`] |
//! | shares of several CPUs, with tasks that come and go | [`multicore_shares`] |
//! | benchmarks whose load grows until a deadline is missed | [`hartstone`] |
//! | something that runs a task set and tells what happened, be it the simulator or a machine | [`bench`](mod@bench) |
//! | one task set on several CPUs, by all analyses | [`assess`](mod@assess) |
//! | arrivals under which a set fails | [`adversary`] |
//! | many task sets at once, without simulation | [`corpus`] |
//! | published experiments, done again | [`reproduce`] |
//! | what the machine spent, and the simulation beside it | [`calibrate`], [`beside`] |
//! | what a machine's kernel is known to spend | [`costs`] |
//! | what the kernel spends on this processor | [`overheads`] |
//! | what it spends on an emulated machine, in instructions | [`instructions`] |
//! | how long CPUs wait for a lock that they share | [`contention`] |

pub mod adversary;
pub mod assess;
pub mod bench;
pub mod beside;
mod blocking;
pub mod calibrate;
pub mod contention;
pub mod corpus;
pub mod costs;
mod error;
mod exact_times;
mod fixed_priority;
pub mod hartstone;
pub mod horizon;
pub mod instructions;

pub mod measure;
pub mod multicore_shares;
pub mod overheads;
mod partition;
mod recorder;
pub mod registry;
pub mod reproduce;
mod semi;
pub mod settings;

mod study;
pub mod theory;
mod verdict;

pub use bench::{Bench, BenchError, Ran, Simulator, Trial};
pub use error::LabError;
pub use flyball_analysis::Fit;
pub use flyball_report::compare::SideBySide;
pub use measure::{Measured, Measurement};
pub use recorder::{Phase, Recorder};
pub use registry::{Entry, Registry};
pub use semi::Splitter;
pub use settings::Values;
pub use study::{ByPolicy, Charges, Progress, StudyOptions, Watch, study, study_policy};
pub use theory::Theory;
