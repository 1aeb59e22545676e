//! Releases, deadlines and misses: what happens to a thread by the clock.

use crate::config::Config;
use crate::jobs::{OnMiss, Released};
use crate::thread::State;
use crate::{Core, Error, ThreadId};
use flyball_policy::{Policy, Ready, Stop, Usage};
use flyball_trace::{CpuId, Kind, TaskId, Time};

impl<C: Config> Core<C> {
    /// Asks for a job of a sporadic thread, on behalf of an event (an interrupt, another thread)
    /// that happened at `at`: the job's deadline counts from then, even if the kernel comes to hear
    /// of it only `now`. If the thread's separation has not passed by `at`, the job is released as
    /// soon as it has.
    ///
    /// # Errors
    /// [`Error::NotSporadic`], [`Error::Dead`], [`Error::Unknown`]; [`Error::Full`] if the job would
    /// have to wait for earlier ones and the table of arrivals is full. The job is lost then, and
    /// traced as skipped.
    pub fn release(
        &mut self,
        cpu: CpuId,
        thread: ThreadId,
        at: Time,
        now: Time,
    ) -> Result<(), Error> {
        let task = self.find(thread)?;
        if self.threads[task.index()].jobs.arrive(at.min(now))? {
            self.release_job(cpu, task, now)?;
        }
        self.set_alarm(task);
        Ok(())
    }

    /// One thing that was to happen to `task` by the clock happens, the earliest first. At the same
    /// instant a deadline comes first (a job that is late at the next release is late), then the
    /// end of a wait, then a release. Returns whether it was a wait or a release.
    pub(crate) fn ring(&mut self, cpu: CpuId, task: TaskId, now: Time) -> bool {
        let thread = &self.threads[task.index()];
        let (deadline, timeout, release) = (
            thread.jobs.next_deadline(),
            thread.timeout,
            thread.jobs.next_release(),
        );
        let is_deadline = deadline <= timeout && deadline <= release;
        if is_deadline {
            self.miss(cpu, task, now);
        } else if timeout <= release {
            self.time_out(cpu, task, now);
        } else {
            // A job that finds no room to wait has been traced as skipped; nobody called.
            let _ = self.release_job(cpu, task, now);
        }
        self.set_alarm(task);
        !is_deadline
    }

    /// Notices the deadlines that have passed, and nothing else: for whoever stops the clock at
    /// `now` and wants to know what is late. O(threads).
    pub fn notice_misses(&mut self, cpu: CpuId, now: Time) {
        for row in 0..self.links.capacity() {
            let task = TaskId(u16::try_from(row).unwrap_or(u16::MAX));
            while self.threads[row].state != State::Absent
                && self.threads[row].jobs.next_deadline() <= now
            {
                self.miss(cpu, task, now);
                self.set_alarm(task);
            }
        }
    }

    /// Whether a thread works on a job, or has one to work on; it waits for a release otherwise.
    pub fn has_job(&self, thread: ThreadId) -> bool {
        self.find(thread)
            .is_ok_and(|task| self.threads[task.index()].jobs.current().is_some())
    }

    /// Sets the alarm of `task` to the next instant at which something happens to it.
    pub(crate) fn set_alarm(&mut self, task: TaskId) {
        let at = self.threads[task.index()].alarm();
        if at.is_never() {
            self.alarms.remove(task);
        } else if self.alarms.rank(task) != Some(at) {
            self.alarms.set(task, at);
        }
    }

    fn release_job(&mut self, cpu: CpuId, task: TaskId, now: Time) -> Result<(), Error> {
        let thread = &mut self.threads[task.index()];
        let released = thread.jobs.release(&mut self.arrivals);
        let deadline = |job| self.threads[task.index()].jobs.deadline(job);
        match released {
            Ok(Released::Current(job)) => {
                let deadline = deadline(job);
                self.emit(
                    now,
                    cpu,
                    Kind::Release {
                        task,
                        job: job.number,
                        deadline,
                    },
                );
                self.threads[task.index()].state = State::Ready;
                let why = Ready::Released {
                    release: job.release,
                };
                self.begin_job(cpu, task, why, now);
                Ok(())
            }
            Ok(Released::Waits(job)) => {
                let deadline = deadline(job);
                self.emit(
                    now,
                    cpu,
                    Kind::Release {
                        task,
                        job: job.number,
                        deadline,
                    },
                );
                Ok(())
            }
            Ok(Released::Skipped(job)) => {
                self.emit(
                    now,
                    cpu,
                    Kind::Skip {
                        task,
                        job: job.number,
                    },
                );
                Ok(())
            }
            Err((job, error)) => {
                self.emit(
                    now,
                    cpu,
                    Kind::Skip {
                        task,
                        job: job.number,
                    },
                );
                Err(error)
            }
        }
    }

