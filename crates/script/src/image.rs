//! A whole task set as bytes, to be loaded into a board's memory.
//!
//! Everything that is random has been drawn already: a task has the list of the lengths that its jobs
//! take, in the order in which they need them, so a board needs no random numbers, and does just what
//! a simulation does.
//!
//! ```text
//! header     magic, version, length; counts; start, end, tick, quantum; where resources and tasks are
//! resources  mutexes (protocol), semaphores (initial value), queues (capacity), 4 bytes each
//! tasks      64 bytes each: parameters, and where operations and lengths are
//! operations 12 bytes each
//! lengths    8 bytes each
//! ```
//!
//! Little-endian, and everything at a multiple of four.

use crate::op::Op;
use core::fmt;
use flyball_trace::{Duration, Time};

/// How an image begins.
const MAGIC: [u8; 8] = *b"FLYSCRPT";
/// The version of the format.
const VERSION: u32 = 1;
#[cfg(feature = "std")]
const HEADER: usize = 64;
const TASK: usize = 64;

/// Why bytes are not an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageError {
    /// They do not begin like one.
    Magic,
    /// It is one of another version.
    Version(u32),
    /// Something lies beyond the end.
    Truncated,
    /// A task's operation is none.
    Operation,
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::Magic => f.write_str("this is no task-set image"),
            ImageError::Version(version) => {
                write!(f, "the task-set image has version {version}, not {VERSION}")
            }
            ImageError::Truncated => f.write_str("the task-set image is cut off"),
            ImageError::Operation => f.write_str("the task-set image has an unknown operation"),
        }
    }
}

impl core::error::Error for ImageError {}

/// How jobs are released.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Arrival {
    /// One job.
    #[default]
    Once = 0,
    /// A job every period.
    Periodic = 1,
}

/// What happens at a miss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum OnMiss {
    /// Nothing.
    #[default]
    Continue = 0,
    /// The next releases are skipped.
    Skip = 1,
    /// The job is given up.
    Abort = 2,
}

/// What a task set has in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Common {
    /// When the set starts, counted from the start of the kernel. Phases count from then.
    pub start: Time,
    /// When it ends, counted in the same way.
    pub end: Time,
    /// The periodic tick; zero: none.
    pub tick: Duration,
    /// How long turns are, where the policy has turns.
    pub quantum: Duration,
}

/// A task, but for its operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// How its jobs are released.
    pub arrival: Arrival,
    /// What happens when one is late.
    pub on_miss: OnMiss,
    /// The period; zero where there is none.
    pub period: Duration,
    /// When the first job is released, from [`Common::start`].
    pub phase: Duration,
    /// The relative deadline; [`Duration::MAX`]: none.
    pub deadline: Duration,
    /// The worst-case execution time.
    pub wcet: Duration,
    /// The priority.
    pub priority: u8,
    operations: Stretch,
    lengths: Stretch,
}

impl Task {
    /// The period; [`Duration::MAX`] where there is none.
    pub fn period_or_never(&self) -> Duration {
        match self.arrival {
            Arrival::Once => Duration::MAX,
            Arrival::Periodic => self.period,
        }
    }
}

/// Where something is, and how many of it there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Stretch {
    at: u32,
    count: u32,
}

