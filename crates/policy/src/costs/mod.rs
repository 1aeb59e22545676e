//! What it costs to go from one group of tasks to another: the cost array of double-sorted
//! scheduling.
//!
//! To change the frequency of a CPU takes time and energy, and more of both for some changes than
//! for others. A table says how much, and what follows from it is worked out before anything runs:
//! in which order groups cost the least ([`Costs::round`], [`Costs::path`]), which of them are worth
//! a visit ([`Costs::kept`]), and whether to sort pays at all ([`Costs::pays`], and with what is
//! seen meanwhile [`History`]).
//!
//! The example of the source, in cycles:
//!
//! | from \ to, MHz | 104 | 208 | 416 | 520 | 620 |
//! |---|---|---|---|---|---|
//! | 104 | 0 | 1000 | 2500 | 3000 | 4000 |
//! | 208 | 800 | 0 | 1000 | 2800 | 3500 |
//! | 416 | 1200 | 800 | 0 | 2000 | 2500 |
//! | 520 | 2000 | 1500 | 1000 | 0 | 2000 |
//! | 620 | 3000 | 2500 | 2000 | 1500 | 0 |
//!
//! Source: Finster, *Double-sorted scheduling in process cruise control environments*, Universität
//! Karlsruhe 2005, chapter 3 with Table 3.1, and section 1.1 for the rule of thumb.

mod history;
mod kept;
mod tour;

pub use history::History;
pub use kept::{Kept, Weight};
pub use tour::{Path, Round, Visits};

use crate::encode::Encode;
use crate::group::{Group, MOST_GROUPS};
use core::fmt;

/// What each transition from one group to another costs, for up to [`MOST_GROUPS`] groups. The unit
/// is the user's: cycles, nanoseconds, nanojoules or a mixture ([`Costs::weighed`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Costs {
    count: usize,
    /// Rows from, columns to; zero beyond `count`.
    table: [[u32; MOST_GROUPS]; MOST_GROUPS],
}

/// Why a table cannot be one of costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadCosts {
    /// It has no row, or more than [`MOST_GROUPS`].
    Count(usize),
    /// This row has another number of columns than there are rows.
    NotSquare {
        /// The row, from 0.
        row: usize,
        /// How many columns it has.
        columns: usize,
    },
    /// To stay in this group costs something.
    Diagonal(Group),
    /// Two tables that belong together are of different sizes.
    Sizes,
}

impl fmt::Display for BadCosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadCosts::Count(count) => {
                write!(f, "there are {count} rows, and not 1 to {MOST_GROUPS}")
            }
            BadCosts::NotSquare { row, columns } => {
                write!(f, "row {} has {columns} columns: one a row", row + 1)
            }
            BadCosts::Diagonal(group) => {
                let place = group.index() + 1;
                write!(
                    f,
                    "in row {place}, column {place} is not 0: to stay is free"
                )
            }
            BadCosts::Sizes => f.write_str("the tables have different sizes"),
        }
    }
}

impl core::error::Error for BadCosts {}

impl Costs {
    /// The costs of this table; row by row, from each group to all.
    ///
    /// # Errors
    /// [`BadCosts::Count`], [`BadCosts::NotSquare`], [`BadCosts::Diagonal`].
    pub fn new<R: AsRef<[u32]>>(rows: &[R]) -> Result<Costs, BadCosts> {
        let count = rows.len();
        if count == 0 || count > MOST_GROUPS {
            return Err(BadCosts::Count(count));
        }
        let mut table = [[0; MOST_GROUPS]; MOST_GROUPS];
        for (row, costs) in rows.iter().map(AsRef::as_ref).enumerate() {
            if costs.len() != count {
                let columns = costs.len();
                return Err(BadCosts::NotSquare { row, columns });
            }
            if costs[row] != 0 {
                return Err(BadCosts::Diagonal(Group::of(row)));
            }
            table[row][..count].copy_from_slice(costs);
        }
        Ok(Costs { count, table })
    }

    /// The same cost for each transition between `count` groups, 1 to [`MOST_GROUPS`].
    pub fn even(count: usize, cost: u32) -> Costs {
        let count = count.clamp(1, MOST_GROUPS);
        let of = |from, to| if from == to { 0 } else { cost };
        Costs::from_fn(count, of)
    }

