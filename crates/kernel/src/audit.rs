//! What must hold between any two events, whatever happened.
//!
//! With the feature `audit` every kernel entry ends with [`Core::audit`], which panics where the
//! tables contradict each other: for images that are debugged, and for simulations of soak runs. It
//! looks at every row of every table, so an entry takes far longer, and so do measured times.

use crate::Core;
use crate::config::Config;
use crate::mutex::Protocol;
use crate::objects::{ObjectStore, Sort};
use crate::thread::{Outcome, State};
use core::cmp::Ordering;
use flyball_policy::queue::links::List;
use flyball_policy::{Policy, Table};
use flyball_trace::{CpuId, Object, TaskId, Time};

impl<C: Config> Core<C> {
    /// Checks what must hold at any time. O(threads + objects + CPUs · threads), and with
    /// inheritance as often as `Policy::compare` takes for each thread that waits for a mutex.
    ///
    /// # Panics
    /// If something does not hold, which is a fault of the kernel or of the policy.
    pub(crate) fn audit(&self) {
        self.audit_lists();
        self.audit_cpus();
        self.audit_objects();
        for task in self.rows() {
            self.audit_thread(task);
            self.audit_donor(task);
        }
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = TaskId> + use<C> {
        (0..self.threads.capacity()).map(TaskId::from_index)
    }

    fn audit_thread(&self, task: TaskId) {
        let thread = &self.threads[task.index()];
        let absent = thread.state == State::Absent;
        let waits = matches!(thread.state, State::Blocked(_));
        // Only a condition variable's wait ends with a mutex.
        let for_condition = matches!(thread.state, State::Blocked(Object::Condition(_)));
        assert_eq!(thread.reacquire.is_some(), for_condition, "{task:?}");
        // A thread that was unparked before it parked itself did not wait.
        let parked = thread.state == State::Blocked(Object::Token);
        assert!(!(parked && thread.token), "{task:?} sleeps on its token");
        // A job begins without memory of how the last one's wait ended.
        assert!(
            !thread.restart || thread.outcome == Outcome::Done || waits,
            "{task:?}"
        );
        if self.jobs.capacity() == 0 {
            return;
        }
        let jobs = &self.jobs[task.index()];
        // The clock knows what is to happen to every thread.
        let alarm = if absent {
            Time::NEVER
        } else {
            jobs.next_instant()
        };
        assert_eq!(self.alarms.at(task), alarm, "alarm of {task:?}");
        let timeout = jobs.timeout();
        assert_eq!(thread.limited, !absent && !timeout.is_never(), "{task:?}");
        // Only a wait can take too long.
        assert!(
            waits || absent || timeout.is_never(),
            "{task:?} waits for nothing too long"
        );
        // A thread that works on a job is not dormant, and the other way round.
        let dormant = thread.state == State::Dormant;
        assert!(
            absent || jobs.current().is_some() != dormant,
            "{task:?} {:?}",
            thread.state
        );
    }

    /// A thread that lends its urgency waits for a mutex of the thread that inherits it.
    fn audit_donor(&self, task: TaskId) {
        if let Some(donor) = self.threads[task.index()].donor.get() {
            assert_eq!(
                self.blocker(donor),
                Some(task),
                "{donor:?} lends to {task:?}"
            );
            assert_eq!(self.protocol_of(donor), Protocol::Inherit);
        }
    }

    /// Every thread is in the list that its state names, and in no other: those in a list are of
    /// its state, and no fewer threads are of that state than there are in lists.
    fn audit_lists(&self) {
        let mut listed = 0;
        let mut check = |list: List, object: Option<Object>| {
            for task in self.links.iter(list) {
                let state = self.threads[task.index()].state;
                assert_eq!(
                    state,
                    object.map_or(State::Absent, State::Blocked),
                    "{task:?}"
                );
                listed += 1;
                assert!(listed <= self.threads.capacity(), "a list without an end");
            }
        };
        check(self.free, None);
        for (_, first) in self.waited_for() {
            let thread = &self.threads[first.index()];
            let State::Blocked(object) = thread.state else {
                unreachable!("{first:?} waits")
            };
            for waiter in self.links.iter(self.links.from(first)) {
                assert_eq!(
                    self.threads[waiter.index()].place,
                    thread.place,
                    "{waiter:?}"
                );
            }
            check(self.links.from(first), Some(object));
        }
        for n in 0..self.queues.made {
            let waiters = self.queues.rows[usize::from(n)].waiters;
            check(waiters, Some(Object::Queue(n)));
        }
        for task in self.rows() {
            let joiners = self.threads[task.index()].joiners;
            check(joiners, Some(Object::Task(task.0)));
        }
        let in_list = |task: &TaskId| match self.threads[task.index()].state {
            State::Ready | State::Dormant | State::Blocked(Object::Clock | Object::Token) => false,
            State::Absent | State::Blocked(_) => true,
        };
        assert_eq!(listed, self.rows().filter(in_list).count(), "lost threads");
    }

    /// One running thread a CPU, and no thread on two.
    fn audit_cpus(&self) {
        let cpus = || (0..=u8::MAX).map(CpuId).take(self.cpus.capacity());
        for task in self.rows() {
            let on = cpus().filter(|&cpu| self.running_task(cpu) == Some(task));
            assert!(on.count() <= 1, "{task:?} runs in two places");
        }
        for cpu in cpus() {
            // A CPU that has to decide may still run a thread that waits, or has been taken out.
            if let Some(task) = self.running_task(cpu)
                && !self.needs_resched(cpu)
            {
                let state = self.threads[task.index()].state;
                assert_eq!(state, State::Ready, "{task:?} runs on {cpu:?}");
            }
        }
    }

    /// No wake-up was lost, and mutexes know their owners.
    fn audit_objects(&self) {
        for n in 0..self.queues.made {
            let queue = &self.queues.rows[usize::from(n)];
            queue.audit();
            // Each job that has not begun has its message there.
            if let Some((task, messages)) = queue.trigger() {
                let jobs = &self.jobs[task.index()];
                assert_eq!(jobs.outstanding(), messages, "queue {n}");
            }
        }
        let mut wanted = 0;
        for task in self.rows() {
            let mut at = self.threads[task.index()].wanted.get();
            while let Some(first) = at {
                wanted += 1;
                let held = self.threads[first.index()].held;
                assert!(held.owner.holds(task), "{first:?} waits for {task:?}");
                assert_eq!(self.blocker(first), Some(task));
                assert!(wanted <= self.threads.capacity(), "a ring of mutexes");
                at = held.next.get();
            }
        }
        let mut owned = 0;
        for (sort, first) in self.waited_for() {
            if sort == Sort::Mutex
                && let Some(owner) = self.threads[first.index()].held.owner.get()
            {
                owned += 1;
                self.audit_mutex(owner, first);
            }
        }
        assert_eq!(
            owned, wanted,
            "a mutex that its owner does not know is waited for"
        );
    }

    /// Threads wait for a mutex of `owner`, `first` first.
    fn audit_mutex(&self, owner: TaskId, first: TaskId) {
        for waiter in self.links.iter(self.links.from(first)) {
            assert!(
                self.protocol_of(waiter) != Protocol::Inherit
                    || self.tells_waits()
                    || self.policy.compare(waiter, owner) != Ordering::Less,
                "{owner:?} has not inherited from {waiter:?}"
            );
        }
    }

    /// The first of the threads that wait for each mutex, semaphore and condition variable.
    pub(crate) fn waited_for(&self) -> impl Iterator<Item = (Sort, TaskId)> {
        self.rows().filter_map(|task| {
            let sort = match self.threads[task.index()].state {
                State::Blocked(Object::Mutex(_)) => Sort::Mutex,
                State::Blocked(Object::Semaphore(_)) => Sort::Semaphore,
                State::Blocked(Object::Condition(_)) => Sort::Condition,
                _ => return None,
            };
            let place = self.threads[task.index()].place?;
            let first = self.objects.state(sort, place, true).ok()?.first()?;
            (first == task.0).then_some((sort, task))
        })
    }
}
