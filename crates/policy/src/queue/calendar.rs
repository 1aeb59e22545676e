//! A calendar of small heaps: each day has its own, and a bitmap says which days have any.
//!
//! Deadlines are spread over time. If the tasks that wait are spread over about as many days as
//! there are tasks, then each day has one or two, and to put one in or to take one out costs the
//! same with five tasks and with a thousand (Brown, "Calendar queues", 1988). The first day with a
//! task is found with two count-zeros instructions, as in [`Bitmap`](super::Bitmap).
//!
//! ```text
//!   early                ring of days, from `start` on                       far
//!   [ … ]      | day 7 | day 8 |  9  | day 10 |  …  | day 7 + DAYS - 1 |     [ … ]
//!                 a       c, b           d
//! ```
//!
//! Tasks of one day are kept in a leftist heap (Crane, 1972; Knuth, volume 3, section 5.2.3), which
//! merges in O(log n) at worst. So does, therefore, everything here: if all tasks are of the same
//! day this is just a heap. What does not fit into the ring goes into one of two more heaps,
//! *early* and *far*, and stays there; the first of all is the first of the first day, of early and
//! of far. So the order is exact, whatever the keys are, and only speed depends on how they are
//! spread:
//!
//! | operation | many days | worst case |
//! |---|---|---|
//! | insert | O(1) | O(log n) |
//! | remove | O(1) | O(log n) |
//! | first | O(1) | O(1) |
//!
//! The ring has 64 × `WORDS` days, by default 4096, which take 8.5 KB. A day has 2^`SHIFT`
//! nanoseconds at first, by default 33 µs. Whenever the ring is empty the day is doubled or halved
//! if most of the tasks that came did not fit into the ring, or were not alone on their days; and
//! where very many do not fit no other is let in until it is. So it comes to fit deadlines of
//! microseconds and of hours.

use super::rank::Numbers;
use super::{End, Queue};
use crate::storage::{Storage, Table};
use flyball_trace::{Duration, Slot, TaskId, Time};

/// Days in one word of the bitmap.
const WORD: usize = u64::BITS as usize;

/// A key that lies somewhere in time.
pub trait Dated: Copy + Ord + Default {
    /// When, in nanoseconds; [`u64::MAX`]: never. A greater key is never earlier.
    fn instant(self) -> u64;
}

impl Dated for Time {
    #[inline]
    fn instant(self) -> u64 {
        self.as_nanos()
    }
}

/// Time from zero on.
impl Dated for Duration {
    #[inline]
    fn instant(self) -> u64 {
        self.as_nanos()
    }
}

/// A task in its day's heap.
#[derive(Clone, Copy)]
struct Node<K> {
    key: K,
    /// Its place among equals: the smaller, the earlier.
    number: i64,
    left: Slot,
    right: Slot,
    /// Empty: it is the root.
    up: Slot,
    /// How many steps it is along the right children to where there is none: 0 stands for "not
    /// queued".
    rank: u8,
    home: Home,
}

/// Which heap a task is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    /// The row of its day.
    Day(u16),
    Early,
    Far,
}

/// A queue of tasks by instant. See the module.
pub struct Calendar<K, S: Storage, const WORDS: usize = 64, const SHIFT: u8 = 15> {
    /// The first of all.
    first: Slot,
    /// The first day that the ring has room for.
    start: u64,
    /// The `n`-th lowest bit is set if the `n`-th of `days` is not zero.
    words: u64,
    /// The `n`-th lowest bit is set if the `n`-th root of that word is there.
    days: [u64; WORDS],
    early: Slot,
    far: Slot,
    /// A day is a power of two of nanoseconds, this one.
    shift: u8,
    /// Of the tasks that came since a day has had this length: how many found a day of their own, a
    /// day that others had, and none.
    alone: u32,
    together: u32,
    outside: u32,
    numbers: Numbers,
    roots: [[Slot; WORD]; WORDS],
    nodes: S::Table<Node<K>>,
}

impl<K: Dated, S: Storage, const WORDS: usize, const SHIFT: u8> Calendar<K, S, WORDS, SHIFT> {
    /// Days in the ring.
    const DAYS: u64 = (WORDS * WORD) as u64;
    /// The longest day there is, 78 hours: with any ring the time that there is has some of them.
    const LONGEST: u8 = 48;

    #[inline]
    fn is_before(&self, a: TaskId, b: TaskId) -> bool {
        let (a, b) = (&self.nodes[a.index()], &self.nodes[b.index()]);
        (a.key, a.number) < (b.key, b.number)
    }

