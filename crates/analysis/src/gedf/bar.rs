//! BAR: Baruah's test, with few tasks that carry in.
//!
//! For every task τ_k and every L = D_k, D_k + 1, … that is a step D_i + j T_i of some task,
//!
//! ```text
//!   Σ_i I¹_i + (the m − 1 largest I²_i − I¹_i) ≤ m (L − C_k)
//!
//!   I¹_i = min(dbf_i(L), L − C_k + 1)          I¹_k = min(dbf_k(L) − C_k, L − D_k)
//!   I²_i = min(dbf′_i(L), L − C_k + 1)         I²_k = min(dbf′_k(L) − C_k, L − D_k)
//!
//!   dbf_i(L)  = (⌊(L − D_i)/T_i⌋ + 1)⁺ C_i     without, and
//!   dbf′_i(L) = ⌊L/T_i⌋ C_i + min(C_i, L mod T_i)     with a job that was there before
//! ```
//!
//! If a job of τ_k is the first to miss its deadline, then go back to the last instant before its
//! arrival at which a CPU is idle: fewer than m tasks have a job under way there, so fewer than m
//! carry in. (There, A is L − D_k.)
//!
//! Source: Baruah, "Techniques for multiprocessor global schedulability analysis", RTSS 2007. The
//! "+ 1" is one unit: time is discrete, and interference of exactly L − C_k would be no miss.
//!
//! # How far, and how few
//!
//! * dbf_i(L) ≤ u_i (L + T_i − D_i) and dbf′_i − dbf_i ≤ C_i, so with C_Σ for the m − 1 largest
//!   WCETs the left side is at most U L + Σ u_i (T_i − D_i) + C_Σ − C_k. From L = (C_Σ + Σ u_i (T_i
//!   − D_i) + (m − 1) C_k) / (m − U) on the condition holds. (Baruah has m C_k there, which is more
//!   than needed.) So U < m is a precondition.
//! * What does not depend on k is computed once for all. Without the minima the condition is
//!   h(L) + (m − 1) C_k ≤ m L with h(L) = Σ dbf_i + (the m − 1 largest dbf′_i − dbf_i), as the own
//!   task counts C_k less, dbf_k(L) being at least that. If it holds for the k with the largest
//!   C_k, it does for all others. Since dbf′_i ≥ dbf_i, the left side is the maximum over all sets
//!   of fewer than m tasks of a sum of dbf′ for them and dbf for the others; a minimum makes no
//!   term larger, so the condition with the minima holds as well.
//! * Only the k for which it does not hold are looked at one by one, with the minima.
//! * For the same reason the left side never falls as L grows, with minima or without. If a k
//!   passes at L, it does so down to where m (L′ − C_k) is the left side at L: see [`descent`].
//! * Most sets that are rejected fail at the deadline of a task with a large C, so these are looked
//!   at first.
//!
//! Complexity: pseudo-polynomial; O(n) for an L at which all pass without the minima, and O(n) more
//! for each k that does not.

use super::descent::{self, DemandAt};
use super::load::early;
use super::word::Word;
use super::{Answer, Set, Task};
use crate::Stop;
use crate::fractions;
use crate::work::Meter;
use core::cmp::Reverse;

