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

    /// What names `task` in place of a list, so that it does not look empty: the task is not linked,
    /// and nothing but [`List::first`] may be asked.
    pub const fn instead_of(task: TaskId) -> List {
        List { head: task.0 }
    }

    /// The first task.
    #[inline]
    pub fn first(self) -> Option<TaskId> {
        (self.head != NONE).then_some(TaskId(self.head))
    }

    /// The first task of a list that is known not to be empty; of an empty one, the number that no
    /// task has.
    #[inline]
    pub fn head(self) -> TaskId {
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
    #[inline]
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
            Some(head) => {
                self.insert_before(head, task);
            }
        }
    }

    /// A list of `task`, which is in none, alone.
    #[cfg_attr(feature = "small", inline(always))]
    #[cfg_attr(not(feature = "small"), inline)]
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
        if !cfg!(feature = "small") && list.head == task.0 {
            // The list is a ring: the first becomes the last when the second becomes the first.
            list.head = self.0[task.index()].next;
        } else {
            self.move_back(list, task);
        }
    }

    #[cold]
    fn move_back(&mut self, list: &mut List, task: TaskId) {
        self.remove(list, task);
        self.push_back(list, task);
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
        // What was before it is not asked any more.
        self.0[task.index()].next = NONE;
    }

    /// `task`, which is alone in a list, is in none any more. The caller forgets the list.
    #[inline]
    pub fn part(&mut self, task: TaskId) {
        self.0[task.index()].next = NONE;
    }

    /// The ring of `second` becomes part of that of `first`: all of it goes in before `first`, from
    /// `second` on. O(1).
    pub fn join(&mut self, first: TaskId, second: TaskId) {
        let (last, end) = (self.0[first.index()].prev, self.0[second.index()].prev);
        self.0[usize::from(last)].next = second.0;
        self.0[second.index()].prev = last;
        self.0[usize::from(end)].next = first.0;
        self.0[first.index()].prev = end;
    }

    /// Puts a list into the order of rising numbers. O(n) if it is in order already, O(n log n)
    /// otherwise.
    #[inline]
    pub fn sort(&mut self, list: &mut List) {
        let Some(first) = list.first() else { return };
        let (mut last, mut next) = (first, self.after(first));
        while next != first {
            if next < last {
                return self.merge_sort(list);
            }
            (last, next) = (next, self.after(next));
        }
    }

    /// Merge sort in place, from runs of one upwards: tasks of the right one of two runs move to
    /// where they belong in the left one.
    #[cold]
    #[inline(never)]
    fn merge_sort(&mut self, list: &mut List) {
        let first = list.head();
        let (mut count, mut last) = (1, self.after(first));
        while last != first {
            count += 1;
            last = self.after(last);
        }
        let mut run = 1;
        while run < count {
            let (mut left, mut rest) = (list.head(), count);
            while rest > 0 {
                let (mut lefts, mut rights) = (run.min(rest), (2 * run).min(rest));
                rest -= rights;
                rights -= lefts;
                let mut right = self.skip(left, lefts);
                while lefts > 0 && rights > 0 {
                    if left < right {
                        left = self.after(left);
                        lefts -= 1;
                    } else {
                        let next = self.after(right);
                        self.remove(list, right);
                        self.insert_before(left, right);
                        if list.head() == left {
                            list.head = right.0;
                        }
                        right = next;
                        rights -= 1;
                    }
                }
                left = self.skip(right, rights);
            }
            run *= 2;
        }
    }

    /// The task `count` places behind `task`.
    fn skip(&self, mut task: TaskId, count: usize) -> TaskId {
        for _ in 0..count {
            task = self.after(task);
        }
        task
    }

    /// The task behind `task`, which is in a list; the first is behind the last.
    #[inline]
    pub fn after(&self, task: TaskId) -> TaskId {
        TaskId(self.0[task.index()].next)
    }

    /// Links `task` in before `other`, which is in a list. The list's head stays the same. Returns the task that was
    /// before `other`.
    #[inline]
    pub fn insert_before(&mut self, other: TaskId, task: TaskId) -> TaskId {
        let prev = self.0[other.index()].prev;
        self.0[task.index()] = Link {
            next: other.0,
            prev,
        };
        self.0[usize::from(prev)].next = task.0;
        self.0[other.index()].prev = task.0;
        TaskId(prev)
    }

    /// A list is *open* from now on, and no ring: its last task is behind itself. It is there to be taken out from its
    /// beginning, by [`Links::take_first`], which writes to one row then.
    #[inline]
    pub fn open(&mut self, list: List) {
        if let Some(first) = list.first() {
            let last = self.0[first.index()].prev;
            self.0[usize::from(last)].next = last;
        }
    }

    /// Takes the first task out of an open list.
    #[inline]
    pub fn take_first(&mut self, list: &mut List) -> Option<TaskId> {
        let first = list.first()?;
        let next = core::mem::replace(&mut self.0[first.index()].next, NONE);
        list.head = if next == first.0 { NONE } else { next };
        Some(first)
    }

    /// Takes `task` out of an open list of which it is not the first; returns whether it is the last of one. Otherwise
    /// nothing happens: anywhere else [`Links::remove`] does the same in an open list as in a ring.
    pub fn take_last(&mut self, task: TaskId) -> bool {
        let Link { next, prev } = self.0[task.index()];
        let is_last = next == task.0 && prev != task.0;
        if is_last {
            self.0[usize::from(prev)].next = prev;
            self.0[task.index()].next = NONE;
        }
        is_last
    }

    /// The tasks in an open list, first to last.
    pub fn iter_open(&self, list: List) -> impl Iterator<Item = TaskId> + '_ {
        core::iter::successors(list.first(), |&task| {
            Some(self.after(task)).filter(|&next| next != task)
        })
    }

    /// The tasks in `list`, last to first.
    pub fn backwards(&self, list: List) -> impl Iterator<Item = TaskId> + '_ {
        let before = move |task: TaskId| TaskId(self.0[task.index()].prev);
        let mut next = list.first().map(before);
        core::iter::from_fn(move || {
            let task = next?;
            next = (task.0 != list.head).then(|| before(task));
            Some(task)
        })
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
