//! A split task owns a mutex when it has had its part of a CPU: it cannot go before it has unlocked
//! that. It stays meanwhile, and gets as far as before; the timer, which fired as it had had its
//! part, does not fire for that again and again. Says how often it has gone round in half a
//! millisecond of its part, and in another in which that ends, at least in one job; and how many
//! jobs went to the other CPU as soon as they could.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use core::task::Poll;
use flyball_kernel::{
    Attributes, Config, Core, Error, MutexId, Numbered, OnMiss, Protocol, Release, Sizes, ThreadId,
    Timing,
};
use flyball_machine_riscv::{Cpus, Machine, MachineConfig, Stack, StackArea};
use flyball_policy::{
    Boxed, CpuId, Deadline, Duration, EarliestDeadline, Heap, Inline, Nothing, Ranked, SplitTask,
    Subtask, TaskId, Time,
};
use flyball_trace::NoTrace;
use semihosting::{eprintln, println, process};
use static_cell::ConstStaticCell;

/// How many jobs there are.
const JOBS: u32 = 5;
const PERIOD: Duration = Duration::from_millis(20);
const START: Time = Time::from_millis(1);
/// What it has of the first CPU, and when its part of the second one begins.
const HAS: Duration = Duration::from_micros(750);
const SECOND: Duration = Duration::from_millis(5);
/// For how long it counts, twice: it has had its part in the middle of the second time.
const HALF: Duration = Duration::from_micros(500);

struct Bound;

impl Config for Bound {
    type Policy = Ranked<EarliestDeadline, Heap<Time, Boxed>>;
    type Trace = NoTrace;
    type Message = ();
    type Stamp = Time;
    type Cpus = Boxed;
    type Threads = Boxed;
    type Objects = Numbered<Boxed, Nothing, Nothing>;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Nothing;
    type Messages = Nothing;
    type Jobs = Boxed;
    type Arrivals = Inline<1>;
    type Accounts = Boxed;
    type Counts = Nothing;
    type Budgets = Nothing;
}

impl MachineConfig for Bound {}

flyball_machine_riscv::kernel!(KERNEL: Bound);
flyball_machine_riscv::main!(start);

static STACK: ConstStaticCell<Stack<512>> = ConstStaticCell::new(Stack::new());

fn part(cpu: u8, wcet: Duration, from: Duration, until: Duration) -> Subtask {
    Subtask {
        cpu: CpuId(cpu),
        wcet,
        from,
        until,
    }
}

fn start() -> ! {
    // Each CPU has a kernel of its own.
    let cpus = Cpus { all: 2, cluster: 1 };
    KERNEL.init_clusters(cpus, Timing::Tickless, |_| {
        let sizes = Sizes {
            threads: 1,
            mutexes: 1,
            ..Sizes::FIXED
        };
        Some((Ranked::new(EarliestDeadline, 1), NoTrace, sizes))
    });
    if KERNEL.cpus() != 2 {
        fail("there are two CPUs")
    }
    let made = KERNEL.with_kernel_of(0, |kernel| -> Result<ThreadId, Error> {
        kernel.core.mutex(Protocol::Inherit)?;
        let attributes = Attributes {
            release: Release::Periodic { period: PERIOD },
            start: START,
            deadline: Some(PERIOD),
            on_miss: OnMiss::Continue,
            alert: None,
        };
        let stack = StackArea::of(STACK.take(), Bound::STACKS);
        // SAFETY: it is begun once.
        unsafe { kernel.spawn_on(stack, attributes, Deadline(SECOND), thread, 0) }
    });
    let Some(Ok(thread)) = made else {
        fail("the thread cannot be made")
    };
    let parts = Box::new([
        part(0, HAS, Duration::ZERO, SECOND),
        part(1, PERIOD, SECOND, PERIOD),
    ]);
    let params = parts.iter().map(|part| Deadline(part.until)).collect();
    let way = SplitTask::new(parts as Box<[Subtask]>, PERIOD, START);
    match KERNEL.split(thread, way, params, arrived) {
        Ok(()) => KERNEL.start(),
        Err(_) => fail("the task cannot be split"),
    }
}

fn arrived(_: &mut NoTrace, _: TaskId, _: usize) {}

extern "C" fn thread(_: usize) -> ! {
    let mutex = MutexId::from_number(0);
    let (mut before, mut after, mut gone) = (0, u64::MAX, 0);
    for job in 0..JOBS {
        check(KERNEL.call(|core, cpu, now| core.lock(cpu, mutex, Time::NEVER, now)));
        before = before.max(rounds());
        after = after.min(rounds());
        // It goes in this very entry, and is not let go on before its second part begins.
        check(KERNEL.call(|core, cpu, now| core.unlock(cpu, mutex, now).map(Poll::Ready)));
        let release = START + PERIOD * u64::from(job);
        let now = KERNEL.now();
        if now >= release + SECOND && now < release + SECOND + Duration::from_micros(20) {
            gone += 1;
        }
        if job + 1 < JOBS {
            check(KERNEL.call(Core::wait_next));
        }
    }
    println!("before {before} after {after} gone {gone}");
    process::exit(0)
}

/// How often it goes round in half a millisecond.
fn rounds() -> u64 {
    let end = KERNEL.now() + HALF;
    let mut rounds = 0;
    while KERNEL.now() < end {
        rounds += 1;
    }
    rounds
}

fn check(result: Result<Option<()>, Error>) {
    if let Err(error) = result {
        eprintln!("{error}");
        process::exit(1)
    }
}

fn fail(what: &str) -> ! {
    eprintln!("{what}");
    process::exit(1)
}
