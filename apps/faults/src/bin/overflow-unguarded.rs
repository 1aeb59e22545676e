//! Needs a few words more than its stack, which has a canary only.
#![no_std]
#![no_main]

use flyball_faults::{Fault, Image, descend, thread_of};
use flyball_machine_cortexm::{Kernel, Stacks};
use flyball_runner::{Runner, runner};

struct Chosen;

impl Fault for Chosen {
    const STACKS: Stacks = Stacks::Canary;

    fn happen(_: &'static Kernel<Runner<Image<Self>>>) {
        // A stack has 512 words, and the first frame is the deepest that the next one is used.
        descend(512 * 4 - 16, &|| ());
    }
}

runner!(Image<Chosen>, thread_of::<Chosen>);
