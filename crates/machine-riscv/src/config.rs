//! What an application chooses about the machine, when it is compiled.

use crate::fault::Fault;
use crate::kernel::Kernel;
use core::fmt::Display;
use flyball_kernel::Config;
use flyball_policy::TaskId;

/// What is done about stacks that are too small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stacks {
    /// Nothing: a thread that needs more overwrites what is below.
    Unwatched,
    /// The lowest word of a stack is looked at whenever its thread stops; if it has changed,
    /// nothing goes on. That is late: something else may have been overwritten.
    Canary,
}

impl Stacks {
    /// The best that this machine can do.
    pub const BEST: Stacks = Stacks::Canary;

    /// Whether stacks are painted, so that it can be seen what has been used.
    pub(crate) const fn is_painted(self) -> bool {
        matches!(self, Stacks::Canary)
    }
}

/// The machine's part of a kernel's configuration; the core's is [`Config`].
pub trait MachineConfig: Config + Sized + 'static {
    /// What is done about stacks that are too small.
    const STACKS: Stacks = Stacks::BEST;

    /// How many CPUs there are.
    const CPUS: u8 = 1;

    /// What a thread is called in reports, if it has a name.
    fn name(thread: TaskId) -> Option<&'static str> {
        let _ = thread;
        None
    }

    /// What is done when a thread, or the kernel, cannot go on: there was a fault, or a panic,
    /// which says `message`. On the stack where it was, with interrupts masked. No thread of this
    /// CPU ever runs again. If it was in the kernel itself, what [`Kernel::look`] shows may be half
    /// changed.
    ///
    /// Unless the application has something better it prints the report by semihosting, and ends.
    fn fault(kernel: &'static Kernel<Self>, fault: &Fault, message: Option<&dyn Display>) -> ! {
        semihosting::eprintln!("{fault}");
        if let Some(message) = message {
            semihosting::eprintln!("{message}");
        }
        kernel.shut_down(1)
    }
}
