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

/// One row's neighbours. Aligned so that both are written at once.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(4))]
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
    #[inline]
    pub fn first(self) -> Option<TaskId> {
        (self.head != NONE).then_some(TaskId(self.head))
    }

    /// The first task of a list that is known not to be empty.
    #[inline]
    pub(crate) fn head(self) -> TaskId {
        TaskId(self.head)
    }

    /// Whether nothing is in the list.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.head == NONE
    }
}

impl<S: Storage> Links<S> {
    /// Links for `capacity` rows, none of them in a list.
    #[inline(always)]
    pub fn new(capacity: usize) -> Links<S> {
        Links(S::Table::new(
            capacity,
            Link {
                next: NONE,
                prev: NONE,
            },
        ))
    }

    /// The number of rows.
    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }

    /// Whether `task` is in a list.
    #[inline]
    pub fn linked(&self, task: TaskId) -> bool {
        self.0[task.index()].next != NONE
    }

    /// The ring that `task` is in, as a list that begins with it.
    #[inline]
    pub fn from(&self, task: TaskId) -> List {
        debug_assert!(self.linked(task), "{task:?} is in no list");
        List { head: task.0 }
    }

    /// Whether `task`, which is in a list, is alone there.
    #[inline]
    pub fn is_alone(&self, task: TaskId) -> bool {
        self.0[task.index()].next == task.0
    }

    /// Puts `task`, which is in no list, at the end of `list`.
    #[inline]
    pub fn push_back(&mut self, list: &mut List, task: TaskId) {
        match list.first() {
            None => *list = self.alone(task),
            Some(head) => self.insert_before(head, task),
        }
    }

    /// A list of `task`, which is in none, alone.
    #[inline]
    pub fn alone(&mut self, task: TaskId) -> List {
        self.0[task.index()] = Link {
            next: task.0,
            prev: task.0,
        };
        List { head: task.0 }
    }

    /// Puts `task`, which is in no list, at the beginning of `list`.
    pub fn push_front(&mut self, list: &mut List, task: TaskId) {
        self.push_back(list, task);
        list.head = task.0;
    }

    /// Puts `task`, which is in `list`, at its end.
    #[inline]
    pub fn rotate(&mut self, list: &mut List, task: TaskId) {
        if list.head == task.0 {
            // The list is a ring: the first becomes the last when the second becomes the first.
            list.head = self.0[task.index()].next;
        } else {
            self.remove(list, task);
            self.push_back(list, task);
        }
    }

    /// Takes `task` out of `list`, in which it is.
    #[inline]
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

    /// All of `other`, which is left empty, goes to the end of `list`.
    pub fn append(&mut self, list: &mut List, other: &mut List) {
        let (Some(first), Some(second)) = (list.first(), other.first()) else {
            if list.is_empty() {
                *list = *other;
            }
            *other = List::EMPTY;
            return;
        };
        let (last, end) = (self.0[first.index()].prev, self.0[second.index()].prev);
        self.0[usize::from(last)].next = second.0;
        self.0[second.index()].prev = last;
        self.0[usize::from(end)].next = first.0;
        self.0[first.index()].prev = end;
        *other = List::EMPTY;
    }

    /// Puts a list into the order of rising numbers: merge sort, from runs of one upwards. O(n) if
    /// the list is in order already, O(n log n) otherwise.
    pub fn sort(&mut self, list: &mut List) {
        if self.iter(*list).is_sorted() {
            return;
        }
        let mut run = 1;
        loop {
            let mut rest = core::mem::replace(list, List::EMPTY);
            let mut merges = 0;
            while !rest.is_empty() {
                merges += 1;
                let (mut left, mut right) = (List::EMPTY, List::EMPTY);
                self.cut(&mut rest, &mut left, run);
                self.cut(&mut rest, &mut right, run);
                while let (Some(a), Some(b)) = (left.first(), right.first()) {
                    let from = if a < b { &mut left } else { &mut right };
                    let task = a.min(b);
                    self.remove(from, task);
                    self.push_back(list, task);
                }
                self.append(list, &mut left);
                self.append(list, &mut right);
            }
            if merges <= 1 {
                return;
            }
            run *= 2;
        }
    }

    /// The first `count` tasks of `list`, or as many as there are, go to the end of `other`.
    fn cut(&mut self, list: &mut List, other: &mut List, count: usize) {
        for _ in 0..count {
            let Some(task) = list.first() else { return };
            self.remove(list, task);
            self.push_back(other, task);
        }
    }

    /// Links `task` in before `other`, which is in a list. The list's head stays the same.
    #[inline]
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
