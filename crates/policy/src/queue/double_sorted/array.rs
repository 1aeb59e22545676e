//! The priority array: a row for each level, with a list in each column, and a bitmap of the rows
//! that are not empty.
//!
//! ```text
//!   level   column 0        column 1
//!     0     [ ]             [ ]               rows: 0 1 0 1 …
//!     1     [a] <-> [b]     [ ]
//!     2     [ ]             [ ]               Fig 3.1 of the source, with a column a domain
//!     3     [c]             [d] <-> [e]
//! ```

use super::super::links::{Links, List};
use crate::storage::Storage;
use flyball_trace::TaskId;

/// Rows in one word of the bitmap.
const WORD: usize = u32::BITS as usize;

/// A table of lists. As [`Bitmap`](crate::Bitmap) it has the `WORDS` × 32 least urgent levels there
/// are, up to 256.
pub(super) struct PriorityArray<S: Storage, const WORDS: usize, const COLUMNS: usize> {
    /// The `n`-th highest bit is set if the `n`-th of `rows` is not zero, where there are several.
    words: u32,
    /// The `n`-th highest bit is set if the `n`-th row of that word is not empty.
    rows: [u32; WORDS],
    lists: [[[List; COLUMNS]; WORD]; WORDS],
    links: Links<S>,
}

impl<S: Storage, const WORDS: usize, const COLUMNS: usize> PriorityArray<S, WORDS, COLUMNS> {
    const ROWS: usize = {
        assert!(WORDS.is_power_of_two() && WORDS <= 8, "1, 2, 4 or 8 words");
        WORDS * WORD
    };

    pub(super) fn new(capacity: usize) -> Self {
        PriorityArray {
            words: 0,
            rows: [0; WORDS],
            lists: [[[List::EMPTY; COLUMNS]; WORD]; WORDS],
            links: Links::new(capacity),
        }
    }

    pub(super) fn capacity(&self) -> usize {
        self.links.capacity()
    }

    /// Whether there is a row for this level.
    pub(super) fn accepts(level: u8) -> bool {
        usize::from(u8::MAX - level) < Self::ROWS
    }

    /// The row of a level that is accepted.
    #[inline]
    pub(super) fn row(level: u8) -> usize {
        usize::from(level) % Self::ROWS
    }

    /// The first row that is not empty.
    #[inline]
    pub(super) fn first_row(&self) -> Option<usize> {
        let word = if WORDS == 1 {
            0
        } else {
            self.words.leading_zeros() as usize
        };
        let rows = *self.rows.get(word)?;
        (rows != 0).then(|| word * WORD + rows.leading_zeros() as usize)
    }

    /// The number of the first row that is not empty; if all are, it is beyond the last.
    #[inline]
    pub(super) fn first_or_beyond(&self) -> usize {
        self.first_row().unwrap_or(Self::ROWS)
    }

    /// The lists of a row, by column.
    #[inline]
    pub(super) fn lists(&self, row: usize) -> &[List; COLUMNS] {
        &self.lists[row / WORD % WORDS][row % WORD]
    }

    #[inline]
    fn list_mut(&mut self, row: usize, column: usize) -> &mut List {
        &mut self.lists[row / WORD % WORDS][row % WORD][column]
    }

    /// The links of the tasks.
    #[inline]
    pub(super) fn links(&self) -> &Links<S> {
        &self.links
    }

    /// Puts `task`, which is in no list, at the end of one.
    #[inline]
    pub(super) fn push_back(&mut self, row: usize, column: usize, task: TaskId) {
        let mut list = self.lists(row)[column];
        self.links.push_back(&mut list, task);
        *self.list_mut(row, column) = list;
        self.mark(row);
    }

    /// Puts `task`, which is in no list, at the beginning of one.
    #[inline]
    pub(super) fn push_front(&mut self, row: usize, column: usize, task: TaskId) {
        let mut list = self.lists(row)[column];
        self.links.push_front(&mut list, task);
        *self.list_mut(row, column) = list;
        self.mark(row);
    }

    /// Puts `task`, which is in no list, behind another one, which is in one.
    #[inline]
    pub(super) fn insert_after(&mut self, other: TaskId, task: TaskId) {
        // The task behind the last one is the first: before that is at the end of the list.
        self.links.insert_before(self.links.after(other), task);
    }

    /// Takes `task` out of the list in which it is. Returns whether its row is empty then.
    #[inline]
    pub(super) fn remove(&mut self, row: usize, column: usize, task: TaskId) -> bool {
        let mut list = self.lists(row)[column];
        self.links.remove(&mut list, task);
        *self.list_mut(row, column) = list;
        let is_empty = list.is_empty() && self.lists(row).iter().all(|list| list.is_empty());
        if is_empty {
            let (word, place) = (row / WORD % WORDS, row % WORD);
            self.rows[word] &= !Self::bit(place);
            if WORDS > 1 && self.rows[word] == 0 {
                self.words &= !Self::bit(word);
            }
        }
        is_empty
    }

    /// Puts `task` at the end of the list in which it is.
    #[inline]
    pub(super) fn rotate(&mut self, row: usize, column: usize, task: TaskId) {
        let mut list = self.lists(row)[column];
        self.links.rotate(&mut list, task);
        *self.list_mut(row, column) = list;
    }

    /// The list of one column becomes that of another one of the same row, which is empty.
    #[inline]
    pub(super) fn hand_over(&mut self, row: usize, from: usize, to: usize) {
        debug_assert!(self.lists(row)[to].is_empty(), "nothing is lost");
        *self.list_mut(row, to) = self.lists(row)[from];
        *self.list_mut(row, from) = List::EMPTY;
    }

    #[inline]
    fn mark(&mut self, row: usize) {
        let (word, place) = (row / WORD % WORDS, row % WORD);
        self.rows[word] |= Self::bit(place);
        if WORDS > 1 {
            self.words |= Self::bit(word);
        }
    }

    #[inline]
    fn bit(place: usize) -> u32 {
        (1 << (WORD - 1)) >> place
    }
}
