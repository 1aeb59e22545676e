//! Blocking, waking and timing out.
//!
//! A blocked thread is in exactly one list, that of the object it waits for; a sleeping one is in
//! none. Lists are in the order of arrival. The policy says at the moment of serving which thread
//! is served first ([`Core::most_urgent`]), so an urgency that changes while a thread waits can put
//! nothing out of order. That makes serving O(waiters); entering and leaving a list is O(1).

use crate::config::Config;
use crate::objects::{ANY, Sort};
use crate::thread::{Outcome, State};
use crate::{Core, Error, ThreadId};
use core::cmp::Ordering;
use flyball_policy::queue::links::{Links, List};
use flyball_policy::{Policy, Ready, Stop, Storage};
use flyball_trace::{CpuId, Kind, Object, Sink, TaskId, Time};

/// Of a list that is not empty; see [`Core::most_urgent`].
#[inline]
fn most_urgent<S: Storage>(links: &Links<S>, policy: &impl Policy, list: List) -> TaskId {
    let first = list.head();
    let (mut best, mut other) = (first, links.after(first));
    while other != first {
        if policy.compare(other, best) == Ordering::Less {
            best = other;
        }
        other = links.after(other);
    }
    best
}

/// Takes the most urgent thread out of a list.
#[inline]
pub(crate) fn take_most_urgent<S: Storage>(
    links: &mut Links<S>,
    policy: &impl Policy,
    list: &mut List,
) -> Option<TaskId> {
    (!list.is_empty()).then(|| take_of_some(links, policy, list))
}

/// The same of a list that is known not to be empty.
#[inline]
pub(crate) fn take_of_some<S: Storage>(
    links: &mut Links<S>,
    policy: &impl Policy,
    list: &mut List,
) -> TaskId {
    let first = list.head();
    // A small image has one way for one and for many.
    if !cfg!(feature = "small") && links.is_alone(first) {
        links.remove(list, first);
        return first;
    }
    take_among(links, policy, list)
}

#[cold]
pub(crate) fn take_among<S: Storage>(
    links: &mut Links<S>,
    policy: &impl Policy,
    list: &mut List,
) -> TaskId {
    let task = most_urgent(links, policy, *list);
    links.remove(list, task);
    task
}

impl<C: Config> Core<C> {
    /// How the wait ended that the running thread of `cpu` came back from.
    ///
    /// # Errors
    /// [`Error::TimedOut`], [`Error::Roused`]; [`Error::NoThread`].
    pub fn outcome(&mut self, cpu: CpuId) -> Result<(), Error> {
        let caller = self.caller(cpu)?;
        let outcome = &mut self.threads[caller.index()].outcome;
        match core::mem::replace(outcome, Outcome::Done) {
            Outcome::Done => Ok(()),
            Outcome::TimedOut => Err(Error::TimedOut),
            Outcome::Roused => Err(Error::Roused),
        }
    }

