//! Fixed priorities, round robin among equals.
#![no_std]
#![no_main]

use flyball_policy::order::Level;
use flyball_policy::{Bitmap, FixedPriority, Inline, Priority, Ranked, Sliced, Uniprocessor};
use flyball_runner::{Scheduler, runner};
use flyball_script::image::{Common, Task};

struct Chosen;

impl Scheduler for Chosen {
    type Policy = Ranked<Sliced<FixedPriority>, Bitmap<Level, Inline<32>>, Uniprocessor>;

    fn policy(common: &Common) -> Self::Policy {
        Ranked::new(
            Sliced {
                order: FixedPriority,
                quantum: common.settings.quantum(),
            },
            32,
        )
    }

    fn params(task: &Task) -> Priority {
        Priority(task.priority)
    }
}

runner!(Chosen);
