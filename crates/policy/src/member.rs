//! Membership: what a policy that ranks tasks knows of each of them, by whatever means it places
//! them on CPUs.
//!
//! [`Ranked`](crate::Ranked), [`Global`](crate::Global) and [`Affine`](crate::Affine) differ in
//! where the ready tasks are kept and which CPU gets which of them. This half is the same for all:
//! membership, keys, inherited keys and time slices. None of it costs more than O(1) but
//! [`Members::tune`].

use crate::order::{Order, TimeSlice};
use crate::policy::{Dispatch, Parameter, Ready, Refused, Stop, Usage, Wants};
use crate::storage::{Storage, Table};
use core::cmp::Ordering;
use flyball_trace::{Duration, TaskId, Time};

/// What the policy knows of one task.
struct Member<O: Order> {
    /// Whether the task is a member. If not, the rest of the row has no meaning.
    admitted: bool,
    params: O::Params,
    /// The key of its present job.
    own: O::Key,
    /// Whether a task waits for it, whose key it inherits. (An `Option` of a key of 8 bytes would
    /// take 16.)
    inherits: bool,
    /// The key of the most urgent task that waits for it.
    inherited: O::Key,
    /// The more urgent of the two: the one that counts.
    key: O::Key,
    /// What is left of its time slice.
    slice: O::Slice,
}

impl<O: Order> Clone for Member<O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O: Order> Copy for Member<O> {}

impl<O: Order> Member<O> {
    /// Computes the key anew, after one of its sources has changed.
    #[inline]
    fn rank(&mut self) {
        self.key = self.with(self.own);
    }

    /// The key that counts if the task's own one is `own`.
    #[inline]
    fn with(&self, own: O::Key) -> O::Key {
        if self.inherits {
            self.inherited.min(own)
        } else {
            own
        }
    }
}

/// The members of a policy, by task.
#[repr(transparent)]
pub(crate) struct Members<O: Order, S: Storage>(S::Table<Member<O>>);

impl<O: Order, S: Storage> Members<O, S> {
    /// Which sensors and actuators the orders need: usage where a key or a time slice changes while
    /// a task runs.
    pub(crate) const WANTS: Wants = Wants::USAGE
        .and(Wants::BURSTS)
        .and(Wants::PREEMPTED)
        .when(O::Slice::ROTATES || O::DYNAMIC)
        .and(Wants::CLOCK.when(O::DYNAMIC));

    /// No members, with room for task ids below `capacity`.
    pub(crate) fn new(capacity: usize) -> Self {
        let row = Member {
            admitted: false,
            params: O::Params::default(),
            own: O::Key::default(),
            inherits: false,
            inherited: O::Key::default(),
            key: O::Key::default(),
            slice: O::Slice::full(None),
        };
        Members(Table::new(capacity, row))
    }

    /// The number of rows.
    pub(crate) fn capacity(&self) -> usize {
        self.0.capacity()
    }

    // ---- membership ----------------------------------------------------------------------------

    /// Checks whether a task may have these parameters; `has_level`: whether the queue has one for
    /// a key. (It does not depend on when a job is released.)
    ///
    /// # Errors
    /// [`Refused::Invalid`], [`Refused::Overload`].
    pub(crate) fn check(
        order: &O,
        params: &O::Params,
        has_level: impl FnOnce(O::Key) -> bool,
    ) -> Result<(), Refused> {
        order.check(params)?;
        if order.quantum(params).is_some_and(Duration::is_zero) {
            return Err(Refused::Invalid(Parameter::Quantum));
        }
        if !has_level(order.key(params, Time::ZERO)) {
            return Err(Refused::Invalid(Parameter::Priority));
        }
        Ok(())
    }

    /// Makes `task` a member, with parameters that have been checked.
    ///
    /// # Errors
    /// [`Refused::Full`], [`Refused::Member`].
    pub(crate) fn admit(
        &mut self,
        order: &O,
        task: TaskId,
        params: O::Params,
    ) -> Result<(), Refused> {
        if task.index() >= self.capacity() {
            return Err(Refused::Full);
        }
        if self.0[task.index()].admitted {
            return Err(Refused::Member);
        }
        self.0[task.index()] = Member {
            admitted: true,
            params,
            own: O::Key::default(),
            inherits: false,
            inherited: O::Key::default(),
            key: O::Key::default(),
            slice: O::Slice::full(order.quantum(&params)),
        };
        Ok(())
    }

    /// Gives a member other parameters, which have been checked.
    ///
    /// # Errors
    /// [`Refused::NotAdmitted`].
    pub(crate) fn adjust(
        &mut self,
        order: &O,
        task: TaskId,
        params: O::Params,
    ) -> Result<(), Refused> {
        if task.index() >= self.capacity() || !self.0[task.index()].admitted {
            return Err(Refused::NotAdmitted);
        }
        let member = &mut self.0[task.index()];
        member.params = params;
        member.own = order.adjusted(&params, member.own);
        member.rank();
        Ok(())
    }

