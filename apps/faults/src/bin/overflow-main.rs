//! A handler of an interrupt needs more than the main stack, while a thread runs.
#![no_std]
#![no_main]

use flyball_faults::{App, descend};
use flyball_kernel::{Attributes, Timing};
use flyball_machine_cortexm::{Machine, Stack, compute, kernel};
use flyball_policy::{Duration, FixedPriority, Priority, Ranked};
use flyball_trace::NoTrace;
use semihosting::process;
use static_cell::ConstStaticCell;

kernel!(KERNEL: App<2>, dive);

static STACK: ConstStaticCell<Stack<1024>> = ConstStaticCell::new(Stack::new());

/// Goes down to address zero, if it is let.
fn dive() {
    descend(usize::MAX, &|| ());
    process::exit(4);
}

extern "C" fn body(_: usize) -> ! {
    KERNEL.set_timer(Duration::ZERO);
    compute(1_000_000);
    process::exit(5)
}

#[cortex_m_rt::entry]
fn main() -> ! {
    KERNEL.init(Ranked::new(FixedPriority, 8), NoTrace, Timing::Tickless);
    let spawned = KERNEL.spawn(STACK.take(), Attributes::THREAD, Priority(1), body, 0);
    if spawned.is_err() {
        process::exit(3);
    }
    KERNEL.start()
}
