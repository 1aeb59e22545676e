//! BAK: Baker's first test.
//!
//! ```text
//!   for every k:   Σ_i min(1, β_i) ≤ m (1 − λ) + λ           λ = C_k / D_k
//!
//!   β_i = u_i (1 + (T_i − D_i)/D_k) + ((C_i − λ T_i)/D_k)⁺
//! ```
//!
//! Before a job of τ_k can miss its deadline, the CPUs have been busy with more urgent work for
//! more than m (1 − λ) + λ per unit of time, in some window that ends with the deadline; β_i is the
//! most that τ_i can have contributed, what it carried in included.
//!
//! Source: Baker, "Multiprocessor EDF and deadline monotonic schedulability analysis", RTSS 2003,
//! theorem 12. The last term is there for u_i > λ only, that is, where it is positive.
//!
//! Complexity: O(n log n) for most sets: without the minimum the sum is known from sums over the
//! tasks with the largest utilisations, and if it is below the bound even so, then so is the real
//! one. O(n) more for each k where it is not.

use super::{Answer, Set, Task};
use crate::fractions::{self, Bracket, least};

pub(super) fn test(set: &Set, cpus: u32) -> Answer {
    let Some(densest) = set.densest() else {
        return Answer::Accepts;
    };
    // The densest task has the smallest bound, and it alone rejects most sets that are rejected.
    let sums = Sums::new(set);
    let passes = |task: &Task| sums.passes(task, cpus) || one(set.tasks(), task, cpus);
    Answer::accepts_if(passes(densest) && set.tasks().iter().all(passes))
}

/// Whether τ_k passes, by the formula.
fn one(tasks: &[Task], k: &Task, cpus: u32) -> bool {
    let [c, d] = [k.wcet, k.deadline].map(u128::from);
    // Both sides times D_k, and so a β_i counts for D_k at most.
    let most = (d * d, k.deadline);
    let terms = tasks.iter().flat_map(|task| {
        let [ci, ti, di] = [task.wcet, task.period, task.deadline].map(u128::from);
        let share = (ci * (d + ti - di), task.period);
        let rest = ((ci * d).saturating_sub(c * ti), k.deadline);
        least(share, rest, most)
    });
    // The densities are at most one, so the difference is not negative.
    let bound = u128::from(cpus) * d - u128::from(cpus - 1) * c;
    fractions::compare(terms, bound).is_le()
}

/// What the sum without the minimum is made of.
struct Sums {
    /// Upper bounds for U and Σ u_i (T_i − D_i), in units of 2⁻⁶⁴.
    utilisation: Option<u128>,
    early: Option<u128>,
    /// For the tasks by falling utilisation: WCET and period, and the sums of these over all up to
    /// there.
    heaviest: Vec<[u128; 4]>,
}

impl Sums {
    fn new(set: &Set) -> Sums {
        let early = set.tasks().iter().map(|task| {
            let earlier = u128::from(task.period - task.deadline);
            (u128::from(task.wcet) * earlier, task.period)
        });
        let mut heaviest: Vec<[u128; 4]> = set
            .tasks()
            .iter()
            .map(|task| [task.wcet.into(), task.period.into(), 0, 0])
            .collect();
        heaviest.sort_unstable_by(|[c, t, ..], [other_c, other_t, ..]| {
            (other_c * t).cmp(&(c * other_t))
        });
        let (mut wcets, mut periods) = (0, 0);
        for entry in &mut heaviest {
            wcets += entry[0];
            periods += entry[1];
            [entry[2], entry[3]] = [wcets, periods];
        }
        Sums {
            utilisation: set.utilisation().at_most_short(),
            early: if set.is_implicit() {
                Some(0)
            } else {
                Bracket::of(early).at_most_short()
            },
            heaviest,
        }
    }

    /// Whether τ_k is sure to pass, even without the minimum.
    fn passes(&self, k: &Task, cpus: u32) -> bool {
        let [c, d] = [k.wcet, k.deadline].map(u128::from);
        let above = |[wcet, period, ..]: &[u128; 4]| wcet * d > c * period;
        let count = self.heaviest.partition_point(above);
        let sure = || {
            let rest = match count.checked_sub(1) {
                None => 0,
                Some(last) => {
                    let [.., wcets, periods] = self.heaviest[last];
                    let sum = wcets.checked_mul(d)? - c.checked_mul(periods)?;
                    sum.checked_mul(1 << 64)?.div_ceil(d)
                }
            };
            let sum = self.utilisation?.checked_mul(d)?;
            let sum = sum.checked_add(self.early?)?.checked_add(rest)?;
            let bound = u128::from(cpus) * d - u128::from(cpus - 1) * c;
            Some(sum <= bound.checked_mul(1 << 64)?)
        };
        sure().unwrap_or(false)
    }
}
