//! What an application chooses about this machine, when it is compiled.

use crate::board::Board;
use crate::clock::Ticks;
use flyball_port::{MachineConfig, Stacks};

/// What an application chooses beside what it chooses on all machines.
pub trait BoardConfig: MachineConfig<Stamp = Ticks<<Self as BoardConfig>::Board>> {
    /// What it runs on.
    type Board: Board;

    /// What stacks are painted for. Those of C threads are not painted for a guard.
    #[doc(hidden)]
    const PAINTS: Stacks = match Self::STACKS {
        Stacks::Guarded if Self::C_LIBRARY => Stacks::Unwatched,
        stacks => stacks,
    };

    /// Whether it is found out what a fault was, for [`MachineConfig::fault`]. Where a report could
    /// not be read, that is left out, and the processor sleeps for ever.
    const REPORTS: bool = cfg!(feature = "semihosting");
}
