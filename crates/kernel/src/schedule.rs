//! Which thread runs: the timer, the decision, and leaving the kernel.

#![expect(
    clippy::inline_always,
    reason = "a call and a return cost as much as the decision itself"
)]

use crate::config::Config;
use crate::stamp::{Clock, Stamp};
use crate::thread::State;
use crate::{Core, More, ThreadId};
use flyball_policy::{CpuSet, Policy, Resched, Stop, Table, Usage};
use flyball_trace::{CpuId, Duration, Kind, Sink, Slot, Speed, TaskId, Time};

/// What the kernel knows of one CPU.
#[derive(Clone, Copy)]
pub(crate) struct Cpu<S> {
    /// The thread that runs.
    pub(crate) running: Slot,
    /// If no thread runs, the one that ran last: its registers are still those of the CPU.
    last: Slot,
    /// Not zero: it has to be decided anew which thread runs. No `bool`: with one, the compiler
    /// does not see that code which has just set it need not test it (15 instructions a call).
    pub(crate) look: u8,
    /// What else is to be done before the CPU goes on: see [`work`].
    work: u8,
    /// The policy has been told that the running thread stopped, so it has to pick.
    stopped: bool,
    /// The thread (or idleness) that has been announced to the trace, or [`NEWS`].
    announced: u32,
    /// Between [`Core::enter`] and [`Core::leave`]: time is the kernel's. Not kept where all entries
    /// begin, as there is no need to ask.
    pub(crate) in_kernel: bool,
    /// Up to when CPU time has been counted.
    pub(crate) counted: S,
    /// How long a burst the policy granted; [`Duration::MAX`]: one that does not end.
    burst: Duration,
    /// A burst that begins after the timer was set, and is at least this long, does not end before
    /// the timer fires; so the timer, which is set anew then, may stay as it is.
    patience: Duration,
    /// What of the burst has been used, and what no thread had, in ticks.
    pub(crate) used: u64,
    pub(crate) idle: u64,
    pub(crate) kernel: u64,
}

/// In place of what has been announced: whatever runs next is, even if it is the same.
const NEWS: u32 = u32::MAX;

/// The operating point of a CPU of which none has been told yet.
pub(crate) const UNKNOWN: Speed = Speed(u8::MAX);

/// Work of a CPU; see [`Cpu::work`].
pub(crate) mod work {
    /// The timer may have to fire earlier than it will, or has fired.
    pub(crate) const TIMER: u8 = 1;
    /// Some thread has to begin its program anew when it runs.
    pub(crate) const RESTART: u8 = 2;
    /// A budget was used up, and its semaphore has to be signalled.
    pub(crate) const OVERRUN: u8 = 4;
    /// The CPU is to run at another operating point.
    pub(crate) const SPEED: u8 = 8;
}

impl<S: Stamp> Cpu<S> {
    /// How much of the CPU was used since the task was picked, if the policy has not heard of that at an
    /// earlier stop for the same decision.
    #[inline]
    pub(crate) fn used(&self) -> Duration {
        if self.stopped {
            core::hint::cold_path();
            return Duration::ZERO;
        }
        S::length(self.used)
    }

    /// A CPU on which nothing has run yet.
    pub(crate) fn new() -> Cpu<S> {
        Cpu {
            running: Slot::EMPTY,
            last: Slot::EMPTY,
            look: 0,
            work: 0,
            stopped: false,
            announced: Slot::EMPTY.number(),
            in_kernel: false,
            counted: S::default(),
            burst: Duration::MAX,
            patience: Duration::MAX,
            used: 0,
            idle: 0,
            kernel: 0,
        }
    }

    /// What is left of the burst of the thread that runs, as far as time has been counted.
    fn left(&self) -> Duration {
        if self.running.is_empty() {
            Duration::MAX
        } else {
            self.burst.saturating_sub(S::length(self.used))
        }
    }

    #[inline]
    pub(crate) fn has(&self, work: u8) -> bool {
        self.work & work != 0
    }

    #[inline]
    pub(crate) fn set(&mut self, work: u8) {
        self.work |= work;
    }

    #[inline]
    pub(crate) fn done(&mut self, work: u8) {
        self.work &= !work;
    }
}

