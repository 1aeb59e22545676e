//! Task sets: what a user describes.
//!
//! A task set is the input of everything else: what to schedule, on which machine. This crate has
//! its types, reads it from files whose every fault is reported with line, column and remedy,
//! writes it back, and makes random ones for experiments.
//!
//! | module | what |
//! |---|---|
//! | [`taskset`] | the types: platform, tasks and their behaviour, resources, policies' settings |
//! | [`arrivals`] | when jobs arrive that the kernel's clock does not release |
//! | [`behaviour`] | what the steps of a job add up to |
//! | [`endpoint`] | sources and sinks of pipelines |
//! | [`measured`] | overheads that were measured, in a file |
//! | [`study`] | studies of schedulability, in a file |
//! | [`units`] | lengths of time as people write them |
//! | [`read`] | [`read_file`] and [`read_str`] |
//! | [`error`] | [`ModelError`]: what is wrong with a file, where, and what to do about it |
//! | [`generate`] | random task sets from a seed |
//! | [`random`] | random numbers that are the same everywhere |
//!
//! ```
//! use flyball_model::{Format, read_str};
//!
//! let text = r#"
//!     schema = 1
//!     [[task]]
//!     name = "radar"
//!     period = "25ms"
//!     wcet = 2
//! "#;
//! let error = read_str(text, Format::Toml, "radar.toml").unwrap_err();
//! assert_eq!(
//!     error.headline(),
//!     "radar.toml:6:12: task \"radar\": wcet: \
//!      expected a time such as \"10ms\" or \"250us\", found 2"
//! );
//! ```

pub mod arrivals;
pub mod behaviour;
mod check;
mod csv;
pub mod endpoint;
pub mod error;
pub mod generate;
mod groups;
mod hint;
pub mod measured;
mod platform;
mod printable;
pub mod random;
pub mod read;
mod reserve;
mod server;
mod settings;
mod share;
mod sharing;
mod slowed;
mod source;
mod speeds;
pub mod study;
pub mod taskset;
mod toml;
pub mod units;

pub use check::{MOST_CPUS, MOST_STEPS, MOST_TASKS};
pub use csv::to_csv;
pub use endpoint::{End, Endpoint};
pub use error::{Kind, ModelError};
pub use groups::LAST_GROUP;
pub use hint::closest;
pub use measured::{OverheadFile, Statistic, read_overheads};
pub use printable::printable;
pub use read::{Format, read_file, read_str};
pub use share::Share;
pub use speeds::{Frequency, MOST_SPEEDS, Power, Powers, Slowdown, Speeds};
pub use study::{Study, read_study};
pub use taskset::{
    Arrival, Cost, Groups, Jitter, Length, Location, Mutex, OnMiss, Overheads, Place, Platform,
    Protocol, Queue, Reserve, Semaphore, Server, ServerMode, Setting, Settings, Step, Task,
    TaskSet, Trigger, Value,
};
pub use toml::{SCHEMA, to_toml};
pub use units::{DurationError, parse_duration};
