//! What an application chooses about a machine, when it is compiled.

use crate::fault::Fault;
use crate::machine::Machine;
use crate::stack::Stacks;
use core::fmt::Display;
use flyball_kernel::{Config, Sizes};
use flyball_policy::{CpuId, Speed, TaskId};

/// A machine's part of a kernel's configuration; the core's is [`Config`].
pub trait MachineConfig: Config + Sized + 'static {
    /// What is done about stacks that are too small.
    const STACKS: Stacks = Stacks::Guarded;

    /// How many CPUs there are.
    const CPUS: u8 = 1;

    /// Whether threads are those of C, of which the C library keeps a state. On the Cortex-M that is the end
    /// of a thread's stack, to which `_impure_ptr` points while the thread runs. On RISC-V the argument of
    /// a thread is in `tp` while it runs.
    ///
    /// Such threads come and go, so their stacks are not painted where that can be avoided.
    const C_LIBRARY: bool = false;

    /// What a thread of C that was interrupted in the middle of its program calls before it goes on there, if anything.
    /// Interrupts come then. (Not on the Cortex-M, where another thread makes it call something.)
    fn after_interrupt() -> Option<extern "C" fn()> {
        None
    }

    /// How many rows the tables have whose storage does not say so by its type.
    fn sizes() -> Sizes {
        Sizes::FIXED
    }

    /// What a thread is called in reports, if it has a name.
    fn name(thread: TaskId) -> Option<&'static str> {
        let _ = thread;
        None
    }

    /// `cpu`, on which this is called, goes over to an operating point, from which the next thread
    /// runs. The machines here know none, so an application whose policy chooses among operating
    /// points sets the clock of its processor here, and comes back when that has settled. Interrupts
    /// are masked, and it makes no call of the kernel.
    fn speed(cpu: CpuId, speed: Speed) {
        let _ = (cpu, speed);
    }

    /// What is done when a thread, or the kernel, cannot go on: there was a fault, or a panic,
    /// which says `message`. Interrupts are masked, and no thread of this CPU ever runs again. If
    /// it was in the kernel itself, what [`Machine::look`] shows may be half changed.
    ///
    /// Unless the application has something better the machine prints the report, and ends.
    fn fault(
        kernel: &'static impl Machine<Config = Self>,
        fault: &Fault,
        message: Option<&dyn Display>,
    ) -> ! {
        report(kernel, fault, message)
    }
}

/// Prints the report on a fault, with what a panic says, and ends the program: what
/// [`MachineConfig::fault`] does unless the application has something better.
#[expect(
    clippy::inline_always,
    reason = "in an application without anything better it is `fault` itself"
)]
#[inline(always)]
pub fn report(kernel: &'static impl Machine, fault: &Fault, message: Option<&dyn Display>) -> ! {
    kernel.print_error(format_args!("{fault}\n"));
    if let Some(message) = message {
        kernel.print_error(format_args!("{message}\n"));
    }
    kernel.shut_down(1)
}
