//! The eight tests. Each makes its threads, and says what their counts mean.

use crate::{COUNTERS, Counter, Counts, Handle, STACKS, fail, spawn};
use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::{Error, Interrupt, Priority, Queue, Semaphore, Thread, park, yield_now};
use heapless::object_pool;
use heapless::pool::object::ObjectBlock;
use static_cell::StaticCell;

/// A line that no device uses.
const LINE: Interrupt = Interrupt::line(20);

static SEMAPHORE: Semaphore = Semaphore::new(0);
static QUEUE: Queue<[u32; 4]> = Queue::new(10);

/// No call in a test fails.
#[inline]
fn sure<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(_) => fail("a call has failed"),
    }
}

/// Makes the test's thread of that number.
fn thread(
    number: usize,
    priority: u8,
    body: impl FnOnce() + Send + 'static,
) -> Result<Handle, Error> {
    spawn(&STACKS[number], Thread::once(), Priority(priority), body)
}

/// One thread that computes, alone: the same for all kernels.
pub(crate) fn basic() -> Result<Counts, Error> {
    static ARRAY: [AtomicU32; 1024] = [const { AtomicU32::new(0) }; 1024];
    fn compute() {
        let counter = &COUNTERS[0];
        loop {
            for cell in &ARRAY {
                let sum = cell.load(Ordering::Relaxed).wrapping_add(counter.get());
                cell.store(sum ^ cell.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            counter.count();
        }
    }
    thread(0, 10, compute)?;
    Ok(Counts::ONE)
}

/// Five equal threads that yield to each other in turn.
pub(crate) fn cooperative() -> Result<Counts, Error> {
    fn turn(counter: &Counter) {
        loop {
            yield_now();
            counter.count();
        }
    }
    for (number, counter) in COUNTERS.iter().enumerate() {
        thread(number, 10, move || turn(counter))?;
    }
    Ok(Counts { added: 5, alike: 5 })
}

/// Five threads, each more urgent than the one that resumes it. All but the least urgent suspend
/// themselves.
pub(crate) fn preemptive() -> Result<Counts, Error> {
    fn first(next: Handle) {
        loop {
            sure(next.unpark());
            COUNTERS[0].count();
        }
    }
    fn between(counter: &Counter, next: Handle) {
        loop {
            sure(park());
            sure(next.unpark());
            counter.count();
        }
    }
    fn last() {
        loop {
            sure(park());
            COUNTERS[4].count();
        }
    }
    let fifth = thread(4, 14, last)?;
    let fourth = thread(3, 13, move || between(&COUNTERS[3], fifth))?;
    let third = thread(2, 12, move || between(&COUNTERS[2], fourth))?;
    let second = thread(1, 11, move || between(&COUNTERS[1], third))?;
    thread(0, 10, move || first(second))?;
    Ok(Counts { added: 5, alike: 5 })
}

/// A thread that interrupts itself, and whose handler signals a semaphore, on which it waits then.
pub(crate) fn interrupt() -> Result<Counts, Error> {
    fn handler() {
        COUNTERS[1].count();
        sure(SEMAPHORE.signal());
    }
    fn interrupted() {
        loop {
            LINE.pend();
            sure(SEMAPHORE.wait());
            COUNTERS[0].count();
        }
    }
    LINE.attach(handler)?;
    thread(0, 10, interrupted)?;
    Ok(Counts { added: 1, alike: 2 })
}

/// A thread that interrupts itself, and whose handler resumes a more urgent one.
pub(crate) fn interrupt_preemption() -> Result<Counts, Error> {
    fn handler() {
        COUNTERS[0].count();
        sure(STACKS[1].unpark());
    }
    fn interrupted() {
        loop {
            LINE.pend();
            COUNTERS[1].count();
        }
    }
    fn urgent() {
        loop {
            sure(park());
            COUNTERS[2].count();
        }
    }
    LINE.attach(handler)?;
    thread(1, 11, urgent)?;
    thread(0, 10, interrupted)?;
    Ok(Counts { added: 1, alike: 3 })
}

/// A thread that sends itself messages of 16 bytes.
pub(crate) fn message() -> Result<Counts, Error> {
    fn send_and_receive() {
        let mut message = [0x1122_3344, 0x5566_7788, 0x99aa_bbcc, 0xddee_ff00];
        loop {
            sure(QUEUE.send(black_box(message)));
            let received = black_box(sure(QUEUE.receive()));
            if received[3] != message[3] {
                fail("a message has changed");
            }
            message[3] = message[3].wrapping_add(1);
            COUNTERS[0].count();
        }
    }
    thread(0, 10, send_and_receive)?;
    Ok(Counts::ONE)
}

/// A thread that takes a semaphore and gives it back.
pub(crate) fn synchronization() -> Result<Counts, Error> {
    fn take_and_give() {
        loop {
            sure(SEMAPHORE.wait());
            sure(SEMAPHORE.signal());
            COUNTERS[0].count();
        }
    }
    SEMAPHORE.signal()?;
    thread(0, 10, take_and_give)?;
    Ok(Counts::ONE)
}

/// A block of 128 bytes.
type Block = [u32; 32];

object_pool!(Blocks: Block);

/// A thread that takes a block of 128 bytes from a pool and gives it back. Memory is no business of
/// the kernel: the pool is that of the crate `heapless`, as in an application.
pub(crate) fn memory() -> Result<Counts, Error> {
    static MEMORY: StaticCell<[ObjectBlock<Block>; 16]> = StaticCell::new();
    fn take_and_give() {
        loop {
            match Blocks.request() {
                Some(block) => drop(black_box(block)),
                None => fail("there is no memory"),
            }
            COUNTERS[0].count();
        }
    }
    let empty = |_| ObjectBlock::new([0; 32]);
    for block in MEMORY.init_with(|| core::array::from_fn(empty)) {
        Blocks.manage(block);
    }
    thread(0, 10, take_and_give)?;
    Ok(Counts::ONE)
}
