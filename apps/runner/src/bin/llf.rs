//! Least laxity first.
#![no_std]
#![no_main]

use flyball_policy::{Heap, Inline, Laxity, LeastLaxity, Ranked, Time, Uniprocessor};
use flyball_runner::{Scheduler, runner};
use flyball_script::image::{Common, Task};

struct Chosen;

impl Scheduler for Chosen {
    type Policy = Ranked<LeastLaxity, Heap<Time, Inline<32>>, Uniprocessor>;

    fn policy(common: &Common) -> Self::Policy {
        Ranked::new(
            LeastLaxity {
                quantum: common.settings.quantum(),
            },
            32,
        )
    }

    fn params(task: &Task) -> Laxity {
        Laxity {
            deadline: task.deadline,
            wcet: task.wcet.min(task.deadline),
        }
    }
}

runner!(Chosen);
