//! What an application chooses about this machine, when it is compiled.

use crate::board::Board;
use crate::clock::Ticks;
use flyball_port::MachineConfig;

/// What an application chooses beside what it chooses on all machines.
pub trait BoardConfig: MachineConfig<Stamp = Ticks<<Self as BoardConfig>::Board>> {
    /// What it runs on.
    type Board: Board;

    /// Whether the end of each thread's stack is the state that the C library keeps of the thread:
    /// `_impure_ptr` points there while the thread runs.
    const C_LIBRARY: bool = false;

    /// Whether it is found out what a fault was, for [`MachineConfig::fault`]. Where a report could
    /// not be read, that is left out, and the processor sleeps for ever.
    const REPORTS: bool = cfg!(feature = "semihosting");
}
