//! Global earliest deadline first on several CPUs: the sufficient tests of the literature.
//!
//! Under global EDF the m jobs with the earliest deadlines run, on whatever CPU. No exact test of
//! reasonable cost is known, and the sufficient ones are not comparable: each accepts sets that others
//! reject. So there are all of them, by the short names that the literature uses.
//!
//! | [`Test`] | source | idea | cost |
//! |---|---|---|---|
//! | GFB | Goossens, Funk, Baruah 2003 | sum and maximum of the densities | n |
//! | BCL | Bertogna, Cirinei, Lipari 2005 | what can be in a job's way up to its deadline | n² |
//! | RTA | Bertogna, Cirinei 2007 | … up to its response time, with slack | pseudo-polynomial |
//!
//! They count in whole units of time ([`Task`]), and are exact: nothing is rounded, and nothing overflows
//! in silence. Each file gives the source, the formula and what is done to be quick; short cuts never
//! change an answer, which the files prove and `tests/gedf` tests.
//!
//! All take sets with C ≤ D ≤ T for every task and U ≤ m, and reject all others. None has anything to say
//! about release jitter or blocking.
//!
//! ```
//! use flyball_analysis::WorkLimit;
//! use flyball_analysis::gedf::{Answer, Set, Task, Test, test};
//!
//! # fn main() -> Result<(), flyball_analysis::InvalidTask> {
//! // Two tasks of 3/4, and some small ones, on three CPUs.
//! let heavy = Task::implicit(75, 100);
//! let light = Task::implicit(5, 50);
//! let set = Set::new(vec![heavy, heavy, light, light, light])?;
//! assert_eq!(test(Test::Gfb, &set, 3, WorkLimit::default()), Answer::Rejects);
//! assert_eq!(test(Test::Rta, &set, 3, WorkLimit::default()), Answer::Accepts);
//! # Ok(())
//! # }
//! ```

mod bcl;
mod fractions;
mod gfb;
mod interference;
mod rta;
mod set;
mod word;

pub use set::{Set, Task};

use crate::{Stop, WorkLimit};
use core::fmt;

/// A sufficient test of global EDF.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Test {
    /// Goossens, Funk and Baruah 2003.
    Gfb,
    /// Bertogna, Cirinei and Lipari 2005.
    Bcl,
    /// Bertogna and Cirinei 2007.
    Rta,
}

impl Test {
    /// All of them.
    pub const ALL: [Test; 3] = [Test::Gfb, Test::Bcl, Test::Rta];

    /// Its name, as in tables: `GFB` and so on.
    pub const fn name(self) -> &'static str {
        match self {
            Test::Gfb => "GFB",
            Test::Bcl => "BCL",
            Test::Rta => "RTA",
        }
    }

    /// The test with this name, in upper or lower case.
    pub fn find(name: &str) -> Option<Test> {
        let same = |test: &Test| test.name().eq_ignore_ascii_case(name);
        Test::ALL.into_iter().find(same)
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a test says about a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No job ever misses its deadline.
    Accepts,
    /// The test cannot tell. Most such sets hold nevertheless.
    Rejects,
    /// The test was not done when it had to stop.
    Stopped(Stop),
}

impl Answer {
    const fn accepts_if(accepts: bool) -> Answer {
        if accepts {
            Answer::Accepts
        } else {
            Answer::Rejects
        }
    }

    /// Whether the set is proven to hold.
    pub fn accepts(self) -> bool {
        self == Answer::Accepts
    }
}

/// What `test` says about `set` on so many CPUs. It takes at most `limit` steps.
pub fn test(test: Test, set: &Set, cpus: u32, limit: WorkLimit) -> Answer {
    if !set.is_eligible(cpus) {
        return Answer::Rejects;
    }
    if set.tasks().is_empty() {
        return Answer::Accepts;
    }
    let mut meter = limit.meter();
    let answer = match test {
        Test::Gfb => Ok(gfb::test(set, cpus)),
        Test::Bcl => Ok(bcl::test(set, cpus)),
        Test::Rta => rta::test(set, cpus, &mut meter),
    };
    answer.unwrap_or_else(Answer::Stopped)
}
