//! A producer and a consumer with a queue between them, and a third thread that waits until all is
//! done.
//!
//! The producer makes an item every 10 ms. The consumer needs up to 30 ms for one, so the queue
//! fills up, and the producer has to wait for room; it falls behind, and catches up in the end.
#![cfg_attr(target_os = "none", no_std, no_main)]

use flyball_app::{prelude::*, println};
use flyball_examples::machine;

flyball_app::kernel! {
    machine: machine,
    policy: FixedPriorities<8> = FixedPriorities::new(FixedPriority, 8),
    init: init,
    queues: 1,
    messages: 4,
}

const ITEMS: u32 = 12;

/// What goes through the queue: up to 16 bytes of anything that can be copied.
#[derive(Clone, Copy)]
struct Item {
    number: u32,
    made: Time,
}

/// What the consumer has seen so far.
struct Seen {
    items: u32,
    sum: u32,
}

static WORK: Queue<Item> = Queue::new(4);
static SEEN: Mutex<Seen> = Mutex::new(Seen { items: 0, sum: 0 });
static CHANGED: Condition = Condition::new();

static PRODUCER: Stack<512> = Stack::new();
static CONSUMER: Stack<512> = Stack::new();
static REPORTER: Stack<512> = Stack::new();

fn init() -> Result<(), Error> {
    let every_10_ms = Thread::periodic(Duration::from_millis(10)).without_deadline();
    spawn(&PRODUCER, every_10_ms, Priority(3), || or_end(produce()))?;
    spawn(&CONSUMER, Thread::once(), Priority(2), || or_end(consume()))?;
    spawn(&REPORTER, Thread::once(), Priority(1), || or_end(report()))?;
    Ok(())
}

fn produce() -> Result<(), Error> {
    for number in 1..=ITEMS {
        let made = now();
        WORK.send(Item { number, made })?;
        let kept_up = wait_next();
        if !kept_up {
            println!("{:>4} ms  the producer is behind", now().as_millis());
        }
    }
    Ok(())
}

fn consume() -> Result<(), Error> {
    loop {
        let item = WORK.receive()?;
        compute(Duration::from_millis(u64::from(10 * (item.number % 4))));
        println!(
            "{:>4} ms  item {:>2}, made at {:>3} ms",
            now().as_millis(),
            item.number,
            item.made.as_millis()
        );
        let mut seen = SEEN.lock()?;
        seen.items += 1;
        seen.sum += item.number;
        CHANGED.signal();
    }
}

fn report() -> Result<(), Error> {
    let mut seen = SEEN.lock()?;
    while seen.items < ITEMS {
        CHANGED.wait(&mut seen)?;
    }
    println!("{} items, which add up to {}", seen.items, seen.sum);
    shut_down(0)
}

/// Nothing here is meant to fail; if something does, the program ends.
fn or_end(result: Result<(), Error>) {
    if let Err(error) = result {
        println!("error: {error}");
        shut_down(1);
    }
}
