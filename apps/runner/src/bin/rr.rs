//! Round robin.
#![no_std]
#![no_main]

use flyball_policy::{Bitmap, Fifo, Inline, Ranked, RoundRobin, Sliced, Uniprocessor};
use flyball_runner::{Scheduler, runner};
use flyball_script::image::{Common, Task};

struct Chosen;

impl Scheduler for Chosen {
    type Policy = Ranked<RoundRobin, Bitmap<(), Inline<32>>, Uniprocessor>;

    fn policy(common: &Common) -> Self::Policy {
        Ranked::new(
            Sliced {
                order: Fifo,
                quantum: common.settings.quantum(),
            },
            32,
        )
    }

    fn params(_: &Task) {}
}

runner!(Chosen);
