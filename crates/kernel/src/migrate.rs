//! A thread moves from one cluster's core to another's.
//!
//! Cores share nothing, so to move a thread is a message: [`Core::emigrate`] takes it out of one
//! core and returns all that has to be known of it, the machine brings that (with the thread's
//! registers and stack) to the other CPU, and [`Core::immigrate`] puts it into the core there. In
//! between it belongs to no core and does not run.
//!
//! What belongs to a cluster stays there. So a thread can move that can run, or waits for nothing
//! but the clock or a token, or is dormant; and that owns no mutex, is joined by no other thread,
//! and signals no semaphore at a miss. (A mutex in memory for which no thread waits is not seen: where threads move,
//! objects have numbers.) Anything else is [`Error::Bound`], and the mover has to try
//! again later.

use crate::config::Config;
use crate::jobs::Jobs;
use crate::objects::PlaceOf;
use crate::schedule::work;
use crate::thread::{State, Thread};
use crate::{Core, Error, HandOf, ThreadId};
use flyball_policy::{Policy, Ready, Stop, Table, Usage};
use flyball_trace::{CpuId, Kind, Object, TaskId, Time};

/// A thread between two cores: its jobs, its waits, and the CPU time that it has used.
#[must_use = "the thread is lost with it"]
pub struct Migrant<H, P = u16> {
    thread: Thread<P>,
    hand: H,
    jobs: Option<Jobs<P>>,
    /// In ticks.
    used: u64,
}

/// A thread between two such cores.
pub type MigrantOf<C> = Migrant<HandOf<C>, PlaceOf<C>>;

impl<C: Config> Core<C> {
    /// Takes a thread out of this core, at `now`, on `cpu`. A call that names it here from now on
    /// returns [`Error::Dead`]; its row may get another thread. If it ran, the CPU it ran on has to
    /// decide anew. O(log threads + mutexes), and what the policy takes to retire a task.
    ///
    /// # Errors
    /// [`Error::Dead`], [`Error::Unknown`]; [`Error::Bound`] if it cannot move now.
    pub fn emigrate(
        &mut self,
        cpu: CpuId,
        thread: ThreadId,
        now: Time,
    ) -> Result<MigrantOf<C>, Error> {
        let task = self.find(thread)?;
        if self.is_bound(task) {
            return Err(Error::Bound);
        }
        if self.threads[task.index()].state == State::Ready {
            if let Some(runs_on) = self.cpu_of(task) {
                let job = self.job_number(task);
                self.emit(now, runs_on, Kind::Preempt { task, job });
                self.stop(runs_on, task, Stop::Blocked, now);
            } else {
                let none = Usage::default();
                let resched = self.policy.stopped(cpu, task, none, Stop::Blocked, now);
                self.attend(resched);
            }
        }
        self.policy.retire(task, now);
        let jobs = self.jobs.find_mut(task.index()).map(|row| {
            let mut jobs = core::mem::take(row);
            row.clear(&mut self.arrivals);
            jobs.rung();
            jobs
        });
        let used = self.used.find(task.index()).copied().unwrap_or_default();
        let row = &mut self.threads[task.index()];
        let absent = Thread {
            generation: row.generation,
            ..Thread::default()
        };
        let thread = core::mem::replace(row, absent);
        self.restarts -= u16::from(thread.restart);
        self.vacate(task);
        Ok(Migrant {
            thread,
            hand: self.hands[task.index()],
            jobs,
            used,
        })
    }

    /// Puts a thread into this core, at `now`, on `cpu`: it goes on where it was, with the CPU time
    /// that it has used. `arrived` is told what it is known as here before anything is traced. What
    /// was to happen to it on the way happens at the next [`Core::timer`], which is due at once
    /// then. O(log threads).
    ///
    /// # Errors
    /// The thread, and why it is still nowhere: [`Error::Full`], [`Error::Refused`].
    #[expect(
        clippy::result_large_err,
        reason = "a thread that is refused has to go back, and there is no heap to keep it on"
    )]
    pub fn immigrate(
        &mut self,
        cpu: CpuId,
        migrant: MigrantOf<C>,
        params: <C::Policy as Policy>::Params,
        now: Time,
        arrived: impl FnOnce(&mut C::Trace, ThreadId),
    ) -> Result<ThreadId, (MigrantOf<C>, Error)> {
        let Some(task) = self.free.first() else {
            return Err((migrant, Error::Full));
        };
        let Thread { state, restart, .. } = migrant.thread;
        let has_jobs = self.jobs.find(task.index()).is_some();
        if !has_jobs && migrant.jobs.as_ref().is_some_and(|jobs| !jobs.is_trivial()) {
            return Err((migrant, Error::Full));
        }
        if let Err(refused) = self.policy.admit(task, params, now) {
            return Err((migrant, self.refused(refused)));
        }
        self.links.remove(&mut self.free, task);
        let release = migrant.jobs.as_ref().and_then(Jobs::current);
        let release = release.map_or(now, |job| job.release);
        if let (Some(row), Some(jobs)) = (self.jobs.find_mut(task.index()), migrant.jobs) {
            *row = jobs;
        }
        if let Some(used) = self.used.find_mut(task.index()) {
            *used = migrant.used;
        }
        self.forget_counts(task);
        let generation = self.threads[task.index()].generation;
        self.threads[task.index()] = Thread {
            generation,
            ..migrant.thread
        };
        self.hands[task.index()] = migrant.hand;
        if restart {
            self.restarts += 1;
            for cpu in 0..self.cpus.capacity() {
                self.cpus[cpu].set(work::RESTART);
            }
        }
        let thread = ThreadId { task, generation };
        arrived(&mut self.trace, thread);
        self.emit(now, cpu, Kind::Start { task });
        if state != State::Dormant {
            // Its job was released elsewhere; the policy has to know when.
            let resched = self
                .policy
                .ready(cpu, task, Ready::Released { release }, now);
            self.attend(resched);
            self.follow_server_of(cpu, task, now);
        }
        if let State::Blocked(_) = state {
            let none = Usage::default();
            let resched = self.policy.stopped(cpu, task, none, Stop::Blocked, now);
            self.attend(resched);
        }
        if has_jobs {
            self.set_alarm(task);
        }
        Ok(thread)
    }

    /// Whether something that belongs to this core keeps `task` here.
    fn is_bound(&self, task: TaskId) -> bool {
        let thread = &self.threads[task.index()];
        let waits = match thread.state {
            State::Blocked(object) => !matches!(object, Object::Clock | Object::Token),
            _ => false,
        };
        let jobs = match self.jobs.find(task.index()) {
            Some(jobs) => jobs.are_bound(),
            // When it starts, or how long it waits, only the alarms know.
            None => thread.limited || thread.state == State::Dormant,
        };
        waits
            || jobs
            || !thread.joiners.is_empty()
            || thread.reacquire.is_some()
            || self.owns_numbered(task)
    }
}
