//! One list, sorted by key.
//!
//! Insertion walks along the list, so it is O(n); the first task is at hand, and removal is O(1).
//! With few tasks nothing is faster. EPOS, which global and partitioned EDF were compared on,
//! keeps its ready tasks this way, and so do many kernels.

use super::links::{Links, List};
use super::{End, Queue};
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// A sorted, doubly linked list.
pub struct SortedList<K, S: Storage> {
    links: Links<S>,
    keys: S::Table<K>,
    list: List,
}

impl<K: Copy + Ord + Default, S: Storage> Queue<K> for SortedList<K, S> {
    const NAME: &'static str = "list";
    const COMPLEXITY: &'static str = "O(n) to put in, else O(1)";
    type Storage = S;

    fn new(capacity: usize) -> Self {
        SortedList {
            links: Links::new(capacity),
            keys: S::Table::new(capacity, K::default()),
            list: List::EMPTY,
        }
    }

    fn capacity(&self) -> usize {
        self.links.capacity()
    }

    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        debug_assert!(!self.links.linked(task), "{task:?} is queued already");
        self.keys[task.index()] = key;
        let comes_after = |&other: &TaskId| match end {
            End::Head => self.keys[other.index()] >= key,
            End::Tail => self.keys[other.index()] > key,
        };
        let successor = self.links.iter(self.list).find(comes_after);
        match successor {
            Some(other) if self.list.first() == Some(other) => {
                self.links.push_front(&mut self.list, task);
            }
            Some(other) => {
                self.links.insert_before(other, task);
            }
            None => self.links.push_back(&mut self.list, task),
        }
        self.list.first() == Some(task)
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        let key = self.key(task)?;
        self.links.remove(&mut self.list, task);
        Some(key)
    }

    fn first(&self) -> Option<TaskId> {
        self.list.first()
    }

    fn key(&self, task: TaskId) -> Option<K> {
        self.links.linked(task).then(|| self.keys[task.index()])
    }
}
