//! A static order × bitmap on one CPU: keys are compared when a task comes, and never when it runs.
//!
//! Periods and relative deadlines are no small numbers, but they hardly ever change, and there are
//! never more of them than tasks. So each gets a place, which is a small number, when a task with it
//! is admitted or adjusted, equal ones the same, and from then on all is as under fixed priorities.
//! There are twice as many places as tasks. Between two in use some are left free for keys that lie
//! between; only where there is none the places in use are numbered anew, with as many free ones
//! everywhere. That moves whole lists of the bitmap, so tasks that are queued stay in their order.
//!
//! The schedule is that of [`Ranked`] with the same order and any other queue.

use crate::grouping::Grouping;
use crate::order::Order;
use crate::policy::{Dispatch, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use crate::queue::{Bitmap, Levelled};
use crate::ranked::{FromOrder, Ranked};
use crate::storage::{Storage, Table};
use core::cmp::Ordering;
use flyball_trace::{CpuId, TaskId, Time};

/// Places in one word of the bitmap.
const WORD: usize = u32::BITS as usize;
/// Words of the bitmap, if all are in use.
const WORDS: usize = 8;

/// An order in which a task's key is the same for all of its jobs: it depends on parameters alone,
/// and counts at once after [`Policy::adjust`].
pub trait StaticOrder: Order<Slice = ()> {}

/// A policy for one CPU, made of a static order. There may be 256 different keys; with room for up
/// to 128 tasks there are never more.
///
/// To admit or adjust a task is O(tasks + keys), everything else O(1).
#[repr(C)]
pub struct ByRank<O: StaticOrder, S: Storage> {
    ranked: Ranked<ByPlace, Bitmap<Place, S, WORDS>>,
    order: O,
    places: Places<O::Key, S>,
}

/// The place of a key among all keys: the smaller, the more urgent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Place(u8);

impl Place {
    fn number(self) -> usize {
        self.0.into()
    }
}

impl Levelled for Place {
    const PER_ROW: usize = 2;

    fn level(self) -> u8 {
        self.0
    }
}

/// The smallest place first.
pub(crate) struct ByPlace;

impl Order for ByPlace {
    type Params = Place;
    type Key = Place;
    type Slice = ();

    fn key(&self, &place: &Place, _: Time) -> Place {
        place
    }

    fn adjusted(&self, &place: &Place, _: Place) -> Place {
        place
    }
}

/// Which key has which place, in the same order.
struct Places<K, S: Storage> {
    /// Those in use.
    used: Set,
    /// The keys of those in use: of even places, and of odd ones.
    keys: [S::Table<K>; 2],
}

/// A set of places.
#[derive(Clone, Copy)]
struct Set([u32; WORDS]);

impl Set {
    const EMPTY: Self = Set([0; WORDS]);
    /// How many there can be.
    const MOST: usize = WORDS * WORD;

    fn has(self, place: usize) -> bool {
        place < Self::MOST && self.0[place / WORD] >> (place % WORD) & 1 == 1
    }

    fn insert(&mut self, place: usize) {
        if place < Self::MOST {
            self.0[place / WORD] |= 1 << (place % WORD);
        }
    }

    /// Its places, the most urgent first.
    fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(word, mut bits)| {
            core::iter::from_fn(move || {
                let place = bits.trailing_zeros() as usize;
                bits &= bits.checked_sub(1)?;
                Some(word * WORD + place)
            })
        })
    }

    /// The same, the least urgent first.
    fn rev(self) -> impl Iterator<Item = usize> {
        self.0
            .into_iter()
            .enumerate()
            .rev()
            .flat_map(|(word, mut bits)| {
                core::iter::from_fn(move || {
                    let place = bits.checked_ilog2()?;
                    bits ^= 1 << place;
                    Some(word * WORD + place as usize)
                })
            })
    }
}

/// Where there is room for a key.
enum Room {
    /// It has this place already.
    There(usize),
    /// This one is free.
    Free(usize),
    /// So many more urgent keys, and those behind them, are to have other places first.
    Crowded(usize),
}

impl<K: Copy + Ord + Default, S: Storage> Places<K, S> {
    fn new(capacity: usize) -> Self {
        let keys = || S::Table::new(capacity, K::default());
        Places {
            used: Set::EMPTY,
            keys: [keys(), keys()],
        }
    }

    /// How many there are.
    fn count(&self) -> usize {
        (2 * self.keys[0].capacity()).min(Set::MOST)
    }

    fn key(&self, place: usize) -> K {
        self.keys[place % 2][place / 2]
    }

    fn set(&mut self, place: usize, key: K) {
        self.used.insert(place);
        self.keys[place % 2][place / 2] = key;
    }

    fn room(&self, key: K) -> Room {
        let (mut first, mut end, mut before) = (0, self.count(), 0);
        for place in self.used.iter() {
            match self.key(place).cmp(&key) {
                Ordering::Equal => return Room::There(place),
                Ordering::Less => (first, before) = (place + 1, before + 1),
                Ordering::Greater => {
                    end = place;
                    break;
                }
            }
        }
        if first < end {
            Room::Free(usize::midpoint(first, end - 1))
        } else {
            Room::Crowded(before)
        }
    }

