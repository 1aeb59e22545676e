//! Fixed priorities.
#![no_std]
#![no_main]

use flyball_policy::order::Level;
use flyball_policy::{Bitmap, FixedPriority, Inline, Priority, Ranked, Uniprocessor};
use flyball_runner::{Scheduler, runner};
use flyball_script::image::{Common, Task};

struct Chosen;

impl Scheduler for Chosen {
    type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<32>>, Uniprocessor>;

    fn policy(_: &Common) -> Self::Policy {
        Ranked::new(FixedPriority, 32)
    }

    fn params(task: &Task) -> Priority {
        Priority(task.priority)
    }
}

runner!(Chosen);
