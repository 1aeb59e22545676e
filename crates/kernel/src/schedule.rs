//! Which thread runs: entering and leaving the kernel, the timer, the decision, and CPU time.

#![expect(
    clippy::inline_always,
    reason = "a call and a return cost as much as the decision itself"
)]

use crate::config::Config;
use crate::{Core, More, ThreadId};
use flyball_policy::{CpuSet, Policy, Resched, Stop, Table, Usage};
use flyball_trace::{CpuId, Duration, Kind, Sink, Slot, TaskId, Time};

/// What the kernel knows of one CPU.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cpu {
    /// The thread that runs.
    running: Slot,
    /// If no thread runs, the one that ran last: its registers are still those of the CPU.
    last: Slot,
    /// Not zero: it has to be decided anew which thread runs. No `bool`: with one, the compiler
    /// does not see that code which has just set it need not test it (15 instructions a call).
    pub(crate) look: u8,
    /// What else is to be done before the CPU goes on: [`Cpu::TIMER`], [`Cpu::RESTART`].
    work: u8,
    /// The policy has been told that the running thread stopped, so it has to pick.
    stopped: bool,
    /// The running thread (or idleness) has not been announced to the trace yet.
    announce: bool,
    /// Between [`Core::enter`] and [`Core::leave`]: time is the kernel's.
    in_kernel: bool,
    /// What the policy granted, if it granted a limited burst.
    burst: Option<Duration>,
    /// What of it has been used.
    used: Duration,
    /// Up to when CPU time has been counted.
    pub(crate) counted: Time,
    idle: Duration,
    kernel: Duration,
}

impl Cpu {
    /// [`Core::next_timer`] may have changed.
    pub(crate) const TIMER: u8 = 1;
    /// Some thread has to begin its program anew when it runs.
    pub(crate) const RESTART: u8 = 2;

    #[inline]
    pub(crate) fn has(&self, work: u8) -> bool {
        self.work & work != 0
    }

    #[inline]
    pub(crate) fn set(&mut self, work: u8) {
        self.work |= work;
    }

