//! What the policy knows of queues: how full they are, between which marks they were, and which tasks use them.
//!
//! A gauge is a queue here, of which several messages may go at once.
//!
//! The kernel tells each change ([`Policy::filled`](crate::Policy::filled)). A task's first message makes
//! an [`End`]: this task is a producer or a consumer of this queue. A queue keeps its lowest and highest
//! level since the marks were last gathered; each end gathers them for itself, as each clears its marks at
//! the ends of its own periods.

use super::Sensing;
use crate::policy::{Fill, Role};
use crate::storage::{Storage, Table};
use flyball_trace::{Slot, TaskId};

/// How many ends there is room for, for each task on the average.
const ENDS: usize = 4;
/// How many queues with ends.
const QUEUES: usize = 2;
/// A whole queue, in 2⁻¹⁶.
pub(super) const ONE: u32 = 1 << 16;

/// Queues, and the tasks that are tied to them.
///
/// There is room for four ends and two queues for each task; a queue beyond that is not known.
pub(super) struct Levels<S: Storage> {
    sensing: Sensing,
    queues: S::Table<[Queue; QUEUES]>,
    known: u16,
    ends: S::Table<[End; ENDS]>,
    /// No row from here on is in use.
    last: u16,
}

#[derive(Clone, Copy)]
struct Queue {
    level: u16,
    capacity: u16,
    /// What a message is of the capacity, in 2⁻¹⁶, rounded down.
    unit: u32,
    low: u16,
    high: u16,
    /// The ends of the last producer and of the last consumer.
    latest: [Option<Row>; 2],
}

/// A row of ends, and one: it is never zero.
type Row = core::num::NonZeroU16;

/// A task's end of a queue.
#[derive(Clone, Copy)]
struct End {
    task: Slot,
    queue: u16,
    low: u16,
    high: u16,
    /// How many messages the task has moved since [`Levels::read`].
    moved: u16,
    role: Role,
}

/// What an end says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// What the task does there.
    pub role: Role,
    /// How many messages the queue holds.
    pub level: u16,
    /// The least that it held since the marks were cleared.
    pub low: u16,
    /// The most that it held since then.
    pub high: u16,
    /// The most that it can hold, at least 1.
    pub capacity: u16,
    /// What a message is of that, in 2⁻¹⁶, rounded down.
    pub unit: u32,
    /// How many messages the task has moved since the marks were read last, up to 65,535.
    pub moved: u16,
}

impl Queue {
    #[cold]
    fn resize(&mut self, capacity: u16) {
        self.capacity = capacity.max(1);
        self.unit = ONE / u32::from(self.capacity);
    }

    fn gather(&mut self) {
        self.low = self.low.min(self.level);
        self.high = self.high.max(self.level);
    }
}

impl<S: Storage> Levels<S> {
    pub(super) fn new(sensing: Sensing, capacity: usize) -> Levels<S> {
        let queue = Queue {
            level: 0,
            capacity: 1,
            unit: ONE,
            low: 0,
            high: 0,
            latest: [None; 2],
        };
        let end = End {
            task: Slot::EMPTY,
            queue: 0,
            low: 0,
            high: 0,
            moved: 0,
            role: Role::Producer,
        };
        Levels {
            sensing,
            queues: Table::new(capacity, [queue; QUEUES]),
            known: 0,
            ends: Table::new(capacity, [end; ENDS]),
            last: 0,
        }
    }

    fn queue(&mut self, number: u16) -> &mut Queue {
        let number = usize::from(number);
        &mut self.queues[number / QUEUES][number % QUEUES]
    }

    fn end(&mut self, number: u16) -> &mut End {
        let number = usize::from(number);
        &mut self.ends[number / ENDS][number % ENDS]
    }

    /// A queue holds another number of messages. Returns the task that has got an end by that. O(1), and
    /// O(ends) where several tasks send, or several receive, by turns.
    #[inline]
    pub(super) fn filled(&mut self, fill: &mut Fill<'_>) -> Option<TaskId> {
        let number = fill.note.checked_sub(1).or_else(|| self.meet(fill))?;
        *fill.note = number + 1;
        let is_exact = self.sensing == Sensing::Exact;
        let queue = self.queue(number);
        let moved = fill.level.abs_diff(queue.level);
        queue.level = fill.level;
        if queue.capacity != fill.capacity {
            queue.resize(fill.capacity);
        }
        if is_exact {
            queue.gather();
        }
        let (task, role) = fill.by?;
        let latest = queue.latest[role as usize];
        if let Some(row) = latest {
            let end = self.end(row.get() - 1);
            if end.task.holds(task) {
                end.moved = end.moved.saturating_add(moved);
                return None;
            }
        }
        self.change_hands(number, task, role, moved)
    }

