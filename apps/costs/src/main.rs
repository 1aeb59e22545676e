//! What the kernel's calls cost, in instructions.
//!
//! Each call is made many times between two readings of the board's counter; under
//! `-icount shift=0` that counter goes on by one every 40 instructions, whatever else the host does,
//! so the counts are the same in every run. What the loop itself takes is subtracted. The processor
//! is emulated: these are instructions, not cycles of a real one.
#![no_std]
#![no_main]

use core::cell::Cell;
use core::task::Poll;
use cortex_m::interrupt::{Mutex, free};
use cortex_m_rt::entry;
use flyball_kernel::{
    Attributes, Config, Error, MutexId, Protocol, QueueId, SemaphoreId, ThreadId, Timing,
};
use flyball_machine_cortexm::{MachineConfig, Stack, Stacks, kernel};
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, FixedPriority, Inline, Nothing, Priority, Ranked, Time, Uniprocessor,
};
use flyball_trace::NoTrace;
use semihosting::{println, process};
use static_cell::ConstStaticCell;

struct App;

impl Config for App {
    type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<8>, 1>, Uniprocessor>;
    type Trace = NoTrace;
    type Message = [u32; 4];
    type Cpus = Inline<1>;
    type Threads = Inline<8>;
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

impl MachineConfig for App {
    const STACKS: Stacks = Stacks::Unwatched;
}

kernel!(KERNEL: App);

static STACKS: ConstStaticCell<[Stack<256>; 4]> = ConstStaticCell::new([const { Stack::new() }; 4]);

/// How often each call is made.
const TIMES: u32 = 10_000;

#[derive(Clone, Copy)]
struct Objects {
    mutex: MutexId,
    semaphore: SemaphoreId,
    ping: SemaphoreId,
    queue: QueueId,
}

static OBJECTS: Mutex<Cell<Option<Objects>>> = Mutex::new(Cell::new(None));

fn objects() -> Objects {
    let objects = free(|cs| OBJECTS.borrow(cs).get());
    objects.unwrap_or_else(|| process::exit(2))
}

/// Instructions of one `call`, a hundredth of an instruction exact.
fn measure(name: &str, mut call: impl FnMut()) {
    let hundredths = |ticks: u64| ticks * 40 * 100 / u64::from(TIMES);
    let begin = KERNEL.now();
    for _ in 0..TIMES {
        cortex_m::asm::nop();
    }
    let empty = KERNEL.now().since(begin).as_nanos() / 40;
    let begin = KERNEL.now();
    for _ in 0..TIMES {
        call();
        cortex_m::asm::nop();
    }
    let full = KERNEL.now().since(begin).as_nanos() / 40;
    let cost = hundredths(full.saturating_sub(empty));
    println!("{name:<44} {:>6}.{:02}", cost / 100, cost % 100);
}

#[inline]
fn yield_now() {
    let _ = KERNEL.act(|core, cpu, now| core.yield_now(cpu, now));
}

/// Something if a call that was tried was enough.
#[inline(always)]
fn done(tried: Result<bool, Error>) -> Result<Option<()>, Error> {
    Ok(tried?.then_some(()))
}

#[inline]
fn wait(semaphore: SemaphoreId) {
    let _ = KERNEL.try_or(
        |core, _, _| done(core.try_wait(semaphore)),
        |core, cpu, now| core.wait_in_line(cpu, semaphore, Time::NEVER, now),
    );
}

#[inline]
fn signal(semaphore: SemaphoreId) {
    let _ = KERNEL.try_or(
        |core, _, _| done(core.try_signal(semaphore)),
        |core, cpu, now| core.signal_waiter(cpu, semaphore, now),
    );
}

#[inline]
fn park() {
    let _ = KERNEL.call_patiently(|core, cpu, now| core.park(cpu, Time::NEVER, now));
}

#[inline]
fn unpark(thread: ThreadId) {
    let _ = KERNEL.act(|core, cpu, now| core.unpark(cpu, thread, now));
}

#[inline]
fn lock(mutex: MutexId) {
    let _ = KERNEL.try_or(
        |core, cpu, now| done(core.try_lock(cpu, mutex, now)),
        |core, cpu, now| core.lock_in_line(cpu, mutex, Time::NEVER, now),
    );
}

#[inline]
fn unlock(mutex: MutexId) {
    let _ = KERNEL.try_or(
        |core, cpu, now| done(core.try_unlock(cpu, mutex, now)),
        |core, cpu, now| core.unlock_to_waiter(cpu, mutex, now),
    );
}

#[inline]
fn send(queue: QueueId, message: [u32; 4]) {
    let _ = KERNEL.try_or(
        |core, _, _| done(core.try_send(queue, message)),
        |core, cpu, now| core.send(cpu, queue, message, Time::NEVER, now).map(|_| ()),
    );
}

#[inline]
fn receive(queue: QueueId) -> [u32; 4] {
    let received = KERNEL.try_or(
        |core, _, _| Ok(core.try_receive(queue)?.map(Poll::Ready)),
        |core, cpu, now| core.receive(cpu, queue, Time::NEVER, now),
    );
    match received {
        Ok(Poll::Ready(message)) => message,
        _ => KERNEL.outcome().unwrap_or_default(),
    }
}

/// Measures, and ends.
extern "C" fn measurer(_: usize) -> ! {
    let Objects {
        mutex,
        semaphore,
        ping,
        queue,
    } = objects();
    println!("instructions");
    let parked = free(|cs| PARKED.borrow(cs).get()).unwrap_or_else(|| process::exit(4));
    measure("yield, and back: two switches", yield_now);
    measure("signal, higher thread runs and waits again", || {
        signal(ping);
    });
    measure("signal, nobody waits; and take it", || {
        signal(semaphore);
        wait(semaphore);
    });
    measure("lock and unlock a free mutex", || {
        lock(mutex);
        unlock(mutex);
    });
    measure("unpark, higher thread runs and parks again", || {
        unpark(parked);
    });
    measure("send and receive, nobody waits", || {
        send(queue, [1, 2, 3, 4]);
        core::hint::black_box(receive(queue));
    });
    process::exit(0)
}

/// Yields for ever, at the measurer's priority.
extern "C" fn other(_: usize) -> ! {
    loop {
        yield_now();
    }
}

static PARKED: Mutex<Cell<Option<ThreadId>>> = Mutex::new(Cell::new(None));

extern "C" fn parked(_: usize) -> ! {
    loop {
        park();
    }
}

/// Waits for the measurer's signal, at a higher priority.
extern "C" fn higher(_: usize) -> ! {
    let ping = objects().ping;
    loop {
        wait(ping);
    }
}

#[entry]
fn main() -> ! {
    KERNEL.set_up(Ranked::new(FixedPriority, 8), NoTrace, Timing::Tickless);
    let made = KERNEL.look(|core| {
        Some(Objects {
            mutex: core.mutex(Protocol::Inherit).ok()?,
            semaphore: core.semaphore(0).ok()?,
            ping: core.semaphore(0).ok()?,
            queue: core.queue(4).ok()?,
        })
    });
    free(|cs| OBJECTS.borrow(cs).set(made.flatten()));
    let [first, second, third, fourth] = STACKS.take();
    let parked = KERNEL.spawn(fourth, Attributes::THREAD, Priority(10), parked, 0);
    free(|cs| PARKED.borrow(cs).set(parked.ok()));
    let spawned = [
        KERNEL.spawn(first, Attributes::THREAD, Priority(5), measurer, 0),
        KERNEL.spawn(second, Attributes::THREAD, Priority(5), other, 0),
        KERNEL.spawn(third, Attributes::THREAD, Priority(9), higher, 0),
    ];
    if spawned.iter().any(Result::is_err) {
        process::exit(3);
    }
    KERNEL.start()
}