/// What a CPU does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "the machine has to run what was decided"]
pub(crate) struct Decision {
    /// As [`Next::run`](crate::Next::run).
    pub(crate) run: Option<TaskId>,
    /// As [`Next::switch`](crate::Next::switch).
    pub(crate) switch: bool,
}

impl<C: Config> Core<C> {
    /// Whether it matters that the policy has been told already that the running thread stopped.
    const STOPS: bool = Self::TELLS_USE || C::Policy::WANTS.preempted;
    pub(crate) const COUNTS: bool = C::ACCOUNTING || Self::TELLS_USE;
    /// Whether it matters how long the running thread has had the CPU since it was picked.
    pub(crate) const TELLS_USE: bool = C::Policy::WANTS.usage || C::Policy::WANTS.bursts;
    /// Whether it matters when the kernel is left: a clock starts then, or events are traced.
    pub const MARKS_TIME: bool = Self::TELLS_KERNEL_TIME || C::Trace::ENABLED;
    /// Whether the time is told to each call, even to one that needs no time itself. Otherwise
    /// [`Time::ZERO`] will do for such a call.
    pub const READS_CLOCK: bool =
        C::Trace::ENABLED || C::Policy::WANTS.clock || Self::COUNTS && C::Stamp::OF_TIME.is_some();

    /// The first CPU of a cluster keeps the time for all of them: its timer releases jobs and ends
    /// waits.
    pub const TIMEKEEPER: CpuId = CpuId(0);

    /// The timer of `cpu` fired: makes all releases that are due, notices the deadlines that have
    /// passed, ends the waits that took too long, and the burst of the running thread. Does no harm
    /// if nothing is due. Returns how many jobs were released and how many waits ended.
    ///
    /// Of several CPUs the first one keeps the time: on the others only bursts end and the policy's
    /// alarms for them come, and where there are ticks the first one sees to these, too.
    pub fn timer(&mut self, cpu: CpuId, now: Time) -> u32 {
        let mut served = 0;
        // Whatever the timer was set to, it is set no more.
        self.cpu_mut(cpu).set(work::TIMER);
        if !self.keeps_time(cpu) {
            if self.timer_moves() && self.tick().is_none() {
                self.serve_alarm(cpu, now);
            }
            if C::Policy::WANTS.bursts && self.tick().is_none() {
                self.end_burst(cpu, now);
            }
            return served;
        }
        if let Some(length) = self.tick() {
            if now < self.next_tick {
                return served;
            }
            self.ticks += 1;
            // Ticks that no CPU could serve are left out.
            while self.next_tick <= now {
                self.next_tick += length;
            }
            self.emit(now, cpu, Kind::Tick);
        }
        while let Some((task, at)) = self.alarms.take_due(now) {
            served += self.ring(cpu, task, at, now);
        }
        if self.timer_moves() {
            self.serve_alarm(cpu, now);
            if self.tick().is_some() {
                // The tick of this CPU is that of the others.
                for other in self.others() {
                    self.serve_alarm(other, now);
                }
            }
        }
        if C::Policy::WANTS.bursts {
            self.end_burst(cpu, now);
            if !self.is_alone() && self.tick().is_some() {
                self.end_other_bursts(now);
            }
        }
        served
    }

    /// The timer of the only CPU has fired, for a tick, and the one after it has not come yet. If this is all, the tick is counted, and the
    /// next one's instant returned. `None`: there may be more to do, and [`Core::timer`] does all of it.
    #[inline]
    pub fn quiet_tick(&mut self) -> Option<Time> {
        let length = self.tick()?;
        if C::Trace::ENABLED || Self::COUNTS || C::Policy::WANTS.bursts || self.timer_moves() {
            return None;
        }
        let next = self.next_tick + length;
        if self.alarms.first() < next {
            return None;
        }
        self.next_tick = next;
        self.ticks += 1;
        Some(next)
    }

    /// The policy's alarm on `cpu`, if it is due.
    fn serve_alarm(&mut self, cpu: CpuId, now: Time) {
        if self.policy.next_alarm(cpu).is_some_and(|at| at <= now) {
            let resched = self.policy.alarm(cpu, now);
            self.attend(resched);
            self.follow_servers(cpu, now);
        }
    }

    /// The CPUs of the cluster, but for the first.
    fn others(&self) -> impl Iterator<Item = CpuId> + use<C> {
        (1..=u8::MAX).map(CpuId).take(self.cpus.capacity() - 1)
    }

