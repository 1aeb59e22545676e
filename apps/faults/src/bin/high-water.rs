//! Says how deep a thread's stack ever was, and then divides by zero without having said what to do
//! about it.
#![no_std]
#![no_main]

use core::arch::asm;
use flyball_faults::descend;
use flyball_kernel::{Attributes, Config, Timing};
use flyball_machine_cortexm::board::Chosen;
use flyball_machine_cortexm::{MachineConfig, Stack, Stacks, kernel};
use flyball_policy::order::Level;
use flyball_policy::{Bitmap, FixedPriority, Inline, Priority, Ranked, TaskId};
use flyball_trace::NoTrace;
use semihosting::{println, process};
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

    fn name(thread: TaskId) -> Option<&'static str> {
        (thread == TaskId(0)).then_some("diver")
    }
}

kernel!(KERNEL: App);

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
    KERNEL.set_up(Ranked::new(FixedPriority, 8), NoTrace, Timing::Tickless);
    let spawned = KERNEL.spawn(STACK.take(), Attributes::THREAD, Priority(1), diver, 0);
    if spawned.is_err() {
        process::exit(3);
    }
    KERNEL.start()
}
