//! All orders in which a few CPUs can meet at the lock and the doorbell.
#![cfg(loom)]

use flyball_multicore::{Doorbell, FairLock, Presence, State, Word};
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

/// Threads that change a word without the kernel where that is possible; and the kernel, as far as it
/// matters to the word: a lock, threads in line, and one that is told to go on.
struct Words {
    word: Word,
    kernel: Mutex<Vec<u16>>,
    goes_on: Vec<Mutex<bool>>,
    told: Vec<Condvar>,
    count: Guarded,
}

impl Words {
    fn new(state: State, threads: usize) -> Words {
        Words {
            word: Word::new(state, 0),
            kernel: Mutex::new(Vec::new()),
            goes_on: (0..threads).map(|_| Mutex::new(false)).collect(),
            told: (0..threads).map(|_| Condvar::new()).collect(),
            count: Guarded::new(),
        }
    }

    fn name(thread: u16) -> u32 {
        (u32::from(thread) + 1) << 1
    }

    fn sleep(&self, thread: u16) {
        let thread = usize::from(thread);
        let mut goes_on = self.goes_on[thread].lock().unwrap();
        while !*goes_on {
            goes_on = self.told[thread].wait(goes_on).unwrap();
        }
        *goes_on = false;
    }

    fn tell(&self, thread: u16) {
        let thread = usize::from(thread);
        *self.goes_on[thread].lock().unwrap() = true;
        self.told[thread].notify_one();
    }

    /// Gets in line, if the word still says `state`.
    fn wait(&self, line: &mut Vec<u16>, state: State, thread: u16) -> bool {
        if state.first().is_none() && !self.word.replace(state, State::waited_for(thread)) {
            return false;
        }
        line.push(thread);
        true
    }

    /// Takes the first out of the line; the word says `otherwise` if that was the last.
    fn next(&self, line: &mut Vec<u16>, otherwise: impl Fn(u16) -> State) -> u16 {
        let first = line.remove(0);
        let state = line
            .first()
            .map_or(otherwise(first), |&next| State::waited_for(next));
        self.word.store(state);
        first
    }

    fn lock(&self, thread: u16) {
        let name = Words::name(thread);
        if self.word.try_lock(name) {
            return;
        }
        let mut line = self.kernel.lock().unwrap();
        loop {
            let state = self.word.state();
            if state == State::FREE {
                if self.word.replace(state, State::owned_by(name)) {
                    return;
                }
            } else if self.wait(&mut line, state, thread) {
                break;
            }
        }
        drop(line);
        self.sleep(thread);
    }

    fn unlock(&self, thread: u16) {
        let name = Words::name(thread);
        if self.word.try_unlock(name) {
            return;
        }
        let mut line = self.kernel.lock().unwrap();
        let heir = self.next(&mut line, |heir| State::owned_by(Words::name(heir)));
        drop(line);
        self.tell(heir);
    }

    fn pass(&self, thread: u16) {
        if self.word.try_pass() {
            return;
        }
        let mut line = self.kernel.lock().unwrap();
        loop {
            let state = self.word.state();
            match state.passes() {
                Some(0) | None => {
                    if self.wait(&mut line, state, thread) {
                        break;
                    }
                }
                Some(count) => {
                    if self.word.replace(state, State::count(count - 1)) {
                        return;
                    }
                }
            }
        }
        drop(line);
        self.sleep(thread);
    }

    fn give(&self) {
        if self.word.try_give() {
            return;
        }
        let mut line = self.kernel.lock().unwrap();
        loop {
            let state = self.word.state();
            if let Some(count) = state.passes() {
                if self.word.replace(state, State::count(count + 1)) {
                    return;
                }
            } else {
                let waiter = self.next(&mut line, |_| State::FREE);
                drop(line);
                return self.tell(waiter);
            }
        }
    }

    /// `work` in `threads` threads at once.
    fn in_threads(
        self,
        threads: u16,
        work: impl Fn(&Words, u16) + Copy + Send + 'static,
    ) -> Arc<Words> {
        let words = Arc::new(self);
        let others: Vec<_> = (1..threads)
            .map(|thread| {
                let words = Arc::clone(&words);
                thread::spawn(move || work(&words, thread))
            })
            .collect();
        work(&words, 0);
        for other in others {
            other.join().unwrap();
        }
        words
    }
}

/// A mutex in memory has one owner at a time, which sees what the last one did; and a thread that waits
/// for it gets it.
#[test]
fn a_mutex_in_memory_has_one_owner() {
    for (threads, rounds, preemptions) in [(2, 2, 3), (3, 1, 2)] {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(preemptions);
        model.check(move || {
            let words = Words::new(State::FREE, usize::from(threads));
            let words = words.in_threads(threads, move |words, thread| {
                for _ in 0..rounds {
                    words.lock(thread);
                    words.count.add(1);
                    words.unlock(thread);
                }
            });
            assert_eq!(words.count.take(), u32::from(threads) * rounds);
            assert_eq!(words.word.state(), State::FREE);
        });
    }
}

/// A semaphore in memory that lets one thread pass lets one pass at a time, and no signal is lost.
#[test]
fn a_semaphore_in_memory_loses_no_signal() {
    for (threads, rounds, preemptions) in [(2, 2, 3), (3, 1, 2)] {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(preemptions);
        model.check(move || {
            let words = Words::new(State::count(1), usize::from(threads));
            let words = words.in_threads(threads, move |words, thread| {
                for _ in 0..rounds {
                    words.pass(thread);
                    words.count.add(1);
                    words.give();
                }
            });
            assert_eq!(words.count.take(), u32::from(threads) * rounds);
            assert_eq!(words.word.state(), State::count(1));
        });
    }
}
