//! The tests that there are, by name.

pub use flyball_analysis::Criterion as Test;
use flyball_analysis::gedf;

/// A policy whose measured overheads are charged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Policy {
    /// CPUs serve one queue.
    GlobalEdf,
    /// Each CPU serves the tasks that it was given for good.
    PartitionedEdf,
}

/// The unions that have names.
pub const UNIONS: [&str; 4] = ["G-EDF", "G-EDF+", "P-EDF", "P-FP"];

impl Policy {
    /// Its name in files of overheads.
    pub const fn name(self) -> &'static str {
        match self {
            Policy::GlobalEdf => "g-edf",
            Policy::PartitionedEdf => "p-edf",
        }
    }

    /// Whose overheads a set is to have for a test.
    ///
    /// What a queue costs hardly depends on what it is sorted by, so fixed priorities have those of EDF. A cluster has
    /// those of one queue for all CPUs, which is to the safe side. `None`: jobs of split tasks, and all jobs under PD²,
    /// begin more than once, which nothing here charges.
    pub const fn charged(test: Test) -> Option<Policy> {
        match test {
            Test::Global(_) | Test::GlobalFixed(_) | Test::Clustered(_) => Some(Policy::GlobalEdf),
            Test::Partitioned(_) | Test::PartitionedFixed(_) => Some(Policy::PartitionedEdf),
            Test::EdfWm | Test::CEqualsD | Test::Fair => None,
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
    let is_it = |test: &Test| match (name, test) {
        // What studies of the literature call so; a newer test changes nothing about it.
        ("G-EDF", Test::Global(test)) => gedf::Test::CLASSIC.contains(test),
        ("G-EDF+", Test::Global(_))
        | ("P-EDF", Test::Partitioned(_))
        | ("P-FP", Test::PartitionedFixed(_)) => true,
        (name, test) => test.name() == name,
    };
    Test::all().filter(is_it).collect()
}
