//! A lock for which CPUs wait in line, asleep.
//!
//! It is the lock of Mellor-Crummey and Scott ("Algorithms for scalable synchronization on
//! shared-memory multiprocessors", ACM TOCS 9(1), 1991, figure 5): each CPU waits for a word of its
//! own, in the order in which they came, so none starves, and handing over disturbs no other CPU.
//! There are few CPUs and they have numbers, so the queue is made of numbers, and no pointer is
//! needed. A CPU that waits sleeps until the one before it rings; where that is dear, a
//! [`Doorbell`] may come back from its wait at once.

use crate::Doorbell;
use crate::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// No CPU; other numbers are those of CPUs, plus one.
const NOBODY: u8 = 0;

/// A lock among at most `CPUS` CPUs, of which there can be 255.
#[derive(Debug)]
pub struct FairLock<const CPUS: usize> {
    /// The CPU that came last.
    tail: AtomicU8,
    /// The CPU that comes after each CPU.
    next: [AtomicU8; CPUS],
    /// Whether it is that CPU's turn.
    granted: [AtomicBool; CPUS],
    /// How often it has been taken, and how often a CPU had to wait for it.
    taken: AtomicU64,
    contended: AtomicU64,
}

impl<const CPUS: usize> FairLock<CPUS> {
    /// A lock that is free.
    #[cfg(not(loom))]
    pub const fn new() -> FairLock<CPUS> {
        const {
            assert!(CPUS < 256, "there are at most 255 CPUs");
        }
        FairLock {
            tail: AtomicU8::new(NOBODY),
            next: [const { AtomicU8::new(NOBODY) }; CPUS],
            granted: [const { AtomicBool::new(false) }; CPUS],
            taken: AtomicU64::new(0),
            contended: AtomicU64::new(0),
        }
    }

    /// A lock that is free.
    #[cfg(loom)]
    pub fn new() -> FairLock<CPUS> {
        FairLock {
            tail: AtomicU8::new(NOBODY),
            next: std::array::from_fn(|_| AtomicU8::new(NOBODY)),
            granted: std::array::from_fn(|_| AtomicBool::new(false)),
            taken: AtomicU64::new(0),
            contended: AtomicU64::new(0),
        }
    }

    /// Waits for the lock as `cpu`, which is the one that calls and does not have it. Interrupts
    /// are masked: a CPU that waits in line holds up those behind it. Returns whether it had to
    /// wait; then signals that came for other reasons may have been forgotten.
    ///
    /// # Panics
    /// If there is no such CPU.
    #[inline]
    pub fn acquire(&self, cpu: u8, bell: &impl Doorbell) -> bool {
        let me = usize::from(cpu);
        self.next[me].store(NOBODY, Ordering::Relaxed);
        self.granted[me].store(false, Ordering::Relaxed);
        // The two above come before the CPU that is next sees this, and what the last one did
        // before what we are about to do.
        let before = self.tail.swap(cpu + 1, Ordering::AcqRel);
        self.taken.fetch_add(1, Ordering::Relaxed);
        if before == NOBODY {
            return false;
        }
        self.contended.fetch_add(1, Ordering::Relaxed);
        self.next[usize::from(before - 1)].store(cpu + 1, Ordering::Release);
        while !self.granted[me].load(Ordering::Acquire) {
            bell.wait(cpu);
        }
        true
    }

    /// Gives the lock to the CPU that has waited longest; `cpu` has it.
    ///
    /// # Panics
    /// If there is no such CPU.
    #[inline]
    pub fn release(&self, cpu: u8, bell: &impl Doorbell) {
        let me = usize::from(cpu);
        let mut next = self.next[me].load(Ordering::Acquire);
        if next == NOBODY {
            let alone =
                self.tail
                    .compare_exchange(cpu + 1, NOBODY, Ordering::AcqRel, Ordering::Relaxed);
            if alone.is_ok() {
                return;
            }
            // Another CPU has come, and is about to say which.
            loop {
                next = self.next[me].load(Ordering::Acquire);
                if next != NOBODY {
                    break;
                }
                bell.pause(cpu);
            }
        }
        self.granted[usize::from(next - 1)].store(true, Ordering::Release);
        bell.ring(next - 1);
    }

    /// How often it has been taken so far.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// How often a CPU had to wait for it.
    pub fn contended(&self) -> u64 {
        self.contended.load(Ordering::Relaxed)
    }
}

impl<const CPUS: usize> Default for FairLock<CPUS> {
    fn default() -> Self {
        FairLock::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Notes the CPU that is rung for. There is one CPU at a time, so none waits.
    #[derive(Default)]
    struct Notes(Cell<Option<u8>>);

    impl Doorbell for Notes {
        fn ring(&self, cpu: u8) {
            self.0.set(Some(cpu));
        }
        fn wait(&self, _: u8) {
            unreachable!("nobody else has the lock")
        }
        fn pause(&self, _: u8) {}
    }

    #[test]
    fn who_is_alone_does_not_wait_and_rings_for_nobody() {
        let (lock, bell) = (FairLock::<4>::new(), Notes::default());
        for cpu in [3, 0, 3] {
            assert!(!lock.acquire(cpu, &bell));
            lock.release(cpu, &bell);
        }
        assert_eq!((lock.taken(), lock.contended()), (3, 0));
        assert_eq!(bell.0.get(), None);
    }

    /// Real threads, each a CPU: served in the order in which they came.
    #[test]
    fn threads_take_turns() {
        use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
        struct Spinning;
        impl Doorbell for Spinning {
            fn ring(&self, _: u8) {}
            fn wait(&self, _: u8) {
                std::thread::yield_now();
            }
            fn pause(&self, _: u8) {
                std::thread::yield_now();
            }
        }
        const ROUNDS: u32 = 2_000;
        let lock = FairLock::<4>::new();
        let (inside, count) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for cpu in 0..4 {
                let (lock, inside, count) = (&lock, &inside, &count);
                scope.spawn(move || {
                    for _ in 0..ROUNDS {
                        lock.acquire(cpu, &Spinning);
                        assert_eq!(inside.fetch_add(1, Relaxed), 0);
                        count.store(count.load(Relaxed) + 1, Relaxed);
                        inside.fetch_sub(1, Relaxed);
                        lock.release(cpu, &Spinning);
                    }
                });
            }
        });
        assert_eq!(count.load(Relaxed), 4 * ROUNDS);
        assert_eq!(lock.taken(), u64::from(4 * ROUNDS));
    }
}
