//! Loose priorities in O(n): a task may be put into the next level.

use super::super::bitmap::Levelled;
use super::super::{End, Queue};
use super::in_rows::in_rows;
use super::scope::Scope;
use super::sorted_rows::SortedRows;
use crate::costs::History;
use crate::group::Group;
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// Loose priority scheduling that leaves the data structures as they are (section 3.2.2).
///
/// As [`StrictWalk`](super::StrictWalk), but a task whose domain is not in its own level is put into
/// the next higher one, if that has a task of the domain:
///
/// ```text
///   level 0   [high a][low b]                   [high a][high c][low b]
///   level 1   [low d]           + high c  =     [low d]
/// ```
///
/// Where a task is queued does not change its key. Each time it is put in, its place is found anew
/// from its own key, so it is never promoted twice, and never by more than one level. One that is put
/// in at the head is in its own level. Real-time
/// levels neither give nor take ([`Breadth::real_time`]). A task may be demoted by a level instead, if
/// [`Breadth::demotes`] says so and neither its own level nor the one above has its domain.
///
/// How wide to look is decided from what happened: a second level is looked at only while adjustments
/// cost more than it does ([`History`]).
///
/// Memory: 2 bytes a task, besides the priority array.
pub struct LooseWalk<K, S: Storage, const WORDS: usize = 8> {
    /// The domain that the CPU is in.
    present: Group,
    breadth: Breadth,
    history: History,
    rows: SortedRows<S, WORDS>,
    /// The row in which a task is queued.
    places: S::Table<u8>,
    keys: S::Table<K>,
}

/// How wide a task looks for its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breadth {
    /// So many levels, the most urgent ones, are for real-time tasks: they are strict.
    pub real_time: u8,
    /// Whether a task may also be put into the next lower level.
    pub demotes: bool,
    /// What it costs at a context switch to look at other levels, in units of `adjustment`; 0: they
    /// are always looked at.
    pub sorting: u32,
    /// What an adjustment costs.
    pub adjustment: u32,
}

/// Promotes always, and never demotes.
impl Default for Breadth {
    fn default() -> Breadth {
        Breadth {
            real_time: Scope::default().real_time,
            demotes: false,
            sorting: 0,
            adjustment: 1,
        }
    }
}

impl<K: Levelled, S: Storage, const WORDS: usize> LooseWalk<K, S, WORDS> {
    /// An empty queue in which tasks look this far.
    pub fn with(capacity: usize, breadth: Breadth) -> Self {
        LooseWalk {
            present: Group::default(),
            breadth,
            history: History::default(),
            rows: SortedRows::new(capacity),
            places: Table::new(capacity, 0),
            keys: Table::new(capacity, K::default()),
        }
    }

    /// Whether more than a task's own level is looked at now.
    pub fn looks_wide(&self) -> bool {
        self.history.pays(self.breadth.sorting)
    }

    /// The level in which `task` is queued; `None` if it is not. It differs from the task's own by
    /// at most one.
    pub fn level(&self, task: TaskId) -> Option<u8> {
        let own = self.key(task)?.level();
        let nearby = [Some(own), own.checked_sub(1), own.checked_add(1)];
        let mut nearby = nearby.into_iter().flatten();
        nearby.find(|&level| SortedRows::<S, WORDS>::row(level) == self.place(task))
    }

    /// The row in which `task` is queued.
    #[inline]
    fn place(&self, task: TaskId) -> usize {
        usize::from(self.places[task.index()])
    }

    /// The level to put a task of this level and group into.
    fn level_for(&self, own: u8, group: Group) -> u8 {
        let has = |level| self.rows.has(SortedRows::<S, WORDS>::row(level), group);
        if own < self.breadth.real_time || !self.looks_wide() || has(own) {
            return own;
        }
        let above = own.checked_sub(1).filter(|_| own > self.breadth.real_time);
        let below = own.checked_add(1).filter(|_| self.breadth.demotes);
        let nearby = above.into_iter().chain(below);
        let mut nearby = nearby.filter(|&level| SortedRows::<S, WORDS>::accepts(level));
        nearby.find(|&level| has(level)).unwrap_or(own)
    }
}

impl<K: Levelled, S: Storage, const WORDS: usize> Queue<K> for LooseWalk<K, S, WORDS> {
    const NAME: &'static str = "a list a level, sorted by domain, with promotion";
    const COMPLEXITY: &'static str = "O(n) to put in, else O(1)";
    const GROUPS: usize = 256;
    type Storage = S;

    fn new(capacity: usize) -> Self {
        Self::with(capacity, Breadth::default())
    }

    fn accepts(&self, key: K) -> bool {
        SortedRows::<S, WORDS>::accepts(key.level())
    }

    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        self.keys[task.index()] = key;
        let level = match end {
            End::Head => key.level(),
            End::Tail => self.level_for(key.level(), self.rows.group(task)),
        };
        let row = SortedRows::<S, WORDS>::row(level);
        // There are at most 256 rows.
        self.places[task.index()] = u8::try_from(row).unwrap_or(u8::MAX);
        self.rows.insert(task, row, end)
    }

    in_rows!();

    #[inline]
    fn prefer(&mut self, group: Group) {
        self.present = group;
    }

    fn serve(&mut self, task: TaskId) {
        let group = self.rows.group(task);
        if self.rows.serve(task) {
            let adjusts = group != self.present;
            let cost = if adjusts { self.breadth.adjustment } else { 0 };
            self.history.note(cost);
        }
        self.present = group;
    }
}