    /// Takes `new` for the order: for the keys of later jobs, and for later time slices. Keys and
    /// slices that there are stay as they are. O(tasks).
    ///
    /// # Errors
    /// What [`Members::check`] refuses for one of the members; nothing has changed then.
    pub(crate) fn tune(
        &self,
        order: &mut O,
        new: O,
        has_level: impl Fn(O::Key) -> bool,
    ) -> Result<(), Refused> {
        let rows = (0..self.capacity()).map(|row| &self.0[row]);
        for member in rows.filter(|row| row.admitted) {
            Self::check(&new, &member.params, &has_level)?;
        }
        *order = new;
        Ok(())
    }

    /// Ends a membership.
    pub(crate) fn retire(&mut self, task: TaskId) {
        self.0[task.index()].admitted = false;
    }

    // ---- sensors -------------------------------------------------------------------------------

    /// `task` can run from now on: with a new job, or again. Its time slice is a whole one.
    #[inline]
    pub(crate) fn ready(&mut self, order: &O, task: TaskId, why: Ready) {
        let member = &mut self.0[task.index()];
        if let Ready::Released { release } = why {
            member.own = order.key(&member.params, release);
            member.rank();
        }
        member.slice = O::Slice::full(order.quantum(&member.params));
    }

    /// `task` has stopped after `used`. Returns whether it can go on but its time slice is over; it
    /// gets a new one then.
    #[inline]
    pub(crate) fn stopped(&mut self, order: &O, task: TaskId, used: Usage, why: Stop) -> bool {
        let yielded = why == Stop::Yielded;
        if !Self::WANTS.usage {
            return yielded;
        }
        let member = &mut self.0[task.index()];
        if O::DYNAMIC {
            member.own = order.ran(member.own, used.time);
            member.rank();
        }
        if matches!(why, Stop::Blocked | Stop::Completed) {
            // Its next time slice is a whole one, see `ready`.
            return false;
        }
        member.slice = member.slice.spend(used.time);
        let is_over = yielded || member.slice.is_spent();
        if is_over {
            member.slice = O::Slice::full(order.quantum(&member.params));
        }
        is_over
    }

    // ---- actuator ------------------------------------------------------------------------------

    /// `task` runs, for what is left of its time slice.
    #[inline]
    pub(crate) fn dispatch(&self, order: &O, task: TaskId) -> Dispatch {
        let member = &self.0[task.index()];
        let burst = if O::Slice::ROTATES {
            member.slice.remaining()
        } else {
            order.quantum(&member.params)
        };
        Dispatch {
            burst,
            ..Dispatch::of(task)
        }
    }

    // ---- urgency -------------------------------------------------------------------------------

    /// The key that counts, as of when the task last stopped.
    #[inline]
    pub(crate) fn key(&self, task: TaskId) -> O::Key {
        self.0[task.index()].key
    }

    /// The key that counts at `now` of a task that has been running since `since`.
    #[inline]
    pub(crate) fn key_at(&self, order: &O, task: TaskId, since: Time, now: Time) -> O::Key {
        let member = &self.0[task.index()];
        if O::DYNAMIC {
            member.with(order.ran(member.own, now.since(since)))
        } else {
            member.key
        }
    }

    /// Compares the keys that count.
    pub(crate) fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.key(a).cmp(&self.key(b))
    }

    /// `to` inherits the key of `from` until the next call. Returns whether that changes the key
    /// that counts.
    pub(crate) fn inherit(&mut self, to: TaskId, from: Option<TaskId>) -> bool {
        let inherited = from.map(|from| self.key(from));
        let member = &mut self.0[to.index()];
        let before = member.key;
        member.inherits = inherited.is_some();
        member.inherited = inherited.unwrap_or_default();
        member.rank();
        member.key != before
    }
}

impl<O: Order<Params = K, Key = K>, K: Copy + Ord + Default, S: Storage> Members<O, S> {
    /// Tells all keys that are of any importance. O(tasks).
    pub(crate) fn each_key(&self, mut tell: impl FnMut(K)) {
        let rows = (0..self.capacity()).map(|row| &self.0[row]);
        for member in rows.filter(|row| row.admitted) {
            tell(member.params);
            tell(member.own);
            if member.inherits {
                tell(member.inherited);
            }
        }
    }

    /// Gives each key another one, in the same order. O(tasks).
    pub(crate) fn renumber(&mut self, new: impl Fn(K) -> K) {
        for row in 0..self.capacity() {
            let member = &mut self.0[row];
            member.params = new(member.params);
            member.own = new(member.own);
            member.inherited = new(member.inherited);
            member.rank();
        }
    }
}
