//! Queues whose capacity changes while they are used.
//!
//! A queue keeps the rows that it was made with, and its capacity is a limit below that. So messages stay
//! where they are, and those beyond a lower limit wait for their receiver as before.

use super::{Queue, QueueId};
use crate::config::Config;
use crate::{Core, Error};
use flyball_trace::{CpuId, Time};

impl Queue {
    fn resize(&mut self, capacity: u16) -> Result<(), Error> {
        if capacity == 0 {
            return Err(Error::Invalid);
        }
        if capacity > self.room {
            return Err(Error::Full);
        }
        self.capacity = capacity;
        self.settle();
        Ok(())
    }
}

impl<C: Config> Core<C> {
    /// From now on a queue takes up to `capacity` messages: from 1 up to as many as it was made for.
    ///
    /// Messages stay, in their order. If there are more than the new capacity, none is put in until
    /// fewer are left. If senders wait and there is room now, they put theirs in, the most urgent
    /// first. O(1), and O(waiting senders) for each that does. An interrupt may call this.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `capacity` is zero; [`Error::Full`] if the queue was made for fewer
    /// messages; [`Error::Unknown`].
    pub fn resize(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        capacity: u16,
        now: Time,
    ) -> Result<(), Error> {
        let has_jobs = self.has_jobs();
        let row = self.queues.get(queue.0, true)?;
        row.resize(capacity)?;
        if has_jobs && let Some(task) = row.releases.get() {
            self.let_senders_in(cpu, task, now);
        } else if row.len > 0 {
            // A thread that waits at a queue that is not empty waits to send.
            while self.let_sender_in(cpu, queue, now)? {}
        }
        Ok(())
    }
}
