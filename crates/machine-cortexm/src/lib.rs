//! The machine under Flyball's kernel for Arm Cortex-M3: what the sans-hardware core leaves to do.
//!
//! | module | what |
//! |---|---|
//! | [`clock`] | a 64-bit clock and a one-shot timer that is set to an instant |
//! | [`context`] | changing from one stack to another |
//! | `call` | calls that a thread makes because another one says so |
//! | `cpu` | the processor during one kernel entry: its [`Port`](flyball_port::Port) |
//! | [`kernel`](mod@kernel) | the lock around the core, and the way in and out |
//! | `machine` | what this machine is to the kernel: its [`Machine`] |
//! | `start` | how scheduling starts |
//! | `macros` | what an application calls in its root |
//! | [`spin`] | data that threads and handlers share |
//! | [`config`] | what an application chooses about this machine |
//! | [`guard`] | stacks that are too small, and how that is noticed |
//! | `fault` | what a thread did that it cannot go on |
//! | `examine` | what the processor and the stack tell about it |
//! | [`board`] | what a board adds to the processor, and boards: `mps2-an385`, `lm3s6965evb`, `netduinoplus2` |
//! | `vectors` | interrupts |
//!
//! What all machines have in common is in the crate `flyball-port`: the calls, and the making of
//! threads.
//!
//! # One kernel entry
//!
//! A call masks interrupts, lets the core do what was asked, asks it which thread runs, sets the
//! timer, and unmasks. If that is another thread, the lowest of all exceptions, `PendSV`, is
//! pending by then; it changes stacks as soon as nothing more urgent is going on. So a call after
//! which the same thread runs costs no exception, and one that changes threads costs one.
//!
//! # Idle
//!
//! A thread that has to wait while no other thread can run waits in the call, on its own stack,
//! with the processor asleep. The registers are still there when it goes on, so going idle and
//! coming back to the same thread is no switch, which is how the core counts as well. Where the
//! policy holds a thread back that could run the processor sleeps on the stack of `main`.
//!
//! All `unsafe` code for this machine is in this crate, each block with its reason.
#![no_std]
#![allow(
    clippy::inline_always,
    reason = "what a call of the kernel costs is counted in instructions"
)]

pub mod board;
mod call;
pub mod clock;
pub mod config;
pub mod context;
mod cpu;
#[cfg(feature = "copies")]
mod divide;
mod examine;
mod fault;
pub mod guard;
pub mod kernel;
mod machine;
mod macros;
mod mask;
#[cfg(feature = "copies")]
mod memory;
pub mod spin;
mod start;
mod tick;
#[doc(hidden)]
pub mod vectors;

// The start of every program.
use cortex_m_rt as _;

pub use board::Board;
pub use clock::Ticks;
pub use config::BoardConfig;
#[doc(hidden)]
pub use examine::ExceptionState;
#[doc(hidden)]
pub use flyball_port::stack::PAINT;
pub use flyball_port::{
    EntryPoint, Fault, Machine, MachineConfig, Stack, StackArea, Stacks, report,
};
pub use kernel::Kernel;
pub use spin::SpinLock;

/// Computes for `instructions`, as exactly as two of them, and whatever it takes to get here.
///
/// Most of them do nothing at all: an emulator that translates a stretch of code without a jump as
/// one piece is done with it at once, and an instruction of such a stretch takes it a tenth of what
/// one of a loop as short as can be does.
#[inline(never)]
pub fn compute(mut instructions: u64) {
    while instructions > 1 {
        let now = u32::try_from(instructions).unwrap_or(u32::MAX - 1);
        let (rounds, rest) = (now / 64, now % 64 / 2);
        if rounds > 0 {
            // SAFETY: a loop that counts down a register.
            unsafe {
                core::arch::asm!(
                    "2:",
                    // 62 of them. The compiler counts what is written, so it has to be written.
                    "nop; nop; nop; nop; nop; nop; nop; nop",
                    "nop; nop; nop; nop; nop; nop; nop; nop",
                    "nop; nop; nop; nop; nop; nop; nop; nop",
                    "nop; nop; nop; nop; nop; nop; nop; nop",
                    "nop; nop; nop; nop; nop; nop; nop; nop",
                    "nop; nop; nop; nop; nop; nop; nop; nop",
                    "nop; nop; nop; nop; nop; nop; nop; nop",
                    "nop; nop; nop; nop; nop; nop",
                    "subs {count}, #1",
                    "bne  2b",
                    count = inout(reg) rounds => _,
                );
            }
        }
        if rest > 0 {
            // SAFETY: a loop that counts down a register.
            unsafe {
                core::arch::asm!(
                    "2:",
                    "subs {count}, #1",
                    "bne  2b",
                    count = inout(reg) rest => _,
                );
            }
        }
        instructions -= u64::from(now);
    }
}
