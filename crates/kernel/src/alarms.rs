//! Each thread's next instant: a release, a deadline or the end of a wait.
//!
//! Threads of the same instant share one entry of a heap, the first of them being its *leader*; the
//! others are in a ring with it. Periods are often multiples of each other, so many threads wait
//! for one instant: setting the alarms of n of them costs one insertion into the heap and n links,
//! and so does serving them. In the worst case all instants differ, and each costs O(log n).
//!
//! ```text
//!   heap:   [ 3 ms, leader 4 | 5 ms, leader 0 | 9 ms, leader 2 ]
//!   rings:    4 - 7 - 8        0                2 - 5
//! ```
//!
//! A thread that sets an alarm joins the entry that was made or joined last if that has the same
//! instant, and otherwise makes one of its own. So an instant may have several entries; they are
//! put together when it comes. Threads of one instant are served by rising number, whichever set
//! its alarm first.
//!
//! In tables for many threads ([`Storage::ForMany`]) there is a tournament instead: an alarm that rings stays where it
//! is until it is set anew, which is one climb, or the next one is asked for.
#![cfg_attr(
    all(feature = "small", not(test)),
    allow(dead_code, reason = "a small image searches")
)]

#[cfg(any(test, feature = "small"))]
pub(crate) mod searched;

use flyball_policy::queue::links::{Links, List};
use flyball_policy::queue::{Entry, IndexedHeap, Tournament};
use flyball_policy::{Storage, TaskId, Time};

#[repr(C)]
pub(crate) struct Alarms<S: Storage> {
    /// The entry that was made or joined last, and its instant; [`Time::NEVER`]: there is none. In a tournament the
    /// alarm that has rung and is still there.
    latest: (TaskId, Time),
    /// The threads whose instant has come, an open list, and that instant.
    due: (List, Time),
    rings: Links<S>,
    leaders: IndexedHeap<Leader, S>,
    many: Tournament<S::ForMany>,
}

/// A leader, the instant of its ring, and whether the ring is known to be in the order of rising numbers: 12 bytes, not
/// 16.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct Leader {
    at: Time,
    task: TaskId,
    in_order: bool,
}

impl Entry for Leader {
    type Id = TaskId;

    fn none() -> Leader {
        Leader {
            at: Time::ZERO,
            task: TaskId(0),
            in_order: true,
        }
    }

    #[inline]
    fn id(&self) -> TaskId {
        self.task
    }

    #[inline]
    fn of(self, task: TaskId) -> Leader {
        Leader { task, ..self }
    }

    #[inline]
    fn is_before(&self, other: &Leader) -> bool {
        let (at, other) = (self.at, other.at);
        at < other
    }
}

impl<S: Storage> Alarms<S> {
    pub(crate) fn new(capacity: usize) -> Alarms<S> {
        let many = Tournament::new(capacity);
        let few = if many.exists() { 0 } else { capacity };
        Alarms {
            rings: Links::new(few),
            leaders: IndexedHeap::new(few),
            many,
            latest: (TaskId(0), Time::NEVER),
            due: (List::EMPTY, Time::NEVER),
        }
    }

    /// The earliest instant; [`Time::NEVER`]: no alarm is set. O(1).
    #[inline]
    pub(crate) fn first(&self) -> Time {
        if self.many.exists() {
            return self.many.first();
        }
        self.leaders.first().map_or(Time::NEVER, |leader| leader.at)
    }

    /// When the alarm of `task` is; [`Time::NEVER`]: it is not set.
    #[cfg(any(test, feature = "audit"))]
    pub(crate) fn at(&self, task: TaskId) -> Time {
        if self.many.exists() {
            let has_rung = self.latest.0 == task && !self.latest.1.is_never();
            return if has_rung {
                Time::NEVER
            } else {
                self.many.at(task.index())
            };
        }
        if !self.rings.linked(task) {
            return Time::NEVER;
        }
        if self.rings.iter_open(self.due.0).any(|due| due == task) {
            return self.due.1;
        }
        let mut ring = self.rings.iter(self.rings.from(task));
        let leader = ring.find_map(|other| self.leaders.get(other).map(|leader| leader.at));
        leader.unwrap_or(Time::NEVER)
    }