    /// It is a tick: other CPUs whose bursts are over have to look, and end them then.
    fn end_other_bursts(&mut self, now: Time) {
        // Machines of several CPUs have no other stamps.
        let Some(stamp) = C::Stamp::OF_TIME else {
            return;
        };
        for other in self.others() {
            let state = self.cpu(other);
            let has_run = state.used + stamp(now).ticks_since(state.counted);
            if C::Stamp::length(has_run) >= state.burst {
                self.attend(Resched::One(other));
            }
        }
    }

    /// Whether the timer is also for the policy, which may want another instant at any time.
    #[inline(always)]
    fn timer_moves(&self) -> bool {
        C::Policy::WANTS.alarms && self.policy.has_alarms()
    }

    /// Whether `cpu` is the one whose timer releases jobs and ends waits.
    #[inline]
    fn keeps_time(&self, cpu: CpuId) -> bool {
        self.is_alone() || cpu == CpuId(0)
    }

    fn end_burst(&mut self, cpu: CpuId, now: Time) {
        self.count(cpu, now);
        let state = self.cpu(cpu);
        if let (Some(task), false) = (state.running.get(), state.stopped)
            && state.left().is_zero()
        {
            let job = self.present_job(task);
            self.emit(now, cpu, Kind::BurstEnd { task, job });
            self.stop(cpu, task, Stop::BurstEnd, now);
        }
    }

    /// Decides which thread runs on `cpu`, if it has to be decided anew.
    #[inline(always)]
    pub(crate) fn decide(&mut self, cpu: CpuId, now: Time) -> Decision {
        let decision = if self.cpu(cpu).look != 0 {
            self.pick(cpu, now)
        } else {
            Decision {
                run: self.running_task(cpu),
                switch: false,
            }
        };
        // Afterwards: to tell the policy that it is about to be asked has it ask to be.
        self.cpu_mut(cpu).look = 0;
        if !self.is_alone() {
            self.asking = self.asking.without(cpu);
        }
        decision
    }

    /// Whether there is more to do after a decision on `cpu`, which is rare: see [`Core::more`].
    #[inline]
    pub(crate) fn has_more(&self, cpu: CpuId) -> bool {
        self.timer_moves()
            || self.cpu(cpu).work != 0
            || !self.is_alone() && self.cpus[0].has(work::TIMER)
    }

    /// What else is to be done after a decision on `cpu`, if [`Core::has_more`] says so.
    #[inline]
    pub(crate) fn more(&mut self, cpu: CpuId, clock: &mut impl Clock<C::Stamp>) -> More {
        let moves = self.timer_moves();
        let state = self.cpu_mut(cpu);
        let timer = moves || state.has(work::TIMER);
        state.done(work::TIMER);
        let may_restart = state.has(work::RESTART);
        let restart = self.has_jobs()
            && may_restart
            && self
                .running_task(cpu)
                .is_some_and(|task| self.takes_restart(cpu, task));
        let mut timekeeper = None;
        if !self.keeps_time(cpu) && (moves || self.cpus[0].has(work::TIMER)) {
            self.cpus[0].done(work::TIMER);
            timekeeper = Some(self.set_timer(Self::TIMEKEEPER, clock));
        }
        More {
            restart,
            timer: timer.then(|| self.set_timer(cpu, clock)),
            timekeeper,
        }
    }

    /// The operating point that `cpu` has to go over to; it is told once.
    #[inline]
    pub(crate) fn take_speed(&mut self, cpu: CpuId) -> Option<Speed> {
        if !C::Policy::WANTS.speeds || !self.cpu(cpu).has(work::SPEED) {
            return None;
        }
        self.cpu_mut(cpu).done(work::SPEED);
        Some(self.speeds[cpu.index()])
    }

    /// The operating point of `cpu`, as the machine or the policy last said; `None`: neither has said
    /// anything.
    pub fn speed(&self, cpu: CpuId) -> Option<Speed> {
        Some(self.speeds[cpu.index()]).filter(|&speed| speed != UNKNOWN)
    }

    /// The machine says at which operating point `cpu` runs, before the policy has decided anything
    /// there. Otherwise the first point that the policy asks for is [told](crate::Decided::take_speed) in any case.
    pub fn starts_at(&mut self, cpu: CpuId, speed: Speed) {
        self.speeds[cpu.index()] = speed;
    }

