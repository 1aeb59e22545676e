//! What must hold between any two calls, whatever happened.

use super::world::Small;
use crate::Core;
use crate::mutex::Protocol;
use crate::thread::State;
use core::cmp::Ordering;
use flyball_policy::queue::links::List;
use flyball_policy::{Policy, Table};
use flyball_trace::{CpuId, Object, TaskId, Time};
use std::collections::HashMap;

impl<P: Policy, const CHECKS: bool, const CPUS: usize> Core<Small<P, CHECKS, CPUS>> {
    fn tasks(&self) -> impl Iterator<Item = TaskId> + use<P, CHECKS, CPUS> {
        let rows = u16::try_from(self.threads.capacity()).unwrap();
        (0..rows).map(TaskId)
    }

    /// Checks everything that must hold at any time. `settled`: the CPU has decided.
    pub(super) fn audit(&self, settled: bool) {
        self.audit_lists();
        self.audit_cpus(settled);
        self.audit_objects();
        for task in self.tasks() {
            let thread = &self.threads[task.index()];
            // The clock knows what is to happen to every thread.
            let alarm = if thread.state == State::Absent {
                Time::NEVER
            } else {
                self.jobs[task.index()].next_instant()
            };
            assert_eq!(self.alarms.at(task), alarm, "alarm of {task:?}");
            // The policy has queued exactly those that can run.
            let queued = self.policy.queued.contains(&task);
            assert_eq!(
                queued,
                thread.state == State::Ready,
                "{task:?} {:?}",
                thread.state
            );
            let timeout = self.jobs[task.index()].timeout();
            let absent = thread.state == State::Absent;
            assert_eq!(thread.limited, !absent && !timeout.is_never());
            // Only a wait can take too long, and only a condition variable's ends with a mutex.
            let waits = matches!(thread.state, State::Blocked(_));
            assert!(
                waits || absent || timeout.is_never(),
                "{task:?} waits for nothing too long"
            );
            let for_condition = matches!(thread.state, State::Blocked(Object::Condition(_)));
            assert_eq!(thread.reacquire.get().is_some(), for_condition, "{task:?}");
            // A thread that was unparked before it parked itself did not wait.
            let parked = thread.state == State::Blocked(Object::Token);
            assert!(!(parked && thread.token), "{task:?} sleeps on its token");
            // A job begins without memory of how the last one's wait ended.
            assert!(!thread.restart || !thread.timed_out || waits, "{task:?}");
            self.audit_donor(task);
            // A thread that works on a job is not dormant, and the other way round.
            if thread.state != State::Absent {
                let works = self.jobs[task.index()].current().is_some();
                assert_eq!(
                    works,
                    thread.state != State::Dormant,
                    "{task:?} {:?}",
                    thread.state
                );
            }
        }
    }

    /// A thread that lends its urgency waits for a mutex of the thread that inherits it.
    fn audit_donor(&self, task: TaskId) {
        if let Some(donor) = self.threads[task.index()].donor.get() {
            let State::Blocked(Object::Mutex(mutex)) = self.threads[donor.index()].state else {
                panic!("{donor:?} lends to {task:?} and waits for no mutex");
            };
            let mutex = &self.mutexes.rows[usize::from(mutex)];
            assert!(mutex.owner.holds(task));
            assert_eq!(mutex.protocol(), Protocol::Inherit);
        }
    }

    /// Every thread is in the list that its state names, and in no other.
    fn audit_lists(&self) {
        let mut found: HashMap<TaskId, Option<Object>> = HashMap::new();
        let mut collect = |list: List, object: Option<Object>| {
            for task in self.links.iter(list) {
                assert_eq!(found.insert(task, object), None, "{task:?} is in two lists");
            }
        };
        collect(self.free, None);
        let rows = |table: u16| 0..table;
        for n in rows(self.mutexes.made) {
            collect(
                self.mutexes.rows[usize::from(n)].waiters,
                Some(Object::Mutex(n)),
            );
        }
        for n in rows(self.semaphores.made) {
            collect(
                self.semaphores.rows[usize::from(n)].waiters,
                Some(Object::Semaphore(n)),
            );
        }
        for n in rows(self.conditions.made) {
            collect(
                self.conditions.rows[usize::from(n)].waiters,
                Some(Object::Condition(n)),
            );
        }
        for n in rows(self.queues.made) {
            collect(
                self.queues.rows[usize::from(n)].waiters,
                Some(Object::Queue(n)),
            );
        }
        for task in self.tasks() {
            collect(
                self.threads[task.index()].joiners,
                Some(Object::Task(task.0)),
            );
        }
        for task in self.tasks() {
            let expected = match self.threads[task.index()].state {
                State::Absent => Some(None),
                State::Blocked(Object::Clock | Object::Token) | State::Ready | State::Dormant => {
                    None
                }
                State::Blocked(object) => Some(Some(object)),
            };
            assert_eq!(found.get(&task).copied(), expected, "list of {task:?}");
        }
    }

