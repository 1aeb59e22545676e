//! A binary heap that knows where each task is.
//!
//! The index from task to place makes removal O(log n), which an ordinary heap does by a search:
//! tasks block, time out and change their urgency at any time.
//!
//! ```text
//! entries:   [ (4, task 2) | (6, task 0) | (9, task 5) ]      smallest rank first
//! place:     task 0 -> 1    task 2 -> 0    task 5 -> 2
//! ```

use super::rank::{Numbers, Rank};
use super::{End, Queue};
use crate::storage::{Storage, Table};
use flyball_trace::{CpuId, TaskId};

/// Stands for "not in the heap".
const NOWHERE: u16 = u16::MAX;

/// What a heap knows its entries by: a small number with a type.
pub trait Id: Copy {
    /// The number.
    fn index(self) -> usize;
}

impl Id for TaskId {
    #[inline]
    fn index(self) -> usize {
        TaskId::index(self)
    }
}

impl Id for CpuId {
    #[inline]
    fn index(self) -> usize {
        CpuId::index(self)
    }
}

/// An entry of a heap, of a task or a CPU.
pub trait Entry: Copy {
    /// What the entries are of: each task, or each CPU, has one at most.
    type Id: Id;

    /// What stands where nothing is.
    fn none() -> Self;

    /// The task or CPU whose entry it is.
    fn id(&self) -> Self::Id;

    /// The same for another task or CPU.
    #[must_use]
    fn of(self, id: Self::Id) -> Self;

    /// Whether it is served before `other`.
    fn is_before(&self, other: &Self) -> bool;
}

/// A heap of entries by rank. Those of equal rank come out in no particular order.
#[repr(C)]
pub struct IndexedHeap<E, S: Storage> {
    len: usize,
    /// Where the entry of each id is.
    place: S::Table<u16>,
    /// The first `len` entries are a heap. Ranks lie where they are compared.
    entries: S::Table<E>,
}

impl<E: Entry, S: Storage> IndexedHeap<E, S> {
    /// An empty heap for ids below `capacity`.
    pub fn new(capacity: usize) -> Self {
        IndexedHeap {
            entries: S::Table::new(capacity, E::none()),
            place: S::Table::new(capacity, NOWHERE),
            len: 0,
        }
    }

    /// Ids below this number have room.
    pub fn capacity(&self) -> usize {
        self.place.capacity()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The entry of smallest rank. O(1).
    #[inline]
    pub fn first(&self) -> Option<E> {
        (self.len > 0).then(|| self.entries[0])
    }

    /// Whether the entry of smallest rank is that of `id`. O(1).
    #[inline]
    pub fn is_first(&self, id: E::Id) -> bool {
        self.place[id.index()] == 0
    }

    /// Whether `id` is in the heap. O(1).
    #[inline]
    pub fn contains(&self, id: E::Id) -> bool {
        self.place[id.index()] != NOWHERE
    }

    /// The entry of `id`; `None` if it is not in the heap. O(1).
    #[inline]
    pub fn get(&self, id: E::Id) -> Option<E> {
        let at = self.place[id.index()];
        (at != NOWHERE).then(|| self.entries[usize::from(at)])
    }

    /// Puts in an entry whose id has none yet. O(log n).
    pub fn insert(&mut self, entry: E) {
        self.len += 1;
        self.rise(self.len - 1, entry);
    }

    /// Puts in an entry, in the place of the one that its id has, if it has one. O(log n).
    pub fn put(&mut self, entry: E) {
        let at = self.place[entry.id().index()];
        if at == NOWHERE {
            return self.insert(entry);
        }
        let mut hole = usize::from(at);
        loop {
            let mut child = 2 * hole + 1;
            if child >= self.len {
                break;
            }
            let right = child + 1;
            if right < self.len && self.entries[right].is_before(&self.entries[child]) {
                child = right;
            }
            if !self.entries[child].is_before(&entry) {
                break;
            }
            self.write(hole, self.entries[child]);
            hole = child;
        }
        self.rise(hole, entry);
    }

    /// `other`, which is not in the heap, takes the place of `id`, which is. O(1).
    pub fn replace(&mut self, id: E::Id, other: E::Id) {
        let at = core::mem::replace(&mut self.place[id.index()], NOWHERE);
        let entry = &mut self.entries[usize::from(at)];
        *entry = entry.of(other);
        self.place[other.index()] = at;
    }

    /// Takes out `id`, which is in the heap. O(log n).
    ///
    /// What goes to its place is the last entry, which usually belongs far down. So the hole sinks
    /// to a leaf first, at one comparison a level instead of two, and the entry rises from there
    /// (Floyd's heapsort).
    pub fn take(&mut self, id: E::Id) {
        let at = core::mem::replace(&mut self.place[id.index()], NOWHERE);
        let mut hole = usize::from(at);
        self.len -= 1;
        if hole >= self.len {
            return;
        }
        let mut child = 2 * hole + 1;
        while child < self.len {
            let right = child + 1;
            if right < self.len && self.entries[right].is_before(&self.entries[child]) {
                child = right;
            }
            self.write(hole, self.entries[child]);
            hole = child;
            child = 2 * hole + 1;
        }
        self.rise(hole, self.entries[self.len]);
    }

    /// The place `at` is free: moves it up until `entry` may stand there.
    fn rise(&mut self, mut at: usize, entry: E) {
        while at > 0 {
            let above = self.entries[parent(at)];
            if !entry.is_before(&above) {
                break;
            }
            self.write(at, above);
            at = parent(at);
        }
        self.write(at, entry);
    }

    fn write(&mut self, at: usize, entry: E) {
        self.entries[at] = entry;
        // A table has at most 65,535 rows, because its rows are ids.
        #[expect(clippy::cast_possible_truncation)]
        let place = at as u16;
        self.place[entry.id().index()] = place;
    }
}

fn parent(at: usize) -> usize {
    (at - 1) / 2
}

/// A heap in which equal keys keep their order, by the numbers that they have.
pub struct Heap<K, S: Storage> {
    ranks: IndexedHeap<Rank<K>, S>,
    numbers: Numbers,
}

impl<K: Copy + Ord + Default, S: Storage> Queue<K> for Heap<K, S> {
    const NAME: &'static str = "heap";
    const COMPLEXITY: &'static str = "O(log n), the first O(1)";
    type Storage = S;

    fn new(capacity: usize) -> Self {
        Heap {
            ranks: IndexedHeap::new(capacity),
            numbers: Numbers::default(),
        }
    }

    fn capacity(&self) -> usize {
        self.ranks.capacity()
    }

    #[inline]
    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        debug_assert!(!self.ranks.contains(task), "{task:?} is queued already");
        let number = self.numbers.next(end);
        self.ranks.insert(Rank::new(key, number, task));
        self.first() == Some(task)
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        let rank = self.ranks.get(task)?;
        self.ranks.take(task);
        Some(rank.key)
    }

    #[inline]
    fn take(&mut self, task: TaskId) {
        debug_assert!(self.ranks.contains(task), "{task:?} is not queued");
        self.ranks.take(task);
    }

    #[inline]
    fn first(&self) -> Option<TaskId> {
        self.ranks.first().map(|rank| rank.id())
    }

    #[inline]
    fn first_key(&self) -> Option<K> {
        self.ranks.first().map(|rank| rank.key)
    }

    fn key(&self, task: TaskId) -> Option<K> {
        self.ranks.get(task).map(|rank| rank.key)
    }
}
