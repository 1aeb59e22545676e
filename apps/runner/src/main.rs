//! The image that has every policy of the catalogue.
#![no_std]
#![no_main]

#[cfg(target_arch = "arm")]
flyball_runner::runner!(flyball_catalogue::Uniprocessor);
#[cfg(target_arch = "riscv64")]
flyball_runner::runner!(flyball_catalogue::Multiprocessor);
