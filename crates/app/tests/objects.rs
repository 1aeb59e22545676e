//! Mutexes, semaphores, condition variables, queues and interrupts, under fixed priorities.
//!
//! The judge, the least urgent thread, lets others do something and looks at what came out.

use flyball_app::prelude::*;
use flyball_app::{Protocol, Ring, cpu_time, idle_time, misses, park_until};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

flyball_app::kernel! {
    machine: flyball_machine_host,
    policy: FixedPriorities<16> = FixedPriorities::new(FixedPriority, 16),
    trace: Ring<64> = Ring::new(),
    init: init,
    // Just what there is below, so that one more is too much.
    threads: 5,
    queues: 8,
    messages: 16,
}

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn log(what: &str) {
    LOG.with_borrow_mut(|log| log.push(format!("{} {what}", now())));
}

#[track_caller]
fn assert_logged(expected: &[&str]) {
    assert_eq!(LOG.take(), expected);
}

fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// The instant so long after the last whole millisecond.
fn at(n: u64) -> Time {
    let begun = now().as_nanos() / 1_000_000;
    Time::from_millis(begun) + us(n)
}

/// Lets time pass until the next whole millisecond, at which the log begins anew.
fn next_millisecond() {
    sleep_until(Time::from_millis(now().as_nanos() / 1_000_000 + 1));
    LOG.take();
}

static JUDGE: Stack<128> = Stack::new();

fn init() -> Result<(), Error> {
    spawn(&JUDGE, Thread::once(), Priority(0), || {
        mutexes();
        priorities_are_inherited();
        semaphores();
        parking();
        conditions();
        queues();
        messages_are_given();
        interrupts();
        objects_are_many();
        tables_are_finite();
        let traced = with_trace(Clone::clone).unwrap();
        assert!(traced.len() == 64 && traced.dropped() > 0);
        println!("all is well");
        shut_down(0)
    })?;
    assert_eq!(SEMAPHORE.wait(), Err(Error::NoThread));
    assert_eq!(DATA.lock().map(drop), Err(Error::NoThread));
    assert!(!wait_next());
    Ok(())
}

static DATA: Mutex<u32> = Mutex::new(1);
static SEMAPHORE: Semaphore = Semaphore::new(1);

fn mutexes() {
    static OTHER: Stack<128> = Stack::new();
    let mut guard = DATA.lock().unwrap();
    *guard += 1;
    assert_eq!(DATA.lock().map(drop), Err(Error::Deadlock));
    let other = spawn(&OTHER, Thread::once(), Priority(1), || {
        assert_eq!(DATA.try_lock().map(drop), Err(Error::TimedOut));
        let waited = DATA.lock_until(now() + us(5)).map(drop);
        assert_eq!(waited, Err(Error::TimedOut));
        *DATA.lock().unwrap() *= 10;
    });
    compute(us(7));
    assert_eq!(*guard, 2);
    drop(guard);
    other.unwrap().join().unwrap();
    assert_eq!(format!("{:?}", DATA.try_lock().unwrap()), "20");
}

fn priorities_are_inherited() {
    static PLAIN: Mutex<()> = Mutex::with_protocol((), Protocol::None);
    static STACKS: [Stack<128>; 4] = [const { Stack::new() }; 4];
    fn run(mutex: &'static Mutex<()>, stacks: [&'static Stack<128>; 2]) {
        next_millisecond();
        let guard = mutex.lock().unwrap();
        let high = spawn(stacks[0], Thread::once().start(at(1)), Priority(9), || {
            let _guard = mutex.lock().unwrap();
            log("high");
        });
        let middle = spawn(stacks[1], Thread::once().start(at(2)), Priority(5), || {
            compute(us(100));
            log("middle");
        });
        compute(us(10));
        drop(guard);
        high.unwrap().join().unwrap();
        middle.unwrap().join().unwrap();
    }
    let [a, b, c, d] = STACKS.each_ref();
    let protected: &'static Mutex<()> = &INHERITING;
    run(protected, [a, b]);
    assert_logged(
        &["3.01ms high", "3.11ms middle"]
            .map(shifted)
            .each_ref()
            .map(String::as_str),
    );
    run(&PLAIN, [c, d]);
    assert_logged(
        &["3.102ms middle", "3.11ms high"]
            .map(shifted)
            .each_ref()
            .map(String::as_str),
    );
}