    /// Numbers the keys in use anew, so that there is room for another one behind the first `before`
    /// of them. Returns its place, and what becomes of each place; `None` if all are in use.
    fn spread(&mut self, before: usize) -> Option<(usize, [u8; Set::MOST])> {
        let count = self.used.iter().count();
        if count == self.count() {
            return None;
        }
        // In the middle of its share.
        let nth = |n: usize| (2 * n + 1) * self.count() / (2 * (count + 1));
        let (mut new, mut becomes) = (Set::EMPTY, [0; Set::MOST]);
        for (n, old) in self.used.iter().enumerate() {
            let place = nth(n + usize::from(n >= before));
            new.insert(place);
            // There are at most 256.
            becomes[old] = u8::try_from(place).ok()?;
        }
        let place = nth(before);
        // The first of those that go ahead is the first to go, and the last of those that go back: so
        // none is overwritten before it has gone.
        let (olds, news) = (self.used, new);
        for (old, new) in olds.iter().zip(news.iter()).filter(|(old, new)| new < old) {
            self.set(new, self.key(old));
        }
        for (old, new) in olds.rev().zip(news.rev()).filter(|(old, new)| new > old) {
            self.set(new, self.key(old));
        }
        self.used = news;
        Some((place, becomes))
    }
}

impl<O: StaticOrder, S: Storage> ByRank<O, S> {
    /// The policy without tasks, with room for task ids below `capacity` (storages whose size is
    /// part of their type have room for that many instead).
    pub fn new(order: O, capacity: usize) -> Self {
        ByRank {
            ranked: Ranked::new(ByPlace, capacity),
            order,
            places: Places::new(capacity),
        }
    }

    /// The place of tasks with these parameters, which may be a new one.
    ///
    /// # Errors
    /// What the order says of them; [`Refused::Full`] if there are too many different keys.
    fn place(&mut self, params: &O::Params) -> Result<Place, Refused> {
        self.order.check(params)?;
        let key = self.order.key(params, Time::ZERO);
        let mut used = Set::EMPTY;
        self.ranked.each_key(|place: Place| {
            if self.places.used.has(place.number()) {
                used.insert(place.number());
            }
        });
        self.places.used = used;
        let place = match self.places.room(key) {
            Room::There(place) | Room::Free(place) => place,
            Room::Crowded(before) => {
                let (place, becomes) = self.places.spread(before).ok_or(Refused::Full)?;
                self.ranked.renumber(|old| {
                    if used.has(old.number()) {
                        Place(becomes[old.number()])
                    } else {
                        // Of a task that has had no job yet.
                        old
                    }
                });
                place
            }
        };
        self.places.set(place, key);
        u8::try_from(place).map(Place).map_err(|_| Refused::Full)
    }
}

impl<O: StaticOrder, S: Storage> FromOrder<O> for ByRank<O, S> {
    fn from_order(order: O, capacity: usize) -> Self {
        ByRank::new(order, capacity)
    }
}

/// It takes no notice.
impl<O: StaticOrder, S: Storage> Grouping for ByRank<O, S> {}

impl<O: StaticOrder, S: Storage> Policy for ByRank<O, S> {
    type Params = O::Params;
    type Settings = ();

    const WANTS: Wants = Wants::NOTHING;

    fn capacity(&self) -> usize {
        self.ranked.capacity()
    }

    /// # Errors
    /// [`Refused::Full`] also if there are too many different keys.
    fn admit(&mut self, task: TaskId, params: O::Params, now: Time) -> Result<(), Refused> {
        let place = self.place(&params)?;
        self.ranked.admit(task, place, now)
    }

    /// # Errors
    /// [`Refused::Full`] also if there are too many different keys.
    fn adjust(&mut self, task: TaskId, params: O::Params, now: Time) -> Result<Resched, Refused> {
        let place = self.place(&params)?;
        self.ranked.adjust(task, place, now)
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
    use crate::storage::Inline;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Keys come and go; their places are always in the order of a sorted list, and there is
        /// room for as many as there are places.
        #[test]
        fn places_are_in_the_order_of_the_keys(
            steps in prop::collection::vec((0_u16..100, any::<bool>()), 1..400),
        ) {
            let mut all = Places::<u16, Inline<16>>::new(16);
            let mut keys = BTreeSet::new();
            for (key, comes) in steps {
                if comes {
                    let place = match all.room(key) {
                        Room::There(place) => {
                            prop_assert!(keys.contains(&key));
                            Some(place)
                        }
                        Room::Free(place) => Some(place),
                        Room::Crowded(before) => {
                            prop_assert_eq!(before, keys.range(..key).count());
                            let olds = all.used.iter().map(|old| (old, all.key(old)));
                            let olds: Vec<_> = olds.collect();
                            let spread = all.spread(before);
                            prop_assert_eq!(spread.is_none(), keys.len() == 32);
                            for (old, key) in olds {
                                let new = spread.map_or(old, |(_, becomes)| becomes[old].into());
                                prop_assert_eq!(all.key(new), key);
                            }
                            spread.map(|(place, _)| place)
                        }
                    };
                    if let Some(place) = place {
                        prop_assert!(place < all.count());
                        prop_assert_eq!(all.used.has(place), keys.contains(&key));
                        all.set(place, key);
                        keys.insert(key);
                    }
                } else if let Some(&next) = keys.range(key..).next() {
                    keys.remove(&next);
                    let gone = all.used.iter().find(|&place| all.key(place) == next);
                    all.used.0[0] &= !(1 << gone.unwrap());
                }
                let by_place: Vec<u16> = all.used.iter().map(|it| all.key(it)).collect();
                prop_assert_eq!(by_place, keys.iter().copied().collect::<Vec<_>>());
            }
        }
    }
}
