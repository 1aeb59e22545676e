//! How small an image can be: two threads that sleep, lock, signal, and send each other messages.
//!
//! Everything that is chosen when a kernel is compiled is off. An image without the operations that
//! are used here would be smaller; one with others is larger by those.
#![no_std]

#[doc(hidden)]
pub use flyball_app;

use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::{Duration, Mutex, Queue, Semaphore, Stack, Time, sleep_until, yield_now};

/// Threads that there is room for.
pub const THREADS: usize = if cfg!(feature = "twice") { 16 } else { 8 };

/// The threads' stacks.
pub static STACKS: [Stack<128>; 2] = [const { Stack::new() }; 2];

static COUNT: Mutex<u32> = Mutex::new(0);
static THERE: Semaphore = Semaphore::new(0);
static LETTERS: Queue<u32> = Queue::new(4);
static LAST: AtomicU32 = AtomicU32::new(0);

/// Counts, and tells.
pub fn sender() {
    let mut next = Time::ZERO;
    loop {
        next += Duration::from_millis(1);
        sleep_until(next);
        let Ok(mut count) = COUNT.lock() else {
            continue;
        };
        *count += 1;
        let number = *count;
        drop(count);
        // Nothing here can fail: the kernel has room for these.
        let _ = LETTERS.send(number);
        let _ = THERE.signal();
        yield_now();
    }
}

/// Is told.
pub fn receiver() {
    loop {
        let _ = THERE.wait();
        if let Ok(number) = LETTERS.receive() {
            LAST.store(number, Ordering::Relaxed);
        }
    }
}

/// An image for a policy: its type, how it is made, and what the two threads tell it.
#[macro_export]
macro_rules! image {
    ($policy:ty = $make:expr, $first:expr, $second:expr) => {
        $crate::flyball_app::kernel! {
            machine: flyball_machine_cortexm,
            policy: $policy = $make,
            init: init,
            conditions: false,
            timeouts: false,
            threads: $crate::THREADS,
            queues: 1,
            messages: 4,
            jobs: false,
            arrivals: 0,
            accounting: false,
            checks: false,
            guarded: false,
        }

        fn init() -> Result<(), $crate::flyball_app::Error> {
            use $crate::flyball_app::Thread;
            let [first, second] = &$crate::STACKS;
            spawn(first, Thread::once(), $first, $crate::sender)?;
            spawn(second, Thread::once(), $second, $crate::receiver)?;
            Ok(())
        }
    };
}
