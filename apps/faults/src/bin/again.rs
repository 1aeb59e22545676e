//! Room for one thread: when it has ended, an interrupt makes the next one, on a stack of its own,
//! while the processor still sleeps on the stack of the one that is gone.
#![no_std]
#![no_main]

use core::cell::Cell;
use core::task::Poll;
use cortex_m::interrupt::{Mutex, free};
use flyball_faults::App;
use flyball_kernel::{Attributes, Timing};
use flyball_machine_cortexm::{Machine, Stack, compute, kernel};
use flyball_policy::{Duration, FixedPriority, Priority, Ranked};
use flyball_trace::NoTrace;
use semihosting::{println, process};
use static_cell::ConstStaticCell;

kernel!(KERNEL: App<1>, next);

const MOST: usize = 3;
static STACKS: [ConstStaticCell<Stack<512>>; MOST] =
    [const { ConstStaticCell::new(Stack::new()) }; MOST];
static BEGUN: Mutex<Cell<usize>> = Mutex::new(Cell::new(0));

/// The next thread begins, and the timer interrupts again in a millisecond.
fn next() {
    let number = free(|cs| BEGUN.borrow(cs).replace(BEGUN.borrow(cs).get() + 1));
    let Some(stack) = STACKS.get(number) else {
        process::exit(0)
    };
    let spawned = KERNEL.spawn(stack.take(), Attributes::THREAD, Priority(1), body, number);
    if spawned.is_err() {
        process::exit(3);
    }
    KERNEL.set_timer(Duration::from_millis(1));
}

extern "C" fn body(number: usize) -> ! {
    println!("thread {number} begins");
    compute(1_000);
    println!("thread {number} ends");
    let _ = KERNEL.call(|core, cpu, now| core.exit(cpu, now).map(|()| Poll::Pending::<()>));
    println!("thread {number} goes on after its end");
    process::exit(4)
}

#[cortex_m_rt::entry]
fn main() -> ! {
    KERNEL.init(Ranked::new(FixedPriority, 8), NoTrace, Timing::Tickless);
    next();
    KERNEL.start()
}
