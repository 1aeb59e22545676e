//! Releases, deadlines and misses: what happens to a thread by the clock.

use crate::config::Config;
use crate::jobs::{Job, Jobs, OnMiss, Released};
use crate::schedule::work;
use crate::thread::{Outcome, State};
use crate::{Core, Error, ThreadId};
use flyball_policy::{Policy, Ready, Stop, Table, Usage};
use flyball_trace::{CpuId, Kind, Slot, TaskId, Time};

impl<C: Config> Core<C> {
    /// Asks for a job of a sporadic thread, on behalf of an event (an interrupt, another thread)
    /// that happened at `at`: the job's deadline counts from then, even if the kernel comes to hear
    /// of it only `now`. If the thread's separation has not passed by `at`, the job is released as
    /// soon as it has.
    ///
    /// # Errors
    /// [`Error::NotSporadic`], [`Error::Dead`], [`Error::Unknown`]; [`Error::Taken`] if the thread
    /// has a [trigger](crate::Trigger); [`Error::Full`] if the job would have to wait for earlier ones and the table of arrivals is full. The job is lost then,
    /// and traced as skipped.
    pub fn release(
        &mut self,
        cpu: CpuId,
        thread: ThreadId,
        at: Time,
        now: Time,
    ) -> Result<(), Error> {
        let task = self.find(thread)?;
        let jobs = self.jobs.find_mut(task.index());
        let jobs = jobs.ok_or(Error::NotSporadic)?;
        if jobs.trigger().is_some() {
            return Err(Error::Taken);
        }
        let released = if jobs.arrive(at.min(now))? {
            self.release_job(cpu, task, now)
        } else {
            Ok(())
        };
        self.set_alarm(task);
        released
    }

    /// All that was to happen to `task` at the instant `at` happens, at last. A deadline comes
    /// first (a job that is late at the next release is late), then the end of a wait, then a
    /// release. Its alarm has been taken out, and is set to what comes next. Returns how many waits
    /// ended and jobs were released.
    #[inline]
    pub(crate) fn ring(&mut self, cpu: CpuId, task: TaskId, at: Time, now: Time) -> u32 {
        if let Some(jobs) = self.jobs.find_mut(task.index()) {
            jobs.rung();
            return self.ring_for_jobs(cpu, task, at, now);
        }
        self.time_out(cpu, task, at, now);
        1
    }

    fn ring_for_jobs(&mut self, cpu: CpuId, task: TaskId, at: Time, now: Time) -> u32 {
        let mut served = 0;
        while let Some(jobs) = self.jobs.find_mut(task.index()) {
            if jobs.next_deadline() <= at {
                self.miss(cpu, task, now);
            } else if jobs.timeout() <= at {
                jobs.limit(Time::NEVER);
                self.time_out(cpu, task, at, now);
                served += 1;
            } else if jobs.next_release() <= at {
                // A job that finds no room to wait has been traced as skipped; no caller needs the
                // error.
                let _ = self.release_job(cpu, task, now);
                self.let_senders_in(cpu, task, now);
                served += 1;
            } else {
                break;
            }
        }
        self.set_alarm(task);
        served
    }

    /// Notices the deadlines that have passed, and nothing else: for a caller that stops the clock
    /// at `now` and wants to know what is late. O(threads).
    pub fn notice_misses(&mut self, cpu: CpuId, now: Time) {
        for row in 0..self.links.capacity() {
            let task = TaskId::from_index(row);
            while self.threads[row].state != State::Absent
                && let Some(jobs) = self.jobs.find(row)
                && jobs.next_deadline() <= now
            {
                self.miss(cpu, task, now);
                self.set_alarm(task);
            }
        }
    }

    /// Whether a thread works on a job, or has one to work on; it waits for a release otherwise.
    pub fn has_job(&self, thread: ThreadId) -> bool {
        self.find(thread)
            .is_ok_and(|task| self.threads[task.index()].state != State::Dormant)
    }

    /// When the clock releases the next job of a thread; [`Time::NEVER`]: it does not, or there is
    /// no such thread.
    pub fn next_release(&self, thread: ThreadId) -> Time {
        let task = self.find(thread).ok();
        let jobs = task.and_then(|task| self.jobs.find(task.index()));
        jobs.map_or(Time::NEVER, Jobs::next_release)
    }

