//! Interrupts by no clock of the kernel's: a table of them, those of each cluster of CPUs together and in
//! the order of time. They release jobs, and put messages into queues and take them out.
//!
//! ```text
//! interrupt  20 bytes: when, 8 bytes; a job's arrival, or how many messages and the CPU, 8; the task or the
//!            queue, 2; what it brings, 2
//! ```

use super::task::Stretch;
use super::{Arrival, INTERRUPTS_AT, Image, ImageError};
use core::ops::Range;
use flyball_policy::Encode;
use flyball_trace::Duration;

/// An interrupt. Instants count from [`Common::start`](super::Common::start).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupt {
    /// When it comes.
    pub at: Duration,
    /// What it brings.
    pub brings: Brings,
}

/// What an interrupt brings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Brings {
    /// The release of a job of this task, whose deadline counts from its arrival.
    Job {
        /// The task's number.
        task: u16,
        /// When the job has arrived.
        arrival: Duration,
    },
    /// Messages for a queue.
    Messages(Transfer),
    /// A device that takes messages out of a queue.
    Taker(Transfer),
}

/// Messages that a device puts into a queue, or takes out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// The queue.
    pub queue: u16,
    /// How many messages.
    pub count: u16,
    /// The first CPU of the cluster that uses the queue.
    pub cpu: u8,
}

impl Interrupt {
    /// The length of a row in bytes.
    pub const SIZE: usize = 20;
}

impl Encode for Interrupt {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        let transfer = |it: Transfer| {
            let what = u64::from(it.count) | u64::from(it.cpu) << 16;
            (Duration::from_nanos(what), it.queue)
        };
        let ((what, number), kind) = match self.brings {
            Brings::Job { task, arrival } => ((arrival, task), 0_u16),
            Brings::Messages(it) => (transfer(it), 1),
            Brings::Taker(it) => (transfer(it), 2),
        };
        (self.at, what, number, kind).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Interrupt> {
        let (at, what, number, kind) = <(Duration, Duration, u16, u16)>::parse(bytes)?;
        let transfer = || {
            let [c0, c1, cpu, 0, 0, 0, 0, 0] = what.as_nanos().to_le_bytes() else {
                return None;
            };
            Some(Transfer {
                queue: number,
                count: u16::from_le_bytes([c0, c1]),
                cpu,
            })
        };
        let brings = match kind {
            0 => Brings::Job {
                task: number,
                arrival: what,
            },
            1 => Brings::Messages(transfer()?),
            2 => Brings::Taker(transfer()?),
            _ => return None,
        };
        Some(Interrupt { at, brings })
    }
}

impl Image<'_> {
    /// An interrupt, if there is one of that number.
    pub fn interrupt(self, number: u32) -> Option<Interrupt> {
        let at = self.interrupts().place(number, Interrupt::SIZE)?;
        Interrupt::parse(&mut self.bytes.get(at..)?)
    }

    /// The numbers of the interrupts on a cluster of CPUs. O(interrupts).
    pub fn interrupts_of(self, cluster: u8) -> Range<u32> {
        let all = self.interrupts().count;
        let find = |from: u32, is: &dyn Fn(Option<u8>) -> bool| {
            let found = (from..all).find(|&number| is(self.cluster_of(number)));
            found.unwrap_or(all)
        };
        let first = find(0, &|other| other >= Some(cluster));
        first..find(first, &|other| other > Some(cluster))
    }

    fn interrupts(self) -> Stretch {
        let stretch = self.bytes.get(INTERRUPTS_AT..);
        let stretch = stretch.and_then(|mut bytes| Stretch::parse(&mut bytes));
        stretch.unwrap_or_default()
    }

    /// The cluster on which an interrupt comes, if it releases a job of a task that has such jobs, or is about
    /// a queue that there is.
    fn cluster_of(self, number: u32) -> Option<u8> {
        let cpu = match self.interrupt(number)?.brings {
            Brings::Job { task, .. } => {
                let task = self.task(task)?;
                (task.arrival == Arrival::Listed).then_some(task.cpu)?
            }
            Brings::Messages(it) | Brings::Taker(it) => {
                (it.queue < self.queues() && it.count > 0).then_some(it.cpu)?
            }
        };
        Some(cpu / self.common().cluster)
    }

    /// Interrupts are all there, in order, for tasks that there are from the start and queues that there are.
    pub(super) fn check_interrupts(self) -> Result<(), ImageError> {
        let (tasks, mut last) = (self.first(), (0, Duration::ZERO));
        for number in 0..self.interrupts().count {
            let Interrupt { at, brings } = self.interrupt(number).ok_or(ImageError::Truncated)?;
            let cluster = self.cluster_of(number).ok_or(ImageError::Interrupt)?;
            let next = (cluster, at);
            let too_early =
                matches!(brings, Brings::Job { task, arrival } if task >= tasks || arrival > at);
            if too_early || next < last {
                return Err(ImageError::Interrupt);
            }
            last = next;
        }
        Ok(())
    }
}
