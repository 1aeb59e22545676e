//! Priority inheritance: which thread acts with the urgency of which, and what the policy is told of it. The beginning of
//! [`mutex`](crate::mutex) says what that is.

use crate::Core;
use crate::config::Config;
use crate::mutex::Protocol;
use crate::objects::ObjectStore;
use core::cmp::Ordering;
use flyball_policy::Policy;
use flyball_policy::queue::links::List;
use flyball_trace::{CpuId, Kind, Slot, TaskId, Time};

impl<C: Config> Core<C> {
    /// Whether the policy is told which thread waits for which, and decides itself what follows.
    #[inline]
    pub(crate) fn tells_waits(&self) -> bool {
        C::Policy::WANTS.waits && self.policy.takes_waits()
    }

    /// Tells the policy that `task` waits for its mutex, of `owner`, or for none any more, if the mutex
    /// has inheritance.
    #[inline(never)]
    pub(crate) fn tell_wait(&mut self, task: TaskId, owner: Option<TaskId>, now: Time) {
        if self.protocol_of(task) == Protocol::Inherit {
            let resched = self.policy.waits(task, owner, now);
            self.attend(resched);
        }
    }

    /// Tells the policy that `heir`, which waits no more, has a mutex that `waiters` go on waiting for.
    #[inline(never)]
    pub(crate) fn tell_new_owner(&mut self, heir: TaskId, waiters: List, now: Time) {
        self.tell_wait(heir, None, now);
        self.tell_all(waiters, Some(heir), now);
    }

    /// Tells the policy that `waiters` wait for a mutex of `owner`, or for one that has no owner any more.
    pub(crate) fn tell_all(&mut self, waiters: List, owner: Option<TaskId>, now: Time) {
        let mut at = waiters.first();
        while let Some(waiter) = at {
            self.tell_wait(waiter, owner, now);
            at = Some(self.links.after(waiter)).filter(|&next| Some(next) != waiters.first());
        }
    }

    /// Finds out anew from which thread `task` inherits, then the same for the owner of the mutex
    /// that it waits for, and so on. Does nothing if the policy finds that out itself.
    pub(crate) fn inherit(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if self.tells_waits() {
            return;
        }
        let mut at = Some(task);
        for _ in 0..self.links.capacity() {
            let Some(task) = at else { return };
            self.inherit_once(cpu, task, now);
            at = self.blocker(task);
        }
    }

    fn inherit_once(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        let old = self.threads[task.index()].donor;
        let mut donor = Slot::from(self.most_urgent_waiter(task));
        if donor.is_empty() && old.is_empty() {
            return;
        }
        if donor != old {
            // Compare with the task's own urgency, not with what it had inherited.
            self.inherit_from(task, None, now);
            let urges = |donor| self.policy.compare(donor, task) == Ordering::Less;
            if !donor.get().is_some_and(urges) {
                donor = Slot::EMPTY;
            }
        }
        if !donor.is_empty() {
            self.inherit_from(task, donor.get(), now);
        }
        // The policy has taken it once.
        let _ = self.raise_again(task, now);
        self.threads[task.index()].donor = donor;
        if donor != old {
            let (to, from) = (task, donor.get());
            self.emit(now, cpu, Kind::Inherit { to, from });
        }
    }

    /// `to` acts with the urgency of `from`, if that is more than its own.
    fn inherit_from(&mut self, to: TaskId, from: Option<TaskId>, now: Time) {
        let resched = self.policy.inherit(to, from, now);
        self.attend(resched);
    }

    /// The most urgent thread that waits for a mutex of `task` with inheritance.
    fn most_urgent_waiter(&self, task: TaskId) -> Option<TaskId> {
        let mut best: Option<TaskId> = None;
        let mut at = self.threads[task.index()].wanted.get();
        while let Some(first) = at {
            if self.protocol_of(first) == Protocol::Inherit {
                let waiter = self.most_urgent_of(self.links.from(first));
                if best.is_none_or(|best| self.policy.compare(waiter, best) == Ordering::Less) {
                    best = Some(waiter);
                }
            }
            at = self.held(first).next.get();
        }
        best
    }

    /// The protocol of the mutex that `task` waits for.
    #[inline]
    pub(crate) fn protocol_of(&self, task: TaskId) -> Protocol {
        let place = self.threads[task.index()].place;
        place.map_or(Protocol::None, |place| self.objects.protocol(place))
    }
}
