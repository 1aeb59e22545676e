//! A static order × bitmap on one CPU: keys are compared when a task comes, and never when it runs.
//!
//! Periods and relative deadlines are no small numbers, but they hardly ever change, and there are
//! never more of them than tasks. So each gets a priority when a task with it is admitted or
//! adjusted, equal ones the same, and from then on all is as under fixed priorities. Between two
//! priorities in use some are left free for keys that lie between; only where there is none the
//! priorities in use are numbered anew, with as many free ones everywhere. That moves whole lists of the bitmap, so tasks that are queued stay in their order.
//!
//! The schedule is that of [`Ranked`] with the same order and any other queue.

use crate::order::{FixedPriority, Level, Order, Priority};
use crate::policy::{Dispatch, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use crate::queue::Bitmap;
use crate::ranked::Ranked;
use crate::storage::Storage;
use core::cmp::Ordering;
use flyball_trace::{CpuId, TaskId, Time};

/// Priorities in one word of the bitmap.
const WORD: usize = u32::BITS as usize;

/// An order in which a task's key is the same for all of its jobs: it depends on parameters alone,
/// and counts at once after [`Policy::adjust`].
pub trait StaticOrder: Order<Slice = ()> {}

/// A policy for one CPU, made of a static order. There may be `WORDS` × 32 different keys, up to 256.
///
/// To admit or adjust a task is O(tasks + keys), everything else O(1).
#[repr(C)]
pub struct ByRank<O: StaticOrder, S: Storage, const WORDS: usize = 8> {
    ranked: Ranked<FixedPriority, Bitmap<Level, S, WORDS>>,
    order: O,
    priorities: Priorities<O::Key, WORDS>,
}

/// Which key has which priority: the smaller the key, the larger the priority.
struct Priorities<K, const WORDS: usize> {
    /// Those in use.
    used: Set<WORDS>,
    /// The keys of those in use.
    keys: [[K; WORD]; WORDS],
}

/// A set of priorities.
#[derive(Clone, Copy)]
struct Set<const WORDS: usize>([u32; WORDS]);

impl<const WORDS: usize> Set<WORDS> {
    const EMPTY: Self = Set([0; WORDS]);
    /// How many there can be.
    const ALL: usize = WORDS * WORD;

    fn has(self, priority: usize) -> bool {
        priority < Self::ALL && self.0[priority / WORD] >> (priority % WORD) & 1 == 1
    }

    fn insert(&mut self, priority: usize) {
        if priority < Self::ALL {
            self.0[priority / WORD] |= 1 << (priority % WORD);
        }
    }

    /// Its priorities, the least urgent first.
    fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(word, mut bits)| {
            core::iter::from_fn(move || {
                let place = bits.trailing_zeros() as usize;
                bits &= bits.checked_sub(1)?;
                Some(word * WORD + place)
            })
        })
    }
}

/// Where there is room for a key.
enum Room {
    /// It has this priority already.
    There(usize),
    /// This one is free.
    Free(usize),
    /// So many less urgent keys are to have other priorities first.
    Crowded(usize),
}

impl<K: Copy + Ord, const WORDS: usize> Priorities<K, WORDS> {
    fn key(&self, priority: usize) -> K {
        self.keys[priority / WORD][priority % WORD]
    }

    fn set(&mut self, priority: usize, key: K) {
        self.used.insert(priority);
        self.keys[priority / WORD][priority % WORD] = key;
    }

    fn room(&self, key: K) -> Room {
        let (mut below, mut count) = (None, 0);
        let mut above = Set::<WORDS>::ALL;
        for priority in self.used.iter() {
            match self.key(priority).cmp(&key) {
                Ordering::Equal => return Room::There(priority),
                Ordering::Greater => {
                    below = Some(priority);
                    count += 1;
                }
                Ordering::Less => {
                    above = priority;
                    break;
                }
            }
        }
        let first = below.map_or(0, |below| below + 1);
        if first < above {
            Room::Free(usize::midpoint(first, above - 1))
        } else {
            Room::Crowded(count)
        }
    }

    /// Numbers the keys in use anew, so that there is room for another one above the first `below`
    /// of them. Returns its priority, and what becomes of each priority; `None` if all are in use.
    fn spread(&mut self, below: usize) -> Option<(usize, [[u8; WORD]; WORDS])> {
        let count = self.used.iter().count();
        if count == Set::<WORDS>::ALL {
            return None;
        }
        // In the middle of its share.
        let nth = |n: usize| (2 * n + 1) * Set::<WORDS>::ALL / (2 * (count + 1));
        let (before, keys) = (self.used, self.keys);
        let mut becomes = [[0; WORD]; WORDS];
        self.used = Set::EMPTY;
        for (n, old) in before.iter().enumerate() {
            let new = nth(n + usize::from(n >= below));
            self.set(new, keys[old / WORD][old % WORD]);
            // There are at most 256.
            becomes[old / WORD][old % WORD] = u8::try_from(new).ok()?;
        }
        Some((nth(below), becomes))
    }
}