    #[inline]
    fn done(&mut self, work: u8) {
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
    /// Whether the timer is also for the policy, which may want another instant at any time.
    const TIMER_MOVES: bool = C::Policy::WANTS.bursts || C::Policy::WANTS.alarms;
    /// Whether it matters that the policy has been told already that the running thread stopped.
    const STOPS: bool = Self::COUNTS || C::Policy::WANTS.preempted;
    pub(crate) const COUNTS: bool = C::ACCOUNTING || Self::TELLS_USE;
    /// Whether it matters how long the running thread has had the CPU since it was picked.
    const TELLS_USE: bool = C::Policy::WANTS.usage || C::Policy::WANTS.bursts;
    /// Whether it matters when the kernel is entered and left: CPU time is counted, or events are
    /// traced. No clock is started or stopped otherwise.
    pub const MARKS_TIME: bool = Self::COUNTS || C::Trace::ENABLED;
    /// Whether a machine has to read the clock at each kernel entry, even for a call that needs no
    /// time itself. Otherwise [`Time::ZERO`] will do for such a call.
    pub const READS_CLOCK: bool = Self::MARKS_TIME || C::Policy::WANTS.clock;

    /// The first CPU of a cluster keeps the time for all of them: its timer releases jobs and ends
    /// waits.
    pub const TIMEKEEPER: CpuId = CpuId(0);

    /// The CPU begins to work for the kernel: stops the clock of the thread that ran.
    pub(crate) fn enter(&mut self, cpu: CpuId, now: Time) {
        self.charge(cpu, now);
        self.cpu_mut(cpu).in_kernel = true;
    }

    /// The timer of `cpu` fired: makes all releases that are due, notices the deadlines that have
    /// passed, ends the waits that took too long, and the burst of the running thread. Does no harm
    /// if nothing is due. Returns how many jobs were released and how many waits ended.
    ///
    /// Of several CPUs the first one keeps the time: on the others only bursts end and the policy's
    /// alarms for them come, and where there are ticks the first one sees to these, too.
    pub fn timer(&mut self, cpu: CpuId, now: Time) -> u32 {
        let mut served = 0;
        // Whatever the timer was set to, it is set no more.
        self.cpu_mut(cpu).set(Cpu::TIMER);
        if !self.keeps_time(cpu) {
            if C::Policy::WANTS.alarms && self.tick().is_none() {
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
        if C::Policy::WANTS.alarms {
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

    /// The policy's alarm on `cpu`, if it is due.
    fn serve_alarm(&mut self, cpu: CpuId, now: Time) {
        if self.policy.next_alarm(cpu).is_some_and(|at| at <= now) {
            let resched = self.policy.alarm(cpu, now);
            self.attend(resched);
        }
    }

    /// The CPUs of the cluster, but for the first.
    fn others(&self) -> impl Iterator<Item = CpuId> + use<C> {
        (1..=u8::MAX).map(CpuId).take(self.cpus.capacity() - 1)
    }

    /// It is a tick: other CPUs whose bursts are over have to look, and end them then.
    fn end_other_bursts(&mut self, now: Time) {
        for other in self.others() {
            let state = self.cpu(other);
            let has_run = state.used + now.since(state.counted);
            if state.burst.is_some_and(|burst| has_run >= burst) {
                self.attend(Resched::One(other));
            }
        }
    }

    /// Whether `cpu` is the one whose timer releases jobs and ends waits.
    #[inline]
    fn keeps_time(&self, cpu: CpuId) -> bool {
        self.is_alone() || cpu == CpuId(0)
    }

    fn end_burst(&mut self, cpu: CpuId, now: Time) {
        self.count(cpu, now);
        let state = self.cpu(cpu);
        if let (Some(task), Some(burst), false) = (state.running.get(), state.burst, state.stopped)
            && state.used >= burst
        {
            let job = self.job_number(task);
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
        Self::TIMER_MOVES
            || self.cpu(cpu).work != 0
            || !self.is_alone() && self.cpus[0].has(Cpu::TIMER)
    }

    /// What else is to be done after a decision on `cpu`, if [`Core::has_more`] says so.
    #[inline]
    pub(crate) fn more(&mut self, cpu: CpuId) -> More {
        let state = self.cpu_mut(cpu);
        let timer = Self::TIMER_MOVES || state.has(Cpu::TIMER);
        state.done(Cpu::TIMER);
        let may_restart = state.has(Cpu::RESTART);
        let restart = self.has_jobs()
            && may_restart
            && self
                .running_task(cpu)
                .is_some_and(|task| self.takes_restart(cpu, task));
        let mut timekeeper = None;
        if !self.keeps_time(cpu) && (C::Policy::WANTS.alarms || self.cpus[0].has(Cpu::TIMER)) {
            self.cpus[0].done(Cpu::TIMER);
            timekeeper = Some(self.next_timer(Self::TIMEKEEPER));
        }
        More {
            restart,
            timer: timer.then(|| self.next_timer(cpu)),
            timekeeper,
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
            self.cpu_mut(cpu).done(Cpu::RESTART);
        }
        restart
    }

    /// Whether it has to be decided anew which thread runs on `cpu`.
    #[inline]
    pub fn needs_resched(&self, cpu: CpuId) -> bool {
        self.cpu(cpu).look != 0
    }

    /// Whether there is nothing to do on `cpu`, the only one of its cluster, before it goes on:
    /// nothing to decide, and [`Core::next_timer`] is what it was. Where no clock has to be started
    /// either ([`Core::MARKS_TIME`]) an entry may be [cancelled](crate::Entry::cancel) then.
    #[inline]
    pub fn is_settled(&self, cpu: CpuId) -> bool {
        let state = self.cpu(cpu);
        !Self::TIMER_MOVES && state.look == 0 && !state.has(Cpu::TIMER)
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
            self.stop(cpu, task, Stop::Preempted, now);
        }
        let choice = self.policy.pick(cpu, now);
        if C::Policy::WANTS.released_cpu {
            let resched = self.policy.released_cpu(cpu);
            self.attend(resched);
        }
        let Some(choice) = choice else {
            return self.go_idle(cpu, now);
        };
        assert!(
            !C::CHECKS || choice.task.index() < self.threads.capacity(),
            "the policy chose a thread that is not there"
        );
        let next = Slot::of(choice.task);
        if (C::Trace::ENABLED || C::ACCOUNTING) && next != before {
            if let Some(task) = before.get() {
                let job = self.job_number(task);
                if C::ACCOUNTING {
                    self.preemptions += 1;
                }
                self.emit(now, cpu, Kind::Preempt { task, job });
            }
            if C::Trace::ENABLED {
                self.cpu_mut(cpu).announce = true;
            }
        }
        let state = self.cpu_mut(cpu);
        state.running = next;
        if C::Policy::WANTS.bursts {
            state.burst = choice.burst;
        }
        if Self::TELLS_USE {
            state.used = Duration::ZERO;
        }
        if Self::STOPS {
            state.stopped = false;
        }
        // The thread whose registers the CPU has; those of a thread that has run elsewhere
        // meanwhile are old.
        if !self.is_alone() && next != before {
            self.vacant = self.vacant.without(cpu);
            self.forget_elsewhere(choice.task);
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

    /// No thread can run.
    #[cold]
    fn go_idle(&mut self, cpu: CpuId, now: Time) -> Decision {
        if let Some(task) = self.running_task(cpu) {
            // A policy may let a CPU idle although a thread could run.
            let job = self.job_number(task);
            if C::ACCOUNTING {
                self.preemptions += 1;
            }
            self.emit(now, cpu, Kind::Preempt { task, job });
            let state = self.cpu_mut(cpu);
            state.last = state.running;
            state.running = Slot::EMPTY;
            if C::Trace::ENABLED {
                state.announce = true;
            }
            if !self.is_alone() {
                self.vacant = self.vacant.with(cpu);
            }
        }
        let state = self.cpu_mut(cpu);
        if C::Policy::WANTS.bursts {
            state.burst = None;
        }
        if Self::TELLS_USE {
            state.used = Duration::ZERO;
        }
        if Self::STOPS {
            state.stopped = false;
        }
        Decision {
            run: None,
            switch: false,
        }
    }

    /// The CPU goes back to what was decided: starts its clock.
    pub(crate) fn leave(&mut self, cpu: CpuId, now: Time) {
        self.charge(cpu, now);
        let state = self.cpu_mut(cpu);
        state.in_kernel = false;
        if C::Trace::ENABLED && state.announce {
            state.announce = false;
            let kind = match state.running.get() {
                Some(task) => Kind::Dispatch {
                    task,
                    job: self.job_number(task),
                },
                None => Kind::Idle,
            };
            self.emit(now, cpu, kind);
        }
    }

    /// When the timer of `cpu` has to fire, as long as nothing else happens; [`Time::NEVER`]: not
    /// at all. It may be in the past, and the timer has to fire at once then. [`More::timer`] is
    /// this, when it changes.
    pub fn next_timer(&self, cpu: CpuId) -> Time {
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
        if C::Policy::WANTS.alarms {
            // A policy without an alarm on this CPU never wants to be called.
            next = next.min(self.policy.next_alarm(cpu).unwrap_or(Time::NEVER));
        }
        if C::Policy::WANTS.bursts {
            let state = self.cpu(cpu);
            if let (Some(_), Some(burst)) = (state.running.get(), state.burst) {
                next = next.min(state.counted + burst.saturating_sub(state.used));
            }
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

    /// The CPU time that the CPU spent idle up to the last time it entered or left the kernel.
    pub fn idle_time(&self, cpu: CpuId) -> Duration {
        self.cpu(cpu).idle
    }

    /// The CPU time that the CPU spent between the beginnings and the ends of entries.
    pub fn kernel_time(&self, cpu: CpuId) -> Duration {
        self.cpu(cpu).kernel
    }

    /// Charges the thread that has the CPU, or idle time, up to `now`. While the kernel has the CPU
    /// that has been done already.
    #[inline]
    pub(crate) fn count(&mut self, cpu: CpuId, now: Time) {
        if !self.cpu(cpu).in_kernel {
            self.charge(cpu, now);
        }
    }

    /// Charges the time since this was last done to what had the CPU: a thread, the kernel, or
    /// idle time.
    fn charge(&mut self, cpu: CpuId, now: Time) {
        if !Self::COUNTS {
            return;
        }
        let state = self.cpu_mut(cpu);
        let time = now.since(state.counted);
        state.counted = now;
        match state.running.get() {
            _ if state.in_kernel => state.kernel += time,
            Some(task) => {
                if Self::TELLS_USE {
                    state.used += time;
                }
                if let Some(used) = self.used.find_mut(task.index()) {
                    *used += time;
                }
            }
            None => state.idle += time,
        }
    }

    /// `task` has ended: its registers belong to no thread, even if its row gets a new thread.
    pub(crate) fn forget(&mut self, task: TaskId) {
        for cpu in 0..self.cpus.capacity() {
            if self.cpus[cpu].last.holds(task) {
                self.cpus[cpu].last = Slot::EMPTY;
            }
        }
    }

    /// `task` runs: what idle CPUs have of its registers is nothing. (What a CPU had before the one
    /// that runs there is nothing anyway.)
    fn forget_elsewhere(&mut self, task: TaskId) {
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
    pub(crate) fn stop(&mut self, cpu: CpuId, task: TaskId, why: Stop, now: Time) {
        self.count(cpu, now);
        let state = self.cpu_mut(cpu);
        // What was used before an earlier stop at this same decision has been told already.
        let used = if state.stopped {
            Duration::ZERO
        } else {
            state.used
        };
        if Self::STOPS {
            state.stopped = true;
        }
        let resched = self.policy.stopped(cpu, task, Usage::time(used), why, now);
        self.attend(resched);
        if matches!(why, Stop::Blocked | Stop::Completed) {
            let state = self.cpu_mut(cpu);
            state.last = state.running;
            state.running = Slot::EMPTY;
            if C::Trace::ENABLED {
                state.announce = true;
            }
            if !self.is_alone() {
                self.vacant = self.vacant.with(cpu);
            }
        }
    }
}
