//! A list for each level, and a bitmap of the levels that are not empty.
//!
//! This is how most real-time kernels keep fixed priorities: the first task is found with two
//! count-zeros instructions, in constant time. Where there is more than one word the number of the
//! first list is kept, so they are needed only when that list becomes empty. It needs keys that
//! *are* small numbers ([`Levelled`]); periods and deadlines are not.

use super::links::{Links, List};
use super::{End, Queue};
use crate::order::Level;
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// Levels in one word of the bitmap.
const WORD: usize = u32::BITS as usize;

/// A key that is one of 256 levels, 0 being the most urgent.
pub trait Levelled: Copy + Ord + Default {
    /// How many levels are in use in a table of one row, twice as many in one of two, and so on; 0:
    /// any number, however many rows there are. The most urgent ones are in use then, others are not
    /// accepted.
    const PER_ROW: usize = 0;

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
        u8::MAX
    }
}

/// A queue of `WORDS` × 32 levels, up to 256: the least urgent ones there are, so that with one
/// word there is room for priorities from 0 to 31. Every operation is O(1), and the fewer words,
/// the fewer instructions and the less memory it takes.
///
/// What is small comes first: it is within reach of one load or store then.
#[repr(C)]
pub struct Bitmap<K, S: Storage, const WORDS: usize = 8> {
    /// The number of the first list that is not empty, if there are several words. If all lists are
    /// empty it is larger than the number of any.
    first: usize,
    /// The `n`-th highest bit is set if the `n`-th of `levels` is not zero.
    words: u32,
    /// The `n`-th highest bit is set if the `n`-th list of that word is not empty.
    levels: [u32; WORDS],
    lists: [[List; WORD]; WORDS],
    links: Links<S>,
    keys: S::Table<K>,
}

impl<K: Levelled, S: Storage, const WORDS: usize> Bitmap<K, S, WORDS> {
    /// The word and the place in it of a key that was accepted.
    #[inline]
    fn place(&self, key: K) -> (usize, usize) {
        let level = usize::from(key.level());
        (level / WORD % self.words(), level % WORD)
    }

    /// The number of the list of a key that was accepted.
    #[inline]
    fn list(&self, key: K) -> usize {
        const { assert!(WORDS.is_power_of_two() && WORDS <= 8, "1, 2, 4 or 8 words") }
        usize::from(key.level()) % (self.words() * WORD)
    }

    /// How many words are in use. The compiler knows that where it knows the size of the tables.
    #[inline]
    fn words(&self) -> usize {
        match K::PER_ROW {
            0 => WORDS,
            levels => WORDS.min((levels * self.links.capacity()).div_ceil(WORD)),
        }
    }

    /// The number of the first list of a word that is not empty.
    #[inline]
    fn first_of(word: usize, levels: u32) -> usize {
        word * WORD + levels.leading_zeros() as usize
    }

    /// Finds the first list anew. If all are empty it is beyond the last, as there is no 33rd word.
    #[inline]
    fn find_first(&mut self) {
        let word = self.words.leading_zeros() as usize;
        self.first = Self::first_of(word, self.levels[word % WORDS]);
    }

    #[inline]
    fn bit(place: usize) -> u32 {
        (1 << (WORD - 1)) >> place
    }

    /// Gives each key another one, in the same order: whole lists move. O(tasks + levels).
    pub(crate) fn renumber(&mut self, new: impl Fn(K) -> K) {
        for row in 0..self.capacity() {
            self.keys[row] = new(self.keys[row]);
        }
        let lists = core::mem::replace(&mut self.lists, [[List::EMPTY; WORD]; WORDS]);
        (self.levels, self.words) = ([0; WORDS], 0);
        for &list in lists.as_flattened() {
            let Some(first) = list.first() else { continue };
            let (word, place) = self.place(self.keys[first.index()]);
            self.lists[word][place] = list;
            self.levels[word] |= Self::bit(place);
            if self.words() > 1 {
                self.words |= Self::bit(word);
            }
        }
        self.find_first();
    }
}

impl<K: Levelled, S: Storage, const WORDS: usize> Queue<K> for Bitmap<K, S, WORDS> {
    const NAME: &'static str = "bitmap";
    const COMPLEXITY: &'static str = "O(1)";
    type Storage = S;

    fn new(capacity: usize) -> Self {
        Bitmap {
            links: Links::new(capacity),
            keys: S::Table::new(capacity, K::default()),
            lists: [[List::EMPTY; WORD]; WORDS],
            levels: [0; WORDS],
            words: 0,
            first: usize::MAX,
        }
    }

    fn capacity(&self) -> usize {
        self.links.capacity()
    }

    fn accepts(&self, key: K) -> bool {
        let level = if K::PER_ROW == 0 {
            u8::MAX - key.level()
        } else {
            key.level()
        };
        usize::from(level) < self.words() * WORD
    }

    #[inline]
    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        debug_assert!(!self.links.linked(task), "{task:?} is queued already");
        let (word, place) = self.place(key);
        self.keys[task.index()] = key;
        let number = self.list(key);
        let list = &mut self.lists.as_flattened_mut()[number];
        if let Some(head) = list.first() {
            self.links.insert_before(head, task);
            if end == End::Tail {
                return false;
            }
            *list = self.links.from(task);
        } else {
            *list = self.links.alone(task);
            self.levels[word] |= Self::bit(place);
            if self.words() > 1 {
                self.words |= Self::bit(word);
            }
        }
        if self.words() == 1 {
            return self.levels[0].leading_zeros() as usize == place;
        }
        let is_first = number <= self.first;
        if is_first {
            self.first = number;
        }
        is_first
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        let key = self.key(task)?;
        self.take(task);
        Some(key)
    }

    #[cfg_attr(feature = "small", inline(always))]
    #[cfg_attr(not(feature = "small"), inline)]
    fn take(&mut self, task: TaskId) {
        debug_assert!(self.links.linked(task), "{task:?} is not queued");
        let key = self.keys[task.index()];
        let number = self.list(key);
        let list = &mut self.lists.as_flattened_mut()[number];
        let is_alone = self.links.is_alone(task);
        self.links.remove(list, task);
        if !is_alone {
            return;
        }
        let (word, place) = self.place(key);
        self.levels[word] &= !Self::bit(place);
        if self.words() == 1 {
            return;
        }
        let levels = self.levels[word];
        if levels == 0 {
            self.words &= !Self::bit(word);
            self.find_first();
        } else if number == self.first {
            self.first = Self::first_of(word, levels);
        }
    }

    #[inline]
    fn rotate(&mut self, task: TaskId) {
        let list = self.list(self.keys[task.index()]);
        self.links
            .rotate(&mut self.lists.as_flattened_mut()[list], task);
    }

    #[inline]
    fn first(&self) -> Option<TaskId> {
        let lists = self.lists.as_flattened();
        if self.words() == 1 {
            let level = self.levels[0];
            (level != 0).then(|| lists[level.leading_zeros() as usize % WORD].head())
        } else {
            (self.first < self.words() * WORD).then(|| lists[self.first].head())
        }
    }

    #[inline]
    fn key(&self, task: TaskId) -> Option<K> {
        self.links.linked(task).then(|| self.keys[task.index()])
    }
}
