//! Studies of task sets: policies by name, what theory proves, and what the simulation shows.
//!
//! ```
//! use flyball_study::{Registry, StudyOptions, study};
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
//! let edf = study.policies.iter().find(|policy| policy.policy == "edf");
//! assert_eq!(edf.and_then(|edf| edf.verdict.holds()), Some(true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to find | look in |
//! |---|---|
//! | which policies there are, and how to add one | [`registry`] |
//! | a policy's settings, and what is kept of a simulation | `flyball_schedulers` |
//! | what theory can prove | [`theory`] |
//! | how long messages take from queue to queue | [`message_paths`] |
//! | how long a simulation has to be | [`horizon`] |
//! | one task set under several policies | [`study`] |
//! | what a study found: plain data | [`results`] |
//! | why it found that: plain data, too | [`reason`] |
//! | a schedule beside another one, event by event | [`compare`](mod@compare) |
//! | what a run of a machine says, beside theory | [`verdict`] |
//! | one task set on several CPUs, by all analyses | [`assess`](mod@assess) |
//! | the same, with all else that is known of the set | [`analyse`] |
//! | arrivals under which a set fails | [`adversary`] |
//! | many task sets at once, without simulation | `corpus`, with the feature of that name |
//!
//! Without its features `corpora` and `threads` it needs neither files nor threads, and builds for
//! WebAssembly.

mod about_pipelines;
mod about_sections;
mod about_tasks;
pub mod adversary;
mod analyse;
pub mod assess;
mod assigned;
pub mod budgets;
pub mod charge;
mod charges;
pub mod compare;
#[cfg(feature = "corpora")]
pub mod corpus;
mod error;
mod exact_times;
pub mod horizon;
pub mod note;
mod parallel;
mod partition;
mod paths;
mod pipeline;
pub mod reason;
mod recurring;
pub mod registry;
pub mod results;
pub mod semi;
mod slowest;
mod study;
pub mod theory;
pub mod verdict;

pub use about_sections::about_sections;
pub use analyse::{AnalyseOptions, SetAnalysis, analyse};
pub use assigned::Assigned;
pub use charges::{Charges, NoDelay};
pub use compare::{Parting, SideBySide};
pub use error::StudyError;
pub use flyball_analysis::Fit;
pub use flyball_schedulers::{Phase, Recorder, Values, settings};
pub use partition::assigned;
pub use paths::message_paths;
pub use pipeline::{PipelineNeeds, pipeline_needs};
pub use registry::{Entry, Registry};
pub use slowest::{Slowest, slowest};
pub use study::{Observed, Progress, StudyOptions, Watch, report, study, study_policy};
pub use theory::{Effort, Splitter, Theory, largest_window};
