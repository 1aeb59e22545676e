//! A handler of an interrupt needs more than the main stack, while a thread runs.
#![no_std]
#![no_main]

use flyball_faults::descend;
use flyball_kernel::{Attributes, Config, Timing};
use flyball_machine_cortexm::board::Chosen;
use flyball_machine_cortexm::{MachineConfig, Stack, Stacks, compute, kernel};
use flyball_policy::order::Level;
use flyball_policy::{Bitmap, Duration, FixedPriority, Inline, Priority, Ranked, TaskId};
use flyball_trace::NoTrace;
use semihosting::process;
use static_cell::ConstStaticCell;

struct App;

impl Config for App {
    type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<8>>>;
    type Trace = NoTrace;
    type Message = ();
    type Cpus = Inline<1>;
    type Threads = Inline<2>;
    type Mutexes = Inline<1>;
    type Semaphores = Inline<1>;
    type Conditions = Inline<1>;
    type Queues = Inline<1>;
    type Messages = Inline<1>;
    type Jobs = Inline<2>;
    type Arrivals = Inline<1>;
    type Accounts = Inline<2>;
}

impl MachineConfig for App {
    type Board = Chosen;
    const STACKS: Stacks = Stacks::Guarded;

    fn name(_: TaskId) -> Option<&'static str> {
        Some("innocent")
    }
}

kernel!(KERNEL: App, dive);

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
    KERNEL.set_up(Ranked::new(FixedPriority, 8), NoTrace, Timing::Tickless);
    let spawned = KERNEL.spawn(STACK.take(), Attributes::THREAD, Priority(1), body, 0);
    if spawned.is_err() {
        process::exit(3);
    }
    KERNEL.start()
}