    /// Time and energy as one cost: `weight` parts of the one, the rest of the other; rounded up.
    ///
    /// # Errors
    /// [`BadCosts::Sizes`].
    pub fn weighed(time: &Costs, energy: &Costs, weight: Weight) -> Result<Costs, BadCosts> {
        if time.count != energy.count {
            return Err(BadCosts::Sizes);
        }
        let of = |from: usize, to: usize| weight.mix(time.table[from][to], energy.table[from][to]);
        Ok(Costs::from_fn(time.count, of))
    }

    fn from_fn(count: usize, of: impl Fn(usize, usize) -> u32) -> Costs {
        let mut table = [[0; MOST_GROUPS]; MOST_GROUPS];
        for (from, row) in table.iter_mut().enumerate().take(count) {
            for (to, cost) in row.iter_mut().enumerate().take(count) {
                *cost = of(from, to);
            }
        }
        Costs { count, table }
    }

    /// The table, row by row.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.table[..self.count]
            .iter()
            .map(|row| &row[..self.count])
    }

    /// How many groups there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// All groups, by rising number.
    pub fn groups(&self) -> impl DoubleEndedIterator<Item = Group> + use<> {
        (0..self.count).map(Group::of)
    }

    /// What it costs to go from one group straight to another. Groups that are not in the table count
    /// as the last one.
    #[inline]
    pub fn of(&self, from: Group, to: Group) -> u32 {
        let last = self.count - 1;
        self.table[from.index().min(last)][to.index().min(last)]
    }

    /// What it costs to visit these groups one after the other.
    pub fn along(&self, groups: &[Group]) -> u64 {
        let pairs = groups.windows(2);
        pairs.map(|pair| u64::from(self.of(pair[0], pair[1]))).sum()
    }

    /// The costs of the cheapest ways, by other groups where that is cheaper (Floyd 1962, Warshall
    /// 1962). No detour is cheaper than one of these, so to leave a group out of a tour never costs
    /// more. O(groups³).
    #[must_use]
    pub fn with_detours(&self) -> Costs {
        let mut costs = *self;
        for by in 0..self.count {
            for from in 0..self.count {
                for to in 0..self.count {
                    let detour = costs.table[from][by].saturating_add(costs.table[by][to]);
                    let direct = &mut costs.table[from][to];
                    *direct = detour.min(*direct);
                }
            }
        }
        costs
    }

    /// The cost of the cheapest transition; `None` if there is but one group.
    pub fn smallest(&self) -> Option<u32> {
        self.transitions().min()
    }

    /// The mean cost of a transition, rounded down; `None` if there is but one group.
    pub fn mean(&self) -> Option<u32> {
        let sum: u64 = self.transitions().map(u64::from).sum();
        let mean = sum.checked_div(self.transitions().count() as u64)?;
        // No mean is larger than the largest.
        u32::try_from(mean).ok()
    }

    /// All transitions between two groups, row by row.
    fn transitions(&self) -> impl Iterator<Item = u32> + '_ {
        let pairs = self
            .groups()
            .flat_map(|from| self.groups().map(move |to| (from, to)));
        let pairs = pairs.filter(|(from, to)| from != to);
        pairs.map(|(from, to)| self.of(from, to))
    }

    /// Whether to sort may pay: even the cheapest transition costs at least what a sorted decision
    /// costs. If not, scheduling leaves groups alone: all tasks are in one. (Chapter 3 of the source
    /// compares the smallest entry of the table, its section 1.1 the largest one.)
    pub fn pays(&self, sorting: u32) -> bool {
        self.smallest().is_some_and(|smallest| smallest >= sorting)
    }
}

/// The number of groups, and the table row by row.
impl Encode for Costs {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        // At most 8.
        #[expect(clippy::cast_possible_truncation)]
        (self.count as u8).emit(put);
        self.rows().flatten().for_each(|cost| cost.emit(put));
    }

    fn parse(bytes: &mut &[u8]) -> Option<Costs> {
        let count = usize::from(u8::parse(bytes)?);
        let mut table = [[0; MOST_GROUPS]; MOST_GROUPS];
        for row in table.get_mut(..count)? {
            for cost in &mut row[..count] {
                *cost = u32::parse(bytes)?;
            }
        }
        let costs = Costs { count, table };
        let is_free = |group| costs.of(group, group) == 0;
        (count > 0 && costs.groups().all(is_free)).then_some(costs)
    }
}
