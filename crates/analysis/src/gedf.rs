//! Global earliest deadline first on several CPUs: the sufficient tests of the literature.
//!
//! Under global EDF the m jobs with the earliest deadlines run, on whatever CPU. No exact test of
//! reasonable cost is known, and the sufficient ones are not comparable: each accepts sets that
//! others reject. So there are all of them, by the short names that the literature uses.
//!
//! | [`Test`] | source | idea | cost |
//! |---|---|---|---|
//! | GFB | Goossens, Funk, Baruah 2003 | sum and maximum of the densities | n |
//! | BAK | Baker 2003 | the load of a window before a miss | n log n, n² at worst |
//! | BAK05 | Baker 2005 | the same, with more windows to choose from | n, for D < T n³ at worst |
//! | BCL | Bertogna, Cirinei, Lipari 2005 | what can be in a job's way up to its deadline | n² |
//! | BCLI | Bertogna, Cirinei, Lipari 2009 | the same, with slack, in rounds | n² a round |
//! | RTA | Bertogna, Cirinei 2007 | … up to its response time | pseudo-polynomial |
//! | LOAD | Baker, Baruah 2009 | the largest demand | n, for D < T pseudo-polynomial |
//! | FFDBF | Baruah, Bonifaci, Marchetti-Spaccamela, Stiller 2009 | the forced-forward demand | n, for D < T pseudo-polynomial |
//! | BAR | Baruah 2007 | fewer than m tasks carry in | pseudo-polynomial |
//! | RTALC | after Sun, Lipari 2015 | RTA and BAR in one | pseudo-polynomial |
//!
//! What is true of a set, [`exact`] finds out for small ones.
//!
//! They count in whole units of time ([`Task`]), and are exact: nothing is rounded, and nothing
//! overflows in silence. The proofs of BCL, BCLI, RTA, BAR and RTALC are about arrivals at whole
//! units, too: with arrivals in between a set may miss deadlines that they accept
//! (`crates/study/tests/gedf.rs` has one), so the unit has to be the clock's. Each file gives the
//! source, the formula and what is done to be quick; short cuts never change an answer, which the
//! files prove and `tests/gedf` tests.
//!
//! All take sets with C ≤ D ≤ T for every task and U ≤ m, and reject all others. None has anything
//! to say about release jitter or blocking.
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

mod bak;
mod bak05;
mod bar;
mod bcl;
mod bcli;
mod carry;
mod columns;
mod descent;
mod exact;
mod explain;
mod ffdbf;
mod gfb;
pub(crate) mod growth;
mod horizon;
pub(crate) mod interference;
mod load;
mod response_times;
mod rounds;
mod rta;
mod rtalc;
mod set;
mod union;
pub(crate) mod word;

pub use crate::Answer;
pub use exact::{Counterexample, MOST_TASKS, Truth, common_unit, exact};
pub use explain::{Explanation, Share, explain};
pub use response_times::response_times;
pub use set::{Set, Task};
pub use union::accepted_by;

use crate::WorkLimit;
use core::fmt;

/// A sufficient test of global EDF.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Test {
    /// Goossens, Funk and Baruah 2003: the densities.
    Gfb,
    /// Baker 2003: the load of a window before a miss.
    Bak,
    /// Baker 2005: the same, with more windows to choose from.
    Bak05,
    /// Bertogna, Cirinei and Lipari 2005: interference with a job.
    Bcl,
    /// Bertogna, Cirinei and Lipari 2009: the same, with slack, in rounds.
    Bcli,
    /// Baker and Baruah 2009: the largest demand.
    Load,
    /// Bertogna and Cirinei 2007: response times.
    Rta,
    /// Baruah, Bonifaci, Marchetti-Spaccamela and Stiller 2009: the forced-forward demand.
    FfDbf,
    /// Baruah 2007: few carry in.
    Bar,
    /// After Sun and Lipari 2015: response times, where few carry in.
    Rtalc,
}

impl Test {
    /// All of them: first [those up to 2009](Test::CLASSIC), in the same order.
    pub const ALL: [Test; 10] = [
        Test::Gfb,
        Test::Bak,
        Test::Bak05,
        Test::Bcl,
        Test::Bcli,
        Test::Load,
        Test::Rta,
        Test::FfDbf,
        Test::Bar,
        Test::Rtalc,
    ];

    /// The nine of 2003 to 2009 that comparisons in the literature are made of, as Gracioli and
    /// others 2013 are.
    pub const CLASSIC: [Test; 9] = [
        Test::Gfb,
        Test::Bak,
        Test::Bak05,
        Test::Bcl,
        Test::Bcli,
        Test::Load,
        Test::Rta,
        Test::FfDbf,
        Test::Bar,
    ];

    /// Its name, as in tables: `GFB` and so on.
    pub const fn name(self) -> &'static str {
        match self {
            Test::Gfb => "GFB",
            Test::Bak => "BAK",
            Test::Bak05 => "BAK05",
            Test::Bcl => "BCL",
            Test::Bcli => "BCLI",
            Test::Load => "LOAD",
            Test::Rta => "RTA",
            Test::FfDbf => "FFDBF",
            Test::Bar => "BAR",
            Test::Rtalc => "RTALC",
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
        Test::Bak => Ok(bak::test(set, cpus)),
        Test::Bak05 => Ok(bak05::test(set, cpus)),
        Test::Bcl => Ok(bcl::test(set, cpus)),
        Test::Bcli => bcli::test(set, cpus, &mut meter),
        Test::Load => load::test(set, cpus, &mut meter),
        Test::FfDbf => ffdbf::test(set, cpus, &mut meter),
        Test::Bar => bar::test(set, cpus, &mut meter),
        Test::Rta => rta::test(set, cpus, &mut meter),
        Test::Rtalc => rtalc::test(set, cpus, &mut meter),
    };
    answer.unwrap_or_else(Answer::Stopped)
}

/// Whether it is certain that no policy can hold `set` on so many CPUs: for every task C ≤ D, and
/// in no interval jobs have to have computed more than all CPUs can (Baker and Cirinei, RTSS 2006),
/// or else it is. `false` if that is not known, after `limit` steps, or for deadlines beyond
/// periods.
pub fn is_infeasible(set: &Set, cpus: u32, limit: WorkLimit) -> bool {
    let long = |task: &Task| task.wcet > task.deadline || task.wcet > task.period;
    if set.tasks().iter().any(long) || set.demands_more_than(cpus) {
        return true;
    }
    if set.tasks().iter().any(|task| task.deadline > task.period) {
        return false;
    }
    ffdbf::is_infeasible(set, cpus, &mut limit.meter()).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: three jobs of two units within two on two CPUs are too many by any policy, though
    /// U = 3/5.
    #[test]
    fn what_no_policy_can_hold() {
        let task = |wcet, deadline| Task {
            wcet,
            deadline,
            period: 10,
        };
        let infeasible = |tasks: &[Task]| {
            let set = Set::new(tasks.to_vec()).unwrap();
            is_infeasible(&set, 2, WorkLimit::default())
        };
        assert!(infeasible(&[task(2, 2); 3]) && !infeasible(&[task(2, 3); 3]));
        // The third has to do one of its two units within the first two, of which the other two
        // need all.
        assert!(infeasible(&[task(2, 2), task(2, 2), task(2, 3)]));
        assert!(!infeasible(&[task(2, 2), task(2, 2), task(1, 3)]));
        assert!(infeasible(&[task(3, 2)]) && !infeasible(&[task(10, 10); 2]));
        assert!(infeasible(&[task(10, 10), task(10, 10), task(1, 10)]));
    }
}
