//! Names of things: small numbers with a type, so that a CPU is never taken for a task.

use core::fmt;

/// A task, by its row in the tables of the core that owns it.
///
/// Sixteen bits: a core holds at most 65,535 tasks, and a row number stays small on a
/// microcontroller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct TaskId(pub u16);

/// A server: a budget that one or several tasks run on. It has the number of one of its tasks, the
/// first that it had if that number was free; so servers are known wherever tasks are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ServerId(pub u16);

/// A CPU, counted from zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct CpuId(pub u8);

/// An operating point of a CPU: a frequency at which it can run. 0 is the slowest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Speed(pub u8);

/// A task, or none, in two bytes. (An `Option<TaskId>` takes four, and more instructions.)
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Slot(u16);

impl Slot {
    /// No task.
    pub const EMPTY: Slot = Slot(u16::MAX);

    /// A task; the id 65,535, which no table has a row for, is taken for none.
    #[inline]
    pub const fn of(task: TaskId) -> Slot {
        Slot(task.0)
    }

    /// A number that tells slots apart.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0 as u32
    }

    /// The task, if there is one.
    #[inline]
    pub const fn get(self) -> Option<TaskId> {
        if self.0 == u16::MAX {
            None
        } else {
            Some(TaskId(self.0))
        }
    }

    /// Whether it is `task`.
    #[inline]
    pub const fn holds(self, task: TaskId) -> bool {
        self.0 == task.0
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == u16::MAX
    }

    /// The task, and none is left.
    #[inline]
    pub fn take(&mut self) -> Option<TaskId> {
        core::mem::take(self).get()
    }
}

impl Default for Slot {
    fn default() -> Slot {
        Slot::EMPTY
    }
}

impl From<Option<TaskId>> for Slot {
    #[inline]
    fn from(task: Option<TaskId>) -> Slot {
        task.map_or(Slot::EMPTY, Slot::of)
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// Something that tasks share or wait for. The number counts objects of one kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    /// A mutex: one task at a time.
    Mutex(u16),
    /// A counting semaphore.
    Semaphore(u16),
    /// A condition variable.
    Condition(u16),
    /// A bounded queue of messages.
    Queue(u16),
    /// The end of another task.
    Task(u16),
    /// An instant: the task sleeps.
    Clock,
    /// Its own token: the task has parked itself until another one, or an interrupt, unparks it.
    Token,
}

impl TaskId {
    /// The id of a row.
    ///
    /// # Panics
    /// If no table has such a row, as it is 65,535 or more. Task sets with as many tasks are
    /// refused where they are read.
    pub fn from_index(index: usize) -> TaskId {
        match u16::try_from(index) {
            Ok(row) if row < u16::MAX => TaskId(row),
            _ => panic!("no task has the number {index}"),
        }
    }

    /// The row number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl ServerId {
    /// The server that has the number of this task.
    #[inline]
    pub const fn of(task: TaskId) -> ServerId {
        ServerId(task.0)
    }

    /// The task whose number the server has.
    #[inline]
    pub const fn task(self) -> TaskId {
        TaskId(self.0)
    }

    /// The row number.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Speed {
    /// The number of the operating point, as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl CpuId {
    /// The CPU's number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {}", self.0)
    }
}

impl fmt::Debug for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "server {}", self.0)
    }
}

impl fmt::Debug for CpuId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cpu {}", self.0)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for CpuId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
