//! Deadline monotonic.
#![no_std]
#![no_main]

use flyball_policy::{Deadline, DeadlineMonotonic, Duration, Heap, Inline, Ranked, Uniprocessor};
use flyball_runner::{Scheduler, runner};
use flyball_script::image::{Common, Task};

struct Chosen;

impl Scheduler for Chosen {
    type Policy = Ranked<DeadlineMonotonic, Heap<Duration, Inline<32>>, Uniprocessor>;

    fn policy(_: &Common) -> Self::Policy {
        Ranked::new(DeadlineMonotonic, 32)
    }

    fn params(task: &Task) -> Deadline {
        Deadline(task.deadline)
    }
}

runner!(Chosen);