impl Stretch {
    /// Where the `number`-th of them is, if each takes `size` bytes.
    fn place(self, number: u32, size: usize) -> Option<usize> {
        let number = usize::try_from(number).ok()?;
        let at = usize::try_from(self.at).ok()?;
        (number < usize::try_from(self.count).ok()?).then(|| at.saturating_add(number * size))
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
        self.size(56)
            .and_then(|at| end(at, resources * 4))
            .ok_or(ImageError::Truncated)?;
        for number in 0..self.tasks() {
            let task = self.task(number).ok_or(ImageError::Truncated)?;
            for at in 0..task.operations.count {
                self.operation(&task, at).ok_or(ImageError::Operation)?;
            }
            if let Some(last) = task.lengths.count.checked_sub(1) {
                self.length(&task, last).ok_or(ImageError::Truncated)?;
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
        Common {
            start: Time::from_nanos(long(24)),
            end: Time::from_nanos(long(32)),
            tick: Duration::from_nanos(long(40)),
            quantum: Duration::from_nanos(long(48)),
        }
    }

    /// How many tasks there are.
    pub fn tasks(self) -> u16 {
        self.half(16)
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

    /// A queue's capacity.
    pub fn capacity(self, queue: u16) -> u16 {
        let before = usize::from(self.mutexes()) + usize::from(self.semaphores());
        let capacity = self.resource(before + usize::from(queue));
        u16::try_from(capacity).unwrap_or(u16::MAX)
    }

    fn resource(self, number: usize) -> u32 {
        let at = self.size(56).unwrap_or(0);
        self.word(at + number * 4).unwrap_or(0)
    }

    /// A task, if there is one of that number.
    pub fn task(self, number: u16) -> Option<Task> {
        if number >= self.tasks() {
            return None;
        }
        let at = self.size(60)? + usize::from(number) * TASK;
        let duration = |offset| self.long(at + offset).map(Duration::from_nanos);
        let stretch = |offset| {
            Some(Stretch {
                at: self.word(at + offset)?,
                count: self.word(at + offset + 4)?,
            })
        };
        Some(Task {
            arrival: match self.bytes.get(at)? {
                1 => Arrival::Periodic,
                _ => Arrival::Once,
            },
            on_miss: match self.bytes.get(at + 1)? {
                1 => OnMiss::Skip,
                2 => OnMiss::Abort,
                _ => OnMiss::Continue,
            },
            priority: *self.bytes.get(at + 2)?,
            period: duration(8)?,
            phase: duration(16)?,
            deadline: duration(24)?,
            wcet: duration(32)?,
            operations: stretch(40)?,
            lengths: stretch(48)?,
        })
    }

    /// An operation of a task, if there is one of that number.
    pub fn operation(self, task: &Task, number: u32) -> Option<Op> {
        let at = task.operations.place(number, Op::SIZE)?;
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Op::decode(*bytes)
    }

    /// A random length of a task, if there are so many.
    pub fn length(self, task: &Task, number: u32) -> Option<Duration> {
        let at = task.lengths.place(number, 8)?;
        self.long(at).map(Duration::from_nanos)
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

#[cfg(feature = "std")]
pub use write::{Contents, TaskContents};

#[cfg(feature = "std")]
mod write {
    use super::{Arrival, Common, HEADER, MAGIC, OnMiss, Op, TASK, VERSION};
    use flyball_trace::Duration;

    /// All that is in an image.
    #[derive(Clone, Debug, Default)]
    pub struct Contents {
        /// What the set has in common.
        pub common: Common,
        /// Whether each mutex has priority inheritance.
        pub mutexes: Vec<bool>,
        /// Each semaphore's initial value.
        pub semaphores: Vec<u32>,
        /// Each queue's capacity.
        pub queues: Vec<u16>,
        /// The tasks.
        pub tasks: Vec<TaskContents>,
    }

    /// All that an image has of a task. See [`super::Task`].
    #[derive(Clone, Debug, Default)]
    pub struct TaskContents {
        /// How its jobs are released.
        pub arrival: Arrival,
        /// What happens when one is late.
        pub on_miss: OnMiss,
        /// The period; zero where there is none.
        pub period: Duration,
        /// When the first job is released.
        pub phase: Duration,
        /// The relative deadline; [`Duration::MAX`]: none.
        pub deadline: Duration,
        /// The worst-case execution time.
        pub wcet: Duration,
        /// The priority.
        pub priority: u8,
        /// What its jobs do, [`Op::End`] at the end.
        pub operations: Vec<Op>,
        /// The random lengths, in the order in which jobs need them.
        pub lengths: Vec<Duration>,
    }

    impl Contents {
        /// The image; `None` if a table has more than 65,535 rows, or it is longer than 4 GiB.
        pub fn to_bytes(&self) -> Option<Vec<u8>> {
            let resources = self.mutexes.len() + self.semaphores.len() + self.queues.len();
            let tasks_at = HEADER + resources * 4;
            let mut tail_at = tasks_at + self.tasks.len() * TASK;
            let mut bytes = Vec::with_capacity(tail_at);
            let mut tail = Vec::new();
            bytes.extend(MAGIC);
            bytes.extend(VERSION.to_le_bytes());
            // The length: known at the end.
            bytes.extend([0; 4]);
            let counts = [
                self.tasks.len(),
                self.mutexes.len(),
                self.semaphores.len(),
                self.queues.len(),
            ];
            for count in counts {
                bytes.extend(u16::try_from(count).ok()?.to_le_bytes());
            }
            let common = &self.common;
            for time in [
                common.start.as_nanos(),
                common.end.as_nanos(),
                common.tick.as_nanos(),
                common.quantum.as_nanos(),
            ] {
                bytes.extend(time.to_le_bytes());
            }
            for at in [HEADER, tasks_at] {
                bytes.extend(u32::try_from(at).ok()?.to_le_bytes());
            }
            for &inherits in &self.mutexes {
                bytes.extend(u32::from(inherits).to_le_bytes());
            }
            for initial in &self.semaphores {
                bytes.extend(initial.to_le_bytes());
            }
            for &capacity in &self.queues {
                bytes.extend(u32::from(capacity).to_le_bytes());
            }
            for task in &self.tasks {
                let TaskContents {
                    operations,
                    lengths,
                    ..
                } = task;
                bytes.extend([task.arrival as u8, task.on_miss as u8, task.priority]);
                bytes.extend([0; 5]);
                for time in [task.period, task.phase, task.deadline, task.wcet] {
                    bytes.extend(time.as_nanos().to_le_bytes());
                }
                for (count, size) in [(operations.len(), Op::SIZE), (lengths.len(), 8)] {
                    bytes.extend(u32::try_from(tail_at).ok()?.to_le_bytes());
                    bytes.extend(u32::try_from(count).ok()?.to_le_bytes());
                    tail_at += count * size;
                }
                bytes.extend([0; 8]);
                tail.extend(operations.iter().flat_map(|op| op.encode()));
                tail.extend(
                    lengths
                        .iter()
                        .flat_map(|time| time.as_nanos().to_le_bytes()),
                );
            }
            bytes.extend(tail);
            let length = u32::try_from(bytes.len()).ok()?;
            bytes[12..16].copy_from_slice(&length.to_le_bytes());
            Some(bytes)
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
