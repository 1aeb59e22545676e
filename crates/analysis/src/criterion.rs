//! All tests of policies for several CPUs, by the short names of the literature.
//!
//! | [`Criterion`] | policy | what it is |
//! |---|---|---|
//! | GFB BAK BAK05 BCL BCLI LOAD RTA FFDBF BAR | global EDF | sufficient tests: [`gedf`] |
//! | FFD BFD WFD | partitioned EDF | first, best and worst fit by falling utilisation, each CPU tested exactly: [`partitioned`] |
//!
//! ```
//! use flyball_analysis::WorkLimit;
//! use flyball_analysis::criterion::Criterion;
//! use flyball_analysis::gedf::{Set, Task};
//!
//! # fn main() -> Result<(), flyball_analysis::InvalidTask> {
//! // Three of 0.51 on two CPUs: no two of them have room on one.
//! let set = Set::new(vec![Task::implicit(51, 100); 3])?;
//! let first_fit = Criterion::find("FFD").unwrap();
//! assert!(!first_fit.ask(&set, 2, WorkLimit::default()).accepts());
//! assert!(first_fit.ask(&set, 3, WorkLimit::default()).accepts());
//! # Ok(())
//! # }
//! ```

use crate::gedf::{self, Answer, Set};
use crate::{Fit, WorkLimit, partitioned};
use core::fmt;

/// A policy for several CPUs that there are tests of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Policy {
    /// All CPUs serve one queue, the earliest deadline first.
    GlobalEdf,
    /// Each CPU serves the tasks that it was given for good, the earliest deadline first.
    PartitionedEdf,
}

impl Policy {
    /// All of them.
    pub const ALL: [Policy; 2] = [Policy::GlobalEdf, Policy::PartitionedEdf];

    /// Its name on command lines and in files of overheads: `g-edf` and so on.
    pub const fn name(self) -> &'static str {
        match self {
            Policy::GlobalEdf => "g-edf",
            Policy::PartitionedEdf => "p-edf",
        }
    }

    /// Its name in tables, which stands for all of its tests: `G-EDF` and so on.
    pub const fn title(self) -> &'static str {
        match self {
            Policy::GlobalEdf => "G-EDF",
            Policy::PartitionedEdf => "P-EDF",
        }
    }

    /// Its tests.
    pub fn criteria(self) -> impl Iterator<Item = Criterion> {
        Criterion::all().filter(move |criterion| criterion.policy() == self)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.title())
    }
}

/// A test of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Criterion {
    /// A sufficient test of global EDF.
    Global(gedf::Test),
    /// Partitioned EDF: tasks go to CPUs in this way, the one with the largest utilisation first.
    Partitioned(Fit),
}

impl Criterion {
    /// All of them, those of one policy together.
    pub fn all() -> impl Iterator<Item = Criterion> {
        let fits = [Fit::First, Fit::Best, Fit::Worst];
        let global = gedf::Test::ALL.into_iter().map(Criterion::Global);
        global.chain(fits.into_iter().map(Criterion::Partitioned))
    }

    /// Its short name: `GFB`, `FFD` and so on.
    pub const fn name(self) -> &'static str {
        match self {
            Criterion::Global(test) => test.name(),
            Criterion::Partitioned(Fit::First) => "FFD",
            Criterion::Partitioned(Fit::Best) => "BFD",
            Criterion::Partitioned(Fit::Worst) => "WFD",
            Criterion::Partitioned(Fit::Next) => "NFD",
        }
    }

    /// The test with this name, in upper or lower case.
    pub fn find(name: &str) -> Option<Criterion> {
        Criterion::all().find(|criterion| criterion.name().eq_ignore_ascii_case(name))
    }

    /// The policy under which what it accepts holds.
    pub const fn policy(self) -> Policy {
        match self {
            Criterion::Global(_) => Policy::GlobalEdf,
            Criterion::Partitioned(_) => Policy::PartitionedEdf,
        }
    }

    /// What it says about `set` on so many CPUs. It takes at most `limit` steps.
    pub fn ask(self, set: &Set, cpus: u32, limit: WorkLimit) -> Answer {
        match self {
            Criterion::Global(which) => gedf::test(which, set, cpus, limit),
            Criterion::Partitioned(fit) => partitioned::test(set, cpus, fit, limit),
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again() {
        for criterion in Criterion::all() {
            assert_eq!(Criterion::find(criterion.name()), Some(criterion));
            assert_eq!(
                Criterion::find(&criterion.name().to_ascii_lowercase()),
                Some(criterion)
            );
        }
        assert_eq!(Criterion::find("G-EDF"), None);
    }

    #[test]
    fn every_test_is_of_one_policy() {
        let all: Vec<_> = Policy::ALL.into_iter().flat_map(Policy::criteria).collect();
        assert!(all.into_iter().eq(Criterion::all()));
    }
}
