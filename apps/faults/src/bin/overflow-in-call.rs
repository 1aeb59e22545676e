//! Needs more than its stack in a call of the kernel: with interrupts masked it is a hard fault.
#![no_std]
#![no_main]

use flyball_faults::{Fault, Image, call, descend, thread_of};
use flyball_machine_cortexm::Kernel;
use flyball_runner::{Runner, runner};

struct Chosen;

impl Fault for Chosen {
    fn happen(kernel: &'static Kernel<Runner<Image<Self>>>) {
        descend(usize::from(u16::MAX), &|| call(kernel));
    }
}

runner!(Image<Chosen>, thread_of::<Chosen>);
