//! Kernel entries: CPUs that must reschedule decide, and the kernel's work takes its time.

use super::{CPU, Node};
use crate::error::SimError;
use flyball_catalogue::Scheduler;
use flyball_kernel::{Decided, Entry};
use flyball_model::Platform;
use flyball_policy::{CpuId, CpuSet, Duration, TaskId, Time};
use flyball_trace::{Cause, Event, Kind, Sink};

/// The overheads for the number of tasks that there are.
#[derive(Clone, Copy)]
pub(super) struct Costs {
    /// All of them are zero.
    pub(super) free: bool,
    pub(super) call: Duration,
    pub(super) tick: Duration,
    pub(super) control: Duration,
    pub(super) release: Duration,
    pub(super) scheduling: Duration,
    pub(super) switch: Duration,
    pub(super) ipi: Duration,
    pub(super) cache: Duration,
}

impl Costs {
    /// Those of a platform, for so many tasks. If they are `seen` then none is free.
    pub(super) fn new(platform: &Platform, tasks: usize, seen: bool) -> Costs {
        let overheads = &platform.overheads;
        Costs {
            free: platform.work_is_free() && !seen,
            call: overheads.call.at(tasks),
            tick: overheads.tick.at(tasks),
            control: overheads.control.at(tasks),
            release: overheads.release.at(tasks),
            scheduling: overheads.scheduling.at(tasks),
            switch: overheads.context_switch.at(tasks),
            ipi: overheads.ipi.at(tasks),
            cache: overheads.cache.at(tasks),
        }
    }
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// A CPU begins to work for the kernel.
    #[inline]
    pub(super) fn enter<const PLAIN: bool>(&mut self, cpu: CpuId, now: Time) {
        if !PLAIN {
            self.begin_entry(cpu, now);
        }
        self.inside = self.inside.with(cpu);
    }

    /// Stops the clock of what ran, where the kernel's work takes time.
    #[inline]
    fn begin_entry(&mut self, cpu: CpuId, now: Time) {
        if !self.costs.free {
            let entry = Entry::begin(&mut self.core, cpu, true, now);
            self.lanes[cpu.index()].entry = Some(entry);
        }
    }

    /// The end of what happens at `now`: the CPUs that work for the kernel decide and go on, and
    /// those that must reschedule are interrupted.
    #[expect(clippy::inline_always, reason = "as for `next_on`")]
    #[inline(always)]
    pub(super) fn leave<const PLAIN: bool>(
        &mut self,
        now: Time,
        ticked: bool,
        released: u32,
    ) -> Result<(), SimError> {
        if self.is_alone() {
            self.inside = CpuSet::EMPTY;
            if !PLAIN {
                self.lanes[CPU.index()].interrupt = Time::NEVER;
            }
            return match self.take_entry::<PLAIN>(CPU, now) {
                Some(entry) if PLAIN => self.dispatch::<PLAIN>(entry, ticked, released),
                Some(entry) => self.dispatch_and_pay(entry, ticked, released),
                None => Ok(()),
            };
        }
        self.leave_all::<PLAIN>(now, ticked, released)
    }

    /// The same on several CPUs.
    #[inline(never)]
    fn leave_all<const PLAIN: bool>(
        &mut self,
        now: Time,
        ticked: bool,
        released: u32,
    ) -> Result<(), SimError> {
        // By rising number, and what one CPU decides may concern others before it.
        let mut from = CPU;
        loop {
            let Some(cpu) = self.concerned().first_from(from) else {
                if self.unheard().is_none() {
                    break;
                }
                from = CPU;
                continue;
            };
            from = CpuId(cpu.0 + 1);
            let lane = &mut self.lanes[cpu.index()];
            if self.inside.contains(cpu) {
                lane.interrupt = Time::NEVER;
                self.inside = self.inside.without(cpu);
            } else if !lane.interrupt.is_never() {
                continue;
            } else if lane.busy_until > now || !self.costs.ipi.is_zero() {
                lane.interrupt = lane.busy_until.max(now + self.costs.ipi);
                let next = self.nexts.at(cpu.index()).min(lane.interrupt);
                self.nexts.set(cpu.index(), next);
                continue;
            } else {
                // It has something left to compute: otherwise it would be here by itself.
                if !PLAIN {
                    self.begin_entry(cpu, now);
                }
                self.pause::<PLAIN>(cpu, now);
            }
            if let Some(entry) = self.take_entry::<PLAIN>(cpu, now) {
                let is_first = cpu == CPU;
                let released = if is_first { released } else { 0 };
                if PLAIN {
                    self.dispatch::<PLAIN>(entry, ticked, released)?;
                } else {
                    self.dispatch_and_pay(entry, ticked && is_first, released)?;
                }
            }
            if cpu != CPU {
                self.nexts.set(cpu.index(), self.next_on::<PLAIN>(cpu));
            }
        }
        // What happened on other CPUs may have set the clock of the one that keeps the time.
        self.nexts.set(CPU.index(), self.next_on::<PLAIN>(CPU));
        Ok(())
    }

    /// The entry of a CPU that works for the kernel; `None` if it has nothing to decide and its
    /// work takes no time, so that it goes on.
    #[inline]
    fn take_entry<const PLAIN: bool>(&mut self, cpu: CpuId, now: Time) -> Option<Entry> {
        if PLAIN || self.costs.free {
            let has_work = self.core.needs_resched(cpu) || !PLAIN && self.lags(cpu);
            return has_work.then(|| Entry::instant(cpu, now));
        }
        self.lanes[cpu.index()].entry.take()
    }

