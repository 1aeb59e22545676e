//! The Thread-Metric tests, which count how often a kernel does something in some time.
//!
//! Written anew after the description that the suite's readme gives (Thread-Metric RTOS Test Suite,
//! part of Eclipse ThreadX), in terms of this kernel's own calls; suspend and resume are `park` and
//! `unpark`, and an interrupt is one that a program makes pending. The emulator's command line says
//! which test. The program prints a line of two words, `name count`.
//!
//! Under `-icount shift=5` an instruction takes 32 ns. The 3 seconds are 93,750,000 instructions of
//! the emulated core, a tenth of what the suite recommends; they are no times of any hardware.
#![no_std]
#![no_main]

mod tests;

use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::{
    Bitmap, Duration, Error, FixedPriority, Inline, Level, Priority, Ranked, Stack, Thread,
    println, shut_down, sleep,
};
use semihosting::experimental::env;

/// Whether the kernel is as it is unless an application says otherwise.
const DEFAULTS: bool = cfg!(feature = "defaults");

/// 32 levels, as the kernels have that this is compared with.
type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<8>, 1>>;

flyball_app::kernel! {
    machine: flyball_machine_cortexm,
    policy: Policy = Ranked::new(FixedPriority, 8),
    init: init,
    threads: 8,
    queues: 1,
    messages: 16,
    jobs: DEFAULTS,
    arrivals: 0,
    accounting: DEFAULTS,
    checks: DEFAULTS,
    guarded: DEFAULTS,
}

/// What the counts of a test mean.
#[derive(Clone, Copy)]
struct Counts {
    /// So many of the first are added up: the result.
    added: usize,
    /// So many of the first count the same, and are apart by one at most.
    alike: usize,
}

impl Counts {
    /// There is only one.
    const ONE: Counts = Counts { added: 1, alike: 1 };
}

/// How long a test takes.
const LENGTH: Duration = Duration::from_secs(3);

static STACKS: [Stack<256>; 5] = [const { Stack::new() }; 5];
static REPORTER: Stack<1024> = Stack::new();

/// A count that is kept in memory: one thread or handler writes it, another one reads it.
struct Counter(AtomicU32);

impl Counter {
    const fn new() -> Counter {
        Counter(AtomicU32::new(0))
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it is three instructions")]
    fn count(&self) {
        self.0.store(self.get().wrapping_add(1), Ordering::Relaxed);
    }

    #[inline]
    fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What each of the threads has done.
static COUNTERS: [Counter; 5] = [const { Counter::new() }; 5];

fn init() -> Result<(), Error> {
    let Ok(arguments) = env::args::<64>() else {
        fail("there is no command line");
    };
    let mut words = &arguments;
    let name = words.nth(1).and_then(Result::ok);
    let (name, counts) = match name {
        Some("basic") => ("basic", tests::basic()?),
        Some("cooperative") => ("cooperative", tests::cooperative()?),
        Some("preemptive") => ("preemptive", tests::preemptive()?),
        Some("interrupt") => ("interrupt", tests::interrupt()?),
        Some("interrupt_preemption") => ("interrupt_preemption", tests::interrupt_preemption()?),
        Some("message") => ("message", tests::message()?),
        Some("synchronization") => ("synchronization", tests::synchronization()?),
        Some("memory") => ("memory", tests::memory()?),
        _ => fail("there is no such test"),
    };
    spawn(&REPORTER, Thread::once(), Priority(31), move || {
        sleep(LENGTH);
        report(name, counts);
    })?;
    Ok(())
}

/// Prints the result, if it makes sense.
fn report(name: &str, Counts { added, alike }: Counts) -> ! {
    let counts = COUNTERS.each_ref().map(Counter::get);
    let alike = counts.iter().take(alike);
    let ends = alike.clone().min().zip(alike.max());
    if ends.is_none_or(|(&least, &most)| least == 0 || most - least > 1) {
        fail("what counts the same does not");
    }
    println!("{name} {}", counts.iter().take(added).sum::<u32>());
    shut_down(0)
}

/// Ends: something is not as it has to be.
fn fail(why: &str) -> ! {
    println!("error: {why}");
    shut_down(1)
}
