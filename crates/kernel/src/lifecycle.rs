//! Threads come, go, and give up the CPU of their own accord.

use crate::config::Config;
use crate::jobs::Jobs;
use crate::objects::{ObjectStore, PlaceOf};
use crate::thread::{Attributes, State, Thread};
use crate::{Core, Error, ThreadId};
use core::task::Poll;
use flyball_policy::{Policy, Stop, Table};
use flyball_trace::{CpuId, Duration, Kind, Object, TaskId, Time};

impl<C: Config> Core<C> {
    /// Makes a thread. Its first job is released at [`Attributes::start`], or at once if that has
    /// passed. O(log threads).
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Invalid`], [`Error::Refused`]; [`Error::Unknown`] if there is no
    /// such semaphore as [`Attributes::alert`] names.
    pub fn spawn(
        &mut self,
        cpu: CpuId,
        attributes: Attributes<PlaceOf<C>>,
        params: <C::Policy as Policy>::Params,
        now: Time,
    ) -> Result<ThreadId, Error> {
        let start = attributes.start.max(now);
        let jobs = if self.has_jobs() {
            Some(self.jobs_of(attributes, start)?)
        } else if attributes.is_trivial() {
            None
        } else {
            return Err(Error::Full);
        };
        let task = self.free.first().ok_or(Error::Full)?;
        let admitted = self.policy.admit(task, params, now);
        admitted.map_err(|refused| self.refused(refused))?;
        self.has_joined(task, now);
        self.links.remove(&mut self.free, task);
        if let (Some(row), Some(jobs)) = (self.jobs.find_mut(task.index()), jobs) {
            *row = jobs;
        }
        if let Some(used) = self.used.find_mut(task.index()) {
            *used = 0;
        }
        self.forget_counts(task);
        // The row is that of no thread: as `vacate` left it, or as it was at first.
        let thread = &mut self.threads[task.index()];
        let generation = thread.generation;
        thread.state = State::Dormant;
        // Without checks it may have been for a thread that had ended.
        thread.token = false;
        self.emit(now, cpu, Kind::Start { task });
        if start <= now {
            self.begin(cpu, task, now, now);
        } else if self.jobs.find(task.index()).is_some() {
            self.set_alarm(task);
        } else {
            self.limit(task, start);
        }
        Ok(ThreadId { task, generation })
    }

    /// The jobs of a thread with these attributes that starts at `start`.
    fn jobs_of(
        &self,
        attributes: Attributes<PlaceOf<C>>,
        start: Time,
    ) -> Result<Jobs<PlaceOf<C>>, Error> {
        let Attributes {
            release,
            deadline,
            on_miss,
            alert,
            ..
        } = attributes;
        if let Some(alert) = alert {
            self.semaphore_value(alert)?;
        }
        Ok(Jobs::new(release, start, deadline, on_miss)?.alerting(alert))
    }

    /// A thread that is to start at once starts.
    #[cfg_attr(not(feature = "small"), inline(never))]
    fn begin(&mut self, cpu: CpuId, task: TaskId, start: Time, now: Time) {
        self.ring(cpu, task, start, now);
    }

    /// Gives a thread new parameters for the policy.
    ///
    /// # Errors
    /// [`Error::Dead`], [`Error::Unknown`], [`Error::Refused`].
    pub fn adjust(
        &mut self,
        cpu: CpuId,
        thread: ThreadId,
        params: <C::Policy as Policy>::Params,
        now: Time,
    ) -> Result<(), Error> {
        let task = self.find(thread)?;
        let adjusted = self.policy.adjust(task, params, now);
        let resched = adjusted.map_err(|refused| self.refused(refused))?;
        self.attend(resched);
        self.follow_server_of(cpu, task, now);
        // Which thread inherits from which may have changed, for this one and for the one it waits
        // for.
        self.inherit(cpu, task, now);
        Ok(())
    }

    /// Gives the whole policy other settings.
    ///
    /// # Errors
    /// [`Error::Refused`], and nothing has changed.
    pub fn tune(
        &mut self,
        settings: <C::Policy as Policy>::Settings,
        now: Time,
    ) -> Result<(), Error> {
        let tuned = self.policy.tune(settings, now);
        let resched = tuned.map_err(|refused| self.refused(refused))?;
        self.attend(resched);
        Ok(())
    }

    /// The policy's controllers run now, of a policy that leaves it to a thread when they do
    /// ([`Policy::control`]); otherwise nothing happens. What they take is time of the thread that calls. An
    /// interrupt may call this, too. As long as the policy says; and O(threads) if budgets are traced.
    pub fn control(&mut self, cpu: CpuId, now: Time) {
        let resched = self.policy.control(cpu, now);
        self.attend(resched);
        self.follow_servers(cpu, now);
    }

    /// Changes how the jobs of a periodic thread come: from the release on that is due next they
    /// come every `period`, and are due `deadline` after their releases. So is the job that the
    /// thread works on, if it is not late yet. What the policy knows of the thread stays as it is;
    /// see [`Core::adjust`].
    ///
    /// # Errors
    /// [`Error::Invalid`] if the thread is not periodic, if one of the times is zero, or while a
    /// released job waits for an earlier one; [`Error::Dead`], [`Error::Unknown`].
    pub fn retime(
        &mut self,
        thread: ThreadId,
        period: Duration,
        deadline: Duration,
    ) -> Result<(), Error> {
        let task = self.find(thread)?;
        let jobs = self.jobs.find_mut(task.index());
        jobs.ok_or(Error::Invalid)?.retime(period, deadline)?;
        self.set_alarm(task);
        Ok(())
    }

    /// The running thread ends: its job is complete, its mutexes are unlocked if they have numbers, and the threads
    /// that wait for its end go on. Mutexes in memory stay locked, for ever. The result of the job is 0.
    ///
    /// # Errors
    /// [`Error::NoThread`].
    pub fn exit(&mut self, cpu: CpuId, now: Time) -> Result<(), Error> {
        self.exit_with(cpu, 0, now)
    }

    /// The same, with what the job says of itself: see [`Policy::ended`].
    ///
    /// # Errors
    /// [`Error::NoThread`].
    #[expect(clippy::inline_always, reason = "so the plain call is what it was")]
    #[inline(always)]
    pub fn exit_with(&mut self, cpu: CpuId, result: u8, now: Time) -> Result<(), Error> {
        let task = self.caller(cpu)?;
        self.complete(cpu, task, result, now);
        self.stop(cpu, task, Stop::Completed, now);
        self.unlock_all(cpu, task, now);
        self.bury(cpu, task, now);
        Ok(())
    }

    /// Takes `task`, which owns nothing and is not queued, out of the world.
    pub(crate) fn bury(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if C::Objects::IN_MEMORY {
            self.orphan_all(cpu, task, now);
        }
        while let Some(waiter) = self.threads[task.index()].joiners.first() {
            self.unlink(waiter);
            self.wake(cpu, waiter, now);
        }
        self.policy.retire(task, now);
        self.emit(now, cpu, Kind::Exit { task });
        self.forget_trigger(task);
        if let Some(jobs) = self.jobs.find_mut(task.index()) {
            jobs.clear(&mut self.arrivals);
        }
        let thread = &mut self.threads[task.index()];
        thread.state = State::Absent;
        self.restarts -= u16::from(core::mem::take(&mut thread.restart));
        self.vacate(task);
    }

    /// The row of `task`, which is absent, is free again.
    pub(crate) fn vacate(&mut self, task: TaskId) {
        self.limit(task, Time::NEVER);
        self.forget(task);
        self.forget_ceiling(task);
        // A row whose generations have run out is never used again.
        if let Some(generation) = self.threads[task.index()].generation.checked_add(1) {
            self.threads[task.index()] = Thread {
                generation,
                ..Thread::default()
            };
            self.links.push_back(&mut self.free, task);
        }
    }

    /// The running thread waits for the end of another one, until `until` at the latest.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::NoThread`], [`Error::Deadlock`] for the thread's own end,
    /// [`Error::TimedOut`] if `until` has come already.
    pub fn join(
        &mut self,
        cpu: CpuId,
        target: ThreadId,
        until: Time,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        let caller = self.caller(cpu)?;
        let task = match self.find(target) {
            Ok(task) => task,
            Err(Error::Dead) => return Ok(Poll::Ready(())),
            Err(error) => return Err(error),
        };
        if task == caller {
            return Err(Error::Deadlock);
        }
        self.block(cpu, Object::Task(task.0), until, now)?;
        let joiners = &mut self.threads[task.index()].joiners;
        self.links.push_back(joiners, caller);
        Ok(Poll::Pending)
    }

    /// The running thread's job is complete; the thread goes on with its next one, as soon as that
    /// is released. [`Poll::Ready`]: it has been released already. The result of the job is 0.
    ///
    /// # Errors
    /// [`Error::NoThread`].
    pub fn wait_next(&mut self, cpu: CpuId, now: Time) -> Result<Poll<()>, Error> {
        self.wait_next_with(cpu, 0, now)
    }

    /// The same, with what the job says of itself: see [`Policy::ended`].
    ///
    /// # Errors
    /// [`Error::NoThread`].
    #[expect(clippy::inline_always, reason = "so the plain call is what it was")]
    #[inline(always)]
    pub fn wait_next_with(&mut self, cpu: CpuId, result: u8, now: Time) -> Result<Poll<()>, Error> {
        let task = self.caller_in_table(cpu)?;
        self.complete(cpu, task, result, now);
        self.stop(cpu, task, Stop::Completed, now);
        Ok(if self.next_job(cpu, task, now) {
            Poll::Ready(())
        } else {
            Poll::Pending
        })
    }

    /// The running thread leaves the CPU until `until`. [`Poll::Ready`] if that has come already.
    ///
    /// # Errors
    /// [`Error::NoThread`].
    pub fn sleep_until(&mut self, cpu: CpuId, until: Time, now: Time) -> Result<Poll<()>, Error> {
        let task = self.caller_in_table(cpu)?;
        if until <= now {
            return Ok(Poll::Ready(()));
        }
        self.block_caller(cpu, task, Object::Clock, until, now);
        Ok(Poll::Pending)
    }

    /// The running thread waits until it is unparked, until `until` at the latest; not at all if it
    /// has been unparked since it was parked last. O(1); no other way of waiting costs less.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if it would have to wait and `until` has come already;
    /// [`Error::NoThread`].
    pub fn park(&mut self, cpu: CpuId, until: Time, now: Time) -> Result<Poll<()>, Error> {
        let task = self.caller(cpu)?;
        if core::mem::take(&mut self.threads[task.index()].token) {
            return Ok(Poll::Ready(()));
        }
        self.block(cpu, Object::Token, until, now)?;
        Ok(Poll::Pending)
    }

    /// A parked thread goes on; one that is not does not wait when it parks itself next. An
    /// interrupt may call this. O(1).
    ///
    /// # Errors
    /// [`Error::Dead`], [`Error::Unknown`].
    pub fn unpark(&mut self, cpu: CpuId, thread: ThreadId, now: Time) -> Result<(), Error> {
        let task = if C::CHECKS {
            self.find(thread)?
        } else {
            thread.task
        };
        let row = &mut self.threads[task.index()];
        if row.state == State::Blocked(Object::Token) {
            self.wake(cpu, task, now);
        } else {
            row.token = true;
        }
        Ok(())
    }

    /// The running thread offers the CPU to threads that are as urgent as it is.
    ///
    /// # Errors
    /// [`Error::NoThread`].
    pub fn yield_now(&mut self, cpu: CpuId, now: Time) -> Result<(), Error> {
        let task = self.caller_in_table(cpu)?;
        let job = self.present_job(task);
        self.emit(now, cpu, Kind::Yield { task, job });
        self.stop(cpu, task, Stop::Yielded, now);
        Ok(())
    }

    /// The row of a thread that lives.
    pub(crate) fn find(&self, thread: ThreadId) -> Result<TaskId, Error> {
        let ThreadId { task, generation } = thread;
        if task.index() >= self.threads.capacity() {
            return Err(Error::Unknown);
        }
        let row = &self.threads[task.index()];
        if row.generation == generation && row.state != State::Absent {
            Ok(task)
        } else if row.generation < generation && row.state != State::Absent {
            Err(Error::Unknown)
        } else {
            Err(Error::Dead)
        }
    }

    /// The thread that calls on `cpu`.
    #[inline]
    pub(crate) fn caller(&self, cpu: CpuId) -> Result<TaskId, Error> {
        match self.running_task(cpu) {
            Some(task) => Ok(task),
            // Some row, and it hits no other memory.
            None if !C::CHECKS => Ok(TaskId(u16::MAX)),
            None => Err(Error::NoThread),
        }
    }

    /// As [`Core::caller`], for calls that look at the thread's row often: the one comparison tells
    /// the compiler that no index needs a mask, so that it pays for the check of what the policy
    /// chose.
    #[inline]
    fn caller_in_table(&self, cpu: CpuId) -> Result<TaskId, Error> {
        let task = self.caller(cpu)?;
        if C::CHECKS && task.index() >= self.threads.capacity() {
            return Err(Error::NoThread);
        }
        Ok(task)
    }
}