pub(super) fn test(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Answer, Stop> {
    if !set.leaves_something_of(cpus) {
        return Ok(Answer::Rejects);
    }
    let mut tasks = set.tasks().to_vec();
    tasks.sort_unstable_by_key(|task| Reverse(task.wcet));
    let horizon = horizon(set, &tasks, cpus).ok_or(Stop::TimeRange)?;
    let longest = u128::from(set.longest());
    // For all quotients of lengths, and for m L, which is more than all sums that matter.
    let short = horizon
        .checked_mul(longest.max(2 * u128::from(cpus)))
        .is_some_and(|product| product < 1 << 63);
    let passes = if short {
        all::<u64>(&tasks, cpus, horizon, meter)?
    } else {
        all::<u128>(&tasks, cpus, horizon, meter)?
    };
    Ok(Answer::accepts_if(passes))
}

/// From where on every task passes; `None` if it does not fit. `tasks` by falling WCETs.
fn horizon(set: &Set, tasks: &[Task], cpus: u32) -> Option<u128> {
    let largest = |count: usize| tasks.iter().take(count).map(|task| u128::from(task.wcet));
    let others = u128::from(cpus - 1);
    let carried: u128 = largest(cpus as usize - 1).sum();
    let own: u128 = largest(1).map(|wcet| others * wcet).sum();
    let mut work = early(tasks);
    work.add(carried + own, 1);
    fractions::crossing(&work, set.utilisation(), (cpus.into(), 1))
}

/// How many tasks are asked about their own deadlines before all others.
const FIRST: usize = 8;

struct Row<W: Word> {
    c: W,
    t: W,
    d: W,
    by_t: W::Divisor,
}

/// What there is to know about all tasks at one L.
struct Demands<W: Word> {
    rows: Vec<Row<W>>,
    /// dbf_i and dbf′_i − dbf_i.
    plain: Vec<W>,
    more: Vec<W>,
    /// The last step up to there.
    last_step: Option<W>,
    /// For the search for the largest.
    largest: Vec<W>,
    cpus: W,
    by_cpus: W::Divisor,
    carriers: usize,
}

fn all<W: Word>(tasks: &[Task], cpus: u32, horizon: u128, meter: &mut Meter) -> Result<bool, Stop> {
    let row = |task: &Task| Row {
        c: W::new(task.wcet),
        t: W::new(task.period),
        d: W::new(task.deadline),
        by_t: W::divisor(task.period),
    };
    let mut demands = Demands::<W> {
        rows: tasks.iter().map(row).collect(),
        plain: vec![W::ZERO; tasks.len()],
        more: vec![W::ZERO; tasks.len()],
        last_step: None,
        largest: Vec::with_capacity(tasks.len()),
        cpus: W::new(cpus.into()),
        by_cpus: W::divisor(cpus.into()),
        carriers: (cpus as usize - 1).min(tasks.len()),
    };
    // Short intervals have the least room for what is carried in, and long jobs have the least room
    // besides. The deadline of a task is a step.
    for task in tasks.iter().take(FIRST) {
        let length = W::new(task.deadline);
        if demands.look(length, meter)?.down_to.is_none() {
            return Ok(false);
        }
    }
    let shortest = tasks.iter().map(|task| task.deadline).min();
    descent::fits(shortest.unwrap_or(1).into(), horizon, |length| {
        demands.look(W::narrow(length), meter)
    })
}

impl<W: Word> Demands<W> {
    /// Whether all k with D_k ≤ L pass at L, and down to where.
    fn look(&mut self, length: W, meter: &mut Meter) -> Result<DemandAt, Stop> {
        meter.spend(W::STEPS * self.rows.len())?;
        let all = self.fill(length);
        let last_step = self.last_step.map(W::wide);
        let others = self.cpus - W::ONE;
        let mut down_to = W::ZERO;
        for k in 0..self.rows.len() {
            if self.rows[k].d > length {
                continue;
            }
            let c = self.rows[k].c;
            let sum = all + others * c;
            if sum <= self.cpus * length {
                // So do all that follow, as their WCETs are smaller.
                down_to = down_to.max(self.up(sum));
                break;
            }
            meter.spend(W::STEPS * self.rows.len())?;
            let sum = self.with_minima(length, k);
            if sum > self.cpus * (length - c) {
                let down_to = None;
                return Ok(DemandAt { down_to, last_step });
            }
            down_to = down_to.max(self.up(sum) + c);
        }
        let down_to = Some(down_to.wide());
        Ok(DemandAt { down_to, last_step })
    }

    /// `sum` / m, rounded up.
    fn up(&self, sum: W) -> W {
        (sum + self.cpus - W::ONE).over(self.by_cpus)
    }

    /// Computes what all k have in common, and returns h(L).
    fn fill(&mut self, length: W) -> W {
        let mut sum = W::ZERO;
        let mut nearest = length;
        let demands = self.plain.iter_mut().zip(&mut self.more);
        for (row, (plain, more)) in self.rows.iter().zip(demands) {
            let jobs = length.over(row.by_t);
            let rest = length - jobs * row.t;
            // D ≤ T, so at most one deadline more than there are whole periods.
            if rest >= row.d {
                *plain = (jobs + W::ONE) * row.c;
                *more = W::ZERO;
                nearest = nearest.min(rest - row.d);
            } else {
                *plain = jobs * row.c;
                *more = rest.min(row.c);
                if jobs > W::ZERO {
                    nearest = nearest.min(rest + row.t - row.d);
                }
            }
            sum += *plain;
        }
        self.last_step = Some(length - nearest).filter(|&step| step > W::ZERO);
        self.largest.clear();
        self.largest.extend_from_slice(&self.more);
        sum + largest(&mut self.largest, self.carriers)
    }

    /// The left side of the condition of τ_k.
    fn with_minima(&mut self, length: W, k: usize) -> W {
        let Row { c, d, .. } = self.rows[k];
        let most = length - c + W::ONE;
        let mut sum = W::ZERO;
        self.largest.clear();
        for (i, (&plain, &more)) in self.plain.iter().zip(&self.more).enumerate() {
            let (plain, all, most) = if i == k {
                (plain - c, plain + more - c, length - d)
            } else {
                (plain, plain + more, most)
            };
            let plain = plain.min(most);
            self.largest.push(all.min(most) - plain);
            sum += plain;
        }
        sum + largest(&mut self.largest, self.carriers)
    }
}

/// The sum of the `count` largest.
fn largest<W: Word>(numbers: &mut [W], count: usize) -> W {
    if count > 0 && count < numbers.len() {
        numbers.select_nth_unstable_by(count - 1, |a, b| b.cmp(a));
    }
    let add = |sum, &number| sum + number;
    numbers[..count].iter().fold(W::ZERO, add)
}
