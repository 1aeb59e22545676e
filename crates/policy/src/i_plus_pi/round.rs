//! How a round runs: the sensors and the actuator of [`IPlusPi`].

use super::{IPlusPi, Member, Settings, Share, Wake};
use crate::grouping::Grouping;
use crate::policy::{Dispatch, ONLY_CPU, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use crate::storage::{Storage, Table};
use flyball_trace::{CpuId, Duration, TaskId, Time};

/// It takes no notice.
impl<S: Storage> Grouping for IPlusPi<S> {}

impl<S: Storage> Policy for IPlusPi<S> {
    type Params = Share;
    type Settings = Settings;

    const WANTS: Wants = Wants::CLOCK
        .and(Wants::USAGE)
        .and(Wants::BURSTS)
        .and(Wants::PREEMPTED);

    fn capacity(&self) -> usize {
        self.members.capacity()
    }

    /// The sum of all shares is not limited: in overload importance decides.
    ///
    /// # Errors
    /// [`Refused::Full`], [`Refused::Member`].
    fn admit(&mut self, task: TaskId, share: Share, _: Time) -> Result<(), Refused> {
        match self.members.find_mut(task.index()) {
            None => Err(Refused::Full),
            Some(Some(_)) => Err(Refused::Member),
            Some(place) => {
                *place = Some(Member {
                    share,
                    ready: false,
                    alpha: 0,
                    burst: 0,
                    used: Duration::ZERO,
                    passed: false,
                    due: Time::NEVER,
                    used_by_job: Duration::ZERO,
                });
                // The newest comes last, and none comes later in this round.
                self.order[self.tasks] = task;
                self.tasks += 1;
                self.changed = true;
                Ok(())
            }
        }
    }

    fn adjust(&mut self, task: TaskId, share: Share, _: Time) -> Result<Resched, Refused> {
        self.find(task).ok_or(Refused::NotAdmitted)?.share = share;
        self.changed = true;
        Ok(Resched::None)
    }

    /// The settings count from the next round on. (Under
    /// [`Sequence::Admission`](super::Sequence::Admission) tasks then stay in the order that they
    /// have.)
    fn tune(&mut self, settings: Settings, _: Time) -> Result<Resched, Refused> {
        self.settings = settings.limited();
        self.changed = true;
        Ok(Resched::None)
    }

    fn retire(&mut self, task: TaskId, _: Time) {
        let Some(at) = (0..self.tasks).find(|&n| self.order[n] == task) else {
            return;
        };
        self.members[task.index()] = None;
        self.tasks -= 1;
        for n in at..self.tasks {
            self.order[n] = self.order[n + 1];
        }
        if at < self.place {
            self.place -= 1;
        }
        self.changed = true;
    }

    fn ready(&mut self, _: CpuId, task: TaskId, why: Ready, _: Time) -> Resched {
        // A task whose next job has been waiting has not been away.
        if self.leaving == Some(task) {
            self.leaving = None;
        } else {
            self.changed |= self.settings.feedforward;
        }
        self.ready += 1;
        if let Some(member) = self.find(task) {
            member.ready = true;
            if let Ready::Released { release } = why {
                member.due = release + member.share.deadline;
                member.used_by_job = Duration::ZERO;
            }
        }
        match self.settings.wake {
            Wake::Next if self.runs => self.come_next(task),
            Wake::Wait | Wake::Next => {}
            Wake::Round => self.broken = true,
        }
        if self.runs && !self.broken {
            Resched::None
        } else {
            Resched::One(ONLY_CPU)
        }
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, _: Time) -> Resched {
        let Some(member) = self.find(task) else {
            return Resched::None;
        };
        member.used += used.time;
        member.used_by_job += used.time;
        match why {
            Stop::Preempted => {}
            Stop::BurstEnd | Stop::Yielded => member.passed = true,
            Stop::Blocked | Stop::Completed => {
                member.ready = false;
                self.ready -= 1;
                // Two may leave at once if one ends the other.
                self.changed |= self.settings.feedforward && self.leaving.is_some();
                self.leaving = Some(task);
            }
        }
        Resched::One(cpu)
    }

    fn pick(&mut self, _: CpuId, now: Time) -> Option<Dispatch> {
        if self.leaving.is_some() {
            core::hint::cold_path();
            self.leaving = None;
            self.changed |= self.settings.feedforward;
        }
        let first = if self.broken { None } else { self.next_burst() };
        let burst = first.or_else(|| self.next_round(now));
        self.runs = burst.is_some();
        burst.map(|(task, burst)| Dispatch::of(task).for_at_most(burst))
    }
}

impl<S: Storage> IPlusPi<S> {
    /// The round is over, or broken: the first burst of the next one, if any task is ready.
    #[cold]
    #[inline(never)]
    fn next_round(&mut self, now: Time) -> Option<(TaskId, Duration)> {
        if core::mem::take(&mut self.broken) && self.ready > 0 {
            self.end_round(now, false);
        }
        // A round may be empty if all bursts are, but not one that begins anew.
        for begin_anew in [false, true, true] {
            let first = self.next_burst();
            // The regulators pause while no task is ready.
            if first.is_some() || self.ready == 0 {
                return first;
            }
            self.end_round(now, begin_anew);
        }
        None
    }

    /// The task that runs next in this round, and for how long at most.
    fn next_burst(&mut self) -> Option<(TaskId, Duration)> {
        while self.place < self.tasks {
            let (task, member) = self.member(self.place);
            if let Some(left) = member.and_then(Member::left) {
                return Some((task, left));
            }
            self.place += 1;
        }
        None
    }

    /// Moves a task to the place behind the one that runs. O(tasks).
    fn come_next(&mut self, task: TaskId) {
        let Some(mut at) = (0..self.tasks).find(|&n| self.order[n] == task) else {
            return;
        };
        while at > self.place + 1 {
            self.order[at] = self.order[at - 1];
            at -= 1;
        }
        if at < self.place {
            // It comes a second time, and all up to the present place come one place earlier.
            while at < self.place.min(self.tasks - 1) {
                self.order[at] = self.order[at + 1];
                at += 1;
            }
            self.place -= 1;
        }
        self.order[at] = task;
    }
}
