//! A whole task set as bytes, to be loaded into a board's memory.
//!
//! Everything that is random has been drawn already: a task has the list of the lengths (and results)
//! that its jobs take, in the order in which they need them, so a board needs no random numbers, and does
//! just what a simulation does.
//!
//! ```text
//! header     magic, version, length; counts; start, end, tick; where resources and tasks are;
//!            where the scheduler's name is, and its settings; 8 bytes for what an instruction takes;
//!            where changes are, and how many; how many rows of tasks there are; CPUs, and those of
//!            a cluster, and how many CPUs share a policy, a byte each; where it is written what a
//!            controller is told; where interrupts are, and transitions
//! resources  mutexes (protocol), semaphores (initial value), queues (capacity, 2 bytes; 0, or 1 for a backlog and 2 for a
//!            stock), 4 bytes each
//! tasks      64 bytes each: what the kernel knows of it; where operations, lengths, subtasks and
//!            parameters are. Behind the tasks, in rows of the same kind, are the new modes of some of
//!            them
//! changes    16 bytes each: a task's subtask in a mode change, and when
//! operations 12 bytes each
//! lengths    8 bytes each, in nanoseconds; or a result
//! subtasks      40 bytes each, of tasks that are split between CPUs: the CPU; for how long, from when on
//!            and until when; where its parameters are
//! interrupts 20 bytes each: when, and the job that it releases, or the messages that it brings or takes
//! transitions 8 bytes each, in nanoseconds: a row for each operating point to leave, a column for each to
//!            reach
//! parameters of a task or a subtask, as long as the policy likes, which alone can read them
//! ```
//!
//! Little-endian, and everything but bytes that the policy reads at a multiple of four.

use crate::op::Op;
use flyball_policy::{Encode, Subtask};
use flyball_trace::{CpuId, Duration, GaugeKind, Time};
use task::Stretch;

/// How an image begins.
const MAGIC: [u8; 8] = *b"FLYSCRPT";
/// The version of the format.
const VERSION: u32 = 12;
/// Where things are in the header.
const RESOURCES_AT: usize = 48;
const TASKS_AT: usize = 52;
const SCHEDULER_AT: usize = 56;
const SETTINGS_AT: usize = SCHEDULER_AT + Stretch::SIZE;
const INSTRUCTION_AT: usize = SETTINGS_AT + Stretch::SIZE;
const CHANGES_AT: usize = INSTRUCTION_AT + 8;
const ROWS_AT: usize = CHANGES_AT + 8;
const CPUS_AT: usize = ROWS_AT + 2;
const CONTROLLER_AT: usize = CPUS_AT + 6;
const INTERRUPTS_AT: usize = CONTROLLER_AT + Stretch::SIZE;
const TRANSITIONS_AT: usize = INTERRUPTS_AT + Stretch::SIZE;
#[cfg(feature = "std")]
const HEADER: usize = TRANSITIONS_AT + Stretch::SIZE;
const SUBTASK: usize = 40;

/// What a task set has in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Common {
    /// When the set starts, counted from the start of the kernel. Phases count from then.
    pub start: Time,
    /// When it ends, counted in the same way.
    pub end: Time,
    /// The periodic tick; zero: none.
    pub tick: Duration,
    /// What an instruction of the board takes, for a board that computes by executing some; not
    /// zero.
    pub instruction: Duration,
    /// How many CPUs there are.
    pub cpus: u8,
    /// How many of them share their tasks: 1, partitioned scheduling; all, global scheduling.
    pub cluster: u8,
    /// The shape of the scheduler, as the catalogue of policies writes it.
    pub shape: u8,
}

impl Default for Common {
    fn default() -> Common {
        Common {
            start: Time::ZERO,
            end: Time::ZERO,
            tick: Duration::ZERO,
            instruction: Duration::from_nanos(1),
            cpus: 1,
            cluster: 1,
            shape: 0,
        }
    }
}

/// An image to read.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    bytes: &'a [u8],
}