    /// The earlier of two, of which there may be none.
    #[inline]
    fn earlier(&self, a: Slot, b: Slot) -> Slot {
        match (a.get(), b.get()) {
            (_, None) => a,
            (Some(first), Some(second)) if self.is_before(first, second) => a,
            _ => b,
        }
    }

    fn rank(&self, slot: Slot) -> u8 {
        slot.get().map_or(0, |task| self.nodes[task.index()].rank)
    }

    /// The place of a day, or of the row of one, in the bitmap.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the day of the ring that it is"
    )]
    #[inline]
    fn place(day: u64) -> (usize, usize) {
        const { assert!(WORDS.is_power_of_two() && WORDS <= WORD && SHIFT <= Self::LONGEST) }
        let row = (day % Self::DAYS) as usize;
        (row / WORD, row % WORD)
    }

    /// The place of the first day in the ring that has a task.
    #[inline]
    fn first_place(&self) -> Option<(usize, usize)> {
        if self.words == 0 {
            return None;
        }
        let (word, day) = Self::place(self.start);
        // From the start on, then the other words, at last what is before the start.
        let rest = self.days[word] & (u64::MAX << day);
        if rest != 0 {
            return Some((word, rest.trailing_zeros() as usize));
        }
        let behind = self.words & (u64::MAX << word) & !(1 << word);
        let words = if behind == 0 { self.words } else { behind };
        let word = words.trailing_zeros() as usize % WORDS;
        Some((word, self.days[word].trailing_zeros() as usize % WORD))
    }

    /// The root of the first day.
    #[inline]
    fn first_of_ring(&self) -> Slot {
        let place = self.first_place();
        place.map_or(Slot::EMPTY, |(word, day)| self.roots[word][day])
    }

    fn day(&self, instant: u64) -> u64 {
        instant >> self.shift
    }

    /// How many more may have found no room than have found some before the ring is given up.
    const PATIENCE: u32 = 64;

    /// The ring is empty: a day becomes as long as would have been good for the tasks that came.
    fn fit(&mut self) {
        let inside = self.alone.saturating_add(self.together);
        if self.outside > inside {
            self.shift = (self.shift + 1).min(Self::LONGEST);
        } else if self.together > self.alone {
            self.shift = self.shift.saturating_sub(1);
        }
        (self.alone, self.together, self.outside) = (0, 0, 0);
    }

    /// Where a task with this key belongs. The ring goes on, as far as it can, if that makes room.
    #[inline]
    fn home(&mut self, key: K) -> Home {
        let (instant, half) = (key.instant(), Self::DAYS / 2);
        if instant == u64::MAX {
            return Home::Far;
        }
        if self.words == 0 {
            self.fit();
            // Later tasks may be before and behind this one.
            self.start = self.day(instant).saturating_sub(half);
        }
        let inside = self.alone.saturating_add(self.together);
        if self.outside > inside.saturating_add(Self::PATIENCE) {
            return Home::Far;
        }
        let day = self.day(instant);
        if day < self.start {
            self.outside = self.outside.saturating_add(1);
            return Home::Early;
        }
        if day - self.start >= Self::DAYS {
            let first = self.first_of_ring().get();
            let first = first.map(|task| self.nodes[task.index()].key.instant());
            let first = first.map_or(day, |instant| self.day(instant));
            self.start = first.min(day.saturating_sub(half));
            if day - self.start >= Self::DAYS {
                self.outside = self.outside.saturating_add(1);
                return Home::Far;
            }
        }
        let (word, day) = Self::place(day);
        if self.days[word] & 1 << day == 0 {
            self.alone = self.alone.saturating_add(1);
        } else {
            self.together = self.together.saturating_add(1);
        }
        // At most 4096 rows.
        #[expect(clippy::cast_possible_truncation)]
        Home::Day((word * WORD + day) as u16)
    }

    fn root(&self, home: Home) -> Slot {
        match home {
            Home::Day(row) => {
                let (word, day) = Self::place(row.into());
                self.roots[word][day]
            }
            Home::Early => self.early,
            Home::Far => self.far,
        }
    }

    #[inline]
    fn set_root(&mut self, home: Home, root: Slot) {
        let row = match home {
            Home::Day(row) => row,
            Home::Early => return self.early = root,
            Home::Far => return self.far = root,
        };
        let (word, day) = Self::place(row.into());
        self.roots[word][day] = root;
        if root.is_empty() {
            self.days[word] &= !(1 << day);
        } else {
            self.days[word] |= 1 << day;
        }
        if self.days[word] == 0 {
            self.words &= !(1 << word);
        } else {
            self.words |= 1 << word;
        }
    }

    /// The left child's rank is at least the right one's, and a node's is one more than that.
    /// Returns whether its own rank has changed.
    fn lean(&mut self, task: TaskId) -> bool {
        let Node {
            left, right, rank, ..
        } = self.nodes[task.index()];
        let (a, b) = (self.rank(left), self.rank(right));
        let node = &mut self.nodes[task.index()];
        if a < b {
            (node.left, node.right) = (right, left);
        }
        node.rank = a.min(b) + 1;
        node.rank != rank
    }

    /// One heap of two. The caller says what is above it.
    fn merge(&mut self, a: Slot, b: Slot) -> Slot {
        let (Some(a), Some(b)) = (a.get(), b.get()) else {
            return if a.is_empty() { b } else { a };
        };
        let (root, mut other) = if self.is_before(a, b) { (a, b) } else { (b, a) };
        // Down along the right children, where the ways are short, …
        let mut at = root;
        loop {
            let right = self.nodes[at.index()].right;
            let next = match right.get() {
                Some(right) if self.is_before(right, other) => {
                    at = right;
                    continue;
                }
                next => next,
            };
            self.nodes[at.index()].right = Slot::of(other);
            self.nodes[other.index()].up = Slot::of(at);
            let Some(next) = next else { break };
            (at, other) = (other, next);
        }
        // … and up again.
        loop {
            self.lean(at);
            match self.nodes[at.index()].up.get() {
                Some(up) if at != root => at = up,
                _ => break,
            }
        }
        Slot::of(root)
    }
}

