//! First in, first out.
#![no_std]
#![no_main]

use flyball_policy::{Bitmap, Fifo, Inline, Ranked, Uniprocessor};
use flyball_runner::{Scheduler, runner};
use flyball_script::image::{Common, Task};

struct Chosen;

impl Scheduler for Chosen {
    type Policy = Ranked<Fifo, Bitmap<(), Inline<32>>, Uniprocessor>;

    fn policy(_: &Common) -> Self::Policy {
        Ranked::new(Fifo, 32)
    }

    fn params(_: &Task) {}
}

runner!(Chosen);
