//! Reads where nothing is.
#![no_std]
#![no_main]

use flyball_faults::{Fault, Image, thread_of};
use flyball_machine_cortexm::Kernel;
use flyball_runner::{Runner, runner};

struct Chosen;

impl Fault for Chosen {
    fn happen(_: &'static Kernel<Runner<Image<Self>>>) {
        const NOWHERE: *const u32 = 0xFFFF_FFF0 as *const u32;
        // SAFETY: there is none. The processor does not let it happen.
        unsafe { NOWHERE.read_volatile() };
    }
}

runner!(Image<Chosen>, thread_of::<Chosen>);
