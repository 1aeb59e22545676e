//! The jobs of one thread: which one it works on, which wait, when the next comes, which are late.
//!
//! ```text
//!   released, not yet complete                      to come
//!   [ current | waiting, oldest first … ]           next_release
//!     ^^^^^^^^^^^^^^ the first `late` of these have missed their deadlines
//! ```
//!
//! Jobs of a thread are served in the order of their release, and deadlines have the same order, so
//! the late jobs are always the oldest ones, and one instant has to be watched: the deadline of the
//! oldest job that is not late yet. Waiting jobs of a periodic thread are a period apart, so two
//! numbers describe them all; those of a sporadic thread are kept in a list ([`Arrivals`]).
//!
//! This module knows no policy, no trace and no other thread. Every operation is O(1), except
//! [`Jobs::next_deadline`] of an overloaded sporadic thread, which is kept up to date in O(late).

use crate::{Error, SemaphoreId, Trigger};
use flyball_policy::{Storage, Table};
use flyball_trace::{Duration, Time};

/// How a thread's jobs are released.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Release {
    /// One job, which may go on without end.
    #[default]
    Once,
    /// A job every `period`.
    Periodic {
        /// Not zero.
        period: Duration,
    },
    /// A job for each [`Core::release`](crate::Core::release), but never two within `separation`:
    /// what comes too early waits until the separation has passed.
    Sporadic {
        /// Not zero.
        separation: Duration,
    },
}

/// What happens when a job has not completed by its deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnMiss {
    /// It goes on; later jobs wait for it.
    #[default]
    Continue,
    /// It goes on, and releases are left out until the thread has caught up: while a job is late,
    /// and then until no job waits.
    Skip,
    /// It is given up: the thread loses its mutexes and begins with its next job. (A thread with
    /// only one job ends.)
    Abort,
    /// It goes on, and of the jobs that wait until they are late only the newest is done: at a
    /// release, the oldest that waits is left out if its deadline has passed, too. So a periodic
    /// thread whose deadlines are its periods goes on with the job whose period it is.
    Latest,
}

/// A job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Job {
    /// From 1; the last number there is stands for all later ones.
    pub(crate) number: u32,
    /// What its deadline counts from.
    pub(crate) release: Time,
}

/// What became of a release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Released {
    /// The thread was dormant, and works on this job now.
    Current(Job),
    /// The job waits for earlier ones.
    Waits(Job),
    /// The job waits, and the oldest that waited so far is left out.
    Replaces {
        /// The one that was released.
        job: Job,
        /// The one that is left out.
        lost: Job,
    },
    /// The job was left out.
    Skipped(Job),
}

/// See the module.
#[derive(Clone, Copy)]
pub(crate) struct Jobs<P = u16> {
    rule: Release,
    /// Relative; [`Duration::MAX`]: none.
    deadline: Duration,
    on_miss: OnMiss,
    /// What a miss signals.
    alert: Option<SemaphoreId<P>>,
    /// What releases them, if it is more than calls.
    trigger: Option<Trigger<P>>,
    /// The job that the thread works on, if it is not dormant.
    current: Option<Job>,
    /// The first of the waiting jobs.
    oldest: Job,
    /// How many wait.
    waiting: u32,
    /// Behind `oldest`, those of a sporadic thread.
    list: ArrivalList,
    /// How many of the jobs, from the current one on, are late.
    late: u32,
    /// How many have missed their deadlines so far.
    missed: u32,
    /// The deadline of the first job that is not late yet.
    watch: Time,
    /// A release was left out, and the thread has not caught up.
    skipping: bool,
    /// The number of the last job that was released or left out.
    last: u32,
    /// When the clock releases the next job.
    next: Time,
    /// Sporadic: before this instant nothing is released.
    earliest: Time,
    /// Sporadic: how many arrivals came too early and wait for `next`.
    early: u32,
    /// When the thread's wait ends at the latest.
    timeout: Time,
    /// What the thread's alarm is set to.
    alarm: Time,
}

impl<P> Default for Jobs<P> {
    fn default() -> Jobs<P> {
        Jobs {
            rule: Release::default(),
            deadline: Duration::default(),
            on_miss: OnMiss::default(),
            alert: None,
            trigger: None,
            current: None,
            oldest: Job::default(),
            waiting: 0,
            list: ArrivalList::default(),
            late: 0,
            missed: 0,
            watch: Time::default(),
            skipping: false,
            last: 0,
            next: Time::default(),
            earliest: Time::default(),
            early: 0,
            timeout: Time::default(),
            alarm: Time::default(),
        }
    }
}

