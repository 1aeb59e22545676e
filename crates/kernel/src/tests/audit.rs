//! What must hold between any two calls, whatever happened, and can be seen only from tests.

use super::world::{Small, TestObjects};
use crate::mutex::Protocol;
use crate::objects::Sort;
use crate::thread::State;
use crate::{Core, QueueId};
use core::cmp::Ordering;
use flyball_policy::{Policy, Table};
use flyball_trace::{CpuId, TaskId};

impl<P: Policy, const CHECKS: bool, const CPUS: usize, O: TestObjects>
    Core<Small<P, CHECKS, CPUS, O>>
{
    /// As [`Core::audit`], and the policy has queued exactly the threads that can run. `settled`:
    /// the CPUs have decided, so the threads that wait are no more urgent than those that run, and
    /// no CPU idles meanwhile.
    pub(super) fn audit_all(&self, settled: bool) {
        self.audit();
        let is_ready = |task: &TaskId| self.threads[task.index()].state == State::Ready;
        for task in self.rows() {
            let queued = self.policy.queued.contains(&task);
            assert_eq!(queued, is_ready(&task), "{task:?}");
        }
        self.audit_waits();
        if !settled {
            return;
        }
        let cpus = (0..=u8::MAX).map(CpuId).take(self.cpus.capacity());
        let runs: Vec<_> = cpus.filter_map(|cpu| self.running_task(cpu)).collect();
        let (there, waits): (Vec<_>, Vec<_>) = self
            .rows()
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
            let order = self.policy.compare(waits, runs);
            assert!(!self.policy.ranks || order != Ordering::Less);
        }
    }

    /// A policy that wants to know which task waits for which knows just that.
    fn audit_waits(&self) {
        let mut waiting = self.policy.waiting.clone();
        let mutexes = self.waited_for().filter(|_| self.tells_waits());
        for (_, first) in mutexes.filter(|&(sort, _)| sort == Sort::Mutex) {
            let Some(owner) = self.threads[first.index()].held.owner.get() else {
                continue;
            };
            let inherits = self.protocol_of(first) == Protocol::Inherit;
            for waiter in self.links.iter(self.links.from(first)) {
                let told = waiting.remove(&waiter);
                assert_eq!(told, inherits.then_some(owner));
                if told.is_some() && self.policy.ranks {
                    let order = self.policy.compare(waiter, owner);
                    assert_ne!(order, Ordering::Less, "{owner:?} does not inherit");
                }
            }
        }
        assert!(waiting.is_empty(), "{waiting:?}");
    }

    /// The CPU time of all threads, dead ones included.
    pub(super) fn used_by_all(&self) -> u64 {
        self.rows().map(|task| self.used[task.index()]).sum()
    }
}

impl<P: Policy, const CHECKS: bool, const CPUS: usize, O: TestObjects>
    Core<Small<P, CHECKS, CPUS, O>>
{
    /// The messages that threads carry.
    pub(super) fn threads_messages(&self) -> Vec<u32> {
        self.rows().map(|task| self.hands[task.index()]).collect()
    }

    /// The messages in a queue, the oldest first.
    pub(super) fn messages_of(&self, queue: QueueId) -> Vec<u32> {
        let queue = &self.queues.rows[usize::from(queue.0)];
        (0..queue.len())
            .map(|n| self.messages.rows[queue.row(n)])
            .collect()
    }

    /// The messages in all queues.
    pub(super) fn queued_messages(&self) -> Vec<u32> {
        (0..self.queues.made)
            .flat_map(|n| self.messages_of(QueueId(n)))
            .collect()
    }
}

/// The audit can fail.
#[test]
#[should_panic(expected = "lost threads")]
fn a_lost_thread_is_found() {
    let mut world = super::world::fixed();
    world.core.audit();
    let free = world.core.free;
    world.core.free = flyball_policy::queue::links::List::EMPTY;
    assert!(!free.is_empty(), "there are threads to lose");
    world.core.audit();
}