impl<K: Dated, S: Storage, const WORDS: usize, const SHIFT: u8> Queue<K>
    for Calendar<K, S, WORDS, SHIFT>
{
    const NAME: &'static str = "calendar";
    const COMPLEXITY: &'static str = "O(1) to O(log n), the first O(1)";
    type Storage = S;

    fn new(capacity: usize) -> Self {
        let empty = Node {
            key: K::default(),
            number: 0,
            left: Slot::EMPTY,
            right: Slot::EMPTY,
            up: Slot::EMPTY,
            rank: 0,
            home: Home::Far,
        };
        Calendar {
            first: Slot::EMPTY,
            start: 0,
            words: 0,
            days: [0; WORDS],
            early: Slot::EMPTY,
            far: Slot::EMPTY,
            shift: SHIFT,
            alone: 0,
            together: 0,
            outside: 0,
            numbers: Numbers::default(),
            roots: [[Slot::EMPTY; WORD]; WORDS],
            nodes: Table::new(capacity, empty),
        }
    }

    fn capacity(&self) -> usize {
        self.nodes.capacity()
    }

    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        debug_assert!(self.key(task).is_none(), "{task:?} is queued already");
        let number = self.numbers.next(end);
        let home = self.home(key);
        self.nodes[task.index()] = Node {
            key,
            number,
            left: Slot::EMPTY,
            right: Slot::EMPTY,
            up: Slot::EMPTY,
            rank: 1,
            home,
        };
        let root = self.merge(self.root(home), Slot::of(task));
        self.set_root(home, root);
        self.first = self.earlier(self.first, Slot::of(task));
        self.first.holds(task)
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        let key = self.key(task)?;
        self.take(task);
        Some(key)
    }

    fn take(&mut self, task: TaskId) {
        debug_assert!(self.key(task).is_some(), "{task:?} is not queued");
        let Node {
            left,
            right,
            up,
            home,
            ..
        } = self.nodes[task.index()];
        self.nodes[task.index()].rank = 0;
        let rest = self.merge(left, right);
        if let Some(rest) = rest.get() {
            self.nodes[rest.index()].up = up;
        }
        match up.get() {
            None => self.set_root(home, rest),
            Some(above) => {
                let node = &mut self.nodes[above.index()];
                if node.left.holds(task) {
                    node.left = rest;
                } else {
                    node.right = rest;
                }
                let mut at = Some(above);
                while let Some(above) = at {
                    at = self.nodes[above.index()].up.get();
                    if !self.lean(above) {
                        break;
                    }
                }
            }
        }
        if self.first.holds(task) {
            let first = self.earlier(self.early, self.first_of_ring());
            self.first = self.earlier(first, self.far);
        }
    }

    #[inline]
    fn first(&self) -> Option<TaskId> {
        self.first.get()
    }

    fn key(&self, task: TaskId) -> Option<K> {
        let node = &self.nodes[task.index()];
        (node.rank > 0).then_some(node.key)
    }
}
