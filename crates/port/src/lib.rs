//! What stands between the kernel core and a machine.
//!
//! A machine implements two traits. What all machines have in common is written here, once, in
//! terms of these.
//!
//! | module | what |
//! |---|---|
//! | [`port`](mod@port) | [`Port`]: a CPU during one kernel entry, and the end of an entry |
//! | [`machine`](mod@machine) | [`Machine`]: the kernel of an application on a machine, and all its calls |
//! | [`locked`] | [`LockedKernel`]: several things in one kernel entry, new threads among them |
//! | [`stack`] | stacks, and how much of them was used |
//! | [`config`] | what an application chooses about a machine |
//! | [`fault`] | the report on a thread that cannot go on |
//! | [`handler`] | a place for the handler of an interrupt |
//! | [`memory`] | memory that the linker leaves free |
//!
//! # What an implementor promises
//!
//! [`Port`] has the six things that a kernel entry needs of a CPU:
//!
//! | | method | promise |
//! |---|---|---|
//! | clock | [`clock`](Port::clock) | never goes back; [`Time::ZERO`](flyball_policy::Time::ZERO) is the start of the kernel |
//! | one-shot | [`set_timer`](Port::set_timer) | calls `Core::timer` in an entry at the instant or as soon as possible after it, never before |
//! | other CPUs | [`interrupt`](Port::interrupt) | that CPU enters the kernel soon |
//! | new context | [`begin`](Port::begin), [`restart`](Port::restart) | the thread begins when it runs for the first time, or the next time |
//! | switch, idle | [`switch`](Port::switch) | the CPU has this thread's registers after the entry, or sleeps until an interrupt |
//!
//! [`Machine`] has the two ways in: [`enter`](Machine::enter) for a call, and
//! [`with_core`](Machine::with_core) for a look. The implementor promises for both that nothing
//! else uses the core meanwhile: interrupts are masked, and where several CPUs share the core, its
//! lock is held. The rest of the required methods are the devices that each machine has: text, an
//! end, interrupt lines, and a timer of the application's.
//!
//! # What the kernel does
//!
//! Everything else. The core (`flyball-kernel`) decides which thread runs, and when each timer
//! fires; [`decide`] and [`finish`] carry its decision out in an order that is the same on all
//! machines; [`Machine`] has the calls of applications and the making of threads as methods with
//! bodies. All of it is generic and inlined, so a machine pays for nothing that it could have
//! written shorter.
//!
//! # Who implements it
//!
//! `flyball-machine-cortexm`, `flyball-machine-riscv` and `flyball-machine-host`. The simulator
//! (`flyball-sim`) does not: its threads are scripts without contexts or stacks, and it charges the
//! overheads of an entry between the decision and its end. It drives the core through the same
//! [`Entry`](flyball_kernel::Entry) and so in the same order, which is what makes the traces equal.
//!
//! A port needs unsafe code, as a stack is memory that changes its meaning. It is in this crate
//! and in the machines, each block with its reason.
#![no_std]

pub mod config;
pub mod fault;
pub mod handler;
pub mod locked;
pub mod machine;
pub mod memory;
pub mod port;
pub mod stack;

pub use config::{MachineConfig, report};
pub use fault::{Cause, Fault};
pub use handler::Handler;
pub use locked::LockedKernel;
pub use machine::{CallKind, FileContents, Machine};
pub use port::{Port, decide, finish};
pub use stack::{EntryPoint, Stack, StackArea, Stacks};
