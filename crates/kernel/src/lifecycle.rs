//! Threads come, go, and give up the CPU of their own accord.

use crate::config::Config;
use crate::jobs::Jobs;
use crate::thread::{Attributes, State, Thread};
use crate::{Core, Error, ThreadId};
use core::task::Poll;
use flyball_policy::queue::links::List;
use flyball_policy::{Policy, Stop, Table};
use flyball_trace::{CpuId, Duration, Kind, Object, TaskId, Time};

impl<C: Config> Core<C> {
    /// Makes a thread. Its first job is released at [`Attributes::start`], or at once if that has
    /// passed. O(log threads).
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Invalid`], [`Error::Refused`]; [`Error::Unknown`] if there is no such
    /// semaphore as [`Attributes::alert`] names.
    pub fn spawn(
        &mut self,
        cpu: CpuId,
        attributes: Attributes,
        params: <C::Policy as Policy>::Params,
        now: Time,
    ) -> Result<ThreadId, Error> {
        let Attributes {
            release,
            start,
            deadline,
            on_miss,
            alert,
        } = attributes;
        if let Some(alert) = alert {
            self.semaphore_value(alert)?;
        }
        let jobs = Jobs::new(release, start.max(now), deadline, on_miss)?.alerting(alert);
        let task = self.free.first().ok_or(Error::Full)?;
        self.policy.admit(task, params, now)?;
        self.links.remove(&mut self.free, task);
        let thread = &mut self.threads[task.index()];
        let generation = thread.generation;
        *thread = Thread {
            state: State::Dormant,
            generation,
            jobs,
            ..Thread::default()
        };
        self.emit(now, cpu, Kind::Start { task });
        self.set_alarm(task);
        if self.threads[task.index()].alarm() <= now {
            self.ring(cpu, task, now);
        }
        Ok(ThreadId { task, generation })
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
        let attention = self.policy.adjust(task, params, now)?;
        self.attend(attention);
        // Who inherits from whom may have changed, for the thread and for whoever it waits for.
        self.inherit(cpu, task, now);
        Ok(())
    }

    /// The running thread ends: its job is complete, its mutexes are unlocked, and whoever waits
    /// for its end goes on.
    ///
    /// # Errors
    /// [`Error::NoThread`].
    pub fn exit(&mut self, cpu: CpuId, now: Time) -> Result<(), Error> {
        let task = self.caller(cpu)?;
        self.complete(cpu, task, now);
        self.stop(cpu, task, Stop::Completed, now);
        self.unlock_all(cpu, task, now);
        self.bury(cpu, task, now);
        Ok(())
    }

    /// Takes `task`, which owns nothing and is not queued, out of the world.
    pub(crate) fn bury(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        while let Some(waiter) = self.threads[task.index()].joiners.first() {
            self.unlink(waiter);
            self.wake(cpu, waiter, now);
        }
        self.policy.retire(task, now);
        self.emit(now, cpu, Kind::Exit { task });
        let thread = &mut self.threads[task.index()];
        thread.jobs.clear(&mut self.arrivals);
        thread.state = State::Absent;
        thread.timeout = Time::NEVER;
        self.alarms.remove(task);
        self.forget(task);
        // A row whose generations have run out is never used again.
        if let Some(next) = self.threads[task.index()].generation.checked_add(1) {
            self.threads[task.index()].generation = next;
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
        Ok(Poll::Pending)
    }

    /// The running thread's job is complete; the thread goes on with its next one, as soon as that
    /// is released. [`Poll::Ready`]: it has been released already.
    ///
    /// # Errors
    /// [`Error::NoThread`].
    pub fn wait_next(&mut self, cpu: CpuId, now: Time) -> Result<Poll<()>, Error> {
        let task = self.caller(cpu)?;
        self.complete(cpu, task, now);
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
        self.caller(cpu)?;
        if until <= now {
            return Ok(Poll::Ready(()));
        }
        self.block(cpu, Object::Clock, until, now)?;
        Ok(Poll::Pending)
    }

    /// The running thread offers the CPU to threads that are as urgent as it is.
    ///
    /// # Errors
    /// [`Error::NoThread`].
    pub fn yield_now(&mut self, cpu: CpuId, now: Time) -> Result<(), Error> {
        let task = self.caller(cpu)?;
        let job = self.threads[task.index()].jobs.number();
        self.emit(now, cpu, Kind::Yield { task, job });
        self.stop(cpu, task, Stop::Yielded, now);
        Ok(())
    }

    /// The CPU time that a thread has used, up to `now`. Exact to the nanosecond of the machine's
    /// clock; zero throughout where [`Config::ACCOUNTING`] is off.
    ///
    /// # Errors
    /// [`Error::Dead`], [`Error::Unknown`].
    pub fn cpu_time(&mut self, thread: ThreadId, now: Time) -> Result<Duration, Error> {
        let task = self.find(thread)?;
        if let Some(cpu) = self.threads[task.index()].cpu {
            self.count(cpu, now);
        }
        Ok(self.threads[task.index()].used)
    }

    /// The row of a thread that lives.
    pub(crate) fn find(&self, thread: ThreadId) -> Result<TaskId, Error> {
        let ThreadId { task, generation } = thread;
        if task.index() >= self.threads.capacity() {
            return Err(Error::Unknown);
        }
        let row = &self.threads[task.index()];
        if row.state == State::Absent || row.generation > generation {
            return Err(Error::Dead);
        }
        if row.generation < generation {
            Err(Error::Unknown)
        } else {
            Ok(task)
        }
    }

    /// The thread that calls on `cpu`.
    pub(crate) fn caller(&self, cpu: CpuId) -> Result<TaskId, Error> {
        self.running(cpu).map(ThreadId::task).ok_or(Error::NoThread)
    }

    /// The list of those who wait for the end of `task`.
    pub(crate) fn joiners(&mut self, task: u16) -> &mut List {
        &mut self.threads[usize::from(task)].joiners
    }
}
