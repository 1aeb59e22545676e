//! Workers that take pieces of work from a queue, as many at once as there are CPUs: the same on a
//! machine with one, only later.
#![cfg_attr(target_os = "none", no_std, no_main)]

use flyball_app::prelude::*;
use flyball_app::{GlobalFixedPriorities, policy::Global, println};
use flyball_examples::machine::SpinLock;
use flyball_examples::{CPUS, machine};

const WORKERS: usize = 4;
const PIECES: u64 = 12;

flyball_app::kernel! {
    machine: machine,
    policy: GlobalFixedPriorities<8, CPUS> = Global::new(FixedPriority, 8, CPUS),
    init: init,
    cpus: CPUS,
    queues: 1,
}

static STACKS: [Stack<512>; WORKERS] = [const { Stack::new() }; WORKERS];
static MAIN: Stack<512> = Stack::new();

/// Pieces of work: numbers to be squared.
static WORK: Queue<u64> = Queue::new(4);
static SUM: Mutex<u64> = Mutex::new(0);
/// What is so short that no thread need wait for it: the largest square.
static LARGEST: SpinLock<u64> = SpinLock::new(0);
static DONE: Semaphore = Semaphore::new(0);

fn init() -> Result<(), Error> {
    for stack in &STACKS {
        spawn(stack, Thread::once(), Priority(1), worker)?;
    }
    spawn(&MAIN, Thread::once(), Priority(2), || {
        let began = now();
        for piece in 1..=PIECES {
            let _ = WORK.send(piece);
        }
        for _ in 0..PIECES {
            let _ = DONE.wait();
        }
        let rounds = now().since(began) / Duration::from_millis(10);
        let sum = SUM.lock().map_or(0, |sum| *sum);
        let largest = LARGEST.with(|largest| *largest);
        println!("{PIECES} pieces of 10 ms each, {sum} in all, {largest} at most");
        // With fewer CPUs than workers it takes longer.
        let expected = PIECES / WORKERS.min(CPUS) as u64;
        println!(
            "as fast as it can be: {}",
            if rounds == expected { "yes" } else { "no" }
        );
        shut_down(0)
    })?;
    Ok(())
}

fn worker() {
    while let Ok(piece) = WORK.receive() {
        compute(Duration::from_millis(10));
        LARGEST.with(|largest| *largest = (*largest).max(piece * piece));
        if let Ok(mut sum) = SUM.lock() {
            *sum += piece * piece;
        }
        let _ = DONE.signal();
    }
}
