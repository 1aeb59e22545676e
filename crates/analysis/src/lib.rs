//! Will it hold? Schedulability analyses for one CPU, for several, and the division of tasks among
//! them.
//!
//! Everything here counts in whole nanoseconds and in exact fractions: no floating point number
//! takes part in a verdict, and no sum wraps in silence. Where a number cannot be exact (a square
//! root, a sum of a thousand fractions), it is enclosed between two bounds that are tightened
//! until they decide.
//!
//! A task set is a slice of [`SporadicTask`]s; a task is known by its position in the slice.
//!
//! | module | question | sound | complete |
//! |---|---|---|---|
//! | [`utilisation`] | how much of the CPU is asked for? | | |
//! | [`liu_layland`] | rate monotonic, by the sum of the utilisations | yes | no |
//! | [`hyperbolic`] | rate monotonic, by their product | yes | no |
//! | [`fixed_priority`] | response times under any fixed priorities | yes | without blocking |
//! | [`edf_demand`] | earliest deadline first, by processor demand | yes | without blocking |
//! | [`edf_response`] | response times under earliest deadline first | yes | without blocking |
//! | [`edf_windows`] | the same by windows of deadlines, and how long may these be? | yes | no |
//! | [`gedf`] | earliest deadline first on several CPUs with one queue | yes | no |
//! | [`gfp`] | fixed priorities on several CPUs with one queue, and which suit best | yes | no |
//! | [`fair`] | PF and PD² on several CPUs | yes | in whole slots |
//! | [`edf_wm`], [`c_equals_d`] | which task goes to which CPU, and which is split between several? | yes | no |
//! | [`affinity`] | can tasks that may run on some CPUs only be held at all? | yes | implicit deadlines |
//! | [`supply`] | which tasks hold inside of a server, and which budget do they need? | yes | for the worst supply |
//! | [`overheads`] | the kernel's work as a part of tasks | | |
//! | [`charged`] | a set that pays for it, and what tests say of it | | |
//! | [`sensitivity`] | how much longer may jobs compute? | | |
//! | [`partitioned`] | earliest deadline first on several CPUs, each with tasks of its own | yes | no |
//! | [`pipeline`] | what do stages of a pipeline need, on the average? | | |
//! | [`criterion`] | all those for several CPUs, by the names of tables | yes | no |
//! | [`partition`](mod@partition) | which task goes to which of several CPUs? | yes | no |
//! | [`any_partition`](mod@any_partition) | the same, of up to 40 tasks | yes | yes |
//!
//! *Sound*: what it accepts never misses a deadline. *Complete*: what it rejects does miss one
//! under some arrivals that the tasks' parameters allow. A [`Verdict`] keeps the two apart:
//! [`Verdict::Fails`] is a proof as much as [`Verdict::Holds`] is, and a test that can neither
//! prove the one nor the other says [`Verdict::Unknown`].
//!
//! The exact tests are pseudo-polynomial: their cost depends on the numbers, not only on how many
//! there are. Each takes a [`WorkLimit`], and stops there without guessing: an [`Answer`] and a
//! [`Margin`](sensitivity::Margin) keep *stopped* apart from *no*.
//!
//! ```
//! use flyball_analysis::{SporadicTask, WorkLimit, edf_demand, fixed_priority, priority};
//! use flyball_trace::Duration;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ms = Duration::from_millis;
//! let tasks = [
//!     SporadicTask::new(ms(1), ms(4), ms(4))?,
//!     SporadicTask::new(ms(2), ms(6), ms(6))?,
//!     SporadicTask::new(ms(3), ms(8), ms(8))?,
//! ];
//! let levels = priority::rate_monotonic(&tasks);
//! let outcome = fixed_priority::test(&tasks, &levels, WorkLimit::default())?;
//! assert_eq!(
//!     outcome.verdict.to_string(),
//!     "fails: task 2: response time 10ms exceeds the deadline 8ms"
//! );
//! assert!(edf_demand::test(&tasks, WorkLimit::default()).holds());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod affinity;
pub mod answer;
pub mod any_partition;
pub mod c_equals_d;
pub mod charged;
pub mod criterion;
pub mod edf_demand;
pub mod edf_response;
pub mod edf_windows;
pub mod edf_wm;
pub mod fair;
pub mod fixed_priority;
pub mod gedf;
pub mod gfp;
pub mod hyperbolic;
pub mod liu_layland;
pub mod np_edf;
pub mod overheads;
pub mod partition;
pub mod partitioned;
pub mod pipeline;
pub mod priority;
pub mod response;
pub mod semi;
pub mod sensitivity;
pub mod supply;
pub mod task;
pub mod utilisation;
pub mod verdict;
pub mod work;

mod busy;
mod fractions;
mod margin;
mod ranking;

pub use answer::Answer;
pub use any_partition::any_partition;
pub use criterion::Criterion;
pub use partition::{Fit, NoRoom, Sequence, partition, partition_groups};
pub use priority::{Level, LevelMismatch};
pub use response::Response;
pub use semi::Share;
pub use supply::Supply;
pub use task::{InvalidTask, SporadicTask};
pub use utilisation::{Utilisation, overloaded};
pub use verdict::{Outcome, Reason, Strength, Verdict};
pub use work::{Stop, WorkLimit};
