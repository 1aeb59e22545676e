//! Room for one thread: when it has ended, an interrupt makes the next one, on a stack of its own,
//! while the processor still sleeps on the stack of the one that is gone.
#![no_std]
#![no_main]

use core::cell::Cell;
use core::task::Poll;
use cortex_m::interrupt::{Mutex, free};
use flyball_kernel::{Attributes, Config, Timing};
use flyball_machine_cortexm::board::Chosen;
use flyball_machine_cortexm::{MachineConfig, Stack, Stacks, compute, kernel};
use flyball_policy::order::Level;
use flyball_policy::{Bitmap, Duration, FixedPriority, Inline, Priority, Ranked};
use flyball_trace::NoTrace;
use semihosting::{println, process};
use static_cell::ConstStaticCell;

struct App;

impl Config for App {
    type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<8>>>;
    type Trace = NoTrace;
    type Message = ();
    type Cpus = Inline<1>;
    type Threads = Inline<1>;
    type Mutexes = Inline<1>;
    type Semaphores = Inline<1>;
    type Conditions = Inline<1>;
    type Queues = Inline<1>;
    type Messages = Inline<1>;
    type Jobs = Inline<1>;
    type Arrivals = Inline<1>;
    type Accounts = Inline<1>;
}

impl MachineConfig for App {
    type Board = Chosen;
    const STACKS: Stacks = Stacks::Guarded;
}

kernel!(KERNEL: App, next);

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
    KERNEL.set_up(Ranked::new(FixedPriority, 8), NoTrace, Timing::Tickless);
    next();
    KERNEL.start()
}
