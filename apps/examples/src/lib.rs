//! What the examples have in common: one name for the machine that they are built for.
#![no_std]

pub mod audio;

#[cfg(all(target_os = "none", target_arch = "arm"))]
pub use flyball_machine_cortexm as machine;
#[cfg(not(target_os = "none"))]
pub use flyball_machine_host as machine;
#[cfg(all(target_os = "none", target_arch = "riscv64"))]
pub use flyball_machine_riscv as machine;

/// How many CPUs the machine has that the examples are built for.
pub const CPUS: usize = if cfg!(all(target_os = "none", target_arch = "riscv64")) {
    4
} else {
    1
};
