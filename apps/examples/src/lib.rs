//! What the examples have in common: one name for the machine that they are built for.
#![no_std]

#[cfg(target_os = "none")]
pub use flyball_machine_cortexm as machine;
#[cfg(not(target_os = "none"))]
pub use flyball_machine_host as machine;
