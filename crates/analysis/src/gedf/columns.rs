//! Tasks of short times in columns: 31-bit numbers, of which a processor adds several at once.
//!
//! The loops are compiled for several generations of processors, and the machine's own is chosen
//! when the program runs. The last block ends with tasks that do nothing, so that there is no other
//! loop for what is left over.

#![expect(
    clippy::inline_always,
    reason = "a function is compiled for another processor only as part of the loop that is"
)]

pub(super) mod bcli;
pub(super) mod rta;
#[cfg(test)]
mod tests;

use super::Set;
use super::rounds::Slacks;
use core::array::from_fn;
use fearless_simd::Level;

/// Sums over all tasks of times up to the longest must be below this.
const SHORT: u64 = 1 << 31;

/// How many tasks a turn of a loop takes.
const LANES: usize = 16;

/// One property of so many tasks.
type Lanes = [i32; LANES];

/// Tasks by ascending deadlines.
#[derive(Clone)]
pub(super) struct Columns {
    blocks: Vec<Block>,
    /// How many do something.
    tasks: usize,
    /// What the processor can.
    level: Level,
}

/// A turn's worth of tasks, where no property crosses a line of the cache.
#[derive(Clone)]
#[repr(C, align(64))]
struct Block {
    c: Lanes,
    t: Lanes,
    d: Lanes,
    /// 1/T.
    per_t: [f32; LANES],
    slack: Lanes,
}

impl Columns {
    /// The columns of a set with short times, without slacks; `None` if some sums do not fit.
    pub(super) fn new(set: &Set) -> Option<Columns> {
        let tasks = set.tasks();
        let sum = set.longest().checked_mul(tasks.len() as u64 + 1);
        if sum.is_none_or(|sum| sum >= SHORT) {
            return None;
        }
        // A deadline and a place have 31 bits at most: whole numbers are sorted faster than tasks.
        let keys = tasks.iter().zip(0..);
        let mut order: Vec<u64> = keys
            .map(|(task, place)| task.deadline << 32 | place)
            .collect();
        order.sort_unstable();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "C ≤ D, and no D or T is longer than the longest, which is below 2³¹"
        )]
        let short = |time: u64| time as i32;
        let idle = short(set.longest());
        let block = |keys: &[u64]| {
            let mut block = Block {
                c: [0; LANES],
                t: [idle; LANES],
                d: [0; LANES],
                per_t: [0.0; LANES],
                slack: [0; LANES],
            };
            for (lane, key) in keys.iter().enumerate() {
                // The lower half is a place.
                let task = &tasks[(key & 0xffff_ffff) as usize];
                block.c[lane] = short(task.wcet);
                block.t[lane] = short(task.period);
                block.d[lane] = short(task.deadline);
            }
            #[expect(
                clippy::cast_precision_loss,
                reason = "it is exact for the times that it is used for"
            )]
            let per_t = from_fn(|lane| 1.0 / block.t[lane] as f32);
            Block { per_t, ..block }
        };
        Some(Columns {
            blocks: order.chunks(LANES).map(block).collect(),
            tasks: tasks.len(),
            level: Level::new(),
        })
    }

    /// The slacks of the tasks by ascending deadlines, and of equals the first one first.
    pub(super) fn slacks(&self) -> impl Iterator<Item = u64> {
        // None is negative.
        (0..self.tasks).map(|k| self.slack(k).unsigned_abs().into())
    }
}

impl Slacks for Columns {
    type Time = i32;

    fn tasks(&self) -> usize {
        self.tasks
    }

    fn wcet(&self, k: usize) -> i32 {
        self.blocks[k / LANES].c[k % LANES]
    }

    fn deadline(&self, k: usize) -> i32 {
        self.blocks[k / LANES].d[k % LANES]
    }

    fn slack(&self, k: usize) -> i32 {
        self.blocks[k / LANES].slack[k % LANES]
    }

    fn set_slack(&mut self, k: usize, slack: i32) {
        self.blocks[k / LANES].slack[k % LANES] = slack;
    }
}
