//! The machine under Flyball's kernel that is a Linux process: threads as coroutines, a virtual
//! clock.
//!
//! An application that runs on a board runs here unchanged, on a developer's desk and in tests. Its
//! code takes no time; what takes time says so, by [`Kernel::compute`]. When every thread waits,
//! the clock jumps to whatever comes next. So hours pass in a moment, nothing depends on the load
//! of the machine, and every run is the same, byte for byte.
//!
//! | module | what |
//! |---|---|
//! | [`kernel`](mod@kernel) | [`Kernel`]: the way in and out of the core, as on every machine ([`Machine`]) |
//! | [`run`] | the loop: which thread runs, what happens when, and why it ends |
//! | [`devices`] | interrupts at virtual instants |
//! | `threads` | coroutines |
//!
//! # What happens at one instant
//!
//! 1. The running thread makes its calls. A call after which another thread may be more urgent is
//!    the end of this.
//! 2. Interrupts that are due call their handlers, in the order of their instants, and those of one
//!    instant in the order in which they were asked for.
//! 3. The kernel's timer: all releases and deadlines.
//! 4. The kernel decides which thread runs.
//!
//! That is the order of the simulator (`flyball-sim`), and the trace is the same, event by event,
//! with one difference: a simulation knows when a call was the last of a job, and lets that job be
//! complete even if the call made another thread more urgent. Here that job is preempted first.
//!
//! # What it is not
//!
//! A program that waits by looking at the clock again and again waits for ever, as no time passes
//! meanwhile. And it is no test of the size of stacks: a coroutine has
//! [`STACK`](threads::STACK) bytes, whatever the application asked for.
//!
//! All `unsafe` code for this machine is in this crate, each block with its reason.

pub mod devices;
pub mod kernel;
pub mod run;
mod spin;
pub mod threads;

pub use flyball_policy::Time;
pub use flyball_port::{EntryPoint, Machine};
pub use kernel::Kernel;
pub use run::Ended;
pub use spin::SpinLock;

/// Makes the application's kernel: a static of a name and a type.
#[macro_export]
macro_rules! kernel {
    ($name:ident: $config:ty) => {
        /// The kernel.
        static $name: $crate::Kernel<$config> = $crate::Kernel::new();
    };
}

/// What an application that is built for any machine chooses about this one: nothing. Stacks are
/// the operating system's business.
#[macro_export]
macro_rules! configure {
    ($config:ty, guarded: $guarded:expr, cpus: $cpus:expr) => {
        const _: () = assert!($cpus == 1, "this machine has one CPU");
    };
}

/// What a kernel of this configuration reads of the clock.
#[macro_export]
macro_rules! stamp {
    ($config:ty) => {
        $crate::Time
    };
}

/// Makes the program: it begins with a call of `$main`, a `fn() -> !`.
#[macro_export]
macro_rules! main {
    ($main:path) => {
        fn main() {
            $main()
        }
    };
}