static INHERITING: Mutex<()> = Mutex::new(());

/// A line of the log with its time moved to this millisecond.
fn shifted(line: &str) -> String {
    let begun = now().as_nanos() / 1_000_000;
    line.replacen('3', &begun.to_string(), 1)
}

fn semaphores() {
    static OTHER: Stack<128> = Stack::new();
    SEMAPHORE.wait().unwrap();
    assert_eq!(SEMAPHORE.try_wait(), Err(Error::TimedOut));
    let begun = now();
    assert_eq!(SEMAPHORE.wait_until(begun + us(3)), Err(Error::TimedOut));
    assert_eq!(now(), begun + us(3));
    spawn(&OTHER, Thread::once(), Priority(7), || {
        for _ in 0..3 {
            sleep(us(4));
            SEMAPHORE.signal().unwrap();
        }
    })
    .unwrap();
    SEMAPHORE.wait().unwrap();
    assert_eq!(now(), begun + us(7));
    SEMAPHORE.wait_until(Time::NEVER).unwrap();
    SEMAPHORE.wait_until(begun + us(99)).unwrap();
    assert_eq!(now(), begun + us(15));
}

fn parking() {
    static OTHER: Stack<128> = Stack::new();
    next_millisecond();
    let other = spawn(&OTHER, Thread::once(), Priority(7), || {
        park().unwrap();
        log("unparked");
        assert_eq!(park_until(now() + us(2)), Err(Error::TimedOut));
        sleep(us(4));
        // It has been unparked meanwhile.
        park().unwrap();
        log("unparked again");
    })
    .unwrap();
    other.unpark().unwrap();
    // It is more urgent, so it has logged by now.
    assert_eq!(LOG.take().len(), 1);
    sleep(us(3));
    other.unpark().unwrap();
    other.join().unwrap();
    assert_eq!(now(), at(6));
    assert_eq!(other.unpark(), Err(Error::Dead));
}

fn conditions() {
    static CHANGED: Condition = Condition::new();
    static OTHERS: [Stack<128>; 2] = [const { Stack::new() }; 2];
    next_millisecond();
    let [one, two] = OTHERS.each_ref();
    for (stack, priority) in [(one, 2), (two, 3)] {
        spawn(stack, Thread::once(), Priority(priority), move || {
            let mut data = DATA.lock().unwrap();
            while *data < 100 {
                CHANGED.wait(&mut data).unwrap();
            }
            *data += 1;
            assert_eq!(*data, 104 - u32::from(priority));
            let late = CHANGED.wait_until(&mut data, now() + us(1));
            assert_eq!(late, Err(Error::TimedOut));
            // It is locked all the same.
            *data += 10;
        })
        .unwrap();
    }
    *DATA.lock().unwrap() = 5;
    CHANGED.signal();
    *DATA.lock().unwrap() = 100;
    CHANGED.broadcast();
    sleep(us(10));
    assert_eq!(*DATA.lock().unwrap(), 122);
}