    /// Whether threads have jobs. Otherwise nothing releases any, either: no clock, no message and
    /// no signal.
    #[inline]
    pub(crate) fn has_jobs(&self) -> bool {
        self.jobs.capacity() > 0
    }

    /// The number of the job that `task` works on; 0 if it is dormant.
    #[inline]
    pub(crate) fn job_number(&self, task: TaskId) -> u32 {
        if self.threads[task.index()].state == State::Dormant && !self.has_jobs() {
            0
        } else {
            self.present_job(task)
        }
    }

    /// The number of the job of a thread that is not dormant.
    #[inline]
    pub(crate) fn present_job(&self, task: TaskId) -> u32 {
        self.jobs.find(task.index()).map_or(1, Jobs::number)
    }

    /// Sets the alarm of `task` to the next instant at which something happens to its jobs, or its
    /// wait ends.
    pub(crate) fn set_alarm(&mut self, task: TaskId) {
        let jobs = self.jobs.find_mut(task.index());
        if let Some(at) = jobs.and_then(Jobs::new_alarm) {
            self.alarm_at(task, at);
        }
    }

    /// From now on the wait of `task` ends at `until`, at the latest.
    #[inline]
    pub(crate) fn limit(&mut self, task: TaskId, until: Time) {
        if let Some(jobs) = self.jobs.find_mut(task.index()) {
            jobs.limit(until);
            self.set_alarm(task);
        } else {
            self.alarm_at(task, until);
        }
    }

    #[inline]
    fn alarm_at(&mut self, task: TaskId, at: Time) {
        if self.alarms.set(task, at) {
            self.cpus[0].set(work::TIMER);
        }
    }

    /// A thread without [`crate::jobs::Jobs`] starts: its one job is released.
    #[cold]
    #[cfg_attr(not(feature = "small"), inline(never))]
    pub(crate) fn start(&mut self, cpu: CpuId, task: TaskId, release: Time, now: Time) {
        self.threads[task.index()].state = State::Ready;
        let (job, deadline) = (1, Time::NEVER);
        self.emit(
            now,
            cpu,
            Kind::Release {
                task,
                job,
                deadline,
            },
        );
        let resched = self
            .policy
            .ready(cpu, task, Ready::Released { release }, now);
        self.attend(resched);
    }

    pub(crate) fn release_job(&mut self, cpu: CpuId, task: TaskId, now: Time) -> Result<(), Error> {
        let Some(jobs) = self.jobs.find_mut(task.index()) else {
            return Ok(());
        };
        match jobs.release(&mut self.arrivals) {
            Ok(
                released @ (Released::Current(job)
                | Released::Waits(job)
                | Released::Replaces { job, .. }),
            ) => {
                let (number, deadline) = (job.number, jobs.deadline(job));
                let kind = Kind::Release {
                    task,
                    job: number,
                    deadline,
                };
                if let Released::Replaces { lost, .. } = released {
                    self.skip(cpu, task, lost, 0, now);
                }
                self.emit(now, cpu, kind);
                if let Released::Current(_) = released {
                    self.take_message(cpu, task, now);
                    self.threads[task.index()].state = State::Ready;
                    let release = job.release;
                    self.begin_job(cpu, task, Ready::Released { release }, now);
                }
                Ok(())
            }
            Ok(Released::Skipped(job)) => {
                let waiting = jobs.waiting();
                self.skip(cpu, task, job, waiting, now);
                Ok(())
            }
            Err((job, error)) => {
                let waiting = jobs.waiting();
                self.skip(cpu, task, job, waiting, now);
                Err(error)
            }
        }
    }

    /// A job that so many wait before is left out.
    fn skip(&mut self, cpu: CpuId, task: TaskId, job: Job, waiting: u32, now: Time) {
        let job = job.number;
        self.lose_message(cpu, task, waiting, now);
        self.emit(now, cpu, Kind::Skip { task, job });
    }

    /// The deadline of the first job of `task` that is not late has passed.
    fn miss(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let Some(jobs) = self.jobs.find_mut(task.index()) else {
            return;
        };
        let Some(job) = jobs.miss(&self.arrivals) else {
            return;
        };
        let gives_up = jobs.on_miss() == OnMiss::Abort;
        self.note_miss(cpu, task, job.number, now);
        if gives_up {
            self.abort(cpu, task, now);
        }
    }