impl<O: StaticOrder, S: Storage, const WORDS: usize> ByRank<O, S, WORDS> {
    /// The policy without tasks, with room for task ids below `capacity` (storages whose size is
    /// part of their type have room for that many instead).
    pub fn new(order: O, capacity: usize) -> Self {
        ByRank {
            ranked: Ranked::new(FixedPriority, capacity),
            order,
            priorities: Priorities {
                used: Set::EMPTY,
                keys: [[O::Key::default(); WORD]; WORDS],
            },
        }
    }

    /// The priority of tasks with these parameters, which may be a new one.
    ///
    /// # Errors
    /// What the order says of them; [`Refused::Full`] if there are too many different keys.
    fn priority(&mut self, params: &O::Params) -> Result<Priority, Refused> {
        self.order.check(params)?;
        let key = self.order.key(params, Time::ZERO);
        let mut used = Set::EMPTY;
        self.ranked.each_key(|level| {
            let priority = number(level);
            if self.priorities.used.has(priority) {
                used.insert(priority);
            }
        });
        self.priorities.used = used;
        let priority = match self.priorities.room(key) {
            Room::There(priority) | Room::Free(priority) => priority,
            Room::Crowded(below) => {
                let (priority, becomes) = self.priorities.spread(below).ok_or(Refused::Full)?;
                self.ranked.renumber(|level| match number(level) {
                    old if used.has(old) => Priority(becomes[old / WORD][old % WORD]).into(),
                    // Of a task that has had no job yet.
                    _ => level,
                });
                priority
            }
        };
        self.priorities.set(priority, key);
        u8::try_from(priority)
            .map(Priority)
            .map_err(|_| Refused::Full)
    }
}

/// The number of the priority that a level is of.
fn number(level: Level) -> usize {
    usize::from(u8::MAX - level.number())
}

impl<O: StaticOrder, S: Storage, const WORDS: usize> Policy for ByRank<O, S, WORDS> {
    type Params = O::Params;
    type Settings = ();

    const WANTS: Wants = Wants::NOTHING;

    fn capacity(&self) -> usize {
        self.ranked.capacity()
    }

    /// # Errors
    /// [`Refused::Full`] also if there are too many different keys.
    fn admit(&mut self, task: TaskId, params: O::Params, now: Time) -> Result<(), Refused> {
        let priority = self.priority(&params)?;
        self.ranked.admit(task, priority, now)
    }

    /// # Errors
    /// [`Refused::Full`] also if there are too many different keys.
    fn adjust(&mut self, task: TaskId, params: O::Params, now: Time) -> Result<Resched, Refused> {
        let priority = self.priority(&params)?;
        self.ranked.adjust(task, priority, now)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        self.ranked.retire(task, now);
    }

    #[inline]
    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.ranked.ready(here, task, why, now)
    }

    #[inline]
    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        self.ranked.stopped(cpu, task, used, why, now)
    }

    #[inline]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        self.ranked.pick(cpu, now)
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.ranked.compare(a, b)
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        self.ranked.inherit(to, from, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Keys come and go; their priorities are always in the order of a sorted list, and there is
        /// room for as many as there are priorities.
        #[test]
        fn priorities_are_in_the_order_of_the_keys(
            steps in prop::collection::vec((0_u16..100, any::<bool>()), 1..400),
        ) {
            let mut all = Priorities::<u16, 1> { used: Set::EMPTY, keys: [[0; WORD]; 1] };
            let mut keys = BTreeSet::new();
            for (key, comes) in steps {
                if comes {
                    let priority = match all.room(key) {
                        Room::There(priority) => {
                            prop_assert!(keys.contains(&key));
                            Some(priority)
                        }
                        Room::Free(priority) => Some(priority),
                        Room::Crowded(below) => {
                            prop_assert_eq!(below, keys.range(key..).count());
                            let before = all.used.iter().map(|old| (old, all.key(old)));
                            let before: Vec<_> = before.collect();
                            let spread = all.spread(below);
                            prop_assert_eq!(spread.is_none(), keys.len() == WORD);
                            for (old, key) in before {
                                let new = spread.map_or(old, |(_, becomes)| becomes[0][old].into());
                                prop_assert_eq!(all.key(new), key);
                            }
                            spread.map(|(priority, _)| priority)
                        }
                    };
                    if let Some(priority) = priority {
                        prop_assert_eq!(all.used.has(priority), keys.contains(&key));
                        all.set(priority, key);
                        keys.insert(key);
                    }
                } else if let Some(&next) = keys.range(key..).next() {
                    keys.remove(&next);
                    let gone = all.used.iter().find(|&priority| all.key(priority) == next);
                    all.used.0[0] &= !(1 << gone.unwrap());
                }
                let by_priority: Vec<u16> = all.used.iter().map(|it| all.key(it)).collect();
                prop_assert_eq!(by_priority, keys.iter().rev().copied().collect::<Vec<_>>());
            }
        }
    }
}