impl<'a> Image<'a> {
    /// The image at the beginning of `bytes`. All that it refers to is in it. O(operations).
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn new(bytes: &'a [u8]) -> Result<Image<'a>, ImageError> {
        if bytes.get(..8) != Some(&MAGIC) {
            return Err(ImageError::Magic);
        }
        let all = Image { bytes };
        let version = all.word(8).ok_or(ImageError::Truncated)?;
        if version != VERSION {
            return Err(ImageError::Version(version));
        }
        let length = all.size(12).ok_or(ImageError::Truncated)?;
        let bytes = bytes.get(..length).ok_or(ImageError::Truncated)?;
        let image = Image { bytes };
        image.check()?;
        Ok(image)
    }

    fn check(self) -> Result<(), ImageError> {
        let resources = usize::from(self.mutexes()) + usize::from(self.semaphores());
        let resources = resources + usize::from(self.queues());
        let end =
            |at: usize, size: usize| at.checked_add(size).filter(|&end| end <= self.bytes.len());
        self.size(RESOURCES_AT)
            .and_then(|at| end(at, resources * 4))
            .ok_or(ImageError::Truncated)?;
        for at in [SCHEDULER_AT, SETTINGS_AT, CONTROLLER_AT] {
            self.stretch(at).ok_or(ImageError::Truncated)?;
        }
        if self.rows() < self.tasks() {
            return Err(ImageError::Truncated);
        }
        for number in 0..self.rows() {
            let task = self.task(number).ok_or(ImageError::Truncated)?;
            self.check_operations(&task)?;
            task.rest
                .params
                .of(self.bytes)
                .ok_or(ImageError::Truncated)?;
            if let Some(last) = task.rest.lengths.count.checked_sub(1) {
                self.length(&task, last).ok_or(ImageError::Truncated)?;
            }
            for subtask in 0..task.rest.subtasks.count {
                self.params_of_subtask(&task, subtask)
                    .ok_or(ImageError::Truncated)?;
                let subtask = self.subtask(&task, subtask).ok_or(ImageError::Truncated)?;
                if subtask.cpu.0 >= self.common().cpus || task.period.is_zero() {
                    return Err(ImageError::Subtask);
                }
            }
        }
        self.check_changes()?;
        self.check_interrupts()?;
        self.check_transitions()
    }

    /// An interpreter of a task's operations comes to a call sooner or later: each jump goes back,
    /// past a call at least.
    fn check_operations(self, task: &Task) -> Result<(), ImageError> {
        let mut last_call = None;
        for at in 0..task.rest.operations.count {
            match self.operation(task, at).ok_or(ImageError::Operation)? {
                Op::Begin { times: 0, .. } => return Err(ImageError::Jump),
                Op::Begin { .. } => {}
                Op::Again { to, .. } => {
                    last_call
                        .filter(|&call| to <= call)
                        .ok_or(ImageError::Jump)?;
                }
                Op::ByClock { count, every } => {
                    let times =
                        |op: Option<Op>| matches!(op, Some(Op::Compute(_) | Op::Suspend(_)));
                    let behind = (at + 1..).take(count.into());
                    let fit = behind.map(|at| self.operation(task, at)).all(times);
                    if count == 0 || every.is_zero() || !fit {
                        return Err(ImageError::Operation);
                    }
                }
                _ => last_call = Some(at),
            }
        }
        Ok(())
    }

    /// How long it is.
    pub fn len(self) -> usize {
        self.bytes.len()
    }

    /// Whether it is empty, which an image never is.
    pub fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// What the set has in common.
    pub fn common(self) -> Common {
        let long = |at| self.long(at).unwrap_or(0);
        let byte = |at| self.bytes.get(at).map_or(1, |&byte: &u8| byte.max(1));
        Common {
            start: Time::from_nanos(long(24)),
            end: Time::from_nanos(long(32)),
            tick: Duration::from_nanos(long(40)),
            instruction: Duration::from_nanos(long(INSTRUCTION_AT).max(1)),
            cpus: byte(CPUS_AT),
            cluster: byte(CPUS_AT + 1),
            shape: self.bytes.get(CPUS_AT + 2).copied().unwrap_or(0),
        }
    }

    /// The name of the scheduler.
    pub fn scheduler(self) -> &'a str {
        let name = self.stretch(SCHEDULER_AT).unwrap_or(&[]);
        core::str::from_utf8(name).unwrap_or("")
    }

