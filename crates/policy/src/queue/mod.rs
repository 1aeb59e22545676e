//! Queues: how the ready tasks are kept.
//!
//! A queue keeps tasks by key, smallest first, and equal keys in the order in which they came. The
//! key of a queued task never changes: to change it, a policy takes the task out and puts it in
//! again, and there is no way to write it otherwise. (Kernels have shipped with queues that went
//! wrong because a priority changed under them.)
//!
//! | queue | insert | remove | first | keys |
//! |---|---|---|---|---|
//! | [`Bitmap`] | O(1) | O(1) | O(1) | up to 256 levels |
//! | [`Heap`] | O(log n) | O(log n) | O(1) | any |
//! | [`Calendar`] | O(1) to O(log n) | O(1) to O(log n) | O(1) | instants: the more they differ, the better |
//! | [`SortedRing`] | O(1) at either end, else O(n) | O(1) for the first, else O(n) | O(1) | any |
//! | [`SortedList`] | O(n) | O(1) | O(1) | any |
//! | [`TopTwo`] | O(1) | O(1), and O(n) later | O(1) | any |
//! | [`Unsorted`] | O(1) | O(1) | O(n) | any |
//! | [`Flagged`] | O(1) | O(1) | O(n) of all tasks | any |
//! | [`StrictLists`] | O(1) | O(1) | O(1) | up to 256 levels |
//! | [`LooseLists`] | O(1) | O(1) | O(1) | up to 256 levels |
//! | [`StrictWalk`] | O(n) | O(1) | O(1) | up to 256 levels |
//! | [`LooseWalk`] | O(n) | O(1) | O(1) | up to 256 levels |
//! | [`TourLists`] | O(1) | O(1) | O(1) | up to 256 levels |
//! | [`Windows`] | O(n) | O(1), and O(n) for the first | O(1) | instants |
//!
//! The last six order equals by a second key, the [`Group`] of a task. To the others all tasks are
//! of one group.

mod bitmap;
mod calendar;
mod double_sorted;
mod flagged;
mod heap;
pub mod links;
mod list;
mod rank;
mod ring;
mod top_two;
mod tournament;
mod unsorted;

pub use bitmap::{Bitmap, Levelled};
pub use calendar::{Calendar, Dated};
pub use double_sorted::{
    AnyDesign, Breadth, Design, LooseLists, LooseWalk, Scope, StrictLists, StrictWalk, TourLists,
    Windows,
};
pub use flagged::Flagged;
pub use heap::{Entry, Heap, Id, IndexedHeap};
pub use list::SortedList;
pub use rank::Rank;
pub use ring::SortedRing;
pub use top_two::TopTwo;
pub use tournament::Tournament;
pub use unsorted::Unsorted;

use crate::group::Group;
use crate::storage::Storage;
use flyball_trace::TaskId;

/// On which side of its equals a task is queued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Ahead of its equals: a task that runs, or was preempted.
    Head,
    /// Behind its equals: all others.
    Tail,
}

/// A queue of tasks by key.
pub trait Queue<K: Copy + Ord + Default> {
    /// Its name in a word.
    const NAME: &'static str;

    /// How long it takes to put in, to take out and to find the first of n tasks, for a reader.
    const COMPLEXITY: &'static str;

    /// How many groups of tasks it tells apart; 1: it takes no notice of them. Groups beyond are as
    /// the last one.
    const GROUPS: usize = 1;

    /// Where the queue keeps its tables; its users keep theirs in the same place.
    type Storage: Storage;

    /// An empty queue for tasks with ids below `capacity` (or below the capacity of its storage,
    /// where that is part of the type).
    fn new(capacity: usize) -> Self;

    /// Tasks with ids below this number can be queued.
    fn capacity(&self) -> usize;

    /// Whether there is room for such keys.
    fn accepts(&self, _key: K) -> bool {
        true
    }

    /// Puts in `task`, which is not in the queue, under a key that it accepts. Returns whether it
    /// is the first now.
    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool;

    /// As [`Queue::insert`], for a caller that does not ask which one is the first now.
    fn put(&mut self, task: TaskId, key: K, end: End) {
        self.insert(task, key, end);
    }

    /// Takes out `task`; returns its key, or `None` if it was not in the queue.
    fn remove(&mut self, task: TaskId) -> Option<K>;

    /// Takes out `task`, which is in the queue.
    fn take(&mut self, task: TaskId) {
        self.remove(task);
    }

    /// Puts `task`, which is in the queue, behind its equals.
    fn rotate(&mut self, task: TaskId) {
        if let Some(key) = self.remove(task) {
            self.insert(task, key, End::Tail);
        }
    }

    /// The task with the smallest key, and among those the first.
    fn first(&self) -> Option<TaskId>;

    /// The smallest key; `None` if the queue is empty.
    #[inline]
    fn first_key(&self) -> Option<K> {
        self.key(self.first()?)
    }

    /// The key under which `task` is queued; `None` if it is not.
    fn key(&self, task: TaskId) -> Option<K>;

    /// From now on `task`, which is not in the queue, belongs to `group`. All belong to group 0 at
    /// first.
    fn regroup(&mut self, _task: TaskId, _group: Group) {}

    /// The group of `task`.
    #[inline]
    fn group(&self, _task: TaskId) -> Group {
        Group(0)
    }

    /// The CPU is ready for tasks of `group`, and no task runs.
    #[inline]
    fn prefer(&mut self, _group: Group) {}

    /// `task`, which is in the queue, runs from now on: so the CPU is ready for its group. It stays
    /// ahead of its equals until it is taken out or put behind them, or another one runs.
    #[inline]
    fn serve(&mut self, _task: TaskId) {}

    /// Does what can wait until the caller has time. No answer depends on it.
    fn settle(&mut self) {}
}
