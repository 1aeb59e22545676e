//! The machine `virt` with RV64GC: one to eight CPUs, on which all threads run.

use crate::{KERNEL, Program, trace};
use flyball_app::Timing;
pub(crate) use flyball_machine_riscv as chosen;
use flyball_machine_riscv::MachineConfig;

/// Tables with a row for each CPU. How many there are is known when the program runs.
pub(crate) type Cpus = flyball_policy::Boxed;

/// How many CPUs there are at most.
pub(crate) const CPUS: u8 = 8;

/// How many CPUs there are.
pub(crate) fn cpus() -> u8 {
    KERNEL.cpus()
}

/// The whole program, when memory has been initialised. `tree` describes the machine.
#[unsafe(no_mangle)]
extern "C" fn flyball_main(_: usize, tree: *const u8) -> ! {
    // SAFETY: it is what the first hart began with.
    let found = unsafe { chosen::device_tree::cpus(tree) };
    let all = u8::try_from(found).unwrap_or(CPUS).min(CPUS);
    chosen::heap::init();
    crate::run(all, |policy| {
        let cpus = chosen::Cpus { all, cluster: all };
        let mut once = Some(policy);
        KERNEL.init_clusters(cpus, Timing::Tickless, |_| {
            Some((once.take()?, trace::begin(), Program::sizes()))
        });
    })
}

/// The line of the interrupt whose handler calls.
pub(crate) fn line() -> u16 {
    chosen::line()
}
