//! What other tasks can do to a job while it waits: the terms that BCL, BCLI and RTA share.
//!
//! In a window of the length of τ_k's deadline, ending with it, only jobs of τ_i whose deadlines
//! are in the window, too, can be more urgent. The worst case has a deadline of τ_i at the end of
//! the window and its jobs as late as they may be; the first one sticks out, and a slack s_i that
//! each job of τ_i is known to have left at its end keeps it from working in its last s_i units:
//!
//! ```text
//!            |------------------- D_k -------------------|
//!      ______|▇▇▇_s__|________▇▇▇_|_______▇▇▇_|______▇▇▇_|      E_i = ⌊D_k/T_i⌋ C_i + min(C_i, (D_k mod T_i − s_i)⁺)
//!                                                               (D = T)
//! ```
//!
//! A busy window of length R that ends at any time can have as much work of τ_i as (Bertogna and
//! Cirinei 2007, equation 5)
//!
//! ```text
//!   W_i(R) = ⌊x/T_i⌋ C_i + min(C_i, x mod T_i)      x = R + D_i − C_i − s_i
//! ```

use super::rounds::Slacks;
use super::word::{SHORT, Word};
use super::{Set, Task};

/// A task as the loops want it.
#[derive(Clone, Copy)]
pub(crate) struct Row<W: Word> {
    pub(crate) c: W,
    pub(crate) d: W,
    pub(crate) t: W,
    /// For divisions by the period.
    pub(crate) by_t: W::Divisor,
    /// What every job of this task is known to have left when it ends, so far. At most D − C.
    pub(crate) slack: W,
}

impl<W: Word> Row<W> {
    pub(crate) fn new(task: &Task) -> Row<W> {
        Row {
            c: W::new(task.wcet),
            d: W::new(task.deadline),
            t: W::new(task.period),
            by_t: W::divisor(task.period),
            slack: W::ZERO,
        }
    }

    /// E_i: its work in a window of `deadline` units that ends with the deadline of another task's
    /// job.
    #[inline]
    pub(crate) fn before(&self, deadline: W) -> W {
        let jobs = deadline.over(self.by_t);
        let rest = deadline - jobs * self.t;
        jobs * self.c + rest.less(self.slack).min(self.c)
    }
}

pub(crate) fn rows<W: Word>(set: &Set) -> Vec<Row<W>> {
    set.tasks().iter().map(Row::new).collect()
}

/// The same by ascending deadlines, of equals the first one first.
pub(crate) fn by_deadline<W: Word>(set: &Set) -> Vec<Row<W>> {
    let mut rows = rows(set);
    rows.sort_by_key(|row| row.d);
    rows
}

impl<W: Word> Slacks for Vec<Row<W>> {
    type Time = W;

    fn tasks(&self) -> usize {
        self.len()
    }

    fn wcet(&self, k: usize) -> W {
        self[k].c
    }

    fn deadline(&self, k: usize) -> W {
        self[k].d
    }

    fn slack(&self, k: usize) -> W {
        self[k].slack
    }

    fn set_slack(&mut self, k: usize, slack: W) {
        self[k].slack = slack;
    }
}

/// Whether 64 bits are enough: for x ≤ 2 max(T) also x · T < 2⁶⁴, and no sum is larger than that.
pub(crate) fn is_short(set: &Set) -> bool {
    set.longest() < SHORT && set.tasks().len() < 1 << 31
}