    /// The CPUs that work for the kernel, and those that must reschedule.
    #[inline]
    pub(super) fn concerned(&self) -> CpuSet {
        self.inside.union(self.core.resched_cpus())
    }

    /// A CPU that must reschedule, and is not interrupted yet.
    #[inline]
    pub(super) fn unheard(&self) -> Option<CpuId> {
        let mut cpus = self.core.resched_cpus().iter();
        cpus.find(|cpu| self.lanes[cpu.index()].interrupt.is_never())
    }

    /// The end of an entry: it is decided which task runs, and the kernel's work takes its time. By itself, as
    /// a call costs little beside that.
    #[inline(never)]
    pub(super) fn dispatch_and_pay(
        &mut self,
        entry: Entry,
        ticked: bool,
        released: u32,
    ) -> Result<(), SimError> {
        self.dispatch::<false>(entry, ticked, released)
    }

    /// The end of an entry: it is decided which task runs, and the kernel's work takes its time, unless all is plain.
    #[expect(clippy::inline_always, reason = "as for `next_on`")]
    #[inline(always)]
    fn dispatch<const PLAIN: bool>(
        &mut self,
        entry: Entry,
        ticked: bool,
        released: u32,
    ) -> Result<(), SimError> {
        let (cpu, now) = (entry.cpu(), entry.now());
        // If it still has the CPU it could go on.
        let could_go_on = self.core.running_task(cpu);
        let decided = entry.decide(&mut self.core);
        let (is_new, switch) = (decided.is_new(), decided.switch());
        let running = decided.run().map(TaskId::index);
        let restart = decided.restart(&self.core);
        if is_new {
            let before = std::mem::replace(&mut self.lanes[cpu.index()].running, running);
            if could_go_on.is_some() && decided.run() != could_go_on {
                self.counts.preemptions += 1;
                if let Some(row) = before {
                    self.threads[row].cold = true;
                }
            }
            self.counts.switches += u64::from(switch);
            if restart && let Some(row) = running {
                self.threads[row].program.restart();
                self.threads[row].cold = false;
                self.turn(row)?;
            }
        }
        let leave = if PLAIN || self.costs.free {
            if !PLAIN {
                self.adjust(cpu, &decided, now);
                self.set_pace(cpu);
            }
            if is_new && let Some(row) = running {
                // Where the kernel's work takes time, others may get in between.
                self.threads[row].program.begin();
            }
            now
        } else {
            self.pay(cpu, &decided, now, ticked, released)
        };
        let next = decided.leave(&mut self.core, leave);
        if restart {
            // The program begins anew already. The virtual timer is asked for when time passes.
            let _ = next.rest.take(&mut self.core, leave);
        }
        let lane = &mut self.lanes[cpu.index()];
        lane.resumed = leave;
        lane.busy_until = leave;
        Ok(())
    }

    /// What an entry has cost that began at `now`: until when the kernel works.
    #[inline(never)]
    fn pay(
        &mut self,
        cpu: CpuId,
        decided: &Decided,
        now: Time,
        ticked: bool,
        released: u32,
    ) -> Time {
        let (is_new, switch) = (decided.is_new(), decided.switch());
        let lane = &mut self.lanes[cpu.index()];
        let calls = std::mem::take(&mut lane.unpaid);
        let released = u64::from(released) + std::mem::take(&mut lane.released);
        let mut leave = self.charge(cpu, now, Cause::Call, self.costs.call * calls);
        leave = self.charge(cpu, leave, Cause::Tick, self.costs.tick * u64::from(ticked));
        let runs = self.core.control_runs();
        let run = runs.wrapping_sub(std::mem::replace(&mut self.control_runs, runs));
        let control = self.costs.control * u64::from(run);
        leave = self.charge(cpu, leave, Cause::Control, control);
        leave = self.charge(cpu, leave, Cause::Release, self.costs.release * released);
        leave = self.charge(
            cpu,
            leave,
            Cause::Scheduling,
            self.costs.scheduling * u64::from(is_new),
        );
        leave = self.adjust(cpu, decided, leave);
        leave = self.charge(
            cpu,
            leave,
            Cause::ContextSwitch,
            self.costs.switch * u64::from(switch),
        );
        leave = self.as_seen(now, leave, is_new, run > 0);
        self.set_pace(cpu);
        if let Some(row) = self.lanes[cpu.index()].running
            && switch
            && std::mem::take(&mut self.threads[row].cold)
        {
            self.threads[row].program.left += self.costs.cache;
            self.note(cpu, leave, Cause::Cache, self.costs.cache);
        }
        leave
    }

    /// The kernel works on a CPU from `from` on, for so long at the fastest operating point; returns
    /// until when.
    pub(super) fn charge(
        &mut self,
        cpu: CpuId,
        from: Time,
        cause: Cause,
        mut length: Duration,
    ) -> Time {
        if let Some(clocks) = &mut self.clocks {
            length = clocks.kernel_pace(cpu).stretch(length);
            clocks.worked(cpu, length);
        }
        self.note(cpu, from, cause, length);
        from + length
    }

    /// Tells the trace what a CPU's time goes to from `from` on.
    pub(super) fn note(&self, cpu: CpuId, from: Time, cause: Cause, length: Duration) {
        if T::ENABLED && !length.is_zero() {
            let kind = Kind::Overhead { cause, length };
            self.sink.borrow_mut().record(Event {
                time: from,
                cpu: CpuId(self.cpu.0 + cpu.0),
                kind,
            });
        }
    }
}
