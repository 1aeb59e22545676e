//! Controllers of reservations without a kernel around them.
#![no_std]
#![no_main]

use flyball_app::{Bitmap, FixedPriority, Inline, Level, Ranked};

flyball_app::kernel! {
    machine: flyball_machine_cortexm,
    policy: Ranked<FixedPriority, Bitmap<Level, Inline<1>, 1>> = Ranked::new(FixedPriority, 1),
    init: flyball_costs::controllers::measure,
    threads: 1,
    objects: false,
    queues: 0,
    messages: 0,
    arrivals: 0,
}
