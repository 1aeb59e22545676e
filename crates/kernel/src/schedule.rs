//! Who runs: entering and leaving the kernel, the timer, the decision, and CPU time.

use crate::config::{Config, Timing};
use crate::{Core, ThreadId};
use flyball_policy::{Attention, Dispatch, Policy, Stop, Table, Usage};
use flyball_trace::{CpuId, Duration, Kind, TaskId, Time};

/// What the kernel knows of one CPU.
pub(crate) struct Cpu {
    /// Who runs.
    running: Option<TaskId>,
    /// Who ran last: his registers are still those of the CPU if nobody else ran since.
    last: Option<TaskId>,
    /// What the policy granted, if it granted a limited burst.
    burst: Option<Duration>,
    /// What of it has been used.
    used: Duration,
    /// The policy has been told that the running thread stopped, so it has to pick.
    stopped: bool,
    /// The running thread (or idleness) has not been announced to the trace yet.
    announce: bool,
    /// Between [`Core::enter`] and [`Core::leave`]: time is the kernel's.
    in_kernel: bool,
    /// Up to when CPU time has been counted.
    counted: Time,
    idle: Duration,
    kernel: Duration,
}

impl Default for Cpu {
    fn default() -> Cpu {
        Cpu {
            running: None,
            last: None,
            burst: None,
            used: Duration::ZERO,
            stopped: false,
            announce: false,
            in_kernel: false,
            counted: Time::ZERO,
            idle: Duration::ZERO,
            kernel: Duration::ZERO,
        }
    }
}

/// What a CPU does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "the machine has to run what was decided"]
pub struct Decision {
    /// The thread that runs; `None`: the CPU idles.
    pub run: Option<TaskId>,
    /// Whether it is another thread than the one that ran here last, so that registers have to be
    /// changed. Idleness has no registers: going idle, and coming back to the same thread, is no
    /// switch.
    pub switch: bool,
    /// The thread's job was given up: its program begins anew, with its next job.
    pub restart: bool,
}

impl<C: Config> Core<C> {
    const COUNTS: bool = C::ACCOUNTING || C::Policy::WANTS.usage || C::Policy::WANTS.bursts;

    /// The CPU begins to work for the kernel: stops the clock of the thread that ran. Where the
    /// kernel's own time is not to be told apart this may be left out.
    pub fn enter(&mut self, cpu: CpuId, now: Time) {
        self.count(cpu, now);
        self.cpus[cpu.index()].in_kernel = true;
    }

    /// The timer of `cpu` fired: makes all releases that are due, notices the deadlines that have
    /// passed, ends the waits that took too long, and the burst of the running thread. Does no harm
    /// if nothing is due. Returns how many jobs were released and how many waits ended.
    pub fn timer(&mut self, cpu: CpuId, now: Time) -> u32 {
        let mut served = 0;
        if let Timing::Tick(length) = self.timing {
            if now < self.next_tick {
                return served;
            }
            self.ticks += 1;
            self.next_tick = Time::ZERO + length * (now.since(Time::ZERO) / length + 1);
            self.emit(now, cpu, Kind::Tick);
        }
        while let Some((task, at)) = self.alarms.first() {
            if at > now {
                break;
            }
            served += u32::from(self.ring(cpu, task, now));
        }
        if C::Policy::WANTS.alarms && self.policy.next_alarm().is_some_and(|at| at <= now) {
            let attention = self.policy.alarm(now);
            self.attend(attention);
        }
        if C::Policy::WANTS.bursts {
            self.end_burst(cpu, now);
        }
        served
    }

    fn end_burst(&mut self, cpu: CpuId, now: Time) {
        self.count(cpu, now);
        let state = &self.cpus[cpu.index()];
        if let (Some(task), Some(burst), false) = (state.running, state.burst, state.stopped)
            && state.used >= burst
        {
            let job = self.threads[task.index()].jobs.number();
            self.emit(now, cpu, Kind::BurstEnd { task, job });
            self.stop(cpu, task, Stop::BurstEnd, now);
        }
    }

    /// Decides who runs on `cpu`, if it has to be decided anew.
    pub fn decide(&mut self, cpu: CpuId, now: Time) -> Decision {
        if self.attention.includes(cpu) {
            self.pick(cpu, now);
            self.dismiss(cpu);
        }
        let state = &mut self.cpus[cpu.index()];
        let switch = state.running.is_some() && state.running != state.last;
        let run = state.running;
        if run.is_some() {
            state.last = run;
        }
        let restart =
            run.is_some_and(|task| core::mem::take(&mut self.threads[task.index()].restart));
        Decision {
            run,
            switch,
            restart,
        }
    }

    /// `cpu` has decided.
    fn dismiss(&mut self, cpu: CpuId) {
        if self.cpus.capacity() == 1 {
            self.attention = Attention::None;
            return;
        }
        self.attention = match self.attention {
            Attention::Many(set) => set
                .iter()
                .filter(|&other| other != cpu)
                .fold(Attention::None, |all, other| all.and(Attention::One(other))),
            Attention::One(other) if other != cpu => Attention::One(other),
            _ => Attention::None,
        }
    }

