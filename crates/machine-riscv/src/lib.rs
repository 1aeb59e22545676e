//! The machine under Flyball's kernel for RISC-V with 1 to 64 CPUs: what the sans-hardware core
//! leaves to do.
//!
//! | module | what |
//! |---|---|
//! | [`device_tree`] | how many CPUs there are |
//! | [`board`] | the one board so far, QEMU's `virt`: a clock, timers, doorbells |
//! | `hart` | what a CPU can do to itself |
//! | `start` | how CPUs begin, and interrupts |
//! | `context` | changing from one stack to another |
//! | `cpu` | a CPU during one kernel entry: its [`Port`](flyball_port::Port) |
//! | `cluster` | CPUs that share a core, and the lock around it |
//! | [`kernel`](mod@kernel) | the clusters of a machine, and one kernel entry |
//! | `machine` | what this machine is to the kernel: its [`Machine`] |
//! | `migration` | threads that go from one core to another |
//! | [`plant`] | the cores of all CPUs, for a controller that is a thread |
//! | [`spin`] | locks between CPUs, for applications |
//! | `devices` | interrupts that an application makes itself, its timer, and the end of all CPUs |
//! | [`probe`] | what kernel entries take, where that is measured |
//! | `fault` | what a thread did that it cannot go on |
//!
//! What all machines have in common is in the crate `flyball-port`: the calls, and the making of
//! threads.
//!
//! # One kernel entry
//!
//! A call masks interrupts, takes the lock of its cluster, lets the core do what was asked, asks it
//! which thread runs, sets the timer, rings for other CPUs that must reschedule, and changes to the
//! stack of that thread. The thread that goes on gives the lock back, when the registers of the one
//! that stopped are kept: no other CPU can go on with that one before. A CPU that is alone in its
//! cluster has no lock, and shares nothing.
//!
//! An interrupt is an entry like any other, on the stack of the thread that it interrupts.
//!
//! # Idle
//!
//! A CPU idles on the stack on which it began, since a thread that waits may go on anywhere else.
//!
//! # Time
//!
//! The first CPU of a cluster keeps the time for all of them. Any CPU of the cluster that changes
//! when this timer has to fire sets it.
//!
//! All `unsafe` code for this machine is in this crate, each block with its reason.
#![no_std]
#![allow(
    clippy::inline_always,
    clippy::cast_possible_truncation,
    reason = "what a call of the kernel costs is counted in instructions, and harts have small numbers"
)]

extern crate alloc;

pub mod board;
mod cluster;
pub mod config;
mod context;
mod cpu;
pub mod device_tree;
mod devices;
mod fault;
mod hart;
#[doc(hidden)]
pub mod heap;
pub mod kernel;
mod machine;
mod macros;
mod migration;
pub mod plant;
pub mod probe;
pub mod spin;
mod start;

pub use cluster::Traffic;
pub use config::HartConfig;
pub use devices::line;
pub use flyball_port::{
    EntryPoint, Fault, Machine, MachineConfig, Stack, StackArea, Stacks, report,
};
pub use flyball_trace::Time;
pub use kernel::{Cpus, Kernel};
pub use machine::keep_busy;
pub use migration::Arrived;
pub use plant::Supervised;
pub use spin::SpinLock;
