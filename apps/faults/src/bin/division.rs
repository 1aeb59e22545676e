//! Divides by zero.
#![no_std]
#![no_main]

use flyball_faults::{Fault, Image, thread_of};
use flyball_machine_cortexm::Kernel;
use flyball_runner::{Runner, runner};

struct Chosen;

impl Fault for Chosen {
    fn happen(_: &'static Kernel<Runner<Image<Self>>>) {
        // Rust looks before it divides, so the processor's instruction it is.
        // SAFETY: it changes one register.
        unsafe {
            core::arch::asm!("sdiv {n}, {n}, {zero}", n = inout(reg) 1 => _, zero = in(reg) 0);
        }
    }
}

runner!(Image<Chosen>, thread_of::<Chosen>);
