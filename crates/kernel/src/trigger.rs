//! Jobs that messages and signals release.
//!
//! A queue or a semaphore can be the *trigger* of one sporadic thread. Each message that is put in,
//! or each signal, is an arrival then: it releases a job, at once or as soon as the thread's
//! separation has passed, and the job's deadline counts from that release. A job takes its message
//! as it begins, so the messages in the queue are those of the jobs that wait and of the arrivals
//! that came too early, in this order:
//!
//! ```text
//!   current job     [ waiting jobs | too early ]   senders, while the queue is full
//!   has its own       one message each              each with its message in hand
//! ```
//!
//! A job that is left out loses its message with it.

use crate::config::Config;
use crate::jobs::Jobs;
use crate::message::Message;
use crate::objects::{ObjectStore, PlaceOf, Sort};
use crate::wait::take_most_urgent;
use crate::{Core, Error, QueueId, SemaphoreId, ThreadId};
use flyball_multicore::State;
use flyball_policy::{Role, Table};
use flyball_trace::{CpuId, Kind, Slot, TaskId, Time};

/// What releases the jobs of a sporadic thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Trigger<P = u16> {
    /// Each message that is put into it.
    Queue(QueueId),
    /// Each of its signals.
    Semaphore(SemaphoreId<P>),
}

impl<C: Config> Core<C> {
    /// From now on the jobs of a sporadic thread are released by `trigger` alone, until the thread
    /// ends. Of a queue a job finds its message with [`Core::received`] as it begins, and no
    /// thread can receive from it.
    ///
    /// # Errors
    /// [`Error::Taken`] if the trigger releases jobs already, is not empty or is waited for, or if
    /// the thread has jobs or a trigger; [`Error::NotSporadic`], [`Error::Dead`],
    /// [`Error::Unknown`].
    pub fn release_by(
        &mut self,
        thread: ThreadId,
        trigger: Trigger<PlaceOf<C>>,
    ) -> Result<(), Error> {
        let task = self.find(thread)?;
        let jobs = self.jobs.find_mut(task.index()).ok_or(Error::NotSporadic)?;
        if !jobs.may_be_triggered()? {
            return Err(Error::Taken);
        }
        match trigger {
            Trigger::Queue(queue) => {
                let row = self.queues.get(queue.0, true)?;
                if !row.is_unused() {
                    return Err(Error::Taken);
                }
                row.releases(Slot::of(task));
                self.inboxes += 1;
            }
            Trigger::Semaphore(semaphore) => {
                self.objects.state(Sort::Semaphore, semaphore.0, true)?;
                let releases = State::trigger(task.0);
                let place = semaphore.0;
                if !self
                    .objects
                    .replace(Sort::Semaphore, place, State::FREE, releases)
                {
                    return Err(Error::Taken);
                }
            }
        }
        jobs.triggered_by(trigger);
        Ok(())
    }

    /// A job of `task` arrives, because of what the running thread of `cpu`, an interrupt, or the
    /// thread `by` whose message had to wait has done.
    ///
    /// A job that finds no room to wait is lost, with its message, and traced as skipped; the
    /// sender goes on.
    ///
    /// # Errors
    /// [`Error::Full`] after four thousand million arrivals that came too early.
    pub(crate) fn trigger(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        by: Option<TaskId>,
        now: Time,
    ) -> Result<(), Error> {
        // A trigger's thread has jobs.
        let Some(jobs) = self.jobs.find_mut(task.index()) else {
            return Err(Error::NotSporadic);
        };
        let job = jobs.next_number();
        let at_once = jobs.arrive(now)?;
        self.emit(now, cpu, Kind::Arrive { task, job, by });
        if at_once {
            // As above.
            let _ = self.release_job(cpu, task, now);
        }
        self.set_alarm(task);
        Ok(())
    }

    /// Puts a message of the thread `sender`, or of an interrupt, into the queue that releases jobs of `task`,
    /// and has room.
    pub(crate) fn post_job(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        task: TaskId,
        message: &C::Message,
        sender: Option<TaskId>,
        now: Time,
    ) -> Result<(), Error> {
        let at = self.queues.get(queue.0, false)?.push();
        *self.messages.get_row(at)? = *message;
        let by = sender.map(|sender| (sender, Role::Producer));
        self.follow_level(cpu, queue, by, now);
        let by = sender.or(self.running_task(cpu));
        self.trigger(cpu, task, by, now)
    }

    /// The job that `task` begins takes its message, if messages release its jobs.
    #[inline]
    pub(crate) fn take_message(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if self.inboxes > 0 {
            self.take_from_inbox(cpu, task, now);
        }
    }

    #[inline(never)]
    fn take_from_inbox(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if let Some(queue) = self.inbox(task)
            && let Ok(row) = self.queues.get(queue.0, false)
            && let Some(at) = row.pop_any()
        {
            self.messages.rows[at].hand_over(&mut self.hands[task.index()]);
            self.follow_level(cpu, queue, Some((task, Role::Consumer)), now);
        }
    }

    /// The message of a job of `task` that is left out is lost; `waiting` messages are before it.
    pub(crate) fn lose_message(&mut self, cpu: CpuId, task: TaskId, waiting: u32, now: Time) {
        if let Some(queue) = self.inbox(task)
            && let Ok(row) = self.queues.get(queue.0, false)
        {
            row.remove(waiting, &mut self.messages.rows);
            self.follow_level(cpu, queue, None, now);
        }
    }

    /// Senders that wait at the queue which releases jobs of `task` put their messages in, as far
    /// as there is room now.
    #[inline]
    pub(crate) fn let_senders_in(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if self.inboxes > 0 {
            self.fill_inbox(cpu, task, now);
        }
    }

    #[inline(never)]
    fn fill_inbox(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let Some(queue) = self.inbox(task) else {
            return;
        };
        while let Ok(row) = self.queues.get(queue.0, false)
            && row.has_room()
            && let Some(sender) = take_most_urgent(&mut self.links, &self.policy, &mut row.waiters)
        {
            row.settle();
            let message = C::Message::from_hand(&self.hands[sender.index()]);
            self.wake(cpu, sender, now);
            // There are never more messages than a queue holds, which can be counted.
            let _ = self.post_job(cpu, queue, task, &message, Some(sender), now);
        }
    }

    /// The trigger of `task`, which ends, releases nothing any more.
    pub(crate) fn forget_trigger(&mut self, task: TaskId) {
        match self.jobs.find(task.index()).and_then(Jobs::trigger) {
            Some(Trigger::Queue(queue)) => {
                if let Ok(row) = self.queues.get(queue.0, false) {
                    row.releases(Slot::EMPTY);
                    self.inboxes -= 1;
                }
            }
            Some(Trigger::Semaphore(semaphore)) => {
                self.objects
                    .store(Sort::Semaphore, semaphore.0, State::FREE);
            }
            None => {}
        }
    }

    #[inline]
    fn inbox(&self, task: TaskId) -> Option<QueueId> {
        match self.jobs.find(task.index())?.trigger()? {
            Trigger::Queue(queue) => Some(queue),
            Trigger::Semaphore(_) => None,
        }
    }
}
