//! All orders in which a few CPUs can meet at the lock and the doorbell.
#![cfg(loom)]

use flyball_multicore::{Doorbell, FairLock, Presence};
use loom::sync::atomic::{AtomicU32, Ordering::Relaxed};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;

/// Signals that are remembered.
struct Bells {
    rung: Vec<Mutex<bool>>,
    heard: Vec<Condvar>,
}

impl Bells {
    fn new(cpus: usize) -> Bells {
        Bells {
            rung: (0..cpus).map(|_| Mutex::new(false)).collect(),
            heard: (0..cpus).map(|_| Condvar::new()).collect(),
        }
    }
}

impl Doorbell for Bells {
    fn ring(&self, cpu: u8) {
        let cpu = usize::from(cpu);
        *self.rung[cpu].lock().unwrap() = true;
        self.heard[cpu].notify_one();
    }

    fn wait(&self, cpu: u8) {
        let cpu = usize::from(cpu);
        let mut rung = self.rung[cpu].lock().unwrap();
        while !*rung {
            rung = self.heard[cpu].wait(rung).unwrap();
        }
        *rung = false;
    }

    fn pause(&self, _: u8) {
        thread::yield_now();
    }
}

/// What the lock protects: it is read and written as if no other CPU did, so an order in which two
/// are there at once, or one does not see what the last one did, loses something.
struct Guarded(AtomicU32);

impl Guarded {
    fn new() -> Guarded {
        Guarded(AtomicU32::new(0))
    }

    fn add(&self, more: u32) {
        self.0.store(self.0.load(Relaxed) + more, Relaxed);
    }

    fn take(&self) -> u32 {
        let all = self.0.load(Relaxed);
        self.0.store(0, Relaxed);
        all
    }
}

struct Shared<const N: usize> {
    lock: FairLock<N>,
    bells: Bells,
    count: Guarded,
}

fn exclusion<const N: usize>(rounds: u32) {
    let shared = Arc::new(Shared::<N> {
        lock: FairLock::new(),
        bells: Bells::new(N),
        count: Guarded::new(),
    });
    let work = move |shared: &Shared<N>, cpu: u8| {
        for _ in 0..rounds {
            shared.lock.acquire(cpu, &shared.bells);
            shared.count.add(1);
            shared.lock.release(cpu, &shared.bells);
        }
    };
    let others: Vec<_> = (1..N as u8)
        .map(|cpu| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || work(&shared, cpu))
        })
        .collect();
    work(&shared, 0);
    for other in others {
        other.join().unwrap();
    }
    let count = shared.count.take();
    assert_eq!(count, rounds * N as u32);
    assert_eq!(shared.lock.taken(), u64::from(count));
}

#[test]
fn one_at_a_time_and_nobody_waits_for_ever() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| exclusion::<2>(2));
}

#[test]
fn one_at_a_time_of_three() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| exclusion::<3>(1));
}

/// A CPU that waits for work, and another one that has some: the kernel's wake-up. Each entry of
/// the first begins with a signal, or with a call of its own; in between it sleeps. Loom fails if
/// it sleeps for ever.
#[test]
fn no_wake_up_is_lost() {
    struct Cluster {
        lock: FairLock<2>,
        here: Presence<2>,
        bells: Bells,
        /// The first CPU has to look.
        look: Guarded,
        /// What it is to find.
        work: Guarded,
    }
    impl Cluster {
        /// An entry of the first CPU. Returns what it found.
        fn pass(&self) -> u32 {
            self.here.arrive(0);
            self.lock.acquire(0, &self.bells);
            let mut found = 0;
            if self.look.take() > 0 {
                found = self.work.take();
            }
            self.here.depart(0);
            self.lock.release(0, &self.bells);
            found
        }
    }
    const PIECES: u32 = 2;
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let cluster = Arc::new(Cluster {
            lock: FairLock::new(),
            here: Presence::new(),
            bells: Bells::new(2),
            look: Guarded::new(),
            work: Guarded::new(),
        });
        let other = Arc::clone(&cluster);
        let sender = thread::spawn(move || {
            for _ in 0..PIECES {
                other.here.arrive(1);
                other.lock.acquire(1, &other.bells);
                other.work.add(1);
                other.look.add(1);
                other.here.call(0, &other.bells);
                other.here.depart(1);
                other.lock.release(1, &other.bells);
            }
        });
        // A call of its own comes at any moment.
        let mut found = cluster.pass();
        while found < PIECES {
            cluster.bells.wait(0);
            found += cluster.pass();
        }
        sender.join().unwrap();
        assert_eq!(found, PIECES);
    });
}
