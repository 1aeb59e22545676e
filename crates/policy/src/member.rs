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

/// What a policy knows of its members. The key that counts and what a task is are in tables of their
/// own: the row has no gaps then, and one index finds the key here and in the queue.
#[repr(C)]
pub(crate) struct Members<O: Order, S: Storage> {
    /// The more urgent one of a member's own key and the one that it inherits: the key that counts.
    keys: S::Table<O::Key>,
    rows: S::Table<Row<O>>,
    states: S::Table<State>,
}

/// The rest of a member.
struct Row<O: Order> {
    params: O::Params,
    /// The key of its present job.
    own: O::Key,
    /// In [`State::Inherits`], the key of the most urgent task that waits for it.
    inherited: O::Key,
    /// What is left of its time slice.
    slice: O::Slice,
}

impl<O: Order> Clone for Row<O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O: Order> Copy for Row<O> {}

/// What a task is to the policy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// A member whose own key counts.
    Member,
    /// A member that a task waits for, whose key it inherits.
    Inherits,
    /// No member: its row has no meaning.
    NotAdmitted,
}

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
        let key = O::Key::default();
        let row = Row {
            params: O::Params::default(),
            own: key,
            inherited: key,
            slice: O::Slice::full(None),
        };
        Members {
            keys: Table::new(capacity, key),
            rows: Table::new(capacity, row),
            states: Table::new(capacity, State::NotAdmitted),
        }
    }

    /// The number of rows.
    pub(crate) fn capacity(&self) -> usize {
        self.states.capacity()
    }

    fn is_admitted(&self, task: TaskId) -> bool {
        task.index() < self.capacity() && self.states[task.index()] != State::NotAdmitted
    }

    /// The tasks that are members. O(tasks).
    fn all(&self) -> impl Iterator<Item = TaskId> + '_ {
        let tasks = (0..self.capacity()).map_while(|row| u16::try_from(row).ok());
        tasks.map(TaskId).filter(|&task| self.is_admitted(task))
    }

    /// The key that counts if the task's own one is `own`.
    #[inline]
    fn with(&self, task: TaskId, own: O::Key) -> O::Key {
        if self.states[task.index()] == State::Inherits {
            self.rows[task.index()].inherited.min(own)
        } else {
            own
        }
    }

    /// The member's own key is `own` from now on.
    #[cfg_attr(feature = "small", inline(always))]
    #[cfg_attr(not(feature = "small"), inline)]
    fn set_own(&mut self, task: TaskId, own: O::Key) {
        self.rows[task.index()].own = own;
        self.keys[task.index()] = self.with(task, own);
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
        if self.is_admitted(task) {
            return Err(Refused::Member);
        }
        self.states[task.index()] = State::Member;
        let own = O::Key::default();
        self.rows[task.index()] = Row {
            params,
            own,
            inherited: own,
            slice: O::Slice::full(order.quantum(&params)),
        };
        self.set_own(task, own);
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
        if !self.is_admitted(task) {
            return Err(Refused::NotAdmitted);
        }
        let row = &mut self.rows[task.index()];
        row.params = params;
        let own = order.adjusted(&params, row.own);
        self.set_own(task, own);
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
        for task in self.all() {
            Self::check(&new, &self.rows[task.index()].params, &has_level)?;
        }
        *order = new;
        Ok(())
    }

    /// Ends a membership.
    pub(crate) fn retire(&mut self, task: TaskId) {
        self.states[task.index()] = State::NotAdmitted;
    }

    // ---- sensors -------------------------------------------------------------------------------

    /// `task` can run from now on: with a new job, or again. Its time slice is a whole one.
    #[inline]
    pub(crate) fn ready(&mut self, order: &O, task: TaskId, why: Ready) {
        if let Ready::Released { release } = why {
            self.set_own(task, order.key(&self.rows[task.index()].params, release));
        }
        let row = &mut self.rows[task.index()];
        row.slice = O::Slice::full(order.quantum(&row.params));
    }

    /// `task` has stopped after `used`. Returns whether it can go on but its time slice is over; it
    /// gets a new one then.
    #[inline]
    pub(crate) fn stopped(&mut self, order: &O, task: TaskId, used: Usage, why: Stop) -> bool {
        let yielded = why == Stop::Yielded;
        if !Self::WANTS.usage {
            return yielded;
        }
        if O::DYNAMIC {
            self.set_own(task, order.ran(self.rows[task.index()].own, used.time));
        }
        if matches!(why, Stop::Blocked | Stop::Completed) {
            // Its next time slice is a whole one, see `ready`.
            return false;
        }
        let row = &mut self.rows[task.index()];
        row.slice = row.slice.spend(used.time);
        let is_over = yielded || row.slice.is_spent();
        if is_over {
            row.slice = O::Slice::full(order.quantum(&row.params));
        }
        is_over
    }

    // ---- actuator ------------------------------------------------------------------------------

    /// `task` runs, for what is left of its time slice.
    #[inline]
    pub(crate) fn dispatch(&self, order: &O, task: TaskId) -> Dispatch {
        let row = &self.rows[task.index()];
        let burst = if O::Slice::ROTATES {
            row.slice.remaining()
        } else {
            order.quantum(&row.params)
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
        self.keys[task.index()]
    }

    /// The key that counts at `now` of a task that has been running since `since`.
    #[inline]
    pub(crate) fn key_at(&self, order: &O, task: TaskId, since: Time, now: Time) -> O::Key {
        if O::DYNAMIC {
            self.with(
                task,
                order.ran(self.rows[task.index()].own, now.since(since)),
            )
        } else {
            self.key(task)
        }
    }

    /// Compares the keys that count.
    pub(crate) fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.key(a).cmp(&self.key(b))
    }

    /// `task` acts at least with the key of these parameters, which have been checked, until the next call of
    /// [`Members::inherit`]. Returns whether that changes the key that counts.
    pub(crate) fn raise(
        &mut self,
        order: &O,
        task: TaskId,
        params: &O::Params,
        since: Time,
    ) -> bool {
        let ceiling = order.key(params, since);
        let before = self.key(task);
        let inherits = self.states[task.index()] == State::Inherits;
        let row = &mut self.rows[task.index()];
        row.inherited = if inherits {
            row.inherited.min(ceiling)
        } else {
            ceiling
        };
        let own = row.own;
        self.states[task.index()] = State::Inherits;
        self.set_own(task, own);
        self.key(task) != before
    }

    /// `to` inherits the key of `from` until the next call. Returns whether that changes the key
    /// that counts.
    pub(crate) fn inherit(&mut self, to: TaskId, from: Option<TaskId>) -> bool {
        let inherited = from.map(|from| self.key(from));
        let before = self.key(to);
        let row = &mut self.rows[to.index()];
        row.inherited = inherited.unwrap_or_default();
        let own = row.own;
        self.states[to.index()] = match inherited {
            Some(_) => State::Inherits,
            None => State::Member,
        };
        self.set_own(to, own);
        self.key(to) != before
    }
}

impl<O: Order<Params = K, Key = K>, K: Copy + Ord + Default, S: Storage> Members<O, S> {
    /// Tells all keys that are of any importance. O(tasks).
    pub(crate) fn each_key(&self, mut tell: impl FnMut(K)) {
        for task in self.all() {
            let row = &self.rows[task.index()];
            tell(row.params);
            tell(row.own);
            if self.states[task.index()] == State::Inherits {
                tell(row.inherited);
            }
        }
    }

    /// Gives each key another one, in the same order. O(tasks).
    pub(crate) fn renumber(&mut self, new: impl Fn(K) -> K) {
        for row in 0..self.capacity() {
            self.keys[row] = new(self.keys[row]);
            let row = &mut self.rows[row];
            row.params = new(row.params);
            row.own = new(row.own);
            row.inherited = new(row.inherited);
        }
    }
}
