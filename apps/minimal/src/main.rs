#![no_std]
#![no_main]
use core::fmt::Display;
use core::sync::atomic::{AtomicU32, Ordering};
use core::task::Poll;
use cortex_m_rt::entry;
use flyball_kernel::{Attributes, Config, MutexId, Protocol, QueueId, SemaphoreId, Timing};
use flyball_machine_cortexm::{Fault, Kernel, MachineConfig, Stack, Stacks, kernel};
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, CpuId, Duration, FixedPriority, Inline, Nothing, Priority, Ranked, Time, Uniprocessor,
};
use flyball_trace::NoTrace;
use static_cell::ConstStaticCell;

struct App;
impl Config for App {
    type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<8>, 1>, Uniprocessor>;
    type Trace = NoTrace;
    type Message = u32;
    type Cpus = Inline<1>;
    type Threads = Inline<8>;
    type Mutexes = Inline<2>;
    type Semaphores = Inline<2>;
    type Conditions = Nothing;
    type Queues = Inline<2>;
    type Messages = Inline<8>;
    type Jobs = Nothing;
    type Arrivals = Nothing;
    const ACCOUNTING: bool = false;
    const CHECKS: bool = false;
}
impl MachineConfig for App {
    const STACKS: Stacks = Stacks::Unwatched;
    fn fault(_: &'static Kernel<Self>, _: &Fault, _: Option<&dyn Display>) -> ! {
        loop {
            cortex_m::asm::wfi()
        }
    }
}
kernel!(KERNEL: App);
static STACKS: ConstStaticCell<[Stack<96>; 2]> = ConstStaticCell::new([const { Stack::new() }; 2]);
static IDS: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];
#[derive(Clone, Copy)]
struct Objects {
    mutex: MutexId,
    semaphore: SemaphoreId,
    queue: QueueId,
}
static mut OBJECTS: Option<Objects> = None;
fn objects() -> Objects {
    unsafe { OBJECTS.unwrap_unchecked() }
}

extern "C" fn sleeper(n: usize) -> ! {
    let o = objects();
    let mut next = Time::from_nanos(1000);
    loop {
        let _ = KERNEL.call_patiently(|core, cpu, now| core.sleep_until(cpu, next, now));
        let _ = KERNEL.try_or(
            |core, cpu, now| Ok(core.try_lock(cpu, o.mutex, now)?.then_some(())),
            |core, cpu, now| core.lock_in_line(cpu, o.mutex, Time::NEVER, now),
        );
        let _ = KERNEL.try_or(
            |core, cpu, now| Ok(core.try_unlock(cpu, o.mutex, now)?.then_some(())),
            |core, cpu, now| core.unlock_to_waiter(cpu, o.mutex, now),
        );
        let _ = KERNEL.try_or(
            |core, _, _| Ok(core.try_signal(o.semaphore)?.then_some(())),
            |core, cpu, now| core.signal_waiter(cpu, o.semaphore, now),
        );
        let _ = KERNEL.try_or(
            |core, _, _| Ok(core.try_send(o.queue, 3)?.then_some(())),
            |core, cpu, now| core.send(cpu, o.queue, 3, Time::NEVER, now).map(|_| ()),
        );
        let _ = KERNEL.act(|core, cpu, now| core.yield_now(cpu, now));
        next += Duration::from_nanos(1000);
    }
}
extern "C" fn other(n: usize) -> ! {
    let o = objects();
    loop {
        let _ = KERNEL.try_or(
            |core, _, _| Ok(core.try_wait(o.semaphore)?.then_some(())),
            |core, cpu, now| core.wait_in_line(cpu, o.semaphore, Time::NEVER, now),
        );
        let received = KERNEL.try_or(
            |core, _, _| Ok(core.try_receive(o.queue)?.map(Poll::Ready)),
            |core, cpu, now| core.receive(cpu, o.queue, Time::NEVER, now),
        );
        let x = match received {
            Ok(Poll::Ready(message)) => message,
            _ => KERNEL.outcome().unwrap_or_default(),
        };
        IDS[0].store(x, Ordering::Relaxed);
    }
}
#[entry]
fn main() -> ! {
    KERNEL.set_up(Ranked::new(FixedPriority, 8), NoTrace, Timing::Tickless);
    KERNEL.look(|core| unsafe {
        OBJECTS = Some(Objects {
            mutex: core.mutex(Protocol::Inherit).unwrap_unchecked(),
            semaphore: core.semaphore(0).unwrap_unchecked(),
            queue: core.queue(4).unwrap_unchecked(),
        })
    });
    let [a, b] = STACKS.take();
    let _ = KERNEL.spawn(a, Attributes::THREAD, Priority(9), sleeper, 0);
    let _ = KERNEL.spawn(b, Attributes::THREAD, Priority(9), other, 0);
    KERNEL.start()
}
