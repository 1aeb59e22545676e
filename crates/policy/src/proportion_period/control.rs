//! Once in an interval: the controllers read, and reservations follow.

use super::levels::ONE;
use super::part::Sum;
use super::policy::{Controlled, Member};
use super::rule::held;
use super::serving::{Class, Serving};
use super::{
    BestEffort, Claim, ControllerPlace, FIRST, LEAST, Mark, Part, Period, Reading, Settings, Share,
    Squish, Times,
};
use crate::policy::{Resched, Role};
use crate::storage::{Storage, Table};
use flyball_trace::{Duration, TaskId, Time};

impl Reading {
    /// So much more CPU time has been used.
    #[inline]
    pub(super) fn add(&mut self, used: Duration) {
        self.used = self.used.saturating_add(nanos(used));
    }

    /// What an end of a queue says.
    fn see(&mut self, mark: &Mark) {
        // Of a queue with more messages than it can hold.
        let level = mark.level.min(mark.capacity);
        let part = |messages: u16| u32::from(messages) * mark.unit;
        let filled = part(level);
        let above_half = filled.cast_signed() - (ONE / 2).cast_signed();
        self.pressure += match mark.role {
            Role::Producer => -above_half,
            Role::Consumer => above_half,
        };
        self.relieved = self.relieved.saturating_add(part(mark.moved));
        self.moved = self.moved.max(mark.moved);
    }
}

/// In nanoseconds; 4.29 s stands for all that is longer.
fn nanos(time: Duration) -> u32 {
    u32::try_from(time.as_nanos()).unwrap_or(u32::MAX)
}

impl Mark {
    /// The swing, in 2⁻¹⁶ of the capacity.
    fn burst(&self) -> u32 {
        u32::from(self.high - self.low) * self.unit
    }
}

impl Member {
    fn adapts_share(&self) -> bool {
        self.is_tied && self.request.share.is_none()
    }

    /// Neither says a share nor uses queues.
    fn is_best_effort(&self) -> bool {
        !self.is_tied && self.request.share.is_none()
    }

    /// Which reservations come before its own on several CPUs.
    fn class(&self) -> Class {
        if self.request.is_real_time() {
            Class::RealTime
        } else if self.is_best_effort() {
            Class::BestEffort
        } else {
            Class::Adapted
        }
    }

    /// The controllers of one task, `interval` after they ran last.
    fn step(
        &mut self,
        settings: &Settings,
        state: Option<&mut Share>,
        interval: Duration,
        now: Time,
    ) {
        let is_over = now >= self.ends;
        if let Some(state) = state {
            if self.is_tied && self.request.period.is_none() && is_over {
                let missed = core::mem::replace(&mut self.missed, state.missed);
                let has_missed = state.missed != missed;
                self.period.step(&settings.periods, self.burst, has_missed);
            }
            let fixed = self.request.share.filter(|_| settings.renegotiates);
            if let Some(share) = fixed.filter(|_| self.request.period.is_some()) {
                let period = self.period.length;
                self.offer.step(&mut state.usage, share, period, is_over);
            }
        }
        let reading = core::mem::take(&mut self.reading);
        self.burst = 0;
        if !self.adapts_share() {
            return;
        }
        let times = Times {
            interval: nanos(interval),
            period: nanos(self.period.length),
        };
        let wanted = match self.proportion.step(&reading, times) {
            Some(share) => Part(share),
            // It computes, and nothing is known yet of how long that takes.
            None if reading.used > 0 => self.wanted.and(Part(self.wanted.0 / 4)),
            None => self.wanted,
        };
        self.wanted = wanted.clamp(LEAST, settings.limit);
    }
}

impl<V: Serving, S: Storage> Controlled<V, S> {
    fn tasks(&self) -> impl Iterator<Item = TaskId> + use<V, S> {
        (0..self.last).map(TaskId)
    }

    /// `task` has sent or received for the first time.
    #[cold]
    pub(super) fn tie(&mut self, task: TaskId, now: Time) {
        let start = self.settings.periods.start;
        let member = &mut self.members[task.index()];
        if member.request.share.is_none() {
            member.wanted = FIRST;
        }
        let length = member.request.period.unwrap_or(start);
        member.period = Period::of(length);
        member.ends = now + length;
    }

    /// A thread says that the controllers run, if it is the thread that does so. They learn how long it has been since they
    /// ran last: a thread may be late. What comes too early is left out, as the noise in it is as large as the reading.
    pub(super) fn control_by_thread(&mut self, now: Time) -> Resched {
        let settings = &self.settings;
        if settings.controller == ControllerPlace::Kernel {
            return Resched::None;
        }
        let interval = match self.thread_ran {
            None => settings.interval,
            Some(last) => now.since(last),
        };
        if interval * 2 < settings.interval {
            return Resched::None;
        }
        self.thread_ran = Some(now);
        self.run_controllers(interval, now)
    }