    fn pick(&mut self, cpu: CpuId, now: Time) {
        self.count(cpu, now);
        let before = self.cpus[cpu.index()].running;
        if let Some(task) = before
            && !self.cpus[cpu.index()].stopped
        {
            self.stop(cpu, task, Stop::Preempted, now);
        }
        let choice = self.policy.pick(cpu, now);
        let next = choice.map(|choice| choice.task);
        if next != before {
            if let Some(task) = before {
                let thread = &mut self.threads[task.index()];
                thread.cpu = None;
                let job = thread.jobs.number();
                if C::ACCOUNTING {
                    self.preemptions += 1;
                }
                self.emit(now, cpu, Kind::Preempt { task, job });
            }
            if let Some(task) = next {
                self.threads[task.index()].cpu = Some(cpu);
            }
            self.cpus[cpu.index()].announce = true;
        }
        let state = &mut self.cpus[cpu.index()];
        state.running = next;
        if C::Policy::WANTS.bursts {
            state.burst = choice.and_then(|Dispatch { burst, .. }| burst);
        }
        if Self::COUNTS {
            state.used = Duration::ZERO;
        }
        state.stopped = false;
    }

    /// The CPU goes back to what was decided: starts its clock.
    pub fn leave(&mut self, cpu: CpuId, now: Time) {
        self.count(cpu, now);
        let state = &mut self.cpus[cpu.index()];
        state.in_kernel = false;
        if state.announce {
            state.announce = false;
            let kind = match state.running {
                Some(task) => Kind::Dispatch {
                    task,
                    job: self.threads[task.index()].jobs.number(),
                },
                None => Kind::Idle,
            };
            self.emit(now, cpu, kind);
        }
    }

    /// When the timer of `cpu` has to fire, as long as nothing else happens; [`Time::NEVER`]: not
    /// at all. It may be in the past, and the timer has to fire at once then. To be asked after
    /// [`Core::leave`].
    pub fn next_timer(&self, cpu: CpuId) -> Time {
        if matches!(self.timing, Timing::Tick(_)) {
            return self.next_tick;
        }
        let mut next = self.alarms.first().map_or(Time::NEVER, |(_, at)| at);
        if C::Policy::WANTS.alarms {
            next = next.min(self.policy.next_alarm().unwrap_or(Time::NEVER));
        }
        if C::Policy::WANTS.bursts {
            let state = &self.cpus[cpu.index()];
            if let (Some(_), Some(burst)) = (state.running, state.burst) {
                next = next.min(state.counted + burst.saturating_sub(state.used));
            }
        }
        next
    }

    /// The thread that runs on `cpu`.
    pub fn running(&self, cpu: CpuId) -> Option<ThreadId> {
        let task = self.cpus[cpu.index()].running?;
        Some(ThreadId {
            task,
            generation: self.threads[task.index()].generation,
        })
    }

    /// The thread that ran last on `cpu`, if it still exists: its registers are still there.
    pub fn last_run(&self, cpu: CpuId) -> Option<TaskId> {
        self.cpus[cpu.index()].last
    }

    /// The CPU time that the CPU spent idle up to the last time it entered or left the kernel.
    pub fn idle_time(&self, cpu: CpuId) -> Duration {
        self.cpus[cpu.index()].idle
    }

    /// The CPU time that the CPU spent between [`Core::enter`] and [`Core::leave`].
    pub fn kernel_time(&self, cpu: CpuId) -> Duration {
        self.cpus[cpu.index()].kernel
    }

    /// Counts the time since it was last counted to whoever had the CPU.
    pub(crate) fn count(&mut self, cpu: CpuId, now: Time) {
        if !Self::COUNTS {
            return;
        }
        let state = &mut self.cpus[cpu.index()];
        let time = now.since(state.counted);
        state.counted = now;
        match state.running {
            _ if state.in_kernel => state.kernel += time,
            Some(task) => {
                state.used += time;
                self.threads[task.index()].used += time;
            }
            None => state.idle += time,
        }
    }

    /// `task` has ended: its registers are nobody's, even if its row gets a new thread.
    pub(crate) fn forget(&mut self, task: TaskId) {
        for cpu in 0..self.cpus.capacity() {
            let last = &mut self.cpus[cpu].last;
            *last = last.filter(|&last| last != task);
        }
    }

    /// Tells the policy that `task`, which runs on `cpu`, has stopped.
    pub(crate) fn stop(&mut self, cpu: CpuId, task: TaskId, why: Stop, now: Time) {
        self.count(cpu, now);
        let state = &mut self.cpus[cpu.index()];
        // What was used before an earlier stop at this same decision has been told already.
        let used = if state.stopped {
            Duration::ZERO
        } else {
            state.used
        };
        state.stopped = true;
        let attention = self.policy.stopped(cpu, task, Usage::time(used), why, now);
        self.attend(attention);
        if matches!(why, Stop::Blocked | Stop::Completed) {
            let state = &mut self.cpus[cpu.index()];
            state.running = None;
            state.announce = true;
            self.threads[task.index()].cpu = None;
        }
    }
}
