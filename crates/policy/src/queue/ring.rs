//! One array, sorted by key, as a ring: there is room ahead of its first task and behind its last.
//!
//! Most of what a kernel does with a queue is at its ends. The thread that runs blocks; one comes that
//! is more urgent than all others, or less. Nothing moves then. Any other task searches its place in
//! O(log n), and those on the shorter side of it make room: at most half of them, two bytes each. Up to
//! some hundred tasks that is about as much work as a path of a heap is. Equals need no numbers to keep
//! their order, as their places are their order; so one that goes behind its equals takes a step for
//! each of them, but where all are equals.

use super::{End, Queue};
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// A sorted array, as a ring.
#[repr(C)]
pub struct SortedRing<K, S: Storage> {
    /// Where the first task is.
    head: usize,
    len: usize,
    /// The tasks, in the order in which they are served.
    order: S::Table<TaskId>,
    /// The keys of the tasks that are queued.
    keys: S::Table<K>,
}

impl<K: Copy + Ord + Default, S: Storage> SortedRing<K, S> {
    /// Where the `n`-th task is, or would be.
    #[inline]
    fn at(&self, n: usize) -> usize {
        (self.head + n) % self.order.capacity()
    }

    /// The place behind another one.
    #[inline]
    fn behind(&self, place: usize) -> usize {
        (place + 1) % self.order.capacity()
    }

    /// The place ahead of another one.
    #[inline]
    fn ahead(&self, place: usize) -> usize {
        (place + self.order.capacity() - 1) % self.order.capacity()
    }

    /// Moves `count` tasks a place ahead, the first of them to the place `to`.
    #[inline]
    fn move_ahead(&mut self, mut to: usize, count: usize) {
        for _ in 0..count {
            let from = self.behind(to);
            self.order[to] = self.order[from];
            to = from;
        }
    }

    /// Moves `count` tasks a place back, the last of them to the place `to`.
    #[inline]
    fn move_back(&mut self, mut to: usize, count: usize) {
        for _ in 0..count {
            let from = self.ahead(to);
            self.order[to] = self.order[from];
            to = from;
        }
    }

    #[inline]
    fn task(&self, n: usize) -> TaskId {
        self.order[self.at(n)]
    }

    #[inline]
    fn set(&mut self, n: usize, task: TaskId) {
        let at = self.at(n);
        self.order[at] = task;
    }

    #[inline]
    fn key_of(&self, n: usize) -> K {
        self.keys[self.task(n).index()]
    }

    /// How many tasks are served before one that is queued under `key` on this side of its equals.
    #[inline]
    fn served_before(&self, key: K, end: End) -> usize {
        let is_before = |n| match end {
            End::Head => self.key_of(n) < key,
            End::Tail => self.key_of(n) <= key,
        };
        if self.len == 0 || !is_before(0) {
            0
        } else if is_before(self.len - 1) {
            self.len
        } else {
            Self::search(self.len - 1, is_before)
        }
    }

    /// The first number that `is_before` does not hold of; it holds of 0, and not of `end`. Steps
    /// back from the end get longer until they are too long, as most tasks come late in the order.
    #[inline(never)]
    fn search(mut end: usize, is_before: impl Fn(usize) -> bool) -> usize {
        let mut step = 1;
        let mut start = loop {
            if step >= end {
                break 1;
            }
            if is_before(end - step) {
                break end - step + 1;
            }
            end -= step;
            step *= 2;
        };
        while start < end {
            let middle = start + (end - start) / 2;
            if is_before(middle) {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        end
    }

    /// The place of `task`; `None` if it is not queued.
    fn place(&self, task: TaskId) -> Option<usize> {
        let key = self.keys[task.index()];
        let equals = self.served_before(key, End::Head)..self.len;
        let mut equals = equals.take_while(|&n| self.key_of(n) == key);
        equals.find(|&n| self.task(n) == task)
    }

    /// Makes room for a task that is neither the first nor the last: the shorter side moves.
    #[inline(never)]
    fn open(&mut self, n: usize) {
        if n < self.len / 2 {
            self.head = self.ahead(self.head);
            self.move_ahead(self.head, n);
        } else {
            self.move_back(self.at(self.len), self.len - n);
        }
    }

    /// Puts the `n`-th task behind its equals, of which there are several.
    #[inline(never)]
    fn rotate_far(&mut self, mut n: usize, task: TaskId, key: K) {
        if n == 0 && self.key_of(self.len - 1) == key {
            // All are equals: what was first is last.
            self.head = self.behind(self.head);
            n = self.len - 1;
        }
        while n + 1 < self.len && self.key_of(n + 1) == key {
            self.set(n, self.task(n + 1));
            n += 1;
        }
        self.set(n, task);
    }

    /// Takes out the `n`-th task: the shorter side moves.
    #[inline(never)]
    fn close(&mut self, n: usize) {
        if n < self.len / 2 {
            self.move_back(self.at(n), n);
            self.head = self.behind(self.head);
        } else {
            self.move_ahead(self.at(n), self.len - 1 - n);
        }
        self.len -= 1;
    }
}

impl<K: Copy + Ord + Default, S: Storage> Queue<K> for SortedRing<K, S> {
    const NAME: &'static str = "ring";
    const COMPLEXITY: &'static str = "O(1) for the first, else O(log n) to find and O(n) to move";
    type Storage = S;

    fn new(capacity: usize) -> Self {
        SortedRing {
            head: 0,
            len: 0,
            order: S::Table::new(capacity, TaskId(0)),
            keys: S::Table::new(capacity, K::default()),
        }
    }

    fn capacity(&self) -> usize {
        self.keys.capacity()
    }

    #[inline]
    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        debug_assert!(self.place(task).is_none(), "{task:?} is queued already");
        self.keys[task.index()] = key;
        let n = self.served_before(key, end);
        if n == 0 {
            self.head = self.ahead(self.head);
        } else if n < self.len {
            self.open(n);
        }
        self.len += 1;
        self.set(n, task);
        n == 0
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        let n = self.place(task)?;
        self.close(n);
        Some(self.keys[task.index()])
    }

    #[inline]
    fn take(&mut self, task: TaskId) {
        debug_assert!(self.place(task).is_some(), "{task:?} is not queued");
        if self.first() == Some(task) {
            self.head = self.behind(self.head);
            self.len -= 1;
        } else {
            self.remove(task);
        }
    }

    #[inline]
    fn rotate(&mut self, task: TaskId) {
        let n = if self.first() == Some(task) {
            Some(0)
        } else {
            self.place(task)
        };
        let Some(n) = n else { return };
        let key = self.keys[task.index()];
        if n + 1 < self.len && self.key_of(n + 1) == key {
            if n + 2 < self.len && self.key_of(n + 2) == key {
                self.rotate_far(n, task, key);
            } else {
                self.set(n, self.task(n + 1));
                self.set(n + 1, task);
            }
        }
    }

    #[inline]
    fn first(&self) -> Option<TaskId> {
        (self.len > 0).then(|| self.order[self.head])
    }

    #[inline]
    fn first_key(&self) -> Option<K> {
        (self.len > 0).then(|| self.key_of(0))
    }

    fn key(&self, task: TaskId) -> Option<K> {
        self.place(task).map(|_| self.keys[task.index()])
    }
}
