//! The tests that there are, by name.

use flyball_analysis::gedf;
use flyball_analysis::partition::Fit;

/// A policy whose tests there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Policy {
    /// All CPUs serve one queue.
    GlobalEdf,
    /// Each CPU serves the tasks that it was given for good.
    PartitionedEdf,
}

/// A test.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Test {
    /// Tasks are divided among CPUs by this heuristic, the one with the largest utilisation first, and
    /// each CPU is to hold under EDF, which is exact.
    Partition(Fit),
    /// A sufficient test of global EDF.
    Global(gedf::Test),
}

/// The unions that have names.
pub const UNIONS: [&str; 3] = ["G-EDF", "G-EDF+", "P-EDF"];

impl Policy {
    /// Its name in files of overheads.
    pub const fn name(self) -> &'static str {
        match self {
            Policy::GlobalEdf => "g-edf",
            Policy::PartitionedEdf => "p-edf",
        }
    }
}

impl Test {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Test> {
        let fits = [Fit::First, Fit::Best, Fit::Worst].map(Test::Partition);
        fits.into_iter().chain(gedf::Test::ALL.map(Test::Global))
    }

    /// Its short name.
    pub const fn name(self) -> &'static str {
        match self {
            Test::Partition(Fit::First) => "FFD",
            Test::Partition(Fit::Best) => "BFD",
            Test::Partition(Fit::Worst) => "WFD",
            Test::Partition(Fit::Next) => "NFD",
            Test::Global(test) => test.name(),
        }
    }

    /// The policy under which what it accepts holds.
    pub const fn policy(self) -> Policy {
        match self {
            Test::Partition(_) => Policy::PartitionedEdf,
            Test::Global(_) => Policy::GlobalEdf,
        }
    }
}

/// The names that a study may use.
pub fn names() -> Vec<&'static str> {
    UNIONS
        .into_iter()
        .chain(Test::all().map(Test::name))
        .collect()
}

/// The tests that a name stands for; none if it is not known.
pub(super) fn find(name: &str) -> Vec<Test> {
    let is_it = |test: &Test| match name {
        // What studies of the literature call so; a newer test changes nothing about it.
        "G-EDF" => matches!(test, Test::Global(test) if gedf::Test::CLASSIC.contains(test)),
        "G-EDF+" => test.policy() == Policy::GlobalEdf,
        "P-EDF" => test.policy() == Policy::PartitionedEdf,
        name => test.name() == name,
    };
    Test::all().filter(is_it).collect()
}