fn queues() {
    static WORK: Queue<(u8, u64)> = Queue::new(2);
    static PRODUCER: Stack<128> = Stack::new();
    static SECOND: Stack<128> = Stack::new();
    next_millisecond();
    spawn(&PRODUCER, Thread::once(), Priority(4), || {
        for n in 0..5 {
            WORK.send((n, u64::MAX)).unwrap();
            log(&format!("sent {n}"));
        }
    })
    .unwrap();
    // Two are in, and the producer waits with the third.
    assert_eq!(WORK.try_send((9, 9)), Err(Error::Full));
    assert_eq!(WORK.send_until((9, 9), now() + us(2)), Err(Error::TimedOut));
    for n in 0..5 {
        assert_eq!(WORK.receive(), Ok((n, u64::MAX)));
    }
    assert_eq!(WORK.try_receive(), Err(Error::TimedOut));
    assert_eq!(WORK.receive_until(now() + us(2)), Err(Error::TimedOut));
    let logged = LOG.take();
    let sent: Vec<&str> = logged
        .iter()
        .map(|line| line.split_once(' ').unwrap().1)
        .collect();
    assert_eq!(sent, ["sent 0", "sent 1", "sent 2", "sent 3", "sent 4"]);
    // With room for one message another producer waits with its second, until an interrupt makes more room.
    assert_eq!(WORK.resize(0), Err(Error::Invalid));
    assert_eq!(WORK.resize(3), Err(Error::Full));
    WORK.resize(1).unwrap();
    let producer = spawn(&SECOND, Thread::once(), Priority(4), || {
        for n in 5..7 {
            WORK.send((n, 0)).unwrap();
        }
        log("sent both");
    });
    assert!(LOG.take().is_empty());
    let line = Interrupt::line(6);
    line.attach(|| WORK.resize(2).unwrap()).unwrap();
    line.pend();
    producer.unwrap().join().unwrap();
    assert!(LOG.take()[0].ends_with("sent both"));
    assert_eq!((WORK.receive(), WORK.receive()), (Ok((5, 0)), Ok((6, 0))));
}

