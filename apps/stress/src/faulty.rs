//! Runs task sets under global fixed priorities; but the tasks of three numbers do what no task may
//! in their third job, each something else.
#![no_std]
#![no_main]

use core::hint::black_box;
use flyball_catalogue::{Clustered, Fp};
use flyball_kernel::Core;
use flyball_policy::Duration;
use flyball_runner::Runner;
use flyball_runner::machine::{Kernel, Machine};

fn perform(kernel: &'static Kernel<Runner<Clustered<Fp>>>, number: usize) -> ! {
    if !(1..=3).contains(&number) {
        flyball_runner::thread(kernel, number)
    }
    let compute = |us| kernel.compute(Duration::from_micros(us));
    for _ in 0..2 {
        compute(500);
        let _ = kernel.call(Core::wait_next);
    }
    compute(200);
    match number {
        1 => panic!("there is no fuel left"),
        2 => {
            const NOWHERE: *const u32 = 0x10 as *const u32;
            // SAFETY: there is nothing to be read, and the processor does not let it happen.
            unsafe { NOWHERE.read_volatile() };
        }
        _ => descend(600),
    }
    // This has not been noticed yet. It is noticed when another thread runs here.
    loop {
        let _ = kernel.call(Core::wait_next);
    }
}

/// Uses so many words of the stack, and some.
#[inline(never)]
fn descend(words: usize) {
    let local = black_box([words; 8]);
    if words > 8 {
        descend(words - 8);
    }
    black_box(local);
}

flyball_runner::runner!(Clustered<Fp>, perform);
