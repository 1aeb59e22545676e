//! What an application chooses about the machine, when it is compiled.

use crate::board::Board;
use crate::fault::Fault;
use crate::guard::Stacks;
use crate::kernel::Kernel;
use core::fmt::Display;
use flyball_kernel::Config;
use flyball_policy::TaskId;

/// The machine's part of a kernel's configuration; the core's is [`Config`].
pub trait MachineConfig: Config + Sized + 'static {
    /// What it runs on.
    type Board: Board;

    /// What is done about stacks that are too small.
    const STACKS: Stacks = Stacks::Guarded;

    /// Whether it is found out what a fault was, for [`MachineConfig::fault`]. Where a report could
    /// not be read, that is left out, and the processor sleeps for ever.
    const REPORTS: bool = cfg!(feature = "semihosting");

    /// What a thread is called in reports, if it has a name.
    fn name(thread: TaskId) -> Option<&'static str> {
        let _ = thread;
        None
    }

    /// What is done when a thread, or the kernel, cannot go on: there was a fault, or a panic,
    /// which says `message`. A fault is reported on the main stack, in an exception that nothing
    /// preempts; a panic where it was, with interrupts masked. No thread ever runs again. If it was
    /// in the kernel itself, what [`Kernel::look`] shows may be half changed.
    ///
    /// Unless the application has something better it prints the report by semihosting, and ends;
    /// without the feature `semihosting` the processor sleeps for ever.
    fn fault(kernel: &'static Kernel<Self>, fault: &Fault, message: Option<&dyn Display>) -> ! {
        #[cfg(feature = "semihosting")]
        {
            semihosting::eprintln!("{fault}");
            if let Some(message) = message {
                semihosting::eprintln!("{message}");
            }
        }
        #[cfg(not(feature = "semihosting"))]
        let _ = (fault, message);
        kernel.shut_down(1)
    }
}