impl<P: Copy> Jobs<P> {
    /// The jobs of a thread that starts at `start`.
    pub(crate) fn new(
        rule: Release,
        start: Time,
        deadline: Option<Duration>,
        on_miss: OnMiss,
    ) -> Result<Jobs<P>, Error> {
        match rule {
            Release::Periodic { period: gap } | Release::Sporadic { separation: gap }
                if gap.is_zero() =>
            {
                return Err(Error::Invalid);
            }
            _ if deadline == Some(Duration::ZERO) => return Err(Error::Invalid),
            _ => {}
        }
        let sporadic = matches!(rule, Release::Sporadic { .. });
        Ok(Jobs {
            rule,
            deadline: deadline.unwrap_or(Duration::MAX),
            on_miss,
            watch: Time::NEVER,
            next: if sporadic { Time::NEVER } else { start },
            earliest: start,
            timeout: Time::NEVER,
            alarm: Time::NEVER,
            ..Jobs::default()
        })
    }

    /// The same jobs, whose misses signal `alert`.
    pub(crate) fn alerting(self, alert: Option<SemaphoreId<P>>) -> Jobs<P> {
        Jobs { alert, ..self }
    }

    /// What a miss signals.
    pub(crate) fn alert(&self) -> Option<SemaphoreId<P>> {
        self.alert
    }

    /// What releases them, if it is more than calls.
    #[inline]
    pub(crate) fn trigger(&self) -> Option<Trigger<P>> {
        self.trigger
    }

    /// Whether there is no job and no trigger yet.
    ///
    /// # Errors
    /// [`Error::NotSporadic`].
    pub(crate) fn may_be_triggered(&self) -> Result<bool, Error> {
        if !matches!(self.rule, Release::Sporadic { .. }) {
            return Err(Error::NotSporadic);
        }
        Ok(self.trigger.is_none() && self.last == 0 && self.early == 0)
    }

    /// From now on they are released by `trigger`.
    pub(crate) fn triggered_by(&mut self, trigger: Trigger<P>) {
        self.trigger = Some(trigger);
    }

    /// The number that the next job to arrive is going to have.
    pub(crate) fn next_number(&self) -> u32 {
        self.last.saturating_add(self.early).saturating_add(1)
    }

    /// How many have arrived and have not begun.
    #[cfg(any(test, feature = "audit"))]
    pub(crate) fn outstanding(&self) -> u32 {
        self.waiting + self.early
    }

    /// How many wait behind the current one.
    pub(crate) fn waiting(&self) -> u32 {
        self.waiting
    }

    /// The job that the thread works on.
    pub(crate) fn current(&self) -> Option<Job> {
        self.current
    }

    /// The number of the job that the thread works on; 0 if it is dormant.
    pub(crate) fn number(&self) -> u32 {
        self.current.map_or(0, |job| job.number)
    }

    pub(crate) fn on_miss(&self) -> OnMiss {
        self.on_miss
    }

    /// Whether there is nothing to keep of them: one job, whose deadline is not watched.
    pub(crate) fn is_trivial(&self) -> bool {
        self.is_once() && self.deadline == Duration::MAX
    }

    /// Whether they need what belongs to a cluster: rows of its table of arrivals, a semaphore, or
    /// a queue.
    pub(crate) fn are_bound(&self) -> bool {
        self.list.0.is_some() || self.alert.is_some() || self.trigger.is_some()
    }

    pub(crate) fn is_once(&self) -> bool {
        self.rule == Release::Once
    }

    /// The absolute deadline of `job`.
    pub(crate) fn deadline(&self, job: Job) -> Time {
        job.release + self.deadline
    }

    /// When the clock releases the next job.
    pub(crate) fn next_release(&self) -> Time {
        self.next
    }

    /// When the next job is late.
    pub(crate) fn next_deadline(&self) -> Time {
        self.watch
    }

    /// When the thread's wait ends at the latest.
    pub(crate) fn timeout(&self) -> Time {
        self.timeout
    }

    /// Limits a wait; [`Time::NEVER`]: it has no limit.
    pub(crate) fn limit(&mut self, until: Time) {
        self.timeout = until;
    }

