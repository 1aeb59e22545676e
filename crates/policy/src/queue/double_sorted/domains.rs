//! Rows with a list a domain, and the domain that the CPU is in: what the two O(1) designs share.

use super::super::End;
use super::array::PriorityArray;
use crate::costs::Visits;
use crate::group::Group;
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// A priority array with a column for each of `GROUPS` domains. The groups beyond are in the last.
pub(super) struct Domains<S: Storage, const WORDS: usize, const GROUPS: usize> {
    /// The domain that the CPU is in.
    present: Group,
    array: PriorityArray<S, WORDS, GROUPS>,
    groups: S::Table<Group>,
    visits: Visits,
}

impl<S: Storage, const WORDS: usize, const GROUPS: usize> Domains<S, WORDS, GROUPS> {
    pub(super) fn new(capacity: usize, visits: Visits) -> Self {
        Domains {
            present: Group::default(),
            array: PriorityArray::new(capacity),
            groups: Table::new(capacity, Group::default()),
            visits,
        }
    }

    pub(super) fn capacity(&self) -> usize {
        self.array.capacity()
    }

    pub(super) fn accepts(level: u8) -> bool {
        PriorityArray::<S, WORDS, GROUPS>::accepts(level)
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
        self.groups[task.index()] = Self::known(group);
    }

    /// The CPU is in the domain of `group` from now on.
    #[inline]
    pub(super) fn prefer(&mut self, group: Group) {
        self.present = Self::known(group);
    }

    /// The CPU is in the domain of `task` from now on.
    #[inline]
    pub(super) fn serve(&mut self, task: TaskId) {
        self.present = self.group(task);
    }

    /// The group itself, or the last one.
    #[inline]
    fn known(group: Group) -> Group {
        group.min(Group::of(GROUPS - 1))
    }

    /// The row of a level, and the column of a task.
    #[inline]
    fn place(&self, task: TaskId, level: u8) -> (usize, usize) {
        let row = PriorityArray::<S, WORDS, GROUPS>::row(level);
        (row, self.group(task).index())
    }

    #[inline]
    pub(super) fn insert(&mut self, task: TaskId, level: u8, end: End) -> bool {
        debug_assert!(!self.is_queued(task), "{task:?} is queued already");
        let (row, column) = self.place(task, level);
        let first = self.array.first_or_beyond();
        match end {
            End::Head => self.array.push_front(row, column, task),
            End::Tail => self.array.push_back(row, column, task),
        }
        row < first || row == first && self.first() == Some(task)
    }

    #[inline]
    pub(super) fn take(&mut self, task: TaskId, level: u8) {
        debug_assert!(self.is_queued(task), "{task:?} is not queued");
        let (row, column) = self.place(task, level);
        self.array.remove(row, column, task);
    }

    #[inline]
    pub(super) fn rotate(&mut self, task: TaskId, level: u8) {
        let (row, column) = self.place(task, level);
        self.array.rotate(row, column, task);
    }

    /// In the first row that is not empty: the first task of the present domain, else that of the
    /// domain which is the next to be visited from there.
    #[inline]
    pub(super) fn first(&self) -> Option<TaskId> {
        let lists = self.array.lists(self.array.first_row()?);
        let mut domains = self.visits.from(self.present);
        domains.find_map(|group| lists.get(group.index())?.first())
    }
}
