//! The same [`Alarms`](super::Alarms) for an image of few bytes: a table that is searched from end to
//! end. It has neither rings nor a heap, and so about 1 KB of code less and less memory for each thread;
//! finding the earliest instant costs O(threads).

use flyball_policy::{Storage, Table, TaskId, Time};

/// The instant of each thread; [`Time::NEVER`]: none.
pub(crate) struct Alarms<S: Storage>(S::Table<Time>);

impl<S: Storage> Alarms<S> {
    pub(crate) fn new(capacity: usize) -> Alarms<S> {
        Alarms(Table::new(capacity, Time::NEVER))
    }

    /// The earliest instant; [`Time::NEVER`]: no alarm is set. O(threads).
    pub(crate) fn first(&self) -> Time {
        self.0[self.earliest().index()]
    }

    /// When the alarm of `task` is; [`Time::NEVER`]: it is not set.
    #[cfg(any(test, feature = "audit"))]
    pub(crate) fn at(&self, task: TaskId) -> Time {
        self.0[task.index()]
    }

    /// Sets the alarm of `task` to `at`, or takes it out at [`Time::NEVER`]. Returns whether the
    /// earliest instant may have changed: no question is asked. O(1).
    #[inline]
    pub(crate) fn set(&mut self, task: TaskId, at: Time) -> bool {
        self.0[task.index()] = at;
        true
    }

    /// Takes out a thread whose instant has come by `now`, and tells that instant: the earliest,
    /// and of one instant by rising number. O(threads).
    pub(crate) fn take_due(&mut self, now: Time) -> Option<(TaskId, Time)> {
        let first = self.earliest();
        let at = &mut self.0[first.index()];
        if *at > now || at.is_never() {
            return None;
        }
        Some((first, core::mem::replace(at, Time::NEVER)))
    }

    /// The thread of the earliest instant, or any if no alarm is set.
    #[inline(never)]
    fn earliest(&self) -> TaskId {
        let (mut first, mut next) = (TaskId(0), TaskId(1));
        while next.index() < self.0.capacity() {
            if self.0[next.index()] < self.0[first.index()] {
                first = next;
            }
            next.0 += 1;
        }
        first
    }
}

// As for the other alarms.
#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use flyball_policy::Inline;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// The others serve the same threads at the same instants.
        #[test]
        fn both_serve_the_same(
            steps in proptest::collection::vec((0..16_u16, 0..8_u64, 0..20_usize), 0..100),
        ) {
            let mut few = Alarms::<Inline<16>>::new(16);
            let mut many = super::super::Alarms::<Inline<16>>::new(16);
            let mut base = 0;
            for (task, after, serve) in steps {
                // One time in eight the alarm is taken out.
                let at = Time::from_nanos(if after == 0 { u64::MAX } else { base + after });
                let task = TaskId(task);
                many.set(task, at);
                prop_assert!(few.set(task, at));
                let now = base + after / 2;
                for _ in 0..serve {
                    let due = few.take_due(Time::from_nanos(now));
                    prop_assert_eq!(due, many.take_due(Time::from_nanos(now)));
                    if due.is_none() {
                        prop_assert_eq!(few.first(), many.first());
                        break;
                    }
                }
                base = now;
                for task in (0..16).map(TaskId) {
                    prop_assert_eq!(few.at(task), many.at(task));
                }
            }
        }
    }
}
