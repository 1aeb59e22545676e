//! Tokens go round among threads on many CPUs, each of which may be preempted and go on elsewhere:
//! a thread that gets one adds to what a mutex protects, sleeps now and then, and passes the token
//! on. No token gets lost, no thread runs in two places, and nothing that was added is missing.
//!
//! It is told by a loader, in the first three words of the upper half of the memory, how many CPUs
//! there are, how many times a token is passed on, and what all random numbers come from. It says
//! what it has seen in one line, and ends with an exit code other than zero if something was wrong.
//! If a wake-up is lost it does not end.
//!
//! The root of the program says which policy it is, and where threads may run.

use crate::{Policy, params, policy};
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use core::task::Poll;
use flyball_kernel::{
    Attributes, Config, Error, MutexId, Numbered, OnMiss, Protocol, Release, SemaphoreId, Sizes,
    Timing,
};
use flyball_machine_riscv::board::{HARTS, take_memory};
use flyball_machine_riscv::{Cpus, Machine, MachineConfig, SpinLock, Stack, StackArea};
use flyball_policy::{Boxed, Duration, Inline, Nothing, Time};
use flyball_trace::NoTrace;
use semihosting::{eprintln, println, process};
use static_cell::ConstStaticCell;

/// The most threads: two for each CPU.
const THREADS: usize = 2 * HARTS;
const MUTEXES: usize = 4;

struct Stress;

