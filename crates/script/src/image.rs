//! A whole task set as bytes, to be loaded into a board's memory.
//!
//! Everything that is random has been drawn already: a task has the list of the lengths that its jobs
//! take, in the order in which they need them, so a board needs no random numbers, and does just what
//! a simulation does.
//!
//! ```text
//! header     magic, version, length; counts; start, end, tick; where resources and tasks are;
//!            the policy's settings, eleven words of 8 bytes; 8 bytes for what an instruction takes;
//!            where changes are, and how many; how many rows of tasks there are; CPUs, and those of
//!            a cluster, a byte each
//! resources  mutexes (protocol), semaphores (initial value), queues (capacity), 4 bytes each
//! tasks      88 bytes each: parameters; where operations, lengths and parts are; the CPUs that it may
//!            run on, a bit each. Behind the tasks, in rows of the same kind, is what becomes of some of them
//! changes    16 bytes each: what becomes of a task, and when
//! operations 12 bytes each
//! lengths    8 bytes each
//! parts      32 bytes each, of tasks that are split between CPUs: the CPU; for how long, from when on
//!            and until when
//! ```
//!
//! Little-endian, and everything at a multiple of four.

use crate::op::Op;
use flyball_policy::i_plus_pi::Fraction;
use flyball_policy::{CpuSet, Part, Words};
use flyball_trace::{CpuId, Duration, Time};

/// How an image begins.
const MAGIC: [u8; 8] = *b"FLYSCRPT";
/// The version of the format.
const VERSION: u32 = 6;
/// Where things are in the header.
const RESOURCES_AT: usize = 48;
const TASKS_AT: usize = 52;
const SETTINGS_AT: usize = 56;
const INSTRUCTION_AT: usize = SETTINGS_AT + Words::COUNT * 8;
const CHANGES_AT: usize = INSTRUCTION_AT + 8;
const ROWS_AT: usize = CHANGES_AT + 8;
const CPUS_AT: usize = ROWS_AT + 2;
#[cfg(feature = "std")]
const HEADER: usize = ROWS_AT + 4;
const TASK: usize = 88;
const PART: usize = 32;

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
    /// Of the jobs that wait until they are late, only the newest is done.
    Latest = 3,
}

/// What a task set has in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Common {
    /// When the set starts, counted from the start of the kernel. Phases count from then.
    pub start: Time,
    /// When it ends, counted in the same way.
    pub end: Time,
    /// The periodic tick; zero: none.
    pub tick: Duration,
    /// What the policy is told.
    pub settings: Words,
    /// What an instruction of the board takes, for whoever computes by executing some; not zero.
    pub instruction: Duration,
    /// How many CPUs there are.
    pub cpus: u8,
    /// How many of them share their tasks: 1, partitioned scheduling; all, global scheduling.
    pub cluster: u8,
}

impl Default for Common {
    fn default() -> Common {
        Common {
            start: Time::ZERO,
            end: Time::ZERO,
            tick: Duration::ZERO,
            settings: Words::NONE,
            instruction: Duration::from_nanos(1),
            cpus: 1,
            cluster: 1,
        }
    }
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
    /// The first CPU of its cluster.
    pub cpu: u8,
    /// The CPUs of its cluster that it may run on; none: all of them.
    pub cpus: CpuSet,
    /// The part of the CPU that it asks for.
    pub share: Fraction,
    /// Its relative importance in overload.
    pub importance: u16,
    operations: Stretch,
    lengths: Stretch,
    parts: Stretch,
}

impl Task {
    /// The same with another relative deadline.
    #[must_use]
    pub fn within(self, deadline: Duration) -> Task {
        Task { deadline, ..self }
    }