    /// The deadline of the first job of `task` that is not late has passed.
    fn miss(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let thread = &mut self.threads[task.index()];
        let Some(job) = thread.jobs.miss(&self.arrivals) else {
            return;
        };
        let gives_up = thread.jobs.on_miss() == OnMiss::Abort;
        self.note_miss(cpu, task, job.number, now);
        if gives_up {
            self.abort(cpu, task, now);
        }
    }

    /// Counts and traces a miss, and tells whoever handles it.
    fn note_miss(&mut self, cpu: CpuId, task: TaskId, job: u32, now: Time) {
        self.misses += 1;
        self.emit(now, cpu, Kind::Miss { task, job });
        if let Some(alert) = self.threads[task.index()].jobs.alert() {
            // The semaphore was there when the thread was made; one that has counted to its end has
            // told enough.
            let _ = self.signal(cpu, alert, now);
        }
    }

    /// Gives up the current job of `task`, wherever it is.
    fn abort(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let thread = &self.threads[task.index()];
        let job = thread.jobs.number();
        let (state, runs_on, once) = (thread.state, thread.cpu, thread.jobs.is_once());
        self.emit(now, cpu, Kind::Abort { task, job });
        match (state, runs_on) {
            (State::Blocked(object), _) => self.withdraw(cpu, task, object, now),
            (_, Some(runs_on)) => self.stop(runs_on, task, Stop::Completed, now),
            (_, None) => {
                // It was ready and did not run, so no CPU is concerned.
                let _ = self
                    .policy
                    .stopped(cpu, task, Usage::default(), Stop::Completed, now);
            }
        }
        let thread = &mut self.threads[task.index()];
        thread.state = State::Dormant;
        thread.timeout = Time::NEVER;
        thread.timed_out = false;
        thread.reacquire = None;
        thread.message = C::Message::default();
        self.unlock_all(cpu, task, now);
        if once {
            self.bury(cpu, task, now);
        } else {
            self.threads[task.index()].restart = true;
            self.next_job(cpu, task, now);
        }
    }

    /// The current job of `task`, which is not queued any more, is over: the thread works on the
    /// oldest waiting job, or becomes dormant. Returns whether there was one.
    pub(crate) fn next_job(&mut self, cpu: CpuId, task: TaskId, now: Time) -> bool {
        let thread = &mut self.threads[task.index()];
        thread.jobs.complete(&mut self.arrivals);
        let next = thread.jobs.current();
        thread.state = State::Dormant;
        if let Some(job) = next {
            thread.state = State::Ready;
            let release = job.release;
            self.begin_job(cpu, task, Ready::Released { release }, now);
        }
        self.set_alarm(task);
        next.is_some()
    }

    fn begin_job(&mut self, cpu: CpuId, task: TaskId, why: Ready, now: Time) {
        let attention = self.policy.ready(task, why, now);
        self.attend(attention);
        // A new job may be less urgent than the last one. If the thread kept a mutex, whoever waits
        // for it may be the more urgent one now.
        if self.threads[task.index()].held.is_some() {
            self.inherit(cpu, task, now);
        }
    }

    /// The current job of `task` is done.
    pub(crate) fn complete(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let jobs = &self.threads[task.index()].jobs;
        let job = jobs.number();
        // With a periodic tick the deadline may have passed unnoticed.
        if jobs.current_is_late(now) {
            self.note_miss(cpu, task, job, now);
        }
        self.emit(now, cpu, Kind::Complete { task, job });
    }
}
