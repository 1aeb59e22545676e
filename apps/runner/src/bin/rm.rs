//! Rate monotonic.
#![no_std]
#![no_main]

use flyball_policy::{Duration, Heap, Inline, Period, Ranked, RateMonotonic, Uniprocessor};
use flyball_runner::{Scheduler, runner};
use flyball_script::image::{Common, Task};

struct Chosen;

impl Scheduler for Chosen {
    type Policy = Ranked<RateMonotonic, Heap<Duration, Inline<32>>, Uniprocessor>;

    fn policy(_: &Common) -> Self::Policy {
        Ranked::new(RateMonotonic, 32)
    }

    fn params(task: &Task) -> Period {
        Period(task.period_or_never())
    }
}

runner!(Chosen);
