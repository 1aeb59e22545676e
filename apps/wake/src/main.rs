#![no_std]
#![no_main]
use cortex_m_rt::entry;
use flyball_kernel::{Attributes, Config, Timing};
use flyball_machine_cortexm::{MachineConfig, Stack, Stacks, kernel};
use flyball_policy::order::Level;
use flyball_policy::{Bitmap, Duration, FixedPriority, Inline, Nothing, Priority, Ranked, Time, Uniprocessor};
use flyball_trace::NoTrace;
use semihosting::{println, process};
use static_cell::ConstStaticCell;
use core::sync::atomic::{AtomicU32, Ordering};

struct App;
impl Config for App {
    type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<128>, 1>, Uniprocessor>;
    type Trace = NoTrace;
    type Message = u32;
    type Cpus = Inline<1>;
    type Threads = Inline<128>;
    type Mutexes = Inline<4>;
    type Semaphores = Inline<4>;
    type Conditions = Inline<1>;
    type Queues = Inline<2>;
    type Messages = Inline<8>;
    type Jobs = Nothing;
    type Arrivals = Nothing;
    const ACCOUNTING: bool = false;
    const CHECKS: bool = false;
}
impl MachineConfig for App { const STACKS: Stacks = Stacks::Unwatched; }
kernel!(KERNEL: App);
static STACKS: ConstStaticCell<[Stack<96>; 101]> = ConstStaticCell::new([const { Stack::new() }; 101]);
static FIRST: AtomicU32 = AtomicU32::new(0);
fn counter() -> u32 { unsafe { core::ptr::read_volatile(0x4002_8018 as *const u32) } }
const PERIOD: u64 = 20_000_000;
const ROUNDS: u64 = 100;

extern "C" fn sleeper(n: usize) -> ! {
    let mut next = Time::from_nanos(PERIOD);
    loop {
        let _ = KERNEL.call_patiently(|core, cpu, now| core.sleep_until(cpu, next, now));
        if n == 0 { FIRST.store(counter(), Ordering::Relaxed); }
        next += Duration::from_nanos(PERIOD);
    }
}
extern "C" fn background(n: usize) -> ! {
    // instructions of this loop that run in ROUNDS periods, against those that could
    let before = FIRST.load(Ordering::Relaxed);
    while FIRST.load(Ordering::Relaxed) == before { }
    let mut stolen = 0u32;
    let mut last = counter();
    let mut rounds = 0;
    let mut least = u32::MAX;
    while rounds < ROUNDS {
        let now = counter();
        let gap = now.wrapping_sub(last);
        if gap > 40 { stolen += gap; rounds += 1; } else { least = gap; }
        last = now;
    }
    println!("{n:>4} threads: {} ticks a round, loop {least}, instructions {} (of 64 ns)", stolen / ROUNDS as u32, u64::from(stolen) * 40 / 64 / ROUNDS);
    process::exit(0)
}
#[entry]
fn main() -> ! {
    KERNEL.set_up(Ranked::new(FixedPriority, 128), NoTrace, Timing::Tickless);
    let n: usize = option_env!("N").and_then(|n| n.parse().ok()).unwrap_or(100);
    for (k, stack) in STACKS.take().iter_mut().enumerate().take(n + 1) {
        let _ = if k < n {
            KERNEL.spawn(stack, Attributes::THREAD, Priority(9), sleeper, k)
        } else {
            KERNEL.spawn(stack, Attributes::THREAD, Priority(1), background, n)
        };
    }
    KERNEL.start()
}