    /// `cpu` is to run at this operating point.
    fn go_at(&mut self, cpu: CpuId, speed: Speed, now: Time) {
        if self.speeds[cpu.index()] != speed {
            self.speeds[cpu.index()] = speed;
            self.cpu_mut(cpu).set(work::SPEED);
            self.emit(now, cpu, Kind::Speed { speed });
        }
    }

    /// Whether the thread that runs on `cpu` has to begin its program anew.
    #[inline]
    pub(crate) fn will_restart(&self, cpu: CpuId) -> bool {
        self.restarts > 0
            && self
                .running_task(cpu)
                .is_some_and(|task| self.threads[task.index()].restart)
    }

    /// The CPUs that have to decide, but for `cpu`, which has done so.
    #[inline(always)]
    pub(crate) fn others_to_interrupt(&self, cpu: CpuId) -> CpuSet {
        if self.is_alone() {
            CpuSet::EMPTY
        } else {
            self.asking.without(cpu)
        }
    }

    /// Whether `task` has to begin its program anew; it is about to.
    fn takes_restart(&mut self, cpu: CpuId, task: TaskId) -> bool {
        let restart = core::mem::take(&mut self.threads[task.index()].restart);
        self.restarts -= u16::from(restart);
        if self.restarts == 0 {
            self.cpu_mut(cpu).done(work::RESTART);
        }
        restart
    }

    /// Whether it has to be decided anew which thread runs on `cpu`.
    #[inline]
    pub fn needs_resched(&self, cpu: CpuId) -> bool {
        self.cpu(cpu).look != 0
    }

    /// Whether no thread runs on `cpu` although the one could whose registers the CPU has: the
    /// policy holds it back. So its stack is not one to idle on.
    pub fn is_held_back(&self, cpu: CpuId) -> bool {
        let state = self.cpu(cpu);
        let is_ready = |task: TaskId| self.threads[task.index()].state == State::Ready;
        state.running.is_empty() && state.last.get().is_some_and(is_ready)
    }

    /// Whether there is nothing to do on `cpu`, the only one of its cluster, before it goes on:
    /// nothing to decide, and the timer may stay as it is. Where no clock has to be started
    /// either ([`Core::MARKS_TIME`]) an entry may be [cancelled](crate::Entry::cancel) then.
    #[inline]
    pub fn is_settled(&self, cpu: CpuId) -> bool {
        let state = self.cpu(cpu);
        !self.timer_moves() && state.look == 0 && !state.has(work::TIMER)
    }

