//! Jobs, deadlines and misses under earliest deadline first, with a trace.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::prelude::*;
use flyball_app::{counters, idle_time, misses};
use flyball_trace::{Event, Kind};

flyball_app::kernel! {
    machine: flyball_machine_host,
    policy: EarliestDeadlines<8> = EarliestDeadlines::new(EarliestDeadline, 8),
    trace: Vec<Event> = Vec::new(),
    init: init,
    arrivals: 1,
    held: 2,
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn deadline(n: u64) -> Deadline {
    Deadline(ms(n))
}

static JUDGE: Stack<128> = Stack::new();

fn init() -> Result<(), Error> {
    spawn(&JUDGE, Thread::once(), Deadline(Duration::MAX), || {
        periodic();
        sporadic();
        given_up();
        ended();
        assert_eq!(idle_time() + busy(), now().since(Time::ZERO));
        println!("all is well");
        shut_down(0)
    })?;
    Ok(())
}

/// What all threads have computed.
fn busy() -> Duration {
    ms(u64::from(BUSY.load(Ordering::Relaxed)))
}

static BUSY: AtomicU32 = AtomicU32::new(0);

fn work(n: u32) {
    compute(ms(n.into()));
    BUSY.fetch_add(n, Ordering::Relaxed);
}

/// A thread that keeps up, until it does not; its misses wake a handler.
fn periodic() {
    static CONTROL: Stack<128> = Stack::new();
    static HANDLER: Stack<128> = Stack::new();
    static LATE: Semaphore = Semaphore::new(0);
    static HANDLED: AtomicU32 = AtomicU32::new(0);
    let begun = now();
    let watched = Thread::periodic(ms(10)).deadline(ms(5)).alert(&LATE);
    let control = spawn(&CONTROL, watched, deadline(5), move || {
        let mut kept = Vec::new();
        for length in [1, 4, 6, 17, 1] {
            work(length);
            kept.push(wait_next());
        }
        assert_eq!(kept, [true, true, true, false, true]);
        assert_eq!(now(), begun + ms(50));
    })
    .unwrap();
    let handler = spawn(&HANDLER, Thread::once(), deadline(1), move || {
        for late in [25, 35, 45] {
            LATE.wait().unwrap();
            assert_eq!(now(), begun + ms(late));
            HANDLED.fetch_add(1, Ordering::Relaxed);
        }
    });
    // It is more urgent than the thread that made it, so its first job is done.
    assert_eq!(control.cpu_time(), Ok(ms(1)));
    control.adjust(deadline(4)).unwrap();
    // There is only one order of this type, and the policy does not want to know what is counted.
    assert_eq!(tune(EarliestDeadline), Ok(()));
    assert_eq!(
        (control.counters().unwrap(), counters().cycles),
        (counters(), 0)
    );
    handler.unwrap().join().unwrap();
    control.join().unwrap();
    assert_eq!(control.cpu_time(), Err(Error::Dead));
    assert_eq!(control.counters(), Err(Error::Dead));
    assert_eq!(control.release(), Err(Error::Dead));
    assert_eq!(control.adjust(deadline(1)), Err(Error::Dead));
    assert_eq!((HANDLED.load(Ordering::Relaxed), misses()), (3, 3));
    let traced = with_trace(Clone::clone).unwrap();
    let missed = traced
        .iter()
        .filter(|event| matches!(event.kind, Kind::Miss { .. }));
    assert_eq!(missed.count(), 3);
}

fn sporadic() {
    static SERVER: Stack<128> = Stack::new();
    static NOBODYS: Stack<64> = Stack::new();
    static SERVED: AtomicU32 = AtomicU32::new(0);
    let server = spawn(&SERVER, Thread::sporadic(ms(10)), deadline(10), || {
        loop {
            work(1);
            SERVED.fetch_add(1, Ordering::Relaxed);
            wait_next();
        }
    })
    .unwrap();
    // The stack names its thread, so that an interrupt can.
    Interrupt::line(1)
        .attach(|| SERVER.release().unwrap())
        .unwrap();
    Interrupt::line(1).pend();
    assert_eq!(SERVED.load(Ordering::Relaxed), 1);
    assert_eq!(SERVER.thread(), Some(server.id()));
    // Too early: it waits until the separation is over.
    server.release().unwrap();
    sleep(ms(8));
    assert_eq!(SERVED.load(Ordering::Relaxed), 1);
    sleep(ms(2));
    assert_eq!(SERVED.load(Ordering::Relaxed), 2);
    assert_eq!(NOBODYS.release(), Err(Error::Unknown));
    assert_eq!(server.join_until(now() + ms(1)), Err(Error::TimedOut));
}

/// A late job is given up in the middle, with what it had locked; the next one begins anew.
fn given_up() {
    static STACK: Stack<128> = Stack::new();
    static BEGUN: AtomicU32 = AtomicU32::new(0);
    static DATA: Mutex<()> = Mutex::new(());
    static MORE: [Mutex<()>; 2] = [const { Mutex::new(()) }; 2];
    let late = misses();
    // SAFETY: what this changes are atomics, and nothing refers to its stack.
    let given_up = unsafe {
        spawn_abortable(&STACK, Thread::periodic(ms(10)), deadline(10), || {
            let job = BEGUN.fetch_add(1, Ordering::Relaxed);
            let _guard = DATA.lock().unwrap();
            // There is room for two.
            let guards: Vec<_> = MORE.iter().map(Mutex::lock).collect();
            assert_eq!(guards.iter().filter(|guard| guard.is_ok()).count(), 1);
            if job < 2 {
                loop {
                    compute(ms(1));
                }
            }
        })
    };
    sleep(ms(5));
    // That had to wait for the first two.
    assert_eq!(BEGUN.load(Ordering::Relaxed), 3);
    BUSY.fetch_add(20, Ordering::Relaxed);
    assert_eq!(misses() - late, 2);
    DATA.try_lock().map(drop).unwrap();
    assert!(MORE.iter().all(|mutex| mutex.try_lock().is_ok()));
    given_up.unwrap().join().unwrap();
}

/// A thread that ends by `exit` drops nothing; one that still owns a mutex keeps it.
fn ended() {
    static STACKS: [Stack<128>; 3] = [const { Stack::new() }; 3];
    static DATA: Mutex<()> = Mutex::new(());
    let plain = spawn(&STACKS[0], Thread::once(), deadline(1), || exit());
    plain.unwrap().join().unwrap();
    let owner = spawn(&STACKS[1], Thread::once(), deadline(1), || {
        let _guard = DATA.lock();
        exit()
    });
    owner.unwrap().join().unwrap();
    assert_eq!(DATA.try_lock().map(drop), Err(Error::TimedOut));
    assert_eq!(
        DATA.lock_until(now() + ms(1)).map(drop),
        Err(Error::TimedOut)
    );
    let large = [0_usize; 80];
    let body = move || assert_eq!(large[1], 0);
    let small = spawn(&STACKS[2], Thread::once(), deadline(1), body);
    assert_eq!(small.map(drop), Err(Error::Invalid));
}
