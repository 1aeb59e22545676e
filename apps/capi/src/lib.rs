//! The kernel of C and C++ programs: 32 threads of fixed priorities, with time slices for those of
//! `SCHED_RR`. `sdk/install` puts the archive where a compiler finds it.
#![no_std]
#![cfg(target_arch = "arm")]

mod reset;

use flyball_app::policy::{Weighted, WeightedRoundRobin};
use flyball_app::{Bitmap, FixedPriority, Inline, Level, NoTrace, Priority, Ranked, Timing};
use flyball_capi::binding::{QUANTUM, Scheduling};
use flyball_kernel::{Attributes, Config, InMemory};
use flyball_machine_cortexm::{BoardConfig, MachineConfig, Stacks, board};

/// How many threads there are at the same time.
const THREADS: usize = 32;

type Policy = Ranked<WeightedRoundRobin<FixedPriority>, Bitmap<Level, Inline<THREADS>, 1>>;

flyball_machine_cortexm::kernel!(KERNEL: Program);
flyball_app::__bind!(KERNEL);
flyball_app::__bind_c!(KERNEL);

struct Program;

impl Config for Program {
    type Policy = Policy;
    type Trace = NoTrace;
    type Message = Message;
    type Stamp = flyball_machine_cortexm::stamp!(Program);
    type Cpus = Inline<1>;
    type Threads = Inline<THREADS>;
    type Objects = InMemory;
    type Owned = Nothing;
    type Ceilings = Inline<THREADS>;
    type Queues = Nothing;
    type Messages = Nothing;
    type Jobs = Nothing;
    type Arrivals = Nothing;
    type Accounts = Inline<THREADS>;
    type Counts = Nothing;
    type Budgets = Nothing;
    const TICKS: bool = false;
}

impl BoardConfig for Program {
    type Board = board::Chosen;
    const C_LIBRARY: bool = true;
}

impl MachineConfig for Program {
    const STACKS: Stacks = Stacks::Guarded;
}

/// What the policy is told.
fn params(scheduling: Scheduling) -> Weighted<Priority> {
    Weighted {
        params: Priority(scheduling.priority.saturating_sub(1)),
        quantum: scheduling.quantum,
    }
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_spawn(
    stack: &'static mut [usize],
    scheduling: Scheduling,
    entry: extern "C" fn(usize) -> !,
    argument: usize,
) -> Result<ThreadId, Error> {
    // SAFETY: a C thread may begin anywhere, and begins once.
    unsafe {
        KERNEL.spawn_on(
            stack,
            Attributes::THREAD,
            params(scheduling),
            entry,
            argument,
        )
    }
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_adjust(thread: ThreadId, scheduling: Scheduling) -> Result<(), Error> {
    KERNEL.act_now(|core, cpu, now| core.adjust(cpu, thread, params(scheduling), now))
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_raise(priority: Option<u8>) -> Result<(), Error> {
    let scheduling = |priority| Scheduling {
        priority,
        quantum: QUANTUM,
    };
    KERNEL.act_now(|core, cpu, now| {
        let ceiling = priority.map(|priority| (params(scheduling(priority)), now));
        core.raise(cpu, ceiling, now)
    })
}

/// The whole program, when memory has been initialised.
#[unsafe(no_mangle)]
extern "C" fn flyball_main() -> ! {
    let policy = Ranked::new(
        WeightedRoundRobin {
            order: FixedPriority,
        },
        THREADS,
    );
    KERNEL.init(policy, NoTrace, Timing::Tickless);
    if let Err(error) = flyball_capi::start::make_main() {
        KERNEL.print("flyball: the program cannot start: ");
        KERNEL.print(error.text());
        KERNEL.print("\n");
        KERNEL.shut_down(1);
    }
    KERNEL.start()
}
