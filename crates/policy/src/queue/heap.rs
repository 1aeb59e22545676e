//! A binary heap that knows where each task is.
//!
//! The index from task to place makes removal O(log n), which an ordinary heap does by a search:
//! tasks block, time out and change their urgency at any time.
//!
//! ```text
//! entries:   [ (4, task 2) | (6, task 0) | (9, task 5) ]      smallest rank first
//! place:     task 0 -> 1    task 2 -> 0    task 5 -> 2
//! ```

use super::{End, Queue};
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// Stands for "not in the heap".
const NOWHERE: u16 = u16::MAX;

/// A heap of tasks by rank. Tasks of equal rank come out in no particular order.
#[repr(C)]
pub struct IndexedHeap<R, S: Storage> {
    len: usize,
    /// Where each task's entry is.
    place: S::Table<u16>,
    /// The first `len` entries are a heap. Ranks lie where they are compared.
    entries: S::Table<Entry<R>>,
}

#[derive(Clone, Copy)]
struct Entry<R> {
    rank: R,
    task: TaskId,
}

impl<R: Copy + Ord + Default, S: Storage> IndexedHeap<R, S> {
    /// An empty heap for tasks with ids below `capacity`.
    pub fn new(capacity: usize) -> Self {
        IndexedHeap {
            entries: S::Table::new(
                capacity,
                Entry {
                    rank: R::default(),
                    task: TaskId(0),
                },
            ),
            place: S::Table::new(capacity, NOWHERE),
            len: 0,
        }
    }

    /// Tasks with ids below this number have room.
    pub fn capacity(&self) -> usize {
        self.place.capacity()
    }

    /// The number of tasks in the heap.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no task is in the heap.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The task of smallest rank, and its rank. O(1).
    pub fn first(&self) -> Option<(TaskId, R)> {
        (self.len > 0).then(|| {
            let Entry { rank, task } = self.entries[0];
            (task, rank)
        })
    }

    /// Whether `task` is in the heap. O(1).
    #[inline]
    pub fn contains(&self, task: TaskId) -> bool {
        self.place[task.index()] != NOWHERE
    }

    /// The rank of `task`; `None` if it is not in the heap. O(1).
    pub fn rank(&self, task: TaskId) -> Option<R> {
        let at = self.place[task.index()];
        (at != NOWHERE).then(|| self.entries[usize::from(at)].rank)
    }

    /// Puts in `task`, or gives it a new rank if it is in the heap. O(log n).
    pub fn set(&mut self, task: TaskId, rank: R) {
        let entry = Entry { rank, task };
        let at = self.place[task.index()];
        if at == NOWHERE {
            self.len += 1;
            self.rise(self.len - 1, entry);
        } else {
            self.put(usize::from(at), entry);
        }
    }

    /// `other`, which is not in the heap, takes the place of `task`. O(1).
    pub fn replace(&mut self, task: TaskId, other: TaskId) {
        let at = core::mem::replace(&mut self.place[task.index()], NOWHERE);
        if at != NOWHERE {
            self.entries[usize::from(at)].task = other;
            self.place[other.index()] = at;
        }
    }

    /// Takes out `task`; returns its rank, or `None` if it was not in the heap. O(log n).
    pub fn remove(&mut self, task: TaskId) -> Option<R> {
        let rank = self.rank(task)?;
        let at = usize::from(self.place[task.index()]);
        self.place[task.index()] = NOWHERE;
        self.len -= 1;
        if at < self.len {
            self.put(at, self.entries[self.len]);
        }
        Some(rank)
    }

    /// Writes `entry` over the one at `at`, and moves it to where it belongs.
    ///
    /// What is put here is usually a leaf's entry or a far instant, and belongs far down. So the
    /// hole sinks to a leaf first, at one comparison a level instead of two, and the entry rises
    /// from there (Floyd's heapsort).
    fn put(&mut self, at: usize, entry: Entry<R>) {
        let mut hole = at;
        let mut child = 2 * hole + 1;
        while child < self.len {
            let right = child + 1;
            if right < self.len && self.entries[right].rank < self.entries[child].rank {
                child = right;
            }
            self.write(hole, self.entries[child]);
            hole = child;
            child = 2 * hole + 1;
        }
        self.rise(hole, entry);
    }

    /// The place `at` is free: moves it up until `entry` may stand there.
    fn rise(&mut self, mut at: usize, entry: Entry<R>) {
        while at > 0 {
            let above = self.entries[parent(at)];
            if above.rank <= entry.rank {
                break;
            }
            self.write(at, above);
            at = parent(at);
        }
        self.write(at, entry);
    }

    fn write(&mut self, at: usize, entry: Entry<R>) {
        self.entries[at] = entry;
        // A table has at most 65,535 rows, because its rows are task ids.
        #[expect(clippy::cast_possible_truncation)]
        let place = at as u16;
        self.place[entry.task.index()] = place;
    }
}

fn parent(at: usize) -> usize {
    (at - 1) / 2
}

/// A heap in which equal keys keep their order: each task gets a number when it is queued, rising
/// at the tail and falling at the head. 64-bit numbers do not run out.
pub struct Heap<K, S: Storage> {
    ranks: IndexedHeap<(K, i64), S>,
    head: i64,
    tail: i64,
}

impl<K: Copy + Ord + Default, S: Storage> Queue<K> for Heap<K, S> {
    type Storage = S;

    fn new(capacity: usize) -> Self {
        Heap {
            ranks: IndexedHeap::new(capacity),
            head: 0,
            tail: 0,
        }
    }

    fn capacity(&self) -> usize {
        self.ranks.capacity()
    }

    fn insert(&mut self, task: TaskId, key: K, end: End) {
        debug_assert!(
            self.ranks.rank(task).is_none(),
            "{task:?} is queued already"
        );
        let number = match end {
            End::Head => {
                self.head -= 1;
                self.head
            }
            End::Tail => {
                self.tail += 1;
                self.tail
            }
        };
        self.ranks.set(task, (key, number));
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        self.ranks.remove(task).map(|(key, _)| key)
    }

    fn first(&self) -> Option<TaskId> {
        self.ranks.first().map(|(task, _)| task)
    }

    fn key(&self, task: TaskId) -> Option<K> {
        self.ranks.rank(task).map(|(key, _)| key)
    }
}
