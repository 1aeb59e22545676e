//! Which task waits for which, and which runs in the place of which.
//!
//! The same for all policies, so that an image of several has it once.

use crate::policy::Stop;
use crate::storage::{Storage, Table};
use flyball_trace::{Slot, TaskId};

/// The chains of tasks that wait for each other.
#[repr(C)]
pub(super) struct Chains<S: Storage> {
    /// The task that runs, and in whose place.
    running: Slot,
    place: Slot,
    /// Whether tasks may have to leave or enter their places.
    is_open: bool,
    rows: S::Table<Row>,
}

/// What is known of a task.
#[derive(Clone, Copy)]
struct Row {
    /// The task that has the mutex that this one waits for.
    owner: Slot,
    /// How many tasks wait for this one.
    waiters: u16,
    is_ready: bool,
    /// Whether it is queued as far as the policy knows.
    is_placed: bool,
}

/// What the policy is told when a task stops.
#[derive(Clone, Copy)]
pub(super) struct Stopped {
    /// The task in whose place it ran, and why that stops.
    pub(super) place: Option<(TaskId, Stop)>,
    /// Whether its own place, which is another one, is given up.
    pub(super) leaves: bool,
}

impl<S: Storage> Chains<S> {
    #[inline(never)]
    pub(super) fn new(capacity: usize) -> Chains<S> {
        let row = Row {
            owner: Slot::EMPTY,
            waiters: 0,
            is_ready: false,
            is_placed: false,
        };
        Chains {
            running: Slot::EMPTY,
            place: Slot::EMPTY,
            is_open: false,
            rows: Table::new(capacity, row),
        }
    }

    fn at(&mut self, task: TaskId) -> &mut Row {
        &mut self.rows[task.index()]
    }

    /// The task that runs in the place of `task`: the first one in its chain that can; `None`: none
    /// of them can. A chain may be a ring, but no chain has more tasks than there are.
    fn end(&self, mut task: TaskId) -> Option<TaskId> {
        for _ in 0..self.rows.capacity() {
            let row = &self.rows[task.index()];
            if row.is_ready {
                return Some(task);
            }
            task = row.owner.get()?;
        }
        None
    }

    /// `task` waits for `owner` from now on.
    #[inline(never)]
    pub(super) fn wait(&mut self, task: TaskId, owner: Option<TaskId>) {
        let before = core::mem::replace(&mut self.at(task).owner, owner.into());
        if let Some(before) = before.get() {
            self.at(before).waiters -= 1;
        }
        if let Some(owner) = owner {
            self.at(owner).waiters += 1;
        }
        self.is_open = true;
    }

    /// `task` can run. Returns whether it has no place yet.
    #[inline(never)]
    pub(super) fn ready(&mut self, task: TaskId) -> bool {
        let row = self.at(task);
        row.is_ready = true;
        let enters = !core::mem::replace(&mut row.is_placed, true);
        self.open_for_waiters(task);
        enters
    }

    /// `task` has stopped.
    #[inline(never)]
    pub(super) fn stopped(&mut self, task: TaskId, why: Stop) -> Stopped {
        let mut stopped = Stopped {
            place: None,
            leaves: false,
        };
        let is_over = matches!(why, Stop::Blocked | Stop::Completed);
        if is_over {
            self.at(task).is_ready = false;
            self.open_for_waiters(task);
        }
        let place = if self.running.holds(task) {
            self.running = Slot::EMPTY;
            core::mem::take(&mut self.place).get()
        } else if self.place.holds(task) {
            // Another one runs in its place, and has to stop first.
            self.is_open = true;
            return stopped;
        } else {
            Some(task)
        };
        let is_own = place == Some(task);
        let is_gone = is_over && self.end(task).is_none();
        if is_gone {
            stopped.leaves = core::mem::take(&mut self.at(task).is_placed) && !is_own;
        }
        // What a task does is its own affair in its own place alone.
        let why = match why {
            Stop::BurstEnd => why,
            Stop::Yielded if is_own => why,
            Stop::Blocked | Stop::Completed if is_own && is_gone => why,
            _ => Stop::Preempted,
        };
        stopped.place = place.map(|place| (place, why));
        stopped
    }

    /// `task` is no member any more. Returns whether it still has its place, as its job was given up
    /// while it waited.
    pub(super) fn retire(&mut self, task: TaskId) -> bool {
        if self.place.holds(task) {
            // What runs there has used nothing of a server that is still there.
            self.place = Slot::EMPTY;
        }
        core::mem::take(&mut self.at(task).is_placed)
    }

    /// The place has been picked. Returns the task that runs there.
    #[inline(never)]
    pub(super) fn picked(&mut self, place: TaskId) -> TaskId {
        // In a place that has been settled some task can run.
        let task = self.end(place).unwrap_or(place);
        (self.running, self.place) = (Slot::of(task), Slot::of(place));
        task
    }

    /// The place in which `task` runs, or would run.
    pub(super) fn place_of(&self, task: TaskId) -> TaskId {
        let place = self.place.get().filter(|_| self.running.holds(task));
        place.unwrap_or(task)
    }

    /// Whether tasks may have to leave or enter their places, which is asked before one is picked.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The first task from number `from` on that leaves its place, because no task can run in it, or
    /// enters its place: `true`.
    #[inline(never)]
    pub(super) fn settle(&mut self, from: usize) -> Option<(TaskId, bool)> {
        for task in (from..self.rows.capacity()).map(TaskId::from_index) {
            let enters = self.end(task).is_some();
            if self.at(task).is_placed != enters {
                self.at(task).is_placed = enters;
                return Some((task, enters));
            }
        }
        self.is_open = false;
        None
    }

    /// Whether `task` can run has changed, and so it may have for those that wait for it.
    fn open_for_waiters(&mut self, task: TaskId) {
        if self.at(task).waiters > 0 {
            self.is_open = true;
        }
    }
}