    #[inline(always)]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Decision {
        self.count(cpu, now);
        if C::Policy::WANTS.bursts && !self.is_alone() && self.tick().is_some() {
            // The CPU may be here because of that.
            self.end_burst(cpu, now);
        }
        let before = self.cpu(cpu).running;
        if C::Policy::WANTS.preempted
            && let Some(task) = before.get()
            && !self.cpu(cpu).stopped
        {
            self.preempt(cpu, task, now);
        }
        self.signal_overruns(cpu, now);
        if let Some(task) = before.get() {
            self.apply_lazily(task, now);
        }
        let choice = self.policy.pick(cpu, now);
        if C::Policy::WANTS.released_cpu {
            let resched = self.policy.released_cpu(cpu);
            self.attend(resched);
        }
        let Some(choice) = choice else {
            self.go_idle(cpu, now);
            return Decision {
                run: None,
                switch: false,
            };
        };
        assert!(
            !C::CHECKS || choice.task.index() < self.threads.capacity(),
            "the policy chose a thread that is not there"
        );
        let next = Slot::of(choice.task);
        self.follow_server_of(cpu, choice.task, now);
        if C::Trace::ENABLED
            && next != before
            && let Some(task) = before.get()
        {
            let job = self.present_job(task);
            self.emit(now, cpu, Kind::Preempt { task, job });
        }
        if C::Policy::WANTS.speeds
            && let Some(speed) = choice.speed
        {
            self.go_at(cpu, speed, now);
        }
        let state = self.cpu_mut(cpu);
        state.running = next;
        if C::Policy::WANTS.bursts {
            state.burst = choice.burst.unwrap_or(Duration::MAX);
            if state.burst < state.patience {
                core::hint::cold_path();
                if self.ends_before_timer(cpu) {
                    self.cpu_mut(cpu).set(work::TIMER);
                }
            }
        }
        let state = self.cpu_mut(cpu);
        if Self::TELLS_USE {
            state.used = 0;
        }
        if Self::STOPS {
            state.stopped = false;
        }
        // The thread whose registers the CPU has; those of a thread that has run elsewhere
        // meanwhile are old.
        if !self.is_alone() && next != before {
            self.vacant = self.vacant.without(cpu);
            self.forget_elsewhere(cpu, choice.task);
        }
        let state = self.cpu_mut(cpu);
        let there = if before.is_empty() {
            state.last
        } else {
            before
        };
        Decision {
            run: Some(choice.task),
            switch: next != there,
        }
    }

    /// Whether a burst that begins now may end before the timer fires. The time since the timer was
    /// set may be known too short, where stamps have wrapped: then it is set once more than it has to.
    fn ends_before_timer(&self, cpu: CpuId) -> bool {
        let (state, set) = (self.cpu(cpu), self.timers[cpu.index()]);
        let since = C::Stamp::length(state.counted.ticks_since(set));
        state.burst < state.patience.saturating_sub(since)
    }

    /// The policy has not been told yet that `task` stops. By itself, as it takes more registers
    /// than a decision.
    #[inline(never)]
    fn preempt(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        self.stop(cpu, task, Stop::Preempted, now);
    }

    /// No thread can run.
    #[cold]
    fn go_idle(&mut self, cpu: CpuId, now: Time) {
        if let Some(task) = self.running_task(cpu) {
            // A policy may let a CPU idle although a thread could run.
            let job = self.present_job(task);
            self.emit(now, cpu, Kind::Preempt { task, job });
            let state = self.cpu_mut(cpu);
            state.last = state.running;
            state.running = Slot::EMPTY;
            if !self.is_alone() {
                self.vacant = self.vacant.with(cpu);
            }
        }
        let state = self.cpu_mut(cpu);
        if C::Policy::WANTS.bursts {
            state.burst = Duration::MAX;
            if state.patience < Duration::MAX {
                // There is time to set it now, and nobody to be interrupted for nothing later.
                state.set(work::TIMER);
            }
        }
        if Self::TELLS_USE {
            state.used = 0;
        }
        if Self::STOPS {
            state.stopped = false;
        }
    }

    /// The CPU goes back to what was decided: the trace is told, if it is news.
    #[inline(always)]
    pub(crate) fn announce(&mut self, cpu: CpuId, now: Time) {
        let state = self.cpu_mut(cpu);
        let running = state.running.number();
        if state.announced != running {
            state.announced = running;
            if let Some(task) = state.running.get() {
                let job = self.present_job(task);
                self.emit(now, cpu, Kind::Dispatch { task, job });
            } else {
                self.announce_idleness(cpu, now);
            }
        }
    }

    /// By itself, as an event that is made away from where its kind is known takes a frame.
    #[cold]
    #[inline(never)]
    fn announce_idleness(&mut self, cpu: CpuId, now: Time) {
        self.emit(now, cpu, Kind::Idle);
    }

    /// As [`Core::next_timer`]; the timer is going to be set to that.
    fn set_timer(&mut self, cpu: CpuId, clock: &mut impl Clock<C::Stamp>) -> Time {
        let mut left = Duration::MAX;
        if C::Policy::WANTS.bursts {
            let state = self.cpu_mut(cpu);
            left = state.left();
            state.patience = left;
            self.timers[cpu.index()] = state.counted;
        }
        self.timer_after(cpu, left, clock)
    }

    pub(crate) fn timer_at(&self, cpu: CpuId, clock: &mut impl Clock<C::Stamp>) -> Time {
        self.timer_after(cpu, self.cpu(cpu).left(), clock)
    }

    /// When the timer of `cpu` has to fire if the burst that runs there ends after `left`.
    fn timer_after(&self, cpu: CpuId, left: Duration, clock: &mut impl Clock<C::Stamp>) -> Time {
        let keeps_time = self.keeps_time(cpu);
        if self.tick().is_some() {
            return if keeps_time {
                self.next_tick
            } else {
                Time::NEVER
            };
        }
        let mut next = Time::NEVER;
        if keeps_time {
            next = self.alarms.first();
        }
        if self.timer_moves() {
            // A policy without an alarm on this CPU never wants to be called.
            next = next.min(self.policy.next_alarm(cpu).unwrap_or(Time::NEVER));
        }
        if C::Policy::WANTS.bursts && left < Duration::MAX {
            next = next.min(clock.time(self.cpu(cpu).counted) + left);
        }
        next
    }

    /// The thread that runs on `cpu`.
    pub fn running(&self, cpu: CpuId) -> Option<ThreadId> {
        let task = self.running_task(cpu)?;
        Some(ThreadId {
            task,
            generation: self.threads[task.index()].generation,
        })
    }

    /// The row of the thread that runs on `cpu`.
    #[inline]
    pub fn running_task(&self, cpu: CpuId) -> Option<TaskId> {
        self.cpu(cpu).running.get()
    }

    /// The CPU that `task` runs on.
    pub(crate) fn cpu_of(&self, task: TaskId) -> Option<CpuId> {
        let cpu = (0..self.cpus.capacity()).find(|&cpu| self.cpus[cpu].running.holds(task))?;
        u8::try_from(cpu).ok().map(CpuId)
    }

    /// The thread that ran last on `cpu`, if it still exists: its registers are still there.
    pub fn last_run(&self, cpu: CpuId) -> Option<TaskId> {
        let state = self.cpu(cpu);
        state.running.get().or(state.last.get())
    }

    /// `task` has ended: its registers belong to no thread, even if its row gets a new thread.
    pub(crate) fn forget(&mut self, task: TaskId) {
        for cpu in 0..self.cpus.capacity() {
            if self.cpus[cpu].last.holds(task) {
                self.cpus[cpu].last = Slot::EMPTY;
            }
        }
    }

    /// `task` runs on `cpu`: what idle CPUs have of its registers is nothing. (What a CPU had before the one
    /// that runs there is nothing anyway.)
    fn forget_elsewhere(&mut self, cpu: CpuId, task: TaskId) {
        if let Some(home) = self.homes.find_mut(task.index()) {
            let other = core::mem::replace(home, cpu);
            if self.vacant.contains(other) && self.cpu(other).last.holds(task) {
                self.cpu_mut(other).last = Slot::EMPTY;
                self.vacant = self.vacant.without(other);
            }
            return;
        }
        for other in self.vacant.iter() {
            let last = &mut self.cpu_mut(other).last;
            if last.holds(task) {
                *last = Slot::EMPTY;
                self.vacant = self.vacant.without(other);
                // A thread that has run on another CPU has been forgotten everywhere else.
                return;
            }
        }
    }

    /// Tells the policy that `task`, which runs on `cpu`, has stopped.
    #[inline(always)]
    pub(crate) fn stop(&mut self, cpu: CpuId, task: TaskId, why: Stop, now: Time) {
        self.apply_lazily(task, now);
        self.tell_stopped(cpu, task, why, now);
    }

    fn tell_stopped(&mut self, cpu: CpuId, task: TaskId, why: Stop, now: Time) {
        self.count(cpu, now);
        let state = self.cpu_mut(cpu);
        let used = state.used();
        if Self::STOPS {
            state.stopped = true;
        }
        self.follow_use(cpu, task, used, now);
        if Self::TELLS_COUNTS {
            self.tell_counts(cpu, task, now);
        }
        let resched = self.policy.stopped(cpu, task, Usage::time(used), why, now);
        self.attend(resched);
        self.follow_server_of(cpu, task, now);
        if matches!(why, Stop::Blocked | Stop::Completed) {
            let state = self.cpu_mut(cpu);
            state.last = state.running;
            state.running = Slot::EMPTY;
            if C::Trace::ENABLED {
                state.announced = NEWS;
            }
            if !self.is_alone() {
                self.vacant = self.vacant.with(cpu);
            }
        }
    }
}

impl<C: Config<Stamp = Time>> Core<C> {
    /// When the timer of `cpu` has to fire, as long as nothing else happens; [`Time::NEVER`]: not
    /// at all. It may be in the past, and the timer has to fire at once then. [`More::timer`] is
    /// never later.
    pub fn next_timer(&self, cpu: CpuId) -> Time {
        self.timer_at(cpu, &mut { Time::ZERO })
    }
}
