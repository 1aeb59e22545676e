//! Strict priorities in O(1): a list for each level and domain.

use super::super::bitmap::Levelled;
use super::super::{End, Queue};
use super::domains::Domains;
use super::in_rows::in_rows;
use crate::costs::Visits;
use crate::group::Group;
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// Strict priority scheduling that keeps to O(1) (section 3.1.1).
///
/// The linked list of a level is split into several, one for each domain. The level is found as
/// before. There the list of the domain that the CPU is in comes first, and then the others in the
/// order that the cost array gives, which has been computed before. Where every list has a task the
/// CPU goes through the levels in a zigzag:
///
/// ```text
///            low     high
///   level 0  [a] ->  [b]
///                     |          a b  d c  e f: 3 adjustments for 6 tasks,
///   level 1  [c] <-  [d]         and not 5
///             |
///   level 2  [e] ->  [f]
/// ```
///
/// Within a level, the present domain is left only when its list is empty. A task that goes behind
/// its equals at the end of its time slice goes behind those of its domain, so tasks of other domains
/// wait until all of these block, complete, or are moved to a second array as by Linux. Over plain
/// round robin they starve; [`TourLists`](super::TourLists) does not let them.
///
/// Memory: 1 byte a task and 2 a level and domain, besides keys, links and one table of visits.
pub struct StrictLists<K, S: Storage, const WORDS: usize = 8, const GROUPS: usize = 8> {
    rows: Domains<S, WORDS, GROUPS>,
    keys: S::Table<K>,
}

impl<K: Levelled, S: Storage, const WORDS: usize, const GROUPS: usize>
    StrictLists<K, S, WORDS, GROUPS>
{
    /// An empty queue in which domains are looked at in this order.
    pub fn with(capacity: usize, visits: Visits) -> Self {
        StrictLists {
            rows: Domains::new(capacity, visits),
            keys: Table::new(capacity, K::default()),
        }
    }

    /// The level of `task`.
    #[inline]
    fn place(&self, task: TaskId) -> u8 {
        self.keys[task.index()].level()
    }
}

impl<K: Levelled, S: Storage, const WORDS: usize, const GROUPS: usize> Queue<K>
    for StrictLists<K, S, WORDS, GROUPS>
{
    const NAME: &'static str = "a list a level and domain";
    const COMPLEXITY: &'static str = "O(1)";
    const GROUPS: usize = GROUPS;
    type Storage = S;

    fn new(capacity: usize) -> Self {
        Self::with(capacity, Visits::default())
    }

    fn accepts(&self, key: K) -> bool {
        Domains::<S, WORDS, GROUPS>::accepts(key.level())
    }

    #[inline]
    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        self.keys[task.index()] = key;
        self.rows.insert(task, key.level(), end)
    }

    in_rows!();

    #[inline]
    fn prefer(&mut self, group: Group) {
        self.rows.prefer(group);
    }

    #[inline]
    fn serve(&mut self, task: TaskId) {
        self.rows.serve(task);
    }
}