    /// The controllers run, `interval` after they ran last.
    #[inline(never)]
    pub(super) fn run_controllers(&mut self, interval: Duration, now: Time) -> Resched {
        self.control_runs = self.control_runs.wrapping_add(1);
        for cpu in 0..self.servers.cpus() {
            let on = &mut self.cpus[cpu];
            if let Some(task) = on.running.get() {
                // It has not stopped yet, so this is what it has used, or a little more.
                let ran = now.since(on.since);
                let used = ran.saturating_sub(on.counted);
                self.members[task.index()].reading.add(used);
                on.counted = ran;
            }
        }
        let ends = |members: &S::Table<Member>, task: TaskId| now >= members[task.index()].ends;
        // Both look at other fields of a member.
        let members = core::cell::RefCell::new(&mut self.members);
        self.levels.read(
            |task| ends(&members.borrow(), task),
            |task, mark| {
                let member = &mut members.borrow_mut()[task.index()];
                member.reading.see(&mark);
                member.burst = member.burst.max(mark.burst());
            },
        );
        for task in self.tasks() {
            let member = &mut self.members[task.index()];
            if member.is_admitted {
                let state = self.servers.state(task);
                member.step(&self.settings, state, interval, now);
            }
        }
        self.divide(now)
    }

    /// Divides all CPUs: what is promised, what is adapted, and what is left over.
    #[inline(never)]
    pub(super) fn divide(&mut self, now: Time) -> Resched {
        let cpus = self.servers.cpus();
        let all_cpus: V::Sum = Sum::times(self.settings.limit, cpus);
        let mut room = all_cpus.without(self.offer());
        let open_loop = self.settings.best_effort == BestEffort::OpenLoop;
        let members = &self.members;
        let all = || {
            let rows = (0..usize::from(self.last)).map(|row| &members[row]);
            rows.filter(|member| member.is_admitted)
        };
        // What tasks of best effort have together, by their importance.
        let important: u32 = all()
            .filter(|member| open_loop && member.is_best_effort())
            .map(|member| u32::from(member.request.importance))
            .sum();
        let spare = if important > 0 {
            self.settings.spare
        } else {
            Part::NOTHING
        };
        let spare: V::Sum = Sum::times(spare, cpus);
        let claims = || all().filter(|member| member.adapts_share()).map(claim);
        let mut squish = Squish::of(claims, room.without(spare));
        for task in self.tasks() {
            let member = &mut self.members[task.index()];
            if member.request.share.is_none() && member.is_tied && member.is_admitted {
                member.is_squished = squish.is_any();
                member.share = squish.left(claim(member));
                room = room.without(Sum::of(member.share));
            }
        }
        if important > 0 && V::SEVERAL {
            self.leave_over(room.into(), important);
        } else if important > 0 {
            for task in self.tasks() {
                let member = &mut self.members[task.index()];
                if member.is_best_effort() {
                    let part = room.into() * u64::from(member.request.importance);
                    // Not more than the room.
                    let part = u32::try_from(part / u64::from(important));
                    member.share = part.map_or(self.settings.limit, Part);
                }
            }
        }
        let cut = self.cut(squish.is_any(), now);
        let mut resched = Resched::None;
        for task in self.tasks() {
            let member = &self.members[task.index()];
            if member.is_admitted && (open_loop || !member.is_best_effort()) {
                resched = resched.and(self.give(task, cut, now));
            }
        }
        debug_assert!(
            self.fixed == V::Sum::default()
                || self.promised(now) <= all_cpus.into() + self.members.capacity() as u64,
            "no more is promised than the limit, but for what rounding adds"
        );
        resched
    }

    /// Tasks of best effort, which are so `important` together, divide `room` of several CPUs by importance. None gets more than the
    /// limit of one; the others divide what such a task would have beyond that.
    #[inline(never)]
    fn leave_over(&mut self, room: u64, important: u32) {
        let (room, important) = self.without_full(room, important);
        let limit = self.settings.limit;
        for task in self.tasks() {
            let member = &mut self.members[task.index()];
            if member.is_best_effort() {
                let part = room * u64::from(member.request.importance);
                let part = u32::try_from(part / u64::from(important));
                member.share = part.map_or(limit, Part).min(limit);
            }
        }
    }

