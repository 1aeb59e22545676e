//! A sensor that interrupts when it has a sample, and a thread that makes sense of the samples.
//!
//! The sensor is the machine's timer, which asks for attention every 5 ms. The interrupt's handler
//! takes the sample and goes; the filter does the rest at its own urgency. Another interrupt, a
//! button, tells that it is enough.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::{prelude::*, println};
use flyball_examples::machine;

flyball_app::kernel! {
    machine: machine,
    policy: FixedPriorities<8> = FixedPriorities::new(FixedPriority, 8),
    init: init,
    queues: 1,
    messages: 8,
}

/// An interrupt line that no device uses, so a program may pull it.
const BUTTON: Interrupt = Interrupt::line(20);

static SAMPLES: Queue<u32> = Queue::new(8);
static PRESSED: Semaphore = Semaphore::new(0);
static LOST: AtomicU32 = AtomicU32::new(0);

static FILTER: Stack<512> = Stack::new();
static OPERATOR: Stack<512> = Stack::new();

fn init() -> Result<(), Error> {
    Interrupt::timer().attach(sample)?;
    BUTTON.attach(pressed)?;
    spawn(&FILTER, Thread::once(), Priority(1), filter)?;
    spawn(&OPERATOR, Thread::once(), Priority(2), operator)?;
    set_timer(Duration::from_millis(5));
    Ok(())
}

/// The sensor has a sample. Handlers are short, and never wait.
fn sample() {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    let number = TAKEN.fetch_add(1, Ordering::Relaxed);
    // What a sensor might see: a slope, and some noise.
    let noise = number.wrapping_mul(2_654_435_761) >> 28;
    if SAMPLES.try_send(100 * number + noise).is_err() {
        LOST.fetch_add(1, Ordering::Relaxed);
    }
    set_timer(Duration::from_millis(5));
}

fn pressed() {
    if PRESSED.signal().is_err() {
        shut_down(1);
    }
}

/// The mean of every four samples, which takes 1 ms each.
fn filter() {
    loop {
        let mut sum = 0;
        for _ in 0..4 {
            sum += SAMPLES.receive().unwrap_or_default();
            compute(Duration::from_millis(1));
        }
        println!("{:>3} ms  mean {:>4}", now().as_millis(), sum / 4);
    }
}

fn operator() {
    sleep(Duration::from_millis(93));
    BUTTON.pend();
    if PRESSED.wait().is_ok() {
        println!("enough, {} samples lost", LOST.load(Ordering::Relaxed));
        shut_down(0);
    }
}
