//! A list for each level, and a bitmap of the levels that are not empty.
//!
//! This is how most real-time kernels keep fixed priorities: the first task is found with two
//! count-zeros instructions, in constant time. It needs keys that *are* small numbers
//! ([`Levelled`]); periods and deadlines are not.

use super::links::{Links, List};
use super::{End, Queue};
use crate::order::Level;
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// The number of levels.
const LEVELS: usize = 256;
/// Levels in one word of the bitmap.
const WORD: usize = u32::BITS as usize;

/// A key that is one of 256 levels, 0 being the most urgent.
pub trait Levelled: Copy + Ord + Default {
    /// The level.
    fn level(self) -> u8;
}

impl Levelled for Level {
    fn level(self) -> u8 {
        self.number()
    }
}

/// All tasks are equal.
impl Levelled for () {
    fn level(self) -> u8 {
        0
    }
}

/// A queue of 256 levels; every operation is O(1).
pub struct Bitmap<K, S: Storage> {
    links: Links<S>,
    keys: S::Table<K>,
    lists: [List; LEVELS],
    /// Bit `level % 32` of word `level / 32` is set if the level's list is not empty.
    levels: [u32; LEVELS / WORD],
    /// Bit `w` is set if word `w` of `levels` is not zero.
    words: u32,
}

impl<K: Levelled, S: Storage> Queue<K> for Bitmap<K, S> {
    type Storage = S;

    fn new(capacity: usize) -> Self {
        Bitmap {
            links: Links::new(capacity),
            keys: S::Table::new(capacity, |_| K::default()),
            lists: [List::EMPTY; LEVELS],
            levels: [0; LEVELS / WORD],
            words: 0,
        }
    }

    fn capacity(&self) -> usize {
        self.links.capacity()
    }

    fn insert(&mut self, task: TaskId, key: K, end: End) {
        debug_assert!(!self.links.linked(task), "{task:?} is queued already");
        let level = usize::from(key.level());
        self.keys[task.index()] = key;
        match end {
            End::Head => self.links.push_front(&mut self.lists[level], task),
            End::Tail => self.links.push_back(&mut self.lists[level], task),
        }
        self.levels[level / WORD] |= 1 << (level % WORD);
        self.words |= 1 << (level / WORD);
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        let key = self.key(task)?;
        let level = usize::from(key.level());
        self.links.remove(&mut self.lists[level], task);
        if self.lists[level].is_empty() {
            let word = &mut self.levels[level / WORD];
            *word &= !(1 << (level % WORD));
            if *word == 0 {
                self.words &= !(1 << (level / WORD));
            }
        }
        Some(key)
    }

    fn first(&self) -> Option<TaskId> {
        // Trailing zeros of an empty bitmap point past the table: then there is no first task.
        let word = self.words.trailing_zeros() as usize;
        let bit = self.levels.get(word)?.trailing_zeros() as usize;
        self.lists.get(word * WORD + bit)?.first()
    }

    fn key(&self, task: TaskId) -> Option<K> {
        self.links.linked(task).then(|| self.keys[task.index()])
    }
}