    /// How many parts it is split into; zero if it is not.
    pub fn parts(&self) -> u32 {
        self.parts.count
    }

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
        (number < usize::try_from(self.count).ok()?).then_some(())?;
        // Bad bytes may say anything, and on a board numbers have 32 bits.
        at.checked_add(number.checked_mul(size)?)
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
        if self.rows() < self.tasks() {
            return Err(ImageError::Truncated);
        }
        for number in 0..self.rows() {
            let task = self.task(number).ok_or(ImageError::Truncated)?;
            self.check_operations(&task)?;
            let (cpus, cluster) = (task.cpus, self.common().cluster);
            if !cpus.is_empty() && cpus.first_from(CpuId(0)) >= Some(CpuId(cluster)) {
                return Err(ImageError::Cpus);
            }
            if let Some(last) = task.lengths.count.checked_sub(1) {
                self.length(&task, last).ok_or(ImageError::Truncated)?;
            }
            for part in 0..task.parts.count {
                let part = self.part(&task, part).ok_or(ImageError::Truncated)?;
                if part.cpu.0 >= self.common().cpus || task.period.is_zero() {
                    return Err(ImageError::Part);
                }
            }
        }
        self.check_changes()
    }

    /// Whoever interprets the operations of a task comes to a call sooner or later: each jump goes back,
    /// past a call at least.
    fn check_operations(self, task: &Task) -> Result<(), ImageError> {
        let mut last_call = None;
        for at in 0..task.operations.count {
            match self.operation(task, at).ok_or(ImageError::Operation)? {
                Op::Begin { times: 0, .. } => return Err(ImageError::Jump),
                Op::Begin { .. } => {}
                Op::Again { to, .. } => {
                    last_call
                        .filter(|&call| to <= call)
                        .ok_or(ImageError::Jump)?;
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
        let mut settings = Words::NONE;
        for (number, word) in settings.0.iter_mut().enumerate() {
            *word = long(SETTINGS_AT + number * 8);
        }
        Common {
            start: Time::from_nanos(long(24)),
            end: Time::from_nanos(long(32)),
            tick: Duration::from_nanos(long(40)),
            settings,
            instruction: Duration::from_nanos(long(INSTRUCTION_AT).max(1)),
            cpus: byte(CPUS_AT),
            cluster: byte(CPUS_AT + 1),
        }
    }

    /// How many tasks there ever are.
    pub fn tasks(self) -> u16 {
        self.half(16)
    }

    /// How many rows there are: those of the tasks, and of what becomes of them.
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

    /// A queue's capacity.
    pub fn capacity(self, queue: u16) -> u16 {
        let before = usize::from(self.mutexes()) + usize::from(self.semaphores());
        let capacity = self.resource(before + usize::from(queue));
        u16::try_from(capacity).unwrap_or(u16::MAX)
    }

    fn resource(self, number: usize) -> u32 {
        let at = self.size(RESOURCES_AT).unwrap_or(0);
        self.word(at + number * 4).unwrap_or(0)
    }

    /// A task, or behind these what one becomes, if there is a row of that number.
    pub fn task(self, number: u16) -> Option<Task> {
        if number >= self.rows() {
            return None;
        }
        let at = self
            .size(TASKS_AT)?
            .checked_add(usize::from(number) * TASK)?;
        let row = Image {
            bytes: self.bytes.get(at..)?.get(..TASK)?,
        };
        let duration = |offset| row.long(offset).map(Duration::from_nanos);
        let stretch = |offset| {
            Some(Stretch {
                at: row.word(offset)?,
                count: row.word(offset + 4)?,
            })
        };
        Some(Task {
            arrival: match row.bytes.first()? {
                1 => Arrival::Periodic,
                _ => Arrival::Once,
            },
            on_miss: match row.bytes.get(1)? {
                1 => OnMiss::Skip,
                2 => OnMiss::Abort,
                3 => OnMiss::Latest,
                _ => OnMiss::Continue,
            },
            priority: *row.bytes.get(2)?,
            cpu: *row.bytes.get(3)?,
            period: duration(8)?,
            phase: duration(16)?,
            deadline: duration(24)?,
            wcet: duration(32)?,
            operations: stretch(40)?,
            lengths: stretch(48)?,
            share: Fraction::from_bits(row.word(56)?),
            importance: row.half(60),
            parts: stretch(64)?,
            cpus: CpuSet::from_bits(row.long_long(72)?),
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

    /// A part of a task, if there are so many.
    pub fn part(self, task: &Task, number: u32) -> Option<Part> {
        let at = task.parts.place(number, PART)?;
        let duration = |offset| self.long(at + offset).map(Duration::from_nanos);
        Some(Part {
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

    fn long_long(self, at: usize) -> Option<u128> {
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Some(u128::from_le_bytes(*bytes))
    }
}

pub use change::{Change, News};
pub use error::ImageError;
#[cfg(feature = "std")]
pub use write::{Contents, TaskContents};

mod change;
mod error;

#[cfg(feature = "std")]
mod write;

#[cfg(all(test, feature = "std"))]
mod tests;
