//! Strict priorities in O(n): the list of a level is kept sorted.

use super::super::bitmap::Levelled;
use super::super::{End, Queue};
use super::in_rows::in_rows;
use super::sorted_rows::SortedRows;
use crate::group::Group;
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// Strict priority scheduling that leaves the data structures as they are (section 3.2.1).
///
/// A task that is put in walks along the list of its level from the tail, and stops behind the first
/// one of an equal or higher domain; if there is none it is the head. So the list is in the order of
/// falling domains, into which tasks of high domains rise like bubbles:
///
/// ```text
///   [high][high][low][low]   + [high]   =   [high][high][high][low][low]
/// ```
///
/// Only [`Queue::insert`] at the tail sorts. A task that goes to the end of its level without being
/// taken out ([`Queue::rotate`]) goes there whatever its domain is. If it were put in anew, the last
/// task of the highest domain would be the head again and again, and no other would run. Nor does a
/// task that is put in at the head ([`End::Head`]) move.
///
/// The task that runs is not passed, so no equal preempts it.
///
/// Memory: 1 byte a task, besides the priority array.
pub struct StrictWalk<K, S: Storage, const WORDS: usize = 8> {
    rows: SortedRows<S, WORDS>,
    keys: S::Table<K>,
}

impl<K: Levelled, S: Storage, const WORDS: usize> StrictWalk<K, S, WORDS> {
    /// The row of `task`.
    #[inline]
    fn place(&self, task: TaskId) -> usize {
        SortedRows::<S, WORDS>::row(self.keys[task.index()].level())
    }
}

impl<K: Levelled, S: Storage, const WORDS: usize> Queue<K> for StrictWalk<K, S, WORDS> {
    const NAME: &'static str = "a list a level, sorted by domain";
    const COMPLEXITY: &'static str = "O(n) to put in, else O(1)";
    const GROUPS: usize = 256;
    type Storage = S;

    fn new(capacity: usize) -> Self {
        StrictWalk {
            rows: SortedRows::new(capacity),
            keys: Table::new(capacity, K::default()),
        }
    }

    fn accepts(&self, key: K) -> bool {
        SortedRows::<S, WORDS>::accepts(key.level())
    }

    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        self.keys[task.index()] = key;
        self.rows.insert(task, self.place(task), end)
    }

    in_rows!();

    #[inline]
    fn serve(&mut self, task: TaskId) {
        self.rows.serve(task);
    }
}
