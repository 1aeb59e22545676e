//! A board with a Cortex-M3: one CPU.

use crate::{KERNEL, Program, trace};
use flyball_app::Timing;
pub(crate) use flyball_machine_cortexm as chosen;
use flyball_machine_cortexm::{BoardConfig, Machine, board};

/// Tables with a row for each CPU.
pub(crate) type Cpus = flyball_policy::Inline<1>;

/// How many CPUs there are at most.
pub(crate) const CPUS: u8 = 1;

impl BoardConfig for Program {
    type Board = board::Chosen;
}

/// How many CPUs there are.
pub(crate) fn cpus() -> u8 {
    CPUS
}

/// The whole program, when memory has been initialised.
#[unsafe(no_mangle)]
extern "C" fn flyball_main() -> ! {
    crate::run(CPUS, |policy| {
        KERNEL.init(policy, trace::begin(), Timing::Tickless);
    })
}

/// The line of the interrupt whose handler calls.
pub(crate) fn line() -> u16 {
    /// Exceptions of the processor itself, which come first.
    const EXCEPTIONS: u32 = 16;
    let number: u32;
    // SAFETY: this reads a register.
    unsafe {
        core::arch::asm!("mrs {}, ipsr", out(reg) number, options(nomem, nostack, preserves_flags));
    }
    u16::try_from(number.saturating_sub(EXCEPTIONS)).unwrap_or(u16::MAX)
}