/// A message that is given has one owner at any time: its last owner drops it, once.
fn messages_are_given() {
    struct Large([u64; 9], &'static AtomicU32);
    impl Drop for Large {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }
    static BOXES: Queue<Box<Large>> = Queue::new(1);
    static RECEIVER: Stack<128> = Stack::new();
    static DROPPED: AtomicU32 = AtomicU32::new(0);
    let dropped = || DROPPED.load(Ordering::Relaxed);
    let large = |n| Box::new(Large([n; 9], &DROPPED));
    // To a thread that waits, and to one that comes later.
    let receiver = spawn(&RECEIVER, Thread::once(), Priority(4), || {
        for n in 0..3 {
            assert_eq!(BOXES.receive().unwrap().0, [n; 9]);
        }
    });
    BOXES.give(large(0)).map_err(|(error, _)| error).unwrap();
    assert_eq!(dropped(), 1);
    for n in 1..3 {
        let given = BOXES.give_until(large(n), now() + us(9));
        assert!(given.is_ok());
    }
    receiver.unwrap().join().unwrap();
    assert_eq!(dropped(), 3);
    // One that finds no room comes back.
    assert!(BOXES.try_give(large(3)).is_ok());
    let (error, back) = BOXES.try_give(large(4)).unwrap_err();
    assert_eq!((error, back.0, dropped()), (Error::Full, [4; 9], 3));
    let (error, back) = BOXES.give_until(back, now() + us(2)).unwrap_err();
    assert_eq!((error, back.0, dropped()), (Error::TimedOut, [4; 9], 3));
    drop(back);
    assert_eq!(dropped(), 4);
    assert_eq!(BOXES.try_receive().map(|large| large.0), Ok([3; 9]));
    assert_eq!(dropped(), 5);
    assert!(BOXES.try_receive().is_err());
}

fn interrupts() {
    static SAMPLES: Queue<u32> = Queue::new(4);
    static SERVER: Stack<128> = Stack::new();
    next_millisecond();
    let server = spawn(&SERVER, Thread::once(), Priority(8), || {
        for _ in 0..2 {
            let sample = SAMPLES.receive().unwrap();
            log(&format!("sample {sample}"));
        }
    });
    Interrupt::timer()
        .attach(|| {
            assert_eq!(SEMAPHORE.wait(), Err(Error::NoThread));
            assert_eq!(SAMPLES.receive(), Err(Error::NoThread));
            assert_eq!(DATA.try_lock().map(drop), Err(Error::NoThread));
            SAMPLES.try_send(7).unwrap();
        })
        .unwrap();
    set_timer(us(30));
    compute(us(50));
    log("computed");
    takes_in_interrupts();
    let button = Interrupt::line(4);
    button.attach(|| SAMPLES.try_send(8).unwrap()).unwrap();
    button.pend();
    assert_eq!(Interrupt::line(999).attach(|| ()), Err(Error::Unknown));
    server.unwrap().join().unwrap();
    let log = LOG.take();
    let what: Vec<&str> = log
        .iter()
        .map(|line| line.split_once(' ').unwrap().1)
        .collect();
    assert_eq!(what, ["sample 7", "computed", "sample 8"]);
    let instants: Vec<Time> = vec![at(30), at(50), at(50)];
    let times = log.iter().map(|line| line.split_once(' ').unwrap().0);
    assert!(times.eq(instants.iter().map(Time::to_string)));
}

/// An interrupt takes messages until there are none. Each lets the sender in that waits for room.
fn takes_in_interrupts() {
    static RESULTS: Queue<u16> = Queue::new(2);
    static SENDER: Stack<128> = Stack::new();
    static TAKEN: Queue<u16> = Queue::new(4);
    let before = misses();
    let line = Interrupt::line(5);
    line.attach(|| {
        while let Ok(result) = RESULTS.try_receive() {
            TAKEN.try_send(result).unwrap();
        }
        assert_eq!(RESULTS.try_receive(), Err(Error::TimedOut));
    })
    .unwrap();
    let sender = spawn(&SENDER, Thread::once(), Priority(4), || {
        for result in [3, 5, 8] {
            RESULTS.send(result).unwrap();
        }
    });
    line.pend();
    sender.unwrap().join().unwrap();
    for result in [3, 5, 8] {
        assert_eq!(TAKEN.try_receive(), Ok(result));
    }
    assert_eq!(TAKEN.try_receive(), Err(Error::TimedOut));
    // A message that is not there is no miss: nothing promised it.
    assert_eq!(misses(), before);
}

/// Objects are words, on the heap as well; and each thread may wait for another one.
fn objects_are_many() {
    static STACKS: [Stack<128>; 6] = [const { Stack::new() }; 6];
    let mutexes: Vec<Mutex<u32>> = (0..1000).map(Mutex::new).collect();
    let guards: Vec<_> = mutexes.iter().map(|mutex| mutex.lock().unwrap()).collect();
    assert_eq!(guards.iter().map(|guard| **guard).sum::<u32>(), 499_500);
    drop(guards);
    let gates: &'static [Semaphore] = (0..6).map(|_| Semaphore::new(0)).collect::<Vec<_>>().leak();
    let doors: &'static [Mutex<()>] = (0..6).map(|_| Mutex::new(())).collect::<Vec<_>>().leak();
    let held: Vec<_> = doors.iter().map(|door| door.lock().unwrap()).collect();
    let threads: Vec<_> = (0..6)
        .map(|n| {
            spawn(&STACKS[n], Thread::once(), Priority(4), move || {
                gates[n].wait().unwrap();
                drop(doors[n].lock().unwrap());
                log("through");
            })
        })
        .collect();
    for gate in gates {
        gate.signal().unwrap();
    }
    assert!(LOG.take().is_empty());
    drop(held);
    for thread in threads {
        thread.unwrap().join().unwrap();
    }
    assert_eq!(LOG.take().len(), 6);
    // No thread waits any more, so they are plain memory again.
    assert!(doors.iter().all(|door| door.try_lock().is_ok()));
}

fn tables_are_finite() {
    // Sizes are powers of two.
    static NONE: Queue<u8> = Queue::new(0);
    static TOO_LONG: Queue<u8> = Queue::new(100);
    static STACKS: [Stack<64>; 9] = [const { Stack::new() }; 9];
    assert_eq!(NONE.try_send(1), Err(Error::Invalid));
    assert_eq!(TOO_LONG.try_send(1), Err(Error::Full));
    let spawned = STACKS
        .iter()
        .flat_map(|stack| spawn(stack, Thread::once(), Priority(3), || sleep(us(1))));
    assert_eq!(spawned.count(), 7);
    let again = spawn(&STACKS[0], Thread::once(), Priority(3), || ());
    assert_eq!(again.map(drop), Err(Error::Taken));
    sleep(us(9));
    let used = cpu_time();
    compute(us(5));
    assert_eq!(cpu_time(), used + us(5));
    let idle = idle_time();
    sleep(us(6));
    assert_eq!(idle_time(), idle + us(6));
}