    /// One running thread a CPU, and no thread on two. `settled`: the threads that wait are no more
    /// urgent than those that run, and no CPU idles meanwhile.
    fn audit_cpus(&self, settled: bool) {
        let cpus = || (0..self.cpus.capacity()).map(|cpu| CpuId(u8::try_from(cpu).unwrap()));
        let running = |cpu| self.running(cpu).map(|thread| thread.task);
        for task in self.tasks() {
            let on: Vec<_> = cpus().filter(|&cpu| running(cpu) == Some(task)).collect();
            assert!(on.len() <= 1, "{task:?} runs in two places");
            assert_eq!(self.cpu_of(task), on.first().copied(), "{task:?}");
        }
        let is_ready = |task: &TaskId| self.threads[task.index()].state == State::Ready;
        for cpu in cpus() {
            // A CPU that has to reschedule may still run a thread that another CPU has taken out.
            if let Some(task) = running(cpu)
                && !(CPUS > 1 && self.needs_resched(cpu))
            {
                assert!(is_ready(&task), "{task:?} runs on {cpu:?}");
            }
        }
        if settled {
            let runs: Vec<_> = cpus().filter_map(running).collect();
            let (there, waits): (Vec<_>, Vec<_>) = self
                .tasks()
                .filter(is_ready)
                .partition(|task| runs.contains(task));
            assert!(
                waits.is_empty() || there.len() == CPUS,
                "a CPU idles although a thread is ready"
            );
            for (waits, runs) in waits
                .iter()
                .flat_map(|a| there.iter().map(move |b| (*a, *b)))
            {
                assert_ne!(self.policy.compare(waits, runs), Ordering::Less);
            }
        }
    }

    /// No wake-up was lost, and mutexes know their owners.
    fn audit_objects(&self) {
        let row = |n: u16| usize::from(n);
        for n in 0..self.semaphores.made {
            let semaphore = &self.semaphores.rows[row(n)];
            assert!(semaphore.count == 0 || semaphore.waiters.is_empty());
        }
        for n in 0..self.queues.made {
            self.queues.rows[row(n)].audit();
        }
        let mut held = 0;
        for task in self.tasks() {
            let mut at = self.threads[task.index()].wanted.get();
            while let Some(n) = at {
                held += 1;
                assert!(self.mutexes.rows[row(n)].owner.holds(task));
                assert!(!self.mutexes.rows[row(n)].waiters.is_empty());
                assert!(held <= self.mutexes.made, "a ring of held mutexes");
                at = self.mutexes.rows[row(n)].next_wanted.get();
            }
        }
        let wanted = |n: &u16| !self.mutexes.rows[row(*n)].waiters.is_empty();
        assert_eq!(
            (0..self.mutexes.made).filter(wanted).count(),
            usize::from(held)
        );
        for n in 0..self.mutexes.made {
            let mutex = &self.mutexes.rows[row(n)];
            let Some(owner) = mutex.owner.get() else {
                assert!(
                    mutex.waiters.is_empty(),
                    "mutex {n} is free, and someone waits"
                );
                continue;
            };
            for waiter in self.links.iter(mutex.waiters) {
                if mutex.protocol() == Protocol::Inherit {
                    assert_ne!(
                        self.policy.compare(waiter, owner),
                        Ordering::Less,
                        "mutex {n}"
                    );
                }
            }
        }
    }

    /// The CPU time of all threads, dead ones included.
    pub(super) fn used_by_all(&self) -> u64 {
        self.tasks()
            .map(|task| self.used[task.index()].as_nanos())
            .sum()
    }
}

impl<P: Policy, const CHECKS: bool, const CPUS: usize> Core<Small<P, CHECKS, CPUS>> {
    /// The messages that threads carry.
    pub(super) fn threads_messages(&self) -> Vec<u32> {
        self.tasks()
            .map(|task| self.threads[task.index()].message)
            .collect()
    }

    /// The messages in all queues.
    pub(super) fn queued_messages(&self) -> Vec<u32> {
        let queues = (0..self.queues.made).map(|n| &self.queues.rows[usize::from(n)]);
        queues
            .flat_map(|queue| (0..queue.len()).map(|n| self.messages.rows[queue.row(n)]))
            .collect()
    }
}
