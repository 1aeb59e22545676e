//! Panics.
#![no_std]
#![no_main]

use flyball_faults::{Fault, Image, thread_of};
use flyball_machine_cortexm::Kernel;
use flyball_runner::{Runner, runner};

struct Chosen;

impl Fault for Chosen {
    fn happen(_: &'static Kernel<Runner<Image<Self>>>) {
        panic!("there is no fuel left");
    }
}

runner!(Image<Chosen>, thread_of::<Chosen>);
