//! A CPU during one kernel entry.

#![expect(
    clippy::inline_always,
    reason = "what a call of the kernel costs is counted in instructions"
)]

use crate::stack::EntryPoint;
use flyball_kernel::{Clock, Config, Core, Entry, Next, Rest, ThreadId};
use flyball_policy::{CpuId, Speed, TaskId, Time};

/// A CPU during one kernel entry, beside the core: what the core's decisions are carried out by.
///
/// A value of this type exists from the beginning of an entry to its end, while nothing else uses
/// the core. CPUs are numbered as the core counts them, and `S` is its [`Config::Stamp`].
pub trait Port<S> {
    /// Memory on which a thread can begin.
    type Stack;

    /// The clock of the kernel.
    fn clock(&mut self) -> impl Clock<S>;

    /// The timer of `cpu` fires once, at `at` or as soon as possible after that; not at all at
    /// [`Time::NEVER`]. What was set before is forgotten. `cpu` is the CPU of the entry, or
    /// [`Core::TIMEKEEPER`].
    fn set_timer(&mut self, cpu: CpuId, at: Time);

    /// Makes another CPU of the cluster enter the kernel. A machine with one CPU is never asked to.
    fn interrupt(&mut self, cpu: CpuId) {
        let _ = cpu;
    }

    /// `thread`, which does not run yet, begins at `entry` with `argument` when it runs. It is known to
    /// objects in memory by `name` ([`Core::quick_name`]), which a machine keeps that has a
    /// [`Machine::name`](crate::Machine::name) of its own.
    ///
    /// # Safety
    /// As [`Machine::spawn_on`](crate::Machine::spawn_on).
    unsafe fn begin(
        &mut self,
        thread: ThreadId,
        name: u32,
        stack: Self::Stack,
        entry: EntryPoint,
        argument: usize,
    );

    /// `thread`, which is to run on this CPU after the entry, begins anew on the same stack,
    /// whatever it was doing.
    ///
    /// # Safety
    /// `thread` has begun, and whatever it had on its stack may be forgotten.
    unsafe fn restart(&mut self, thread: TaskId);

    /// This CPU runs `thread` after the entry; `None`: it sleeps until an interrupt.
    fn switch(&mut self, thread: Option<TaskId>);

    /// This CPU, on which the entry is, goes over to an operating point: what the application has for
    /// that ([`MachineConfig::speed`](crate::MachineConfig::speed)). Called for policies that choose
    /// among operating points ([`Wants::speeds`](flyball_policy::Wants::speeds)).
    fn set_speed(&mut self, cpu: CpuId, speed: Speed);
}

/// Ends an entry: decides which thread runs, lets it run, and goes over to its operating point. The caller interrupts the other CPUs
/// that [`Next::interrupt`] names, where there are any, and calls [`finish`] if
/// [`Rest::is_needed`].
#[inline(always)]
pub fn decide<C: Config>(entry: Entry, core: &mut Core<C>, port: &mut impl Port<C::Stamp>) -> Next {
    let cpu = entry.cpu();
    let decided = entry.decide(core);
    if decided.is_new() {
        if let Some(speed) = decided.take_speed(core) {
            port.set_speed(cpu, speed);
        }
        port.switch(decided.run());
    }
    decided.leave(core, port.clock())
}

/// Does what is rare at the end of an entry: restarts the thread that runs, and sets timers.
#[inline]
pub fn finish<C: Config>(rest: Rest, core: &mut Core<C>, port: &mut impl Port<C::Stamp>) {
    let cpu = rest.cpu();
    let more = rest.take(core, port.clock());
    if more.restart
        && let Some(task) = core.running_task(cpu)
    {
        // SAFETY: the caller that spawned a thread whose jobs may be given up has promised that.
        unsafe { port.restart(task) };
    }
    if let Some(at) = more.timer {
        port.set_timer(cpu, at);
    }
    if let Some(at) = more.timekeeper {
        port.set_timer(Core::<C>::TIMEKEEPER, at);
    }
}
