//! BCLI for sets of short times: in columns of 31-bit numbers, several of which a processor adds at once.
//!
//! The rounds are those of [`rounds`](super::rounds), with one difference: tasks are taken by ascending deadlines,
//! always in the same order. So what E_i needs of ⌊D_k/T_i⌋ and D_k mod T_i follows from what it was for the deadline
//! before, and nothing is divided. There is no branch in the inner loops.

use super::{Set, Task};
use crate::Stop;
use crate::work::Meter;

/// Sums over all tasks of times up to the longest must be below this.
const SHORT: u64 = 1 << 31;

/// Whether all sums fit.
pub(super) fn fit(set: &Set) -> bool {
    let sum = set.longest().checked_mul(set.tasks().len() as u64 + 1);
    sum.is_some_and(|sum| sum < SHORT)
}

/// How many numbers a turn of the inner loops takes, at most. Columns end with tasks that do nothing, so that there
/// is no other loop for what is left over.
const TURN: usize = 8;

/// Tasks by ascending deadlines, each property by itself.
pub(super) struct Columns {
    c: Vec<i32>,
    t: Vec<i32>,
    d: Vec<i32>,
    /// ⌊D_k/T_i⌋ C_i and D_k mod T_i, for the task τ_k of which it is asked.
    whole: Vec<i32>,
    rest: Vec<i32>,
    /// Slacks at or below the least fixed point, and at or above the greatest.
    sure: Vec<i32>,
    hoped: Vec<i32>,
    /// How many do something.
    tasks: usize,
    cpus: i64,
}

impl Columns {
    /// The columns of a set that [`fit`]s.
    pub(super) fn new(set: &Set, cpus: u32) -> Columns {
        let mut tasks = set.tasks().to_vec();
        tasks.sort_by_key(|task| task.deadline);
        // Below 2³¹, as it fits.
        let short = |time: u64| i32::try_from(time).unwrap_or(i32::MAX);
        let column = |of: fn(&Task) -> u64, idle: i32| -> Vec<i32> {
            let idle = core::iter::repeat_n(idle, tasks.len().next_multiple_of(TURN) - tasks.len());
            tasks
                .iter()
                .map(|task| short(of(task)))
                .chain(idle)
                .collect()
        };
        let c = column(|task| task.wcet, 0);
        let none = vec![0; c.len()];
        Columns {
            t: column(|task| task.period, i32::MAX),
            d: column(|task| task.deadline, 0),
            hoped: column(|task| task.deadline - task.wcet, 0),
            whole: none.clone(),
            rest: none.clone(),
            sure: none,
            c,
            tasks: tasks.len(),
            cpus: cpus.into(),
        }
    }

    /// Whether nobody is late at the least fixed point.
    pub(super) fn decide(&mut self, meter: &mut Meter) -> Result<bool, Stop> {
        let mut first = true;
        loop {
            let (mut late, mut better) = (false, false);
            for k in 0..self.tasks {
                meter.spend(self.tasks)?;
                self.move_to(k);
                if let Some(slack) = self.slack(k, &self.sure) {
                    better |= slack > self.sure[k];
                    self.sure[k] = slack;
                } else {
                    late = true;
                    if first && self.slack(k, &self.hoped).is_none() {
                        return Ok(false);
                    }
                }
                // The first round is enough for most sets that are accepted, and they need no hope.
                if !first {
                    match self.slack(k, &self.hoped) {
                        Some(slack) => self.hoped[k] = slack,
                        None => return Ok(false),
                    }
                }
            }
            if !late || !better {
                return Ok(!late);
            }
            first = false;
        }
    }

    /// The slacks that are sure by now, of the tasks by ascending deadlines and of equals the first one first.
    pub(super) fn slacks(&self) -> impl Iterator<Item = u64> {
        // None is negative.
        self.sure[..self.tasks]
            .iter()
            .map(|&slack| slack.unsigned_abs().into())
    }

    /// Turns from the deadline before to that of τ_k.
    fn move_to(&mut self, k: usize) {
        let Some(before) = k.checked_sub(1) else {
            let deadline = self.d[0];
            let tasks = self.c.iter().zip(&self.t);
            let places = self.whole.iter_mut().zip(&mut self.rest);
            for ((c, t), (whole, rest)) in tasks.zip(places) {
                (*whole, *rest) = (deadline / t * c, deadline % t);
            }
            return;
        };
        let mut step = self.d[k] - self.d[before];
        // Where a period is shorter than the step: once more.
        while advance(&mut self.whole, &mut self.rest, &self.c, &self.t, step) {
            step = 0;
        }
    }

    /// What τ_k has left, with these slacks of all others, if it is in time.
    fn slack(&self, k: usize, slacks: &[i32]) -> Option<i32> {
        let room = self.d[k] - self.c[k];
        let all = work(&self.whole, &self.rest, &self.c, slacks, room + 1);
        let own = k..=k;
        let own = work(
            &self.whole[own.clone()],
            &self.rest[own.clone()],
            &self.c[own.clone()],
            &slacks[own],
            room + 1,
        );
        // The sum is not negative, and there is a CPU at least.
        let others = i64::from(all - own) / self.cpus;
        // Below 2³¹, as the sum is.
        let others = i32::try_from(others).unwrap_or(i32::MAX);
        (others <= room).then(|| room - others)
    }
}

/// Goes on by `step`: adds it to all rests, and takes a period out of those that have one, for a job's work. Returns
/// whether any has another one.
fn advance(whole: &mut [i32], rest: &mut [i32], c: &[i32], t: &[i32], step: i32) -> bool {
    let mut most = i32::MIN;
    for (((whole, rest), &c), &t) in whole.iter_mut().zip(rest).zip(c).zip(t) {
        let left = *rest + step - t;
        // All bits set if there is no period to take out: a mask, where the compiler would make a branch of a condition.
        let none = left >> 31;
        let left = left + (t & none);
        *rest = left;
        *whole += c & !none;
        most = most.max(left - t);
    }
    most >= 0
}

/// Σ min(E_i, most).
fn work(whole: &[i32], rest: &[i32], c: &[i32], slacks: &[i32], most: i32) -> i32 {
    let mut sum = 0;
    for (((&whole, &rest), &c), &slack) in whole.iter().zip(rest).zip(c).zip(slacks) {
        sum += (whole + (rest - slack).max(0).min(c)).min(most);
    }
    sum
}
