//! The two arrays, and what a tick does to them.

use super::member::Woken;
use super::{LinuxO1, LinuxVersion};
use crate::grouping::Grouping;
use crate::order::Level;
use crate::policy::{ONLY_CPU, Resched};
use crate::queue::{End, Queue};
use flyball_trace::{TaskId, Time};

impl<Q: Queue<Level>> LinuxO1<Q> {
    /// How often the clock has ticked by `now`.
    pub(super) fn ticks(&self, now: Time) -> u64 {
        now.as_nanos() / self.rules.tick()
    }

    /// The first tick after `now`.
    pub(super) fn tick_after(&self, now: Time) -> Time {
        let ticks = self.ticks(now).saturating_add(1);
        Time::from_nanos(ticks.saturating_mul(self.rules.tick()))
    }

    pub(super) fn active(&mut self) -> &mut Q {
        &mut self.arrays[self.active]
    }

    pub(super) fn is_active(&self, task: TaskId) -> bool {
        self.arrays[self.active].key(task).is_some()
    }

    /// Puts a task that is in neither array into the active one.
    pub(super) fn activate(&mut self, task: TaskId, end: End) {
        let key = self.members[task.index()].key();
        self.active().put(task, key, end);
    }

    /// Takes a task out of its array. Returns which one it was; `None`: it was in none.
    pub(super) fn remove(&mut self, task: TaskId) -> Option<usize> {
        (0..2).find(|&array| self.arrays[array].remove(task).is_some())
    }

    /// Queues `task` anew, if it is queued, after its level has changed. A running task is ahead of
    /// its equals there; any other is behind them. One that inherits a level and one of real time are
    /// in the active array.
    pub(super) fn requeue(&mut self, task: TaskId) -> Resched {
        let Some(array) = self.remove(task) else {
            return Resched::None;
        };
        let member = &self.members[task.index()];
        let key = member.key();
        let array = if member.inherits() || !member.task.is_normal() {
            self.active
        } else {
            array
        };
        if self.running.holds(task) {
            self.arrays[array].put(task, key, End::Head);
            return Resched::One(ONLY_CPU);
        }
        self.arrays[array].put(task, key, End::Tail);
        if array == self.active {
            self.preempts(key)
        } else {
            Resched::None
        }
    }

    /// Returns the CPU if it must reschedule because of a task with this key in the active array: the
    /// one that runs is less urgent, or none runs.
    pub(super) fn preempts(&self, key: Level) -> Resched {
        let running = self.running.get();
        if running.is_some_and(|running| self.members[running.index()].key() <= key) {
            return Resched::None;
        }
        Resched::One(ONLY_CPU)
    }

    /// Puts a task that is in neither array into the expired one, where others must not wait for it.
    pub(super) fn expire(&mut self, task: TaskId) {
        let member = &self.members[task.index()];
        let (key, level) = (member.key(), member.task.static_level());
        self.arrays[1 - self.active].put(task, key, End::Tail);
        self.best_expired = self.best_expired.min(level);
    }

    /// Whether tasks have waited in the expired array for too long, or one is there whose nice value is
    /// better than that of `task`.
    pub(super) fn starves(&self, task: TaskId, ticks: u64) -> bool {
        let most = u64::from(self.rules.most_sleep()) * u64::from(self.ready) + 1;
        self.expired_at.is_some_and(|at| ticks - at >= most)
            || self.members[task.index()].task.static_level() > self.best_expired
    }

    /// The CPU is ready for the group of `task`, which is about to run.
    pub(super) fn serve(&mut self, task: TaskId) {
        if Q::GROUPS > 1 {
            let group = self.group(task);
            self.active().serve(task);
            self.arrays[1 - self.active].prefer(group);
        }
    }

    /// `task` of the active array begins to run. If it was woken, it has waited for the CPU since, and
    /// that counts as sleep: in full, or 38 parts of 128 of it.
    pub(super) fn dispatched(&mut self, task: TaskId, now: Time) {
        let rules = self.rules;
        let member = &mut self.members[task.index()];
        let waited = now.since(member.since).as_nanos();
        let counts = match core::mem::replace(&mut member.woken, Woken::No) {
            _ if !member.task.is_normal() => None,
            Woken::No => None,
            Woken::ByTask => Some(waited.saturating_mul(38) / 128),
            Woken::ByInterrupt => Some(waited),
        };
        member.since = now;
        if let Some(waited) = counts {
            member.slept(rules, waited);
            self.active().take(task);
            self.activate(task, End::Tail);
        }
    }

    /// A tick of a normal task, which runs. Returns whether the CPU must reschedule.
    pub(super) fn tick_normal(&mut self, task: TaskId, now: Time) -> bool {
        let rules = self.rules;
        let member = &mut self.members[task.index()];
        member.slice = member.slice.saturating_sub(1);
        let (slice, whole) = (member.slice, rules.slice(member.task));
        if slice > 0 {
            let granularity = rules.granularity(member.sleep);
            let is_over = member.is_interactive()
                // As in Linux, for a task whose slice is longer than those to come.
                && whole.wrapping_sub(slice).is_multiple_of(granularity)
                && slice >= granularity;
            if is_over {
                self.rotate(task);
            }
            return is_over;
        }
        member.rank(rules);
        member.slice = whole;
        let stays = member.inherits();
        let is_interactive = member.is_interactive();
        let ticks = self.ticks(now);
        self.active().take(task);
        self.expired_at.get_or_insert(ticks);
        if stays || is_interactive && !self.starves(task, ticks) {
            self.activate(task, End::Tail);
        } else {
            self.expire(task);
        }
        true
    }

    /// Puts a task of the active array behind its equals. Only 2.6.8 looks at its level anew.
    pub(super) fn rotate(&mut self, task: TaskId) {
        match self.rules.version {
            LinuxVersion::V2_6_8 => {
                self.active().take(task);
                self.members[task.index()].rank(self.rules);
                self.activate(task, End::Tail);
            }
            LinuxVersion::V2_6_11 => self.active().rotate(task),
        }
    }

    /// A tick of a task of `SCHED_RR`, which runs. Returns whether the CPU must reschedule.
    pub(super) fn tick_round_robin(&mut self, task: TaskId) -> bool {
        let member = &mut self.members[task.index()];
        member.slice = member.slice.saturating_sub(1);
        if member.slice > 0 {
            return false;
        }
        member.slice = self.rules.slice(member.task);
        self.rotate(task);
        true
    }

    /// A task that ran yields: a normal one goes to the expired array, and keeps its slice.
    pub(super) fn give_way(&mut self, task: TaskId) {
        if !self.is_active(task) {
            return;
        }
        let member = &self.members[task.index()];
        if member.inherits() || !member.task.is_normal() {
            self.rotate(task);
        } else {
            let key = member.key();
            self.active().take(task);
            self.arrays[1 - self.active].put(task, key, End::Tail);
        }
    }
}
