//! Up to which A the condition of [`rtalc`](super::rtalc) has to be looked at.
//!
//! NC_i ≤ dbf_i(A + D_k) ≤ u_i (A + D_k + T_i − D_i), the same less C_k for τ_k, and CI_i − NC_i ≤
//! C_i. So the left side is below a line that rises by U < m, and the right side rises by m.

use super::Set;
use super::load::early;
use crate::fractions::{self, Bracket};
use core::cmp::Reverse;

/// Up to which A one has to look.
#[derive(Clone, Copy)]
pub(super) enum Horizon {
    UpTo(Line),
    /// U = m.
    Endless,
    TooFar,
}

/// h(A) ≤ U A + U D_k + E − C_k for E = Σ u_i (T_i − D_i) + the m − 1 largest C.
#[derive(Clone, Copy)]
pub(super) struct Line {
    /// The longest deadline, U times that, and E, both rounded up.
    longest: u128,
    load: u128,
    more: u128,
    /// Their sum, rounded down, but not to zero; and where U A + that is below m A, for sure.
    whole: u128,
    crossing: u128,
}

impl Line {
    /// More than any A that there is for any task and any R.
    pub(super) fn farthest(&self) -> u128 {
        // That is for the longest deadline, and R = C; but for what is rounded up.
        self.crossing + self.crossing / self.whole + 1
    }

    fn of(set: &Set, cpus: u32) -> Option<Line> {
        let tasks = set.tasks();
        let longest = tasks.iter().map(|task| task.deadline).max()?;
        let load = tasks
            .iter()
            .map(|task| (u128::from(task.wcet) * u128::from(longest), task.period));
        let load = Bracket::of(load);
        let mut more = early(tasks);
        let mut wcets: Vec<u64> = tasks.iter().map(|task| task.wcet).collect();
        wcets.sort_unstable_by_key(|&wcet| Reverse(wcet));
        for &wcet in wcets.iter().take(cpus as usize - 1) {
            more.add(wcet.into(), 1);
        }
        let whole = load.plus(&more);
        Some(Line {
            longest: longest.into(),
            load: load.at_most_whole()?,
            more: more.at_most_whole()?,
            whole: whole.at_least_whole()?.max(1),
            crossing: fractions::crossing(&whole, set.utilisation(), (cpus.into(), 1))?,
        })
    }

    /// From which A on (1) holds, for τ_k and this R: m (A + R − C_k + 1) is `ahead` more than m A.
    pub(super) fn last(&self, deadline: u128, wcet: u128, ahead: u128) -> Option<u128> {
        let load = fractions::scaled(self.load, deadline, self.longest)?;
        let start = (load + self.more).saturating_sub(wcet + ahead);
        // A line that begins at that is crossed earlier in proportion.
        fractions::scaled(start, self.crossing, self.whole)
    }
}

/// For this set.
pub(super) fn horizon(set: &Set, cpus: u32) -> Horizon {
    if set.leaves_something_of(cpus) {
        Line::of(set, cpus).map_or(Horizon::TooFar, Horizon::UpTo)
    } else {
        Horizon::Endless
    }
}
