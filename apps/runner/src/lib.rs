//! Runs a task set on the kernel, and keeps what happened.
//!
//! The task set is an image ([`flyball_script::image`]) that was loaded into the board's external
//! memory before the start. Each task is a thread that does what the script says; the trace goes
//! through the rest of that memory to a file of the host. There is an image of this program
//! for each policy, and each runs any task set.
#![no_std]

#[cfg(target_arch = "riscv64")]
extern crate alloc;

mod change;
pub mod machine;
mod output;
pub mod rules;
mod tape;
mod tasks;

pub use change::alarm;
pub use output::fail;
pub use tape::TraceBuffer;
pub use tasks::{Runner, set_up, thread};

use flyball_policy::Policy;
use flyball_script::image::{Common, Task};
use machine::Stacks;

/// The first bytes of the external memory are those of the task set.
pub const IMAGE: usize = 4 << 20;

/// A policy, as it is made from a task set.
pub trait Scheduler {
    /// The policy.
    type Policy: Policy;
    /// What is done about stacks that are too small.
    const STACKS: Stacks = Stacks::BEST;
    /// Makes it for so many threads on so many CPUs.
    fn policy(common: &Common, threads: usize, cpus: usize) -> Self::Policy;
    /// What a task tells it.
    fn params(task: &Task) -> <Self::Policy as Policy>::Params;
}

/// The whole program for one [`Scheduler`]. `$thread`, if there is one, is what each thread does, given
/// the kernel and its number; else it is [`thread()`]. It keeps nothing on its stack that others rely on,
/// as it may be left at any instant when its job is given up.
#[macro_export]
macro_rules! runner {
    ($scheduler:ty) => {
        $crate::runner!($scheduler, $crate::thread);
    };
    ($scheduler:ty, $thread:expr) => {
        $crate::machine::machine::kernel!(KERNEL: $crate::Runner<$scheduler>);

        extern "C" fn alarm() {
            // SAFETY: threads lend nothing that is on their stacks to anyone.
            unsafe { $crate::alarm(&KERNEL, thread) }
        }

        extern "C" fn thread(number: usize) -> ! {
            $thread(&KERNEL, number)
        }

        fn start() -> ! {
            // SAFETY: threads lend nothing that is on their stacks to anyone.
            unsafe { $crate::set_up(&KERNEL, thread, alarm) }
        }

        $crate::machine::machine::main!(start);
    };
}