    /// What is left of `room` and of the importance of tasks of best effort without those that get the limit of one CPU by it.
    /// O(tasks) for each of them.
    fn without_full(&self, room: u64, important: u32) -> (u64, u32) {
        let limit = u64::from(self.settings.limit);
        let (mut rest, mut others) = (room, important);
        loop {
            // Each has more than before, so those that were full still are.
            let is_full =
                |importance: u32| rest * u64::from(importance) >= limit * u64::from(others);
            let (mut left, mut count) = (room, important);
            for (_, member) in self
                .admitted()
                .filter(|(_, member)| member.is_best_effort())
            {
                let importance = u32::from(member.request.importance);
                if is_full(importance) {
                    (left, count) = (left.saturating_sub(limit), count - importance);
                }
            }
            if count == others || count == 0 {
                return (rest, others);
            }
            (rest, others) = (left, count);
        }
    }

    /// What all tasks may have together up to the ends of their present periods.
    fn promised(&self, now: Time) -> u64 {
        let share = |task| {
            let account = self.servers.account(task)?;
            Some(held(account, now).unwrap_or(account.state.next))
        };
        let parts = self.tasks().filter_map(share);
        parts.map(|part| u64::from(part.0)).sum()
    }

    /// The share that a task has up to the end of its present period, if nothing is cut: a smaller one than before is
    /// for the next period.
    fn held(&self, task: TaskId, now: Time) -> Part {
        let member = &self.members[task.index()];
        let account = self.servers.account(task);
        let held = account.and_then(|account| held(account, now));
        held.map_or(member.share, |held| held.max(member.share))
    }

    /// How much of what tasks would have in the present periods beyond their shares has to be cut, so that all have no more than
    /// the limit together. Nothing is cut where no task says a share and there is enough for all: then none is promised
    /// what others have, nor waits for it.
    fn cut(&self, is_overloaded: bool, now: Time) -> Cut<V::Sum> {
        let (mut all, mut beyond) = (V::Sum::default(), V::Sum::default());
        if self.fixed == V::Sum::default() && !is_overloaded {
            return Cut { cut: all, beyond };
        }
        for task in self
            .tasks()
            .filter(|task| self.members[task.index()].is_admitted)
        {
            let (held, share) = (self.held(task, now), self.members[task.index()].share);
            (all, beyond) = (all.and(held), beyond.and(held.without(share)));
        }
        Cut {
            cut: all
                .without(Sum::times(self.settings.limit, self.servers.cpus()))
                .min(beyond),
            beyond,
        }
    }

    /// The reservation of a task is what has been found.
    fn give(&mut self, task: TaskId, cut: Cut<V::Sum>, now: Time) -> Resched {
        let held = self.held(task, now);
        let member = &self.members[task.index()];
        // A share of nothing is no reservation.
        let next = member.share.max(Part(1));
        let cut = held.without(cut.of(held.without(next))).max(next);
        let share = Share::new(cut, next);
        let (period, is_over) = (member.period.length, now >= member.ends);
        let mut reseated = Resched::None;
        if member.is_in_background {
            let resched = self.reseat(task, Some(next), now);
            if V::SEVERAL {
                reseated = resched;
            }
        }
        let mut resched = Resched::None;
        let account = self.servers.account(task);
        let is_the_same = account.is_some_and(|account| {
            (account.state.now, account.state.next) == (share.now, share.next)
                && account.reservation.period == period
        });
        if !is_the_same {
            resched = self.servers.promise(task, share, period, now);
        }
        if is_over {
            let end = self.servers.account(task).map(|account| account.deadline);
            let end = end.filter(|&end| end > now && !end.is_never());
            self.members[task.index()].ends = end.unwrap_or(now + period);
        }
        if V::SEVERAL {
            let class = self.members[task.index()].class();
            let classified = self.servers.classify(task, class, now);
            resched = resched.and(reseated).and(classified);
        }
        resched
    }
}

/// What is cut of shares beyond those of the next period.
#[derive(Clone, Copy)]
struct Cut<T> {
    cut: T,
    beyond: T,
}

impl<T: Sum> Cut<T> {
    /// Of so much beyond, in proportion, rounded up.
    fn of(self, beyond: Part) -> Part {
        if self.cut == T::default() {
            return Part::NOTHING;
        }
        let part = u64::from(beyond.0) * self.cut.into();
        // Not more than what is beyond.
        let part = part.div_ceil(self.beyond.max(T::of(Part(1))).into());
        u32::try_from(part).map_or(beyond, Part)
    }
}

fn claim(member: &Member) -> Claim {
    Claim {
        share: member.wanted,
        importance: member.request.importance,
    }
}