    /// The next instant at which something happens to the thread by itself.
    pub(crate) fn next_instant(&self) -> Time {
        self.timeout.min(self.next).min(self.watch)
    }

    /// The alarm has rung: it is set no more.
    pub(crate) fn rung(&mut self) {
        self.alarm = Time::NEVER;
    }

    /// What the alarm has to be set to, if that is not what it is set to; it is from now on.
    pub(crate) fn new_alarm(&mut self) -> Option<Time> {
        let at = self.next_instant();
        (core::mem::replace(&mut self.alarm, at) != at).then_some(at)
    }

    /// An event at `at` asks for a job. Returns `true` if it is to be released at once, as of `at`;
    /// otherwise it is released by the clock, as soon as the separation allows.
    pub(crate) fn arrive(&mut self, at: Time) -> Result<bool, Error> {
        if !matches!(self.rule, Release::Sporadic { .. }) {
            return Err(Error::NotSporadic);
        }
        if self.early == 0 && at >= self.earliest {
            self.next = at;
            return Ok(true);
        }
        self.early = self.early.checked_add(1).ok_or(Error::Full)?;
        self.next = self.earliest;
        Ok(false)
    }

    /// Releases the job that [`Jobs::next_release`] announced, and announces the one after it.
    ///
    /// # Errors
    /// [`Error::Full`] if the job would have to wait, and no arrival can be kept. It is lost then,
    /// and the next one announced.
    pub(crate) fn release<S: Storage>(
        &mut self,
        arrivals: &mut Arrivals<S>,
    ) -> Result<Released, (Job, Error)> {
        self.last = self.last.saturating_add(1);
        let job = Job {
            number: self.last,
            release: self.next,
        };
        match self.rule {
            Release::Once => self.next = Time::NEVER,
            Release::Periodic { period } => self.next += period,
            Release::Sporadic { separation } => {
                self.earliest = self.next + separation;
                self.early = self.early.saturating_sub(1);
                self.next = if self.early > 0 {
                    self.earliest
                } else {
                    Time::NEVER
                };
            }
        }
        if self.current.is_none() {
            self.current = Some(job);
            self.watch = self.deadline(job);
            return Ok(Released::Current(job));
        }
        if self.on_miss == OnMiss::Skip {
            self.skipping = self.late > 0 || self.skipping && self.waiting > 0;
            if self.skipping {
                return Ok(Released::Skipped(job));
            }
        }
        let lost = (self.on_miss == OnMiss::Latest && self.late > 1).then(|| {
            self.late -= 1;
            self.take_oldest(arrivals)
        });
        if self.waiting == 0 {
            self.oldest = job;
        } else if matches!(self.rule, Release::Sporadic { .. }) {
            arrivals
                .push(&mut self.list, job)
                .map_err(|error| (job, error))?;
        }
        self.waiting += 1;
        if self.watch.is_never() {
            self.watch = self.deadline(job);
        }
        Ok(match lost {
            Some(lost) => Released::Replaces { job, lost },
            None => Released::Waits(job),
        })
    }

    /// The watched deadline has come: the job there is late. Returns it.
    pub(crate) fn miss<S: Storage>(&mut self, arrivals: &Arrivals<S>) -> Option<Job> {
        let job = self.job(self.late, arrivals)?;
        self.late += 1;
        self.rewatch(arrivals);
        Some(job)
    }

    /// One more job has missed its deadline.
    pub(crate) fn count_miss(&mut self) {
        self.missed = self.missed.saturating_add(1);
    }

    /// Returns how many jobs have missed their deadlines.
    pub(crate) fn missed(&self) -> u32 {
        self.missed
    }

    /// Whether the current job's deadline has passed and has not been noticed.
    pub(crate) fn current_is_late(&self, now: Time) -> bool {
        self.late == 0 && self.current.is_some_and(|job| now > self.deadline(job))
    }

    /// The current job is complete, or given up: the oldest waiting job, if there is one, is the
    /// current one now.
    pub(crate) fn complete<S: Storage>(&mut self, arrivals: &mut Arrivals<S>) {
        self.current = None;
        self.late = self.late.saturating_sub(1);
        if self.waiting > 0 {
            self.current = Some(self.take_oldest(arrivals));
        }
        self.rewatch(arrivals);
    }

