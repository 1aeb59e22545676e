//! A task in an image: one type that is written and read.

use flyball_policy::Encode;
use flyball_trace::Duration;

/// How jobs are released.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arrival {
    /// One job.
    #[default]
    Once,
    /// A job every period.
    Periodic,
    /// A job for each message that is put into the queue of that number, at least a period apart.
    Message(u16),
    /// A job for each signal of the semaphore of that number, at least a period apart.
    Signal(u16),
    /// A job at each [interrupt](super::Interrupt) for this task in the image, which are at least a
    /// period apart.
    Listed,
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

/// What the kernel knows of a task, and where the rest is. What the policy knows is bytes that only
/// the policy reads: [`Image::params`](super::Image::params).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Task {
    /// How its jobs are released.
    pub arrival: Arrival,
    /// What happens when one is late.
    pub on_miss: OnMiss,
    /// The first CPU of its cluster.
    pub cpu: u8,
    /// The period, or the least separation; zero where there is none.
    pub period: Duration,
    /// When the first job is released, from [`Common::start`](super::Common::start).
    pub phase: Duration,
    /// The relative deadline; [`Duration::MAX`]: none.
    pub deadline: Duration,
    /// Where the rest of it is, which the writer of an image finds out by itself.
    pub rest: Rest,
}

/// Where in an image the rest of a task is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rest {
    pub(super) operations: Stretch,
    pub(super) lengths: Stretch,
    pub(super) subtasks: Stretch,
    pub(super) params: Stretch,
}

/// Where something is, and how many of it there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Stretch {
    pub(super) at: u32,
    pub(super) count: u32,
}

impl Task {
    /// The length of a row in bytes.
    pub(super) const SIZE: usize = 64;

    /// How many subtasks it is split into; zero if it is not.
    pub fn subtasks(&self) -> u32 {
        self.rest.subtasks.count
    }
}

impl Stretch {
    /// The length of a stretch in bytes.
    pub(super) const SIZE: usize = 8;

    /// Where the `number`-th of them is, if each takes `size` bytes.
    pub(super) fn place(self, number: u32, size: usize) -> Option<usize> {
        let number = usize::try_from(number).ok()?;
        let at = usize::try_from(self.at).ok()?;
        (number < usize::try_from(self.count).ok()?).then_some(())?;
        // Bad bytes may say anything, and on a board numbers have 32 bits.
        at.checked_add(number.checked_mul(size)?)
    }

    /// The bytes that it says, each of which is one of them.
    pub(super) fn of(self, bytes: &[u8]) -> Option<&[u8]> {
        let at = usize::try_from(self.at).ok()?;
        bytes.get(at..)?.get(..usize::try_from(self.count).ok()?)
    }
}

impl Encode for Stretch {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.at, self.count).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Stretch> {
        let (at, count) = Encode::parse(bytes)?;
        Some(Stretch { at, count })
    }
}

impl Encode for Task {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        let (arrival, trigger) = match self.arrival {
            Arrival::Once => (0_u8, 0),
            Arrival::Periodic => (1, 0),
            Arrival::Message(queue) => (2, queue),
            Arrival::Signal(semaphore) => (3, semaphore),
            Arrival::Listed => (4, 0),
        };
        (arrival, self.on_miss as u8, self.cpu, 0_u8).emit(put);
        u32::from(trigger).emit(put);
        (self.period, self.phase, self.deadline).emit(put);
        let rest = &self.rest;
        (rest.operations, rest.lengths, rest.subtasks, rest.params).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Task> {
        let (arrival, on_miss, cpu, 0_u8) = <(u8, u8, u8, u8)>::parse(bytes)? else {
            return None;
        };
        let trigger = u16::try_from(u32::parse(bytes)?).ok()?;
        let (period, phase, deadline) = Encode::parse(bytes)?;
        let (operations, lengths, subtasks, params) = Encode::parse(bytes)?;
        let arrivals = [
            Arrival::Once,
            Arrival::Periodic,
            Arrival::Message(trigger),
            Arrival::Signal(trigger),
            Arrival::Listed,
        ];
        let on_misses = [
            OnMiss::Continue,
            OnMiss::Skip,
            OnMiss::Abort,
            OnMiss::Latest,
        ];
        Some(Task {
            arrival: *arrivals.get(usize::from(arrival))?,
            on_miss: *on_misses.get(usize::from(on_miss))?,
            cpu,
            period,
            phase,
            deadline,
            rest: Rest {
                operations,
                lengths,
                subtasks,
                params,
            },
        })
    }
}
