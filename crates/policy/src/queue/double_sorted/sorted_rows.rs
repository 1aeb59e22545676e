//! Rows of one list each, sorted by domain: what the two O(n) designs share.

use super::super::End;
use super::array::PriorityArray;
use crate::group::Group;
use crate::storage::{Storage, Table};
use flyball_trace::{Slot, TaskId};

/// The only column.
const LIST: usize = 0;

/// A priority array whose lists are in the order of falling domains, as far as tasks are put in at
/// their tails.
pub(super) struct SortedRows<S: Storage, const WORDS: usize> {
    /// The task that runs, until it stops or another one runs.
    running: Slot,
    array: PriorityArray<S, WORDS, 1>,
    groups: S::Table<Group>,
}

impl<S: Storage, const WORDS: usize> SortedRows<S, WORDS> {
    pub(super) fn new(capacity: usize) -> Self {
        SortedRows {
            running: Slot::EMPTY,
            array: PriorityArray::new(capacity),
            groups: Table::new(capacity, Group::default()),
        }
    }

    pub(super) fn capacity(&self) -> usize {
        self.array.capacity()
    }

    pub(super) fn accepts(level: u8) -> bool {
        PriorityArray::<S, WORDS, 1>::accepts(level)
    }

    /// The row of a level that is accepted.
    #[inline]
    pub(super) fn row(level: u8) -> usize {
        PriorityArray::<S, WORDS, 1>::row(level)
    }

    #[inline]
    pub(super) fn is_queued(&self, task: TaskId) -> bool {
        self.array.links().linked(task)
    }

    /// The group of `task`.
    #[inline]
    pub(super) fn group(&self, task: TaskId) -> Group {
        self.groups[task.index()]
    }

    /// `task`, which is not queued, belongs to `group`.
    pub(super) fn regroup(&mut self, task: TaskId, group: Group) {
        debug_assert!(!self.is_queued(task), "{task:?} is queued");
        self.groups[task.index()] = group;
    }

    /// Whether a task of `group` is in this row. O(n).
    pub(super) fn has(&self, row: usize, group: Group) -> bool {
        let mut tasks = self.array.links().iter(self.array.lists(row)[LIST]);
        tasks.any(|task| self.group(task) == group)
    }

    /// Puts in `task` at the head; or walks from the tail, and puts it behind the first task of an
    /// equal or higher domain, or else at the head. The task that runs is not passed.
    pub(super) fn insert(&mut self, task: TaskId, row: usize, end: End) -> bool {
        debug_assert!(!self.is_queued(task), "{task:?} is queued already");
        let group = self.group(task);
        let list = self.array.lists(row)[LIST];
        let mut from_the_tail = self.array.links().backwards(list);
        let goes_behind = |&other: &TaskId| self.group(other) >= group || self.running.holds(other);
        let predecessor = match end {
            End::Head => None,
            End::Tail => from_the_tail.find(goes_behind),
        };
        drop(from_the_tail);
        match predecessor {
            Some(other) => self.array.insert_after(other, task),
            None => self.array.push_front(row, LIST, task),
        }
        self.first() == Some(task)
    }

    #[inline]
    pub(super) fn take(&mut self, task: TaskId, row: usize) {
        debug_assert!(self.is_queued(task), "{task:?} is not queued");
        self.has_stopped(task);
        self.array.remove(row, LIST, task);
    }

    /// Puts `task` at the end of its row, whatever its domain is.
    #[inline]
    pub(super) fn rotate(&mut self, task: TaskId, row: usize) {
        self.has_stopped(task);
        self.array.rotate(row, LIST, task);
    }

    #[inline]
    pub(super) fn first(&self) -> Option<TaskId> {
        self.array.lists(self.array.first_row()?)[LIST].first()
    }

    /// `task` runs. Returns whether it did not before.
    #[inline]
    pub(super) fn serve(&mut self, task: TaskId) -> bool {
        let is_new = !self.running.holds(task);
        self.running = Slot::of(task);
        is_new
    }

    #[inline]
    fn has_stopped(&mut self, task: TaskId) {
        if self.running.holds(task) {
            self.running = Slot::EMPTY;
        }
    }
}