    /// Takes out the oldest of the waiting jobs; there is one.
    fn take_oldest<S: Storage>(&mut self, arrivals: &mut Arrivals<S>) -> Job {
        let oldest = self.oldest;
        self.waiting -= 1;
        if self.waiting > 0 {
            self.oldest = match self.rule {
                Release::Periodic { period } => Job {
                    number: oldest.number.saturating_add(1),
                    release: oldest.release + period,
                },
                _ => arrivals.pop(&mut self.list).unwrap_or(oldest),
            };
        }
        oldest
    }

    /// From the release on that is announced, jobs come every `period` and are due `deadline` after
    /// their releases; so is the one that the thread works on.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the jobs are not periodic, if one of the times is zero, or if a job
    /// waits.
    pub(crate) fn retime(&mut self, period: Duration, deadline: Duration) -> Result<(), Error> {
        let Release::Periodic { period: rule } = &mut self.rule else {
            return Err(Error::Invalid);
        };
        if period.is_zero() || deadline.is_zero() || self.waiting > 0 {
            return Err(Error::Invalid);
        }
        *rule = period;
        self.deadline = deadline;
        // A late job stays late.
        if let Some(job) = self.current.filter(|_| self.late == 0) {
            self.watch = self.deadline(job);
        }
        Ok(())
    }

    /// Gives back all that the thread holds of the list of arrivals.
    pub(crate) fn clear<S: Storage>(&mut self, arrivals: &mut Arrivals<S>) {
        while arrivals.pop(&mut self.list).is_some() {}
        *self = Jobs::default();
        self.next = Time::NEVER;
        self.watch = Time::NEVER;
        self.timeout = Time::NEVER;
    }

    /// The job `n` places behind the current one, if it has been released.
    fn job<S: Storage>(&self, n: u32, arrivals: &Arrivals<S>) -> Option<Job> {
        let current = self.current?;
        match (n, self.rule) {
            (0, _) => Some(current),
            (n, _) if n > self.waiting => None,
            (1, _) => Some(self.oldest),
            (n, Release::Periodic { period }) => Some(Job {
                number: self.oldest.number.saturating_add(n - 1),
                release: self.oldest.release + period * u64::from(n - 1),
            }),
            (n, _) => arrivals.nth(self.list, n - 2),
        }
    }

    fn rewatch<S: Storage>(&mut self, arrivals: &Arrivals<S>) {
        self.watch = self
            .job(self.late, arrivals)
            .map_or(Time::NEVER, |job| self.deadline(job));
    }
}

/// Waiting jobs of all sporadic threads, in lists that run through one table.
pub(crate) struct Arrivals<S: Storage> {
    rows: S::Table<Row>,
    free: Option<u16>,
}

#[derive(Clone, Copy, Default)]
struct Row {
    job: Job,
    next: Option<u16>,
}

/// One thread's list: first and last row.
#[derive(Clone, Copy, Default)]
struct ArrivalList(Option<(u16, u16)>);

impl<S: Storage> Arrivals<S> {
    pub(crate) fn new(capacity: usize) -> Arrivals<S> {
        let mut rows: S::Table<Row> = Table::new(capacity, Row::default());
        let mut free = None;
        for row in (0..rows.capacity()).rev() {
            if let Ok(number) = u16::try_from(row) {
                rows[row].next = free.replace(number);
            }
        }
        Arrivals { rows, free }
    }

    fn push(&mut self, list: &mut ArrivalList, job: Job) -> Result<(), Error> {
        let row = self.free.ok_or(Error::Full)?;
        self.free = self.rows[usize::from(row)].next;
        self.rows[usize::from(row)] = Row { job, next: None };
        list.0 = Some(match list.0 {
            None => (row, row),
            Some((first, last)) => {
                self.rows[usize::from(last)].next = Some(row);
                (first, row)
            }
        });
        Ok(())
    }

    fn pop(&mut self, list: &mut ArrivalList) -> Option<Job> {
        let (first, last) = list.0?;
        let Row { job, next } = self.rows[usize::from(first)];
        list.0 = next.map(|next| (next, last));
        self.rows[usize::from(first)].next = self.free;
        self.free = Some(first);
        Some(job)
    }

    fn nth(&self, list: ArrivalList, n: u32) -> Option<Job> {
        let mut row = list.0?.0;
        for _ in 0..n {
            row = self.rows[usize::from(row)].next?;
        }
        Some(self.rows[usize::from(row)].job)
    }
}

#[cfg(test)]
mod tests;
