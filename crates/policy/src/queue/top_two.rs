//! An array of which only the first two are in order.
//!
//! The paper calls it the ServerList. A new task is compared with the first and the second: it is one
//! of them from now on, or goes to the end. When the first leaves, the second takes its place
//! at once, and which is second now is found when there is time ([`Queue::settle`]).
//!
//! ```text
//!                 first  second  in no order
//!  settled          9      20    30 40
//!  put in 15        9      15    30 40 20
//!  take out 9      15       ?    20 30 40
//!  settle          15      20    30 40
//! ```
//!
//! If the first leaves before the second has been found, the second is found first.
//!
//! Source: Donari, Ordinez, Santos and Orozco, *Kernel internals for real-time* (on SOOS), section
//! 3.3.

use super::heap::Entry;
use super::rank::{Numbers, Rank};
use super::{End, Queue};
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// Stands for "not queued".
const NOWHERE: u16 = u16::MAX;

/// An array with a first and a second.
pub struct TopTwo<K, S: Storage> {
    /// The first of `len` is the smallest; the second is the next one if it is `settled`.
    entries: S::Table<Rank<K>>,
    /// Where the entry of each task is.
    place: S::Table<u16>,
    len: usize,
    settled: bool,
    numbers: Numbers,
}

impl<K: Copy + Ord + Default, S: Storage> TopTwo<K, S> {
    fn write(&mut self, at: usize, entry: Rank<K>) {
        self.entries[at] = entry;
        // A table has at most 65,535 rows, because its rows are ids.
        #[expect(clippy::cast_possible_truncation)]
        let place = at as u16;
        self.place[entry.id().index()] = place;
    }

    fn place_of(&self, task: TaskId) -> Option<usize> {
        let place = self.place[task.index()];
        (place != NOWHERE).then_some(usize::from(place))
    }

    /// The entry at `at`, if it is there.
    fn entry(&self, at: usize) -> Option<Rank<K>> {
        (at < self.len).then(|| self.entries[at])
    }

    /// Moves what is at the place `from` to the end, which has room.
    fn push_out(&mut self, from: usize) {
        if let Some(entry) = self.entry(from) {
            self.write(self.len, entry);
        }
    }

    /// Fills the place `at`, which is free, with the last entry.
    fn fill(&mut self, at: usize) {
        self.len -= 1;
        if at < self.len {
            self.write(at, self.entries[self.len]);
        }
    }
}

impl<K: Copy + Ord + Default, S: Storage> Queue<K> for TopTwo<K, S> {
    const NAME: &'static str = "top two";
    const COMPLEXITY: &'static str = "O(1), but O(n) some time after the first or second has left";
    type Storage = S;

    fn new(capacity: usize) -> Self {
        TopTwo {
            entries: S::Table::new(capacity, Rank::none()),
            place: S::Table::new(capacity, NOWHERE),
            len: 0,
            settled: true,
            numbers: Numbers::default(),
        }
    }

    fn capacity(&self) -> usize {
        self.place.capacity()
    }

    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        debug_assert!(self.place_of(task).is_none(), "{task:?} is queued already");
        let entry = Rank::new(key, self.numbers.next(end), task);
        let is_before = |other: Option<Rank<K>>| other.is_none_or(|it| entry.is_before(&it));
        let is_first = is_before(self.entry(0));
        if is_first {
            self.push_out(1);
            if let Some(second) = self.entry(0) {
                // It was the first of all.
                self.write(1, second);
                self.settled = true;
            }
            self.write(0, entry);
        } else if self.settled && is_before(self.entry(1)) {
            self.push_out(1);
            self.write(1, entry);
        } else {
            self.write(self.len, entry);
        }
        self.len += 1;
        is_first
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        let at = self.place_of(task)?;
        let key = self.entries[at].key;
        if at == 0 {
            self.settle();
            if let Some(second) = self.entry(1) {
                self.write(0, second);
                self.fill(1);
            } else {
                self.len = 0;
            }
        } else {
            self.fill(at);
        }
        if at < 2 {
            self.settled = self.len < 2;
        }
        self.place[task.index()] = NOWHERE;
        Some(key)
    }

    #[inline]
    fn first(&self) -> Option<TaskId> {
        self.entry(0).map(|entry| entry.id())
    }

    fn key(&self, task: TaskId) -> Option<K> {
        self.place_of(task).map(|at| self.entries[at].key)
    }

    /// Finds the second. O(n).
    fn settle(&mut self) {
        if core::mem::replace(&mut self.settled, true) || self.len < 2 {
            return;
        }
        let (old, mut least) = (self.entries[1], 1);
        for at in 2..self.len {
            if self.entries[at].is_before(&self.entries[least]) {
                least = at;
            }
        }
        self.write(1, self.entries[least]);
        self.write(least, old);
    }
}