    /// Sets the alarm of `task` to `at`, or takes it out at [`Time::NEVER`]. Returns whether the
    /// earliest instant may have changed. O(log n), O(1) in company.
    #[inline]
    pub(crate) fn set(&mut self, task: TaskId, at: Time) -> bool {
        let (leader, latest) = self.latest;
        if self.many.exists() {
            if task == leader {
                self.latest.1 = Time::NEVER;
            }
            return self.many.set(task.index(), at);
        }
        // Most alarms: one in company.
        if at == latest && !at.is_never() && !self.rings.linked(task) {
            self.join(leader, task);
            return false;
        }
        self.set_alone(task, at)
    }

    /// `task`, which is in no ring, becomes the last of that of `leader`.
    #[inline]
    fn join(&mut self, leader: TaskId, task: TaskId) {
        if self.rings.insert_before(leader, task) > task {
            self.note_disorder(leader);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_disorder(&mut self, leader: TaskId) {
        if let Some(entry) = self.leaders.get(leader)
            && entry.in_order
        {
            let in_order = false;
            self.leaders.put(Leader { in_order, ..entry });
        }
    }

    #[inline(never)]
    fn set_alone(&mut self, task: TaskId, at: Time) -> bool {
        let mut moved = false;
        if self.rings.linked(task) {
            moved = self.take_out(task);
        }
        if !at.is_never() {
            moved |= self.put_in(task, at);
        }
        moved
    }

    fn put_in(&mut self, task: TaskId, at: Time) -> bool {
        let (leader, latest) = self.latest;
        if at == latest {
            self.join(leader, task);
            return false;
        }
        self.rings.alone(task);
        let in_order = true;
        self.leaders.insert(Leader { at, task, in_order });
        self.latest = (task, at);
        self.leaders.is_first(task)
    }

    fn take_out(&mut self, task: TaskId) -> bool {
        if self.due.0.first() == Some(task) {
            self.rings.take_first(&mut self.due.0);
            return false;
        }
        if self.rings.take_last(task) {
            return false;
        }
        let mut ring = self.rings.from(task);
        self.rings.remove(&mut ring, task);
        if !self.leaders.contains(task) {
            return false;
        }
        if let Some(heir) = ring.first() {
            self.leaders.replace(task, heir);
            if self.latest.0 == task {
                self.latest.0 = heir;
            }
            return false;
        }
        let was_first = self.leaders.is_first(task);
        self.leave(task);
        was_first
    }

    /// Takes out a thread whose instant has come by `now`, and tells that instant: the earliest,
    /// and of one instant by rising number.
    #[inline]
    pub(crate) fn take_due(&mut self, now: Time) -> Option<(TaskId, Time)> {
        if self.many.exists() {
            return self.take_of_many(now);
        }
        self.take_of_few(now)
    }

    #[inline]
    fn take_of_few(&mut self, now: Time) -> Option<(TaskId, Time)> {
        if self.due.0.is_empty() {
            let leader = self.leaders.first()?;
            if { leader.at } > now {
                return None;
            }
            self.gather(leader);
        }
        let task = self.rings.take_first(&mut self.due.0)?;
        Some((task, self.due.1))
    }

    fn take_of_many(&mut self, now: Time) -> Option<(TaskId, Time)> {
        let (rung, at) = core::mem::replace(&mut self.latest, (TaskId(0), Time::NEVER));
        if !at.is_never() {
            self.many.set(rung.index(), Time::NEVER);
        }
        let at = self.many.first();
        if at > now || at.is_never() {
            return None;
        }
        let task = TaskId::from_index(self.many.due(0, at)?);
        self.latest = (task, at);
        Some((task, at))
    }

    /// All threads of the instant of `leader`, which is the first, are due.
    #[inline]
    fn gather(&mut self, leader: Leader) {
        let Leader { at, task, in_order } = leader;
        self.leave(task);
        let mut due = self.rings.from(task);
        if !in_order || self.leaders.first().is_some_and(|other| { other.at } == at) {
            self.gather_others(at, &mut due);
        }
        self.rings.open(due);
        self.due = (due, at);
    }

    /// Those of other entries of the same instant are so, too, and then all of them are put in order.
    #[cold]
    #[inline(never)]
    fn gather_others(&mut self, at: Time, due: &mut List) {
        while let Some(leader) = self.leaders.first()
            && { leader.at } == at
        {
            self.leave(leader.task);
            self.rings.join(due.head(), leader.task);
        }
        self.rings.sort(due);
    }

    /// The entry of `leader` is none any more.
    #[inline]
    fn leave(&mut self, leader: TaskId) {
        self.leaders.take(leader);
        if self.latest.0 == leader {
            self.latest.1 = Time::NEVER;
        }
    }
}

// Two thousand cases take too long under Miri; the random walk sets alarms there.
#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use flyball_policy::{Boxed, Inline};
    use proptest::prelude::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Set(u16, u64),
        Clear(u16),
        /// Serve up to so many that are due by then.
        Serve(u64, usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        let task = || 0..16_u16;
        prop_oneof![
            4 => (task(), 0..6_u64).prop_map(|(task, at)| Step::Set(task, at)),
            1 => task().prop_map(Step::Clear),
            2 => (0..6_u64, 0..20_usize).prop_map(|(now, count)| Step::Serve(now, count)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Against a table that is searched from end to end.
        #[test]
        fn serves_the_earliest_by_number(steps in proptest::collection::vec(step(), 0..200)) {
            follows_the_model::<Inline<16>>(&steps)?;
            follows_the_model::<Boxed>(&steps)?;
        }
    }

    fn follows_the_model<S: Storage>(steps: &[Step]) -> Result<(), TestCaseError> {
        let mut alarms = Alarms::<S>::new(16);
        let mut model = [None::<u64>; 16];
        // What had become due when serving was broken off goes first, at its own instant.
        let mut begun: Option<u64> = None;
        let mut base = 0;
        for &step in steps {
            let first = alarms.first();
            match step {
                Step::Set(task, after) => {
                    // What is due already cannot be set again to the same instant.
                    let at = base + 1 + after;
                    let moved = alarms.set(TaskId(task), Time::from_nanos(at));
                    model[usize::from(task)] = Some(at);
                    prop_assert!(moved || alarms.first() == first);
                }
                Step::Clear(task) => {
                    let moved = alarms.set(TaskId(task), Time::NEVER);
                    model[usize::from(task)] = None;
                    prop_assert!(moved || alarms.first() == first);
                }
                Step::Serve(ahead, count) => {
                    let now = base + ahead;
                    for _ in 0..count {
                        let instants = || model.iter().flatten().copied();
                        let at = instants().min().filter(|&at| at <= now);
                        let expected = at.and_then(|at| {
                            let task = model.iter().position(|&other| other == Some(at))?;
                            Some((TaskId(u16::try_from(task).unwrap()), Time::from_nanos(at)))
                        });
                        prop_assert_eq!(alarms.take_due(Time::from_nanos(now)), expected);
                        let Some((task, _)) = expected else { break };
                        model[task.index()] = None;
                        begun = at;
                    }
                    base = base.max(begun.unwrap_or(0));
                }
            }
            for (task, at) in (0..).zip(model) {
                let at = at.map_or(Time::NEVER, Time::from_nanos);
                prop_assert_eq!(alarms.at(TaskId(task)), at);
            }
        }
        Ok(())
    }
}
