//! A list in no order, searched for the first at each choice.
//!
//! Nothing is simpler to put in and to take out, and each choice looks at all that are ready. Asterix
//! keeps its ready tasks this way (Thane, Pettersson and Sundmark, *The Asterix real-time kernel*,
//! ECRTS 2001), as the paper on SOOS has it.

use super::links::{Links, List};
use super::{End, Queue};
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// A list in the order of arrival.
pub struct Unsorted<K, S: Storage> {
    links: Links<S>,
    keys: S::Table<K>,
    list: List,
}

impl<K: Copy + Ord + Default, S: Storage> Queue<K> for Unsorted<K, S> {
    const NAME: &'static str = "unsorted list";
    const COMPLEXITY: &'static str = "O(n) for the first, else O(1)";
    type Storage = S;

    fn new(capacity: usize) -> Self {
        Unsorted {
            links: Links::new(capacity),
            keys: S::Table::new(capacity, K::default()),
            list: List::EMPTY,
        }
    }

    fn capacity(&self) -> usize {
        self.links.capacity()
    }

    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        self.put(task, key, end);
        self.first() == Some(task)
    }

    /// Ahead of all is ahead of its equals, too.
    fn put(&mut self, task: TaskId, key: K, end: End) {
        debug_assert!(!self.links.linked(task), "{task:?} is queued already");
        self.keys[task.index()] = key;
        match end {
            End::Head => self.links.push_front(&mut self.list, task),
            End::Tail => self.links.push_back(&mut self.list, task),
        }
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        let key = self.key(task)?;
        self.links.remove(&mut self.list, task);
        Some(key)
    }

    fn first(&self) -> Option<TaskId> {
        let tasks = self.links.iter(self.list);
        tasks.min_by_key(|task| self.keys[task.index()])
    }

    fn key(&self, task: TaskId) -> Option<K> {
        self.links.linked(task).then(|| self.keys[task.index()])
    }
}
