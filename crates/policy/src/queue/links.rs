//! Doubly linked lists that run through one table.
//!
//! Each row has one pair of links, so a task can be in one of the lists at a time. All operations
//! are O(1) but [`Links::iter`]. The ready queues and the kernel's wait queues are made of these.
//!
//! ```text
//! list.head --> [3] <--> [0] <--> [7] -- back to 3 (the list is a ring, so head.prev is the tail)
//! ```

use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// Stands for "not linked" in [`Link::next`], and for "empty" in [`List::head`].
const NONE: u16 = u16::MAX;

/// One row's neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    next: u16,
    prev: u16,
}

/// The head of one list. An empty list costs two bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct List {
    head: u16,
}

/// The links of all rows.
pub struct Links<S: Storage>(S::Table<Link>);

impl List {
    /// A list with nothing in it.
    pub const EMPTY: List = List { head: NONE };

    /// The first task.
    pub fn first(self) -> Option<TaskId> {
        (self.head != NONE).then_some(TaskId(self.head))
    }

    /// Whether nothing is in the list.
    pub fn is_empty(self) -> bool {
        self.head == NONE
    }
}

impl<S: Storage> Links<S> {
    /// Links for `capacity` rows, none of them in a list.
    pub fn new(capacity: usize) -> Links<S> {
        Links(S::Table::new(capacity, |_| Link {
            next: NONE,
            prev: NONE,
        }))
    }

    /// The number of rows.
    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }

    /// Whether `task` is in a list.
    pub fn linked(&self, task: TaskId) -> bool {
        self.0[task.index()].next != NONE
    }

    /// Puts `task`, which is in no list, at the end of `list`.
    pub fn push_back(&mut self, list: &mut List, task: TaskId) {
        match list.first() {
            None => {
                self.0[task.index()] = Link {
                    next: task.0,
                    prev: task.0,
                };
                list.head = task.0;
            }
            Some(head) => self.insert_before(head, task),
        }
    }

    /// Puts `task`, which is in no list, at the beginning of `list`.
    pub fn push_front(&mut self, list: &mut List, task: TaskId) {
        self.push_back(list, task);
        list.head = task.0;
    }

    /// Takes `task` out of `list`, in which it is.
    pub fn remove(&mut self, list: &mut List, task: TaskId) {
        let Link { next, prev } = self.0[task.index()];
        if next == task.0 {
            list.head = NONE;
        } else {
            self.0[usize::from(prev)].next = next;
            self.0[usize::from(next)].prev = prev;
            if list.head == task.0 {
                list.head = next;
            }
        }
        self.0[task.index()] = Link {
            next: NONE,
            prev: NONE,
        };
    }

    /// Links `task` in before `other`, which is in a list. The list's head stays the same.
    pub fn insert_before(&mut self, other: TaskId, task: TaskId) {
        let prev = self.0[other.index()].prev;
        self.0[task.index()] = Link {
            next: other.0,
            prev,
        };
        self.0[usize::from(prev)].next = task.0;
        self.0[other.index()].prev = task.0;
    }

    /// The tasks in `list`, first to last.
    pub fn iter(&self, list: List) -> impl Iterator<Item = TaskId> + '_ {
        let mut next = list.first();
        core::iter::from_fn(move || {
            let task = next?;
            let after = self.0[task.index()].next;
            next = (after != list.head).then_some(TaskId(after));
            Some(task)
        })
    }
}