    /// The scheduler's settings, which it alone can read.
    pub fn settings(self) -> &'a [u8] {
        self.stretch(SETTINGS_AT).unwrap_or(&[])
    }

    /// What a controller above the schedulers is told, which it alone can read; nothing if there is
    /// none.
    pub fn controller(self) -> &'a [u8] {
        self.stretch(CONTROLLER_AT).unwrap_or(&[])
    }

    /// The bytes that the stretch at this place of the header says.
    fn stretch(self, at: usize) -> Option<&'a [u8]> {
        Stretch::parse(&mut self.bytes.get(at..)?)?.of(self.bytes)
    }

    /// How many tasks there ever are.
    pub fn tasks(self) -> u16 {
        self.half(16)
    }

    /// How many rows there are: those of the tasks, and of their new modes.
    pub fn rows(self) -> u16 {
        self.half(ROWS_AT)
    }

    /// How many mutexes there are.
    pub fn mutexes(self) -> u16 {
        self.half(18)
    }

    /// How many semaphores there are.
    pub fn semaphores(self) -> u16 {
        self.half(20)
    }

    /// How many queues there are.
    pub fn queues(self) -> u16 {
        self.half(22)
    }

    /// Whether a mutex has priority inheritance.
    pub fn inherits(self, mutex: u16) -> bool {
        self.resource(usize::from(mutex)) == 1
    }

    /// A semaphore's initial value.
    pub fn initial(self, semaphore: u16) -> u32 {
        self.resource(usize::from(self.mutexes()) + usize::from(semaphore))
    }

    /// The capacity of a queue or gauge.
    pub fn capacity(self, queue: u16) -> u16 {
        let [c0, c1, ..] = self.queue(queue).to_le_bytes();
        u16::from_le_bytes([c0, c1])
    }

    /// What kind of gauge it is that has this number among queues; `None`: it is a queue.
    pub fn gauge(self, queue: u16) -> Option<GaugeKind> {
        match self.queue(queue) >> 16 {
            1 => Some(GaugeKind::Backlog),
            2 => Some(GaugeKind::Stock),
            _ => None,
        }
    }

    fn queue(self, queue: u16) -> u32 {
        let before = usize::from(self.mutexes()) + usize::from(self.semaphores());
        self.resource(before + usize::from(queue))
    }

    fn resource(self, number: usize) -> u32 {
        let at = self.size(RESOURCES_AT).unwrap_or(0);
        self.word(at + number * 4).unwrap_or(0)
    }

    /// A task, or behind these the new mode of one, if there is a row of that number.
    pub fn task(self, number: u16) -> Option<Task> {
        if number >= self.rows() {
            return None;
        }
        let at = self
            .size(TASKS_AT)?
            .checked_add(usize::from(number) * Task::SIZE)?;
        Task::parse(&mut self.bytes.get(at..)?)
    }

    /// What a task tells the policy, which alone can read it.
    pub fn params(self, task: &Task) -> &'a [u8] {
        task.rest.params.of(self.bytes).unwrap_or(&[])
    }

    /// The same for a subtask of a task that is split, if there are so many subtasks.
    pub fn params_of_subtask(self, task: &Task, number: u32) -> Option<&'a [u8]> {
        let at = task
            .rest
            .subtasks
            .place(number, SUBTASK)?
            .checked_add(SUBTASK - Stretch::SIZE)?;
        self.stretch(at)
    }

    /// An operation of a task, if there is one of that number.
    pub fn operation(self, task: &Task, number: u32) -> Option<Op> {
        let at = task.rest.operations.place(number, Op::SIZE)?;
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Op::decode(*bytes)
    }

    /// A random result of a task, if there are so many random numbers and this one is a result.
    pub fn result(self, task: &Task, number: u32) -> Option<u8> {
        u8::try_from(self.length(task, number)?.as_nanos()).ok()
    }

    /// A random length of a task, if there are so many.
    pub fn length(self, task: &Task, number: u32) -> Option<Duration> {
        let at = task.rest.lengths.place(number, 8)?;
        self.long(at).map(Duration::from_nanos)
    }

    /// A subtask of a task, if there are so many.
    pub fn subtask(self, task: &Task, number: u32) -> Option<Subtask> {
        let at = task.rest.subtasks.place(number, SUBTASK)?;
        let duration = |offset| self.long(at + offset).map(Duration::from_nanos);
        Some(Subtask {
            cpu: CpuId(*self.bytes.get(at)?),
            wcet: duration(8)?,
            from: duration(16)?,
            until: duration(24)?,
        })
    }

    fn half(self, at: usize) -> u16 {
        let bytes = self.bytes.get(at..).and_then(|bytes| bytes.first_chunk());
        bytes.map_or(0, |&bytes| u16::from_le_bytes(bytes))
    }

    fn word(self, at: usize) -> Option<u32> {
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    fn size(self, at: usize) -> Option<usize> {
        usize::try_from(self.word(at)?).ok()
    }

    fn long(self, at: usize) -> Option<u64> {
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Some(u64::from_le_bytes(*bytes))
    }
}

pub use change::{Change, ChangeKind};
pub use error::ImageError;
pub use interrupt::{Brings, Interrupt, Transfer};
pub use task::{Arrival, OnMiss, Rest, Task};
#[cfg(feature = "std")]
pub use write::{Contents, TaskContents};

mod change;
mod error;
mod interrupt;
mod speeds;
mod task;

#[cfg(feature = "std")]
mod write;

#[cfg(all(test, feature = "std"))]
mod tests;
