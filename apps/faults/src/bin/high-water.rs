//! Says how deep a thread's stack ever was, and then divides by zero without having said what to do
//! about it.
#![no_std]
#![no_main]

use core::arch::asm;
use flyball_faults::{App, descend};
use flyball_kernel::{Attributes, Timing};
use flyball_machine_cortexm::{Machine, Stack, kernel};
use flyball_policy::{FixedPriority, Priority, Ranked, TaskId};
use flyball_trace::NoTrace;
use semihosting::{println, process};
use static_cell::ConstStaticCell;

kernel!(KERNEL: App<2>);

static STACK: ConstStaticCell<Stack<1024>> = ConstStaticCell::new(Stack::new());

extern "C" fn diver(_: usize) -> ! {
    for bytes in [0, 2_000, 1_000] {
        descend(bytes, &|| ());
        println!("{:?}", KERNEL.high_water(TaskId(0)));
    }
    println!("{:?}", KERNEL.high_water(TaskId(1)));
    // SAFETY: it changes one register.
    unsafe {
        asm!("sdiv {n}, {n}, {zero}", n = inout(reg) 1 => _, zero = in(reg) 0);
    }
    process::exit(0)
}

#[cortex_m_rt::entry]
fn main() -> ! {
    KERNEL.init(Ranked::new(FixedPriority, 8), NoTrace, Timing::Tickless);
    let spawned = KERNEL.spawn(STACK.take(), Attributes::THREAD, Priority(1), diver, 0);
    if spawned.is_err() {
        process::exit(3);
    }
    KERNEL.start()
}
