//! What calls cost: from a mark before to a mark after, in the same thread or in the one that runs
//! then.
//!
//! A thread that is about to leave the CPU keeps its mark to itself, and shows it when it is back:
//! to show it at once would count, too.

use crate::Urgency;
use crate::mark::{Mark, Shared};
use crate::output::{Tally, fail};
use core::hint::black_box;
use core::sync::atomic::{AtomicBool, Ordering};
use flyball_app::{Error, Interrupt, Mutex, Queue, Semaphore, shut_down, yield_now};

/// How often each call is made.
const TIMES: u32 = 100;

/// Interrupt lines that no device uses.
const WAKING: u16 = 20;
const MARKING: u16 = 21;
const WAITING: u16 = 22;

static WAKE: Semaphore = Semaphore::new(0);
static FREE: Semaphore = Semaphore::new(0);
static LOCK: Mutex<()> = Mutex::new(());
static STORE: Queue<[u32; 4]> = Queue::new(8);
static LETTER: Queue<[u32; 4]> = Queue::new(8);

/// When another thread (or a handler) began to run, and when it had last left the CPU.
static WOKEN: Shared = Shared::new();
static LEFT: Shared = Shared::new();

/// The more urgent thread is to wait for something else from now on.
static TURN: AtomicBool = AtomicBool::new(false);

pub(crate) fn attach() -> Result<(), Error> {
    Interrupt::line(WAKING).attach(|| {
        let _ = WAKE.signal();
    })?;
    Interrupt::line(WAITING).attach(waits)?;
    Interrupt::line(MARKING).attach(|| WOKEN.set(Mark::now()))
}

/// A handler does not wait at a queue, also without checks.
#[inline(never)]
fn waits() {
    let received = STORE.receive();
    while STORE.try_send([0; 4]).is_ok() {}
    let sent = STORE.send([0; 4]);
    while STORE.try_receive().is_ok() {}
    if (received, sent) != (Err(Error::NoThread), Err(Error::NoThread)) {
        fail("a handler waits");
    }
}

/// A more urgent thread, which waits for signals, and later for messages.
pub(crate) fn higher() {
    others(|| sure(WAKE.wait()));
    TURN.store(false, Ordering::Relaxed);
    let mut letter = [0; 4];
    others(|| {
        sure(LETTER.receive_into(&mut letter));
        black_box(&letter);
    });
}

/// A thread that is as urgent as the one that measures.
pub(crate) fn equal() {
    others(yield_now);
}

/// One that is always ready, and runs only if the policy lets every thread run.
pub(crate) fn ready() {
    loop {
        yield_now();
    }
}

/// Leaves the CPU, and tells when it is back, until it is told to stop.
#[inline(always)]
fn others(mut leave: impl FnMut()) {
    while !TURN.load(Ordering::Relaxed) {
        let left = Mark::now();
        leave();
        WOKEN.set(Mark::now());
        LEFT.set(left);
    }
}

/// No call that is measured fails.
#[inline(always)]
fn sure<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(_) => fail("a call has failed"),
    }
}

/// Marks before and after a call, in a function of its own: what is around it takes no registers.
/// Its result is there at the second mark, and looked at afterwards.
#[inline(never)]
fn around(mut call: impl FnMut() -> Result<(), Error>) -> [Mark; 2] {
    let begin = Mark::now();
    let result = call();
    let end = Mark::now();
    sure(result);
    [begin, end]
}

/// Measures what it takes from `call` to another thread, and from there back here.
#[inline(always)]
fn there_and_back(there: &str, back: Option<&str>, call: impl Fn() -> Result<(), Error>) {
    let (mut out, mut home) = (Tally::default(), Tally::default());
    // In the first calls all threads come for the first time.
    sure(call());
    sure(call());
    let mut returned = None;
    for _ in 0..TIMES {
        let [begin, end] = around(&call);
        out.add(WOKEN.get().since(begin));
        if let Some(returned) = returned.replace(end) {
            // The other one tells only now when it left.
            home.add(returned.since(LEFT.get()));
        }
    }
    out.print(there);
    if let Some(back) = back {
        home.print(back);
    }
}

/// Measures `first`, and `second`, which undoes it.
#[inline(always)]
fn two(
    names: [&str; 2],
    first: impl Fn() -> Result<(), Error>,
    mut second: impl FnMut() -> Result<(), Error>,
) {
    let mut tallies = [Tally::default(); 2];
    sure(first());
    sure(second());
    for _ in 0..TIMES {
        let [begin, end] = around(&first);
        tallies[0].add(end.since(begin));
        let [begin, end] = around(&mut second);
        tallies[1].add(end.since(begin));
    }
    for (tally, name) in tallies.into_iter().zip(names) {
        tally.print(name);
    }
}

/// Measures locking and unlocking a free mutex.
fn locks() {
    #[inline(never)]
    fn once() -> [Mark; 3] {
        let begin = Mark::now();
        let guard = sure(LOCK.lock());
        let between = Mark::now();
        drop(guard);
        [begin, between, Mark::now()]
    }
    let (mut lock, mut unlock) = (Tally::default(), Tally::default());
    once();
    for _ in 0..TIMES {
        let [begin, between, end] = once();
        lock.add(between.since(begin));
        unlock.add(end.since(between));
    }
    lock.print("lock");
    unlock.print("unlock");
}

/// Measures an interrupt: from its first instruction to the thread that it wakes, and to its
/// handler.
fn interrupts(wake: bool) {
    let (mut wakes, mut handled) = (Tally::default(), Tally::default());
    for _ in 0..TIMES {
        let begin = Mark::and_interrupt(MARKING);
        handled.add(WOKEN.get().since_interrupt(begin));
        if wake {
            let begin = Mark::and_interrupt(WAKING);
            wakes.add(WOKEN.get().since_interrupt(begin));
        }
    }
    handled.print("interrupt_handler");
    if wake {
        wakes.print("interrupt_wakes");
    }
}

/// Measures everything, and ends.
pub(crate) fn measure(urgency: Urgency) {
    Interrupt::line(WAITING).pend();
    let wake = urgency != Urgency::None;
    if urgency != Urgency::Moving {
        there_and_back("yield", None, || {
            yield_now();
            Ok(())
        });
    }
    if wake {
        there_and_back("signal_wakes", Some("wait_blocks"), || WAKE.signal());
    }
    interrupts(wake);
    let message = black_box([1, 2, 3, 4]);
    if wake {
        TURN.store(true, Ordering::Relaxed);
        sure(WAKE.signal());
        let send = || LETTER.send_from(&message);
        there_and_back("send_wakes", Some("receive_blocks"), send);
    }
    two(["signal", "take"], || FREE.signal(), || FREE.wait());
    locks();
    let mut received = [0; 4];
    let receive = || {
        STORE.receive_into(&mut received)?;
        black_box(&received);
        Ok(())
    };
    two(["send", "receive"], || STORE.send_from(&message), receive);
    shut_down(0);
}