impl Config for Stress {
    type Policy = Policy;
    type Trace = NoTrace;
    type Message = ();
    type Stamp = Time;
    type Cpus = Boxed;
    type Threads = Boxed;
    type Objects = Numbered<Boxed, Boxed, Nothing>;
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

impl MachineConfig for Stress {}

flyball_machine_riscv::kernel!(KERNEL: Stress);
flyball_machine_riscv::main!(start);

static STACKS: ConstStaticCell<[Stack<512>; THREADS]> =
    ConstStaticCell::new([const { Stack::new() }; THREADS]);

/// What each thread notices.
struct Seen {
    /// It runs, as far as it knows.
    runs: AtomicBool,
    /// The CPU on which it got its last token.
    cpu: AtomicU32,
}

static SEEN: [Seen; THREADS] = [const {
    Seen {
        runs: AtomicBool::new(false),
        cpu: AtomicU32::new(u32::MAX),
    }
}; THREADS];

/// What each mutex protects: read and written as if no other thread did.
static SUMS: [AtomicU64; MUTEXES] = [const { AtomicU64::new(0) }; MUTEXES];

/// The same without the kernel's help: what critical sections and a spin lock protect.
static IN_SECTION: critical_section::Mutex<Cell<u64>> = critical_section::Mutex::new(Cell::new(0));
static SPUN: SpinLock<u64> = SpinLock::new(0);

static CPUS: AtomicU32 = AtomicU32::new(1);
static ROUNDS: AtomicU64 = AtomicU64::new(0);
static SEED: AtomicU64 = AtomicU64::new(0);

/// How many tokens have been passed on, and how many have come home.
static PASSED: AtomicU64 = AtomicU64::new(0);
static HOME: AtomicU64 = AtomicU64::new(0);
static MIGRATIONS: AtomicU64 = AtomicU64::new(0);
static SLEEPS: AtomicU64 = AtomicU64::new(0);

fn threads() -> u32 {
    2 * CPUS.load(Relaxed)
}

/// More than there are CPUs, so that some thread has to wait for one.
fn tokens() -> u32 {
    CPUS.load(Relaxed) * 3 / 2
}

fn start() -> ! {
    let Some((words, _)) = take_memory(24) else {
        fail("the memory is in use")
    };
    let word = |number: usize| {
        let bytes = words.get(number * 8..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |&bytes| u64::from_le_bytes(bytes))
    };
    let Ok(cpus @ 1..=64) = u8::try_from(word(0)) else {
        fail("there are 1 to 64 CPUs")
    };
    CPUS.store(cpus.into(), SeqCst);
    ROUNDS.store(word(1), SeqCst);
    SEED.store(word(2), SeqCst);
    let count = threads() as usize;
    let all = Cpus {
        all: cpus,
        cluster: cpus,
    };
    KERNEL.init_clusters(all, Timing::Tickless, |_| {
        let sizes = Sizes {
            threads: count,
            mutexes: MUTEXES,
            semaphores: count,
            ..Sizes::FIXED
        };
        Some((policy(count, cpus.into()), NoTrace, sizes))
    });
    let made = KERNEL.with_kernel_of(0, |kernel| -> Result<(), Error> {
        for _ in 0..MUTEXES {
            kernel.core.mutex(Protocol::Inherit)?;
        }
        for number in 0..threads() {
            kernel.core.semaphore(u32::from(number < tokens()))?;
        }
        for (number, stack) in STACKS.take().iter_mut().enumerate().take(count) {
            let attributes = Attributes {
                release: Release::Once,
                start: Time::ZERO,
                deadline: None,
                on_miss: OnMiss::Continue,
                alert: None,
            };
            let params = params(number, cpus);
            let stack = StackArea::of(stack, Stress::STACKS);
            // SAFETY: a thread may be begun anywhere, and it is begun once.
            unsafe { kernel.spawn_on(stack, attributes, params, thread, number) }?;
        }
        Ok(())
    });
    match made {
        Some(Ok(())) => KERNEL.start(),
        _ => fail("the threads cannot be made"),
    }
}

extern "C" fn thread(number: usize) -> ! {
    let me = &SEEN[number];
    // Numbers by Marsaglia's xorshift: they have to be many and different, no more.
    let mut random = SEED.load(Relaxed) ^ (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut random = move |below: u32| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (((random >> 32) * u64::from(below)) >> 32) as u32
    };
    let semaphore = |number: u32| SemaphoreId::from_number(number as u16);
    loop {
        check(
            KERNEL
                .call(|core, cpu, now| core.wait(cpu, semaphore(number as u32), Time::NEVER, now)),
        );
        if me.runs.swap(true, SeqCst) {
            fail("a thread runs in two places");
        }
        let cpu = KERNEL.act(|core, cpu, _| match core.running_task(cpu) {
            Some(task) if task.index() == number => Ok(cpu),
            _ => Err(Error::NoThread),
        });
        let Ok(cpu) = cpu else {
            fail("the kernel believes that somebody else runs")
        };
        if !crate::may_run(number, cpu, CPUS.load(Relaxed) as u8) {
            fail("a thread runs where it may not");
        }
        if me.cpu.swap(cpu.0.into(), Relaxed) != u32::from(cpu.0) {
            MIGRATIONS.fetch_add(1, Relaxed);
        }
        critical_section::with(|outer| {
            // One inside the other is still the outer one when it ends.
            let before = critical_section::with(|inner| IN_SECTION.borrow(inner).get());
            IN_SECTION.borrow(outer).set(before + 1);
        });
        SPUN.with(|sum| *sum += 1);
        let which = random(MUTEXES as u32) as u16;
        let (mutex, sum) = (MutexId::from_number(which), &SUMS[usize::from(which)]);
        check(KERNEL.call(|core, cpu, now| core.lock(cpu, mutex, Time::NEVER, now)));
        let before = sum.load(Relaxed);
        if random(16) == 0 {
            // Others come meanwhile.
            KERNEL.compute(Duration::from_micros(1));
        }
        sum.store(before + 1, Relaxed);
        check(KERNEL.call(|core, cpu, now| core.unlock(cpu, mutex, now).map(Poll::Ready)));
        if random(8) == 0 {
            SLEEPS.fetch_add(1, Relaxed);
            let length = Duration::from_nanos(u64::from(random(20_000)));
            check(KERNEL.call(|core, cpu, now| core.sleep_until(cpu, now + length, now)));
        }
        me.runs.store(false, SeqCst);
        if PASSED.fetch_add(1, SeqCst) < ROUNDS.load(Relaxed) {
            let next = random(threads());
            check(
                KERNEL
                    .call(|core, cpu, now| core.signal(cpu, semaphore(next), now).map(Poll::Ready)),
            );
        } else if HOME.fetch_add(1, SeqCst) + 1 == u64::from(tokens()) {
            report();
        }
    }
}

/// All tokens have come home.
fn report() -> ! {
    let passed = PASSED.load(SeqCst);
    let added: u64 = SUMS.iter().map(|sum| sum.load(SeqCst)).sum();
    let in_section = critical_section::with(|section| IN_SECTION.borrow(section).get());
    for sum in [added, in_section, SPUN.with(|sum| *sum)] {
        if sum != passed {
            eprintln!("{passed} tokens were passed on, and {sum} were added up");
            process::exit(1);
        }
    }
    let traffic = KERNEL.traffic();
    println!(
        "wake-ups {passed} migrations {} sleeps {} locks {} waits {} interrupts {} spared {}",
        MIGRATIONS.load(Relaxed),
        SLEEPS.load(Relaxed),
        traffic.taken,
        traffic.contended,
        traffic.rung,
        traffic.spared,
    );
    process::exit(0)
}

fn check<T>(result: Result<Option<T>, Error>) {
    let _ = result.unwrap_or_else(|error| {
        eprintln!("{error}");
        process::exit(1)
    });
}

fn fail(what: &str) -> ! {
    eprintln!("{what}");
    process::exit(1)
}
