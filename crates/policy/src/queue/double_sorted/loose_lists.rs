//! Loose priorities in O(1): some levels share the lists of their domains.

use super::super::bitmap::Levelled;
use super::super::{End, Queue};
use super::domains::Domains;
use super::in_rows::in_rows;
use super::scope::Scope;
use crate::costs::Visits;
use crate::group::Group;
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// Loose priority scheduling that keeps to O(1) (section 3.1.2).
///
/// As [`StrictLists`](super::StrictLists), but the priorities that tasks have are mapped to fewer
/// within the scheduler, so that more tasks meet:
///
/// ```text
///              low           high
///   level 0   \
///   level 1   / [a] [c]      [b]        Fig 3.3: two on one
///   level 2   \
///   level 3   / [d]          [e] [f]
/// ```
///
/// Levels that share their lists are one level: within it, tasks are served by domain, and in a
/// domain in the order in which they came. So a task waits for tasks of at most k − 1 levels below its own,
/// where k levels share their lists, and real-time levels never do ([`Scope`]). The key of a task
/// stays what it is.
///
/// Memory: as [`StrictLists`](super::StrictLists).
pub struct LooseLists<K, S: Storage, const WORDS: usize = 8, const GROUPS: usize = 8> {
    rows: Domains<S, WORDS, GROUPS>,
    scope: Scope,
    keys: S::Table<K>,
}

impl<K: Levelled, S: Storage, const WORDS: usize, const GROUPS: usize>
    LooseLists<K, S, WORDS, GROUPS>
{
    /// An empty queue in which these levels share their lists, and domains are looked at in this
    /// order.
    pub fn with(capacity: usize, scope: Scope, visits: Visits) -> Self {
        LooseLists {
            rows: Domains::new(capacity, visits),
            scope,
            keys: Table::new(capacity, K::default()),
        }
    }

    /// The level in which `task` is served.
    #[inline]
    fn place(&self, task: TaskId) -> u8 {
        self.scope.shared(self.keys[task.index()].level())
    }
}

impl<K: Levelled, S: Storage, const WORDS: usize, const GROUPS: usize> Queue<K>
    for LooseLists<K, S, WORDS, GROUPS>
{
    const NAME: &'static str = "a list a domain, for some levels";
    const COMPLEXITY: &'static str = "O(1)";
    const GROUPS: usize = GROUPS;
    type Storage = S;

    /// With the default [`Scope`].
    fn new(capacity: usize) -> Self {
        Self::with(capacity, Scope::default(), Visits::default())
    }

    fn accepts(&self, key: K) -> bool {
        Domains::<S, WORDS, GROUPS>::accepts(key.level())
    }

    #[inline]
    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        self.keys[task.index()] = key;
        self.rows.insert(task, self.place(task), end)
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
