//! Schedulability studies: many random task sets, judged by many tests, on all cores.
//!
//! A [`Study`](flyball_model::Study) says which sets are drawn and which tests judge them. Each set
//! has an address (the study's seed, what it is drawn from, its cap, its number), and its random
//! numbers depend on nothing else; each *unit* of work is some sets of one cap and gives one file.
//! So any number of threads, any order, any division among machines and any interruption give the
//! same bytes.
//!
//! ```text
//!            draw              judge                      store              results
//!   address ------> task set ---------> Option<bool>... -------> a file ------------> ratios, figures
//!                     |    overheads, tests   |                 of a unit
//!                     +----- of each variant -+
//! ```
//!
//! | module | what |
//! |---|---|
//! | [`draw`](mod@draw) | a task set from its address |
//! | [`judge`] | what the tests say about it, with and without overheads |
//! | [`unit`](mod@unit) | the pieces of a study |
//! | [`store`] | a folder of results: atomic, locked, checked |
//! | [`run`] | does what is missing in a folder, or a whole study in memory |
//! | [`results`] | how many sets were accepted, and how sure that is |
//! | [`figure`] | that as figures and tables |

pub mod draw;
mod error;
pub mod figure;
pub mod judge;
pub mod results;
pub mod run;
pub mod store;
pub mod unit;

pub use error::SweepError;
pub use results::Results;
pub use run::{NoShard, Options, Outcome, Progress, Shard, compute, sweep};
