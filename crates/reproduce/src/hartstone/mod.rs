//! The Hartstone benchmarks: task sets whose load grows until a deadline is missed.
//!
//! N. Weiderman and N. Kamenoff, "Hartstone uniprocessor benchmark: definitions and experiments for
//! real-time systems", Real-Time Systems 4(4), 1992. F. Terraneo's thesis uses the PH series, and
//! adds experiments in which the load is too high for a while; both are here as its authors ran
//! them (Miosix, `hartstone.cpp`), and with the differences to the original a choice.
//!
//! # The five series
//!
//! | series | tasks | here |
//! |---|---|---|
//! | PH | periodic, harmonic frequencies | [`workload`]: as published |
//! | PN | periodic, frequencies that are not harmonic | [`series`]: numbers are ours |
//! | AH | PH and aperiodic processing | as PN |
//! | SH | PH and synchronisation with a server | as PN |
//! | SA | AH and SH together | as PN |
//!
//! That there are these five, in this order, and that one of number of tasks, execution times,
//! blocking times or deadlines changes *until a deadline is missed*, is certain (the paper's
//! abstract). So is PH (ports of it quote the specification). The numbers of the others' baselines
//! are in the report CMU/SEI-89-TR-023, which was not at hand. **So the structure of PN, AH, SH and
//! SA is as published, their numbers are ours, and no result of them may be compared with published
//! ones.**
//!
//! # What the harness does
//!
//! A thread of the benchmark sleeps until its next release, computes, and looks at the clock: later
//! than a period after the release is a miss. Then it adds periods until that is in the future, one
//! miss each, and goes on at once with the period that it is in. That is [`OnMiss::Latest`]: while
//! a job is late the newest of those that wait is kept, and each that waited in vain is a miss,
//! too. It is *not* [`OnMiss::Skip`], which leaves out the releases that come while a job is late,
//! without a miss for them and without the late start.
//!
//! Loads change between two releases, without a restart ([`Modes`]): the threads go on, and so does
//! what is left undone. A main thread sleeps, wakes to change the load, and has a share of its own
//! of 5 %.
//!
//! Two things are different here. A miss is noticed at the deadline, there when the job is complete
//! at last, which may be an iteration later. And the load changes by the clock, there when the main
//! thread gets to run: under EDF, where it has no deadline, it cannot end an overload that leaves
//! no idle time.
//!
//! [`OnMiss::Latest`]: flyball_model::OnMiss::Latest
//! [`OnMiss::Skip`]: flyball_model::OnMiss::Skip
//! [`Modes`]: flyball_sim::Modes

pub mod experiment;
pub mod extended;
pub mod series;
pub mod sweep;
pub mod workload;

pub use experiment::{Contender, Extended, FirstMiss, extended, first_miss};
pub use extended::Overload;
pub use series::{Experiment, Growth, Series};
pub use workload::{Importance, Periods, Rules, Setup, Test};

#[cfg(test)]
mod tests;