    /// The same for one message, where all is known already: the queue, its capacity, and the end of the task, which was the last one
    /// to do this. Returns whether it is so; nothing is noted otherwise. O(1).
    #[inline]
    pub(super) fn refilled(&mut self, fill: &Fill<'_>) -> bool {
        let Some(number) = fill.note.checked_sub(1) else {
            return false;
        };
        let is_exact = self.sensing == Sensing::Exact;
        let queue = self.queue(number);
        if queue.capacity != fill.capacity {
            return false;
        }
        let latest = fill
            .by
            .map(|(task, role)| (task, queue.latest[role as usize]));
        if let Some((task, row)) = latest {
            let Some(row) = row else {
                return false;
            };
            let end = self.end(row.get() - 1);
            if !end.task.holds(task) {
                return false;
            }
            end.moved = end.moved.saturating_add(1);
        }
        let queue = self.queue(number);
        queue.level = fill.level;
        if is_exact {
            queue.gather();
        }
        true
    }

    /// A queue that is not known yet gets a row, if there is one, and if a task uses it.
    #[cold]
    fn meet(&mut self, fill: &Fill<'_>) -> Option<u16> {
        let (_, role) = fill.by?;
        let number = self.known;
        if usize::from(number) >= self.queues.capacity() * QUEUES || number == u16::MAX - 1 {
            return None;
        }
        self.known += 1;
        let queue = self.queue(number);
        (queue.low, queue.high) = (fill.level, fill.level);
        // What it was before is not known: as much as if one message had been moved.
        queue.level = match role {
            Role::Producer => fill.level.saturating_sub(1),
            Role::Consumer => fill.level.saturating_add(1),
        };
        Some(number)
    }

    /// Another task than before has sent or received. Returns it, if that is the first time.
    #[inline(never)]
    fn change_hands(&mut self, queue: u16, task: TaskId, role: Role, moved: u16) -> Option<TaskId> {
        let mut free = None;
        let mut found = None;
        for number in 0..self.last {
            let end = self.end(number);
            if end.task.holds(task) && end.queue == queue && end.role == role {
                end.moved = end.moved.saturating_add(moved);
                found = Some(number);
                break;
            }
            if end.task.is_empty() && free.is_none() {
                free = Some(number);
            }
        }
        let is_new = found.is_none();
        if is_new {
            let level = self.queue(queue).level;
            let number = free.unwrap_or(self.last);
            if usize::from(number) >= self.ends.capacity() * ENDS || number == u16::MAX - 1 {
                return None;
            }
            self.share_marks(queue);
            self.last = self.last.max(number + 1);
            *self.end(number) = End {
                task: Slot::of(task),
                queue,
                low: level,
                high: level,
                moved,
                role,
            };
            found = Some(number);
        }
        self.queue(queue).latest[role as usize] = found.and_then(|row| Row::new(row + 1));
        is_new.then_some(task)
    }

    /// Each end of the queue takes over the marks of it, and they begin anew.
    fn share_marks(&mut self, number: u16) {
        let queue = *self.queue(number);
        for row in 0..self.last {
            let end = self.end(row);
            if end.queue == number {
                end.low = end.low.min(queue.low);
                end.high = end.high.max(queue.high);
            }
        }
        let queue = self.queue(number);
        (queue.low, queue.high) = (queue.level, queue.level);
    }

    /// Another task is about to run.
    #[inline]
    pub(super) fn switches(&mut self) {
        if self.sensing == Sensing::Switch {
            self.gather();
        }
    }

    fn gather(&mut self) {
        for number in 0..self.known {
            self.queue(number).gather();
        }
    }

    /// Reads all ends, and begins to count messages anew. `clears` says of a task whether its marks are
    /// cleared. O(ends).
    pub(super) fn read(
        &mut self,
        mut clears: impl FnMut(TaskId) -> bool,
        mut each: impl FnMut(TaskId, Mark),
    ) {
        self.gather();
        for number in 0..self.last {
            let end = *self.end(number);
            let Some(task) = end.task.get() else {
                continue;
            };
            let queue = *self.queue(end.queue);
            let mark = Mark {
                role: end.role,
                level: queue.level,
                low: end.low.min(queue.low),
                high: end.high.max(queue.high),
                capacity: queue.capacity,
                unit: queue.unit,
                moved: end.moved,
            };
            each(task, mark);
            let end = self.end(number);
            (end.low, end.high) = if clears(task) {
                (queue.level, queue.level)
            } else {
                (mark.low, mark.high)
            };
            end.moved = 0;
        }
        for number in 0..self.known {
            let queue = self.queue(number);
            (queue.low, queue.high) = (queue.level, queue.level);
        }
    }

    /// A task ends, and so do its ends of queues. O(ends).
    pub(super) fn forget(&mut self, task: TaskId) {
        for number in 0..self.last {
            let end = self.end(number);
            if end.task.holds(task) {
                end.task = Slot::EMPTY;
                let (queue, role) = (end.queue, end.role);
                self.queue(queue).latest[role as usize] = None;
            }
        }
        while self.last > 0 && self.end(self.last - 1).task.is_empty() {
            self.last -= 1;
        }
    }

    /// How many ends there are.
    pub(super) fn ends(&self) -> usize {
        let numbers = 0..usize::from(self.last);
        let is_used = |&number: &usize| !self.ends[number / ENDS][number % ENDS].task.is_empty();
        numbers.filter(is_used).count()
    }
}