    /// Counts and traces a miss, and signals the semaphore of the thread that handles it.
    fn note_miss(&mut self, cpu: CpuId, task: TaskId, job: u32, now: Time) {
        self.misses += 1;
        self.emit(now, cpu, Kind::Miss { task, job });
        let jobs = self.jobs.find_mut(task.index());
        let alert = jobs.and_then(|jobs| {
            jobs.count_miss();
            jobs.alert()
        });
        if let Some(alert) = alert {
            // The semaphore was there when the thread was made; one that has counted to its end has
            // told enough.
            let _ = self.signal(cpu, alert, now);
        }
    }

    /// Returns how many jobs of a thread have missed their deadlines, on all cores that it has been
    /// in; the number stays at its largest value. Zero where [`Config::Jobs`] is nothing.
    ///
    /// # Errors
    /// [`Error::Dead`], [`Error::Unknown`].
    pub fn missed(&self, thread: ThreadId) -> Result<u32, Error> {
        let task = self.find(thread)?;
        Ok(self.jobs.find(task.index()).map_or(0, Jobs::missed))
    }

    /// Gives up the current job of `task`, wherever it is.
    fn abort(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let job = self.job_number(task);
        let (state, runs_on) = (self.threads[task.index()].state, self.cpu_of(task));
        let once = self.jobs.find_mut(task.index()).is_none_or(|jobs| {
            jobs.limit(Time::NEVER);
            jobs.is_once()
        });
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
        thread.limited = false;
        thread.outcome = Outcome::Done;
        thread.token = false;
        let mutex = thread.reacquire.take();
        if mutex.is_some() && self.locks_by_kernel(task) {
            self.reserved -= 1;
        }
        self.unlock_given_up(cpu, task, now);
        if once {
            self.bury(cpu, task, now);
        } else {
            let restart = &mut self.threads[task.index()].restart;
            self.restarts += u16::from(!core::mem::replace(restart, true));
            for cpu in 0..self.cpus.capacity() {
                self.cpus[cpu].set(work::RESTART);
            }
            self.next_job(cpu, task, now);
        }
    }

    /// The current job of `task`, which is not queued any more, is over: the thread works on the
    /// oldest waiting job, or becomes dormant. Returns whether there was one.
    pub(crate) fn next_job(&mut self, cpu: CpuId, task: TaskId, now: Time) -> bool {
        let next = self.jobs.find_mut(task.index()).and_then(|jobs| {
            jobs.complete(&mut self.arrivals);
            jobs.current()
        });
        let thread = &mut self.threads[task.index()];
        thread.state = State::Dormant;
        if let Some(job) = next {
            thread.state = State::Ready;
            let release = job.release;
            self.take_message(cpu, task, now);
            self.begin_job(cpu, task, Ready::Released { release }, now);
            self.let_senders_in(cpu, task, now);
        }
        self.set_alarm(task);
        next.is_some()
    }

    fn begin_job(&mut self, cpu: CpuId, task: TaskId, why: Ready, now: Time) {
        let resched = self.policy.ready(cpu, task, why, now);
        self.attend(resched);
        self.follow_server_of(cpu, task, now);
        // A new job may be less urgent than the last one. If the thread kept a mutex, the thread
        // that waits for it may be the more urgent one now.
        if self.threads[task.index()].wanted != Slot::EMPTY {
            self.inherit(cpu, task, now);
        }
    }

    /// The current job of `task` is done, and says `result` of itself.
    pub(crate) fn complete(&mut self, cpu: CpuId, task: TaskId, result: u8, now: Time) {
        let job = self.job_number(task);
        let jobs = self.jobs.find(task.index());
        // With a periodic tick the deadline may have passed unnoticed.
        if jobs.is_some_and(|jobs| jobs.current_is_late(now)) {
            self.note_miss(cpu, task, job, now);
        }
        self.emit(now, cpu, Kind::Complete { task, job });
        if C::Policy::WANTS.results {
            self.policy.ended(task, result, now);
        }
    }
}
