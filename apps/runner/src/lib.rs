//! Runs a task set on the kernel, and keeps what happened.
//!
//! The task set is an image ([`flyball_script::image`]) that was loaded into the board's external
//! memory before the start. It names the scheduler, with its settings. Each task is a thread that
//! does what the script says; the trace goes through the rest of that memory to a file of the host.
//! One image of this program has every policy of the catalogue, and a scheduler of the user's own
//! gets an image by [`runner!`] in a package of its own.
#![no_std]

#[cfg(target_arch = "riscv64")]
extern crate alloc;

mod change;
mod interrupts;
pub mod machine;
mod output;
mod program;
mod speeds;
mod tape;
mod tasks;

pub use change::{alarm, thread_of};
pub use output::fail;
pub use program::{Chosen, Program, Runner};
pub use tape::TraceBuffer;
pub use tasks::{run, thread};

/// The first bytes of the external memory are those of the task set.
pub const IMAGE: usize = 4 << 20;

/// The whole program for what an image runs ([`Program`]). `$thread`, if there is one, is what each
/// thread does, given the kernel and its number; else it is [`thread()`]. It keeps nothing on its
/// stack that others rely on, as it may be left at any instant when its job is given up.
#[macro_export]
macro_rules! runner {
    ($program:ty) => {
        $crate::runner!($program, $crate::thread);
    };
    ($program:ty, $thread:expr) => {
        $crate::machine::machine::kernel!(KERNEL: $crate::Runner<$program>);

        static CHOSEN: $crate::Chosen<<$program as $crate::Program>::Boot> = $crate::Chosen::new();

        extern "C" fn alarm() {
            // SAFETY: threads lend nothing that is on their stacks to any other code.
            unsafe { $crate::alarm(&KERNEL, &CHOSEN, thread) }
        }

        extern "C" fn thread(number: usize) -> ! {
            $thread(&KERNEL, number)
        }

        fn start() -> ! {
            // SAFETY: threads lend nothing that is on their stacks to any other code.
            unsafe { $crate::run(&KERNEL, &CHOSEN, thread, alarm) }
        }

        $crate::machine::machine::main!(start);
    };
}
