//! Needs more than its stack, which is guarded.
#![no_std]
#![no_main]

use flyball_faults::{Fault, Image, descend, thread_of};
use flyball_machine_cortexm::Kernel;
use flyball_runner::{Runner, runner};

struct Chosen;

impl Fault for Chosen {
    fn happen(_: &'static Kernel<Runner<Image<Self>>>) {
        descend(usize::from(u16::MAX), &|| ());
    }
}

runner!(Image<Chosen>, thread_of::<Chosen>);
