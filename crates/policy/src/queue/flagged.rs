//! A flag for each task there is, in one table that is searched at each choice.
//!
//! There is no queue at all: a task that is ready has its flag set, and each choice looks at all
//! tasks, ready or not. The control kernel works this way (Marau et al., *Performing flexible control
//! on low-cost microcontrollers using a minimal real-time kernel*, IEEE Transactions on Industrial
//! Informatics 4(2), 2008), as the paper on SOOS has it.

use super::rank::Numbers;
use super::{End, Queue};
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// A table of all tasks.
pub struct Flagged<K, S: Storage> {
    rows: S::Table<Row<K>>,
    /// No task has ever been queued from this row on.
    end: usize,
    numbers: Numbers,
}

#[derive(Clone, Copy)]
struct Row<K> {
    key: K,
    /// Keeps the order among equals.
    number: i64,
    is_ready: bool,
}

impl<K: Copy + Ord + Default, S: Storage> Queue<K> for Flagged<K, S> {
    const NAME: &'static str = "flags";
    const COMPLEXITY: &'static str = "O(n) of all tasks for the first, else O(1)";
    type Storage = S;

    fn new(capacity: usize) -> Self {
        let row = Row {
            key: K::default(),
            number: 0,
            is_ready: false,
        };
        Flagged {
            rows: S::Table::new(capacity, row),
            end: 0,
            numbers: Numbers::default(),
        }
    }

    fn capacity(&self) -> usize {
        self.rows.capacity()
    }

    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        self.put(task, key, end);
        self.first() == Some(task)
    }

    fn put(&mut self, task: TaskId, key: K, end: End) {
        debug_assert!(self.key(task).is_none(), "{task:?} is queued already");
        self.end = self.end.max(task.index() + 1);
        self.rows[task.index()] = Row {
            key,
            number: self.numbers.next(end),
            is_ready: true,
        };
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        let key = self.key(task)?;
        self.rows[task.index()].is_ready = false;
        Some(key)
    }

    fn first(&self) -> Option<TaskId> {
        let ready = (0..self.end).filter(|&row| self.rows[row].is_ready);
        let rank = |&row: &usize| (self.rows[row].key, self.rows[row].number);
        ready.min_by_key(rank).map(TaskId::from_index)
    }

    fn key(&self, task: TaskId) -> Option<K> {
        let row = &self.rows[task.index()];
        row.is_ready.then_some(row.key)
    }
}
