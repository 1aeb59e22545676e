//! What differs between the machines that this runs on.

#[cfg(target_arch = "arm")]
#[path = "cortexm.rs"]
mod chosen;
#[cfg(target_arch = "riscv64")]
#[path = "riscv.rs"]
mod chosen;

pub use chosen::*;
