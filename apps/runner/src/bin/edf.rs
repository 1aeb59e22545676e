//! Earliest deadline first.
#![no_std]
#![no_main]

use flyball_policy::{Deadline, EarliestDeadline, Heap, Inline, Ranked, Time, Uniprocessor};
use flyball_runner::{Scheduler, runner};
use flyball_script::image::{Common, Task};

struct Chosen;

impl Scheduler for Chosen {
    type Policy = Ranked<EarliestDeadline, Heap<Time, Inline<32>>, Uniprocessor>;

    fn policy(_: &Common) -> Self::Policy {
        Ranked::new(EarliestDeadline, 32)
    }

    fn params(task: &Task) -> Deadline {
        Deadline(task.deadline)
    }
}

runner!(Chosen);