    /// Ends the wait of a thread early, which then is told [`Error::Roused`]; one that waits on a condition variable
    /// takes its mutex again first. Returns whether it waited. A wait for a mutex is not ended, so that a thread which
    /// has to have it can rely on that; nor is the wait of a thread for its next job. An interrupt may call this. O(1) but for what follows from
    /// the mutex.
    ///
    /// # Errors
    /// [`Error::Dead`], [`Error::Unknown`].
    pub fn rouse(&mut self, cpu: CpuId, thread: ThreadId, now: Time) -> Result<bool, Error> {
        let task = self.find(thread)?;
        match self.threads[task.index()].state {
            State::Blocked(object) if !matches!(object, Object::Mutex(_)) => {
                if !C::TIMEOUTS {
                    // It may sleep: no thread that does is woken otherwise.
                    self.lift_limit(task);
                }
                self.give_up(cpu, task, object, Outcome::Roused, now);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// As [`Core::rouse`] for a thread that waits for a mutex, and for nothing else: not one whose wait on a
    /// condition variable has ended and that takes its mutex again. The caller knows that of the thread.
    ///
    /// # Errors
    /// [`Error::Dead`], [`Error::Unknown`].
    pub fn rouse_from_mutex(
        &mut self,
        cpu: CpuId,
        thread: ThreadId,
        now: Time,
    ) -> Result<bool, Error> {
        let task = self.find(thread)?;
        match self.threads[task.index()].state {
            State::Blocked(object @ Object::Mutex(_)) => {
                self.give_up(cpu, task, object, Outcome::Roused, now);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The task of a thread that has not ended.
    ///
    /// # Errors
    /// [`Error::Dead`], [`Error::Unknown`].
    pub fn living(&self, thread: ThreadId) -> Result<TaskId, Error> {
        self.find(thread)
    }

    /// Whether a wait until `until` may begin `now`.
    #[inline]
    pub(crate) fn may_wait(until: Time, now: Time) -> Result<(), Error> {
        if until <= now {
            return Err(Error::TimedOut);
        }
        if C::TIMEOUTS || until.is_never() {
            Ok(())
        } else {
            Err(Error::Full)
        }
    }

    /// The running thread waits for `object`, until `until` at the latest. Returns the thread; the
    /// caller puts it into the list of the object.
    #[expect(
        clippy::inline_always,
        reason = "a call and a return cost as much as what is done here"
    )]
    #[inline(always)]
    pub(crate) fn block(
        &mut self,
        cpu: CpuId,
        object: Object,
        until: Time,
        now: Time,
    ) -> Result<TaskId, Error> {
        let task = self.caller(cpu)?;
        Self::may_wait(until, now)?;
        self.block_caller(cpu, task, object, until, now);
        Ok(task)
    }

    /// The same for a thread that is known to run, and to have time to wait.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(crate) fn block_caller(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        object: Object,
        until: Time,
        now: Time,
    ) {
        self.emit_block(cpu, task, object, now);
        self.await_object(task, object, until);
        // The outcome of the last wait may not have been asked for.
        self.threads[task.index()].outcome = Outcome::Done;
        // Last, as what it waits for need not be remembered meanwhile.
        self.stop(cpu, task, Stop::Blocked, now);
    }

    /// `task` begins to wait for `object`; which mutex, semaphore or condition variable that is, its place says.
    #[inline]
    pub(crate) fn emit_block(&mut self, cpu: CpuId, task: TaskId, object: Object, now: Time) {
        if C::Trace::ENABLED {
            let place = self.threads[task.index()].place;
            let mut number = |sort| place.map_or(ANY, |place| self.number_of(sort, place));
            let on = match object {
                Object::Mutex(_) => Object::Mutex(number(Sort::Mutex)),
                Object::Semaphore(_) => Object::Semaphore(number(Sort::Semaphore)),
                Object::Condition(_) => Object::Condition(number(Sort::Condition)),
                object => object,
            };
            let job = self.present_job(task);
            self.emit(now, cpu, Kind::Block { task, job, on });
        }
    }

    /// `task`, whose wait had no limit so far, waits for `object`.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(crate) fn await_object(&mut self, task: TaskId, object: Object, until: Time) {
        let thread = &mut self.threads[task.index()];
        thread.state = State::Blocked(object);
        if (C::TIMEOUTS || object == Object::Clock) && !until.is_never() {
            thread.limited = true;
            self.limit(task, until);
        }
    }

    /// `task` can go on.
    #[inline]
    pub(crate) fn wake(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let thread = &mut self.threads[task.index()];
        thread.state = State::Ready;
        if C::TIMEOUTS && thread.limited {
            self.lift_limit(task);
        }
        let job = self.present_job(task);
        self.emit(now, cpu, Kind::Wake { task, job });
        let resched = self.policy.ready(cpu, task, Ready::Unblocked, now);
        self.attend(resched);
        self.follow_server_of(cpu, task, now);
    }

    /// The wait of `task` has ended in time. By itself, as it takes more registers than all else in
    /// [`Core::wake`].
    #[inline(never)]
    fn lift_limit(&mut self, task: TaskId) {
        self.threads[task.index()].limited = false;
        self.limit(task, Time::NEVER);
    }

    /// Takes `task` out of the list that it waits in, if it is in one, of a queue or of another thread's end.
    pub(crate) fn unlink(&mut self, task: TaskId) {
        match self.threads[task.index()].state {
            // There is such a queue, since it is waited for.
            State::Blocked(Object::Queue(n)) => {
                if let Ok(row) = self.queues.get(n, false) {
                    self.links.remove(&mut row.waiters, task);
                    row.settle();
                }
            }
            State::Blocked(Object::Task(n)) => {
                let joiners = &mut self.threads[usize::from(n)].joiners;
                self.links.remove(joiners, task);
            }
            // A thread that sleeps or is parked waits in no list.
            _ => {}
        }
    }

    /// The wait of `task` has taken too long (or, if it slept, just long enough): its alarm, which
    /// has been taken out, was at `at`.
    #[inline]
    pub(crate) fn time_out(&mut self, cpu: CpuId, task: TaskId, at: Time, now: Time) {
        let thread = &mut self.threads[task.index()];
        thread.limited = false;
        match thread.state {
            State::Blocked(Object::Clock) => self.wake(cpu, task, now),
            State::Blocked(object) if C::TIMEOUTS => {
                self.give_up(cpu, task, object, Outcome::TimedOut, now);
            }
            _ => self.start(cpu, task, at, now),
        }
    }

    /// `task` does not get what it waited for.
    #[cold]
    #[inline(never)]
    fn give_up(&mut self, cpu: CpuId, task: TaskId, object: Object, outcome: Outcome, now: Time) {
        self.withdraw(cpu, task, object, now);
        let thread = &mut self.threads[task.index()];
        thread.outcome = outcome;
        self.come_back(cpu, task, now);
    }

    /// `task` does not wait any more, unless it waited on a condition variable: then for its mutex.
    pub(crate) fn come_back(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if C::CONDITIONS
            && let Some(mutex) = self.threads[task.index()].reacquire.take()
        {
            self.acquire_again(cpu, task, mutex, now);
        } else {
            self.wake(cpu, task, now);
        }
    }

    /// `task` does not wait for `object` any more.
    pub(crate) fn withdraw(&mut self, cpu: CpuId, task: TaskId, object: Object, now: Time) {
        match object {
            Object::Mutex(_) if C::OBJECTS => self.leave_mutex(cpu, task, now),
            Object::Semaphore(_) if C::OBJECTS => self.leave_waiters(Sort::Semaphore, task),
            Object::Condition(_) if C::CONDITIONS => self.leave_waiters(Sort::Condition, task),
            _ => self.unlink(task),
        }
    }

    /// The most urgent thread in a list that is not empty, and of several the one that has waited longest.
    #[inline]
    pub(crate) fn most_urgent_of(&self, list: List) -> TaskId {
        most_urgent(&self.links, &self.policy, list)
    }
}
