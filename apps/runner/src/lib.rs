//! Runs a task set on the kernel, and keeps what happened.
//!
//! The task set is an image ([`flyball_script::image`]) that was loaded into the board's external
//! memory before the start. Each task is a thread that does what the script says; the trace goes to
//! the rest of that memory, and to a file of the host at the end. There is an image of this program
//! for each policy, and each runs any task set.
#![no_std]

mod output;
mod tape;
mod tasks;

pub use tape::Tape;
pub use tasks::{Runner, end, set_up, thread};

use flyball_policy::Policy;
use flyball_script::image::{Common, Task};

/// The first bytes of the external memory are those of the task set.
pub const IMAGE: usize = 4 << 20;

/// A policy, as it is made from a task set.
pub trait Scheduler {
    /// The policy.
    type Policy: Policy;
    /// Makes it.
    fn policy(common: &Common) -> Self::Policy;
    /// What a task tells it.
    fn params(task: &Task) -> <Self::Policy as Policy>::Params;
}

/// The whole program for one [`Scheduler`].
#[macro_export]
macro_rules! runner {
    ($scheduler:ty) => {
        flyball_machine_cortexm::kernel!(KERNEL: $crate::Runner<$scheduler>, || {
            $crate::end(&KERNEL)
        });

        extern "C" fn thread(number: usize) -> ! {
            $crate::thread(&KERNEL, number)
        }

        #[cortex_m_rt::entry]
        fn main() -> ! {
            $crate::set_up(&KERNEL, thread)
        }
    };
}
